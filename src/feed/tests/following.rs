//! A game that grows is followed ply by ply.

use remisd_game::{AlertCode, Cause, ClockState, Fact, Game, Input, Rules, SettledBy, Side, Sign};

use super::{super::Follower, Board};

/// As `LiveChess` 2.2 writes it: times padded and folded inside the comment, `emt` apart.
const LIVECHESS: &str = "[ePGN \"0.1;DGT LiveChess/2.2.6\"]\n[Event \"Open\"]\n[Site \"Utrecht, NED\"]\n\
    [Date \"????.??.??\"]\n[Round \"1.10\"]\n[White \"Smit, A\"]\n[Black \"Jansen, P\"]\n[Result \"*\"]\n\
    [TimeControl \"15 min/game + 10 sec/move\"]\n\n1. d4 {[%clk 00:15:09]} d5 {[%clk 00:15:07]} \
    {[%emt 00:00:14]} 2. c4 {[%clk\n00:15:02]} {[%emt 00:00:17]} e6 {[%clk 00:14:51]} *\n\n";

#[test]
fn each_ply_is_entered_as_written_with_the_clock_after_it() {
    let mut board = Board::new();
    board.reads(LIVECHESS);
    assert_eq!(board.sans(), "d4 d5 c4 e6");
    let moves = board.game.moves();
    assert!(moves.iter().all(|m| m.by == Some(SettledBy::Source)));
    let clock = ClockState {
        white_ms: 902_000,
        black_ms: 907_000,
        running: Some(Side::Black),
        flag: None,
    };
    assert_eq!(moves[2].clock, Some(clock));
    assert_eq!(board.game.headers()["White"], "Smit, A");
    assert_eq!(board.game.headers().get("Date"), None);
    assert_eq!(board.game.source().unwrap().name, "DGT LiveChess 2.2.6");
    assert_eq!(board.game.uncertain_since(), None);
}

#[test]
fn the_same_text_again_changes_nothing_also_after_a_restart() {
    let mut board = Board::new();
    board.reads(LIVECHESS);
    assert_eq!(board.reads(LIVECHESS), 0);
    board.restarts();
    assert_eq!(board.reads(LIVECHESS), 0);
}

#[test]
fn nothing_a_source_writes_counts_as_a_touched_piece() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 *");
    assert!(
        board
            .game
            .moves()
            .iter()
            .all(|m| m.by == Some(SettledBy::Source))
    );
    assert_eq!(board.game.touched(), []);
}

#[test]
fn a_claim_is_known_as_soon_as_the_source_has_the_ply() {
    let mut board = Board::new();
    board.reads("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 *");
    let appeared = |board: &Board| {
        let claims = &board.game.draw().claims;
        claims
            .iter()
            .any(|claim| matches!(claim.basis, remisd_laws::Basis::Appeared))
    };
    assert!(!appeared(&board));
    board.reads("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *");
    assert!(board.alert(AlertCode::ThreefoldClaimable).is_some());
    board.reads(
        "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8 *",
    );
    assert!(board.alert(AlertCode::Fivefold).is_some());
}

#[test]
fn plies_without_a_time_among_timed_ones_are_in_doubt() {
    let mut board = Board::new();
    let timed = "1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} 2. Nf3 {[%clk 1:29:30]}";
    board.reads(&format!("{timed} Nc6 *"));
    // The newest ply may get its time later.
    assert_eq!(board.game.uncertain_since(), None);
    board.reads(&format!("{timed} Nc6 3. Bb5 a6 {{[%clk 1:28:00]}} *"));
    assert_eq!(board.game.uncertain_since(), Some(4));
    let alert = board.alert(AlertCode::SourceUncertain).unwrap();
    assert_eq!(
        alert.arguments["after"],
        serde_json::json!(["2…Nc6", "3.Bb5"])
    );
    assert!(board.game.moves()[3].clock.is_none());
}

#[test]
fn a_source_without_any_times_leaves_no_doubt() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nc6 *");
    assert_eq!(board.game.uncertain_since(), None);
}

#[test]
fn a_word_that_is_no_legal_move_is_named_and_the_plies_before_it_stand() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Ke3 Nc6 *");
    assert_eq!(board.sans(), "e4 e5");
    let alert = board.alert(AlertCode::SourceUncertain).unwrap();
    assert_eq!(alert.arguments["word"], "Ke3");
    assert_eq!(alert.arguments["after"], "1…e5");
    assert_eq!(board.game.uncertain_since(), Some(3));
    board.reads("1. e4 e5 2. Ke2 Nc6 *");
    assert_eq!(board.sans(), "e4 e5 Ke2 Nc6");
    assert_eq!(board.game.uncertain_since(), None);
}

