//! What is done to the board, its line and the clock.

use shakmaty::{Color, Piece, Square};

use crate::simulate::play::Progress;

/// One action on the board, its line or the clock, or a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// A piece, or nothing, is on a square from now on.
    Put(Square, Option<Piece>),
    /// A player presses the clock and then has this time, if it is known.
    Press {
        /// The player.
        by: Color,
        /// The time in milliseconds.
        time_ms: Option<u64>,
    },
    /// Both times and the lever are set; the clock stops.
    SetClock {
        /// The time of both, in milliseconds.
        time_ms: u64,
        /// The player whose side of the lever is up.
        to_move: Color,
    },
    /// The clock starts.
    StartClock,
    /// The clock stops.
    StopClock,
    /// A square notices nothing for this many microseconds.
    Deaden(Square, u64),
    /// A square shows this for one scan.
    Misread(Square, Option<Piece>),
    /// The line goes down.
    Unplug,
    /// The line comes up again.
    PlugIn,
    /// Nothing is done, but a grader may need the moment.
    Mark(Mark),
    /// A report is sent.
    Report(Progress),
}

/// A moment that is not visible at the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The last piece of a ply has been released.
    Made {
        /// The ply, counted from 0.
        ply: usize,
    },
    /// The game has been over for a while, and the pieces are now used for something else.
    After,
    /// The kings show this result and stay: the winner, or none.
    Shown(Option<Color>),
}
