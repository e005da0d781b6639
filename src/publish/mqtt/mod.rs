//! The MQTT 5 session: keeps a connection and empties the outbox into it.
//!
//! ```text
//!  ┌▶ connect ─▶ subscribe ─▶ "online" ─▶ retained snapshot ─▶ replies, events, changes ─┐
//!  └── wait (100 ms … 30 s, with jitter) ◀── any error: the whole connection is dropped ─┘
//!                                                     stop: drain ─▶ "offline" ─▶ goodbye
//! ```
//!
//! Every connection begins from nothing (clean start); what must survive it is in the
//! [outbox](crate::publish::outbox). At most [`WINDOW`] messages are unacknowledged.
//! Nothing here decides what is published; commands are handed on unjudged.

pub mod client;
mod client_id;
mod connection;
mod link;
mod namesakes;
mod reason;
mod session;
mod tls;
mod url;
pub mod watch;
mod window;

use std::{fmt, io, path::PathBuf, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{sync::watch::Receiver, task::JoinHandle};
use tokio_util::sync::CancellationToken;

pub use client_id::ClientId;
pub use tls::{Identity, Tls, TlsError};
pub use url::{BrokerUrl, UrlError};

use super::{
    handle::{Publisher, Shared},
    lanes::{self, Commands, Room},
    outbox::{EventStore, Outbox},
    status::BrokerStatus,
};
use remisd_vocabulary::time::Clock;

/// Messages that may wait for the broker's acknowledgement at once. Hundreds of boards tell ten
/// thousand messages a second: with few on the way each would wait for the one before.
pub const WINDOW: usize = 256;
/// The largest packet that is accepted from the broker, in bytes.
pub const MAX_PACKET: u32 = 256 * 1024;
/// Commands that wait for the daemon; more than that are dropped and counted.
pub const COMMANDS: Room = Room {
    arbiter: 256,
    others: 256,
};

/// What the daemon says about itself on its own retained topic.
#[derive(Debug, Clone)]
pub struct NodeState {
    /// `chess/v1/<site>/node/<node>/state`, without wildcards.
    pub topic: Arc<str>,
    /// This start of the daemon, as it stands in what is published there.
    pub session: String,
    /// Published on every connect.
    pub online: Bytes,
    /// Published last before a clean stop.
    pub offline: Bytes,
    /// The will: what the broker publishes when we are gone without a word.
    pub lost: Bytes,
}

/// Who we are to the broker.
#[derive(Clone)]
pub struct Credentials {
    /// The user name.
    pub username: String,
    /// The password; never shown.
    pub password: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Credentials({}, …)", self.username)
    }
}

/// What may change while the daemon runs.
#[derive(Debug, Clone, Default)]
pub struct Access {
    /// Who we are, if the broker wants to know.
    pub credentials: Option<Credentials>,
    /// How TLS is spoken to the broker; `None` for one without TLS.
    pub tls: Option<Tls>,
}

/// How long the session waits for what.
#[derive(Debug, Clone)]
pub struct Timing {
    /// The first wait before connecting again; it doubles each time.
    pub backoff_first: Duration,
    /// The longest such wait.
    pub backoff_longest: Duration,
    /// A connection that held so long makes the next wait the first again.
    pub backoff_reset: Duration,
    /// Silence after which the broker is asked whether it lives; at least 5 s.
    pub keep_alive: Duration,
    /// For the TCP connection and the broker's welcome together, in whole seconds; over TLS once
    /// for the line and once for the welcome.
    pub connect: Duration,
    /// Without any acknowledgement for so long the connection is given up.
    pub acknowledge: Duration,
    /// How long the broker keeps our session, in whole seconds.
    pub session_expiry: Duration,
    /// How long the broker waits before it publishes the will, in whole seconds.
    pub will_delay: Duration,
    /// On a stop: for what is still in the outbox.
    pub drain: Duration,
    /// On a stop: for the acknowledgement of "offline".
    pub farewell: Duration,
    /// Between two writes of the cursor file.
    pub save: Duration,
}

impl Timing {
    /// The keep-alive, not below the 5 s under which the client library panics.
    fn keep_alive(&self) -> Duration {
        self.keep_alive.max(Duration::from_secs(5))
    }
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            backoff_first: Duration::from_millis(100),
            backoff_longest: Duration::from_secs(30),
            backoff_reset: Duration::from_mins(1),
            keep_alive: Duration::from_secs(10),
            connect: Duration::from_secs(5),
            acknowledge: Duration::from_secs(30),
            session_expiry: Duration::from_secs(30),
            will_delay: Duration::from_secs(5),
            drain: Duration::from_secs(1),
            farewell: Duration::from_secs(2),
            save: Duration::from_secs(1),
        }
    }
}

/// Everything the session must be told.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// Where the broker is.
    pub url: BrokerUrl,
    /// Who we are to it and how TLS is spoken; looked at for each connection anew.
    pub access: Receiver<Access>,
    /// Who we are among the broker's clients. A random one is kept for the life of the process,
    /// and drawn anew when somebody has taken the session over.
    pub client_id: ClientId,
    /// What we say about ourselves.
    pub node: NodeState,
    /// Topic filters of the commands, as `chess/v1/<site>/cmd/+/<board>/+`.
    pub command_filters: Vec<String>,
    /// Where the cursors of the events are kept; without it they die with the process.
    pub cursor_file: Option<PathBuf>,
    /// For the times in the status.
    pub clock: Arc<dyn Clock>,
    /// Decides the jitter; should differ from daemon to daemon.
    pub jitter_seed: u64,
    /// How long to wait for what.
    pub timing: Timing,
}

/// Starts the session in the current tokio runtime.
///
/// It runs until `cancel` and ends within [`Timing::drain`] and [`Timing::farewell`] and
/// a second. It never fails: without a broker it keeps trying.
///
/// # Errors
///
/// When a random client id is wanted and the operating system has no randomness.
pub fn spawn(
    settings: SessionSettings,
    outbox: Outbox,
    store: Arc<dyn EventStore>,
    cancel: CancellationToken,
) -> io::Result<(Publisher, Commands, JoinHandle<()>)> {
    let client_id = settings.client_id.draw()?;
    let status = BrokerStatus::new(settings.clock.now());
    let shared = Arc::new(Shared::new(outbox, status));
    let (commands, receiver) = lanes::commands(COMMANDS);
    let publisher = Publisher {
        shared: Arc::clone(&shared),
        cursor_file: settings.cursor_file.clone(),
    };
    let session = session::Session::new(settings, client_id, shared, store, commands, cancel);
    Ok((publisher, receiver, tokio::spawn(session.run())))
}
