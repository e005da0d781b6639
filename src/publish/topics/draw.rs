//! `remisd/draw/1`: the state of a position under the draw rules.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Position as _};

use remisd_dead::Verdict;
use remisd_laws::{self as laws, AutomaticEnd, AutomaticKind, Basis, DrawState, Edition, Ply};
use remisd_vocabulary::notation::{MoveText, color, fen};

type Text = Cow<'static, str>;

/// The draw state after a ply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Draw {
    /// `remisd/draw/1`; empty on a topic, where it is in the envelope.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    pub schema: Text,
    /// The game: its index in the input of `replay`, its number on a board.
    pub game: u64,
    /// Halfmoves since the starting position.
    pub ply: Ply,
    /// The player having the move.
    pub turn: Text,
    /// The position, with an en passant square only if such a capture is legal.
    pub fen: String,
    /// The edition of the Laws applied.
    pub laws: Text,
    /// The move that led here; null for the starting position.
    #[serde(rename = "move")]
    pub last_move: Option<MoveText>,
    /// The occurrences of the position.
    pub repetition: Repetition,
    /// Halfmoves since the last pawn move or capture.
    pub halfmove_clock: u32,
    /// Every claim that would succeed now.
    pub claims: Vec<Claim>,
    /// Claims that would succeed only if a castling right that could not be kept is ignored: the
    /// arbiter decides. Only under editions that have been read both ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arbiter_decides: Vec<Claim>,
    /// Set on the ply at which the Laws end the game.
    pub automatic: Option<Automatic>,
    /// The game was over at an earlier ply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after_end: bool,
    /// Whether either side can still mate; absent if not evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead: Option<Verdict>,
}

/// The occurrences of a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Repetition {
    /// How often it has occurred, including now.
    pub count: u32,
    /// The plies at which it occurred, the present one last.
    pub plies: Vec<Ply>,
}

/// A claim that would succeed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The player having the move.
    pub by: Text,
    /// `threefold` or `fifty_move`.
    pub kind: Text,
    /// `appeared` or `intended`.
    pub basis: Text,
    /// The article that allows it.
    pub article: Text,
    /// The move to announce, for an intended claim.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub intended: Option<MoveText>,
    /// The intended move would itself end the game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ends_game: bool,
}

/// An end of the game that needs no claim.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Automatic {
    /// The kind of end.
    pub kind: AutomaticKind,
    /// The article that it rests on.
    pub article: Text,
}

impl From<AutomaticEnd> for Automatic {
    fn from(end: AutomaticEnd) -> Self {
        Self {
            kind: end.kind,
            article: Cow::Borrowed(end.article),
        }
    }
}

/// `remisd/error/1`: a game or a position that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Error {
    /// `remisd/error/1`.
    pub schema: Text,
    /// The game, by its index in the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<u64>,
    /// The ply that could not be made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<Ply>,
    /// The position that could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// The error.
    pub error: String,
}

impl Error {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/error/1";
}

impl Draw {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/draw/1";

    /// The published form of a draw state.
    ///
    /// `last_move` is the move that led to `position`. The caller fills in what depends on the
    /// whole game: `after_end` and `dead`.
    #[must_use]
    pub fn new(
        game: u64,
        ply: Ply,
        position: &Chess,
        last_move: Option<MoveText>,
        state: &DrawState,
        edition: &'static Edition,
    ) -> Self {
        Self {
            schema: Cow::Borrowed(Self::SCHEMA),
            game,
            ply,
            turn: Cow::Borrowed(color(position.turn())),
            fen: fen(position),
            laws: Cow::Borrowed(edition.id),
            last_move,
            repetition: Repetition {
                count: u32::try_from(state.repetition.count()).unwrap_or(u32::MAX),
                plies: state.repetition.plies.clone(),
            },
            halfmove_clock: state.halfmove_clock,
            claims: state
                .claims
                .iter()
                .map(|claim| Claim::new(claim, position))
                .collect(),
            arbiter_decides: state
                .disputed
                .iter()
                .map(|claim| Claim::new(claim, position))
                .collect(),
            automatic: state.automatic.map(Automatic::from),
            after_end: false,
            dead: None,
        }
    }
}

impl Claim {
    /// The published form of a claim that can be made in `position`.
    #[must_use]
    pub fn new(claim: &laws::Claim, position: &Chess) -> Self {
        let (basis, intended, ends_game) = match &claim.basis {
            Basis::Appeared => ("appeared", None, false),
            Basis::Intended(intended) => (
                "intended",
                Some(MoveText::new(intended.m, position)),
                intended.ends_game,
            ),
        };
        Self {
            by: Cow::Borrowed(color(claim.by)),
            kind: Cow::Borrowed(claim.kind.as_str()),
            basis: Cow::Borrowed(basis),
            article: Cow::Borrowed(claim.article),
            intended,
            ends_game,
        }
    }
}
