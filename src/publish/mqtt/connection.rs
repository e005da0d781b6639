//! The state of a single connection, discarded when the connection ends.

use std::sync::Arc;

use tokio::time::Instant;

use super::{
    BrokerUrl, SessionSettings,
    link::{BrokerLink, ConnectionLost, InFlightMessage},
    window::Window,
};
use crate::publish::outbox::Message;

/// The state of one connection.
pub(super) struct Connection {
    pub(super) link: BrokerLink,
    pub(super) window: Window<InFlightMessage>,
    pub(super) max_packet: usize,
    /// Subscription packets that are not answered yet.
    pub(super) subscribing: usize,
    /// When the broker accepted the connection.
    pub(super) welcome: Option<Instant>,
    pub(super) up_since: Option<Instant>,
    /// When the broker last sent anything.
    pub(super) heard: Instant,
    /// When the last acknowledgement arrived or, if later, when the window last became non-empty.
    pub(super) progress: Instant,
}

impl Connection {
    /// Starts connecting.
    pub(super) fn open(settings: &SessionSettings, url: &BrokerUrl, client_id: &str) -> Self {
        Self {
            link: BrokerLink::open(settings, url, client_id),
            window: Window::new(0),
            max_packet: usize::MAX,
            subscribing: 0,
            welcome: None,
            up_since: None,
            heard: Instant::now(),
            progress: Instant::now(),
        }
    }

    /// Sends a message and tracks it until it is acknowledged.
    pub(super) fn publish(&mut self, message: &Message) -> Result<(), ConnectionLost> {
        if self.window.is_empty() {
            self.progress = Instant::now();
        }
        self.link.publish(message)?;
        self.window.push(InFlightMessage {
            id: message.id,
            topic: Arc::clone(&message.topic),
        });
        Ok(())
    }

    /// When this connection counts as dead if nothing arrives until then.
    ///
    /// The library sends pings, but not while it waits for a full socket.
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
