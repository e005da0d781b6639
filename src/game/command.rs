//! What people and their devices may ask for.

use std::{collections::BTreeMap, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Score;
use crate::laws::Rate;

/// A command, read from its topic and payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Command {
    /// Chosen by the sender; the same id again gets the same answer.
    pub id: String,
    /// Who asks, as the topic says and the broker's access list proves.
    pub role: Role,
    /// The sender's own name, for the record; it proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Refuse when the board's last `seq` is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub if_seq: Option<u64>,
    /// What is asked for.
    #[serde(flatten)]
    pub verb: Verb,
}

/// Who may ask.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The arbiter.
    Arbiter,
    /// Who looks after boards and broadcast.
    Operator,
    /// The player with the white pieces.
    White,
    /// The player with the black pieces.
    Black,
    /// The chess clock.
    Clock,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 5] = [
        Self::Arbiter,
        Self::Operator,
        Self::White,
        Self::Black,
        Self::Clock,
    ];

    /// The word for it in topics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Arbiter => "arbiter",
            Self::Operator => "operator",
            Self::White => "white",
            Self::Black => "black",
            Self::Clock => "clock",
        }
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == word)
            .ok_or(())
    }
}

/// What is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "verb", content = "arguments", rename_all = "snake_case")]
pub enum Verb {
    /// Begin a new game.
    NewGame {
        /// The starting position as FEN; absent for the usual array.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        start_fen: Option<String>,
        /// The edition; absent for the configured one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        laws: Option<String>,
        /// The rate of play; absent for the configured one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rate: Option<Rate>,
        /// PGN tags.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        headers: BTreeMap<String, String>,
    },
    /// Go on from this position: the game's record begins anew there.
    Setup {
        /// The position as FEN.
        fen: String,
    },
    /// Set PGN tags; an empty value removes one.
    Headers {
        /// The tags to change.
        headers: BTreeMap<String, String>,
    },
    /// Enter the result; `*` withdraws it.
    Result {
        /// The score.
        score: Score,
        /// Refuse when the game on the board is another one: it may have been reset.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        game: Option<u64>,
    },
    /// Acknowledge an alert. For the end of a game this confirms the result.
    Ack {
        /// The alert's id.
        alert: String,
    },
}

/// The verbs by name: the last level of a command's topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the table in protocol/mqtt.md describes them")]
pub enum VerbName {
    Offer,
    Accept,
    Decline,
    Claim,
    Ruling,
    Resign,
    Result,
    Correct,
    Touch,
    Adjust,
    NewGame,
    Setup,
    Headers,
    Pause,
    Resume,
    Ack,
    ClockState,
}

impl VerbName {
    /// Every verb of the interface with the roles that may use it. A verb without
    /// roles is part of the interface and not yet understood by this version.
    pub const TABLE: [(Self, &'static str, &'static [Role]); 17] = {
        use Role::{Arbiter, Operator};
        [
            (Self::Offer, "offer", &[]),
            (Self::Accept, "accept", &[]),
            (Self::Decline, "decline", &[]),
            (Self::Claim, "claim", &[]),
            (Self::Ruling, "ruling", &[]),
            (Self::Resign, "resign", &[]),
            (Self::Result, "result", &[Arbiter]),
            (Self::Correct, "correct", &[]),
            (Self::Touch, "touch", &[]),
            (Self::Adjust, "adjust", &[]),
            (Self::NewGame, "new_game", &[Arbiter, Operator]),
            (Self::Setup, "setup", &[Arbiter, Operator]),
            (Self::Headers, "headers", &[Arbiter, Operator]),
            (Self::Pause, "pause", &[]),
            (Self::Resume, "resume", &[]),
            (Self::Ack, "ack", &[Arbiter]),
            (Self::ClockState, "clock_state", &[]),
        ]
    };

    /// The roles that may use this verb.
    #[must_use]
    pub fn roles(self) -> &'static [Role] {
        Self::TABLE
            .iter()
            .find(|(verb, _, _)| *verb == self)
            .map_or(&[], |(_, _, roles)| roles)
    }
}

impl FromStr for VerbName {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        Self::TABLE
            .iter()
            .find(|(_, name, _)| *name == word)
            .map(|(verb, _, _)| *verb)
            .ok_or(())
    }
}

/// The answer to a command; the same id gets it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The command's id.
    pub id: String,
    /// Whether it was done.
    pub ok: bool,
    /// The `seq` of the entry in which it was decided.
    pub seq: u64,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RefusalCode>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Why a command was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// No such verb.
    UnknownVerb,
    /// This role may not use the verb.
    RoleMayNot,
    /// The verb is not understood by this version.
    NotSupported,
    /// The payload is no JSON object of the right shape.
    BadPayload,
    /// The payload is too large.
    Oversized,
    /// A retained message is no command: it may be any age.
    Retained,
    /// The board has moved on since the sender looked.
    Stale,
    /// A value cannot be used: an illegal position, an unknown edition.
    BadValue,
    /// There is no such thing: an alert that is not open.
    NotFound,
    /// It makes no sense now.
    WrongState,
}
