//! One broker user's connection: the topics it may read and the commands it sends.
//!
//! All sessions signed in as the same user for the same audience share one.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::mirror::Mirror;
use crate::publish::{
    mqtt::{
        Brokers, CurrentAccess, Timing,
        client::{
            self, Client, ClientEvent, ClientSettings, IncomingMessage, OutgoingMessage, SendError,
        },
    },
    topic::{self, Audience},
};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    time::Clock,
};

/// How long the daemon may take to answer a command.
const ANSWER: Duration = Duration::from_secs(5);
/// How long the broker may take to accept a user; longer with several addresses.
const WELCOME: Duration = Duration::from_secs(6);

/// The maximum number of feeds of a user of one board.
const FEEDS_OF_A_BOARD: usize = 16;

/// The broker and site that all connections use.
#[derive(Debug, Clone)]
pub struct Broker {
    /// The addresses of the broker, or of the nodes of its cluster.
    pub brokers: Brokers,
    /// The venue or event.
    pub site: SiteId,
    /// The time limits.
    pub timing: Timing,
    /// The clock for arrival times.
    pub clock: Arc<dyn Clock>,
}

/// The state of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// Not known yet.
    Connecting,
    /// Connected.
    Up,
    /// Not connected, for this reason; the client keeps retrying.
    Lost(String),
    /// The broker rejects this user.
    Refused(String),
}

impl ConnectionState {
    /// Whether this reason has not been reported yet.
    fn is_new_reason(&self, why: &str) -> bool {
        !matches!(self, Self::Lost(known) | Self::Refused(known) if known == why)
    }
}

/// Why a command has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The broker did not accept it.
    #[error(transparent)]
    Broker(#[from] SendError),
    /// The daemon does not answer.
    #[error("the daemon does not answer within {} s", ANSWER.as_secs())]
    Silent,
}

/// One user's connection to the broker. It closes when its last holder drops it.
#[derive(Debug)]
pub struct Upstream {
    /// The latest values of the topics that this user may read.
    pub mirror: Mirror,
    /// The user and the audience, for the log.
    who: String,
    site: SiteId,
    client: Client,
    line: watch::Receiver<ConnectionState>,
    /// How long the broker may take to accept the user.
    welcome: Duration,
    /// The topic for answers to this connection's commands.
    reply_topic: String,
    open: Arc<Answers>,
    number: AtomicU64,
    /// The number of the last ping that was answered.
    pong: watch::Receiver<u64>,
    /// The slots for the user's feeds.
    feeds: Arc<Semaphore>,
    _stop: DropGuard,
}

/// The callers that wait for answers, by correlation data.
type Answers = Mutex<HashMap<Bytes, oneshot::Sender<Bytes>>>;

impl Upstream {
    /// Connects for as long as the result is held.
    ///
    /// `board` restricts a player's connection to one board; `name` is unique among all
    /// connections.
    #[must_use]
    pub fn open(
        broker: &Broker,
        access: CurrentAccess,
        audience: Audience,
        board: Option<&BoardId>,
        name: &str,
    ) -> Arc<Self> {
        let credentials = access.get().credentials;
        let user = credentials.as_ref().map(|c| c.username.as_str());
        let who = format!("{} for {}", user.unwrap_or("nobody"), audience.as_str());
        let site = &broker.site;
        let reply_topic = format!("chess/v1/{site}/reply/{}/{name}", user.unwrap_or("pages"));
        let (word, boards) = (audience.as_str(), board.map_or("+", BoardId::as_str));
        let mut filters = vec![
            format!("chess/v1/{site}/{word}/{boards}/+"),
            format!("chess/v1/{site}/node/+/state"),
        ];
        if matches!(audience, Audience::Arbiter | Audience::Operator) {
            filters.push(format!("chess/v1/{site}/node/+/health"));
            filters.push(format!("chess/v1/{site}/node/+/broadcast"));
        }
        if !matches!(audience, Audience::Public | Audience::Hall) {
            filters.push(reply_topic.clone());
        }
        let settings = ClientSettings {
            brokers: broker.brokers.clone(),
            access,
            client_id: format!("remisd-hall-{name}"),
            filters,
            jitter_seed: name
                .bytes()
                .fold(0, |seed, byte| seed * 31 + u64::from(byte)),
            timing: broker.timing.clone(),
        };
        let more_addresses = u32::try_from(broker.brokers.count() - 1).unwrap_or(u32::MAX);
        let cancel = CancellationToken::new();
        let (client, events) = client::spawn(settings, cancel.clone());
        let (line_changes, line) = watch::channel(ConnectionState::Connecting);
        let (answered, pong) = watch::channel(0);
        let upstream = Arc::new(Self {
            mirror: Mirror::new(site, audience),
            who: who.clone(),
            site: site.clone(),
            client,
            line,
            welcome: WELCOME + broker.timing.connect * more_addresses,
            reply_topic,
            open: Arc::default(),
            number: AtomicU64::new(0),
            pong,
            feeds: Arc::new(Semaphore::new(match board {
                Some(_) => FEEDS_OF_A_BOARD,
                None => Semaphore::MAX_PERMITS,
            })),
            _stop: cancel.drop_guard(),
        });
        let hearing = Hearing {
            who,
            upstream: Arc::downgrade(&upstream),
            line: line_changes,
            answered,
            clock: Arc::clone(&broker.clock),
            quiet: broker.brokers.quiet(),
        };
        tokio::spawn(hearing.run(events));
        upstream
    }

