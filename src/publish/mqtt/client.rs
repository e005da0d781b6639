//! A broker client separate from the daemon's session: subscribes, sends commands, reconnects.
//!
//! ```text
//!  ┌▶ connect ─▶ subscribe ─▶ Up ─▶ Message, … ──┐
//!  └──── wait, with jitter ◀── Lost ◀── any error ─┘
//! ```
//!
//! It sees only what its user may see, and persists nothing. Commands still unanswered when the
//! connection drops are reported as not sent. The daemon's own topics must survive a reconnect and
//! use [the session](super) instead.

use std::{collections::HashMap, time::Duration};

use bytes::Bytes;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    BrokerUrl, Brokers, CurrentAccess, Timing,
    brokers::Failover,
    link::{BrokerLink, ConnectionLost, LinkEvent},
    window::Window,
};
use remisd_vocabulary::retry::Backoff;

/// Events that may wait for the receiver. When the queue is full, the socket is not read.
const EVENTS: usize = 256;
/// Commands that may wait to be sent.
const ASKED: usize = 64;
/// Pings that may wait for their answer. Their sender waits for one before it sends the next.
const PINGS: usize = 2;
/// How long the disconnect may take.
const DISCONNECT_TIMEOUT: Duration = Duration::from_millis(500);

/// The settings of a client.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// The addresses of the broker, or of the nodes of its cluster.
    pub brokers: Brokers,
    /// Credentials and TLS settings. A change ends a wait before the next attempt to connect.
    pub access: CurrentAccess,
    /// The client id, unique at the broker.
    pub client_id: String,
    /// The topic filters to subscribe to.
    pub filters: Vec<String>,
    /// The seed of the back-off jitter; it should differ from client to client.
    pub jitter_seed: u64,
    /// The time limits.
    pub timing: Timing,
}

/// An event that a client reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEvent {
    /// The broker has accepted the connection and answered every subscription.
    Up,
    /// The broker refuses some of the subscriptions: their topics do not arrive. It comes before
    /// [`Up`](Self::Up).
    SubscriptionsRefused {
        /// How many.
        count: usize,
        /// The reason in words.
        why: String,
    },
    /// A message has arrived.
    Message(IncomingMessage),
    /// The answer to [`Client::ping`], after everything that came before it.
    Pong(u64),
    /// The connection was lost or could not be made. The client keeps trying.
    ConnectionLost {
        /// The reason in words.
        why: String,
        /// Whether the broker rejects this user.
        refused: bool,
    },
}

/// A message from the broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingMessage {
    /// The topic.
    pub topic: String,
    /// The payload, at most 256 KiB.
    pub payload: Bytes,
    /// Whether the broker had retained the message.
    pub retained: bool,
    /// The correlation data of the command that this answers.
    pub correlation: Option<Bytes>,
}

/// A command to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// The topic, without wildcards.
    pub topic: String,
    /// The payload.
    pub payload: Bytes,
    /// The topic on which the answer is expected.
    pub response_topic: Option<String>,
    /// The correlation data to be returned with the answer.
    pub correlation: Option<Bytes>,
}

/// Why a command is not known to have reached the broker.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// There was no connection, or it was lost before the broker acknowledged the command.
    #[error("no connection to the broker")]
    NoBroker,
    /// The broker refuses the command from this user.
    #[error("the broker refuses it: {0}")]
    Refused(String),
    /// Too many commands are already waiting.
    #[error("too many commands wait to be sent")]
    TooMany,
}

type Waiting = (OutgoingMessage, oneshot::Sender<Result<(), SendError>>);

/// The handle of a client. The client ends with its last handle, or with its token.
#[derive(Debug, Clone)]
pub struct Client {
    outgoing: mpsc::Sender<Waiting>,
    pings: mpsc::Sender<u64>,
}

impl Client {
    /// Sends a command and waits until the broker has acknowledged it.
    ///
    /// # Errors
    ///
    /// Returns an [`SendError`]. After [`SendError::NoBroker`] the broker may still have accepted
    /// the command.
    pub async fn ask(&self, command: OutgoingMessage) -> Result<(), SendError> {
        let (done, answer) = oneshot::channel();
        match self.outgoing.try_send((command, done)) {
            Ok(()) => answer.await.unwrap_or(Err(SendError::NoBroker)),
            Err(mpsc::error::TrySendError::Full(_)) => Err(SendError::TooMany),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(SendError::NoBroker),
        }
    }

    /// Asks for a [`ClientEvent::Pong`] with this number, with or without a broker.
    ///
    /// Returns false if the client has ended, or has not answered the pings before.
    #[must_use]
    pub fn ping(&self, number: u64) -> bool {
        self.pings.try_send(number).is_ok()
    }
}

