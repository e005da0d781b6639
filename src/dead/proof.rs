//! The evidence for an `unwinnable`, as an object that can be verified.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use shakmaty::Color;

use super::{material::Lack, mobility::Certificate, sketch::Album};

/// Why one side can never mate, whatever both play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Proof {
    /// The game is over: the side is mated itself, or it is stalemate.
    GameOver,
    /// No mating position exists with the remaining material.
    Material {
        /// What is missing.
        lack: Lack,
    },
    /// All reachable positions were visited, and none is a mate.
    Closure {
        /// The sides for which the set was built. Positions in which none of them has mating
        /// material are omitted.
        wanted: Sides,
        /// The number of positions in the set.
        positions: u32,
        /// The sum over the set defined in `protocol/dead.md`, in hexadecimal.
        digest: String,
        /// The number of positions that were not expanded because the mobility argument closes
        /// them; 0 if every legal move was followed.
        #[serde(default, skip_serializing_if = "is_zero")]
        leaves: u32,
    },
    /// The men can never leave certain squares, and no mate is possible on the others.
    Mobility(Certificate),
    /// All arrangements of the tracked men were visited, and none is a mate wherever the other men
    /// are.
    Sketches(Album),
}

/// The proofs for the sides that can never mate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proofs {
    /// Why White cannot mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<Proof>,
    /// Why Black cannot mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<Proof>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Proof {
    /// The name used in JSON.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::GameOver => "game_over",
            Self::Material { .. } => "material",
            Self::Closure { .. } => "closure",
            Self::Mobility(_) => "mobility",
            Self::Sketches(_) => "sketches",
        }
    }
}

/// One or both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sides {
    /// White alone.
    White,
    /// Black alone.
    Black,
    /// White and Black.
    Both,
}

impl Sides {
    /// Only the given side.
    #[must_use]
    pub const fn only(side: Color) -> Self {
        match side {
            Color::White => Self::White,
            Color::Black => Self::Black,
        }
    }

    /// Whether a side is included.
    #[must_use]
    pub fn contains(self, side: Color) -> bool {
        self == Self::Both || self == Self::only(side)
    }

    /// The sides, White first.
    pub fn colors(self) -> impl Iterator<Item = Color> {
        Color::ALL
            .into_iter()
            .filter(move |side| self.contains(*side))
    }
}
