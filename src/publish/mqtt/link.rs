//! One connection to the broker, and the only module that drives the client library.
//!
//! The library reconnects by itself, resends unacknowledged messages in the order of their packet
//! ids, drops queued ones, and its `poll` must not be cancelled. None of that matters if a client
//! lives for a single connection. The pump therefore polls it in its own task until the first
//! error, and then everything is dropped.

mod options;
mod pump;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use rumqttc::{
    Transport,
    v5::{
        AsyncClient, MqttOptions,
        mqttbytes::{
            QoS,
            v5::{ConnectProperties, Filter, PublishProperties},
        },
    },
};
use tokio::{sync::mpsc, task::JoinSet};

use self::{
    options::{options, plain_options},
    pump::{pump, pump_through},
};
use super::{
    Access, BrokerUrl, MAX_PACKET, SessionSettings, Timing, WINDOW,
    client::OutgoingMessage,
    reason,
    tls::{self, Tls},
};
use crate::publish::{
    handle::CommandMessage,
    outbox::{Delivery, Message, MessageId},
};

/// Requests that may wait for the pump: a full window and as many subscriptions.
const REQUESTS: usize = 2 * WINDOW;
/// The number of seconds after which a broker or a bridge no longer delivers a command. Its sender has
/// given up by then; a decision must not come into effect later.
const COMMAND_EXPIRY_S: u32 = 10;
/// Events that may wait for the session. When the queue is full, the pump stops reading the socket.
const EVENTS: usize = 64;
/// The interval over which clients other than the daemon batch incoming messages. Pages do not draw
/// more often than this.
const BATCH_INTERVAL: Duration = Duration::from_millis(20);
/// A generous bound for the bytes of a PUBLISH besides topic, payload and correlation data.
const OVERHEAD: usize = 32;

/// Why a connection ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ConnectionLost {
    /// The reason in words, for the operator.
    pub(super) why: String,
    /// The broker's reason code, if it gave one.
    pub(super) code: Option<u8>,
    /// Whether the broker closed the connection without a reason. Mosquitto 2.0.11 does so when
    /// another client takes over the session.
    pub(super) closed: bool,
}

impl ConnectionLost {
    pub(super) fn because(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            code: None,
            closed: false,
        }
    }

    /// Whether the broker rejects this user, as opposed to being unavailable to everyone.
    pub(super) fn is_about_user(&self) -> bool {
        self.code.is_some_and(reason::is_about_user)
    }
}

/// An event on a connection.
#[derive(Debug)]
pub(super) enum LinkEvent {
    /// The broker has accepted the connection.
    Connected { window: usize, max_packet: usize },
    /// A subscription packet is answered; `refused` is the number of its filters that were refused.
    Subscribed { refused: usize, why: Option<String> },
    /// The oldest unwritten message was written with this packet id. Id 0 means that no
    /// acknowledgement will come.
    Written(u16),
    /// The broker has acknowledged a message, or refused it for the reason in `refused`.
    Acknowledged { id: u16, refused: Option<String> },
    /// A message has arrived.
    Received(CommandMessage),
    /// Our DISCONNECT has been written.
    Disconnected,
    /// Any other sign that the broker is alive.
    Alive,
    /// The connection has ended.
    ConnectionLost(ConnectionLost),
}

/// One connection. Dropping it closes the socket.
pub(super) struct BrokerLink {
    client: AsyncClient,
    events: mpsc::Receiver<LinkEvent>,
    /// Stops the pump when the link is dropped.
    _pump: JoinSet<()>,
}

impl BrokerLink {
    /// Starts connecting; [`next`](Self::next) reports the outcome.
    pub(super) fn open(settings: &SessionSettings, url: &BrokerUrl, client_id: &str) -> Self {
        let access = settings.access.borrow().clone();
        let patience = settings.timing.connect;
        Self::reach(url, &access, patience, Duration::ZERO, |host| {
            let address = (host, url.port());
            options(settings, client_id, address, access.credentials.as_ref())
        })
    }

    /// Like [`open`](Self::open), for a client other than the daemon: without a will or session.
    pub(super) fn open_client(
        url: &BrokerUrl,
        access: &Access,
        client_id: &str,
        timing: &Timing,
    ) -> Self {
        Self::reach(url, access, timing.connect, BATCH_INTERVAL, |host| {
            let properties = ConnectProperties {
                max_packet_size: Some(MAX_PACKET),
                ..ConnectProperties::new()
            };
            let address = (host, url.port());
            let mut options = plain_options(address, client_id, timing, properties);
            if let Some(credentials) = &access.credentials {
                options.set_credentials(&credentials.username, &credentials.password);
            }
            options
        })
    }

    fn reach(
        url: &BrokerUrl,
        access: &Access,
        patience: Duration,
        together: Duration,
        options: impl Fn(&str) -> MqttOptions,
    ) -> Self {
        match (url.is_tls(), &access.tls) {
            (true, Some(tls)) => Self::open_tls(tls, url, patience, together, options),
            // Never fall back to plain text where TLS was asked for.
            (true, None) => Self::failed("the broker speaks TLS, and nothing says how"),
            (false, _) => Self::open_with(options(url.host()), together),
        }
    }

