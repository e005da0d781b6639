//! The answer to a command.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Role;
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// The answer to a command; the same id gets it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The command's id.
    pub id: String,
    /// Whether it was done.
    pub ok: bool,
    /// The `seq` of the entry in which it was decided.
    pub seq: EntrySeq,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RefusalCode>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// An answer with the role that got it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoleAnswer {
    /// The role: each chooses its own ids.
    pub role: Role,
    /// The answer.
    #[serde(flatten)]
    pub answer: Answer,
    /// The `seq` of the answer as the role counts; absent for the arbiter, who counts entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<AudienceSeq>,
}

impl RoleAnswer {
    /// About how many bytes it takes to write it down.
    pub(crate) fn size(&self) -> usize {
        let message = self.answer.message.as_ref().map_or(0, String::len);
        self.answer.id.len() + message + 96
    }
}

/// Why a command was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RefusalCode {
    /// No such verb.
    UnknownVerb,
    /// This role may not use the verb.
    RoleMayNot,
    /// The payload is not a JSON object of the right shape.
    BadPayload,
    /// The payload is too large.
    Oversized,
    /// A retained message is not a command: it may be any age.
    Retained,
    /// The board has moved on since the sender looked.
    Stale,
    /// A value cannot be used: an illegal position, an unknown edition.
    BadValue,
    /// There is no such thing: an alert that is not open.
    NotFound,
    /// It makes no sense now.
    WrongState,
    /// The Laws or the event's regulations do not admit it; the message names the article.
    NotAdmissible,
    /// The journal cannot be read now: its disk is missing or does not respond.
    Unavailable,
    /// Too many commands of this role, or too many wait for the disk: nothing was decided, try
    /// again.
    Busy,
}
