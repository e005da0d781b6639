//! Who plays, as the program says that reads the board.

use super::*;

fn tags(round: &str, white: &str, black: &str) -> BTreeMap<String, String> {
    let tags = [
        ("Event", "Open"),
        ("Round", round),
        ("White", white),
        ("Black", black),
    ];
    tags.map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

fn name(table: &mut Table, tags: &BTreeMap<String, String>) -> bool {
    let takes = table.game.takes_pairing(tags);
    if takes {
        table.input(Input::Pairing {
            headers: tags.clone(),
        });
    }
    takes
}

fn white(table: &Table) -> &str {
    table.game.headers().get("White").map_or("", String::as_str)
}

fn begins_anew(table: &mut Table) {
    table.input(Input::NewGame {
        start_fen: None,
        laws: "fide-2023".into(),
        rate: Rate::Standard,
        headers: BTreeMap::new(),
        cause: Cause::StartArray,
    });
}

#[test]
fn a_pairing_goes_to_the_game_before_its_first_move_and_is_corrected_later() {
    let mut table = Table::new(Confirm::Arbiter);
    assert!(name(&mut table, &tags("1", "Smit, A", "Bos, B")));
    assert!(
        !name(&mut table, &tags("1", "Smit, A", "Bos, B")),
        "no news"
    );
    assert!(
        name(&mut table, &tags("2", "Kok, C", "Bos, B")),
        "no move yet"
    );
    table.moves("e2e4");
    assert!(name(&mut table, &tags("2", "Kok, D", "Bos, B")));
    assert_eq!(white(&table), "Kok, D");
    assert!(
        !name(&mut table, &tags("3", "Bos, B", "Smit, A")),
        "the next round"
    );
    assert_eq!(white(&table), "Kok, D");
    begins_anew(&mut table);
    assert!(name(&mut table, &tags("3", "Bos, B", "Smit, A")));
    assert_eq!(white(&table), "Bos, B");
}

#[test]
fn the_next_game_does_not_get_the_pairing_of_the_one_before() {
    let mut table = Table::new(Confirm::Arbiter);
    assert!(name(&mut table, &tags("1", "Smit, A", "Bos, B")));
    table.moves("e2e4");
    begins_anew(&mut table);
    assert!(!name(&mut table, &tags("1", "Smit, A", "Bos, B")));
    assert!(
        !name(&mut table, &tags("1", "Smit, A.", "Bos, B.")),
        "its correction"
    );
    assert_eq!(white(&table), "");
    table.moves("d2d4");
    assert!(
        name(&mut table, &tags("2", "Kok, C", "Vos, D")),
        "it has no names"
    );
    assert_eq!(white(&table), "Kok, C");
}

#[test]
fn what_the_arbiter_has_entered_stays_until_the_program_changes_it() {
    let mut table = Table::new(Confirm::Arbiter);
    assert!(name(&mut table, &tags("1", "Smit, A", "Bos, B")));
    let entered = BTreeMap::from([("White".to_owned(), "Smith, Anna".to_owned())]);
    assert_eq!(table.ask(ARBITER, Verb::Headers { headers: entered }), None);
    assert!(name(&mut table, &tags("1", "Smit, A", "Bos, Bo")));
    assert_eq!(white(&table), "Smith, Anna");
    assert_eq!(table.game.headers()["Black"], "Bos, Bo");
}

#[test]
fn names_that_were_entered_are_not_replaced() {
    let mut table = Table::new(Confirm::Arbiter);
    let entered = BTreeMap::from([("White".to_owned(), "Smith, Anna".to_owned())]);
    assert_eq!(table.ask(ARBITER, Verb::Headers { headers: entered }), None);
    assert!(!name(&mut table, &tags("1", "Smit, A", "Bos, B")));
    table.moves("e2e4");
    begins_anew(&mut table);
    assert!(name(&mut table, &tags("1", "Smit, A", "Bos, B")));
}
