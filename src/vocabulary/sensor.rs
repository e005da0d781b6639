//! The events that a board's sensors report, for any family of boards.
//!
//! This is everything `remisd_board` passes to `remisd_hand`. Squares are chess squares: the
//! board's driver has already converted those of a rotated board.

use std::{
    fmt::{self, Write as _},
    str::FromStr,
};

use shakmaty::{Color, File, Piece, Rank, Square};

use crate::time::Moment;

/// One report of a board, with the time of its arrival.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoardEvent {
    /// When its last byte arrived.
    pub at: Moment,
    /// The content of the report.
    pub sensed: Sensed,
}

/// The content of a board's report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sensed {
    /// One square changed.
    Square(Square, Seen),
    /// A dump of all squares: the truth, as far as the board knows it.
    Placement(Placement),
    /// The clock's times or its lever changed.
    Clock(ClockReading),
    /// The orientation found for the board changed.
    Orientation(Orientation),
    /// The link came up, went down, or has something to report about itself.
    Link(LinkReport),
}

/// What a sensor sees on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Seen {
    /// Nothing.
    #[default]
    Empty,
    /// A chess piece.
    Piece(Piece),
    /// A piece that the board cannot identify.
    Occupied,
    /// An object that is not a chess piece and declares a result.
    ResultPiece(ResultPiece),
}

impl Seen {
    /// The chess piece, if there is one.
    #[must_use]
    pub const fn piece(self) -> Option<Piece> {
        match self {
            Self::Piece(piece) => Some(piece),
            Self::Empty | Self::Occupied | Self::ResultPiece(_) => None,
        }
    }
}

/// A special piece placed on the board to declare a result (DGT's codes D, E, F).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ResultPiece {
    /// The game is drawn.
    Draw,
    /// White has won.
    WhiteWins,
    /// Black has won.
    BlackWins,
}

/// All 64 squares as the sensors see them: raw, not necessarily a legal position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Placement([Seen; 64]);

impl Placement {
    /// An empty board.
    #[must_use]
    pub const fn empty() -> Self {
        Self([Seen::Empty; 64])
    }

    /// The start position of a game of chess.
    #[must_use]
    pub fn start() -> Self {
        Self::from(&shakmaty::Board::new())
    }

    /// What is on `square`.
    #[must_use]
    pub const fn get(&self, square: Square) -> Seen {
        self.0[square as usize]
    }

    /// Puts `seen` on `square` and returns its previous content.
    pub const fn set(&mut self, square: Square, seen: Seen) -> Seen {
        std::mem::replace(&mut self.0[square as usize], seen)
    }

    /// The placement as seen from the other side of the board (a1 becomes h8).
    #[must_use]
    pub fn rotated(&self) -> Self {
        let mut turned = self.0;
        turned.reverse();
        Self(turned)
    }

    /// The squares on which two placements differ, from a1 to h8.
    pub fn differing(&self, other: &Self) -> impl Iterator<Item = Square> {
        Square::ALL
            .into_iter()
            .filter(move |&square| self.get(square) != other.get(square))
    }
}

/// The squares as the first field of a FEN.
///
/// `?` is a piece that the board cannot identify. A piece that declares a result counts as an empty
/// square.
///
/// ```
/// use remisd_vocabulary::sensor::{Placement, Seen};
/// use shakmaty::Square;
///
/// let mut placement = Placement::start();
/// placement.set(Square::E2, Seen::Empty);
/// placement.set(Square::E4, Seen::Occupied);
/// let text = placement.to_string();
/// assert_eq!(text, "rnbqkbnr/pppppppp/8/8/4?3/8/PPPP1PPP/RNBQKBNR");
/// assert_eq!(text.parse(), Ok(placement));
/// ```
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (row, rank) in Rank::ALL.into_iter().rev().enumerate() {
            if row > 0 {
                f.write_char('/')?;
            }
            let mut empty = 0;
            for file in File::ALL {
                let sign = match self.get(Square::from_coords(file, rank)) {
                    Seen::Piece(piece) => piece.char(),
                    Seen::Occupied => '?',
                    Seen::Empty | Seen::ResultPiece(_) => {
                        empty += 1;
                        continue;
                    }
                };
                if empty > 0 {
                    write!(f, "{empty}")?;
                    empty = 0;
                }
                f.write_char(sign)?;
            }
            if empty > 0 {
                write!(f, "{empty}")?;
            }
        }
        Ok(())
    }
}

/// The error for a text that is not the first field of a FEN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not 8 ranks of 8 squares")]
pub struct PlacementError;

impl FromStr for Placement {
    type Err = PlacementError;