/// Starts a client in the current tokio runtime.
///
/// The client runs until `cancel` is triggered or the event receiver is dropped.
#[must_use]
pub fn spawn(
    settings: ClientSettings,
    cancel: CancellationToken,
) -> (Client, mpsc::Receiver<ClientEvent>) {
    let (outgoing, waiting) = mpsc::channel(ASKED);
    let (pings, pinged) = mpsc::channel(PINGS);
    let (events, receiver) = mpsc::channel(EVENTS);
    let actor = ClientActor {
        failover: Failover::new(settings.brokers.clone()),
        settings,
        waiting,
        pinged,
        events,
    };
    tokio::spawn(async move {
        cancel.run_until_cancelled(actor.run()).await;
    });
    (Client { outgoing, pings }, receiver)
}

struct ClientActor {
    settings: ClientSettings,
    failover: Failover,
    waiting: mpsc::Receiver<Waiting>,
    pinged: mpsc::Receiver<u64>,
    events: mpsc::Sender<ClientEvent>,
}

/// The state of one connection.
struct ClientConnection {
    link: BrokerLink,
    window: Window<u64>,
    /// Callers that wait for an acknowledgement, by a local number.
    open: HashMap<u64, oneshot::Sender<Result<(), SendError>>>,
    next: u64,
    /// Subscription packets that are not answered yet.
    subscribing: usize,
    heard: Instant,
    up_since: Option<Instant>,
    /// When to subscribe once more; see [`Timing::subscribe_again`].
    subscribe_from: Option<Instant>,
}

/// The event receiver has been dropped.
struct ReceiverDropped;

impl ClientActor {
    async fn run(mut self) {
        let timing = &self.settings.timing;
        let (first, longest) = (timing.backoff_first, timing.backoff_longest);
        let reset = timing.backoff_reset;
        let mut backoff = Backoff::new(first, longest, self.settings.jitter_seed);
        loop {
            let mut line = self.open(self.failover.current());
            let lost = loop {
                match self.step(&mut line).await {
                    Ok(Ok(())) => {}
                    Ok(Err(lost)) => break lost,
                    Err(ReceiverDropped) => {
                        if line.link.disconnect().is_ok() {
                            timeout(DISCONNECT_TIMEOUT, farewell(&mut line.link))
                                .await
                                .ok();
                        }
                        return;
                    }
                }
            };
            let lasted = line.up_since.map(|since| since.elapsed());
            drop(line); // waiting callers receive `NoBroker`
            let all = (self.failover).next(&lost.why, lost.is_about_user(), lasted);
            // While other addresses remain, only the loss itself is reported.
            let event = match &all {
                Some(all) => Some((all.why.clone(), all.is_about_user)),
                None => lasted.map(|_| (lost.why, false)),
            };
            if let Some((why, refused)) = event {
                let event = ClientEvent::ConnectionLost { why, refused };
                if self.events.send(event).await.is_err() {
                    return;
                }
            }
            let held = lasted.is_some_and(|lasted| lasted >= reset);
            if held {
                backoff.reset();
            }
            if all.is_some() && self.rest(Instant::now() + backoff.wait()).await.is_err() {
                return;
            }
        }
    }

    fn open(&self, url: &BrokerUrl) -> ClientConnection {
        let ClientSettings {
            access,
            client_id,
            timing,
            ..
        } = &self.settings;
        ClientConnection {
            link: BrokerLink::open_client(url, &access.get(), client_id, timing),
            window: Window::new(0),
            open: HashMap::new(),
            next: 0,
            subscribing: 0,
            heard: Instant::now(),
            up_since: None,
            subscribe_from: None,
        }
    }

    /// Waits for the next event on a connection and handles it.
    async fn step(
        &mut self,
        line: &mut ClientConnection,
    ) -> Result<Result<(), ConnectionLost>, ReceiverDropped> {
        let timing = &self.settings.timing;
        let silent = line.heard + timing.keep_alive() * 5 / 2 + timing.connect;
        let may_ask = line.up_since.is_none() || line.window.has_room();
        let subscribe_from = line.subscribe_from;
        tokio::select! {
            event = line.link.next() => self.take(line, event).await,
            asked = self.waiting.recv(), if may_ask => match asked {
                Some((_, done)) if line.up_since.is_none() => {
                    done.send(Err(SendError::NoBroker)).ok();
                    Ok(Ok(()))
                }
                // The caller has gone and already reported a failure: do not execute the command
                // now.
                Some((_, done)) if done.is_closed() => Ok(Ok(())),
                Some((command, done)) => Ok(line.ask(&command, done)),
                None => Err(ReceiverDropped),
            },
            Some(number) = self.pinged.recv() => {
                self.emit(ClientEvent::Pong(number)).await.map(Ok)
            }
            () = self.events.closed() => Err(ReceiverDropped),
            () = sleep_until(subscribe_from.unwrap_or(silent)), if subscribe_from.is_some() => {
                line.subscribe_from = None;
                Ok(line.link.subscribe(&self.settings.filters, false).map(drop))
            }
            () = sleep_until(silent) => {
                Ok(Err(ConnectionLost::because("the broker has stopped answering")))
            }
        }
    }

