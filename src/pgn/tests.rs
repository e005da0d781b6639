use shakmaty::CastlingMode;

use super::*;

fn one(text: &str) -> Game {
    Games::new(text.as_bytes()).next().unwrap().unwrap()
}

#[test]
fn clock_times_stand_beside_their_move() {
    let game = one("1. e4 { [%clk 1:39:56] } e5 {good [%clk 0:00:03.5]} 2. Nf3 *");
    let times: Vec<_> = game.moves.iter().map(|m| m.clock_ms).collect();
    assert_eq!(times, [Some(5_996_000), Some(3_500), None]);
}

#[test]
fn variations_comments_numbers_and_glyphs_are_passed_over() {
    let game = one(
        "1.e4 $1 e5! (1...c5 {Sicilian (sharp)} 2. Nf3 (2. c3)) 2.Nf3!? ; rest\n2... Nc6 {a\nb} 3. Bb5 1/2-1/2",
    );
    let sans: Vec<_> = game.moves.iter().map(|m| m.text.as_str()).collect();
    assert_eq!(sans, ["e4", "e5!", "Nf3!?", "Nc6", "Bb5"]);
    assert_eq!(game.outcome, Some("1/2-1/2"));
    assert_eq!(game.unreadable, None);
}

#[test]
fn what_is_no_move_is_reported_and_ends_the_moves() {
    let game = one("[White \"A\"]\n\n1. e4 Qz9 2. Nf3 Nc6 1-0");
    assert_eq!(game.moves.len(), 1);
    let unreadable = game.unreadable.unwrap();
    assert_eq!((unreadable.line, unreadable.text.as_str()), (3, "Qz9"));
    assert_eq!(game.outcome, Some("1-0"));
}

#[test]
fn games_are_separated_by_results_and_tags() {
    let text =
        "\u{feff}[Event \"a\"]\n\n1. e4\n\n[Event \"b \\\"x\\\"\"]\n\n0-0 *\n\n1. d4 * 1. c4 *";
    let games: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(games.len(), 4);
    assert_eq!(games[1].tag("Event"), Some("b \"x\""));
    assert_eq!(games[1].moves.len(), 1);
}

#[test]
fn games_without_moves_and_result_are_separated_by_their_tags() {
    let text =
        "[Event \"a\"]\n\n[Round \"1\"]\n\n[Event \"b\"]\n[Event \"c\"]\n\n[Event \"d\"]\n\n1. e4";
    let games: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
    let events: Vec<_> = games.iter().map(|game| game.tag("Event")).collect();
    assert_eq!(events, [Some("a"), Some("b"), Some("d")]);
    assert_eq!(games[0].tag("Round"), Some("1"));
    assert_eq!(games[2].moves.len(), 1);
}

#[test]
fn games_of_which_only_tags_are_written_need_no_empty_line_between_them() {
    let game = |event, white| {
        format!("[Event \"{event}\"]\n[White \"{white}\"]\n[Black \"B\"]\n[Result \"*\"]\n")
    };
    let text = [game("X", "A"), game("X", "C"), game("Y", "E")].concat() + "1. e4 *\n";
    let games: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
    let whites: Vec<_> = games.iter().map(|game| game.tag("White")).collect();
    assert_eq!(whites, [Some("A"), Some("C"), Some("E")]);
    assert!(games.iter().all(|game| game.unreadable.is_none()));
    assert_eq!(games[2].moves.len(), 1);
}

#[test]
fn a_usual_tag_with_two_values_is_refused_with_its_line() {
    let game = one("[White \"A\"]\n[Black \"B\"]\n[White \"C\"]\n\n1. e4 *");
    assert_eq!(game.unreadable.unwrap().line, 3);
    let same = one("[White \"A\"]\n[Black \"B\"]\n[White \"A\"]\n\n1. e4 *");
    assert_eq!((same.unreadable, same.moves.len()), (None, 1));
}

