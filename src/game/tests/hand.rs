//! What the hand shows besides moves: results shown, dead squares, gaps, several lines.

use super::*;

fn propose(table: &mut Table, winner: Option<Side>) -> Vec<Fact> {
    let sign = Sign::Kings;
    table.input(Input::ResultProposed { winner, sign })
}

fn enter(table: &mut Table, id: &str, score: Score) {
    let verb = Verb::Result { score, game: None };
    assert!(table.command(id, Role::Arbiter, verb).ok);
}

fn settle(table: &mut Table, uci: &str, by: SettledBy) {
    let (uci, clock) = (uci.into(), None);
    table.input(Input::Move { uci, by, clock });
}

#[test]
fn a_result_that_is_shown_waits_for_the_arbiter() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let facts = propose(&mut table, Some(Side::Black));
    assert!(
        matches!(facts[..], [Fact::ResultProposed(_), Fact::AlertRaised(_)]),
        "{facts:?}"
    );
    assert!(propose(&mut table, Some(Side::Black)).is_empty(), "no news");
    let raised = table.alert(AlertCode::ResultProposed).unwrap();
    assert_eq!(raised.level, Level::Amber);
    assert_eq!(raised.arguments["winner"], "black");
    assert_eq!(table.game.result(), None);
    assert_eq!(table.game.tracking(), Tracking::Resting);
    enter(&mut table, "1", Score::won_by(shakmaty::Color::Black));
    assert_eq!(table.game.proposed_result(), None);
    assert_eq!(table.alert(AlertCode::ResultProposed), None);
}

#[test]
fn a_result_that_is_shown_and_acknowledged_leaves_the_game_open() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    propose(&mut table, None);
    let raised = table.alert(AlertCode::ResultProposed).unwrap();
    let ack = Verb::Ack { alert: raised.id };
    assert!(table.command("1", Role::Arbiter, ack).ok);
    assert_eq!(
        table.count(|f| matches!(f, Fact::ProposalDeclined { .. })),
        1
    );
    assert_eq!(table.alert(AlertCode::ResultProposed), None);
    assert_eq!(table.game.tracking(), Tracking::Following);
    table.moves("e7e5");
}

#[test]
fn a_correction_a_set_up_and_a_new_game_end_a_proposal() {
    let verbs = [
        Verb::Correct {
            to_ply: 1,
            moves: Vec::new(),
        },
        setup(ROOK),
        Verb::NewGame {
            start_fen: None,
            laws: None,
            rate: None,
            headers: BTreeMap::new(),
        },
    ];
    for verb in verbs {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        propose(&mut table, None);
        assert!(table.command("1", Role::Arbiter, verb).ok);
        assert_eq!(table.game.proposed_result(), None);
    }
}

#[test]
fn only_a_result_that_contradicts_the_games_own_raises_an_alert() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    enter(&mut table, "1", Score::Draw);
    assert!(propose(&mut table, None).is_empty());
    propose(&mut table, Some(Side::White));
    let raised = table.alert(AlertCode::ResultProposed).unwrap();
    assert_eq!(raised.arguments["result"], "1/2-1/2");
    let ack = Verb::Ack { alert: raised.id };
    assert!(table.command("2", Role::Arbiter, ack).ok);
    assert_eq!(table.game.result().unwrap().score, Score::Draw);
    assert_eq!(table.alert(AlertCode::ResultProposed), None);
}

#[test]
fn squares_that_are_not_listened_to_are_named_until_they_are_again() {
    let mut table = Table::new(Confirm::Arbiter);
    let squares = vec![shakmaty::Square::C6];
    table.input(Input::Faulty { squares });
    let raised = table.alert(AlertCode::SensorsFaulty).unwrap();
    assert_eq!(raised.level, Level::Grey);
    assert_eq!(table.game.faulty_squares(), [shakmaty::Square::C6]);
    table.input(Input::Faulty { squares: vec![] });
    assert_eq!(table.alert(AlertCode::SensorsFaulty), None);
}

