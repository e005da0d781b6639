//! Commands: which are accepted now, what they lead to, and their answers.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{super::solver::SolverAnswer, BoardActor, MoveSource, game_log};
use crate::{
    config::Limits,
    daemon::{
        failed_commands::{Outcome, role_word},
        held_output::PendingReply,
        limits::{Bucket, per_second},
    },
    publish::{
        CommandMessage, Lane,
        command::{self, Refusal},
        payload::Reply,
        topic,
    },
};
use remisd_game::{Command, Fact, Input, RefusalCode, Role, Trial, Verb, VerbName};
use remisd_laws::Score;
use remisd_vocabulary::{seq::EntrySeq, time::Moment};

/// The longest part of a topic that is logged, in characters.
const LOGGED_TOPIC_CHARS: usize = 128;
/// Entries that may wait for a slow disk before commands of roles other than the arbiter must wait.
const WAITING: u64 = 64;
/// Entries that may wait for a failed disk before commands of other roles are refused. The
/// remaining room is for the moves on the board and for the arbiter.
const DOWN_WAITING: u64 = 512;
/// The longest refused command that is recorded in full, in bytes.
const MAX_RECORDED_REFUSAL: usize = 512;
/// Divisor from a role's command rate to the rate at which its refused commands are recorded.
const REFUSED_SHARE: u64 = 5;

/// Whether commands of roles other than the arbiter are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Others {
    /// They are accepted now.
    Now,
    /// They wait until the disk has caught up.
    Later,
    /// They are refused until somebody has repaired the disk.
    No,
}

/// Limits how many refused commands of each role are recorded; more are answered `busy`.
#[derive(Debug)]
pub struct RefusalLimits([Bucket; Role::ALL.len()]);

impl RefusalLimits {
    /// Derives the limits from those of the roles.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self(Role::ALL.map(|role| {
            let per_s = per_second(limits, Some(role)).div_ceil(REFUSED_SHARE);
            Bucket::new(per_s, limits.burst_s * REFUSED_SHARE, Moment::START)
        }))
    }

    fn take(&mut self, role: Role, now: Moment) -> bool {
        // The arbiter always gets the reason for a refusal.
        let index = Role::ALL.iter().position(|one| *one == role);
        role == Role::Arbiter || index.is_none_or(|index| self.0[index].take(1, now))
    }
}

impl BoardActor {
    fn others(&self) -> Others {
        let waiting = self.record.waiting();
        if self.record.is_down() {
            if waiting < DOWN_WAITING {
                Others::Now
            } else {
                Others::No
            }
        } else if waiting < WAITING && !self.record.is_beginning() {
            Others::Now
        } else {
            Others::Later
        }
    }

    /// Returns whether commands are taken from the lane of the other roles.
    pub(super) fn takes_others(&self) -> bool {
        self.others() != Others::Later
    }

    /// Executes a command and answers it.
    pub(super) async fn command(
        &mut self,
        message: &CommandMessage,
        answers: &mpsc::Sender<SolverAnswer>,
    ) {
        if command::is_question(message) {
            return self.evidence(message);
        }
        let (reply, entry) = match command::parse(message) {
            Err(refusal) => return self.refuse(message, refusal),
            Ok(command) => {
                let (role, id) = (command.role, command.id.clone());
                if self.record.game().answer(role, &id).is_none() {
                    let refusal = self.refused_device(&command);
                    let refusal = refusal.or_else(|| self.busy(&command));
                    if let Some(refusal) = refusal {
                        return self.refuse(message, refusal);
                    }
                    self.execute(command, answers).await;
                }
                let Some(answer) = self.record.game().answer(role, &id) else {
                    return;
                };
                let reply = Reply {
                    schema: Reply::SCHEMA.into(),
                    id: Some(answer.id.clone()),
                    ok: answer.ok,
                    seq: self.record.game().answer_seq(role, &id),
                    code: answer.code,
                    message: answer.message.clone(),
                    recorded: true,
                    evidence: None,
                };
                (reply, answer.seq)
            }
        };
        self.reply(message, reply, entry);
    }

