//! Compares every position of many lines with `shakmaty`.

use shakmaty::{CastlingMode, fen::Fen};

use super::*;

fn perft(state: &State, depth: u32) -> u64 {
    let steps = state.steps();
    if depth <= 1 {
        return steps.len() as u64;
    }
    steps
        .iter()
        .map(|step| perft(&state.after(*step), depth - 1))
        .sum()
}

/// The same move among the legal moves of `shakmaty`.
fn found_in(position: &Chess, step: Step) -> Move {
    let promotion = step.promotes().then_some(step.becomes);
    let is_castle = step.kind == Kind::Castle;
    let is_same = |m: &Move| {
        m.from() == Some(step.from)
            && m.to() == step.to
            && m.promotion() == promotion
            && m.is_castle() == is_castle
    };
    position.legal_moves().into_iter().find(is_same).unwrap()
}

/// Walks both move trees in parallel and compares every position.
fn compare(position: &Chess, state: &State, depth: u32) {
    assert_eq!(&State::from(position), state);
    let steps = state.steps();
    assert_eq!(steps.len(), position.legal_moves().len());
    assert_eq!(state.is_check(), position.is_check());
    assert_eq!(state.is_over(), steps.is_empty());
    if depth == 0 {
        return;
    }
    for step in steps {
        let mut next = position.clone();
        next.play_unchecked(found_in(position, step));
        compare(&next, &state.after(step), depth - 1);
    }
}

fn position(fen: &str) -> Chess {
    let setup = fen.parse::<Fen>().unwrap();
    let mode = CastlingMode::detect(setup.as_setup());
    setup.into_position(mode).unwrap()
}

#[test]
fn a_pawn_that_has_passed_its_square_does_not_go_back_to_it() {
    let fen: Fen = "4k3/8/8/8/5P2/8/8/4K3 w - - 0 1".parse().unwrap();
    let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let state = State::from(&position);
    let mut steps = state.steps().into_iter();
    let ahead = steps.find(|step| step.from == Square::F4).unwrap();
    assert_eq!(state.adapted(ahead), Some(ahead));
    let back = Step {
        to: Square::F3,
        ..ahead
    };
    assert_eq!(state.adapted(back), None);
}

#[test]
fn every_position_of_short_lines_is_that_of_shakmaty() {
    for (fen, depth) in [
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            3,
        ),
        (
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            3,
        ),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4),
        (
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            3,
        ),
        (
            "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
            3,
        ),
        (
            "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
            3,
        ),
        ("4k3/8/8/8/8/8/8/1K5R w H - 0 1", 4),
        ("rk5r/8/8/8/8/8/8/RK5R b HAha - 0 1", 3),
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", 4),
        ("8/8/3k4/8/2pP4/8/B7/3K4 b - d3 0 1", 4),
    ] {
        let position = position(fen);
        compare(&position, &State::from(&position), depth);
    }
}

#[test]
fn perft_of_the_array() {
    let start = State::from(&Chess::default());
    assert_eq!(perft(&start, 4), 197_281);
}
