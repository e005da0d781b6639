//! A simple listener that subscribes once and returns incoming messages.
//!
//! It serves consumers inside this program, which see no more than any other client with the same
//! subscription. It stores nothing and does not reconnect.

use std::{collections::VecDeque, time::Duration};

use bytes::Bytes;
use tokio::time::timeout;

use super::{
    Access, BrokerUrl, Timing,
    link::{BrokerLink, LinkEvent},
};

/// How long the broker may take to accept the connection and answer the subscription.
const WELCOME: Duration = Duration::from_secs(10);

/// Why a listener failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WatchError {
    /// There is no connection, or it was lost.
    #[error("no connection to the broker: {0}")]
    ConnectionLost(String),
    /// The broker refused the subscription.
    #[error("the broker refuses the subscription to {0}")]
    Refused(String),
    /// The broker does not answer.
    #[error("the broker does not answer within {} s", WELCOME.as_secs())]
    Silent,
}

/// A listening connection, closed on drop.
///
/// At most 64 messages wait here for [`next`](Self::next); the rest wait at the broker.
pub struct Watch {
    link: BrokerLink,
    /// Messages that arrived before the subscription was acknowledged.
    early: VecDeque<(String, Bytes)>,
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch")
    }
}

impl Watch {
    /// Connects with its own client id and waits until the subscription is acknowledged.
    ///
    /// # Errors
    ///
    /// Returns a [`WatchError`].
    pub async fn start(
        url: &BrokerUrl,
        client_id: &str,
        filters: &[String],
    ) -> Result<Self, WatchError> {
        let link = BrokerLink::open_client(url, &Access::default(), client_id, &Timing::default());
        let mut watch = Self {
            link,
            early: VecDeque::new(),
        };
        match timeout(WELCOME, watch.subscribe(filters)).await {
            Ok(answer) => answer.map(|()| watch),
            Err(_) => Err(WatchError::Silent),
        }
    }

    async fn subscribe(&mut self, filters: &[String]) -> Result<(), WatchError> {
        let mut open = usize::MAX; // answers still to come
        while open > 0 {
            match self.link.next().await {
                LinkEvent::Connected { .. } => {
                    let subscribed = self.link.subscribe(filters, false);
                    open = subscribed.map_err(|lost| WatchError::ConnectionLost(lost.why))?;
                }
                LinkEvent::Subscribed { refused: 0, .. } => open -= 1,
                LinkEvent::Subscribed { .. } => {
                    return Err(WatchError::Refused(filters.join(", ")));
                }
                LinkEvent::Received(message) => {
                    self.early.push_back((message.topic, message.payload));
                }
                LinkEvent::ConnectionLost(lost) => {
                    return Err(WatchError::ConnectionLost(lost.why));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The next message: its topic and payload. Cancel-safe.
    ///
    /// # Errors
    ///
    /// Returns [`WatchError::ConnectionLost`] when the connection has ended.
    pub async fn next(&mut self) -> Result<(String, Bytes), WatchError> {
        if let Some(early) = self.early.pop_front() {
            return Ok(early);
        }
        loop {
            match self.link.next().await {
                LinkEvent::Received(message) => return Ok((message.topic, message.payload)),
                LinkEvent::ConnectionLost(lost) => {
                    return Err(WatchError::ConnectionLost(lost.why));
                }
                _ => {}
            }
        }
    }
}
