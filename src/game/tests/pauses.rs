//! Who stops the clock, and what lets it run again.

use super::{
    table::{ARBITER, BLACK, INCORRECT, THREEFOLD, WHITE, under},
    *,
};
use remisd_laws::{self as laws, Remark};

const PAUSE: Verb = Verb::Pause {};
const RESUME: Verb = Verb::Resume { running: None };

#[test]
fn a_clock_stopped_for_a_claim_is_started_again_by_the_ruling() {
    for stops in [WHITE, Role::Clock] {
        let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        table.clock(300_000, 300_000, Some(Side::White));
        assert_eq!(table.ask(stops, PAUSE), None);
        let since = table.game.pause_state().unwrap().since;
        assert_eq!(table.ask(WHITE, THREEFOLD), None);
        let pause = table.game.pause_state().unwrap();
        assert_eq!((pause.reason, pause.since), (PauseReason::Claim, since));
        let remarks = &table.game.open_claim().unwrap().remarks;
        assert!(!remarks.contains(&Remark::ClockNotStopped), "he has");
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
        assert_eq!(table.game.pause_state(), None, "{stops:?}");
    }
    // What somebody else has stopped is not the claimant's.
    for stops in [BLACK, ARBITER] {
        let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        assert_eq!(table.ask(stops, PAUSE), None);
        assert_eq!(table.ask(WHITE, THREEFOLD), None);
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
        assert!(table.game.pause_state().is_some(), "{stops:?}");
    }
}

#[test]
fn a_move_that_stood_on_the_board_before_does_not_start_the_clock_again() {
    for stops in [WHITE, Role::Clock] {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4");
        assert_eq!(table.ask_over("e7e5", stops, PAUSE), None);
        table.moves("e7e5");
        assert!(table.game.pause_state().is_some(), "{stops:?}");
        table.moves("g1f3");
        assert_eq!(table.game.pause_state(), None, "play goes on");
    }
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask(WHITE, PAUSE), None);
    table.moves("e7e5");
    assert_eq!(table.game.pause_state(), None);
}

#[test]
fn what_the_arbiter_has_stopped_he_starts_again() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask_over("e7e5", ARBITER, PAUSE), None);
    table.moves("e7e5 g1f3");
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned();
    assert_eq!(table.ask(ARBITER, Verb::Setup { fen }), None);
    table.moves("e2e4");
    assert!(table.game.pause_state().is_some());
    assert_eq!(table.ask(ARBITER, RESUME), None);
    assert_eq!(table.game.pause_state(), None);
    assert_eq!(table.ask(ARBITER, PAUSE), None);
    table.start_array();
    assert_eq!(table.game.pause_state(), None, "another game");
}
