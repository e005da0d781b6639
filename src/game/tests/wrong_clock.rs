//! A clock that runs for the player who does not have the move.

use super::{
    table::{ARBITER, Table},
    *,
};

fn raised(table: &Table) -> Option<Alert> {
    let mut open = table.game.alerts().open().iter();
    open.find(|alert| alert.code.as_str() == "clock_mismatch")
        .cloned()
}

/// So many seconds later somebody looks.
fn later(table: &mut Table, seconds: i64) {
    let seq = table.game.seq() + 1;
    let now = i64::try_from(table.game.seq().get()).unwrap() + seconds;
    let time = Timestamp::from_second(now).unwrap();
    let input = Input::Overdue;
    table.game.apply(&Stamped { seq, time, input });
}

#[test]
fn a_clock_that_runs_for_the_wrong_player_raises_an_alert_after_a_while() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    table.clock(300_000, 300_000, Some(Side::White));
    assert_eq!(raised(&table), None, "he has still to press it");
    later(&mut table, 20);
    assert_eq!(raised(&table), None);
    later(&mut table, 60);
    let alert = raised(&table).expect("a minute is long");
    assert_eq!(alert.level, Level::Grey);
    assert_eq!(alert.arguments["running"], "white");
    assert_eq!(alert.arguments["turn"], "black");
    table.clock(300_000, 300_000, Some(Side::Black));
    assert_eq!(raised(&table), None);
    later(&mut table, 600);
    assert_eq!(raised(&table), None);
}

#[test]
fn a_clock_that_is_to_stand_or_a_game_that_is_over_is_no_mismatch() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    table.clock(300_000, 300_000, Some(Side::White));
    assert_eq!(table.ask(ARBITER, Verb::Pause {}), None);
    later(&mut table, 600);
    assert_eq!(raised(&table), None);

    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    table.clock(300_000, 300_000, Some(Side::White));
    let draw = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, draw), None);
    later(&mut table, 600);
    assert_eq!(raised(&table), None);
}
