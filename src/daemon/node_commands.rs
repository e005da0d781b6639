//! Commands to the daemon itself: orders for Lichess, and test messages to phones.
//!
//! ```text
//! intake ─▶ NodeCommands ─▶ OrderIntake (on the disk) ─▶ the pusher to Lichess
//!                │    └───▶ test messages
//!                └─▶ answer: accepted, or why not        progress ─▶ node/<node>/broadcast
//! ```
//!
//! An answer says that an order was accepted, not that Lichess has carried it out: that may take
//! minutes.

use std::{collections::VecDeque, sync::Arc};

use bytes::Bytes;
use tokio::{sync::watch, task::JoinSet};
use tokio_util::sync::CancellationToken;

use super::notify::send_test;
use crate::{
    config::Config,
    publish::{
        CommandMessage, Commands, Lane, Publisher,
        command::{self, Refusal},
        node_command::{self, NodeCommand, NodeVerb},
        payload::{PhoneState, PhoneTest, Reply},
        topic,
    },
};
use remisd_broadcast::lichess::{OrderIntake, OrderRefusal, Request};
use remisd_game::{RefusalCode, Role};
use remisd_vocabulary::{
    text::OneLine,
    time::{Clock, rfc3339},
};

/// The answers that are remembered.
const REMEMBERED: usize = 1_024;
/// The longest answer of a server that is shown, in characters.
const SHOWN: usize = 200;

/// Carries out commands to the daemon. See the [module](self).
pub(super) struct NodeCommands {
    config: Config,
    publisher: Publisher,
    /// Takes orders for Lichess; none if no Lichess broadcast runs.
    order_intake: Option<OrderIntake>,
    phones: watch::Sender<Vec<PhoneState>>,
    clock: Arc<dyn Clock>,
    answered: VecDeque<(Role, Reply)>,
    /// The test messages under way, with the number of the phone.
    tests: JoinSet<(usize, PhoneTest)>,
}

impl NodeCommands {
    pub(super) fn new(
        config: Config,
        publisher: Publisher,
        order_intake: Option<OrderIntake>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let phones = (0..config.notify.len()).map(|number| PhoneState {
            name: format!("notify.{number}"),
            test: None,
        });
        Self {
            phones: watch::Sender::new(phones.collect()),
            config,
            publisher,
            order_intake,
            clock,
            answered: VecDeque::new(),
            tests: JoinSet::new(),
        }
    }

    /// The phones, notified of each test.
    pub(super) fn phones(&self) -> watch::Receiver<Vec<PhoneState>> {
        self.phones.subscribe()
    }

    /// Carries out commands until `cancel`.
    pub(super) async fn run(mut self, mut commands: Commands, cancel: CancellationToken) {
        loop {
            tokio::select! {
                () = cancel.cancelled() => return,
                message = commands.recv() => match message {
                    Some(message) => self.take(&message).await,
                    None => return,
                },
                Some(tested) = self.tests.join_next() => match tested {
                    Ok((number, test)) => self.show_test(number, test),
                    Err(error) => tracing::error!("a test message was not sent: {error}"),
                },
            }
        }
    }

    async fn take(&mut self, message: &CommandMessage) {
        let command = match node_command::parse(message) {
            Ok(command) => command,
            Err(refusal) => return self.reply(message, &refused(refusal)),
        };
        let (role, id) = (command.role, command.id.clone());
        let known = self
            .answered
            .iter()
            .find(|(of, reply)| *of == role && reply.id.as_deref() == Some(&id));
        if let Some((_, reply)) = known {
            let reply = reply.clone();
            return self.reply(message, &reply);
        }
        let reply = match self.execute(command).await {
            Ok(()) => answer(Some(id), None),
            Err(OrderRefusal { code, message }) => {
                let id = Some(id);
                tracing::warn!(?code, "a command to the daemon is refused: {message}");
                refused(Refusal { id, code, message })
            }
        };
        // Nothing was decided then: the same command may be sent again.
        let may_come_again = [RefusalCode::Busy, RefusalCode::Unavailable];
        if !reply
            .code
            .is_some_and(|code| may_come_again.contains(&code))
        {
            self.answered.push_back((role, reply.clone()));
            if self.answered.len() > REMEMBERED {
                self.answered.pop_front();
            }
        }
        self.reply(message, &reply);
    }

