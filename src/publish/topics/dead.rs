//! `remisd/dead/1`: whether either side can still mate.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use remisd_dead::{Proofs, Verdict};

/// The answer for one position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dead {
    /// `remisd/dead/1`.
    pub schema: Cow<'static, str>,
    /// The position as requested.
    pub fen: String,
    /// Dead if neither side can mate, alive if one can.
    pub verdict: Verdict,
    /// Whether White can mate; null if not evaluated.
    pub white: Option<SideVerdict>,
    /// Whether Black can mate; null if not evaluated.
    pub black: Option<SideVerdict>,
    /// What the verdict rests on; null for an unknown verdict.
    ///
    /// It is `helpmate` or the kind of the strongest proof: `game_over`, `material`, `mobility`,
    /// `sketches` or `closure`.
    pub proof: Option<Cow<'static, str>>,
    /// The proof for each side that cannot mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proofs: Option<Proofs>,
    /// How long the answer took, in microseconds.
    pub micros: u64,
    /// With `--witness`: a mating line for each side that can mate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helpmate: Option<Helpmates>,
    /// With `--verify`: whether every answer was checked again and confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

impl Dead {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/dead/1";
}

/// Whether one side can mate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SideVerdict {
    /// The side can mate.
    Winnable,
    /// The side cannot mate, whatever is played.
    Unwinnable,
    /// The question is undecided.
    Unknown,
}

/// Mating lines in UCI, from the position to the mate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Helpmates {
    /// A line in which White mates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<Vec<String>>,
    /// A line in which Black mates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<Vec<String>>,
}
