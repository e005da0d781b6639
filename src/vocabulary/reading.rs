//! The settings of an engine that reads hands, and what it concludes from the sensors.
//!
//! Every engine has these types in common, so that one can replace another.

use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Move, Piece, Square};

use crate::{sensor::Seen, time::Span};

/// What a pawn has become that was promoted on a board without kinds of pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Promotion {
    /// A queen, until the arbiter corrects it; the reading says that it was assumed.
    #[default]
    Queen,
    /// Unknown: the move is settled when the arbiter names the piece, or when play shows it.
    Ask,
}

/// The time limits and options of a tracker. All times are those of human hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Squares that no legal line explains are reported when nothing has changed for this long.
    pub mismatch_after: Span,
    /// If the only difference is one or two missing pieces, which may be held in the hand, they are
    /// reported when nothing has changed for this long.
    pub in_hand_after: Span,
    /// The starting position begins a new game when it has been there this long.
    pub new_game_after: Span,
    /// Whether the starting position begins a new game at all.
    pub new_games: bool,
    /// Squares that nothing explains are reported after this long even if the board keeps changing.
    pub motion_after: Span,
    /// A piece that has been lifted for this long has certainly been touched.
    pub touch_after: Span,
    /// A square is considered faulty when it has contradicted the most likely hypothesis of the
    /// game for this long.
    pub fault_after: Span,
    /// Kings in the centre, or a result piece, show a result when the board has not changed for
    /// this long.
    pub result_after: Span,
    /// Whether players show results on the board.
    pub result_signs: bool,
    /// Whether to learn from the moves which side of the clock is White's, because no one has set
    /// it.
    pub learn_clock: bool,
    /// How to treat promotions on boards that cannot identify their pieces.
    pub promotion: Promotion,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mismatch_after: Span::from_millis(2_000),
            in_hand_after: Span::from_millis(30_000),
            new_game_after: Span::from_millis(3_000),
            new_games: true,
            motion_after: Span::from_millis(10_000),
            touch_after: Span::from_millis(500),
            fault_after: Span::from_millis(6_000),
            result_after: Span::from_millis(5_000),
            result_signs: true,
            learn_clock: true,
            promotion: Promotion::Queen,
        }
    }
}

/// A conclusion that the tracker draws from the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// A legal move was made in the settled position.
    Settled(Settled),
    /// The move that was settled last is replaced by another one, because its piece has moved on.
    /// The replacement was seen, see [`SettledBy::is_seen`]. If it was the first step of clearing
    /// the board, a second revision restores the earlier move.
    Revised {
        /// The replacement.
        now: Move,
    },
    /// The move that was settled last was not a move: its piece was knocked over, it was taken
    /// back, or somebody was clearing the board. Several moves are withdrawn with the last one
    /// first.
    Withdrawn,
    /// No legal line explains the squares with certainty.
    Mismatch(Mismatch),
    /// The squares agree with the game again, or the wrong starting position for the next one is
    /// gone.
    Agreed,
    /// The player having the move has lifted a piece of either side from the settled
    /// position.
    Touched {
        /// The square of the piece.
        square: Square,
        /// The player having the move.
        by: Color,
        /// Whether the piece stayed up for long or was played, and so was not just brushed. Each
        /// lift is reported once as unsure, and again when it is sure. An opponent's piece is never
        /// sure.
        sure: bool,
    },
    /// This move was perhaps on the board when the game was left for another one. It is not
    /// settled. Comes only before [`Reading::NewGame`].
    Unsettled(Move),
    /// The starting position has been set up for a new game.
    NewGame,
    /// The players have shown a result on the board. It is a proposal, never a move.
    Proposed(Proposal),
    /// The sensors of these squares contradict the moves of the game. They are ignored until they
    /// agree again. The set is empty when no square is faulty any more.
    Faulty(Bitboard),
}

/// A result that the players have shown on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proposal {
    /// The winner; `None` for a draw.
    pub winner: Option<Color>,
    /// How they have shown it.
    pub sign: Sign,
}

/// How players show a result on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// Both kings stand on central squares. Two light squares mean that White has won, two dark
    /// ones that Black has won, one of each a draw (DGT's help page on results).
    Kings,
    /// A piece that means a result is on the board.
    ResultPiece,
    /// The program that writes the game has entered it.
    Source,
}

/// A move that the tracker has settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The move.
    pub m: Move,
    /// What settled it.
    pub by: SettledBy,
}

/// The reason why a move was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettledBy {
    /// The opponent lifted a piece.
    OpponentLifted,
    /// The opponent's reply is already on the board.
    Reply,
    /// The player pressed the clock, or the clock was stopped while the move was on the board.
    Clock,
    /// The board alone showed it, before a press or a reply.
    StoodStill,
    /// A command confirmed it: one by the opponent, or one that closed the game.
    Answered,
    /// It was made during an outage. The unique shortest line that explains the board after the
    /// outage is settled, so repetitions during the outage are unknown.
    Reconstructed,
    /// A promotion whose piece is assumed: a queen on a board that cannot identify its pieces, or a
    /// rook that may be an inverted one.
    Assumed,
    /// Another program has written it: no sensor of this board has seen it.
    Source,
}

impl SettledBy {
    /// Whether the board's sensors saw the move being made.
    #[must_use]
    pub const fn is_seen(self) -> bool {
        !matches!(self, Self::Reconstructed | Self::Assumed | Self::Source)
    }
}

/// A difference between the board and the game that no legal line explains with certainty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The most likely reason.
    pub reason: MismatchReason,
    /// The squares on which the sensors differ from the most likely position, or from the starting
    /// position.
    pub squares: Vec<DifferingSquare>,
    /// For an ambiguity, the possible lines.
    pub candidates: Vec<Vec<Move>>,
    /// How many of the last settled plies are in doubt again: the mismatch may mean that they were
    /// not played as they were settled.
    pub doubted: usize,
}

/// Why the squares cannot be explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MismatchReason {
    /// No line of legal moves leads to what the board shows.
    NoLegalMove,
    /// A pawn stands on the first or the eighth rank.
    PawnNotPromoted,
    /// Pieces have been missing for too long, and no other square differs.
    PieceMissing,
    /// Lines of legal moves lead to what the board shows, but none is certain.
    Ambiguous,
    /// The board shows an earlier position of the game: moves were taken back.
    EarlierPosition,
    /// The game is over, and the starting position for the next one is set up wrongly, so that no
    /// game begins.
    StartArray,
}

/// A square on which game and sensors differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DifferingSquare {
    /// The square.
    pub square: Square,
    /// The piece that should stand there.
    pub expected: Option<Piece>,
    /// What the sensors show there.
    pub seen: Seen,
}

/// How well the tracker understands what the board shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// The board shows the settled position.
    Certain,
    /// A move is being made, or has not rested long enough to be settled.
    Moving,
    /// Nothing explains what the board shows, or several lines do.
    Uncertain,
    /// An outage: the board is not seen.
    Blind,
}
