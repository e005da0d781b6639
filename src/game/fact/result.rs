//! The result of a game, and why it ended.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AnnouncedMove;
use remisd_laws::{AutomaticKind, Ply, Score};

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
    /// The move that was announced for a correct claim: it is part of the record, but
    /// was not made on the board (6.2.1.1 of 2023).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub announced: Option<AnnouncedMove>,
    /// Whether it may be published: immediately, or after the arbiter's confirmation.
    pub confirmed: bool,
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
    /// Threefold repetition, claimed.
    ThreefoldClaim,
    /// Fifty moves, claimed.
    FiftyMoveClaim,
    /// The players have agreed to a draw.
    Agreement,
    /// Resignation.
    Resignation,
    /// A flag has fallen.
    FlagFall,
    /// An illegal move that loses.
    IllegalMove,
    /// An illegal position remained after the next move.
    IllegalPosition,
    /// A claim in the last two minutes.
    Quickplay,
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
