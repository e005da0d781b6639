//! Claims whose record is corrected while they are being checked.

use super::{
    table::{ARBITER, WHITE, claim, correct, setup},
    *,
};
use remisd_laws::Remark;

fn claimed_after_ply_8() -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.game.open_claim().unwrap().plies, [0, 4, 8]);
    table
}

/// What an open claim says of its record, and that it has changed.
fn reported(table: &Table) -> (Vec<u32>, u32, Option<u32>) {
    let claim = table.game.open_claim().unwrap();
    assert_eq!(claim.finding, Some(Finding::ArbiterDecides));
    assert!(claim.remarks.contains(&Remark::RecordChanged));
    (
        claim.plies.clone(),
        claim.halfmove_clock,
        claim.last_zeroing,
    )
}

#[test]
fn a_correction_shows_where_the_claimed_position_stands_in_the_new_record() {
    let mut table = claimed_after_ply_8();
    assert_eq!(table.ask(ARBITER, correct(7, &["Nd5"])), None);
    assert_eq!(reported(&table), (vec![8], 8, None));
    let moves = ["e4", "e5", "Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6"];
    assert_eq!(table.ask(ARBITER, correct(0, &moves)), None);
    assert_eq!(reported(&table), (vec![4, 8], 6, Some(2)));
    let alert = table.alert(AlertCode::ClaimMade).unwrap();
    assert_eq!(alert.arguments["count"], 2);
}

#[test]
fn an_announced_move_is_looked_for_in_the_corrected_record() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    let announces = claim(Claimed::Threefold, Some("Nf3"));
    assert_eq!(table.ask(WHITE, announces), None);
    assert_eq!(table.game.open_claim().unwrap().plies, [1, 5, 9]);
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8", "e4", "Nf6", "e5", "Ng8"];
    assert_eq!(table.ask(ARBITER, correct(0, &moves)), None);
    assert_eq!(reported(&table), (vec![9], 2, Some(7)));
}

#[test]
fn what_the_record_no_longer_holds_is_not_reported() {
    let mut table = claimed_after_ply_8();
    assert_eq!(table.ask(ARBITER, correct(4, &[])), None);
    assert_eq!(reported(&table), (vec![], 0, None));

    let mut table = claimed_after_ply_8();
    table.input(Input::Withdraw);
    assert_eq!(reported(&table), (vec![], 0, None));

    let mut table = claimed_after_ply_8();
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 7 40";
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    table.moves("h1h2 e8e7 h2h1 e7e8 h1h2 e8e7 h2h1 e7e8");
    assert_eq!(reported(&table), (vec![], 0, None));
    assert_eq!(table.ask(ARBITER, correct(8, &[])), None);
    assert_eq!(reported(&table), (vec![], 0, None));
}
