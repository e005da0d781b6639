//! The game, input by input.

mod accounts;
mod agreements;
mod alerts;
mod announced;
mod claim_and_end;
mod claim_first;
mod claims;
mod dead;
mod dealings;
mod earlier;
mod effects;
mod ends;
mod entered;
mod entries_lost;
mod examined_again;
mod flags;
mod found_later;
mod hand;
mod journals;
mod last_minutes;
mod losses;
mod numbers;
mod offers;
mod offers_and_ends;
mod outages;
mod pairing;
mod pauses;
mod record;
mod rulings;
mod rulings_anew;
mod segments;
mod setup;
mod shown_result;
mod standing;
mod table;
mod touches;
mod unaware;
mod unresolved;
mod unsettled;
mod unwritten;
mod wrong_clock;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::*;
use remisd_dead::Verdict;
use remisd_laws::{AutomaticKind, Finding, Rate};
use remisd_vocabulary::seq::AudienceSeq;
use table::{ARBITER, BLACK, PLAY_ON, ROOK, SHUFFLE, THREEFOLD, Table, WHITE, setup};

#[test]
fn one_alert_for_a_claim_however_long_the_shuffle() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(3);
    let raised = table
        .count(|f| matches!(f, Fact::AlertRaised(a) if a.code == AlertCode::ThreefoldClaimable));
    assert_eq!(raised, 1);
    table.moves("e2e4");
    assert!(table.game.alerts().open().is_empty(), "no claim is left");
}

#[test]
fn fivefold_ends_the_game_and_waits_for_the_arbiters_word() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    let (ply, end) = table.game.ended().unwrap();
    assert_eq!(
        (ply, end.kind, end.article),
        (16, AutomaticKind::Fivefold, "9.6.1")
    );
    assert!(!table.game.result().unwrap().confirmed);
    let alert = table.game.alerts().open()[0].clone();
    assert_eq!((alert.code, alert.level), (AlertCode::Fivefold, Level::Red));

    let answer = table.command("1", Role::Arbiter, Verb::Ack { alert: alert.id });
    assert!(answer.ok);
    assert!(table.game.result().unwrap().confirmed);
    assert_eq!(table.game.tracking(), Tracking::Resting);
}

#[test]
fn an_overlooked_end_is_kept_while_play_continues() {
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(4);
    table.moves("e2e4 e7e5");
    assert_eq!(table.game.ended().unwrap().0, 16);
    let after = table.count(|f| {
        matches!(
            f,
            Fact::MoveMade {
                after_end: true,
                ..
            }
        )
    });
    assert_eq!(after, 2);
    assert_eq!(table.count(|f| matches!(f, Fact::Ended { .. })), 1);
}

#[test]
fn an_end_goes_with_the_ply_that_was_misread() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(table.game.result().unwrap().score, Score::BlackWins);
    table.input(Input::Revise {
        uci: "d8g5".into(),
        clock: None,
    });
    assert_eq!(table.game.ended(), None);
    assert_eq!(table.game.result(), None);
    assert_eq!(table.game.moves()[3].text.san, "Qg5");
}

#[test]
fn a_withdrawn_move_leaves_no_trace_in_the_score() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let facts = table.input(Input::Withdraw);
    assert!(matches!(&facts[0], Fact::MoveRetracted { ply: 2, uci } if uci.to_string() == "e7e5"));
    assert_eq!(table.game.ply(), 1);
    table.input(Input::Withdraw);
    let refused = table.input(Input::Withdraw);
    assert!(matches!(refused[0], Fact::Refused { .. }));
}

#[test]
fn a_verdict_counts_only_for_the_position_it_was_asked_for() {
    let mut table = Table::new(Confirm::Automatic);
    let verdict = |game: &Game, verdict| Input::Dead {
        ply: game.ply(),
        position: game.position_seq(),
        verdict,
        since: None,
        proofs: None,
    };
    let kings = Verb::Setup {
        fen: "8/8/4k3/8/8/3K4/8/8 w - - 0 1".into(),
    };
    assert!(table.command("1", Role::Arbiter, kings).ok);
    let late = verdict(&table.game, Verdict::Dead);
    let array = Verb::Setup {
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
    };
    assert!(table.command("2", Role::Arbiter, array).ok);
    assert!(table.input(late).is_empty(), "both stand at ply 0");
    assert_eq!(table.game.ended(), None);

    table.moves("e2e4");
    let unknown = verdict(&table.game, Verdict::Unknown);
    table.input(unknown);
    assert_eq!(table.game.ended(), None, "unknown ends nothing");
    let dead = verdict(&table.game, Verdict::Dead);
    table.input(dead);
    assert_eq!(table.game.ended().unwrap().1.article, "5.2.2");
}

