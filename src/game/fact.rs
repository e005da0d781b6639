//! What has become true at a board.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Square};

use super::{Alert, Answer, Cause};
use crate::{
    board::event::Orientation,
    dead::Verdict,
    hand::{DifferingSquare, MismatchReason, SettledBy},
    laws::{AutomaticKind, Ply, Rate},
};

/// What has become true.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Fact {
    /// A game has begun.
    GameStarted {
        /// Its number: the `seq` of the entry that began it.
        game: u64,
        /// The starting position.
        start_fen: String,
        /// The edition of the Laws.
        laws: String,
        /// The rate of play.
        rate: Rate,
        /// Why it began; absent when somebody commanded it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cause: Option<Cause>,
    },
    /// A game was left without a result when another one began.
    GameLeft {
        /// Its number.
        game: u64,
        /// Its plies.
        ply: Ply,
    },
    /// The game goes on from another position.
    PositionSet {
        /// The position, which is the game's ply 0 now.
        fen: String,
    },
    /// The PGN tags have changed.
    HeadersSet {
        /// All of them.
        headers: BTreeMap<String, String>,
    },
    /// A move has been made.
    MoveMade {
        /// Its ply.
        ply: Ply,
        /// UCI.
        uci: String,
        /// Standard algebraic notation.
        san: String,
        /// The position after it.
        fen: String,
        /// What put it beyond doubt; absent for a move that took another one's place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<SettledBy>,
        /// The game was over before it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        after_end: bool,
    },
    /// The last move was another one than it had seemed; the right one follows.
    MoveRetracted {
        /// Its ply.
        ply: Ply,
        /// What it was, in UCI.
        uci: String,
    },
    /// The Laws have ended the game.
    Ended {
        /// The ply at which they did.
        ply: Ply,
        /// Why.
        kind: AutomaticKind,
        /// The article.
        article: String,
    },
    /// An end was taken back together with the ply that made it.
    EndRetracted {
        /// The ply.
        ply: Ply,
    },
    /// The game has a result.
    ResultSet(GameResult),
    /// The arbiter has confirmed the result.
    ResultConfirmed {
        /// Who.
        by: String,
    },
    /// Whether either side can still mate.
    DeadVerdict {
        /// After which ply.
        ply: Ply,
        /// The answer.
        verdict: Verdict,
    },
    /// No legal move explains the board.
    TrackingLost {
        /// Why.
        reason: MismatchReason,
        /// The squares that differ.
        squares: Vec<SeenSquare>,
    },
    /// The board agrees with the game again.
    TrackingRestored,
    /// A daemon has taken up the board.
    DaemonStarted {
        /// Its version.
        version: String,
    },
    /// The line to the board came up or went down.
    LinkChanged {
        /// Whether the board answers.
        up: bool,
        /// Why not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The board was found to lie the other way round.
    OrientationChanged {
        /// How it lies.
        orientation: Orientation,
    },
    /// An alert was raised.
    AlertRaised(Alert),
    /// An alert's cause is gone.
    AlertCleared {
        /// Which.
        id: String,
    },
    /// An alert was acknowledged.
    AlertAcknowledged {
        /// Which.
        id: String,
        /// By whom.
        by: String,
    },
    /// A command was answered.
    Answered(Answer),
    /// An input made no sense here and changed nothing.
    Refused {
        /// Why.
        reason: String,
    },
}

/// How a game ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GameResult {
    /// The score.
    pub score: Score,
    /// Why.
    pub reason: ResultReason,
    /// The article, where the Laws ended the game by themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub article: Option<String>,
    /// The ply at which the game was over.
    pub ply: Ply,
    /// Whether it may be told to everybody: at once, or after the arbiter's word.
    pub confirmed: bool,
}

/// The score of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Score {
    /// White has won.
    #[serde(rename = "1-0")]
    WhiteWins,
    /// Black has won.
    #[serde(rename = "0-1")]
    BlackWins,
    /// Drawn.
    #[serde(rename = "1/2-1/2")]
    Draw,
    /// Neither player wins, by the arbiter's decision.
    #[serde(rename = "0-0")]
    BothLose,
    /// No result: play goes on, or a result is withdrawn.
    #[serde(rename = "*")]
    None,
}

impl Score {
    /// The score when `winner` wins.
    #[must_use]
    pub const fn won_by(winner: Color) -> Self {
        match winner {
            Color::White => Self::WhiteWins,
            Color::Black => Self::BlackWins,
        }
    }
}

/// Why a game has its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultReason {
    /// Checkmate.
    Checkmate,
    /// Stalemate.
    Stalemate,
    /// Dead position.
    DeadPosition,
    /// Fivefold repetition.
    Fivefold,
    /// 75 moves.
    SeventyFiveMove,
    /// Entered by the arbiter.
    Arbiter,
}

impl From<AutomaticKind> for ResultReason {
    fn from(kind: AutomaticKind) -> Self {
        match kind {
            AutomaticKind::Checkmate => Self::Checkmate,
            AutomaticKind::Stalemate => Self::Stalemate,
            AutomaticKind::DeadPosition => Self::DeadPosition,
            AutomaticKind::Fivefold => Self::Fivefold,
            AutomaticKind::SeventyFiveMove => Self::SeventyFiveMove,
        }
    }
}

/// A square on which game and sensors differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenSquare {
    /// The square: `e4`.
    pub square: String,
    /// What should stand there, as in FEN; null for nothing.
    pub expected: Option<char>,
    /// What the sensors see there; null for nothing.
    pub seen: Option<char>,
}

impl From<&DifferingSquare> for SeenSquare {
    fn from(differing: &DifferingSquare) -> Self {
        Self {
            square: Square::to_string(&differing.square),
            expected: differing.expected.map(shakmaty::Piece::char),
            seen: differing.seen.map(shakmaty::Piece::char),
        }
    }
}
