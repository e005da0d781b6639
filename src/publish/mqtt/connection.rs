//! One connection and what is known about it; it is dropped as a whole.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    SessionSettings,
    link::{InFlight, Link, Lost},
    window::Window,
};
use crate::publish::outbox::Message;

/// What belongs to one connection only.
pub(super) struct Connection {
    pub(super) link: Link,
    pub(super) window: Window<InFlight>,
    pub(super) max_packet: usize,
    /// Subscriptions that are not answered yet.
    pub(super) subscribing: usize,
    /// When the broker has let us in.
    pub(super) welcome: Option<Instant>,
    pub(super) up_since: Option<Instant>,
    /// The last sign of life.
    pub(super) heard: Instant,
    /// The last acknowledgement, or the first message since.
    pub(super) progress: Instant,
}

impl Connection {
    /// Begins to connect.
    pub(super) fn open(settings: &SessionSettings, client_id: &str) -> Self {
        Self {
            link: Link::open(settings, client_id),
            window: Window::new(0),
            max_packet: usize::MAX,
            subscribing: 0,
            welcome: None,
            up_since: None,
            heard: Instant::now(),
            progress: Instant::now(),
        }
    }

    /// Sends a message and remembers it until it is acknowledged.
    pub(super) fn publish(&mut self, message: &Message) -> Result<(), Lost> {
        if self.window.is_empty() {
            self.progress = Instant::now();
        }
        self.link.publish(message)?;
        self.window.push(InFlight {
            token: message.token,
            topic: Arc::clone(&message.topic),
        });
        Ok(())
    }

    /// When this connection counts as dead, if nothing happens.
    ///
    /// The library pings, but it cannot do so while it waits for a full socket.
    pub(super) fn deadline(&self, settings: &SessionSettings) -> Instant {
        let timing = &settings.timing;
        let silent = self.heard + timing.keep_alive() * 5 / 2 + timing.connect;
        if self.window.is_empty() && self.subscribing == 0 {
            silent
        } else {
            silent.min(self.progress + timing.acknowledge)
        }
    }
}
