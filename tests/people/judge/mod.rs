//! Judging engines that read boards.

pub mod desk;
pub mod grade;
pub mod table;

#[cfg(test)]
mod tests;

use crate::Millis;
use remisd_vocabulary::sensor::Sensed;
use shakmaty::{Chess, Move};

/// What an engine reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Report {
    /// The next move of the game.
    Move {
        /// The move.
        m: Move,
        /// The engine says of this ply that it may be another one.
        doubtful: bool,
    },
    /// The last move was this one.
    Replaced(Move),
    /// The last move was none.
    Withdrawn,
    /// The board is not understood; this number of last plies may be wrong.
    Doubt {
        /// How many plies are in doubt, counted from the last one.
        plies: usize,
        /// Why, in a word of the engine's; it is shown and not judged.
        why: &'static str,
    },
    /// All is understood again: no ply is in doubt any more.
    Certain,
    /// A new game has begun from the start array.
    NewGame,
    /// The players have shown a result.
    Result,
}

/// An engine that reads boards.
pub trait Engine {
    /// Takes up a game at a position.
    fn follow(&mut self, position: &Chess, now: Millis);

    /// The game is over for those who follow it: by the rules, or by a result that was shown.
    fn rest(&mut self, now: Millis);

    /// Takes in an event.
    fn sense(&mut self, sensed: &Sensed, now: Millis);

    /// Lets time pass.
    fn tick(&mut self, now: Millis);

    /// When the engine wants to be woken if nothing is sensed before.
    fn deadline(&self) -> Option<Millis>;

    /// The reports since the last call, in order.
    fn readings(&mut self) -> Vec<Report>;
}
