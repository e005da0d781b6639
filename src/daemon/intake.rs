//! Accepts commands: limits the rate of each role and hands each command to its board.
//!
//! ```text
//! session ─▶ the arbiter's lane ─┐                      ┌─▶ the arbiter's lane ─┐
//!        ─▶ the others' lane ────┴─▶ limits of a role ──┴─▶ the others' lane ───┴─▶ board
//!                                     └─▶ busy (bounded), else counted
//! ```
//!
//! Nothing waits here: a board blocked by its disk does not block the other boards.

use std::{collections::HashMap, str::FromStr as _, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use super::{
    failed_commands::{FailedCommands, Outcome},
    limits::{Bucket, cost, per_second},
};
use crate::{
    config::Limits,
    publish::{
        Capacity, CommandMessage, CommandSender, Commands, Lane, Publisher,
        command::{self, MAX_PAYLOAD},
        node_command,
        payload::Reply,
        topic,
    },
};
use remisd_game::{RefusalCode, Role};
use remisd_vocabulary::{
    name::{BoardId, NodeId, SiteId},
    time::Clock,
};

/// Capacity of the queues of commands for one board.
pub(super) const ROOM: Capacity = Capacity {
    arbiter: 64,
    others: 32,
};
/// Interval between two summaries in the log.
const SUMMARY: Duration = Duration::from_mins(1);
/// The longest topic of a command, in bytes.
const MAX_TOPIC: usize = 256;
/// The longest correlation data and the longest response topic, each in bytes.
const MAX_CORRELATION: usize = 1_024;
/// The largest payload of a player's or a clock's command, in bytes.
const MAX_OF_PLAYER: usize = 2_048;
/// Refusals that are answered, as a multiple of the role's command rate; more are dropped.
const BUSY_ANSWERS: u64 = 10;

/// A board or the daemon itself, as seen by the intake.
#[derive(Debug)]
struct Mailbox {
    mailbox: CommandSender,
    /// Indexed by role; the last entry is for commands without a known role.
    roles: [RateLimits; Role::ALL.len() + 1],
}

/// The rate limits of one role at one board.
#[derive(Debug, Clone)]
struct RateLimits {
    commands: Bucket,
    /// Limits the answers that refuse a command.
    refusals: Bucket,
}

/// Accepts commands. See the [module](self).
#[derive(Debug)]
pub(super) struct Intake {
    site: SiteId,
    limits: Limits,
    boards: HashMap<BoardId, Mailbox>,
    /// The daemon's own commands, by its name.
    node: Option<(NodeId, Mailbox)>,
    publisher: Publisher,
    clock: Arc<dyn Clock>,
    failed_commands: FailedCommands,
}

impl Intake {
    pub(super) fn new(
        site: SiteId,
        limits: Limits,
        publisher: Publisher,
        clock: Arc<dyn Clock>,
        failed_commands: FailedCommands,
    ) -> Self {
        Self {
            site,
            limits,
            boards: HashMap::new(),
            node: None,
            publisher,
            clock,
            failed_commands,
        }
    }

    /// Hands a board's commands to this mailbox from now on.
    pub(super) fn add_board(&mut self, board: BoardId, mailbox: CommandSender) {
        let mailbox = self.limited(mailbox);
        self.boards.insert(board, mailbox);
    }

    /// Hands the commands to the daemon itself to this mailbox from now on.
    pub(super) fn add_node(&mut self, node: NodeId, mailbox: CommandSender) {
        self.node = Some((node, self.limited(mailbox)));
    }

    fn limited(&self, mailbox: CommandSender) -> Mailbox {
        let now = self.clock.monotonic();
        let roles = std::array::from_fn(|index| {
            let per_s = per_second(&self.limits, Role::ALL.get(index).copied());
            RateLimits {
                commands: Bucket::new(per_s, self.limits.burst_s, now),
                refusals: Bucket::new(per_s * BUSY_ANSWERS, self.limits.burst_s, now),
            }
        });
        Mailbox { mailbox, roles }
    }

    /// Accepts commands until `cancel`.
    pub(super) async fn run(mut self, mut commands: Commands, cancel: CancellationToken) {
        let mut summary = interval(SUMMARY);
        summary.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut lost = 0;
        loop {
            tokio::select! {
                () = cancel.cancelled() => break,
                message = commands.recv() => match message {
                    Some(message) => self.take(message),
                    None => break,
                },
                _ = summary.tick() => self.log_summary(&mut lost),
            }
        }
        self.log_summary(&mut lost);
    }

    fn log_summary(&self, lost: &mut u64) {
        self.failed_commands.log_summary();
        let now = self.publisher.status().borrow().commands_dropped;
        let count = now.saturating_sub(std::mem::replace(lost, now));
        if count > 0 {
            tracing::warn!(
                count,
                "commands came faster than they could be read: they are lost"
            );
        }
    }

    /// Hands a command to its board if its role is within its limits.
    pub(super) fn take(&mut self, message: CommandMessage) {
        if topic::is_sign_in(&message.topic, &message.payload) {
            return;
        }
        let Some((role, board, verb)) = topic::parse_command(&message.topic) else {
            return;
        };
        let Ok(board) = board.parse::<BoardId>() else {
            return;
        };
        let now = self.clock.monotonic();
        let is_for_node = node_command::VERBS.contains(&verb);
        let node = self
            .node
            .as_mut()
            .filter(|(node, _)| is_for_node && node.as_str() == board.as_str());
        let seat = match node {
            Some((_, seat)) => seat,
            None => match self.boards.get_mut(&board) {
                Some(seat) => seat,
                None => return,
            },
        };
        let role = Role::from_str(role).ok();
        let index = Role::ALL.iter().position(|one| Some(*one) == role);
        let allowance = &mut seat.roles[index.unwrap_or(Role::ALL.len())];
        let price = cost(verb, message.payload.len());
        let fits = bound(&message, role);
        let refusal = if !allowance.commands.take(price, now) {
            Some((
                RefusalCode::Busy,
                "too many commands of this role: try again later",
            ))
        } else if let Err(too_large) = fits {
            Some((RefusalCode::Oversized, too_large))
        } else {
            None
        };
        let (code, why, message) = match refusal {
            Some((code, why)) => (code, why, message),
            None => match seat.mailbox.try_send(CommandMessage {
                at: Some(now),
                ..message
            }) {
                Ok(()) => return,
                Err(message) => (
                    RefusalCode::Busy,
                    "too many commands wait for this board: try again later",
                    *message,
                ),
            },
        };
        if !allowance.refusals.take(1, now) {
            self.failed_commands.note(&board, role, Outcome::Dropped);
            return;
        }
        if self
            .failed_commands
            .note(&board, role, Outcome::Refused(code))
        {
            let role = super::failed_commands::role_word(role);
            let code = Outcome::Refused(code).word();
            tracing::warn!(%board, role, code, why, "a command is refused");
        }
        self.refuse(&message, code, why);
    }

    fn refuse(&self, message: &CommandMessage, code: RefusalCode, why: &str) {
        let Some(to) = command::reply_topic(message) else {
            return;
        };
        if !topic::is_reply(&self.site, &message.topic, &to) {
            return;
        }
        let reply = Reply {
            schema: Reply::SCHEMA.into(),
            id: command::id(message),
            ok: false,
            seq: None,
            code: Some(code),
            message: Some(why.to_owned()),
            recorded: true,
            evidence: None,
        };
        let payload = Bytes::from(serde_json::to_vec(&reply).unwrap_or_default());
        let correlation = message.correlation.clone();
        let correlation = correlation.filter(|data| data.len() <= MAX_CORRELATION);
        let precedence = Lane::of(&message.topic);
        // The topic was checked above.
        let _ = (self.publisher).reply(&to, payload, correlation, precedence);
    }
}

/// Checks that a command is small enough to queue; otherwise says what is too large.
fn bound(message: &CommandMessage, role: Option<Role>) -> Result<(), &'static str> {
    let largest = match role {
        Some(Role::Arbiter | Role::Operator) => MAX_PAYLOAD,
        _ => MAX_OF_PLAYER,
    };
    if message.payload.len() > largest {
        return Err(match largest {
            MAX_PAYLOAD => "a command has at most 16384 bytes",
            _ => "a command of a player or a device has at most 2048 bytes",
        });
    }
    let length = |text: Option<usize>| text.unwrap_or(0);
    if length(message.correlation.as_ref().map(Bytes::len)) > MAX_CORRELATION {
        return Err("correlation data has at most 1024 bytes");
    }
    if length(message.response_topic.as_ref().map(String::len)) > MAX_CORRELATION {
        return Err("a response topic has at most 1024 bytes");
    }
    if message.topic.len() > MAX_TOPIC {
        return Err("the topic of a command has at most 256 bytes");
    }
    Ok(())
}
