//! What stays when play continues, or goes back, around a claim or an end.

use super::{
    table::{ARBITER, INCORRECT, WHITE, announced, broken, claim, under},
    *,
};
use remisd_laws as laws;

#[test]
fn an_announced_move_that_was_not_played_while_the_claim_was_checked_is_found() {
    let mut table = announced();
    table.moves("d1f3");
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(broken(&table));
}

#[test]
fn a_verdict_does_not_outlive_the_ply_that_it_rests_on() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.shuffle(2);
    table.ask(WHITE, claim(Claimed::Threefold, None));
    assert_eq!(table.game.claims()[0].finding, Some(Finding::Correct));
    let uci = "f6d5".into();
    table.input(Input::Revise { uci, clock: None });
    assert_eq!(
        table.game.claims()[0].finding,
        Some(Finding::ArbiterDecides)
    );
}

#[test]
fn a_mate_is_a_mate_although_another_one_was_overruled() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.moves("f2f3 e7e5 g2g4 d8h4");
    assert!(table.game.result().is_some());
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!(table.game.result(), None, "overruled");
    table.input(Input::Withdraw);
    table.moves("d8h4");
    assert!(table.game.result().is_some(), "played once more");
}

#[test]
fn an_announcement_does_not_come_back_after_a_correction() {
    let mut table = announced();
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(table.game.must_play().is_some());
    let back = Verb::Correct {
        to_ply: 1,
        moves: Vec::new(),
    };
    assert_eq!(table.ask(ARBITER, back), None);
    table.moves("e7e6");
    assert!(table.game.must_play().is_none());
}

#[test]
fn what_the_arbiter_has_seen_touched_was_not_adjusted() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.ask(WHITE, Verb::Adjust { player: None });
    table.touch(Side::White, "e2");
    let seen = Verb::Touch {
        player: Side::White,
        square: "e2".into(),
    };
    assert_eq!(table.ask(ARBITER, seen), None);
    assert!(table.game.touched().iter().all(|touch| !touch.adjusting));
}