#[test]
fn the_number_of_blacks_first_move_begins_no_game_at_the_beginning_of_a_line() {
    for number in ["1... ", "1...", "1.. ", "1…", "1. ... ", "1 ... "] {
        let text = format!("1. e4 {{[%clk 1:30:00]}}\n{number}e5 2. Nf3 *\n\n1. d4 *\n");
        let games = Games::new(text.as_bytes()).map(Result::unwrap);
        let plies: Vec<_> = games.map(|game| game.moves.len()).collect();
        assert_eq!(plies, [3, 1], "{text}");
    }
}

#[test]
fn a_line_that_is_escaped_is_passed_over_in_a_variation_too() {
    let game = one("1. e4 (1. d4\n% )\nd5) 1... e5 *");
    let sans: Vec<_> = game.moves.iter().map(|m| m.text.as_str()).collect();
    assert_eq!((sans, game.unreadable), (vec!["e4", "e5"], None));
}

#[test]
fn a_variation_that_ends_and_was_never_begun_is_refused_by_its_line() {
    let game = one("1. e4 e5\n2. Nf3 ) Nc6 *");
    let unreadable = game.unreadable.unwrap();
    assert_eq!((unreadable.line, unreadable.text.as_str()), (2, ")"));
    assert_eq!(game.moves.len(), 3);
    for text in ["1. e4 e5 2) Nf3 *", "1. e4 e5 (1... c5)) 2. Nf3 *"] {
        let game = one(text);
        assert_eq!((game.moves.len(), game.unreadable), (3, None), "{text}");
    }
}

#[test]
fn a_number_that_jumps_ahead_is_refused_by_its_line() {
    let plies = |text: &str| {
        let game = one(text);
        (game.moves.len(), game.unreadable.map(|found| found.line))
    };
    for (text, expected) in [
        ("1. Nf3 Nf6 2. Ng1 Ng8\n5. Nf3 Nf6 *", (4, Some(2))),
        ("1. e4 e5 2. Nf3 3. Bb5 *", (3, Some(1))),
        ("1. e4 e5 2. Nf3 (2. f4 (2. d4) ) 3... a6 *", (3, Some(1))),
        ("e4 e5 3. Nf3 *", (2, Some(1))),
        (
            "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n\n40... Kd7 42. e4 *",
            (1, Some(3)),
        ),
    ] {
        assert_eq!(plies(text), expected, "{text}");
    }
    for text in [
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n\n40... Kd7 41. e4 Kd6 42. e5 *",
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n\n1... Kd7 2. e4 Kd6 3. e5 *",
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n\nKd7 41. e4 Kd6 42. e5 *",
        "17. e4 e5 18. Nf3 18... Nc6 *",
        "1. e4 e5 1. Nf3 Nc6 *",
        "0. e4 e5 0. Nf3 Nc6 *",
        "e4 e5 2. Nf3 Nc6 3. *",
        "1. e4 1... e5 2. Nf3 Nc6 *",
    ] {
        let game = one(text);
        assert!(game.moves.len() > 2, "{text}");
        assert_eq!(game.unreadable, None, "{text}");
    }
}

#[test]
fn words_before_the_tags_and_behind_a_result_are_no_game() {
    let text = "Dear Anna,\nhere is round 3:\n\n[White \"A\"]\n\n1. e4 e5 1-0 White resigns\n\n[White \"B\"]\n\n1. d4 * after long play with d5 {a b} as agreed [White \"C\"]\n\n1. c4 *\nRegards\n";
    let games: Vec<_> = Games::new(text.as_bytes()).map(Result::unwrap).collect();
    let whites: Vec<_> = games.iter().map(|game| game.tag("White")).collect();
    assert_eq!(whites, [Some("A"), Some("B"), Some("C")]);
    assert!(games.iter().all(|game| game.unreadable.is_none()));
    for text in ["1. Qz9 e5 *", "e9 e5 Nf3 *", "hello 1. e4 e5 *"] {
        assert!(one(text).unreadable.is_some(), "{text}");
    }
}

#[test]
fn chess960_is_known_by_its_tag_or_its_castling_rights() {
    let by_tag = one("[Variant \"Chess 960\"]\n[FEN \"1k6/8/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n*");
    assert_eq!(
        by_tag.start().unwrap().castles_mode(),
        CastlingMode::Chess960
    );
    let by_fen = one("[FEN \"k7/8/8/8/8/8/8/3KR2R w E - 0 1\"]\n\n*");
    assert_eq!(
        by_fen.start().unwrap().castles_mode(),
        CastlingMode::Chess960
    );
}