#[test]
fn plies_of_an_outage_keep_their_alert_until_it_is_acknowledged() {
    let mut table = Table::new(Confirm::Arbiter);
    settle(&mut table, "e2e4", SettledBy::Reconstructed);
    settle(&mut table, "e7e5", SettledBy::Reconstructed);
    settle(&mut table, "g1f3", SettledBy::Clock);
    let raised = table.alert(AlertCode::PliesReconstructed).unwrap();
    assert_eq!(raised.arguments["plies"], serde_json::json!([1, 2]));
    let ack = Verb::Ack { alert: raised.id };
    assert!(table.command("1", Role::Arbiter, ack).ok);
    assert_eq!(table.alert(AlertCode::PliesReconstructed), None);
    assert!(table.game.moves()[0].is_reconstructed());
}

#[test]
fn an_assumed_promotion_keeps_its_alert_until_it_is_acknowledged_or_corrected() {
    for ends in ["ack", "correct"] {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("a2a4 b7b5 a4b5 a7a6 b5a6 c8b7 a6b7 h7h6");
        assert_eq!(table.game.assumed_since(), None);
        settle(&mut table, "b7a8q", SettledBy::Assumed);
        settle(&mut table, "h6h5", SettledBy::Clock);
        let raised = table.alert(AlertCode::PromotionAssumed).unwrap();
        assert_eq!(raised.level, Level::Amber);
        assert_eq!(raised.arguments["plies"], serde_json::json!([9]));
        assert_eq!(raised.arguments["moves"], serde_json::json!(["bxa8=Q"]));
        assert_eq!(table.game.assumed_since(), Some(9));
        let verb = if ends == "ack" {
            Verb::Ack { alert: raised.id }
        } else {
            let moves = vec!["bxa8=R".to_owned(), "h5".to_owned()];
            Verb::Correct { to_ply: 8, moves }
        };
        assert!(table.command("1", Role::Arbiter, verb).ok, "{ends}");
        assert_eq!(table.alert(AlertCode::PromotionAssumed), None, "{ends}");
        assert_eq!(table.game.assumed_since(), None, "{ends}");
        assert_eq!(table.game.ply(), 10);
    }
}

#[test]
fn a_gap_in_the_run_of_moves_leaves_a_claim_to_the_arbiter() {
    use super::table::claim;
    for (by, finding) in [
        (SettledBy::Clock, Finding::Correct),
        (SettledBy::Reconstructed, Finding::ArbiterDecides),
    ] {
        let mut table = Table::new(Confirm::Arbiter);
        settle(&mut table, "g1f3", by);
        table.moves("g8f6 f3g1 f6g8");
        table.moves(SHUFFLE);
        let verb = claim(Claimed::Threefold, None);
        assert!(table.command("1", Role::White, verb).ok);
        assert_eq!(table.game.open_claim().unwrap().finding, Some(finding));
    }
}

#[test]
fn several_lines_are_reported_in_san_from_the_first_ply_that_is_not_announced() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let line = |text: &str| text.split(' ').map(Into::into).collect();
    table.input(Input::Mismatch {
        reason: MismatchReason::Ambiguous,
        squares: Vec::new(),
        candidates: vec![line("g1f3 b8c6"), line("b1c3 b8c6")],
        doubted: 0,
    });
    let raised = table.alert(AlertCode::BoardMismatch).unwrap();
    let expected = serde_json::json!(["Nf3 Nc6", "Nc3 Nc6"]);
    assert_eq!(raised.arguments["candidates"], expected);
    assert_eq!(raised.arguments["since_ply"], 3);
    assert_eq!(raised.arguments["after"], "1…e5");
    table.input(Input::Agreed);
    assert_eq!(table.alert(AlertCode::BoardMismatch), None);
}

