//! How many plies a second: bare chess, the Laws in addition, and all of `remisd replay`.
//!
//! `cargo bench --bench replay` plays every game of `tests/data/games` in these three ways and
//! prints the median of seven rounds and the ratio to bare chess in the same run.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark measures real time and fails by a panic"
)]

use std::{hint::black_box, io, time::Instant};

use remisd::{
    cli::replay::Replay,
    pgn::{Game, Games},
};
use remisd_laws::{self as laws, History};
use shakmaty::{Chess, Position as _};

const FILES: [&str; 2] = ["otb-2025.pgn", "online-draws.pgn"];
const ROUNDS: usize = 7;

/// Finds the written moves among the legal ones and makes them.
fn bare(games: &[Game]) {
    for game in games {
        let mut position = game.start().unwrap();
        for written in &game.moves {
            let m = written.to_move(&position).unwrap();
            position.play_unchecked(m);
        }
        black_box(&position);
    }
}

/// Does the same with the draw state at every ply.
fn with_laws(games: &[Game]) {
    for game in games {
        let mut history = History::new(game.start().unwrap_or_else(|_| Chess::default()));
        black_box(history.draw_state(laws::newest()));
        for written in &game.moves {
            let m = written.to_move(history.position()).unwrap();
            history.play(m).unwrap();
            black_box(history.draw_state(laws::newest()));
        }
    }
}

/// Converts PGN text to JSON lines, which are discarded.
fn whole(texts: &[Vec<u8>]) {
    let mut replay = Replay::new(laws::newest(), false, io::sink());
    for text in texts {
        replay.text(&text[..]).unwrap();
    }
}

/// Returns the median time of a round, in seconds.
fn median(mut round: impl FnMut()) -> f64 {
    let mut seconds: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            round();
            begun.elapsed().as_secs_f64()
        })
        .collect();
    seconds.sort_by(f64::total_cmp);
    seconds[ROUNDS / 2]
}

fn main() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/games/");
    let texts: Vec<Vec<u8>> = FILES
        .iter()
        .map(|file| std::fs::read(format!("{folder}{file}")).unwrap())
        .collect();
    let games: Vec<Game> = texts
        .iter()
        .flat_map(|text| Games::new(&text[..]))
        .collect::<Result<_, _>>()
        .unwrap();
    let plies = games.iter().map(|game| game.moves.len()).sum::<usize>();
    let plies = f64::from(u32::try_from(plies).unwrap());
    println!(
        "{} games, {plies} plies, median of {ROUNDS} rounds",
        games.len()
    );

    let base = median(|| bare(&games));
    for (name, seconds) in [
        ("(a) bare chess     ", base),
        ("(b) with the Laws  ", median(|| with_laws(&games))),
        ("(c) PGN in, JSON out", median(|| whole(&texts))),
    ] {
        let rate = plies / seconds;
        println!(
            "{name:20} {rate:>10.0} plies/s  {:.2} x (a)",
            seconds / base
        );
    }
}
