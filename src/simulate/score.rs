//! The games that a simulated hand plays.

use std::collections::BTreeMap;

use shakmaty::{CastlingMode, Chess, Move, Position as _, san::SanPlus};

use crate::pgn::{Game, Games};
use remisd_laws::{self as laws, Basis, History};

/// The time on each clock if a game does not give one.
const DEFAULT_TIME_MS: u64 = 90 * 60 * 1000;

/// One game, checked: every ply is legal.
#[derive(Debug, Clone)]
pub struct Score {
    /// White's name, or `?`.
    pub white: String,
    /// Black's name, or `?`.
    pub black: String,
    /// The PGN tags with a known value, without `Result`, `FEN` and `SetUp`.
    pub tags: BTreeMap<String, String>,
    /// The position before the first ply.
    pub start: Chess,
    /// The time on each clock before the first ply, in milliseconds.
    pub time_ms: u64,
    /// The plies.
    pub plies: Vec<Ply>,
    /// The result as in PGN: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: String,
}

impl Score {
    /// Returns the index of the first ply, counted from 0, before which its player can claim a draw
    /// by the position on the board.
    #[must_use]
    pub fn first_claim(&self) -> Option<usize> {
        let mut history = History::new(self.start.clone());
        for (index, ply) in self.plies.iter().enumerate() {
            let claims = history.draw_state(laws::newest()).claims;
            if claims.iter().any(|claim| claim.basis == Basis::Appeared) {
                return Some(index);
            }
            history.play(ply.played).ok()?;
        }
        None
    }
}

/// One ply of a game.
#[derive(Debug, Clone)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// The move in short algebraic notation, with `+` and `#`.
    pub san: String,
    /// The move in UCI notation, as `e2e4`.
    pub uci: String,
    /// The player's time after it, in milliseconds, if the game has `[%clk]`.
    pub clock_ms: Option<u64>,
}

/// A game that cannot be played as the PGN gives it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("ply {ply}: {reason}")]
pub struct Unplayable {
    /// The ply at fault, counted from 1; 0 for the starting position.
    pub ply: usize,
    /// The reason, in words.
    pub reason: String,
}

/// Why no game can be played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoreError {
    /// The text has no game.
    #[error("no game in the PGN")]
    NoGame,
    /// None of the games can be played; this is the fault of the first.
    #[error("no game in the PGN can be played; the first: {0}")]
    AllUnplayable(Unplayable),
    /// The text cannot be read at all.
    #[error("the PGN cannot be read: {0}")]
    Unreadable(String),
}

