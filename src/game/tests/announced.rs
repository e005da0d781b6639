//! A move that was announced with an incorrect claim: it must be made, whatever comes between.

use super::{
    table::{ARBITER, CORRECT, INCORRECT, WHITE, announced, broken, claim, correct, under},
    *,
};
use remisd_laws::{self as laws, Remark};

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
    assert_eq!(table.game.must_play().unwrap().announced.san(), "e4");
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
        assert_eq!(table.game.must_play().unwrap().announced.san(), "e4");
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
    assert_eq!(table.game.must_play().unwrap().announced.san(), "e4");
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

#[test]
fn a_move_that_was_made_instead_and_taken_back_leaves_the_duty() {
    for made in ["d1f3", "d1e2"] {
        let mut table = announced();
        table.moves(made);
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
        assert_eq!(broken(&table), made == "d1f3");
        assert_eq!(table.game.must_play(), None, "it is Black's move");
        assert_eq!(table.ask(ARBITER, correct(2, &[])), None);
        assert!(!broken(&table));
        assert_eq!(table.game.must_play().unwrap().announced.san(), "Qe2");
        table.moves("g1f3");
        assert!(broken(&table));
    }
}

#[test]
fn a_correction_that_comes_to_the_same_position_leaves_the_duty() {
    let mut table = announced();
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    // The moves were written down in another way.
    assert_eq!(table.ask(ARBITER, correct(0, &["e4", "e5"])), None);
    assert_eq!(table.game.must_play().unwrap().announced.san(), "Qe2");
    table.moves("g1f3");
    assert!(broken(&table));
    assert_eq!(table.ask(ARBITER, correct(0, &["e4", "e5", "Nf3"])), None);
    assert!(broken(&table), "it was still not played");
    assert_eq!(table.ask(ARBITER, correct(0, &["e4", "e5", "Qe2"])), None);
    assert!(!broken(&table));
    // In another position it was not announced.
    assert_eq!(table.ask(ARBITER, correct(0, &["e4", "e6"])), None);
    assert_eq!(table.game.must_play(), None);
}

#[test]
fn missing_plies_that_are_inserted_before_the_claim_leave_the_duty() {
    let claimed = || {
        let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
        table.shuffle(1);
        let asked = claim(Claimed::Threefold, Some("Nc3"));
        assert_eq!(table.ask(WHITE, asked), None);
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
        table
    };
    let inserted = ["Nf3", "Nf6", "Ng1", "Ng8", "e4", "e5", "Nc3"];
    let other = ["Nh3", "Nh6", "Ng1", "Ng8", "Nc3"];
    let mut table = claimed();
    assert_eq!(table.ask(ARBITER, correct(0, &other[..4])), None);
    assert!(!broken(&table));
    let must = table.game.must_play().unwrap();
    assert_eq!((must.announced.san(), must.ply), ("Nc3", 5));

    let mut table = claimed();
    table.moves("b1c3");
    assert_eq!(table.ask(ARBITER, correct(4, &other)), None);
    assert!(!broken(&table), "it was made after ply 8");

    let mut table = claimed();
    table.moves("e2e4");
    assert!(broken(&table));
    assert_eq!(table.ask(ARBITER, correct(4, &inserted[..5])), None);
    assert!(broken(&table), "it was not made after ply 8 either");
}

#[test]
fn a_duty_binds_again_when_the_move_before_it_is_settled_again() {
    let mut table = bound_to_e4(Confirm::Arbiter);
    table.input(Input::Withdraw);
    assert_eq!(table.game.must_play(), None);
    table.moves("f6g8");
    assert_eq!(table.game.must_play().unwrap().announced.san(), "e4");
    table.moves("d2d4");
    assert!(broken(&table));

    let mut table = bound_to_e4(Confirm::Arbiter);
    table.input(Input::Withdraw);
    table.moves("f6d5");
    assert_eq!(table.game.must_play(), None, "another position");
    let (uci, clock) = ("f6g8".into(), None);
    table.input(Input::Revise { uci, clock });
    assert_eq!(table.game.must_play().unwrap().announced.san(), "e4");
}

