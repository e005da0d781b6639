//! Touches outlive the plies that are taken back or corrected: they have still happened.

use super::{
    table::{ARBITER, BLACK, WHITE, claim, correct, offer},
    *,
};
use remisd_laws::Remark;

/// The square that was touched before White's claim on the board, which no one has ruled on.
fn contested_at(table: &mut Table) -> String {
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.game.result(), None, "it is for the arbiter");
    let made = table.game.open_claim().unwrap();
    assert!(made.remarks.contains(&Remark::PieceTouchedBefore));
    let touched = made.contested.clone().expect("a piece was touched");
    assert!(touched.sure);
    touched.square.to_string()
}

#[test]
fn a_move_that_is_taken_back_has_touched_its_piece() {
    for reported in [false, true] {
        let mut table = Table::new(Confirm::Automatic);
        table.shuffle(2);
        if reported {
            table.touch(Side::White, "b1");
        }
        table.moves("g1f3");
        table.input(Input::Withdraw);
        let touched: Vec<String> = table
            .game
            .touched()
            .iter()
            .map(|touch| touch.square.to_string())
            .collect();
        let all: &[&str] = if reported { &["b1", "g1"] } else { &["g1"] };
        assert_eq!(touched, all);
        assert_eq!(contested_at(&mut table), all[0]);
    }
    // Two plies are taken back: what counts is what White has touched.
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    table.moves("g1f3 b8c6");
    table.input(Input::Withdraw);
    table.input(Input::Withdraw);
    assert_eq!(contested_at(&mut table), "g1");
}

#[test]
fn a_touch_is_still_known_after_a_correction() {
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    table.touch(Side::White, "g1");
    assert_eq!(table.ask(ARBITER, correct(7, &["Ng8"])), None);
    assert_eq!(contested_at(&mut table), "g1");

    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    table.touch(Side::White, "g1");
    assert_eq!(table.ask(ARBITER, correct(8, &[])), None);
    assert_eq!(contested_at(&mut table), "g1");

    // The arbiter takes the move back after which it was no longer shown.
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    table.touch(Side::White, "e2");
    table.moves("g1f3");
    assert_eq!(table.ask(ARBITER, correct(7, &["Ng8"])), None);
    assert_eq!(contested_at(&mut table), "e2");
}

#[test]
fn a_correction_to_another_course_leaves_no_touch_behind() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    table.touch(Side::Black, "b8");
    assert_eq!(table.ask(ARBITER, correct(2, &["Nf3", "Nc6"])), None);
    assert!(table.game.touched().is_empty(), "White has the move");
    table.touch(Side::White, "f1");
    assert_eq!(table.ask(ARBITER, correct(4, &["Bb5"])), None);
    assert!(table.game.touched().is_empty(), "Black has it");
}

#[test]
fn an_unseen_move_has_touched_nothing() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let uci = "g1f3".into();
    let by = SettledBy::Reconstructed;
    let clock = None;
    table.input(Input::Move { uci, by, clock });
    assert_eq!(table.ask(ARBITER, correct(2, &[])), None);
    assert!(table.game.touched().is_empty());
}

#[test]
fn an_accidental_touch_can_be_voided_after_a_correction() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.touch(Side::Black, "b8");
    assert_eq!(table.game.standing_offer(), None);
    assert_eq!(table.ask(ARBITER, correct(0, &["d4", "e5", "Nf3"])), None);
    let player = Some(Side::Black);
    assert_eq!(table.ask(ARBITER, Verb::Adjust { player }), None);
    assert!(table.game.standing_offer().is_some());
    assert_eq!(table.ask(BLACK, Verb::Accept { player: None }), None);
}
