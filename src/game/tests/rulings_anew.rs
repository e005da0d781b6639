//! Rulings that are taken back, or rest on a record that was corrected since.

use serde_json::json;

use super::{
    table::{ARBITER, CORRECT, INCORRECT, THREEFOLD, WHITE, correct},
    *,
};
use remisd_laws as laws;

/// White's claim after ply 8 rests on a knight that was misread at that ply.
fn misread() -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(1);
    table.moves("g1f3 g8f6 f3g1 f6d5");
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(
        table.game.claims()[0].finding,
        Some(Finding::Incorrect),
        "twice: plies 0 and 4 only, as it seems"
    );
    table
}

/// The claim is ruled incorrect.
fn ruled_incorrect(mut table: Table) -> Table {
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    table
}

fn reconsidered(table: &Table) -> Option<Alert> {
    let mut open = table.game.alerts().open().iter();
    open.find(|alert| alert.code.as_str() == "claim_reconsidered")
        .cloned()
}

#[test]
fn an_incorrect_claim_is_reconsidered_when_its_record_is_corrected() {
    let mut table = ruled_incorrect(misread());
    assert_eq!(table.game.adjustments().len(), 1);
    assert_eq!(table.ask(ARBITER, correct(7, &["Ng8"])), None);
    assert!(table.game.adjustments().is_empty(), "it waited still");
    let alert = reconsidered(&table).expect("another record");
    assert_eq!(alert.arguments["by"], "white");
    assert!(alert.arguments["black_ms"].is_null(), "no clock was set");
    assert!(table.alert(AlertCode::ClaimMade).is_some());
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    let result = table.game.result().unwrap();
    assert_eq!(
        (result.reason, result.ply),
        (ResultReason::ThreefoldClaim, 8)
    );
    assert_eq!(reconsidered(&table), None);
}

#[test]
fn a_penalty_that_the_clock_has_made_is_named_and_not_ordered_twice() {
    let mut table = ruled_incorrect(misread());
    let alert = table.alert(AlertCode::ClockAdjustment).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    assert_eq!(table.ask(ARBITER, correct(7, &["Ng8"])), None);
    let alert = reconsidered(&table).expect("another record");
    assert_eq!(alert.arguments["black_ms"], 120_000);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(table.game.adjustments().is_empty());
    assert_eq!(reconsidered(&table), None);
}

#[test]
fn a_ruling_that_the_corrected_record_bears_out_stands() {
    let mut table = ruled_incorrect(misread());
    assert_eq!(table.ask(ARBITER, correct(7, &["Nh5"])), None);
    assert_eq!(reconsidered(&table), None);
    assert_eq!(table.game.open_claim(), None);
    assert_eq!(table.game.adjustments().len(), 1);
}

const ROUND: [&str; 4] = ["Nf3", "Nf6", "Ng1", "Ng8"];

/// The knights went out and back twice, and the record has one round.
fn claimed_a_round_too_early() -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(1);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(table.game.claims()[0].finding, Some(Finding::Incorrect));
    table
}

#[test]
fn a_claim_goes_along_when_missing_plies_are_inserted_before_it() {
    let other = ["Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"];
    for (is_ruled, to_ply, moves) in [
        (true, 4, &ROUND[..]),
        (false, 4, &ROUND[..]),
        (true, 2, &other[..]),
        (false, 2, &other[..]),
    ] {
        let mut table = claimed_a_round_too_early();
        if is_ruled {
            table = ruled_incorrect(table);
        }
        assert_eq!(table.ask(ARBITER, correct(to_ply, moves)), None);
        assert_eq!(reconsidered(&table).is_some(), is_ruled);
        let claim = table.game.open_claim().expect("it is open");
        assert_eq!((claim.ply, &claim.plies[..]), (8, &[0, 4, 8][..]));
        assert_eq!(table.ask(ARBITER, CORRECT), None);
        assert_eq!(table.game.result().unwrap().ply, 8);
    }
}

#[test]
fn a_claim_goes_along_when_plies_before_it_are_removed() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.ask(ARBITER, correct(2, &["Ng1", "Ng8"])), None);
    let claim = table.game.claims().last().unwrap();
    assert_eq!((claim.ply, &claim.plies[..]), (4, &[0, 4][..]));
    let result = table.game.result().unwrap();
    assert_eq!((result.ply, result.confirmed), (4, false));
}

#[test]
fn a_claim_keeps_its_ply_when_the_record_changes_after_it() {
    let mut table = ruled_incorrect(claimed_a_round_too_early());
    table.moves("e2e4");
    for correction in [correct(5, &["e5"]), correct(4, &["d4", "d5", "Nc3"])] {
        assert_eq!(table.ask(ARBITER, correction), None);
        assert_eq!(table.game.claims()[0].ply, 4);
        assert_eq!(reconsidered(&table), None);
    }
}

