//! A move that was announced with an incorrect claim: it must be made, whatever comes between.

use super::{
    table::{ARBITER, INCORRECT, WHITE, claim, under},
    *,
};
use crate::laws;

/// White has announced e4 where Nf3 would have been the third occurrence: his claim was
/// incorrect.
fn bound_to_e4(confirm: Confirm) -> Table {
    let mut table = under(&laws::FIDE_2023, confirm);
    table.shuffle(2);
    let asked = claim(Claimed::Threefold, Some("e4"));
    assert_eq!(table.ask(WHITE, asked), None);
    if confirm == Confirm::Arbiter {
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
    }
    assert_eq!(table.game.must_play().unwrap().announced.san, "e4");
    table
}

#[test]
fn no_other_move_can_be_announced_while_one_must_be_made() {
    for confirm in [Confirm::Automatic, Confirm::Arbiter] {
        let mut table = bound_to_e4(confirm);
        for (kind, other) in [
            (Claimed::Threefold, "Nf3"),
            (Claimed::FiftyMove, "Nc3"),
            (Claimed::Threefold, "Qd5"),
        ] {
            let id = format!("{kind:?}");
            let refused = table.command(&id, WHITE, claim(kind, Some(other)));
            assert_eq!(refused.code, Some(RefusalCode::NotAdmissible), "{other}");
            let message = refused.message.unwrap();
            assert!(message.contains("e4"), "{message}");
            assert!(table.game.open_claim().is_none());
        }
        assert_eq!(table.game.result(), None);
        assert_eq!(table.game.must_play().unwrap().announced.san, "e4");
    }
}

#[test]
fn the_same_move_and_the_position_on_the_board_can_still_be_claimed_on() {
    let mut table = bound_to_e4(Confirm::Arbiter);
    assert_eq!(
        table.ask(WHITE, claim(Claimed::FiftyMove, Some("e2e4"))),
        None
    );
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert_eq!(table.game.must_play().unwrap().announced.san, "e4");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let made = table.game.open_claim().unwrap();
    assert_eq!(made.finding, Some(Finding::Correct));
}

#[test]
fn a_piece_that_is_bound_by_an_illegal_move_may_be_announced_with_another() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let asked = |announced| claim(Claimed::Threefold, Some(announced));
    assert_eq!(table.ask(WHITE, asked("Qd5")), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(!table.game.must_play().unwrap().legal);
    let refused = Some(RefusalCode::NotAdmissible);
    assert_eq!(table.ask(WHITE, asked("Nf3")), refused);
    assert_eq!(table.ask(WHITE, asked("Qe2")), None);
}