#[test]
fn headers_are_bounded() {
    let mut table = Table::new(Confirm::Arbiter);
    let many = |from: usize, to: usize| Verb::Headers {
        headers: (from..to)
            .map(|i| (format!("Tag{i}"), "x".to_owned()))
            .collect(),
    };
    assert!(table.command("1", Role::Operator, many(0, 60)).ok);
    let refused = table.command("2", Role::Operator, many(60, 70));
    assert_eq!(refused.code, Some(RefusalCode::BadValue));
    assert_eq!(table.game.headers().len(), 60);
    let long = Verb::Headers {
        headers: BTreeMap::from([("White".to_owned(), "x".repeat(256))]),
    };
    assert_eq!(
        table.command("3", Role::Operator, long).code,
        Some(RefusalCode::BadValue)
    );
}

#[test]
fn a_result_for_another_game_is_refused() {
    let mut table = Table::new(Confirm::Arbiter);
    let before = table.game.number();
    let new_game = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    assert!(table.command("1", Role::Arbiter, new_game).ok);
    let late = Verb::Result {
        score: Score::WhiteWins,
        game: Some(before),
    };
    assert_eq!(
        table.command("2", Role::Arbiter, late).code,
        Some(RefusalCode::Stale)
    );
    assert_eq!(table.game.result(), None);
}

#[test]
fn a_command_is_refused_when_the_board_has_moved_on() {
    let mut table = Table::new(Confirm::Arbiter);
    let seen = AudienceSeq::of_entry(table.game.seq());
    table.moves("e2e4");
    let result = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    let answer = table.command_at("1", Role::Arbiter, result.clone(), Some(seen));
    assert_eq!(answer.code, Some(RefusalCode::Stale));
    assert_eq!(table.game.result(), None);
    let seen = AudienceSeq::of_entry(table.game.seq());
    assert!(table.command_at("2", Role::Arbiter, result, Some(seen)).ok);
    assert_eq!(
        table.game.answer(Role::Arbiter, "1").unwrap().code,
        Some(RefusalCode::Stale)
    );
}

#[test]
fn a_new_game_leaves_the_unfinished_one_and_numbers_itself() {
    let mut table = Table::new(Confirm::Arbiter);
    let first = table.game.number();
    table.moves("e2e4");
    let verb = Verb::NewGame {
        start_fen: Some("nonsense".into()),
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    let refused = table.command("1", Role::Arbiter, verb);
    assert_eq!(refused.code, Some(RefusalCode::BadValue));
    assert_eq!(table.game.ply(), 1, "nothing has changed");

    let verb = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: Some(Rate::Blitz),
        headers: BTreeMap::from([("White".to_owned(), "A".to_owned())]),
    };
    assert!(table.command("2", Role::Operator, verb).ok);
    assert_eq!(
        table.count(|f| matches!(f, Fact::GameLeft { ply: 1, .. })),
        1
    );
    assert!(table.game.number() > first);
    assert_eq!((table.game.ply(), table.game.rate()), (0, Rate::Blitz));
}

#[test]
fn a_game_that_is_left_during_a_mismatch_states_where_it_began() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.input(Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 0,
    });
    assert_eq!(table.game.uncertain_since(), Some(3));
    let verb = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    assert!(table.command("1", Role::Operator, verb).ok);
    let left = |f: &Fact| {
        matches!(
            f,
            Fact::GameLeft {
                ply: 2,
                uncertain_since: Some(3),
                ..
            }
        )
    };
    assert_eq!(table.count(left), 1);
    assert_eq!(table.game.uncertain_since(), None);
}

#[test]
fn settled_plies_that_the_board_speaks_against_are_uncertain_with_what_follows() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    let mut differs = |doubted| {
        table.input(Input::Mismatch {
            reason: MismatchReason::NoLegalMove,
            squares: Vec::new(),
            candidates: Vec::new(),
            doubted,
        });
        let alert = table.alert(AlertCode::BoardMismatch).unwrap();
        assert_eq!(alert.arguments["since_ply"], 4, "what is not settled");
        (
            table.game.uncertain_since(),
            alert
                .arguments
                .get("doubted_since")
                .map(|ply| ply.as_u64().unwrap()),
        )
    };
    assert_eq!(differs(0), (Some(4), None));
    assert_eq!(differs(2), (Some(2), Some(2)));
    assert_eq!(differs(100), (Some(1), Some(1)), "there are no more");
    table.input(Input::Agreed);
    assert_eq!(table.game.uncertain_since(), None);
}

#[test]
fn a_withdrawn_result_lets_the_game_go_on() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let draw = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    assert!(table.command("1", Role::Arbiter, draw).ok);
    assert!(table.game.status().is_closed());
    assert!(table.command("2", Role::Arbiter, PLAY_ON).ok);
    assert!(!table.game.status().is_closed());
    table.moves("e7e5");
}

#[test]
fn the_same_inputs_make_the_same_facts() {
    let play = || {
        let mut table = Table::new(Confirm::Arbiter);
        table.shuffle(4);
        table.facts
    };
    assert_eq!(play(), play());
}
