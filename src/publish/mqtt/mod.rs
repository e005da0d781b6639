//! The MQTT 5 session, which maintains a connection and drains the outbox into it.
//!
//! ```text
//!  ┌▶ connect ─▶ subscribe ─▶ "online" ─▶ retained snapshot ─▶ replies, events, changes ─┐
//!  └── wait (100 ms … 30 s, with jitter) ◀── any error: the whole connection is dropped ─┘
//!                                                     stop: drain ─▶ "offline" ─▶ disconnect
//! ```
//!
//! Every connection starts clean. State that must survive it lives in the
//! [outbox](crate::publish::outbox). At most [`WINDOW`] messages are unacknowledged. Nothing here
//! decides what is published, and commands are passed on without validation.

mod access;
mod brokers;
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

use std::{collections::HashSet, io, path::PathBuf, sync::Arc, time::Duration};

use bytes::Bytes;
use tokio::{sync::watch::Receiver, task::JoinHandle};
use tokio_util::sync::CancellationToken;

pub use access::{Access, Credentials, CurrentAccess};
pub use brokers::{Brokers, BrokersError};
pub use client_id::ClientId;
pub use tls::{Identity, Tls, TlsError};
pub use url::{BrokerUrl, UrlError};

use super::{
    handle::{Publisher, PublisherState},
    lanes::{self, Capacity, Commands},
    outbox::{EventStore, Outbox},
    status::BrokerStatus,
};
use remisd_vocabulary::time::Clock;

/// The maximum number of unacknowledged messages. Hundreds of boards publish ten thousand messages
/// per second, so a small window would make latency the limit.
pub const WINDOW: usize = 256;
/// The largest packet accepted from the broker, in bytes.
pub const MAX_PACKET: u32 = 256 * 1024;
/// How many commands may wait for the daemon; any more are dropped and counted.
pub const COMMANDS: Capacity = Capacity {
    arbiter: 256,
    others: 256,
};

/// What the daemon publishes about itself on its own retained topic.
#[derive(Debug, Clone)]
pub struct NodeState {
    /// The topic `chess/v1/<site>/node/<node>/state`, without wildcards.
    pub topic: Arc<str>,
    /// The id of this run of the daemon, as it appears in the payloads below.
    pub session: String,
    /// The payload published on every connect.
    pub online: Bytes,
    /// The last payload, published before a clean stop.
    pub offline: Bytes,
    /// The will, which the broker publishes when the connection drops without a DISCONNECT.
    pub lost: Bytes,
}

/// The time limits of the session.
#[derive(Debug, Clone)]
pub struct Timing {
    /// The first back-off before reconnecting; it doubles on each attempt.
    pub backoff_first: Duration,
    /// The longest back-off.
    pub backoff_longest: Duration,
    /// A connection that lasts at least this long resets the back-off.
    pub backoff_reset: Duration,
    /// The silence after which the broker is pinged; at least 5 s.
    pub keep_alive: Duration,
    /// How long the TCP connection and the CONNACK may take together, in whole seconds. Over TLS
    /// the limit applies once to the connection and once to the CONNACK.
    pub connect: Duration,
    /// How long messages may stay unacknowledged before the connection is dropped.
    pub acknowledge: Duration,
    /// How long the broker keeps our session, in whole seconds.
    pub session_expiry: Duration,
    /// How long the broker waits before publishing the will, in whole seconds.
    pub will_delay: Duration,
    /// How long draining the outbox may take on a stop.
    pub drain: Duration,
    /// How long the acknowledgement of "offline" may take on a stop.
    pub farewell: Duration,
    /// The interval between two writes of the cursor file.
    pub save: Duration,
    /// With several addresses: when a connection is lost, the events that were acknowledged in the
    /// last one to two of these spans are sent again. The lost node may not have passed them on. Once in
    /// each span a part of the retained topics is repeated, for nodes that have missed a value.
    pub age: Duration,
    /// With several addresses: after how long a reader subscribes once more. A node of a cluster that
    /// has just started may accept readers before it has the retained messages of the others.
    pub subscribe_again: Duration,
    /// After how long messages that the broker has refused are sent again.
    pub refused_again: Duration,
}

impl Timing {
    /// The keep-alive, at least 5 s: below that the client library panics.
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
            age: Duration::from_secs(30),
            subscribe_again: Duration::from_secs(5),
            refused_again: Duration::from_secs(30),
        }
    }
}

/// The settings of the session.
#[derive(Debug, Clone)]
pub struct SessionSettings {
    /// The addresses of the broker, or of the nodes of its cluster.
    pub brokers: Brokers,
    /// Credentials and TLS settings, read again for each connection.
    pub access: Receiver<Access>,
    /// The client id. A random one lasts for the life of the process, but is drawn again when
    /// another client takes over the session.
    pub client_id: ClientId,
    /// The daemon's own state topic and payloads.
    pub node: NodeState,
    /// Topic filters of the commands, such as `chess/v1/<site>/cmd/+/<board>/+`.
    pub command_filters: Vec<String>,
    /// The boards and daemons whose commands are kept; `None` if the filters admit no others.
    pub commanded: Option<HashSet<String>>,
    /// Where the event cursors are saved; without a file they are lost with the process.
    pub cursor_file: Option<PathBuf>,
    /// The clock for times in the status.
    pub clock: Arc<dyn Clock>,
    /// The seed of the back-off jitter; it should differ from daemon to daemon.
    pub jitter_seed: u64,
    /// The time limits.
    pub timing: Timing,
}

/// Starts the session in the current tokio runtime.
///
/// The session runs until `cancel` is triggered. It then ends within [`Timing::drain`] plus
/// [`Timing::farewell`] plus one second. It never fails: without a broker it keeps retrying.
///
/// # Errors
///
/// Fails when a random client id is configured and the operating system provides no randomness.
pub fn spawn(
    settings: SessionSettings,
    mut outbox: Outbox,
    store: Arc<dyn EventStore>,
    cancel: CancellationToken,
) -> io::Result<(Publisher, Commands, JoinHandle<()>)> {
    let client_id = settings.client_id.draw()?;
    if settings.brokers.count() > 1 {
        outbox.doubt_acknowledgements();
    }
    let status = BrokerStatus::new(settings.clock.now());
    let shared = Arc::new(PublisherState::new(outbox, status));
    let (commands, receiver) = lanes::commands(COMMANDS);
    let publisher = Publisher {
        shared: Arc::clone(&shared),
        cursor_file: settings.cursor_file.clone(),
    };
    let session = session::BrokerSession::new(settings, client_id, shared, store, commands, cancel);
    Ok((publisher, receiver, tokio::spawn(session.run())))
}
