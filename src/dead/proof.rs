//! What an `unwinnable` rests on, as an object that can be checked again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use shakmaty::Color;

use super::{material::Lack, mobility::Certificate, sketch::Album};

/// Why one side can never mate, whatever both play.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Proof {
    /// The game is over on the board: the side is mated itself, or it is stalemate.
    GameOver,
    /// No mating position exists with the material that is left.
    Material {
        /// What is missing.
        lack: Lack,
    },
    /// Every position that can be reached was visited, and none is a mate.
    Closure {
        /// For which sides the set was made; positions in which none of them has the
        /// material to mate are left out of it.
        wanted: Sides,
        /// How many positions are in the set.
        positions: u32,
        /// The sum over the set that `protocol/dead.md` describes, in hexadecimal.
        digest: String,
        /// How many of them were not played from, because the mobility argument
        /// closes each; 0 when every legal move was followed.
        #[serde(default, skip_serializing_if = "is_zero")]
        leaves: u32,
    },
    /// The men can never leave certain squares, and no mate comes about on the others.
    Mobility(Certificate),
    /// Every arrangement of the tracked men was visited, and none is a mate wherever the
    /// others stand.
    Sketches(Album),
}

/// Why a side can never mate, for each that cannot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proofs {
    /// Why White cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<Proof>,
    /// Why Black cannot.
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
    /// The word for it in JSON.
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

/// One side or both.
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
    /// The one side.
    #[must_use]
    pub const fn only(side: Color) -> Self {
        match side {
            Color::White => Self::White,
            Color::Black => Self::Black,
        }
    }

    /// Whether a side is among them.
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
