//! Sensor events → moves: what the hand did, and how sure we are.
//!
//! A [`Tracker`] stands at the last settled position of a game and is told what
//! the sensors see. It keeps every short line of legal moves that could explain
//! the squares ([`Hypothesis`]), and says [`Reading::Settled`] only when one of
//! them is beyond doubt: the opponent has lifted a piece, the clock lever has
//! turned, the opponent's reply stands on the board, or nothing has moved for a
//! while. What no legal line explains is a [`Reading::Mismatch`] with the squares,
//! never a guess; the tracker goes on when the board agrees again.
//!
//! It is a pure state machine: times come in with the events, and
//! [`Tracker::deadline`] says when [`Tracker::tick`] wants to be called.
//!
//! ```
//! use remisd_hand::{Reading, Settings, Tracker};
//! use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
//! use shakmaty::{Chess, Color, Role, Square};
//!
//! let mut tracker = Tracker::new(Settings::default(), Chess::default());
//! let pawn = Seen::Piece(Role::Pawn.of(Color::White));
//! tracker.sense(&Sensed::Placement(Placement::start()), 0);
//! tracker.sense(&Sensed::Square(Square::E2, Seen::Empty), 100);
//! tracker.sense(&Sensed::Square(Square::E4, pawn), 400);
//! // He has touched it; the pawn may still slide on.
//! assert!(matches!(tracker.readings()[..], [Reading::Touched { .. }]));
//! tracker.sense(&Sensed::Square(Square::E7, Seen::Empty), 900);
//! // Black has lifted: White's move is made, and Black has touched his pawn.
//! let readings = tracker.readings();
//! let settled = readings.iter().position(|reading| matches!(reading, Reading::Settled(_)));
//! let touched = readings.iter().rposition(|reading| matches!(reading, Reading::Touched { .. }));
//! assert!(settled.is_some() && settled < touched);
//! ```
#![forbid(unsafe_code)]

mod before_sign;
mod castling;
mod changes;
mod choice;
mod clock_way;
mod contested;
mod course;
mod decide;
mod doubt;
mod due;
mod evidence;
mod explain;
mod fallen;
mod faulty;
mod gap;
mod hypothesis;
mod keep;
mod lead;
mod lever;
mod mismatch;
mod new_game;
mod order;
mod origins;
mod paused;
mod present;
mod pressed;
mod promotion;
mod reconsider;
mod result;
mod search;
mod sensing;
mod settle;
mod sight;
mod stands;
mod story;
mod touch;
mod tracker;

pub use hypothesis::Hypothesis;
pub use promotion::Promotion;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Move, Piece, Square};
pub use sight::Difference;
pub use tracker::Tracker;

use remisd_vocabulary::{sensor::Seen, time::Millis};

/// How patient the tracker is. All times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// A move that has stood this long is settled, if nothing else settled it before.
    pub settle_ms: Millis,
    /// The same for a rook move that may be the first half of castling.
    pub castling_hold_ms: Millis,
    /// Squares that no legal line explains are reported after this long.
    pub mismatch_ms: Millis,
    /// A piece that is only missing, as one held in the hand, is reported after this long.
    pub in_hand_ms: Millis,
    /// The start array means a new game when it has stood this long.
    pub new_game_ms: Millis,
    /// A move must have stood this long before the opponent's lift settles it; sooner,
    /// its piece may still be on the way.
    pub lift_ms: Millis,
    /// Whether the start array means a new game at all.
    pub new_games: bool,
    /// The least time after which a move is settled by time where a clock lever is
    /// pressed after each move.
    pub with_lever_ms: Millis,
    /// How long a board takes to look at all of its squares: what is told within this time
    /// comes in any order. 200 to 250 ms for DGT's boards.
    pub scan_ms: Millis,
    /// Squares that nothing explains are reported after this long even if the board is
    /// never still.
    pub motion_ms: Millis,
    /// A piece that is lifted for longer is touched beyond doubt.
    pub touch_ms: Millis,
    /// A square must contradict everything for this long to be taken for faulty.
    pub fault_ms: Millis,
    /// Kings in the centre, or a piece that stands for a result, mean a result when they
    /// have stood this long. A king's step to the centre is held back for as long.
    pub result_ms: Millis,
    /// Whether results are shown on the board at all.
    pub result_signs: bool,
    /// Whether nobody has said how the clock stands, so that it is learnt from who moves.
    pub learn_clock: bool,
    /// What a pawn becomes on boards that do not know their pieces.
    pub promotion: Promotion,
    /// How many times faster than people's the hands are; at least 1. All other times
    /// are those of people's hands. For simulated boards.
    pub speed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            settle_ms: 900,
            castling_hold_ms: 3_000,
            mismatch_ms: 2_000,
            in_hand_ms: 30_000,
            new_game_ms: 3_000,
            lift_ms: 300,
            new_games: true,
            with_lever_ms: 2_500,
            scan_ms: 280,
            motion_ms: 10_000,
            touch_ms: 500,
            fault_ms: 6_000,
            result_ms: 5_000,
            result_signs: true,
            learn_clock: true,
            promotion: Promotion::Queen,
            speed: 1,
        }
    }
}

