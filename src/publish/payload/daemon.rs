//! What the daemon says of itself, its journal and its answers.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::game::{Carried, Fact, Input, RefusalCode};

/// `remisd/state/1`: whether the daemon is there. Also its will.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeState {
    /// `remisd/state/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon.
    pub node: String,
    /// New for every start.
    pub session: String,
    /// When this session began: a will is written long before it is published.
    pub time: String,
    /// `online`, `offline` after a clean stop, `lost` as the will.
    pub state: Cow<'static, str>,
}

impl NodeState {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/state/1";
}

/// `remisd/event/1`: one entry of a board's journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// `remisd/event/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The board.
    pub board: String,
    /// The start of the daemon in which it was written.
    pub session: String,
    /// Its number: per board, growing by one, never reused.
    pub seq: u64,
    /// When it came, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// The same by a clock that never jumps: milliseconds since the daemon began.
    pub monotonic_ms: u64,
    /// What came in.
    pub input: Input,
    /// What is remembered of the board beyond one game, in the entry that begins one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Box<Carried>>,
    /// What follows from it.
    pub facts: Vec<Fact>,
}

impl Event {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/event/1";
}

/// `remisd/reply/1`: the answer to a command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reply {
    /// `remisd/reply/1`.
    pub schema: Cow<'static, str>,
    /// The command's id; null when it had none.
    pub id: Option<String>,
    /// Whether it was done.
    pub ok: bool,
    /// The `seq` of the entry in which it was decided; absent when it never got there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// Why it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RefusalCode>,
    /// The same in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// False while the disk does not take the entry: a power cut would undo what was done.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub recorded: bool,
}

const fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands fields over by reference"
)]
const fn is_true(yes: &bool) -> bool {
    *yes
}

impl Reply {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/reply/1";
}
