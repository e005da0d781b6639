//! What the sensors of a board report, whatever family it is of.
//!
//! This is the whole vocabulary between `remisd_board` and `remisd_hand`. Squares are chess
//! squares: the board's reader has turned a rotated board already.

use shakmaty::{Color, Piece, Square};

use crate::time::Millis;

/// One thing that a board told, and when it was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardEvent {
    /// When the last byte of it came in, in milliseconds since the daemon began.
    pub at: Millis,
    /// What was told.
    pub sensed: Sensed,
}

/// What a board told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sensed {
    /// One square has changed.
    Square(Square, Seen),
    /// All squares at once: the truth, as far as the board knows it.
    Placement(Placement),
    /// The clock's times or its lever have changed.
    Clock(ClockReading),
    /// The board was found to lie (or no longer to lie) with White on the other side.
    Orientation(Orientation),
    /// The line came up, went down, or has something to report of itself.
    Link(LinkReport),
}

/// What stands on a square, as a sensor sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Seen {
    /// Nothing.
    #[default]
    Empty,
    /// A chess piece.
    Piece(Piece),
    /// Something, of which the board cannot say what it is.
    Occupied,
    /// A piece that is no chess piece: it declares a result.
    ResultPiece(ResultPiece),
}

impl Seen {
    /// The chess piece, if it is one.
    #[must_use]
    pub const fn piece(self) -> Option<Piece> {
        match self {
            Self::Piece(piece) => Some(piece),
            Self::Empty | Self::Occupied | Self::ResultPiece(_) => None,
        }
    }
}

/// A piece that is put on the board to declare a result (DGT's codes D, E, F).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResultPiece {
    /// The game is drawn.
    Draw,
    /// White has won.
    WhiteWins,
    /// Black has won.
    BlackWins,
}

/// All 64 squares as the sensors see them: raw, not necessarily a chess position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Placement([Seen; 64]);

impl Placement {
    /// An empty board.
    #[must_use]
    pub const fn empty() -> Self {
        Self([Seen::Empty; 64])
    }

    /// The array at the start of a game of chess.
    #[must_use]
    pub fn start() -> Self {
        Self::from(&shakmaty::Board::new())
    }

    /// What stands on `square`.
    #[must_use]
    pub const fn get(&self, square: Square) -> Seen {
        self.0[square as usize]
    }

    /// Puts `seen` on `square` and returns what stood there.
    pub const fn set(&mut self, square: Square, seen: Seen) -> Seen {
        std::mem::replace(&mut self.0[square as usize], seen)
    }

    /// The same placement seen from the other side of the board (a1 becomes h8).
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut turned = self.0;
        turned.reverse();
        Self(turned)
    }

    /// The squares on which the two placements differ, from a1 to h8.
    pub fn differing(&self, other: &Self) -> impl Iterator<Item = Square> {
        Square::ALL
            .into_iter()
            .filter(move |&square| self.get(square) != other.get(square))
    }
}

impl From<&shakmaty::Board> for Placement {
    fn from(board: &shakmaty::Board) -> Self {
        let mut placement = Self::empty();
        for (square, piece) in board {
            placement.set(square, Seen::Piece(piece));
        }
        placement
    }
}

/// What a chess clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReading {
    /// White's remaining time in milliseconds.
    pub white_ms: u64,
    /// Black's remaining time in milliseconds.
    pub black_ms: u64,
    /// Whose time is running; `None` while the clock is stopped.
    pub running: Option<Color>,
    /// Whose move it is by the lever, whether or not the clock runs.
    pub lever: Option<Color>,
    /// The player whose flag has fallen, if any.
    pub flag: Option<Color>,
    /// The clock's battery is low.
    pub low_battery: bool,
}

impl ClockReading {
    /// The same by a clock that stands the other way round.
    #[must_use]
    pub fn reversed(self) -> Self {
        Self {
            white_ms: self.black_ms,
            black_ms: self.white_ms,
            running: self.running.map(Color::other),
            lever: self.lever.map(Color::other),
            flag: self.flag.map(Color::other),
            low_battery: self.low_battery,
        }
    }
}

/// On which side of the board White sits.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Orientation {
    /// As the board's maker meant it.
    #[default]
    Normal,
    /// Turned by 180 degrees.
    Rotated,
}

/// How the line to a board stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkReport {
    /// The board answered after the port was opened (again).
    Up(Device),
    /// It has told more of itself since.
    Device(Device),
    /// The port could not be opened, or the board was lost.
    Down {
        /// Why.
        code: DownCode,
        /// The same for people, in English, with the port and what to do.
        reason: String,
    },
    /// Counters, sent when they changed and not more than about once a second.
    Counters(LinkCounters),
}

/// Why a board does not answer.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DownCode {
    /// The port is not there.
    Missing,
    /// The port may not be opened.
    Denied,
    /// Another program has the port.
    Busy,
    /// The port could not be opened.
    NotOpened,
    /// No chessboard answers on the port.
    NeverAnswered,
    /// Another board answers than the one that was configured.
    OtherBoard,
    /// The board is one for draughts, or set to draughts.
    Draughts,
    /// The board has stopped answering.
    Silent,
    /// The line broke.
    LineLost,
    /// The port has gone: the cable was pulled.
    Unplugged,
}

/// What a board says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Device {
    /// The family, as in the configuration: `dgt`.
    pub kind: &'static str,
    /// The port it was found on.
    pub port: String,
    /// The board's own serial number, as it writes it.
    pub serial: Option<String>,
    /// The version of its firmware, as it writes it.
    pub version: Option<String>,
    /// The battery's charge in percent, where there is a battery.
    pub battery: Option<u8>,
}

/// How clean the line has been since it was opened.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub struct LinkCounters {
    /// Messages understood.
    pub frames: u64,
    /// Bytes that belonged to no message.
    pub noise_bytes: u64,
    /// Messages of a kind that is not known, skipped.
    pub unknown_frames: u64,
    /// Messages refused because of their length or content.
    pub bad_frames: u64,
    /// Times that the port was opened again.
    pub reconnects: u64,
}