    async fn execute(&mut self, command: NodeCommand) -> Result<(), OrderRefusal> {
        let NodeCommand { id, role, by, verb } = command;
        let request = match verb {
            NodeVerb::NotifyTest {} => return self.test_phones(),
            NodeVerb::LichessReset { round } => Request::Reset { round },
            NodeVerb::LichessClose { round, unfinished } => Request::Close { round, unfinished },
            NodeVerb::LichessCreate {
                round,
                adopt: Some(id),
                ..
            } => Request::Adopt { round, id },
            NodeVerb::LichessCreate {
                round,
                name,
                rated,
                again,
                adopt: None,
            } => Request::Create {
                round,
                name,
                rated,
                again,
            },
        };
        let Some(order_intake) = &self.order_intake else {
            return Err(OrderRefusal {
                code: RefusalCode::WrongState,
                message: "no Lichess broadcast runs here".to_owned(),
            });
        };
        order_intake.take(role, &id, by.as_deref(), request).await
    }

    fn test_phones(&mut self) -> Result<(), OrderRefusal> {
        let phones = self.config.notify.len();
        let why = if phones == 0 {
            Some("no [[notify]] is configured")
        } else if self.tests.is_empty() {
            None
        } else {
            Some("test messages are being sent")
        };
        if let Some(why) = why {
            return Err(OrderRefusal {
                code: RefusalCode::WrongState,
                message: why.to_owned(),
            });
        }
        let time = rfc3339(self.clock.now());
        for number in 0..phones {
            let test = PhoneTest {
                time: time.clone(),
                ok: None,
                answer: None,
            };
            self.show_test(number, test.clone());
            let config = self.config.clone();
            self.tests.spawn(async move {
                let sent = send_test(&config, number).await;
                let ok = Some(sent.is_ok());
                let answer = sent.unwrap_or_else(|error| format!("{error:#}"));
                let answer = OneLine::new(&answer).as_str().chars().take(SHOWN).collect();
                let answer = Some(answer);
                (number, PhoneTest { ok, answer, ..test })
            });
        }
        Ok(())
    }

    fn show_test(&self, number: usize, test: PhoneTest) {
        self.phones.send_modify(|phones| {
            if let Some(phone) = phones.get_mut(number) {
                phone.test = Some(test);
            }
        });
    }

    fn reply(&self, message: &CommandMessage, reply: &Reply) {
        let Some(to) = command::reply_topic(message) else {
            return;
        };
        if !topic::is_reply(&self.config.site.id, &message.topic, &to) {
            tracing::warn!(
                "no answer could be sent: its topic belongs to the user of another role"
            );
            return;
        }
        let payload = Bytes::from(serde_json::to_vec(reply).unwrap_or_default());
        let (correlation, lane) = (message.correlation.clone(), Lane::of(&message.topic));
        if let Err(error) = self.publisher.reply(&to, payload, correlation, lane) {
            tracing::warn!("{error}");
        }
    }
}

fn refused(refusal: Refusal) -> Reply {
    answer(refusal.id, Some((refusal.code, refusal.message)))
}

/// The answer to a command: accepted, unless there is a reason against it.
fn answer(id: Option<String>, refusal: Option<(RefusalCode, String)>) -> Reply {
    let ok = refusal.is_none();
    let (code, message) = refusal.unzip();
    Reply {
        schema: Reply::SCHEMA.into(),
        id,
        ok,
        seq: None,
        code,
        message,
        recorded: true,
        evidence: None,
    }
}
