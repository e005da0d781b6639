//! `remisd replay` agrees with brute force over all real games, at every ply and under every
//! edition.

use remisd::pgn::Games;
use remisd_laws::EDITIONS;
use serde_json::Value;
use shakmaty::Chess;

use super::{
    brute_force::{BruteForce, RULES},
    data, remisd,
};

/// What the games contained: a comparison that never meets a claim proves little.
#[derive(Default)]
struct Met {
    games: usize,
    plies: usize,
    claims: usize,
    ends: usize,
}

/// The binary's output for one file under one edition.
fn printed(path: &str, laws: &str) -> String {
    let output = remisd(&["replay", "--laws", laws, path]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Compares the binary's lines for one file with brute force, under every edition.
fn replay(file: &str) -> Met {
    let path = data(&format!("games/{file}"));
    let texts: Vec<String> = RULES.iter().map(|r| printed(&path, r.id)).collect();
    let mut printed: Vec<_> = texts.iter().map(|text| text.lines()).collect();
    let mut met = Met::default();
    for (number, game) in Games::new(&std::fs::read(&path).unwrap()[..]).enumerate() {
        let mut brute = BruteForce::new(Chess::default());
        let mut written = game.unwrap().moves.into_iter();
        loop {
            let expected = brute.lines(u64::try_from(number).unwrap());
            for (printed, expected) in printed.iter_mut().zip(&expected) {
                let line: Value = serde_json::from_str(printed.next().unwrap()).unwrap();
                assert_eq!(line, *expected, "{file}, game {number}");
                met.claims += expected["claims"].as_array().unwrap().len();
                met.ends += usize::from(!expected["automatic"].is_null());
            }
            met.plies += 1;
            let Some(m) = written.next() else { break };
            brute.play(m.to_move(brute.position()).unwrap());
        }
        met.games += 1;
    }
    for printed in &mut printed {
        assert_eq!(printed.next(), None, "{file}: as many lines as plies");
    }
    met
}

#[test]
fn no_edition_is_left_out() {
    let written: Vec<&str> = RULES.iter().map(|rules| rules.id).collect();
    let known: Vec<&str> = EDITIONS.iter().map(|edition| edition.id).collect();
    assert_eq!(written, known);
}

#[test]
fn games_over_the_board_are_replayed_like_brute_force() {
    let met = replay("otb-2025.pgn");
    assert_eq!((met.games, met.plies > 40_000), (600, true));
    assert!(met.claims > 0 && met.ends > 0);
}

/// This file contains only the tags of its games: each game is just a start position.
#[test]
fn games_known_only_by_their_tags_are_replayed_like_brute_force() {
    let met = replay("rapid-2024-clocks.pgn");
    assert_eq!((met.games, met.plies), (250, 250));
}

#[test]
fn online_draws_are_replayed_like_brute_force() {
    let met = replay("online-draws.pgn");
    assert_eq!((met.games, met.plies > 10_000), (200, true));
    assert!(met.claims > 0);
}
