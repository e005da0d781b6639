//! How the broadcast is, for operators.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use remisd_broadcast::ExitCause;
use remisd_game::Role;

/// `remisd/broadcast/1`: how the broadcast and the phones are.
///
/// It is made of what the public has seen, of the orders of arbiters and operators, and of the test
/// messages. It depends on nothing that operators may not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeBroadcast {
    /// `remisd/broadcast/1`.
    pub schema: Cow<'static, str>,
    /// The venue or event.
    pub site: String,
    /// The daemon's name.
    pub node: String,
    /// The id of this run of the daemon; new on every start.
    pub session: String,
    /// When this was published, RFC 3339 UTC with milliseconds.
    pub time: String,
    /// Why the games are not kept over a restart: new ones do not leave; absent while all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unkept: Option<String>,
    /// The folder of PGN files; absent if none is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<ExitState>,
    /// The upload of PGN files; absent if none is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload: Option<ExitState>,
    /// How far the public is behind each board.
    pub delays: BTreeMap<String, DelayState>,
    /// The Lichess broadcast; absent if none is configured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lichess: Option<LichessState>,
    /// The phones, in the order of the configuration.
    pub phones: Vec<PhoneState>,
}

impl NodeBroadcast {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/broadcast/1";
}

/// Where PGN files go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExitState {
    /// The path of the folder; absent for an upload, whose address may hold a secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// When all files of a change were last there, RFC 3339; absent before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_at: Option<String>,
    /// Why the newest files are not there; absent while all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What is at fault; absent while all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<ExitCause>,
}

/// How far the public is behind a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DelayState {
    /// The plies of the game on the board that the public has not seen.
    pub plies: u32,
    /// When the next of them comes out, RFC 3339; absent if it waits for further plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// When all of them are out, RFC 3339; absent if one waits for further plies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_at: Option<String>,
}

/// The Lichess broadcast.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LichessState {
    /// Whether rounds can be created: a tournament is configured.
    pub creates: bool,
    /// Whether nothing is sent, and the bodies are written instead.
    pub dry_run: bool,
    /// Until when nothing is sent after a failure, RFC 3339; absent while all is well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub halted_until: Option<String>,
    /// Why earlier orders, or what Lichess shows, are not known or not kept; absent while all is
    /// well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
    /// The rounds on Lichess.
    pub rounds: Vec<LichessRound>,
    /// The newest round of which the public has seen a game, if it has no round on Lichess: nothing
    /// of it is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unassigned: Option<u32>,
    /// The boards whose games were pushed.
    pub boards: BTreeMap<String, LichessBoard>,
    /// The newest orders, oldest first.
    pub orders: Vec<LichessOrder>,
}

/// A round on Lichess.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LichessRound {
    /// The number of our round.
    pub round: u32,
    /// Its id on Lichess.
    pub id: String,
    /// Whether it was closed by a command: nothing is pushed to it until it is reset.
    pub closed: bool,
    /// Whether the public has seen more than Lichess has taken.
    pub behind: bool,
    /// When Lichess has taken the last push, or a dry run has written it, RFC 3339; absent before the
    /// first one of this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_at: Option<String>,
    /// Why Lichess does not take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What Lichess shows of a board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LichessBoard {
    /// Why Lichess does not take its game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Its games, oldest first.
    pub games: Vec<LichessGame>,
}

/// A game that Lichess has taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LichessGame {
    /// Its tag `GameId`.
    pub id: String,
    /// The number of our round.
    pub round: u32,
    /// The number of its plies that Lichess has taken.
    pub plies: u32,
    /// When Lichess has taken its last change, RFC 3339.
    pub taken_at: String,
    /// Moves that were replaced by a correction, and that Lichess shows until the round is reset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<ReplacedMoves>,
    /// Whether Lichess shows it until the round is reset although it is no longer sent: other people
    /// play under another id, or it belongs to another round.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_over: bool,
    /// Tags about the players that are no longer sent, and that Lichess shows until the round is
    /// reset.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_tags: Vec<String>,
    /// How many more lines of replaced moves Lichess shows.
    #[serde(default, skip_serializing_if = "is_none")]
    pub replaced_more: u32,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes fields by reference"
)]
const fn is_none(count: &u32) -> bool {
    *count == 0
}

/// Moves that were replaced by a correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplacedMoves {
    /// The ply of the first of them.
    pub from_ply: u32,
    /// The moves in SAN, with a space between them.
    pub moves: String,
}

/// An order of an arbiter or operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LichessOrder {
    /// The role of the sender.
    pub role: Role,
    /// The id of the command.
    pub id: String,
    /// The sender's own name; it proves nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The verb of the command.
    pub verb: Cow<'static, str>,
    /// The number of our round.
    pub round: u32,
    /// When it was accepted, RFC 3339.
    pub time: String,
    /// How far it is: `waiting`, `sent`, `done`, `failed`, or `unknown` if its answer was lost.
    pub state: Cow<'static, str>,
    /// Why it is not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The id of the Lichess round that was created or adopted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<String>,
}

/// A receiver of messages for phones, and the last test message to it.
///
/// Nothing else is shown: when a message was sent says that there was an alert, and operators do
/// not see every alert.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhoneState {
    /// Its name in the configuration: `notify.0` is the first.
    pub name: String,
    /// The last test message since the daemon started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<PhoneTest>,
}

/// A test message to a phone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PhoneTest {
    /// When it was ordered, RFC 3339.
    pub time: String,
    /// Whether the server has taken it; absent while it is being sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// What the server has answered, or why it was not reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}
