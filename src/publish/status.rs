//! The state of the broker connection, for pages, metrics and logs.

use jiff::Timestamp;

/// The state of the connection to the broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectionState {
    /// Connected.
    Up {
        /// When the connection was made.
        since: Timestamp,
    },
    /// Not connected; the session keeps retrying.
    Down {
        /// When the connection was lost.
        since: Timestamp,
        /// The reason in words, for the operator.
        why: String,
    },
}

/// The state of the session and its counters since the daemon started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerStatus {
    /// The state of the connection to the broker.
    pub link: ConnectionState,
    /// Messages that are not yet sent or not yet acknowledged.
    pub outbox_depth: u64,
    /// Messages that the broker has acknowledged.
    pub published: u64,
    /// The part of them that others than the arbiter may know of; see [`is_open`].
    ///
    /// [`is_open`]: super::topic::is_open
    pub published_non_arbiter: u64,
    /// Attempts to publish that the broker refused, or messages too large for it.
    pub refused: u64,
    /// Connections made after the first.
    pub reconnects: u64,
    /// How often another client has taken over the session.
    pub taken_over: u64,
    /// Commands that arrived faster than the daemon took them.
    pub commands_dropped: u64,
    /// Replies dropped because too many were waiting for the broker.
    pub replies_dropped: u64,
}

/// Other clients that interfere with the daemon at the broker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerConflict {
    /// How often another client has taken over the session.
    pub taken_over: u64,
    /// The hosts of other daemons with the same name.
    pub namesakes: Vec<String>,
}

impl BrokerStatus {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            link: ConnectionState::Down {
                since: now,
                why: "not connected yet".to_owned(),
            },
            outbox_depth: 0,
            published: 0,
            published_non_arbiter: 0,
            refused: 0,
            reconnects: 0,
            taken_over: 0,
            commands_dropped: 0,
            replies_dropped: 0,
        }
    }

    /// Whether the broker is connected now.
    #[must_use]
    pub fn is_up(&self) -> bool {
        matches!(self.link, ConnectionState::Up { .. })
    }
}