#[test]
fn a_wrong_starting_position_for_the_next_game_says_nothing_of_the_one_that_is_over() {
    let wrong_start = || Input::Mismatch {
        reason: MismatchReason::StartArray,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 1,
    };
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    enter(&mut table, "1", Score::Draw);
    table.input(wrong_start());
    let raised = table.alert(AlertCode::BoardMismatch).unwrap();
    assert_eq!(raised.level, Level::Amber);
    assert_eq!(raised.arguments["reason"], "start_array");
    assert!(!raised.arguments.contains_key("doubted_since"));
    assert_eq!(table.game.uncertain_since(), None);
    assert_eq!(table.game.tracking(), Tracking::Resting);
    // The arbiter corrects the game that is over.
    let verb = Verb::Correct {
        to_ply: 1,
        moves: vec!["c5".to_owned()],
    };
    assert!(table.command("2", Role::Arbiter, verb).ok);
    assert!(table.alert(AlertCode::BoardMismatch).is_some());
    table.input(Input::Start {
        version: String::new(),
        rules: None,
    });
    assert!(table.alert(AlertCode::BoardMismatch).is_some());
    table.input(Input::Agreed);
    assert_eq!(table.alert(AlertCode::BoardMismatch), None);

    table.input(wrong_start());
    table.input(Input::NewGame {
        start_fen: None,
        laws: "fide-2023".into(),
        rate: Rate::Standard,
        headers: BTreeMap::new(),
        cause: Cause::StartArray,
    });
    assert_eq!(table.alert(AlertCode::BoardMismatch), None);
}

#[test]
fn the_time_of_a_move_that_was_read_before_the_press_is_that_of_the_press() {
    let shows = |white_ms, running| ClockState {
        white_ms,
        black_ms: 300_000,
        running,
        flag: None,
    };
    let mut table = Table::new(Confirm::Arbiter);
    table.input(Input::Move {
        uci: "e2e4".into(),
        by: SettledBy::StoodStill,
        clock: Some(shows(290_000, Some(Side::White))),
    });
    let read = |table: &mut Table, white_ms, running| {
        let clock = Some(shows(white_ms, running));
        table.input(Input::Clock { clock });
        table.game.moves()[0].clock.unwrap().white_ms
    };
    let (on, pressed) = (Some(Side::White), Some(Side::Black));
    assert_eq!(read(&mut table, 289_000, on), 290_000, "it goes on");
    // Stopped, set, and started for the other player: that is not a press.
    assert_eq!(read(&mut table, 289_000, None), 290_000);
    assert_eq!(read(&mut table, 409_000, None), 290_000);
    assert_eq!(read(&mut table, 409_000, pressed), 290_000);
    assert_eq!(read(&mut table, 408_000, on), 290_000);
    assert_eq!(read(&mut table, 438_000, pressed), 438_000);
    // What is set later has nothing to do with the move.
    assert_eq!(read(&mut table, 900_000, pressed), 438_000);
}

#[test]
fn a_press_may_be_reported_with_the_reply_by_a_separate_clock_or_after_the_game() {
    let shows = |white_ms, black_ms, running| ClockState {
        white_ms,
        black_ms,
        running: Some(running),
        flag: None,
    };
    let play = |table: &mut Table, uci: &str, clock| {
        table.input(Input::Move {
            uci: uci.into(),
            by: SettledBy::Reply,
            clock: Some(clock),
        });
    };
    let mut table = Table::new(Confirm::Arbiter);
    play(&mut table, "f2f3", shows(290_000, 300_000, Side::White));
    play(&mut table, "e7e5", shows(320_000, 299_000, Side::Black));
    let white_ms = |table: &Table| table.game.moves()[0].clock.unwrap().white_ms;
    assert_eq!(white_ms(&table), 320_000);
    // A separate clock.
    let black_ms = |table: &Table, ply: usize| table.game.moves()[ply].clock.unwrap().black_ms;
    let verb = Verb::ClockState {
        clock: shows(320_000, 328_000, Side::White),
        adjusted: None,
    };
    assert!(table.command("1", Role::Clock, verb).ok);
    assert_eq!(black_ms(&table, 1), 328_000);
    play(&mut table, "g2g4", shows(310_000, 328_000, Side::Black));
    play(&mut table, "d8h4", shows(310_000, 320_000, Side::Black));
    // Mate: then the clock is set for the next game, and started.
    let next = Some(shows(600_000, 600_000, Side::White));
    table.input(Input::Clock { clock: next });
    assert_eq!(black_ms(&table, 3), 320_000);
}
