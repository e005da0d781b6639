//! A source that changes what it has said.

use remisd_game::{AlertCode, Level};

use super::Board;

#[test]
fn a_game_that_shrinks_for_a_moment_is_doubted_and_keeps_its_plies() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 *");
    board.reads("1. e4 *");
    assert_eq!(board.sans(), "e4 e5 Nf3");
    assert_eq!(board.game.uncertain_since(), Some(2));
    board.reads("1. e4 e5 2. Nf3 Nc6 *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6");
    assert_eq!(board.game.uncertain_since(), None);
    assert_eq!(board.alert(AlertCode::SourceRewritten), None);
}

#[test]
fn a_source_that_stays_with_other_moves_is_followed_and_both_versions_are_shown() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 *");
    board.reads("1. e4 e5 2. Nf3 Nc6 3. Bb5 *");
    let doubt = board.alert(AlertCode::SourceUncertain).unwrap();
    assert_eq!(doubt.arguments["after"], "2.Nf3");
    assert_eq!(doubt.arguments["line"], "Nc6 Bb5");
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5");
    assert_eq!(board.game.uncertain_since(), None);
    let alert = board.alert(AlertCode::SourceRewritten).unwrap();
    assert_eq!(
        (&alert.arguments["was"], &alert.arguments["now"]),
        (&"2…Nf6".into(), &"2…Nc6 3.Bb5".into())
    );
    assert_eq!(alert.level, Level::Amber);
    let id = alert.id.clone();
    board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
    assert_eq!(board.alert(AlertCode::SourceRewritten), None);
}

#[test]
fn moves_taken_back_after_a_claim_alert_the_arbiter_in_red() {
    let mut board = Board::new();
    let text = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8";
    board.reads(&format!("{text} *"));
    let claim = serde_json::json!({ "kind": "threefold" });
    board.commands("white", "claim", &claim);
    board.reads("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 *");
    board.settles();
    let alert = board.alert(AlertCode::SourceRewritten).unwrap();
    assert_eq!(alert.level, Level::Red);
    assert_eq!(alert.arguments["now"], "");
}

#[test]
fn every_rewriting_has_its_own_alert_up_to_sixteen() {
    let mut board = Board::new();
    for round in 0..20 {
        let reply = if round % 2 == 0 { "e5" } else { "c5" };
        board.reads(&format!("1. e4 {reply} *"));
        board.settles();
        assert_eq!(board.sans(), format!("e4 {reply}"));
    }
    let open = board.game.alerts().open().iter();
    let rewritten = open.filter(|alert| alert.code == AlertCode::SourceRewritten);
    assert_eq!(rewritten.count(), 16);
}

#[test]
fn the_arbiters_correction_stands_while_the_source_goes_on() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 *");
    let moves = serde_json::json!({ "to_ply": 3, "moves": ["Nc6"] });
    board.commands("arbiter", "correct", &moves);
    board.follow();
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6");
    assert_eq!(board.game.uncertain_since(), Some(4));
    board.reads("1. e4 e5 2. Nf3 Nf6 3. Bb5 a6 *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5 a6");
    assert!(board.alert(AlertCode::SourceUncertain).is_some());
    // The operator of the other program corrects it as well.
    board.reads("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5 a6 Ba4");
    assert_eq!(board.game.uncertain_since(), None);
    assert_eq!(board.alert(AlertCode::SourceRewritten), None);
    // From then on the source is followed again.
    board.reads("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 *");
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6");
}

#[test]
fn a_second_correction_keeps_the_place_in_the_source() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 *");
    let moves = serde_json::json!({ "to_ply": 3, "moves": ["Nc6"] });
    board.commands("arbiter", "correct", &moves);
    board.reads("1. e4 e5 2. Nf3 Nf6 3. Bc4 *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bc4");
    let moves = serde_json::json!({ "to_ply": 4, "moves": ["Bb5"] });
    board.commands("arbiter", "correct", &moves);
    board.reads("1. e4 e5 2. Nf3 Nf6 3. Bc4 Be7 *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5 Be7");
}

#[test]
fn a_source_that_never_rests_leaves_the_record_as_it_was_and_in_doubt() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 *");
    for at in 0..20 {
        board.reads(if at % 2 == 0 {
            "1. d4 e5 2. Nf3 *"
        } else {
            "1. c4 e5 2. Nf3 *"
        });
        assert_eq!(board.sans(), "e4 e5 Nf3");
        assert_eq!(board.game.uncertain_since(), Some(1));
    }
}