#[test]
fn kings_put_to_the_centre_are_a_result_and_no_moves() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Kd5 Ke4 1-0");
    assert_eq!(board.sans(), "e4 e5");
    assert_eq!(board.alert(AlertCode::SourceUncertain), None);
    let proposed = board.game.proposed_result().unwrap();
    assert_eq!(proposed.sign, Sign::Source);
}

#[test]
fn legal_king_moves_to_the_centre_before_a_result_are_in_doubt() {
    let mut board = Board::new();
    let start = "[FEN \"8/8/4k3/8/8/3K4/8/R7 w - - 0 1\"]\n\n";
    board.reads(&format!("{start}1. Kd4 *"));
    board.settles();
    assert_eq!(board.sans(), "Kd4");
    assert_eq!(board.game.uncertain_since(), None);
    board.reads(&format!("{start}1. Kd4 1-0"));
    assert_eq!(board.game.uncertain_since(), Some(1));
}

#[test]
fn a_result_is_proposed_once_and_the_clock_stops() {
    let mut board = Board::new();
    board.reads("1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} *");
    assert_eq!(board.game.clock().unwrap().running, Some(Side::White));
    board.reads("1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} 0-1");
    assert_eq!(board.game.clock().unwrap().running, None);
    let alert = board.alert(AlertCode::ResultProposed).unwrap();
    assert_eq!(alert.arguments["winner"], "black");
    let id = alert.id.clone();
    board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
    assert_eq!(board.alert(AlertCode::ResultProposed), None);
    assert_eq!(board.follow(), 0);
    board.reads("1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} 1/2-1/2");
    assert_eq!(
        board.alert(AlertCode::ResultProposed).unwrap().arguments["winner"],
        "draw"
    );
}

#[test]
fn a_result_that_the_board_shows_is_not_proposed() {
    let mut board = Board::new();
    board.reads("1. f3 e5 2. g4 Qh4# 0-1");
    assert_eq!(board.alert(AlertCode::ResultProposed), None);
    assert!(board.alert(AlertCode::GameOver).is_some());
}

#[test]
fn a_corrected_name_stays_in_the_game_and_two_new_names_begin_another() {
    let mut board = Board::new();
    board.reads("[White \"Smit, A\"]\n[Black \"Jansen, P\"]\n\n1. e4 e5 *");
    let number = board.game.number();
    board.reads("[White \"Smit, Anna\"]\n[Black \"Jansen, P\"]\n\n1. e4 e5 2. Nf3 *");
    assert_eq!(board.game.number(), number);
    assert_eq!(board.game.headers()["White"], "Smit, Anna");
    assert_eq!(board.sans(), "e4 e5 Nf3");
    board.reads("[White \"Visser, C\"]\n[Black \"Bakker, D\"]\n\n1. d4 *");
    assert_eq!(board.sans(), "e4 e5 Nf3");
    board.settles();
    assert!(board.game.number() > number);
    assert_eq!(board.sans(), "d4");
}

#[test]
fn a_new_round_begins_a_game_with_its_start_and_tags() {
    let mut board = Board::new();
    board.reads("[Round \"1.4\"]\n\n1. e4 e5 *");
    board.reads("[Round \"2.4\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\n1. Rb1 *");
    board.settles();
    assert_eq!(board.sans(), "Rb1");
    assert_eq!(board.game.headers()["Round"], "2.4");
    let begun = board
        .inputs
        .iter()
        .rev()
        .find_map(|stamped| match &stamped.input {
            Input::NewGame { cause, .. } => Some(*cause),
            _ => None,
        });
    assert_eq!(begun, Some(Cause::Source));
}

#[test]
fn masked_names_in_the_record_begin_no_other_game() {
    let mut board = Board::new();
    let text = "[White \"Smit, A\"]\n[Black \"Jansen, P\"]\n\n1. e4 e5 *";
    board.reads(text);
    let number = board.game.number();
    let mut again = Game::new(Rules::default());
    for stamped in &board.inputs {
        let mut json = serde_json::to_value(&stamped.input).unwrap();
        remisd_pgn::names::mask_headers(&mut json);
        let mut stamped = stamped.clone();
        stamped.input = serde_json::from_value(json).unwrap();
        again.apply(&stamped);
    }
    assert_eq!(again.headers()["White"], "?");
    board.game = again;
    board.follower = Follower::default();
    board.reads(text);
    board.settles();
    assert_eq!(board.game.number(), number);
}

#[test]
fn a_closed_game_takes_no_further_plies() {
    let mut board = Board::new();
    board.reads("1. f3 e5 2. g4 Qh4# 0-1");
    let id = board.alert(AlertCode::GameOver).unwrap().id.clone();
    let facts = board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
    assert!(
        facts
            .iter()
            .any(|fact| matches!(fact, Fact::ResultConfirmed { .. }))
    );
    board.reads("1. f3 e5 2. g4 d5 *");
    board.settles();
    assert_eq!(board.sans(), "f3 e5 g4 Qh4#");
    assert_eq!(board.game.uncertain_since(), Some(4));
}