    async fn take(
        &self,
        line: &mut ClientConnection,
        event: LinkEvent,
    ) -> Result<Result<(), ConnectionLost>, ReceiverDropped> {
        line.heard = Instant::now();
        match event {
            LinkEvent::Connected { window, .. } => {
                line.window = Window::new(window);
                match line.link.subscribe(&self.settings.filters, false) {
                    Ok(count) => line.subscribing = count,
                    Err(lost) => return Ok(Err(lost)),
                }
                if line.subscribing == 0 {
                    return self.is_up(line).await;
                }
            }
            // The second subscription only brings values.
            LinkEvent::Subscribed { .. } if line.up_since.is_some() => {}
            LinkEvent::Subscribed { refused, why } => {
                if let Some(why) = why {
                    let event = ClientEvent::SubscriptionsRefused {
                        count: refused,
                        why,
                    };
                    self.emit(event).await?;
                }
                line.subscribing = line.subscribing.saturating_sub(1);
                if line.subscribing == 0 {
                    return self.is_up(line).await;
                }
            }
            LinkEvent::Written(id) => {
                if let Some(number) = line.window.written(id) {
                    line.answer(number, Ok(()));
                }
            }
            LinkEvent::Acknowledged { id, refused } => {
                if let Some(number) = line.window.acknowledged(id) {
                    line.answer(
                        number,
                        refused.map_or(Ok(()), |why| Err(SendError::Refused(why))),
                    );
                }
            }
            LinkEvent::Received(message) => {
                let event = ClientEvent::Message(IncomingMessage {
                    topic: message.topic,
                    payload: message.payload,
                    retained: message.retain,
                    correlation: message.correlation,
                });
                self.emit(event).await?;
            }
            LinkEvent::Disconnected | LinkEvent::Alive => {}
            LinkEvent::ConnectionLost(lost) => return Ok(Err(lost)),
        }
        Ok(Ok(()))
    }

    async fn is_up(
        &self,
        line: &mut ClientConnection,
    ) -> Result<Result<(), ConnectionLost>, ReceiverDropped> {
        let now = Instant::now();
        line.up_since = Some(now);
        let is_cluster = self.settings.brokers.count() > 1;
        line.subscribe_from = is_cluster.then(|| now + self.settings.timing.subscribe_again);
        self.failover.works();
        self.emit(ClientEvent::Up).await?;
        Ok(Ok(()))
    }

    async fn emit(&self, event: ClientEvent) -> Result<(), ReceiverDropped> {
        self.events.send(event).await.map_err(|_| ReceiverDropped)
    }

    /// Waits until `until`, or until the access settings change. Commands that arrive meanwhile fail
    /// with `NoBroker`.
    async fn rest(&mut self, until: Instant) -> Result<(), ReceiverDropped> {
        loop {
            tokio::select! {
                () = sleep_until(until) => return Ok(()),
                () = self.settings.access.changed() => return Ok(()),
                Some(number) = self.pinged.recv() => self.emit(ClientEvent::Pong(number)).await?,
                () = self.events.closed() => return Err(ReceiverDropped),
                asked = self.waiting.recv() => match asked {
                    Some((_, done)) => _ = done.send(Err(SendError::NoBroker)),
                    None => return Err(ReceiverDropped),
                },
            }
        }
    }
}

impl ClientConnection {
    fn ask(
        &mut self,
        command: &OutgoingMessage,
        done: oneshot::Sender<Result<(), SendError>>,
    ) -> Result<(), ConnectionLost> {
        self.link.ask(command)?;
        self.window.push(self.next);
        self.open.insert(self.next, done);
        self.next += 1;
        Ok(())
    }

    fn answer(&mut self, number: u64, answer: Result<(), SendError>) {
        if let Some(done) = self.open.remove(&number) {
            done.send(answer).ok();
        }
    }
}

async fn farewell(link: &mut BrokerLink) {
    while !matches!(
        link.next().await,
        LinkEvent::Disconnected | LinkEvent::ConnectionLost(_)
    ) {}
}