    fn from_str(text: &str) -> Result<Self, PlacementError> {
        let mut placement = Self::empty();
        let mut rows = text.split('/');
        for rank in Rank::ALL.into_iter().rev() {
            let mut files = File::ALL.into_iter();
            for sign in rows.next().ok_or(PlacementError)?.chars() {
                let seen = match (sign, sign.to_digit(9)) {
                    ('?', _) => Seen::Occupied,
                    (_, Some(empty @ 1..)) => {
                        for _ in 0..empty {
                            files.next().ok_or(PlacementError)?;
                        }
                        continue;
                    }
                    _ => Seen::Piece(Piece::from_char(sign).ok_or(PlacementError)?),
                };
                let file = files.next().ok_or(PlacementError)?;
                placement.set(Square::from_coords(file, rank), seen);
            }
            if files.next().is_some() {
                return Err(PlacementError);
            }
        }
        rows.next()
            .is_none()
            .then_some(placement)
            .ok_or(PlacementError)
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

/// The state of a chess clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockReading {
    /// White's remaining time in milliseconds.
    pub white_ms: u64,
    /// Black's remaining time in milliseconds.
    pub black_ms: u64,
    /// The player whose time is running; `None` while the clock is stopped.
    pub running: Option<Color>,
    /// The player to move by the lever, whether or not the clock runs.
    pub lever: Option<Color>,
    /// The player whose flag has fallen, if any.
    pub flag: Option<Color>,
    /// Whether the clock's battery is low.
    pub low_battery: bool,
}

impl ClockReading {
    /// The reading of a clock that is placed the other way round.
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

/// The side of the board on which White sits.
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
    /// As the maker intended.
    #[default]
    Normal,
    /// Turned by 180 degrees.
    Rotated,
}

/// The state of the link to a board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkReport {
    /// The board answered after the port was opened (again).
    Up(Device),
    /// The board has since reported more about itself.
    Device(Device),
    /// The port could not be opened, or the board was lost.
    Down {
        /// The reason as a code.
        code: DownCode,
        /// The reason as English text, with the port and a remedy.
        reason: String,
    },
    /// Counters, reported when they change, at most about once a second.
    Counters(LinkCounters),
}

/// Why a board is not available.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DownCode {
    /// The port does not exist.
    Missing,
    /// The user lacks permission to open the port.
    Denied,
    /// Another program holds the port.
    Busy,
    /// The port could not be opened for another reason.
    NotOpened,
    /// No chessboard answers on the port.
    NeverAnswered,
    /// A board other than the configured one answers.
    OtherBoard,
    /// The board is a draughts board, or set to draughts.
    Draughts,
    /// The board has stopped answering.
    Silent,
    /// The connection broke.
    LineLost,
    /// The port disappeared: the cable was pulled.
    Unplugged,
    /// The games that another program writes cannot be read, or none is this board's.
    Source,
}

/// What a board reports about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Device {
    /// The family, as in the configuration: `dgt`.
    pub kind: &'static str,
    /// The port on which it was found.
    pub port: String,
    /// The board's own serial number, unchanged.
    pub serial: Option<String>,
    /// The firmware version, unchanged.
    pub version: Option<String>,
    /// The battery's charge in percent, if the board has a battery.
    pub battery: Option<u8>,
}

/// Statistics of the link since it was opened.
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
    /// Messages decoded.
    pub frames: u64,
    /// Bytes that belong to no message.
    pub noise_bytes: u64,
    /// Messages of an unknown kind, skipped.
    pub unknown_frames: u64,
    /// Messages refused for their length or content.
    pub bad_frames: u64,
    /// How often the port was reopened.
    pub reconnects: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_not_64_squares_is_refused() {
        let start = Placement::start().to_string();
        assert_eq!(start, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        assert_eq!(start.parse(), Ok(Placement::start()));
        for bad in [
            "",
            "8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8/8",
            "9/8/8/8/8/8/8/8",
            "7/8/8/8/8/8/8/8",
            "8p/8/8/8/8/8/8/8",
            "0p7/8/8/8/8/8/8/8",
            "x7/8/8/8/8/8/8/8",
            "8/8/8/8/8/8/8/8 w",
        ] {
            assert_eq!(bad.parse::<Placement>(), Err(PlacementError), "{bad}");
        }
    }

    #[test]
    fn a_piece_that_declares_a_result_is_no_chess_piece() {
        let mut placement = Placement::empty();
        placement.set(Square::A8, Seen::ResultPiece(ResultPiece::Draw));
        assert_eq!(placement.to_string(), "8/8/8/8/8/8/8/8");
    }
}
