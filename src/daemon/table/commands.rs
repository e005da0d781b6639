//! Commands: which are taken now, what they come to, and their answers.

use bytes::Bytes;
use tokio::sync::mpsc;

use super::{super::solver::Answer, Table, diary};
use crate::{
    config::Limits,
    daemon::{
        limits::{Bucket, per_second},
        outlet::Answered,
        tally::{NotDone, role_word},
    },
    publish::{
        CommandMessage, Precedence,
        command::{self, Refusal},
        payload::Reply,
        topic,
    },
};
use remisd_game::{Command, Input, RefusalCode, Role, Trial, Verb, VerbName};
use remisd_vocabulary::time::Millis;

/// So much of a topic that gets no answer stands in the log, in characters.
const WANTED: usize = 128;
/// Entries that may wait for a slow disk before others than the arbiter have to wait.
const WAITING: u64 = 64;
/// Entries that may wait for a disk that is down before others are refused. The rest of the room
/// is for the moves on the board and the arbiter.
const DOWN_WAITING: u64 = 512;
/// The longest refused command that is written down as it came, in bytes.
const LONG: usize = 512;
/// Refused commands of a role are written down at this part of its rate.
const REFUSED_SHARE: u64 = 5;

/// Whether commands of others than the arbiter can be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Others {
    /// Now.
    Now,
    /// When the disk has taken what waits for it.
    Later,
    /// Not before somebody has mended the disk: they are refused.
    No,
}

/// How many refused commands of each role are written down; more are answered `busy`.
#[derive(Debug)]
pub struct Refusals([Bucket; Role::ALL.len()]);

impl Refusals {
    /// By the limits of the roles.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        Self(Role::ALL.map(|role| {
            let per_s = per_second(limits, Some(role)).div_ceil(REFUSED_SHARE);
            Bucket::new(per_s, limits.burst_s * REFUSED_SHARE, 0)
        }))
    }

    fn take(&mut self, role: Role, now: Millis) -> bool {
        // The arbiter hears in any case what is wrong.
        let index = Role::ALL.iter().position(|one| *one == role);
        role == Role::Arbiter || index.is_none_or(|index| self.0[index].take(1, now))
    }
}

impl Table {
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

    /// Whether commands of others than the arbiter are taken out of their lane.
    pub(super) fn takes_others(&self) -> bool {
        self.others() != Others::Later
    }

    /// Does what a command asks for, and answers it.
    pub(super) async fn command(
        &mut self,
        message: &CommandMessage,
        answers: &mpsc::Sender<Answer>,
    ) {
        if command::is_question(message) {
            return self.evidence(message);
        }
        let (reply, entry) = match command::parse(message) {
            Err(refusal) => return self.refuse(message, refusal),
            Ok(command) => {
                let (role, id) = (command.role, command.id.clone());
                if self.record.game().answer(role, &id).is_none() {
                    if let Some(busy) = self.busy(&command) {
                        return self.refuse(message, busy);
                    }
                    self.obey(command, answers).await;
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

    /// Answers a message that is no command we can take.
    pub(super) fn refuse(&mut self, message: &CommandMessage, refusal: Refusal) {
        self.note_refusal(message, &refusal);
        self.reply(message, refused(refusal), 0);
    }

    /// Why nothing is decided about a command now, if so.
    fn busy(&mut self, command: &Command) -> Option<Refusal> {
        let role = command.role;
        if role == Role::Arbiter {
            return None;
        }
        let why = if self.others() == Others::No {
            "too many entries wait for the disk: try again later"
        } else {
            let would_be_obeyed = matches!(self.trial(command), Trial::Executed);
            let now = self.clock.monotonic_ms();
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
        game.trial(command, game.seq() + 1, self.clock.now())
    }

    async fn obey(&mut self, mut command: Command, answers: &mpsc::Sender<Answer>) {
        self.settle_answered(&mut command, answers).await;
        if matches!(command.verb, Verb::Claim { .. } | Verb::Ruling(_)) {
            self.take_the_time().await;
        }
        command.unsettled = self.unsettled(&command.verb);
        let told = match &command.verb {
            Verb::ClockState { clock, .. } => Some(*clock),
            _ => None,
        };
        let input = self.as_written(command);
        let written = self.write(input).await;
        if self.game_shows(told) {
            self.told_clock = told.map(|clock| (clock, self.clock.monotonic_ms()));
        }
        self.heed(&written.facts, answers);
    }

    /// A command as it is written down: a long one that is refused and changes nothing leaves
    /// only why.
    fn as_written(&self, command: Command) -> Input {
        let length = serde_json::to_vec(&command).map_or(0, |json| json.len());
        // Who knows of an acknowledgement depends on the alert that it names.
        if length > LONG
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

    /// Counts a command that was not done; the first of its kind stands in the log.
    fn note_refusal(&self, message: &CommandMessage, refusal: &Refusal) {
        let role = role_of(message);
        let what = NotDone::Refused(refusal.code);
        if !self.tally.note(&self.board, role, what) {
            return;
        }
        // What was wrong may be quoted in the message, and a name may be wrong.
        let told = (!self.record.masks_names()).then_some(&refusal.message);
        let (code, topic) = (diary::word(&refusal.code), shown(&message.topic));
        tracing::warn!(board = %self.board, topic, code, told, "a command is refused");
    }

    /// Sends an answer, once the disk has the entry that it rests on.
    pub(super) fn reply(&mut self, message: &CommandMessage, reply: Reply, entry: u64) {
        let Some(to) = self.reply_topic(message) else {
            return;
        };
        self.showcase.outlet().answer(Answered {
            to,
            reply,
            entry,
            correlation: message.correlation.clone(),
            precedence: Precedence::of(&message.topic),
        });
    }

    /// Sends the answer to a message later, from elsewhere.
    pub(super) fn replier(
        &self,
        message: &CommandMessage,
    ) -> impl FnOnce(&Reply) + Send + 'static + use<> {
        let to = self.reply_topic(message);
        let (board, correlation) = (self.board.clone(), message.correlation.clone());
        let precedence = Precedence::of(&message.topic);
        let publisher = self.publisher.clone();
        move |reply: &Reply| {
            let Some(to) = to else { return };
            let payload = Bytes::from(serde_json::to_vec(reply).unwrap_or_default());
            if let Err(error) = publisher.reply(&to, payload, correlation, precedence) {
                tracing::warn!(%board, "{error}");
            }
        }
    }

    /// Where the answer to a message goes, if its sender wants one and may have it there.
    fn reply_topic(&self, message: &CommandMessage) -> Option<String> {
        let to = command::reply_topic(message)?;
        if topic::is_reply(&self.site, &message.topic, &to) {
            return Some(to);
        }
        let role = role_of(message);
        if self.tally.note(&self.board, role, NotDone::Unanswerable) {
            // A user's name may be a person's, and there is no end to a topic that is none.
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
    topic.chars().take(WANTED).collect()
}

fn role_of(message: &CommandMessage) -> Option<Role> {
    let (role, ..) = topic::parse_command(&message.topic)?;
    role.parse().ok()
}

/// The answer to what was refused before it got as far as the journal.
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