#[test]
fn moves_that_come_after_the_result_was_entered_are_in_doubt_until_the_arbiter_takes_them() {
    let mut board = Board::new();
    board.reads("1. e4 e5 *");
    board.commands("arbiter", "result", &serde_json::json!({ "score": "1-0" }));
    assert_eq!(board.game.uncertain_since(), None);
    board.reads("1. e4 e5 2. Nf3 Nc6 1-0");
    assert_eq!(board.sans(), "e4 e5");
    let alert = board.alert(AlertCode::SourceUncertain).unwrap();
    assert_eq!(alert.arguments["after"], "1…e5");
    assert_eq!(alert.arguments["line"], "Nf3 Nc6");
    assert_eq!(board.game.uncertain_since(), Some(3));
    board.restarts();
    board.settles();
    let moves = serde_json::json!({ "to_ply": 2, "moves": ["Nf3", "Nc6"] });
    board.commands("arbiter", "correct", &moves);
    board.follow();
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6");
    assert_eq!(board.game.uncertain_since(), None);
    assert_eq!(board.alert(AlertCode::SourceUncertain), None);
}

#[test]
fn kings_put_to_the_centre_after_the_result_was_entered_are_no_missing_moves() {
    let mut board = Board::new();
    let start = "[FEN \"8/8/4k3/8/8/3K4/8/R7 w - - 0 1\"]\n\n1. Ra2 Kd6";
    board.reads(&format!("{start} *"));
    board.settles();
    board.commands("arbiter", "result", &serde_json::json!({ "score": "1-0" }));
    board.reads(&format!("{start} 2. Ke4 1-0"));
    assert_eq!(board.sans(), "Ra2 Kd6");
    assert_eq!(board.game.uncertain_since(), None);
    assert_eq!(board.alert(AlertCode::SourceUncertain), None);
    // A move before them is missing.
    board.reads(&format!("{start} 2. Ra3 Kc6 3. Kd4 1-0"));
    assert_eq!(board.game.uncertain_since(), Some(3));
}

#[test]
fn a_correction_after_the_result_that_changes_nothing_leaves_out_what_the_players_analyse() {
    let mut board = Board::new();
    board.reads("1. e4 e5 *");
    board.commands("arbiter", "result", &serde_json::json!({ "score": "1-0" }));
    board.reads("1. e4 e5 2. Nf3 Nc6 1-0");
    assert_eq!(board.game.uncertain_since(), Some(3));
    let nothing = serde_json::json!({ "to_ply": 2, "moves": [] });
    board.commands("arbiter", "correct", &nothing);
    board.follow();
    board.restarts();
    // They go on, and try another move.
    for text in [
        "1. e4 e5 2. Nf3 Nc6 1-0",
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 1-0",
        "1. e4 e5 2. d4 1-0",
    ] {
        board.reads(text);
        board.settles();
        assert_eq!(board.sans(), "e4 e5");
        assert_eq!(board.game.uncertain_since(), None, "{text}");
        assert_eq!(board.alert(AlertCode::SourceUncertain), None, "{text}");
    }
    // What the source has otherwise is a difference as before.
    board.reads("1. e4 c5 2. d4 1-0");
    assert_eq!(board.game.uncertain_since(), Some(2));
    board.reads("1. d4 *");
    board.settles();
    assert_eq!(board.sans(), "d4");
    assert_eq!(board.game.uncertain_since(), None);
}

#[test]
fn a_correction_before_the_result_leaves_the_plies_in_doubt_that_are_left_out() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 *");
    board.commands("arbiter", "correct", &serde_json::json!({ "to_ply": 3 }));
    board.follow();
    board.commands("arbiter", "result", &serde_json::json!({ "score": "1-0" }));
    board.follow();
    assert_eq!(board.game.uncertain_since(), Some(4));
    board.commands("arbiter", "correct", &serde_json::json!({ "to_ply": 3 }));
    board.follow();
    assert_eq!(board.game.uncertain_since(), None);
}

#[test]
fn a_result_that_is_withdrawn_lets_the_moves_in_that_came_after_it() {
    let mut board = Board::new();
    board.reads("1. e4 e5 *");
    board.commands("arbiter", "result", &serde_json::json!({ "score": "1-0" }));
    board.reads("1. e4 e5 2. Nf3 Nc6 *");
    board.commands("arbiter", "result", &serde_json::json!({ "score": "*" }));
    board.follow();
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6");
    assert_eq!(board.game.uncertain_since(), None);
}