#[test]
fn a_ruling_is_reconsidered_when_the_hands_correct_their_last_move() {
    let mut table = ruled_incorrect(misread());
    let (uci, clock) = ("f6g8".into(), None);
    table.input(Input::Revise { uci, clock });
    assert!(reconsidered(&table).is_some());

    let mut table = ruled_incorrect(misread());
    table.input(Input::Withdraw);
    assert_eq!(reconsidered(&table), None, "nothing is in its place yet");
    table.moves("f6g8");
    assert!(reconsidered(&table).is_some());
    assert_eq!(table.game.open_claim().unwrap().plies, [0, 4, 8]);
}

#[test]
fn an_illegal_move_that_was_ruled_against_the_wrong_player_is_taken_back() {
    let ruling = |fields: serde_json::Value| -> Verb {
        let mut all = json!({"on": "illegal_move", "player": "white"});
        all.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        Verb::Ruling(serde_json::from_value(all).unwrap())
    };
    let taken_back = || ruling(json!({"withdrawn": true}));
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    assert_eq!(
        table.ask(ARBITER, taken_back()),
        Some(RefusalCode::WrongState)
    );
    assert_eq!(table.ask(ARBITER, ruling(json!({}))), None);
    assert_eq!(
        table.game.illegal_moves(),
        shakmaty::ByColor { white: 1, black: 0 }
    );
    assert_eq!(table.game.adjustments().len(), 1);
    assert_eq!(table.ask(ARBITER, taken_back()), None);
    assert_eq!(
        table.game.illegal_moves(),
        shakmaty::ByColor { white: 0, black: 0 }
    );
    assert!(table.game.adjustments().is_empty());

    // What the clock has made already is to be undone.
    assert_eq!(table.ask(ARBITER, ruling(json!({}))), None);
    let alert = table.alert(AlertCode::ClockAdjustment).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    assert_eq!(table.ask(ARBITER, taken_back()), None);
    let undone = &table.game.adjustments()[0];
    assert_eq!(
        (undone.white, undone.black),
        (laws::TimeChange::None, laws::TimeChange::AddMs(-120_000))
    );

    // One that lost the game.
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    for _ in 0..2 {
        assert_eq!(table.ask(ARBITER, ruling(json!({}))), None);
    }
    assert!(!table.game.status().is_in_progress());
    assert_eq!(table.ask(ARBITER, taken_back()), None);
    assert!(table.game.status().is_in_progress());
    assert_eq!(
        table.game.illegal_moves(),
        shakmaty::ByColor { white: 1, black: 0 }
    );
    assert_eq!(table.game.adjustments().len(), 1, "that of the first");
}

/// A correct claim after ply 8, ruled on by `remisd` or by the arbiter.
fn granted(confirm: Confirm) -> Table {
    let mut table = Table::new(confirm);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    if confirm == Confirm::Arbiter {
        assert_eq!(table.ask(ARBITER, CORRECT), None);
    }
    assert!(table.game.result().unwrap().confirmed);
    table
}

#[test]
fn a_draw_by_a_claim_that_the_corrected_record_contradicts_is_to_be_confirmed_again() {
    for confirm in [Confirm::Automatic, Confirm::Arbiter] {
        for record in [correct(7, &["Nd5"]), correct(6, &[])] {
            let mut table = granted(confirm);
            assert_eq!(table.ask(ARBITER, record), None);
            let result = table.game.result().unwrap();
            assert_eq!(result.reason, ResultReason::ThreefoldClaim);
            assert!(!result.confirmed);
            assert!(result.ply <= table.game.ply());
            let claim = &table.game.claims()[0];
            assert_eq!(claim.finding, Some(Finding::ArbiterDecides));
            assert!(claim.remarks.contains(&laws::Remark::RecordChanged));
            assert_ne!(claim.plies, [0, 4, 8]);
            let alert = table.alert(AlertCode::ResultToConfirm).unwrap().id;

            assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
            assert!(table.game.result().unwrap().confirmed);
            // Or the claim is ruled on again.
            assert_eq!(table.ask(ARBITER, PLAY_ON), None);
            assert_eq!(table.game.result(), None);
            assert!(table.game.open_claim().is_some());
            assert_eq!(table.ask(ARBITER, INCORRECT), None);
        }
    }
}

#[test]
fn a_draw_by_a_claim_that_the_corrected_record_bears_out_stands() {
    let mut table = granted(Confirm::Automatic);
    let same = ["Nc3", "Nc6", "Nb1", "Nb8"];
    assert_eq!(table.ask(ARBITER, correct(4, &same)), None);
    assert!(table.game.result().unwrap().confirmed);
    assert_eq!(table.game.claims()[0].plies, [0, 4, 8]);
    // The position has occurred often enough without one of its plies.
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(3);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    let other = ["Nf3", "Nf6", "Nc3", "Nc6", "Nb1", "Nb8", "Ng1", "Ng8"];
    let moves = [&other[..], &["Nf3", "Nf6", "Ng1", "Ng8"]].concat();
    assert_eq!(table.ask(ARBITER, correct(0, &moves)), None);
    assert!(table.game.result().unwrap().confirmed);
    assert_eq!(table.game.claims()[0].plies, [0, 8, 12]);
}
