//! Payloads about the daemon itself, its journal and its answers.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Form;
use remisd_game::{Carried, Confirm, Fact, Input, Judgement, Numbers, RefusalCode};
use remisd_journal::RawSeal;
use remisd_laws::Regulations;
use remisd_vocabulary::{
    name::BoardId,
    sensor::LinkCounters,
    seq::{AudienceSeq, EntrySeq},
};

/// `remisd/state/1`: whether the daemon is running. This is also the will.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeState {
    /// `remisd/state/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon's name.
    pub node: String,
    /// The id of this run of the daemon; new on every start.
    pub session: String,
    /// The host name of the computer it runs on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// When this run started. A will is written long before the broker publishes it.
    pub time: String,
    /// `online`, `offline` after a clean stop, or `lost` in the will.
    pub state: Cow<'static, str>,
}

impl NodeState {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/state/1";
}

/// `remisd/info/1`: the daemon's version and configuration. It contains no secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeInfo {
    /// `remisd/info/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon's name.
    pub node: String,
    /// The id of this run of the daemon; new on every start.
    pub session: String,
    /// When the daemon was started, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// The version of the program.
    pub version: Cow<'static, str>,
    /// The regulations under which games begin, unless a command says otherwise.
    pub regulations: Regulations,
    /// Who makes the end of a game public.
    pub confirm: Confirm,
    /// How strictly information is kept from the players: `competition`, `club` or `casual`.
    pub profile: Cow<'static, str>,
    /// The broadcast delay for the public, in milliseconds.
    pub delay_ms: u64,
    /// The languages of texts, in order of preference.
    pub languages: Vec<Cow<'static, str>>,
    /// The number of boards.
    pub boards: usize,
}

impl NodeInfo {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/info/1";
}

/// `remisd/boards/1`: the boards of the daemon, as configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeBoards {
    /// `remisd/boards/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon's name.
    pub node: String,
    /// The id of this run of the daemon; new on every start.
    pub session: String,
    /// When the daemon was started, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// The boards, in the order of the configuration.
    pub boards: Vec<ConfiguredBoard>,
}

impl NodeBoards {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/boards/1";
}

/// A board as configured. The topic `link` reports where it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfiguredBoard {
    /// The board's name.
    pub board: String,
    /// The family of boards it belongs to.
    pub kind: Cow<'static, str>,
    /// The port that is tried first.
    pub port: String,
    /// The serial number that the board must have, if one is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
}

/// `remisd/health/1`: whether every part of the daemon is alive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// `remisd/health/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon's name.
    pub node: String,
    /// The id of this run of the daemon; new on every start.
    pub session: String,
    /// When the health was checked, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// How long the daemon has been running, in milliseconds.
    pub up_ms: u64,
    /// Whether every part has responded or is known to wait for the disk, and messages reach the
    /// broker if it is connected. Otherwise systemd restarts the daemon.
    pub alive: bool,
    /// Whether the journal thread has responded; if not, it is waiting for the disk.
    pub journal_answers: bool,
    /// The hosts of other daemons with the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namesakes: Vec<String>,
    /// The connection to the broker.
    pub broker: BrokerHealth,
    /// What the receivers of the broadcast do not take, with the reason: by board, or by the id of
    /// a Lichess round. Absent while all is well.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub broadcast: BTreeMap<String, String>,
    /// The boards, in the order of the configuration.
    pub boards: Vec<BoardHealth>,
}

impl Health {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/health/1";
}

/// The connection to the broker, with its counters since the daemon started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokerHealth {
    /// Whether it is connected.
    pub up: bool,
    /// How long it has been in this state, in milliseconds.
    pub for_ms: u64,
    /// Messages that are not yet sent or not yet acknowledged.
    pub waiting: u64,
    /// Messages that the broker acknowledged, without answers and the arbiter's topics.
    pub published: u64,
    /// Attempts to publish that the broker refused, or messages too large for it.
    pub refused: u64,
    /// Connections made after the first.
    pub reconnects: u64,
    /// How often another client connected with the daemon's client id and replaced its connection.
    #[serde(default)]
    pub taken_over: u64,
    /// Commands answered with `busy`: too many of a role, or too many waiting for the disk.
    #[serde(default)]
    pub commands_busy: u64,
    /// Commands dropped without an answer because they arrived too fast.
    pub commands_dropped: u64,
    /// Answers dropped because too many were waiting.
    pub replies_dropped: u64,
}

/// The health of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoardHealth {
    /// The board's name.
    pub board: String,
    /// Whether the task that follows the board has responded.
    pub answers: bool,
    /// Whether the board itself responds.
    pub board_up: bool,
    /// The number of its last entry, as operators count.
    pub seq: AudienceSeq,
    /// Entries that are not on disk yet, as operators count.
    pub not_recorded: u64,
    /// The number of open alerts that operators see.
    pub alerts: u64,
    /// Halfmoves made in the game on the board.
    #[serde(default)]
    pub ply: u32,
    /// The counters of the board's connection since the daemon started.
    #[serde(default)]
    pub counters: LinkCounters,
}

impl BoardHealth {
    /// The health of a board whose task has not responded.
    #[must_use]
    pub fn silent(board: &BoardId) -> Self {
        Self {
            board: board.to_string(),
            answers: false,
            board_up: false,
            seq: AudienceSeq::ZERO,
            not_recorded: 0,
            alerts: 0,
            ply: 0,
            counters: LinkCounters::default(),
        }
    }
}

/// `remisd/event/1`: one entry of a board's journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// `remisd/event/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The board's name.
    pub board: String,
    /// The run of the daemon that wrote the entry.
    pub session: String,
    /// The number of the entry, counted per board. It grows with each entry and is never reused.
    pub seq: EntrySeq,
    /// When the input arrived, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// When the input arrived on a monotonic clock, in milliseconds since the daemon started.
    pub monotonic_ms: u64,
    /// The input.
    pub input: Input,
    /// What is kept of the board beyond one game, in the entry that begins a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carried: Option<Box<Carried>>,
    /// How far each audience has counted, up to and including this entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
    /// The version of the daemon's judgement by which the facts follow from the input; 1 where an
    /// entry names none.
    #[serde(default, skip_serializing_if = "Judgement::is_first")]
    pub judgement: Judgement,
    /// The facts that follow from the input.
    pub facts: Vec<Fact>,
    /// How far this entry seals the recording of the board's serial line, if anything was recorded
    /// since the previous entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<RawSeal>,
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
    /// The command's id; null if it had none.
    pub id: Option<String>,
    /// Whether the command was executed.
    pub ok: bool,
    /// The `seq` of the entry that decided the command, as the role of the sender counts; absent if
    /// none was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<AudienceSeq>,
    /// Why the command was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<RefusalCode>,
    /// The reason in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// False while the entry is not on disk: a power failure would undo the command.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub recorded: bool,
    /// For the verb `evidence`: the record of the game up to the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Box<Form>>,
}

const fn yes() -> bool {
    true
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
const fn is_true(yes: &bool) -> bool {
    *yes
}

impl Reply {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/reply/1";
}
