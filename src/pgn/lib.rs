//! Reads games from PGN text, one after the other, in bounded memory, and writes them in two
//! [dialects](Dialect).
//!
//! All PGN is read here. A [`Game`] holds the content of the file: tags, moves as written, and
//! clock times. The caller checks whether the moves are legal. Variations and comments are skipped,
//! except for `[%clk …]` times.
//!
//! ```text
//! bytes ─▶ encoding ─▶ text ─▶ read ─▶ Game
//!          UTF-16      lines    tags, movetext, result, comment
//! ```
//!
//! Nothing is dropped silently. Reading of a game ends at a word that cannot be a move, an unclosed
//! comment or variation, or a bracket that is not a tag. The game reports it with its line.
//! Skipping it would assign the following moves to the wrong side.
//!
//! ```
//! let mut games = remisd_pgn::Games::new("[White \"A\"]\n\n1. e4 e5 *\n".as_bytes());
//! let game = games.next().unwrap()?;
//! assert_eq!(game.tag("White"), Some("A"));
//! assert_eq!(game.moves.len(), 2);
//! # Ok::<_, std::io::Error>(())
//! ```
#![forbid(unsafe_code)]

mod comment;
pub mod dates;
mod dialects;
mod encoding;
mod ending;
pub mod names;
pub mod openings;
mod read;
mod result;
mod start;
mod tags;
pub mod text;
mod time_control;
mod write;

use shakmaty::{Chess, Move};

pub use self::{
    dialects::{Archive, Feed},
    ending::{Ending, Termination},
    read::Games,
    start::StartError,
    tags::GAME_TAGS,
    time_control::{NoTimeControl, Period, TimeControl},
    write::{Dialect, Remark, Written},
};
use remisd_vocabulary::notation::{MoveError, MoveWord};

/// A game as it is in the file.
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// The line on which the game begins, from 1.
    pub line: u64,
    /// The tag pairs, in order.
    pub tags: Vec<(String, String)>,
    /// The moves of the main line, as written.
    pub moves: Vec<WrittenMove>,
    /// The clock time before the first move, in milliseconds.
    pub start_clock_ms: Option<u64>,
    /// The result at the end of the moves: `1-0`, `0-1`, `1/2-1/2`, `0-0` or `*`.
    pub outcome: Option<&'static str>,
    /// The first word in the place of a move that is not one. `moves` holds the moves before it and
    /// none after it.
    pub unreadable: Option<Unreadable>,
}

/// A word in the movetext that is not a move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: \"{text}\": {reason}")]
pub struct Unreadable {
    /// Its line in the text, from 1.
    pub line: u64,
    /// The word, cut to a printable length.
    pub text: String,
    /// The reason.
    pub reason: String,
}

/// A move as written, with the clock time beside it.
#[derive(Debug, Clone)]
pub struct WrittenMove {
    /// The word.
    pub text: String,
    /// Its line in the text, from 1.
    pub line: u64,
    /// The mover's remaining time in milliseconds, from `[%clk …]`.
    pub clock_ms: Option<u64>,
    word: MoveWord,
}

impl WrittenMove {
    /// Resolves the move in `position`.
    ///
    /// # Errors
    ///
    /// [`Unreadable`] if the word matches no legal move, or several.
    pub fn to_move(&self, position: &Chess) -> Result<Move, Unreadable> {
        self.word.to_move(position).map_err(|error| Unreadable {
            line: self.line,
            text: self.text.chars().take(32).collect(),
            reason: match error {
                MoveError::NoMove => "not a move".to_owned(),
                error => error.to_string(),
            },
        })
    }
}

impl Game {
    /// The value of a tag. A name in different case counts if there is no exact match.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        let exact = self.tags.iter().find(|(tag, _)| tag == name);
        let found =
            exact.or_else(|| (self.tags.iter()).find(|(tag, _)| tag.eq_ignore_ascii_case(name)));
        found.map(|(_, value)| value.as_str())
    }

    /// The initial time of each clock, in milliseconds: from a comment before the first move, or
    /// else from the first period of the tag `TimeControl`.
    #[must_use]
    pub fn start_ms(&self) -> Option<u64> {
        if self.start_clock_ms.is_some() {
            return self.start_clock_ms;
        }
        let control: TimeControl = self.tag("TimeControl")?.parse().ok()?;
        let shown = self.moves.iter().take(2).filter_map(|m| m.clock_ms).max();
        Some(control.as_shown(shown).start_ms())
    }
}

/// Whether a line is a tag pair and nothing else.
#[must_use]
pub fn is_tag_line(line: &str) -> bool {
    tags::is_tag_line(line, false)
}

#[cfg(test)]
mod tests;