    /// Connects to the broker over TLS, with the client library attached through a local socket.
    fn open_tls(
        tls: &Tls,
        url: &BrokerUrl,
        patience: Duration,
        together: Duration,
        options: impl Fn(&str) -> MqttOptions,
    ) -> Self {
        let (sender, receiver) = mpsc::channel(EVENTS);
        let socket = tls.socket();
        let path = socket.as_ref().map(tls::Socket::path).unwrap_or_default();
        let mut options = options(&path.to_string_lossy());
        options.set_transport(Transport::Unix);
        let (client, events) = AsyncClient::new(options, REQUESTS);
        let (tls, url) = (tls.clone(), url.clone());
        let mut pump_task = JoinSet::new();
        pump_task.spawn(async move {
            let reached = match socket {
                Ok(socket) => (tls.connect(&url, patience).await).map(|broker| (socket, broker)),
                Err(error) => Err(format!("no socket for TLS can be made: {error}")),
            };
            match reached {
                Ok((socket, broker)) => {
                    pump_through(socket, broker, events, together, sender).await;
                }
                Err(why) => {
                    _ = sender
                        .send(LinkEvent::ConnectionLost(ConnectionLost::because(why)))
                        .await;
                }
            }
        });
        Self {
            client,
            events: receiver,
            _pump: pump_task,
        }
    }

    fn open_with(options: MqttOptions, together: Duration) -> Self {
        let (client, events) = AsyncClient::new(options, REQUESTS);
        let (sender, receiver) = mpsc::channel(EVENTS);
        let mut pump_task = JoinSet::new();
        pump_task.spawn(pump(events, together, sender));
        Self {
            client,
            events: receiver,
            _pump: pump_task,
        }
    }

    /// A link that has already failed.
    fn failed(why: &str) -> Self {
        let (sender, events) = mpsc::channel(EVENTS);
        sender
            .try_send(LinkEvent::ConnectionLost(ConnectionLost::because(why)))
            .ok();
        let nowhere = MqttOptions::new("nobody", "", 0);
        let (client, _) = AsyncClient::new(nowhere, REQUESTS);
        Self {
            client,
            events,
            _pump: JoinSet::new(),
        }
    }

    /// The next event. Cancel-safe.
    pub(super) async fn next(&mut self) -> LinkEvent {
        let event = self.events.recv().await;
        event.unwrap_or_else(|| {
            LinkEvent::ConnectionLost(ConnectionLost::because("the connection has ended"))
        })
    }

    /// The next event, if one is already queued.
    pub(super) fn try_next(&mut self) -> Option<LinkEvent> {
        self.events.try_recv().ok()
    }

    /// Subscribes to all filters and returns how many [`LinkEvent::Subscribed`] events will follow.
    ///
    /// With `as_published`, live messages keep the retain flag with which they were published.
    pub(super) fn subscribe(
        &self,
        filters: &[String],
        as_published: bool,
    ) -> Result<usize, ConnectionLost> {
        // Few enough packets that they fit into the channel along with a full window.
        let size = filters.len().div_ceil(WINDOW).max(64);
        let packets = filters.chunks(size);
        let count = packets.len();
        for packet in packets {
            let wanted = packet.iter().map(|f| Filter {
                preserve_retain: as_published,
                ..Filter::new(f, QoS::AtLeastOnce)
            });
            let subscribed = self.client.try_subscribe_many(wanted);
            subscribed
                .map_err(|_| ConnectionLost::because("a command filter is not a topic filter"))?;
        }
        Ok(count)
    }

    /// Hands a message to the pump.
    pub(super) fn publish(&self, message: &Message) -> Result<(), ConnectionLost> {
        let qos = match message.delivery {
            Delivery::AtMostOnce => QoS::AtMostOnce,
            Delivery::AtLeastOnce => QoS::AtLeastOnce,
        };
        let (topic, payload) = (message.topic.as_ref(), message.payload.clone());
        let sent = if let Some(correlation) = &message.correlation {
            let properties = PublishProperties {
                correlation_data: Some(correlation.clone()),
                ..PublishProperties::default()
            };
            self.client
                .try_publish_with_properties(topic, qos, message.retain, payload, properties)
        } else {
            self.client.try_publish(topic, qos, message.retain, payload)
        };
        sent.map_err(|_| ConnectionLost::because("the client takes no more messages"))
    }

    /// Hands a command to the pump, with its response topic.
    pub(super) fn ask(&self, command: &OutgoingMessage) -> Result<(), ConnectionLost> {
        let properties = PublishProperties {
            response_topic: command.response_topic.clone(),
            correlation_data: command.correlation.clone(),
            message_expiry_interval: Some(COMMAND_EXPIRY_S),
            ..PublishProperties::default()
        };
        let (topic, payload) = (command.topic.as_str(), command.payload.clone());
        let sent = self.client.try_publish_with_properties(
            topic,
            QoS::AtLeastOnce,
            false,
            payload,
            properties,
        );
        sent.map_err(|_| ConnectionLost::because("the client takes no more messages"))
    }

    /// Sends a DISCONNECT; [`LinkEvent::Disconnected`] confirms that it was written.
    pub(super) fn disconnect(&self) -> Result<(), ConnectionLost> {
        let sent = self.client.try_disconnect();
        sent.map_err(|_| ConnectionLost::because("the client takes no goodbye"))
    }
}

/// An upper bound for the bytes that a message takes on the wire.
pub(super) fn size_on_wire(message: &Message) -> usize {
    let correlation = message.correlation.as_ref().map_or(0, Bytes::len);
    message.topic.len() + message.payload.len() + correlation + OVERHEAD
}

/// What logs and counters need to know about a message in flight.
#[derive(Debug, Clone)]
pub(super) struct InFlightMessage {
    pub(super) id: MessageId,
    pub(super) topic: Arc<str>,
}