#[test]
fn moves_after_an_end_by_the_laws_are_no_moves_of_the_game() {
    let mut board = Board::new();
    let text = "Nf3 Nf6 Ng1 Ng8 ".repeat(4);
    board.reads(&format!("{text} *"));
    let id = board.alert(AlertCode::Fivefold).unwrap().id.clone();
    board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
    assert!(board.game.is_at_rest());
    board.reads(&format!("{text} e4 *"));
    assert_eq!(board.game.ply(), 16);
    assert_eq!(board.game.uncertain_since(), None);
    assert_eq!(board.alert(AlertCode::SourceUncertain), None);
}

#[test]
fn a_king_word_in_a_running_game_is_unreadable() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Ke4 *");
    let alert = board.alert(AlertCode::SourceUncertain).unwrap();
    assert_eq!(alert.arguments["word"], "Ke4");
}

#[test]
fn a_game_that_may_be_another_boards_is_in_doubt_until_the_arbiter_has_seen_it() {
    let mut board = Board::new();
    board.reads("1. e4 e5 *");
    assert_eq!(board.alert(AlertCode::SourceUncertain), None);
    for _ in 0..2 {
        board.shares_number = true;
        board.reads("1. e4 e5 *");
        let alert = board.alert(AlertCode::SourceUncertain).unwrap();
        assert_eq!(alert.arguments["doubt"], "number");
        assert_eq!(board.game.uncertain_since(), Some(1));
        let id = alert.id.clone();
        board.restarts();
        assert_eq!(board.sees(false), 0);
        board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
        assert_eq!(board.alert(AlertCode::SourceUncertain), None);
        assert_eq!(board.game.uncertain_since(), None);
        // The source has one such game again, and later two.
        board.shares_number = false;
        board.reads("1. e4 e5 *");
    }
    assert_eq!(board.sans(), "e4 e5");
}

#[test]
fn an_acknowledged_guess_is_settled_and_the_next_doubt_alerts_again() {
    let mut board = Board::new();
    let text = "1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} 2. Nf3 Nc6 {[%clk 1:28:00]}";
    board.reads(&format!("{text} *"));
    let id = board.alert(AlertCode::SourceUncertain).unwrap().id.clone();
    board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
    assert_eq!(board.game.uncertain_since(), None);
    assert_eq!(board.alert(AlertCode::SourceUncertain), None);
    board.reads(&format!("{text} 3. Bb5 a6 {{[%clk 1:27:00]}} *"));
    assert_eq!(board.game.uncertain_since(), Some(5));
    let next = board.alert(AlertCode::SourceUncertain).unwrap();
    assert_eq!((next.acknowledged_by.clone(), next.id == id), (None, false));
}

#[test]
fn a_time_that_comes_after_its_move_is_shown() {
    let mut board = Board::new();
    board.reads("1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} 2. Nf3 *");
    board.reads("1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} 2. Nf3 {[%clk 1:28:30]} *");
    let clock = board.game.clock().unwrap();
    assert_eq!(
        (clock.white_ms, clock.running),
        (5_310_000, Some(Side::Black))
    );
    assert_eq!(
        board.reads("1. e4 {[%clk 1:30:00]} e5 {[%clk 1:29:00]} 2. Nf3 {[%clk 1:28:30]} *"),
        0
    );
}

#[test]
fn tags_that_may_reveal_more_than_the_moves_are_left_out() {
    let mut board = Board::new();
    board.reads(
        "[White \"Smit, A\"]\n[PlyCount \"47\"]\n[Termination \"Jansen resigns\"]\n\
         [CurrentPosition \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n[WhiteClock \"1:00:00\"]\n\n1. e4 *",
    );
    let names: Vec<&String> = board.game.headers().keys().collect();
    assert_eq!(names, ["White"]);
}

#[test]
fn a_result_that_the_source_withdraws_is_no_longer_proposed() {
    let mut board = Board::new();
    board.reads("1. e4 e5 1-0");
    assert!(board.game.proposed_result().is_some());
    board.reads("1. e4 e5 2. Nf3 *");
    assert_eq!(board.game.proposed_result(), None);
    board.reads("1. e4 e5 2. Nf3 1-0");
    assert!(board.game.proposed_result().is_some());
}

#[test]
fn a_declined_result_does_not_come_back_after_a_restart() {
    let mut board = Board::new();
    board.reads("1. e4 e5 1-0");
    let id = board.alert(AlertCode::ResultProposed).unwrap().id.clone();
    board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
    board.restarts();
    board.reads("1. e4 e5 1-0");
    assert_eq!(board.alert(AlertCode::ResultProposed), None);
}

#[test]
fn a_result_is_proposed_again_when_its_moves_have_changed() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 1-0");
    board.reads("1. e4 e5 2. Nf3 Nc6 1-0");
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6");
    assert!(board.game.proposed_result().is_some());
}
