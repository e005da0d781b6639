//! PGN and pairings from practice: every file of the corpus gives the expected result.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod command_line;
mod other_reader;
mod rounds;

use std::{fs, path::PathBuf};

use remisd::pgn::{Game, Games};
use serde::Deserialize;
use shakmaty::{Chess, EnPassantMode, Position as _, fen::Fen, san::San};

/// The expected result of a file of the corpus.
#[derive(Deserialize)]
struct Expected {
    file: String,
    games: Vec<ExpectedGame>,
}

#[derive(Deserialize)]
struct ExpectedGame {
    /// In SAN without check signs.
    moves: String,
    outcome: Option<String>,
    /// A part of the error message; without it the whole game must be read.
    error: Option<String>,
    white: Option<String>,
    black: Option<String>,
    event: Option<String>,
    start: Option<String>,
    start_ms: Option<u64>,
    clocks: Option<Vec<u64>>,
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn expected<T: for<'a> Deserialize<'a>>(name: &str) -> Vec<T> {
    let text = fs::read_to_string(folder(name).join("expected.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The moves that were read, and what ended the game early.
fn played(game: &Game) -> (String, Option<String>) {
    let mut position: Chess = match game.start() {
        Ok(start) => start,
        Err(error) => return (String::new(), Some(error.to_string())),
    };
    let mut moves = Vec::new();
    for written in &game.moves {
        match written.to_move(&position) {
            Ok(m) => {
                moves.push(San::from_move(&position, m).to_string());
                position.play_unchecked(m);
            }
            Err(error) => return (moves.join(" "), Some(error.to_string())),
        }
    }
    (
        moves.join(" "),
        game.unreadable.as_ref().map(ToString::to_string),
    )
}

#[test]
fn every_file_of_the_corpus_gives_what_it_must() {
    for Expected { file, games } in expected("pgn") {
        let bytes = fs::read(folder("pgn").join(&file)).unwrap();
        let read: Vec<Game> = Games::new(&bytes[..]).map(Result::unwrap).collect();
        assert_eq!(read.len(), games.len(), "{file}: {read:#?}");
        for (number, (game, expected)) in (1..).zip(read.iter().zip(&games)) {
            let at = format!("{file}, game {number}");
            let (moves, error) = played(game);
            assert_eq!(moves, expected.moves, "{at}: {error:?}");
            match (&error, &expected.error) {
                (Some(error), Some(part)) => {
                    assert!(error.contains(part.as_str()), "{at}: {error}");
                }
                (error, part) => assert_eq!(error, part, "{at}"),
            }
            if error.is_none() {
                assert_eq!(game.outcome, expected.outcome.as_deref(), "{at}");
            }
            for (tag, value) in [
                ("White", &expected.white),
                ("Black", &expected.black),
                ("Event", &expected.event),
            ] {
                if value.is_some() {
                    assert_eq!(game.tag(tag), value.as_deref(), "{at}");
                }
            }
            if let Some(fen) = &expected.start {
                let start = game.start().unwrap();
                assert_eq!(
                    &Fen::from_position(&start, EnPassantMode::Legal).to_string(),
                    fen,
                    "{at}"
                );
            }
            if expected.start_ms.is_some() {
                assert_eq!(game.start_ms(), expected.start_ms, "{at}");
            }
            if let Some(clocks) = &expected.clocks {
                let read: Vec<u64> = game.moves.iter().filter_map(|m| m.clock_ms).collect();
                assert_eq!(&read, clocks, "{at}");
            }
        }
    }
}