    /// Refuses a message that is not an acceptable command.
    pub(super) fn refuse(&mut self, message: &CommandMessage, refusal: Refusal) {
        self.note_refusal(message, &refusal);
        self.reply(message, refused(refusal), EntrySeq::ZERO);
    }

    /// Refuses what a device enters at a board whose moves come from elsewhere. While the journal's
    /// disk is not there yet, it refuses too: the disk may have the game.
    fn refused_device(&self, command: &Command) -> Option<Refusal> {
        if command.role != Role::Board {
            return None;
        }
        let (code, message) = if !matches!(self.moves, MoveSource::Commands) {
            let text = "the moves of this board do not come from commands";
            (RefusalCode::WrongState, text)
        } else if self.record.is_offline() {
            (
                RefusalCode::Busy,
                "the journal's disk is not there yet: try again later",
            )
        } else {
            return None;
        };
        Some(Refusal {
            id: Some(command.id.clone()),
            code,
            message: message.to_owned(),
        })
    }

    /// Returns why a command cannot be decided now, if so.
    fn busy(&mut self, command: &Command) -> Option<Refusal> {
        let role = command.role;
        if role == Role::Arbiter {
            return None;
        }
        let why = if self.others() == Others::No {
            "too many entries wait for the disk: try again later"
        } else {
            let would_be_obeyed = matches!(self.trial(command), Trial::Executed);
            let now = self.clock.monotonic();
            if would_be_obeyed || self.refusals.take(role, now) {
                return None;
            }
            "too many commands of this role were refused: try again later"
        };
        Some(Refusal {
            id: Some(command.id.clone()),
            code: RefusalCode::Busy,
            message: why.to_owned(),
        })
    }

    fn trial(&self, command: &Command) -> Trial {
        let game = self.record.game();
        game.trial(command, game.seq().next(), self.clock.now())
    }

    async fn execute(&mut self, mut command: Command, answers: &mpsc::Sender<SolverAnswer>) {
        self.settle_answered(&mut command, answers).await;
        let refusal = self.prepare_choice(&command).await;
        if matches!(command.verb, Verb::Claim { .. } | Verb::Ruling(_)) {
            self.record_clock().await;
        }
        command.unsettled = self.unsettled(&command.verb);
        let shown_clock = match &command.verb {
            Verb::ClockState { clock, .. } => Some(*clock),
            Verb::Move { clock, .. } => *clock,
            _ => None,
        };
        let mut left = self.left_unsettled();
        // It belongs to the game that is left, so it is recorded before the next one begins.
        let leaves = matches!(command.verb, Verb::NewGame { .. } | Verb::Setup { .. })
            && matches!(self.trial(&command), Trial::Executed);
        if leaves {
            self.record_pending_differences().await;
        }
        // A difference keeps others than the arbiter from leaving the game.
        let is_next = leaves
            && matches!(command.verb, Verb::NewGame { .. })
            && matches!(self.trial(&command), Trial::Executed);
        if is_next && let Some(left) = left.take() {
            self.write(left).await;
        }
        let input = refusal.unwrap_or_else(|| self.as_written(command));
        let mut written = self.write(input).await;
        let decided = |fact: &Fact| match fact {
            // The game goes on when its result is withdrawn. An end by the Laws does not close it.
            Fact::ResultSet(result) => result.score != Score::None && !result.reason.is_automatic(),
            Fact::LossPending(_) | Fact::DecidedAfterEnd(_) => true,
            _ => false,
        };
        if let Some(left) = left.filter(|_| written.facts.iter().any(decided)) {
            written.facts.extend(self.write(left).await.facts);
        }
        if self.game_shows(shown_clock) {
            self.external_clock = shown_clock.map(|clock| (clock, self.clock.monotonic()));
        }
        self.on_facts(&written.facts, answers);
    }

