//! Compares library and brute force on random games. The pieces mostly move back and forth, so that
//! repetitions and the 50 and 75-move rules really occur.

use remisd_vocabulary::notation::parse_position;
use std::{cell::RefCell, collections::BTreeMap};

use proptest::{
    collection::vec,
    prelude::any,
    sample::select,
    test_runner::{Config, TestCaseError, TestRunner},
};
use remisd::publish::payload::Draw;
use remisd_laws::{self as laws, History};
use serde_json::Value;
use shakmaty::{Chess, Move, Position};

use super::brute_force::{BruteForce, RULES};

/// Starting positions close to an event of the Laws: castling rights to lose, pawns that pass each
/// other, stalemates, and advanced halfmove clocks.
const STARTS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 60 40",
    "4k3/8/8/8/8/8/8/4K2R w K - 90 60",
    "8/8/8/3k4/8/3K4/8/7R b - - 130 90",
    "7k/8/5K2/6Q1/8/8/8/8 b - - 80 90",
    "8/8/4k3/8/8/2NKN3/8/8 w - - 99 90",
    "4k3/pppp1ppp/8/8/4pP2/8/PPPP2PP/4K3 b - f3 0 10",
    "5kbq/3Q2n1/6p1/r3PpKn/2n5/8/8/q7 w - f6 0 4",
    "k7/8/8/8/8/8/8/3KR2R w E - 20 1",
    "rk2r3/8/8/8/8/8/8/RK2R3 w EAea - 70 50",
    "4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/R3K3 w Q - 140 99",
    "8/5k2/8/8/8/8/1r3K2/R7 w - - 149 99",
];

/// Starting positions in which a check soon forces a king with a castling right to move.
const CHECKS: [&str; 4] = [
    "4k3/8/8/8/r7/8/8/4K2R b K - 0 1",
    "r3k3/8/8/R7/8/8/8/4K3 w q - 0 1",
    "4k3/8/8/8/8/5n2/8/R3K2R w KQ - 0 1",
    "4k3/8/8/8/r7/8/8/R1K5 b A - 0 1",
];

/// A move chosen by `byte`: usually back to the piece's origin or another quiet move, rarely any
/// move.
fn choose(position: &Chess, played: &[Move], byte: u8) -> Option<Move> {
    let legal = position.legal_moves();
    let quiet: Vec<Move> = legal.iter().copied().filter(|m| !m.is_zeroing()).collect();
    let back = played.iter().rev().nth(1).and_then(|own| {
        let goes_back = |m: &&Move| m.from() == Some(own.to()) && Some(m.to()) == own.from();
        quiet.iter().find(goes_back).copied()
    });
    let nth = |moves: &[Move]| moves.get(usize::from(byte) % moves.len().max(1)).copied();
    match (byte >> 4, back) {
        (0..=10, Some(back)) => Some(back),
        (15, _) => nth(&legal),
        _ => nth(&quiet).or_else(|| nth(&legal)),
    }
}

#[test]
fn random_shuffling_is_judged_like_brute_force() {
    let met = shuffle(&STARTS, 192, 260);
    for what in [
        "threefold appeared",
        "threefold intended",
        "fifty_move appeared",
        "fifty_move intended",
        "fide-2014 fivefold",
        "fide-2017 fivefold",
        "fide-2014 seventy_five_move",
        "fide-2023 seventy_five_move",
        "ends_game",
    ] {
        let often = met.get(what).copied().unwrap_or(0);
        assert!(often >= 100, "{what} was met {often} times: {met:?}");
    }
}

#[test]
fn shuffling_that_costs_a_castling_right_is_judged_like_brute_force() {
    let met = shuffle(&CHECKS, 512, 32);
    for what in ["disputed appeared", "disputed intended"] {
        let often = met.get(what).copied().unwrap_or(0);
        assert!(often >= 6, "{what} was met {often} times: {met:?}");
    }
}

/// Plays this many games of at most this many plies and counts what occurred.
fn shuffle(starts: &'static [&str], cases: u32, plies: usize) -> BTreeMap<String, u32> {
    let met: RefCell<BTreeMap<String, u32>> = RefCell::default();
    let games = (select(starts), vec(any::<u8>(), 0..plies));
    let config = Config {
        failure_persistence: None,
        ..Config::with_cases(cases)
    };
    let result = TestRunner::new(config).run(&games, |(start, bytes)| {
        let start = parse_position(start).unwrap();
        let mut history = History::new(start.clone());
        let mut brute = BruteForce::new(start);
        let mut played = Vec::new();
        for (i, byte) in bytes.into_iter().enumerate() {
            agree(&history, &brute, &met)?;
            let Some(m) = choose(history.position(), &played, byte) else {
                break;
            };
            history
                .play(m)
                .map_err(|_| TestCaseError::fail(format!("move {i}")))?;
            brute.play(m);
            played.push(m);
        }
        agree(&history, &brute, &met)
    });
    result.unwrap();
    met.into_inner()
}

/// Compares both results for one position and counts what occurred.
fn agree(
    history: &History,
    brute: &BruteForce,
    met: &RefCell<BTreeMap<String, u32>>,
) -> Result<(), TestCaseError> {
    let mut expected = brute.lines(0);
    for ((edition, rules), expected) in laws::EDITIONS.iter().zip(&RULES).zip(&mut expected) {
        let state = history.draw_state(edition);
        let (ply, position) = (history.ply(), history.position());
        let ours = Draw::new(0, ply, position, None, &state, edition);
        let mut ours = serde_json::to_value(ours).unwrap();
        count(&ours, &mut met.borrow_mut());
        // The line of replay also depends on the game's course, which is not compared here.
        for key in ["move", "after_end"] {
            ours[key] = Value::Null;
            expected[key] = Value::Null;
        }
        expected["automatic"] = serde_json::to_value(brute.automatic(rules)).unwrap();
        proptest::prop_assert_eq!(&ours, &*expected);
    }
    Ok(())
}

fn count(line: &Value, met: &mut BTreeMap<String, u32>) {
    let mut count = |what: String| *met.entry(what).or_default() += 1;
    let laws = line["laws"].as_str().unwrap();
    if let Some(kind) = line["automatic"]["kind"].as_str() {
        count(format!("{laws} {kind}"));
    }
    for claim in line["claims"].as_array().unwrap() {
        let word = |key: &str| claim[key].as_str().unwrap();
        count(format!("{} {}", word("kind"), word("basis")));
        if claim["ends_game"] == true {
            count("ends_game".to_owned());
        }
    }
    for claim in line["arbiter_decides"].as_array().into_iter().flatten() {
        count(format!("disputed {}", claim["basis"].as_str().unwrap()));
    }
}
