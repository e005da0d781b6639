//! A client of the broker beside the daemon: hears topics, sends commands, comes back.
//!
//! ```text
//!  ┌▶ connect ─▶ subscribe ─▶ Up ─▶ Told, Told, … ─┐
//!  └──── wait, with jitter ◀── Lost ◀── any error ─┘
//! ```
//!
//! It sees no more than its user may see, and keeps nothing: what was not answered for when
//! the line goes is told as not sent. Not for the daemon's own topics, which must survive
//! the broker; see [the session](super) for those.

use std::{collections::HashMap, time::Duration};

use bytes::Bytes;
use tokio::{
    sync::{mpsc, oneshot},
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Access, BrokerUrl, Timing,
    link::{Link, LinkEvent, Lost},
    window::Window,
};
use remisd_vocabulary::retry::Backoff;

/// Messages that wait for whoever listens; then the socket is not read on.
const EVENTS: usize = 256;
/// Commands that wait to be sent.
const ASKED: usize = 64;
/// How long the goodbye may take.
const GOODBYE: Duration = Duration::from_millis(500);

/// Who connects, and what for.
#[derive(Debug, Clone)]
pub struct ClientSettings {
    /// Where the broker is.
    pub url: BrokerUrl,
    /// Who we are to it and how TLS is spoken.
    pub access: Access,
    /// Unique at the broker.
    pub client_id: String,
    /// The topic filters to hear.
    pub filters: Vec<String>,
    /// Decides the jitter; should differ from client to client.
    pub jitter_seed: u64,
    /// How long to wait for what.
    pub timing: Timing,
}

/// What a client hears.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientEvent {
    /// The broker has let us in and answered every subscription.
    Up,
    /// A message.
    Told(Told),
    /// The line is gone, or did not come to be; it is tried again.
    Lost {
        /// Why, in words.
        why: String,
        /// The broker itself does not let us in.
        refused: bool,
    },
}

/// A message from the broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Its topic.
    pub topic: String,
    /// Its payload, at most 256 KiB.
    pub payload: Bytes,
    /// The broker had kept it from before.
    pub retained: bool,
    /// What an answer answers.
    pub correlation: Option<Bytes>,
}

/// A command on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Its topic, without wildcards.
    pub topic: String,
    /// Its payload.
    pub payload: Bytes,
    /// Where the answer is wanted.
    pub response_topic: Option<String>,
    /// What stands in the answer.
    pub correlation: Option<Bytes>,
}

/// Why a command has not reached the broker, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// There is no line to the broker, or it broke off before the broker had answered.
    #[error("no connection to the broker")]
    NoBroker,
    /// The broker does not take it from this user.
    #[error("the broker refuses it: {0}")]
    Refused(String),
    /// Too many wait already.
    #[error("too many commands wait to be sent")]
    TooMany,
}

type Waiting = (Asked, oneshot::Sender<Result<(), AskError>>);

/// The handle of a client. The last one dropped does not end it: its token does.
#[derive(Debug, Clone)]
pub struct Client {
    asked: mpsc::Sender<Waiting>,
}

impl Client {
    /// Sends a command and waits until the broker has taken it.
    ///
    /// # Errors
    ///
    /// [`AskError`]. After [`AskError::NoBroker`] it may have been taken all the same.
    pub async fn ask(&self, command: Asked) -> Result<(), AskError> {
        let (done, answer) = oneshot::channel();
        match self.asked.try_send((command, done)) {
            Ok(()) => answer.await.unwrap_or(Err(AskError::NoBroker)),
            Err(mpsc::error::TrySendError::Full(_)) => Err(AskError::TooMany),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(AskError::NoBroker),
        }
    }
}

/// Starts a client in the current tokio runtime; it runs until `cancel`, or until nobody
/// listens any more.
#[must_use]
pub fn spawn(
    settings: ClientSettings,
    cancel: CancellationToken,
) -> (Client, mpsc::Receiver<ClientEvent>) {
    let (asked, waiting) = mpsc::channel(ASKED);
    let (events, receiver) = mpsc::channel(EVENTS);
    let actor = Actor {
        settings,
        waiting,
        events,
    };
    tokio::spawn(async move {
        cancel.run_until_cancelled(actor.run()).await;
    });
    (Client { asked }, receiver)
}

struct Actor {
    settings: ClientSettings,
    waiting: mpsc::Receiver<Waiting>,
    events: mpsc::Sender<ClientEvent>,
}

/// What belongs to one connection.
struct Line {
    link: Link,
    window: Window<u64>,
    /// Who waits for the broker's answer, by a number of ours.
    open: HashMap<u64, oneshot::Sender<Result<(), AskError>>>,
    next: u64,
    /// Answers to subscriptions that are still to come.
    subscribing: usize,
    heard: Instant,
    up_since: Option<Instant>,
}

/// Nobody listens any more.
struct Unheard;

