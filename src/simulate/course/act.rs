//! What is done to the board, its line and the clock.

use shakmaty::{Color, Piece, Square};

use crate::simulate::play::Progress;

/// One thing that is done to the board, its line or the clock, or told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A piece, or nothing, stands on a square from now on.
    Put(Square, Option<Piece>),
    /// A player presses the clock and then has so much time, if that is known.
    Press {
        /// Who.
        by: Color,
        /// Milliseconds.
        time_ms: Option<u64>,
    },
    /// Both times and the lever are set; the clock stops.
    SetClock {
        /// Milliseconds, for both.
        time_ms: u64,
        /// Whose side is up.
        to_move: Color,
    },
    /// The clock starts.
    StartClock,
    /// The clock stops.
    StopClock,
    /// A square notices nothing for so many microseconds.
    Deaden(Square, u64),
    /// For one scan, a square shows this.
    Misread(Square, Option<Piece>),
    /// The line goes down.
    Unplug,
    /// The line comes up again.
    PlugIn,
    /// Nothing is done, but a grader may want to know.
    Mark(Mark),
    /// Something is told.
    Tell(Progress),
}

/// A moment that nobody at the board can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The last piece of a ply (counted from 0) has been released.
    Made {
        /// Which.
        ply: usize,
    },
    /// The game has been over for a while, and somebody begins to do something else.
    After,
    /// The kings show this result and stay: the winner, or none.
    Shown(Option<Color>),
}