/// What the tracker made of the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// A legal move has been made in the settled position.
    Settled(Settled),
    /// The move that was settled last was another one: the piece has gone on. Where what
    /// looked so was the first step of clearing the board, the move that had stood comes
    /// back by another one of these.
    Revised {
        /// The move that takes its place.
        now: Move,
    },
    /// The move that was settled last was none: it was a step of clearing the board for a
    /// new game, which follows. Up to four of these may come, the last move first.
    Withdrawn,
    /// No legal line explains the squares.
    Mismatch(Mismatch),
    /// The squares agree with the game again.
    Agreed,
    /// The player having the move has lifted one of his pieces from the settled position.
    Touched {
        /// From which square.
        square: Square,
        /// Who.
        by: Color,
        /// Whether it stayed up for long or was played, so that it cannot have been
        /// brushed by. It is told once as unsure, and once more when it is sure.
        sure: bool,
    },
    /// The start array has been set up for a new game.
    NewGame,
    /// The players have shown a result on the board. It is a proposal, and never a move.
    Proposed(Proposal),
    /// The sensors of these squares contradict everything that was played, and are not
    /// listened to until they agree again. Empty: all of them do.
    Faulty(Bitboard),
}

/// A result that was shown on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposal {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// How it was shown.
    pub sign: Sign,
}

/// How a result is shown on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Both kings stand on the squares in the centre: on light ones White has won, on
    /// dark ones Black has, on one of each it is a draw (DGT's help page on results).
    Kings,
    /// A piece that stands for a result was put on the board.
    ResultPiece,
}

/// A move beyond doubt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The move.
    pub m: Move,
    /// What settled it.
    pub by: SettledBy,
}

/// What put a move beyond doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettledBy {
    /// The opponent lifted a piece.
    OpponentLifted,
    /// The opponent's reply already stands on the board.
    Reply,
    /// The clock lever turned to the opponent, or the clock was stopped while the move stood.
    Clock,
    /// Nothing moved for a while.
    StoodStill,
    /// A command answered it: the opponent's, or one that closed the game.
    Answered,
    /// It was made while the board was out of sight: the only shortest line that explains
    /// what was found is taken, so repetitions in between are not known.
    Reconstructed,
    /// A promotion on a board that does not know its pieces: taken for a queen.
    Assumed,
}

/// The squares that no legal line explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Why it is no legal position of this game, as far as can be said.
    pub reason: MismatchReason,
    /// Where the sensors differ from the nearest position that would be legal.
    pub squares: Vec<DifferingSquare>,
    /// For an ambiguity: the lines that are all possible.
    pub candidates: Vec<Vec<Move>>,
    /// How many of the settled plies, the last ones, are in doubt again: they may not be as they were
    /// read, for what speaks against the game may speak against them.
    pub doubted: usize,
}

/// Why the squares cannot be explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MismatchReason {
    /// No line of legal moves leads here.
    NoLegalMove,
    /// A pawn stands on its last rank.
    PawnNotPromoted,
    /// A piece has been missing for long.
    PieceMissing,
    /// Lines of legal moves lead here, and none of them is beyond doubt.
    Ambiguous,
    /// The board shows an earlier position of the game: pieces were taken back.
    EarlierPosition,
}

/// A square on which game and sensors differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DifferingSquare {
    /// The square.
    pub square: Square,
    /// What should stand there.
    pub expected: Option<Piece>,
    /// What the sensors see there.
    pub seen: Seen,
}

/// How well what is seen is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The board shows the settled position.
    Certain,
    /// A move is being made, or has not stood long enough.
    Moving,
    /// What is seen is not understood, or can be understood in several ways.
    Uncertain,
    /// The board is out of sight.
    Blind,
}
