//! `remisd replay` and `remisd dead` as scripts see them.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use serde_json::Value;

use super::{data, lines, remisd, run};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The lines of one game.
fn game(lines: &[Value], number: u64) -> Vec<&Value> {
    lines.iter().filter(|line| line["game"] == number).collect()
}

#[test]
fn a_bad_move_ends_its_game_with_an_error_and_the_next_game_goes_on() {
    let output = run(&["replay"], b"1. e4 e5 2. Nf6 Nc6 *\n\n1. d4 d5 *\n");
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    let first = game(&lines, 0);
    assert_eq!(first.len(), 4, "plies 0 to 2 and the error");
    let error = first[3];
    assert_eq!(error["schema"], "remisd/error/1");
    assert_eq!(error["ply"], 3);
    assert!(error["error"].as_str().unwrap().contains("Nf6"), "{error}");
    let second = game(&lines, 1);
    assert_eq!(second.len(), 3);
    assert!(second.iter().all(|line| line["schema"] == "remisd/draw/1"));
}

#[test]
fn a_word_that_is_no_move_is_an_error_at_its_ply() {
    let output = run(
        &["replay", "-"],
        b"[Event \"a\"]\n\n1. e4 hello 2. Nf3 *\n1. c4 *",
    );
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert_eq!(lines.len(), 2 + 1 + 2);
    assert_eq!(
        (&lines[2]["game"], &lines[2]["ply"]),
        (&0.into(), &2.into())
    );
    let error = lines[2]["error"].as_str().unwrap();
    assert!(
        error.contains("hello") && error.contains("line 3"),
        "{error}"
    );
    assert_eq!(
        (&lines[4]["game"], &lines[4]["ply"]),
        (&1.into(), &1.into())
    );
}

#[test]
fn a_start_that_is_no_position_is_an_error_at_ply_0() {
    let output = run(
        &["replay"],
        b"[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n1. e4 *",
    );
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert_eq!(
        (&lines[0]["game"], &lines[0]["ply"]),
        (&0.into(), &0.into())
    );
    assert_eq!(lines[0]["schema"], "remisd/error/1");
    assert_eq!(game(&lines, 1).len(), 2);
}

#[test]
fn garbage_is_an_error_and_no_crash() {
    let bytes = (0..100_000_u32).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()[3]);
    let garbage: Vec<u8> = bytes.collect();
    let output = run(&["replay"], &garbage);
    assert_eq!(output.status.code(), Some(1));
    let lines = lines(&output);
    assert!(lines.iter().any(|line| line["schema"] == "remisd/error/1"));
}

#[test]
fn an_input_without_a_position_is_fine_and_one_without_a_game_is_named() {
    let output = run(&["dead"], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    let output = run(&["replay"], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("standard input"), "{error}");
}

#[test]
fn files_and_stdin_are_read_in_their_order_and_numbered_through() {
    let file = data("games/online-draws.pgn");
    let output = run(&["replay", &file, "-"], b"1. e4 *");
    assert!(output.status.success());
    let last = lines(&output).pop().unwrap();
    assert_eq!((&last["game"], &last["ply"]), (&200.into(), &1.into()));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let output = run(&["replay", "/nowhere/x.pgn"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/x.pgn"));
}

#[test]
fn a_closed_stdout_ends_quietly() {
    let file = data("games/otb-2025.pgn");
    let fens = [START; 200];
    let dead = [&["dead"], &fens[..]].concat();
    for arguments in [&["replay", file.as_str()][..], &dead] {
        let mut child = remisd(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        assert!(line.starts_with("{\"schema\""), "{line}");
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", arguments[0]);
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "",
            "{}",
            arguments[0]
        );
    }
}

#[test]
fn an_unknown_edition_is_a_usage_error_with_the_list() {
    let output = run(&["replay", "--laws", "fide-1066"], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("fide-1066") && message.contains("fide-2023"),
        "{message}"
    );
}

#[test]
fn an_unknown_rate_is_a_usage_error_with_the_list() {
    let output = run(&["replay", "--rate", "bullet"], b"");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.contains("standard, rapid, blitz"), "{message}");
}

#[test]
fn with_dead_every_ply_has_a_verdict_and_a_dead_position_ends_the_game_once() {
    let pgn = b"[FEN \"8/8/8/8/8/2k5/1p6/1K6 w - - 0 1\"]\n\n1. Ka2 Kc2 2. Ka3 Kc3 *\n\
                [FEN \"8/8/8/8/8/2k5/1p6/K7 w - - 0 1\"]\n\n1. Ka2 Kc2 *\n\
                [FEN \"k7/8/8/8/8/8/1p6/K7 w - - 0 1\"]\n\n1. Kxb2 Ka7 *\n";
    let output = run(&["replay", "--dead"], pgn);
    let lines = lines(&output);
    assert!(output.status.success(), "{lines:?}");
    assert!(lines.iter().all(|line| line["dead"].is_string()));
    let captured = game(&lines, 2);
    assert_eq!(captured[0]["dead"], "alive");
    assert_eq!(captured[1]["automatic"]["kind"], "dead_position");
    assert_eq!(captured[1]["automatic"]["article"], "5.2.2");
    assert_eq!(captured[2]["dead"], "dead");
    assert!(captured[2]["automatic"].is_null());
    assert_eq!(captured[2]["after_end"], true);
}

#[test]
fn an_unreadable_fen_is_answered_in_its_place() {
    let input = format!("{START}\nnonsense\n\n8/8/8/8/8/8/8/K7 w - - 0 1\nk7/8/8/8/8/8/8/K7 w\n");
    let output = run(&["dead"], input.as_bytes());
    assert_eq!(output.status.code(), Some(1));
    let answers = lines(&output);
    let schemas: Vec<_> = answers
        .iter()
        .map(|a| a["schema"].as_str().unwrap())
        .collect();
    let (dead, error) = ("remisd/dead/1", "remisd/error/1");
    assert_eq!(schemas, [dead, error, error, dead]);
    assert_eq!(answers[1]["fen"], "nonsense");
    assert!(
        answers[2]["error"]
            .as_str()
            .unwrap()
            .contains("a king is missing")
    );
    assert_eq!(answers[3]["verdict"], "dead");
}

#[test]
fn positions_are_taken_from_the_arguments_too() {
    let output = run(&["dead", START, "x"], b"");
    assert_eq!(output.status.code(), Some(1));
    let answers = lines(&output);
    assert_eq!(
        (&answers[0]["verdict"], &answers[1]["fen"]),
        (&"alive".into(), &"x".into())
    );
    assert!(
        answers[0]["black"].is_null(),
        "one side is enough for alive"
    );
    assert_eq!(answers[0]["proof"], "helpmate");
}

#[test]
fn bytes_that_are_no_text_are_an_error_in_their_place() {
    let output = run(&["dead"], b"\xff\xfe\nk7/8/8/8/8/8/8/K7 w\n");
    assert_eq!(output.status.code(), Some(1));
    let answers = lines(&output);
    assert_eq!(
        answers.len(),
        2,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(answers[0]["schema"], "remisd/error/1");
    assert_eq!(answers[1]["verdict"], "dead");
}