impl Actor {
    async fn run(mut self) {
        let timing = &self.settings.timing;
        let (first, longest) = (timing.backoff_first, timing.backoff_longest);
        let reset = timing.backoff_reset;
        let mut backoff = Backoff::new(first, longest, self.settings.jitter_seed);
        loop {
            let mut line = self.open();
            let lost = loop {
                match self.step(&mut line).await {
                    Ok(Ok(())) => {}
                    Ok(Err(lost)) => break lost,
                    Err(Unheard) => {
                        if line.link.disconnect().is_ok() {
                            timeout(GOODBYE, farewell(&mut line.link)).await.ok();
                        }
                        return;
                    }
                }
            };
            let held = line.up_since.is_some_and(|since| since.elapsed() >= reset);
            drop(line); // whoever waits hears that there is no broker
            let event = ClientEvent::Lost {
                refused: lost.is_about_user(),
                why: lost.why,
            };
            if self.events.send(event).await.is_err() {
                return;
            }
            if held {
                backoff.reset();
            }
            if self.rest(Instant::now() + backoff.wait()).await.is_err() {
                return;
            }
        }
    }

    fn open(&self) -> Line {
        let ClientSettings {
            url,
            access,
            client_id,
            timing,
            ..
        } = &self.settings;
        Line {
            link: Link::open_beside(url, access, client_id, timing),
            window: Window::new(0),
            open: HashMap::new(),
            next: 0,
            subscribing: 0,
            heard: Instant::now(),
            up_since: None,
        }
    }

    /// The next thing that happens on a line.
    async fn step(&mut self, line: &mut Line) -> Result<Result<(), Lost>, Unheard> {
        let timing = &self.settings.timing;
        let silent = line.heard + timing.keep_alive() * 5 / 2 + timing.connect;
        let may_ask = line.up_since.is_none() || line.window.has_room();
        tokio::select! {
            event = line.link.next() => self.take(line, event).await,
            asked = self.waiting.recv(), if may_ask => match asked {
                Some((_, done)) if line.up_since.is_none() => {
                    done.send(Err(AskError::NoBroker)).ok();
                    Ok(Ok(()))
                }
                // Whoever asked has been told that there was no answer: it is not done now.
                Some((_, done)) if done.is_closed() => Ok(Ok(())),
                Some((command, done)) => Ok(line.ask(&command, done)),
                None => Err(Unheard),
            },
            () = self.events.closed() => Err(Unheard),
            () = sleep_until(silent) => {
                Ok(Err(Lost::because("the broker has stopped answering")))
            }
        }
    }

    async fn take(&self, line: &mut Line, event: LinkEvent) -> Result<Result<(), Lost>, Unheard> {
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
            LinkEvent::Subscribed { .. } => {
                // What may not be read does not come; which that is the broker knows.
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
                        refused.map_or(Ok(()), |why| Err(AskError::Refused(why))),
                    );
                }
            }
            LinkEvent::Received(message) => {
                let told = ClientEvent::Told(Told {
                    topic: message.topic,
                    payload: message.payload,
                    retained: message.retain,
                    correlation: message.correlation,
                });
                return self.tell(told).await;
            }
            LinkEvent::Farewell | LinkEvent::Alive => {}
            LinkEvent::Lost(lost) => return Ok(Err(lost)),
        }
        Ok(Ok(()))
    }

    async fn is_up(&self, line: &mut Line) -> Result<Result<(), Lost>, Unheard> {
        line.up_since = Some(Instant::now());
        self.tell(ClientEvent::Up).await
    }

    async fn tell(&self, event: ClientEvent) -> Result<Result<(), Lost>, Unheard> {
        self.events.send(event).await.map_err(|_| Unheard)?;
        Ok(Ok(()))
    }

    /// Waits until `until`; whoever asks meanwhile hears that there is no broker.
    async fn rest(&mut self, until: Instant) -> Result<(), Unheard> {
        loop {
            tokio::select! {
                () = sleep_until(until) => return Ok(()),
                () = self.events.closed() => return Err(Unheard),
                asked = self.waiting.recv() => match asked {
                    Some((_, done)) => _ = done.send(Err(AskError::NoBroker)),
                    None => return Err(Unheard),
                },
            }
        }
    }
}

impl Line {
    fn ask(
        &mut self,
        command: &Asked,
        done: oneshot::Sender<Result<(), AskError>>,
    ) -> Result<(), Lost> {
        self.link.ask(command)?;
        self.window.push(self.next);
        self.open.insert(self.next, done);
        self.next += 1;
        Ok(())
    }

    fn answer(&mut self, number: u64, answer: Result<(), AskError>) {
        if let Some(done) = self.open.remove(&number) {
            done.send(answer).ok();
        }
    }
}

async fn farewell(link: &mut Link) {
    while !matches!(link.next().await, LinkEvent::Farewell | LinkEvent::Lost(_)) {}
}
