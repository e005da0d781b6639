//! What hands do in one stream, as a list of times: squares, clock, truth.

use crate::Millis;
use shakmaty::{Color, Square};

use crate::{
    truth::{Truth, What},
    world::{Act, Stood},
};

/// What is done to the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockDeed {
    /// The player presses the lever on their side.
    Press(Color),
    /// The clock is started, or continues after a stop.
    Run,
    /// The clock is stopped.
    Stop,
    /// The arbiter or the players put the lever so that this side is to move, standing.
    Lever(Color),
    /// The cable is pulled.
    Unplug,
    /// The cable is put back.
    Plug,
    /// The times are set for a new game; the clock is stopped, White to move.
    Reset,
}

/// A gesture that took place: for tests, and to sort what went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Note {
    /// A capture of any kind.
    Capture,
    /// A captured piece was dragged over a neighbouring square.
    Dragged,
    /// A piece slid over squares on its way.
    Slid,
    /// A finger rested on a piece on an intermediate square, and moved on.
    LongRest,
    /// A piece was put right on its square.
    Adjusted,
    /// A piece was lifted and put back.
    Hesitated,
    /// A piece was put down off its centre.
    Leaned,
    /// A sleeve moved another piece.
    Bumped,
    /// A press was forgotten.
    PressForgotten,
    /// The clock was pressed before the piece was released.
    PressedEarly,
    /// The clock was pressed long after the move.
    PressedLate,
    /// The clock was pressed twice.
    PressedTwice,
    /// The clock was pressed without a move.
    PressedFromHabit,
    /// An illegal move was taken back.
    Illegal,
    /// A legal move was taken back after it had been made.
    TakenBack,
    /// Pieces fell.
    KnockedOver,
    /// The wrong piece was put down at a promotion, and exchanged.
    WrongPromotion,
    /// A dispute about a touched piece: the clock stopped, the piece put back.
    Dispute,
    /// A promotion to an upside-down rook that is played as a queen.
    InvertedRook,
    /// A promotion to an upside-down rook that was exchanged for a queen.
    InvertedRookExchanged,
    /// The clock was stopped to fetch a queen.
    QueenFetched,
    /// A promotion of the ordinary kind.
    Promoted,
    /// Analysis after the end.
    Analysis,
    /// The kings were put in the centre.
    KingsSign,
    /// A king was tipped over.
    KingTipped,
    /// The pieces were pushed together.
    PushedTogether,
    /// The board was cleared.
    Cleared,
    /// The array was set up again.
    NextArray,
    /// A second game was played.
    SecondGame,
    /// The clock was stopped in the middle of a game.
    ClockStopped,
    /// The clock was unplugged.
    ClockUnplugged,
    /// The board was out of sight.
    Outage,
    /// A square was dead.
    DeadSquare,
    /// A look at a square was wrong.
    Misread,
    /// An update was lost on the line.
    LostUpdate,
}

/// Everything that hands did in one stream.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Changes of squares.
    pub acts: Vec<Act>,
    /// What was done to the clock.
    pub clock: Vec<(Millis, ClockDeed)>,
    /// What really happened.
    pub truth: Truth,
    /// Which gestures took place.
    pub notes: Vec<(Millis, Note)>,
    /// When the stream ends.
    pub end: Millis,
}

impl Script {
    /// Changes a square.
    pub fn act(&mut self, at: Millis, square: Square, stood: Option<Stood>) {
        self.acts.push(Act { at, square, stood });
    }

    /// Does something to the clock.
    pub fn clock(&mut self, at: Millis, deed: ClockDeed) {
        self.clock.push((at, deed));
    }

    /// Writes down what happened.
    pub fn happened(&mut self, at: Millis, what: What) {
        self.truth.push(at, what);
    }

    /// Writes down a gesture.
    pub fn note(&mut self, at: Millis, note: Note) {
        self.notes.push((at, note));
    }

    /// Whether the gesture took place.
    #[must_use]
    pub fn has(&self, note: Note) -> bool {
        self.notes.iter().any(|&(_, other)| other == note)
    }

    /// Puts everything into the order of time and fixes the end.
    pub fn finish(&mut self, end: Millis) {
        self.acts.sort_by_key(|act| act.at);
        self.clock.sort_by_key(|&(at, _)| at);
        self.notes.sort_by_key(|&(at, _)| at);
        self.end = end;
    }
}