    /// Returns the input to record for a command. A long one that is refused and changes nothing is
    /// reduced to the reason.
    fn as_written(&self, command: Command) -> Input {
        let length = serde_json::to_vec(&command).map_or(0, |json| json.len());
        // The audience of an acknowledgement depends on the alert that it names.
        if length > MAX_RECORDED_REFUSAL
            && !matches!(command.verb, Verb::Ack { .. })
            && let Trial::Refused {
                code,
                message,
                changes_nothing: true,
            } = self.trial(&command)
        {
            return Input::CommandRefused {
                role: command.role,
                verb: VerbName::of(&command.verb),
                id: command.id,
                code,
                message,
            };
        }
        Input::Command(command)
    }

    /// Counts a command that was not done and logs the first of its kind.
    fn note_refusal(&self, message: &CommandMessage, refusal: &Refusal) {
        let role = role_of(message);
        let what = Outcome::Refused(refusal.code);
        if !self.failed_commands.note(&self.board, role, what) {
            return;
        }
        // The message may quote the faulty value, and that may be a name.
        let reason = (!self.record.masks_names()).then_some(&refusal.message);
        let (code, topic) = (game_log::word(&refusal.code), shown(&message.topic));
        tracing::warn!(board = %self.board, topic, code, reason, "a command is refused");
    }

    /// Sends an answer once the entry that it depends on is on the disk.
    pub(super) fn reply(&mut self, message: &CommandMessage, reply: Reply, entry: EntrySeq) {
        let Some(to) = self.reply_topic(message) else {
            return;
        };
        self.topics.output().answer(PendingReply {
            to,
            reply,
            entry,
            correlation: message.correlation.clone(),
            precedence: Lane::of(&message.topic),
        });
    }

    /// Returns a function that sends the answer to a message later, from another task.
    pub(super) fn replier(
        &self,
        message: &CommandMessage,
    ) -> impl FnOnce(&Reply) + Send + 'static + use<> {
        let to = self.reply_topic(message);
        let (board, correlation) = (self.board.clone(), message.correlation.clone());
        let precedence = Lane::of(&message.topic);
        let publisher = self.publisher.clone();
        move |reply: &Reply| {
            let Some(to) = to else { return };
            let payload = Bytes::from(serde_json::to_vec(reply).unwrap_or_default());
            if let Err(error) = publisher.reply(&to, payload, correlation, precedence) {
                tracing::warn!(%board, "{error}");
            }
        }
    }

    /// Returns the topic for the answer to a message, if its sender wants one and may use that
    /// topic.
    fn reply_topic(&self, message: &CommandMessage) -> Option<String> {
        let to = command::reply_topic(message)?;
        if topic::is_reply(&self.site, &message.topic, &to) {
            return Some(to);
        }
        let role = role_of(message);
        if self
            .failed_commands
            .note(&self.board, role, Outcome::Unanswerable)
        {
            // A user name may be a person's name, and an invalid topic can be of any length.
            let wanted = (!self.record.masks_names()).then_some(shown(&to));
            tracing::warn!(
                board = %self.board,
                role = role_word(role),
                wanted,
                "no answer could be sent: the topic wanted for it is not below reply/ of this site, or belongs to the user of another role"
            );
        }
        None
    }
}

fn shown(topic: &str) -> String {
    topic.chars().take(LOGGED_TOPIC_CHARS).collect()
}

fn role_of(message: &CommandMessage) -> Option<Role> {
    let (role, ..) = topic::parse_command(&message.topic)?;
    role.parse().ok()
}

/// Returns the answer to a command that was refused before it reached the journal.
pub(super) fn refused(refusal: Refusal) -> Reply {
    Reply {
        schema: Reply::SCHEMA.into(),
        id: refusal.id,
        ok: false,
        seq: None,
        code: Some(refusal.code),
        message: Some(refusal.message),
        recorded: true,
        evidence: None,
    }
}