#[test]
fn names_that_an_operator_has_corrected_begin_no_game_and_stay() {
    let mut board = Board::new();
    board.reads("[White \"Smit, A\"]\n[Black \"Jansen, P\"]\n\n1. e4 *");
    let number = board.game.number();
    let headers =
        serde_json::json!({ "headers": { "White": "GM Smit, Anna", "Black": "Jansen, Piet" } });
    board.commands("operator", "headers", &headers);
    board.reads("[White \"Smit, A\"]\n[Black \"Jansen, P\"]\n\n1. e4 e5 *");
    board.settles();
    assert_eq!(board.game.number(), number);
    assert_eq!(board.game.headers()["White"], "GM Smit, Anna");
    assert_eq!(board.sans(), "e4 e5");
}

#[test]
fn a_record_of_sensors_is_left_and_not_rewritten() {
    let mut board = Board::new();
    for uci in ["d2d4", "d7d5"] {
        let read = serde_json::json!({ "type": "move", "uci": uci, "by": "clock" });
        board.enters(serde_json::from_value(read).unwrap());
    }
    let number = board.game.number();
    board.reads("1. e4 e5 *");
    board.settles();
    assert!(board.game.number() > number);
    assert_eq!(board.sans(), "e4 e5");
    assert_eq!(board.alert(AlertCode::SourceRewritten), None);
}

#[test]
fn a_file_without_names_may_have_its_next_game() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nc6 *");
    let number = board.game.number();
    board.reads("1. d4 *");
    board.settles();
    assert!(board.game.number() > number);
    assert_eq!(board.sans(), "d4");
}

#[test]
fn plies_that_the_arbiter_has_taken_back_stay_away() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 *");
    board.commands("arbiter", "correct", &serde_json::json!({ "to_ply": 3 }));
    board.follow();
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nf3");
    assert_eq!(board.game.uncertain_since(), Some(4));
    board.restarts();
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nf3");
    // The source replaces them.
    board.reads("1. e4 e5 2. Nf3 Nc6 *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6");
    assert_eq!(board.game.uncertain_since(), None);
}

#[test]
fn a_correction_while_the_source_differs_keeps_the_place_in_the_source() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 3. d4 d6 *");
    // The source takes four plies back, and the arbiter corrects before the record has followed.
    board.reads("1. e4 e5 *");
    let moves = serde_json::json!({ "to_ply": 2, "moves": ["Nc3"] });
    board.commands("arbiter", "correct", &moves);
    board.follow();
    board.reads("1. e4 e5 2. Nf3 *");
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nc3");
    assert_eq!(board.game.uncertain_since(), Some(3));
}

#[test]
fn a_position_that_was_set_up_stays_and_the_source_goes_on_from_it() {
    let mut board = Board::new();
    board.reads("1. e4 e5 *");
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    board.commands("arbiter", "setup", &serde_json::json!({ "fen": fen }));
    board.follow();
    board.restarts();
    board.reads("1. e4 e5 2. Nf3 *");
    board.settles();
    assert_eq!(board.sans(), "Nf3");
    assert!(board.alert(AlertCode::SourceUncertain).is_some());
}

#[test]
fn a_new_game_by_command_is_not_filled_with_the_old_one() {
    let mut board = Board::new();
    board.reads("[Round \"1\"]\n\n1. e4 e5 *");
    board.commands(
        "operator",
        "new_game",
        &serde_json::json!({ "headers": { "Round": "2" } }),
    );
    board.follow();
    board.restarts();
    board.reads("[Round \"1\"]\n\n1. e4 e5 2. Nf3 1-0");
    board.settles();
    assert_eq!(board.sans(), "");
    assert!(board.follower.is_ignored(&board.game));
    board.reads("[Round \"2\"]\n\n1. d4 *");
    board.settles();
    assert_eq!(board.sans(), "d4");
    assert!(!board.follower.is_ignored(&board.game));
}

#[test]
fn an_alert_about_changed_moves_outlives_the_game() {
    let mut board = Board::new();
    board.reads("[Round \"1\"]\n\n1. f3 e5 2. g4 Qh4# *");
    board.reads("[Round \"1\"]\n\n1. f3 e5 2. g4 d5 *");
    board.settles();
    assert_eq!(
        board.alert(AlertCode::SourceRewritten).unwrap().level,
        Level::Red
    );
    board.reads("[Round \"2\"]\n\n1. e4 *");
    board.settles();
    assert_eq!(board.sans(), "e4");
    assert_eq!(
        board.alert(AlertCode::SourceRewritten).unwrap().level,
        Level::Red
    );
}

