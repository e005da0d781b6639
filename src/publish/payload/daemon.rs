//! What the daemon says of itself, its journal and its answers.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::evidence::Form;
use remisd_game::{Carried, Confirm, Fact, Input, Numbers, RefusalCode};
use remisd_journal::RawSeal;
use remisd_laws::Regulations;
use remisd_vocabulary::{name::BoardId, sensor::LinkCounters};

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
    /// The computer that it runs on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub host: String,
    /// When this session began: a will is written long before it is published.
    pub time: String,
    /// `online`, `offline` after a clean stop, `lost` as the will.
    pub state: Cow<'static, str>,
}

impl NodeState {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/state/1";
}

/// `remisd/info/1`: what the daemon is and how it is configured. Nothing of it is a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeInfo {
    /// `remisd/info/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon.
    pub node: String,
    /// New for every start.
    pub session: String,
    /// When it was started, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// The program's version.
    pub version: Cow<'static, str>,
    /// Under which regulations games begin, unless a command says otherwise.
    pub regulations: Regulations,
    /// Who makes the end of a game public.
    pub confirm: Confirm,
    /// How strictly the players are kept from knowing: `competition`, `club` or `casual`.
    pub profile: Cow<'static, str>,
    /// How long the public waits for a move, in milliseconds.
    pub delay_ms: u64,
    /// The languages of texts, the first one first.
    pub languages: Vec<Cow<'static, str>>,
    /// How many boards it has.
    pub boards: usize,
}

impl NodeInfo {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/info/1";
}

/// `remisd/boards/1`: the boards of the daemon, as they are configured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeBoards {
    /// `remisd/boards/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon.
    pub node: String,
    /// New for every start.
    pub session: String,
    /// When the daemon was started, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// The boards in the order of the configuration.
    pub boards: Vec<ConfiguredBoard>,
}

impl NodeBoards {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/boards/1";
}

/// A board as it is configured. Where it was found stands on its `link`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfiguredBoard {
    /// Its name.
    pub board: String,
    /// Its family.
    pub kind: Cow<'static, str>,
    /// The port where it is looked for first.
    pub port: String,
    /// The serial number without which it is not read, if one is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
}

/// `remisd/health/1`: whether the daemon is alive in all its parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// `remisd/health/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon.
    pub node: String,
    /// New for every start.
    pub session: String,
    /// When it was looked at, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// How long the daemon has been running, in milliseconds.
    pub up_ms: u64,
    /// Whether every part has answered, or is known to wait for the disk, and messages leave for
    /// a broker that is there. Else systemd will start the daemon anew.
    pub alive: bool,
    /// Whether the thread that writes the journal has answered; else it waits for the disk.
    pub journal_answers: bool,
    /// Other computers that run a daemon of the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namesakes: Vec<String>,
    /// The line to the broker.
    pub broker: BrokerHealth,
    /// The boards, as they are configured.
    pub boards: Vec<BoardHealth>,
}

impl Health {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/health/1";
}

/// The line to the broker, and its counters since the daemon started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BrokerHealth {
    /// Whether it is connected.
    pub up: bool,
    /// For how long that has been so, in milliseconds.
    pub for_ms: u64,
    /// Messages that are not sent or not acknowledged yet.
    pub waiting: u64,
    /// Messages that were acknowledged, but for the arbiter's and answers.
    pub published: u64,
    /// Messages that were refused or were too large, and are given up.
    pub refused: u64,
    /// Connections made after the first.
    pub reconnects: u64,
    /// Times that another client has connected under the daemon's client id and thrown it out.
    #[serde(default)]
    pub taken_over: u64,
    /// Commands that were answered `busy`: too many of a role, or too many that wait for the disk.
    #[serde(default)]
    pub commands_busy: u64,
    /// Commands that came faster than they were taken, or even answered.
    pub commands_dropped: u64,
    /// Answers that were dropped because too many waited.
    pub replies_dropped: u64,
}

/// How a board is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BoardHealth {
    /// The board.
    pub board: String,
    /// Whether the part of the daemon that follows it has answered.
    pub answers: bool,
    /// Whether the board itself answers.
    pub board_up: bool,
    /// The number of its last entry, as operators count.
    pub seq: u64,
    /// Entries that the disk does not have, as operators count.
    pub not_recorded: u64,
    /// Open alerts that operators see.
    pub alerts: u64,
    /// Halfmoves made in the game on the board.
    #[serde(default)]
    pub ply: u32,
    /// What was heard from the board, since the daemon started.
    #[serde(default)]
    pub counters: LinkCounters,
}

impl BoardHealth {
    /// What is known of one whose part of the daemon does not answer.
    #[must_use]
    pub fn silent(board: &BoardId) -> Self {
        Self {
            board: board.to_string(),
            answers: false,
            board_up: false,
            seq: 0,
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
    /// How far each audience has counted with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Numbers>,
    /// What follows from it.
    pub facts: Vec<Fact>,
    /// Up to where it seals what went over the board's line, if more was written since the
    /// entry before.
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
    /// For the verb `evidence`: the record of the game up to the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Box<Form>>,
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