#[test]
fn an_impossible_start_is_named() {
    let game = one("[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*");
    assert!(
        game.start()
            .unwrap_err()
            .to_string()
            .contains("not a legal position")
    );
}

trait Mode {
    fn castles_mode(&self) -> CastlingMode;
}

impl Mode for Chess {
    fn castles_mode(&self) -> CastlingMode {
        shakmaty::Position::castles(self).mode()
    }
}

fn written(tags: &[(&str, &str)], fen: Option<&str>, moves: &[(&str, Option<u64>)]) -> String {
    let tags: Vec<_> = tags
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let start = fen.map_or_else(Chess::default, |fen| {
        remisd_vocabulary::notation::parse_position(fen).unwrap()
    });
    let game = Written {
        tags: &tags,
        moves,
        result: remisd_laws::Score::Draw,
        ..Written::of(&start)
    };
    game.to_text(&Archive)
}

#[test]
fn uncertain_moves_are_noted_in_a_comment_at_the_end() {
    let start = Chess::default();
    let game = Written {
        moves: &[("e4", None)],
        uncertain_since: Some(2),
        ..Written::of(&start)
    };
    let text = game.to_text(&Archive);
    let expected = "1. e4 {not certain from ply 2 on} *";
    assert_eq!(text.trim_end().lines().last(), Some(expected), "{text}");
    let game = Written {
        unsettled: Some("Nf6"),
        ..game
    };
    let text = game.to_text(&Archive);
    let expected = "1. e4 {not certain from ply 2 on: perhaps Nf6 was on the board at the end} *";
    assert_eq!(text.trim_end().lines().last(), Some(expected), "{text}");
}

#[test]
fn a_game_is_written_in_export_format() {
    let text = written(
        &[
            ("White", "A \"B\" \\ C\n[X \"1\"]"),
            ("FEN ", "x"),
            ("Res ult", "0-1"),
            ("Board", "7"),
            ("Result", "1-0"),
        ],
        None,
        &[
            ("e4", Some(5_996_999)),
            ("e5", None),
            ("Nf3", None),
            ("Nc6", None),
        ],
    );
    let expected = concat!(
        "[Event \"?\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n",
        "[White \"A \\\"B\\\" \\\\ C [X \\\"1\\\"]\"]\n[Black \"?\"]\n",
        "[Result \"1/2-1/2\"]\n[Board \"7\"]\n[ECO \"C44\"]\n[Opening \"King's Knight Opening: Normal Variation\"]\n\n",
        "1. e4 {[%clk 1:39:56]} 1... e5 2. Nf3 Nc6 1/2-1/2\n\n",
    );
    assert_eq!(text, expected);
    assert_eq!(one(&text).tag("White"), Some("A \"B\" \\ C [X \"1\"]"));
}

#[test]
fn a_game_from_another_position_begins_with_its_number() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 b - - 3 40";
    let text = written(
        &[("FEN", "nonsense")],
        Some(fen),
        &[("Kd7", None), ("e4", None)],
    );
    assert!(text.contains("[SetUp \"1\"]\n"), "{text}");
    assert!(
        text.contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 3 40\"]\n"),
        "{text}"
    );
    assert!(text.contains("\n40... Kd7 41. e4 1/2-1/2\n"), "{text}");
}

#[test]
fn lines_of_movetext_stay_below_eighty_columns() {
    let moves: Vec<(&str, Option<u64>)> = ["Nf3", "Nf6", "Ng1", "Ng8"]
        .into_iter()
        .cycle()
        .take(200)
        .map(|san| (san, Some(3_600_000)))
        .collect();
    let text = written(&[], None, &moves);
    assert!(text.lines().all(|line| line.len() < 80));
    let read = one(&text);
    assert_eq!(read.moves.len(), 200);
    assert!(read.moves.iter().all(|m| m.clock_ms == Some(3_600_000)));
    let broken = one("1. e4 {[%clk\n0:00:07]} *");
    assert_eq!(broken.moves[0].clock_ms, Some(7_000));
}