#[test]
fn a_long_change_is_cut_between_two_moves() {
    let mut board = Board::new();
    let shuffle = "Nf3 Nf6 Ng1 Ng8 ".repeat(20);
    board.reads(&format!("[Round \"1\"]\n\n{shuffle} *"));
    board.reads("[Round \"1\"]\n\n1. e4 *");
    board.settles();
    let alert = board.alert(AlertCode::SourceRewritten).unwrap();
    let was = alert.arguments["was"].as_str().unwrap();
    assert!(was.ends_with(" …") && was.len() < 90, "{was}");
}

#[test]
fn a_correction_that_is_undone_ends() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 *");
    for reply in ["Nc6", "Nf6"] {
        let moves = serde_json::json!({ "to_ply": 3, "moves": [reply] });
        board.commands("arbiter", "correct", &moves);
        board.follow();
    }
    assert_eq!(board.game.uncertain_since(), None);
    board.reads("1. e4 e5 2. Nf3 Nf6 3. d4 1-0");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nf6 d4");
    assert!(board.game.proposed_result().is_some());
}

#[test]
fn what_the_source_changes_after_a_correction_is_followed_and_the_correction_stays() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nf6 *");
    let moves = serde_json::json!({ "to_ply": 3, "moves": ["Nc6"] });
    board.commands("arbiter", "correct", &moves);
    board.reads("1. e4 e5 2. Nf3 Nf6 3. Bb5 a6 *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5 a6");
    board.reads("1. e4 e5 2. Nf3 Nf6 3. Bb5 Be7 4. O-O *");
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5 a6");
    board.settles();
    assert_eq!(board.sans(), "e4 e5 Nf3 Nc6 Bb5 Be7 O-O");
    assert_eq!(board.game.uncertain_since(), Some(4));
    board.reads("1. e4 e5 2. Nf3 Nf6 3. Bb5 Be7 4. O-O 1-0");
    assert!(board.game.proposed_result().is_some());
}

#[test]
fn a_correction_of_a_game_without_names_stays() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 *");
    let number = board.game.number();
    let moves = serde_json::json!({ "to_ply": 0, "moves": ["d4", "d5", "Nf3", "Nf6"] });
    board.commands("arbiter", "correct", &moves);
    board.follow();
    board.settles();
    assert_eq!(board.game.number(), number);
    assert_eq!(board.sans(), "d4 d5 Nf3 Nf6");
}

#[test]
fn a_new_game_by_command_before_the_first_move_is_followed() {
    let mut board = Board::new();
    board.reads("[White \"A\"]\n[Black \"B\"]\n\n*");
    board.commands("operator", "new_game", &serde_json::json!({}));
    board.reads("[White \"A\"]\n[Black \"B\"]\n\n1. e4 *");
    board.settles();
    assert_eq!(board.sans(), "e4");
}

#[test]
fn a_second_game_of_a_file_without_names_is_followed_to_its_end() {
    let mut board = Board::new();
    board.reads("1. e4 e5 2. Nf3 Nc6 *");
    board.commands("operator", "new_game", &serde_json::json!({}));
    board.follow();
    for text in ["1. d4 *", "1. d4 d5 *", "1. d4 d5 2. c4 c6 3. Nf3 Nf6 *"] {
        board.reads(text);
        board.settles();
    }
    assert_eq!(board.sans(), "d4 d5 c4 c6 Nf3 Nf6");
}

#[test]
fn a_look_at_part_of_the_game_that_was_left_begins_nothing() {
    let mut board = Board::new();
    let text = "[Round \"1\"]\n\n1. e4 e5 2. Nf3 Nc6 *";
    board.reads(text);
    board.commands("operator", "new_game", &serde_json::json!({}));
    board.reads("[Round \"1\"]\n\n1. e4 *");
    board.reads(text);
    board.settles();
    assert_eq!(board.sans(), "");
}

#[test]
fn guesses_in_the_place_of_acknowledged_ones_are_doubted_again() {
    let mut board = Board::new();
    let text = |reply: &str| {
        format!(
            "[Round \"1\"]\n\n1. e4 {{[%clk 1:30:00]}} e5 {{[%clk 1:29:00]}} 2. Nf3 {reply} {{[%clk 1:28:00]}} *"
        )
    };
    board.reads(&text("Nc6"));
    let id = board.alert(AlertCode::SourceUncertain).unwrap().id.clone();
    board.commands("arbiter", "ack", &serde_json::json!({ "alert": id }));
    assert_eq!(board.game.uncertain_since(), None);
    board.reads(&text("Nc6").replace("Nf3", "Bc4"));
    board.settles();
    assert_eq!(board.game.uncertain_since(), Some(3));
}