/// Reads all games of a PGN text; those that cannot be played carry the reason.
///
/// # Errors
///
/// Returns a [`ScoreError`] if there is nothing to play.
///
/// ```
/// let games = remisd::simulate::score::read("1. e4 {[%clk 1:29:50]} e5 *\n\n1. Ke2 *")?;
/// let first = games[0].as_ref().unwrap();
/// assert_eq!(first.plies[0].uci, "e2e4");
/// assert_eq!(first.plies[0].clock_ms, Some(5_390_000));
/// assert_eq!(games[1].as_ref().unwrap_err().ply, 1);
/// # Ok::<_, remisd::simulate::score::ScoreError>(())
/// ```
pub fn read(pgn: impl AsRef<[u8]>) -> Result<Vec<Result<Score, Unplayable>>, ScoreError> {
    let games = Games::new(pgn.as_ref())
        .map(|game| game.map(|game| score(&game)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| ScoreError::Unreadable(error.to_string()))?;
    match games.first() {
        None => Err(ScoreError::NoGame),
        Some(Err(first)) if games.iter().all(Result::is_err) => {
            Err(ScoreError::AllUnplayable(first.clone()))
        }
        Some(_) => Ok(games),
    }
}

fn score(game: &Game) -> Result<Score, Unplayable> {
    let at_start = |reason: String| Unplayable { ply: 0, reason };
    let start = game.start().map_err(|error| at_start(error.to_string()))?;
    if start.castles().mode() == CastlingMode::Chess960 {
        return Err(at_start("Chess960 cannot be played here yet".to_owned()));
    }
    let name = |tag| game.tag(tag).unwrap_or("?").to_owned();
    Ok(Score {
        white: name("White"),
        black: name("Black"),
        tags: tags(game),
        plies: plies(game, start.clone())?,
        start,
        time_ms: game.start_ms().unwrap_or(DEFAULT_TIME_MS),
        result: game.outcome.unwrap_or("*").to_owned(),
    })
}

fn tags(game: &Game) -> BTreeMap<String, String> {
    let known = game.tags.iter().filter(|(tag, text)| {
        let says_something = !text.is_empty() && !text.starts_with('?');
        says_something && !["Result", "FEN", "SetUp"].contains(&tag.as_str())
    });
    known.cloned().collect()
}

fn plies(game: &Game, mut position: Chess) -> Result<Vec<Ply>, Unplayable> {
    let mut plies = Vec::with_capacity(game.moves.len());
    for written in &game.moves {
        let played = written.to_move(&position);
        let played = played.map_err(|error| Unplayable {
            ply: plies.len() + 1,
            reason: error.to_string(),
        })?;
        plies.push(Ply {
            played,
            uci: played.to_uci(CastlingMode::Standard).to_string(),
            san: SanPlus::from_move_and_play_unchecked(&mut position, played).to_string(),
            clock_ms: written.clock_ms,
        });
    }
    match &game.unreadable {
        None => Ok(plies),
        Some(unreadable) => Err(Unplayable {
            ply: plies.len() + 1,
            reason: unreadable.to_string(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_games_with_tags_and_clocks_read() {
        let games = read(
            "[White \"A\"]\n[TimeControl \"300+3\"]\n\n1. e4 {[%clk 0:05:01.5]} (1. d4) e5 1-0\n\n\
             [FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 1/2-1/2\n",
        )
        .unwrap();
        let games: Vec<_> = games.into_iter().map(Result::unwrap).collect();
        assert_eq!(games.len(), 2);
        assert_eq!((games[0].white.as_str(), games[0].time_ms), ("A", 300_000));
        assert_eq!(games[0].plies[0].clock_ms, Some(301_500));
        assert_eq!(games[0].plies.len(), 2);
        assert_eq!(games[1].result, "1/2-1/2");
    }

    #[test]
    fn nothing_to_play_is_an_error_that_names_the_first_reason() {
        assert_eq!(read("").unwrap_err(), ScoreError::NoGame);
        let illegal = Unplayable {
            ply: 2,
            reason: "line 1: \"Ke5\": not a legal move here".into(),
        };
        let refused = read("1. e4 Ke5 *").unwrap_err();
        assert_eq!(refused, ScoreError::AllUnplayable(illegal));
    }

    #[test]
    fn the_clock_starts_with_the_first_period() {
        let game = read("[TimeControl \"40/7200:3600\"]\n\n1. e4 {[%clk 1:59:50]} *").unwrap();
        assert_eq!(game[0].as_ref().unwrap().time_ms, 7_200_000);
    }

    #[test]
    fn a_game_that_cannot_be_played_does_not_keep_the_others_away() {
        let text = "1. e4 *\n\n1. e4 xx9 *\n\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*\n\n\
                    [Variant \"Chess960\"]\n[FEN \"1k6/8/8/8/8/8/8/R3K2R w KQ - 0 1\"]\n\n*\n\n1. d4 *";
        let games = read(text).unwrap();
        assert!(games[0].is_ok() && games[4].is_ok());
        let ply = |game: usize| games[game].as_ref().unwrap_err().ply;
        assert_eq!([ply(1), ply(2), ply(3)], [2, 0, 0]);
    }

    #[test]
    fn all_games_of_a_file_are_there_even_those_without_moves() {
        let text = include_str!("../../tests/data/games/rapid-2024-clocks.pgn");
        let games: Vec<_> = read(text)
            .unwrap()
            .into_iter()
            .map(Result::unwrap)
            .collect();
        assert_eq!(games.len(), 250);
        let plies = games.iter().flat_map(|game| &game.plies);
        let timed = plies.filter(|ply| ply.clock_ms.is_some()).count();
        assert_eq!(timed, text.matches("[%clk ").count());
    }
}