    /// The user and the audience, for the log.
    #[must_use]
    pub fn who(&self) -> &str {
        &self.who
    }

    /// Reserves a slot for a feed of the user; `None` if all are taken. A user of one board has a
    /// few, whatever the number of browsers, so that no player takes the slots of the others.
    #[must_use]
    pub fn feed_slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.feeds).try_acquire_owned().ok()
    }

    /// The state of the connection, and its changes.
    #[must_use]
    pub fn state(&self) -> watch::Receiver<ConnectionState> {
        self.line.clone()
    }

    /// Whether the connection's tasks make progress: they answer in this time, with or without a
    /// broker.
    pub async fn makes_progress(&self, within: Duration) -> bool {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        let mut pong = self.pong.clone();
        let answered = pong.wait_for(|answered| *answered >= number);
        self.client.ping(number) && matches!(timeout(within, answered).await, Ok(Ok(_)))
    }

    /// Whether it is connected.
    #[must_use]
    pub fn is_up(&self) -> bool {
        *self.line.borrow() == ConnectionState::Up
    }

    /// Whether it is connected, or its state is not known yet.
    #[must_use]
    pub fn is_up_or_new(&self) -> bool {
        matches!(
            *self.line.borrow(),
            ConnectionState::Up | ConnectionState::Connecting
        )
    }

    /// Whether the broker rejects this user, or has begun to.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(*self.line.borrow(), ConnectionState::Refused(_))
    }

    /// Waits until the broker has accepted or rejected the user, for at most six seconds, and longer
    /// if it has several addresses.
    pub async fn welcome(&self) -> ConnectionState {
        let mut line = self.line.clone();
        let known = |line: &ConnectionState| {
            matches!(line, ConnectionState::Up | ConnectionState::Refused(_))
        };
        match timeout(self.welcome, line.wait_for(known)).await {
            Ok(Ok(line)) => line.clone(),
            _ => self.line.borrow().clone(),
        }
    }

    /// Whether the broker accepts this role's commands from this user.
    ///
    /// The message sent for this is not a command, and daemons ignore it.
    ///
    /// # Errors
    ///
    /// Returns an [`SendError`].
    pub async fn may_command(&self, role: &str, board: Option<&BoardId>) -> Result<(), SendError> {
        let request = OutgoingMessage {
            topic: topic::sign_in(&self.site, role, board),
            payload: Bytes::from_static(topic::SIGN_IN_PAYLOAD),
            response_topic: None,
            correlation: None,
        };
        timeout(ANSWER, self.client.ask(request))
            .await
            .unwrap_or(Err(SendError::NoBroker))
    }

    /// Whether a daemon would answer this role's commands on this connection: it never writes to a
    /// user name that belongs to another role.
    #[must_use]
    pub fn is_answered(&self, role: &str, board: Option<&BoardId>) -> bool {
        let command = topic::sign_in(&self.site, role, board);
        topic::is_reply(&self.site, &command, &self.reply_topic)
    }

    /// Sends a command and waits for the daemon's answer.
    ///
    /// # Errors
    ///
    /// Returns a [`NoAnswer`]. The same command may then be sent again, because the daemon
    /// recognises its id.
    pub async fn command(
        &self,
        role: &str,
        board: &BoardId,
        verb: &str,
        payload: Bytes,
    ) -> Result<Bytes, NoAnswer> {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let correlation = Bytes::from(number.to_string());
        let (done, answer) = oneshot::channel();
        self.answers(|open| {
            // Forget callers that have gone away.
            open.retain(|_, waiting| !waiting.is_closed());
            open.insert(correlation.clone(), done);
        });
        let request = OutgoingMessage {
            topic: format!("chess/v1/{}/cmd/{role}/{board}/{verb}", self.site),
            payload,
            response_topic: Some(self.reply_topic.clone()),
            correlation: Some(correlation.clone()),
        };
        let answered = timeout(ANSWER, async {
            self.client.ask(request).await?;
            answer.await.map_err(|_| NoAnswer::Silent)
        });
        let answered = answered.await.unwrap_or(Err(NoAnswer::Silent));
        self.answers(|open| open.remove(&correlation));
        answered
    }

    fn answers<T>(&self, with: impl FnOnce(&mut HashMap<Bytes, oneshot::Sender<Bytes>>) -> T) -> T {
        with(&mut self.open.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn take(&self, message: IncomingMessage, clock: &dyn Clock) {
        if message.topic != self.reply_topic {
            let received = (!message.retained).then(|| clock.now());
            self.mirror.take(&message.topic, &message.payload, received);
            return;
        }
        let waits = message
            .correlation
            .and_then(|c| self.answers(|open| open.remove(&c)));
        if let Some(done) = waits {
            done.send(message.payload).ok();
        }
    }
}

/// The task that receives events for an [`Upstream`] until the last holder drops it.
struct Hearing {
    /// The user and the audience, for the log.
    who: String,
    upstream: std::sync::Weak<Upstream>,
    line: watch::Sender<ConnectionState>,
    answered: watch::Sender<u64>,
    clock: Arc<dyn Clock>,
    /// The silence after which all retained messages count as received.
    quiet: Duration,
}

impl Hearing {
    async fn run(self, mut events: mpsc::Receiver<ClientEvent>) {
        let far = Duration::from_hours(24);
        // While retained messages are still arriving: when they count as complete.
        let mut complete_at = None;
        loop {
            let event = tokio::select! {
                event = events.recv() => event,
                () = sleep_until(complete_at.unwrap_or(Instant::now() + far)) => {
                    complete_at = None;
                    let Some(upstream) = self.upstream.upgrade() else { return };
                    upstream.mirror.complete();
                    continue;
                }
            };
            let (Some(event), Some(upstream)) = (event, self.upstream.upgrade()) else {
                return;
            };
            match event {
                ClientEvent::Up => {
                    complete_at = Some(Instant::now() + self.quiet);
                    self.line.send_replace(ConnectionState::Up);
                }
                ClientEvent::SubscriptionsRefused { count, why } => {
                    tracing::warn!(who = ?self.who, count, "the broker refuses subscriptions: {why}");
                }
                ClientEvent::Pong(number) => _ = self.answered.send_replace(number),
                ClientEvent::Message(message) => {
                    if message.retained && complete_at.is_some() {
                        complete_at = Some(Instant::now() + self.quiet);
                    }
                    upstream.take(message, &*self.clock);
                }
                ClientEvent::ConnectionLost { why, refused } => {
                    complete_at = None;
                    upstream.mirror.begin();
                    if self.line.borrow().is_new_reason(&why) {
                        // A missing or wrong password is not a fault.
                        if refused {
                            tracing::debug!(who = ?self.who, "the broker refuses a user: {why}");
                        } else {
                            tracing::info!(who = ?self.who, "pages have no connection to the broker: {why}");
                        }
                    }
                    let line = if refused {
                        ConnectionState::Refused(why)
                    } else {
                        ConnectionState::Lost(why)
                    };
                    self.line.send_replace(line);
                }
            }
        }
    }
}

#[cfg(test)]
impl Broker {
    /// A broker that is not there.
    pub(super) fn unreachable() -> Self {
        Self {
            brokers: "mqtt://127.0.0.1:9".parse().unwrap(),
            site: "hall".parse().unwrap(),
            timing: Timing::default(),
            clock: Arc::new(remisd_vocabulary::time::SystemClock::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::mqtt::Access;

    #[tokio::test]
    async fn a_connection_whose_task_hangs_makes_no_progress_and_a_missing_broker_is_no_reason() {
        let broker = Broker::unreachable();
        let access = CurrentAccess::fixed(Access::default());
        // The connection blocks its runtime below, and perhaps the timers there.
        let apart = tokio::runtime::Runtime::new().unwrap();
        let upstream = {
            let _apart = apart.enter();
            Upstream::open(&broker, access, Audience::Public, None, "test")
        };
        let mut state = upstream.state();
        let lost = |state: &ConnectionState| matches!(state, ConnectionState::Lost(_));
        state.wait_for(lost).await.unwrap();
        let within = Duration::from_mins(1);
        assert!(upstream.makes_progress(within).await);
        // The task cannot note the next failure while somebody reads the state.
        let held = upstream.line.borrow();
        let within = Duration::from_millis(100);
        while upstream.makes_progress(within).await {}
        drop(held);
        while !upstream.makes_progress(within).await {}
        apart.shutdown_background();
    }
}
