//! The rates of play: standard, rapid, blitz.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rate of play, which determines penalties and the treatment of illegal moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// 60 minutes or more for each player.
    #[default]
    Standard,
    /// More than 10 but less than 60 minutes for each player.
    Rapid,
    /// 10 minutes or less for each player.
    Blitz,
}

/// The error for a word that is not a rate of play.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown rate \"{refused}\"; known are standard, rapid, blitz")]
pub struct UnknownRate {
    /// The refused word.
    pub refused: String,
}

impl FromStr for Rate {
    type Err = UnknownRate;

    fn from_str(word: &str) -> Result<Self, UnknownRate> {
        match word {
            "standard" => Ok(Self::Standard),
            "rapid" => Ok(Self::Rapid),
            "blitz" => Ok(Self::Blitz),
            other => Err(UnknownRate {
                refused: other.chars().take(64).collect(),
            }),
        }
    }
}

/// One value for each rate of play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByRate<T> {
    /// 60 minutes or more for each player.
    pub standard: T,
    /// More than 10 but less than 60 minutes for each player.
    pub rapid: T,
    /// 10 minutes or less for each player.
    pub blitz: T,
}

impl<T: Copy> ByRate<T> {
    /// The same value at every rate.
    #[must_use]
    pub const fn all(value: T) -> Self {
        Self {
            standard: value,
            rapid: value,
            blitz: value,
        }
    }

    /// The value at this rate.
    #[must_use]
    pub const fn at(self, rate: Rate) -> T {
        match rate {
            Rate::Standard => self.standard,
            Rate::Rapid => self.rapid,
            Rate::Blitz => self.blitz,
        }
    }
}
