//! What the record of a game keeps: claims, offers that were not refused, bounded texts.

use super::{
    table::{
        ACCEPT, ARBITER, BLACK, CORRECT, INCORRECT, WHITE, claim, correct, offer, under, unwritten,
    },
    *,
};
use remisd_laws as laws;

#[test]
fn claims_that_were_not_written_push_no_other_off_the_record() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    assert_eq!(
        table.ask(WHITE, claim(Claimed::Threefold, Some("Qf3"))),
        None
    );
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    for _ in 0..300 {
        assert_eq!(table.ask(WHITE, unwritten()), None);
    }
    assert_eq!(table.game.claims().len(), 256);
    let first = table.game.claims()[0].clone();
    assert_eq!(first.announced.unwrap().san(), "Qf3");
    assert_eq!(table.ask(WHITE, claim(Claimed::FiftyMove, None)), None);
    assert_eq!(table.game.claims().len(), 256);
    assert_eq!(table.game.open_claim().unwrap().kind, Claimed::FiftyMove);
    assert_eq!(table.game.claims()[0].id, first.id);
}

#[test]
fn a_claim_that_is_refused_takes_nothing_off_the_record() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    for _ in 0..256 {
        assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
    }
    let refused = table.ask(WHITE, claim(Claimed::Threefold, Some("xyzzy")));
    assert_eq!(refused, Some(RefusalCode::BadValue));
    assert_eq!(table.ask(WHITE, unwritten()), None);
    let claims = table.game.claims();
    assert_eq!(claims.len(), 256);
    assert!(claims.iter().all(|claim| claim.ruling.is_some()));
}

#[test]
fn an_offer_stands_again_when_the_move_that_refused_it_was_none() {
    for edition in [&laws::FIDE_1997, &laws::FIDE_2023] {
        let mut table = under(edition, Confirm::Arbiter);
        table.moves("e2e4 e7e5 g1f3");
        assert_eq!(table.ask(WHITE, offer()), None);
        let offered = table.game.standing_offer().cloned();
        table.moves("b8c6 f3g1");
        assert_eq!(table.game.standing_offer(), None);
        table.input(Input::Withdraw);
        assert_eq!(
            table.game.standing_offer(),
            None,
            "this one refused nothing"
        );
        let facts = table.input(Input::Withdraw);
        assert!(facts.contains(&Fact::OfferRestored { by: Side::White }));
        assert_eq!(table.game.standing_offer().cloned(), offered);
        assert_eq!(table.ask(BLACK, ACCEPT), None);
        assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
    }
}

#[test]
fn a_move_that_was_another_one_has_refused_the_offer_all_the_same() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.moves("e7e6");
    let (uci, clock) = ("e7e5".into(), None);
    table.input(Input::Revise { uci, clock });
    assert_eq!(table.game.standing_offer(), None);
}

#[test]
fn a_newer_offer_stands_and_not_the_one_before_it() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.moves("e7e5");
    assert_eq!(table.ask(BLACK, offer()), None);
    table.input(Input::Withdraw);
    assert_eq!(table.game.standing_offer().unwrap().by, Side::Black);
}

#[test]
fn a_touch_before_a_move_that_was_none_can_still_be_voided() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.touch(Side::Black, "e7");
    table.moves("e7e5");
    table.input(Input::Withdraw);
    assert_eq!(
        table.game.standing_offer(),
        None,
        "the touch has refused it"
    );
    let player = Some(Side::Black);
    assert_eq!(table.ask(ARBITER, Verb::Adjust { player }), None);
    assert!(table.game.standing_offer().is_some());
}

#[test]
fn what_was_sent_is_repeated_in_part_only() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let long = || "x".repeat(10_000);
    let moves = vec![long()];
    let headers = || BTreeMap::from([(long(), "x".to_owned())]);
    let new_game = |start_fen, laws| Verb::NewGame {
        start_fen,
        laws,
        rate: None,
        headers: BTreeMap::new(),
    };
    for verb in [
        Verb::Ack { alert: long() },
        Verb::Touch {
            player: Side::Black,
            square: long().into(),
        },
        Verb::Correct { to_ply: 1, moves },
        Verb::Claim {
            player: Some(Side::Black),
            kind: Claimed::Threefold,
            announced: Some(long()),
            written: true,
        },
        Verb::Setup { fen: long() },
        new_game(Some(long()), None),
        new_game(None, Some(long().into())),
        Verb::Headers { headers: headers() },
    ] {
        let id = format!("{}", table.game.seq());
        let message = table.command(&id, ARBITER, verb).message.unwrap();
        assert!(message.len() < 250, "{}: {message}", message.len());
    }
    let player = Some(Side::White);
    let condition = Some(long());
    assert_eq!(table.ask(ARBITER, Verb::Offer { player, condition }), None);
    let offered = table.game.standing_offer().unwrap();
    assert_eq!(offered.condition.as_ref().unwrap().len(), 64);
    let facts = table.input(Input::Move {
        uci: long().into(),
        by: SettledBy::Reply,
        clock: None,
    });
    let [Fact::Refused { reason }] = &facts[..] else {
        panic!("{facts:?}");
    };
    assert!(reason.len() < 250, "{reason}");
}

#[test]
fn a_correction_moves_the_ply_after_which_the_game_was_decided() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let drawn = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, drawn), None);
    for (record, ply) in [(correct(2, &["Nf3", "Nc6"]), 4), (correct(1, &[]), 1)] {
        assert_eq!(table.ask(ARBITER, record), None);
        assert_eq!(table.game.result().unwrap().ply, ply);
    }
    // An end by the Laws, or by a claim, was where it was.
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.ask(ARBITER, correct(8, &["e4"])), None);
    assert_eq!(table.game.result().unwrap().ply, 8);
}
