//! A claim by a move that is not written down: nothing is examined, and the arbiter gets an alert.

use super::{
    table::{ARBITER, WHITE, claim, unwritten},
    *,
};

/// White has announced a move that is not on his scoresheet.
fn announced_in_words() -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(WHITE, unwritten()), None);
    table
}

fn is_alerted(table: &Table) -> bool {
    let alert = table.alert(AlertCode::ClaimMade);
    alert.is_some_and(|alert| alert.arguments["verdict"] == "defective_not_written")
}

#[test]
fn a_claim_that_is_not_written_down_raises_an_alert() {
    let table = announced_in_words();
    assert!(is_alerted(&table));
    let alert = table.alert(AlertCode::ClaimMade).unwrap();
    assert_eq!(
        (alert.level, &alert.arguments["move"]),
        (Level::Red, &"Qe2".into())
    );
    assert_eq!(table.game.open_claim(), None, "there is nothing to rule on");
    assert!(table.game.undecided().is_empty());
    assert_eq!(table.game.pause_state(), None);
}

#[test]
fn it_is_over_when_he_claims_anew_moves_or_the_arbiter_has_seen_it() {
    let mut table = announced_in_words();
    table.moves("d1e2");
    assert!(!is_alerted(&table));
    table.input(Input::Withdraw);
    assert!(!is_alerted(&table));

    let mut table = announced_in_words();
    let written = claim(Claimed::Threefold, Some("Qe2"));
    assert_eq!(table.ask(WHITE, written), None);
    let alert = table.alert(AlertCode::ClaimMade).unwrap();
    assert_eq!(alert.arguments["verdict"], "incorrect");

    let mut table = announced_in_words();
    let alert = table.alert(AlertCode::ClaimMade).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    assert!(!is_alerted(&table));
    assert_eq!(table.ask(WHITE, unwritten()), None);
    assert!(is_alerted(&table), "another time");

    table.start_array();
    assert!(!is_alerted(&table));
    let left = table.game.unresolved_matters().iter().map(|left| left.what);
    let left: Vec<_> = left.collect();
    assert_eq!(left, [UnresolvedKind::Game], "only its result is missing");
}
