//! The roles in which users sign in.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::publish::topic::Audience;

/// The role in which a user signs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The arbiter of all boards.
    Arbiter,
    /// The staff who look after boards and broadcast.
    Operator,
    /// A screen in the playing hall; it has no commands.
    Hall,
    /// White at one board.
    White,
    /// Black at one board.
    Black,
    /// The clock at one board.
    Clock,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 6] = [
        Self::Arbiter,
        Self::Operator,
        Self::Hall,
        Self::White,
        Self::Black,
        Self::Clock,
    ];

    /// The role's name in topics and JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter",
            Self::Operator => "operator",
            Self::Hall => "hall",
            Self::White => "white",
            Self::Black => "black",
            Self::Clock => "clock",
        }
    }

    /// The audience whose topics the role may read.
    #[must_use]
    pub const fn audience(self) -> Audience {
        match self {
            Self::Arbiter => Audience::Arbiter,
            Self::Operator => Audience::Operator,
            Self::Hall => Audience::Hall,
            Self::White | Self::Black | Self::Clock => Audience::Player,
        }
    }

    /// Whether the role belongs to a single board.
    #[must_use]
    pub const fn is_of_a_board(self) -> bool {
        matches!(self, Self::White | Self::Black | Self::Clock)
    }

    /// Whether the role has its own commands at the broker.
    #[must_use]
    pub const fn has_commands(self) -> bool {
        !matches!(self, Self::Hall)
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        let role = Self::ALL.into_iter().find(|role| role.as_str() == word);
        role.ok_or(())
    }
}
