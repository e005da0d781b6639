//! What the session knows about its broker, for pages, metrics and logs.

use jiff::Timestamp;

/// Whether there is a broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// Connected.
    Up {
        /// Since when.
        since: Timestamp,
    },
    /// Not connected; it is tried again all the time.
    Down {
        /// Since when.
        since: Timestamp,
        /// Why, in words for the operator.
        why: String,
    },
}

/// The state of the session and its counters since the daemon started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerStatus {
    /// Whether there is a broker.
    pub link: Link,
    /// Messages that are not sent or not yet acknowledged.
    pub outbox_depth: u64,
    /// Messages that the broker has acknowledged.
    pub published: u64,
    /// Those of them that others than the arbiter may know of: see [`is_open`].
    ///
    /// [`is_open`]: super::topic::is_open
    pub published_openly: u64,
    /// Messages that the broker has refused or that are too large for it; they are given up.
    pub refused: u64,
    /// Connections made after the first.
    pub reconnects: u64,
    /// Times that another client has taken the session over.
    pub taken_over: u64,
    /// Commands that came faster than the daemon took them.
    pub commands_dropped: u64,
    /// Replies that were dropped because too many waited for the broker.
    pub replies_dropped: u64,
}

/// Who gets into the daemon's way at the broker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerIntrusion {
    /// Times that another client has taken the session over.
    pub taken_over: u64,
    /// The other computers that run a daemon of the same name.
    pub namesakes: Vec<String>,
}

impl BrokerStatus {
    pub(super) fn new(now: Timestamp) -> Self {
        Self {
            link: Link::Down {
                since: now,
                why: "not connected yet".to_owned(),
            },
            outbox_depth: 0,
            published: 0,
            published_openly: 0,
            refused: 0,
            reconnects: 0,
            taken_over: 0,
            commands_dropped: 0,
            replies_dropped: 0,
        }
    }

    /// Whether there is a broker now.
    #[must_use]
    pub fn is_up(&self) -> bool {
        matches!(self.link, Link::Up { .. })
    }
}
