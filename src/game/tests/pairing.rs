//! Who plays, as the program says that reads the board.

use super::*;

fn tags(round: &str, white: &str, black: &str) -> BTreeMap<String, String> {
    let tags = [
        ("Event", "Open"),
        ("Round", round),
        ("White", white),
        ("Black", black),
    ];
    let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned()));
    tags.into()
}

/// Offers a pairing; returns whether the game takes it.
fn offered(table: &mut Table, id: &str, tags: &BTreeMap<String, String>) -> bool {
    let set = table.game.takes_pairing(id, tags);
    let takes = set.is_some();
    if let Some(set) = set {
        table.input(Input::Pairing {
            id: id.to_owned(),
            headers: tags.clone(),
            set,
        });
        assert_eq!(table.game.takes_pairing(id, tags), None, "it is no news");
    }
    takes
}

fn white(table: &Table) -> &str {
    table.game.headers().get("White").map_or("", String::as_str)
}

fn enter(table: &mut Table, name: &str, value: &str) {
    let headers = BTreeMap::from([(name.to_owned(), value.to_owned())]);
    assert_eq!(table.ask(ARBITER, Verb::Headers { headers }), None);
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
fn a_game_takes_its_pairing_late_and_corrections_of_it() {
    let mut table = Table::new(Confirm::Arbiter);
    assert!(offered(&mut table, "a", &tags("1", "Smit, A", "Bos, B")));
    assert!(
        offered(&mut table, "b", &tags("1", "Kok, C", "Bos, B")),
        "no move yet"
    );
    assert_eq!(white(&table), "Kok, C");
    table.moves("e2e4");
    assert!(!offered(&mut table, "c", &tags("2", "Vos, D", "Bos, B")));
    assert!(offered(&mut table, "b", &tags("1", "Kok, D", "Bos, B")));
    assert_eq!(white(&table), "Kok, D");
    begins_anew(&mut table);
    table.moves("d2d4");
    assert!(offered(&mut table, "c", &tags("2", "Vos, D", "Bos, B")));
    assert_eq!(white(&table), "Vos, D");
    assert_eq!(table.game.headers()["Round"], "2");
}

#[test]
fn what_is_played_after_a_game_does_not_get_its_pairing_again() {
    let mut table = Table::new(Confirm::Arbiter);
    assert!(offered(&mut table, "a", &tags("1", "Smit, A", "Bos, B")));
    table.moves("e2e4");
    begins_anew(&mut table);
    assert!(!offered(&mut table, "a", &tags("1", "Smit, A", "Bos, B")));
    assert!(!offered(
        &mut table,
        "a",
        &tags("1", "Smit, Anna", "Bos, B")
    ));
    assert_eq!(white(&table), "");
}

#[test]
fn a_game_that_is_over_takes_no_pairing() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let won = Verb::Result {
        score: Score::WhiteWins,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, won), None);
    assert!(!offered(&mut table, "b", &tags("2", "Kok, C", "Vos, D")));
}

#[test]
fn tags_that_were_entered_are_not_replaced() {
    let mut table = Table::new(Confirm::Arbiter);
    enter(&mut table, "Round", "7");
    assert!(offered(&mut table, "a", &tags("1", "Smit, A", "Bos, B")));
    assert_eq!(table.game.headers()["Round"], "7");
    enter(&mut table, "White", "Smith, Anna");
    assert!(offered(&mut table, "a", &tags("1", "Smit, B", "Bos, Bo")));
    assert_eq!(white(&table), "Smith, Anna");
    assert_eq!(table.game.headers()["Black"], "Bos, Bo");
    begins_anew(&mut table);
    enter(&mut table, "Black", "Smith, Anna");
    assert!(!offered(&mut table, "b", &tags("2", "Kok, C", "Vos, D")));
}

#[test]
fn masked_names_are_not_set_again_after_a_restart() {
    let mut table = Table::new(Confirm::Arbiter);
    let masked = tags("1", "?", "?");
    table.input(Input::Pairing {
        id: "a".to_owned(),
        set: masked.keys().cloned().collect(),
        headers: masked,
    });
    assert!(!offered(&mut table, "a", &tags("1", "Smit, A", "Bos, B")));
}