#[test]
fn a_correction_of_what_came_before_the_claim_leaves_the_duty() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.moves("a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6a7 b7c6 a7b8q h7h6");
    let asked = |announced| claim(Claimed::Threefold, Some(announced));
    assert_eq!(table.ask(WHITE, asked("Nf3")), None);
    let knight = correct(8, &["axb8=N", "h6"]);
    assert_eq!(table.ask(ARBITER, knight), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    let must = table.game.must_play().unwrap();
    assert_eq!((must.announced.san(), must.legal), ("Nf3", true));

    // The move was legal all the time: it was the record that was wrong.
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.moves("a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6a7 b7c6 a7b8q h7h6");
    assert_eq!(table.ask(WHITE, asked("Na6")), None);
    let remarks = |table: &Table| table.game.open_claim().unwrap().remarks.clone();
    assert!(remarks(&table).contains(&Remark::AnnouncedMoveIllegal));
    let knight = correct(8, &["axb8=N", "h6"]);
    assert_eq!(table.ask(ARBITER, knight), None);
    assert_eq!(remarks(&table), [Remark::RecordChanged]);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    let must = table.game.must_play().unwrap();
    assert_eq!((must.announced.uci(), must.legal), (Some("b8a6"), true));
}

#[test]
fn what_the_arbiter_has_seen_is_no_news_after_a_correction() {
    let mut table = announced();
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    table.moves("g1f3");
    let acknowledge = |table: &mut Table| {
        let alert = table.alert(AlertCode::AnnouncedMoveNotPlayed).unwrap();
        let alert = alert.id.clone();
        assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
        assert!(!broken(table));
    };
    acknowledge(&mut table);
    for _ in 0..2 {
        assert_eq!(table.ask(ARBITER, correct(0, &["e4", "e5", "Nf3"])), None);
        assert!(!broken(&table), "he knows");
    }
    assert_eq!(table.ask(ARBITER, correct(0, &["e4", "e5", "Nc3"])), None);
    assert!(broken(&table), "another move");
    acknowledge(&mut table);
    assert_eq!(table.ask(ARBITER, correct(2, &[])), None);
    table.moves("b1c3");
    assert!(broken(&table), "made once more");
}

#[test]
fn what_is_announced_and_not_legal_has_no_squares_unless_they_were_given() {
    for (text, uci) in [("Nf6", None), ("g1e5", Some("g1e5"))] {
        let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
        table.shuffle(2);
        let asked = claim(Claimed::Threefold, Some(text));
        assert_eq!(table.ask(WHITE, asked), None);
        let made = table.game.open_claim().unwrap();
        assert_eq!(made.finding, Some(Finding::Incorrect));
        let alert = table.alert(AlertCode::ClaimMade).unwrap();
        assert_eq!(alert.arguments["legal"], "no");
        assert_eq!(alert.arguments["after"], serde_json::json!([]));
        // The arbiter may rule otherwise: then the move is part of the record.
        assert_eq!(table.ask(ARBITER, CORRECT), None);
        let result = table.game.result().unwrap();
        let announced = result.announced.as_ref().unwrap();
        assert_eq!((announced.uci(), announced.san()), (uci, text));
        let json = serde_json::to_value(result).unwrap();
        assert_eq!(json["announced"].get("uci"), uci.map(Into::into).as_ref());
    }
}

#[test]
fn a_journal_that_has_the_text_of_an_illegal_move_in_uci_replays_the_same() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.shuffle(2);
    let mut before = table.game.clone();
    let facts = table.input(Input::Command(Command {
        id: "old".to_owned(),
        role: WHITE,
        by: None,
        if_seq: None,
        unsettled: None,
        verb: claim(Claimed::Threefold, Some("Nf6")),
    }));
    let mut facts = serde_json::to_value(facts).unwrap();
    facts[0]["move"]["uci"] = "Nf6".into();
    let time = Timestamp::from_second(i64::try_from(table.game.seq().get()).unwrap()).unwrap();
    let entry = serde_json::json!({
        "time": time,
        "input": {
            "type": "command", "id": "old", "role": "white", "verb": "claim",
            "arguments": {"kind": "threefold", "move": "Nf6", "written": true},
        },
        "facts": facts,
    });
    let entry: Remembered = serde_json::from_value(entry).unwrap();
    let replayed = before.replay(before.seq() + 1, &entry);
    assert_ne!(replayed.likeness, Likeness::Other);
}

#[test]
fn another_piece_than_that_of_an_illegal_move_breaks_the_announcement() {
    let mut table = under(&laws::FIDE_2023, Confirm::Arbiter);
    table.shuffle(2);
    let asked = claim(Claimed::Threefold, Some("g1e5"));
    assert_eq!(table.ask(WHITE, asked), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    let must = table.game.must_play().unwrap();
    assert_eq!((must.announced.text(), must.legal), ("g1e5", false));
    table.moves("e2e4");
    let alert = table.alert(AlertCode::AnnouncedMoveNotPlayed).unwrap();
    assert_eq!(alert.arguments["legal"], "no");
    table.input(Input::Revise {
        uci: "g1f3".into(),
        clock: None,
    });
    assert!(!broken(&table));
}
