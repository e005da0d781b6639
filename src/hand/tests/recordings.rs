//! Recordings of a real board, where they are at hand: as they are, without the clock, faster,
//! and with the kinds of the pieces hidden.

mod feed;

use std::{fs, path::Path};

use feed::{Feed, Verdict};
use serde_json::Value;
use shakmaty::{Board, Chess, Color, Piece, Square};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/boards/real/");
/// Status bit of the clock: whose time runs; and that it runs.
const WHITE_RUNS: u64 = 0x10;
const RUNS: u64 = 0x01;

#[derive(Debug, Clone, Copy)]
struct Manner {
    kinds: bool,
    clock: bool,
    speed: u64,
}

fn replay(name: &str, manner: Manner) -> (Feed, Vec<String>) {
    let read =
        |end: &str| fs::read_to_string(format!("{FOLDER}{name}.{end}")).expect("it is there");
    let truth = read("moves");
    let truth = truth
        .lines()
        .next()
        .unwrap_or_default()
        .split(' ')
        .map(str::to_owned)
        .collect();
    let mut feed = Feed::new(Chess::default(), Color::White, manner.kinds);
    let mut last = 0;
    for line in read("jsonl").lines() {
        let report: Value = serde_json::from_str(line).expect("it is JSON");
        last = report["t_ms"].as_u64().expect("a time") / manner.speed;
        feed.wait_until(last);
        if let Some(board) = report["board"].as_str() {
            feed.look(&Board::from_ascii_board_fen(board.as_bytes()).expect("a board"));
        } else if let Some(square) = report["square"].as_str() {
            let square: Square = square.parse().expect("a square");
            let piece = report["piece"]
                .as_str()
                .and_then(|name| name.chars().next());
            feed.square(square, piece.and_then(Piece::from_char));
        } else if manner.clock {
            let status = report["clock"]["status"].as_u64().expect("a status");
            let to = Color::from_white(status & WHITE_RUNS == 0);
            feed.lever(to, status & RUNS != 0);
        }
    }
    feed.wait_until(last + 30_000);
    (feed, truth)
}

#[test]
fn real_games_are_read() {
    if !Path::new(FOLDER).exists() {
        return;
    }
    let mut silent = 0;
    for name in ["dgt_blitz_a", "dgt_poll1s"] {
        for kinds in [true, false] {
            for clock in [true, false] {
                if clock && name == "dgt_poll1s" {
                    continue;
                }
                for speed in [1, 2, 4] {
                    let manner = Manner {
                        kinds,
                        clock,
                        speed,
                    };
                    let (feed, truth) = replay(name, manner);
                    let verdict = feed.verdict(&truth);
                    let read = feed.uci();
                    let right = read.iter().zip(&truth).take_while(|(a, b)| a == b).count();
                    println!("{name} {manner:?}: {verdict:?}, {right} of {}", truth.len());
                    silent += usize::from(verdict == Verdict::SilentlyWrong);
                    assert!(
                        !kinds || speed > 1 || verdict == Verdict::Right,
                        "{name} {manner:?}: {read:?}"
                    );
                }
            }
        }
    }
    assert_eq!(silent, 0, "silently wrong");
}
