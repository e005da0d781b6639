//! One connection to the broker, and the only module that drives the client library.
//!
//! The library reconnects by itself, resends unacknowledged messages in the order of their packet
//! ids, drops queued ones, and its `poll` must not be cancelled. None of that matters if a client
//! lives for a single connection. The pump therefore polls it in its own task until the first
//! error, and then everything is dropped.

use std::{io, pin::pin, sync::Arc, task::Poll, time::Duration};

use bytes::Bytes;
use rumqttc::{
    Outgoing, Transport,
    v5::{
        AsyncClient, ConnectionError, Event, EventLoop, Incoming, MqttOptions, StateError,
        mqttbytes::{
            self, QoS,
            v5::{
                ConnAck, ConnectProperties, Filter, LastWill, LastWillProperties, PubAck, Publish,
                PublishProperties, SubAck,
            },
        },
    },
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    Access, BrokerUrl, Credentials, MAX_PACKET, SessionSettings, Timing, WINDOW,
    client::OutgoingMessage,
    reason,
    tls::{self, Tls},
};
use crate::publish::{
    handle::CommandMessage,
    outbox::{Delivery, Message},
};

/// Requests that may wait for the pump: a full window and as many subscriptions.
const REQUESTS: usize = 2 * WINDOW;
/// Events that may wait for the session. When the queue is full, the pump stops reading the socket.
const EVENTS: usize = 64;
/// The interval over which clients other than the daemon batch incoming messages. Pages do not draw
/// more often than this.
const BATCH_INTERVAL: Duration = Duration::from_millis(20);
/// How long data already in the socket may take to reach the other end.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);
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
pub(super) struct Link {
    client: AsyncClient,
    events: mpsc::Receiver<LinkEvent>,
    /// Stops the pump when the link is dropped.
    _pump: JoinSet<()>,
}

impl Link {
    /// Starts connecting; [`next`](Self::next) reports the outcome.
    pub(super) fn open(settings: &SessionSettings, client_id: &str) -> Self {
        let access = settings.access.borrow().clone();
        let patience = settings.timing.connect;
        Self::reach(&settings.url, &access, patience, Duration::ZERO, |host| {
            options(settings, client_id, host, access.credentials.as_ref())
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
            let asked = self.client.try_subscribe_many(wanted);
            asked.map_err(|_| ConnectionLost::because("a command filter is not a topic filter"))?;
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

fn options(
    settings: &SessionSettings,
    client_id: &str,
    host: &str,
    credentials: Option<&Credentials>,
) -> MqttOptions {
    let timing = &settings.timing;
    let properties = ConnectProperties {
        max_packet_size: Some(MAX_PACKET),
        session_expiry_interval: Some(seconds(timing.session_expiry)),
        ..ConnectProperties::new()
    };
    let address = (host, settings.url.port());
    let mut options = plain_options(address, client_id, timing, properties);
    options.set_last_will(LastWill::new(
        settings.node.topic.as_ref(),
        settings.node.lost.clone(),
        QoS::AtLeastOnce,
        true,
        Some(will_properties(seconds(timing.will_delay))),
    ));
    if let Some(credentials) = credentials {
        options.set_credentials(&credentials.username, &credentials.password);
    }
    options
}

fn plain_options(
    (host, port): (&str, u16),
    client_id: &str,
    timing: &Timing,
    properties: ConnectProperties,
) -> MqttOptions {
    let mut options = MqttOptions::new(client_id, host, port);
    options
        .set_clean_start(true)
        .set_keep_alive(timing.keep_alive())
        .set_connection_timeout(timing.connect.as_secs().max(1))
        .set_outgoing_inflight_upper_limit(u16::try_from(REQUESTS).unwrap_or(u16::MAX))
        .set_connect_properties(properties);
    let mut network = options.network_options();
    network.set_tcp_nodelay(true);
    options.set_network_options(network);
    options
}

fn seconds(time: Duration) -> u32 {
    u32::try_from(time.as_secs()).unwrap_or(u32::MAX)
}

fn will_properties(delay_seconds: u32) -> LastWillProperties {
    LastWillProperties {
        delay_interval: Some(delay_seconds),
        payload_format_indicator: None,
        message_expiry_interval: None,
        content_type: None,
        response_topic: None,
        correlation_data: None,
        user_properties: Vec::new(),
    }
}

/// Polls until the first error and forwards every event.
///
/// A non-zero `together` batches events over that interval. At hundreds of messages per second,
/// waking up for each one costs more than reading it.
async fn pump(mut events: EventLoop, together: Duration, session: mpsc::Sender<LinkEvent>) {
    loop {
        let polled = {
            let mut next = pin!(events.poll());
            match futures_util::poll!(next.as_mut()) {
                Poll::Ready(polled) => polled,
                Poll::Pending => {
                    if !together.is_zero() {
                        sleep(together).await;
                    }
                    next.await
                }
            }
        };
        let (event, over) = match polled {
            Ok(event) => (translate(event), false),
            Err(error) => (LinkEvent::ConnectionLost(describe(error)), true),
        };
        if session.send(event).await.is_err() || over {
            return;
        }
    }
}

/// Polls while bridging the client's socket to the broker.
async fn pump_through(
    socket: tls::Socket,
    broker: tls::Broker,
    events: EventLoop,
    together: Duration,
    session: mpsc::Sender<LinkEvent>,
) {
    let (said, mut heard) = mpsc::channel(EVENTS);
    let mut pumped = JoinSet::new();
    pumped.spawn(pump(events, together, said));
    let mut bridged = JoinSet::new();
    bridged.spawn(socket.bridge(broker));
    loop {
        let event = tokio::select! {
            event = heard.recv() => event,
            Some(Ok(Err(cut))) = bridged.join_next() => {
                let said = last_word(&mut heard).await;
                Some(LinkEvent::ConnectionLost(said.unwrap_or_else(|| ConnectionLost::because(cut))))
            }
        };
        match event {
            None => return,
            Some(LinkEvent::Disconnected) => {
                // It has only reached the socket. Drop the client; the bridge delivers the rest.
                pumped.shutdown().await;
                timeout(FLUSH_TIMEOUT, bridged.join_next()).await.ok();
                session.send(LinkEvent::Disconnected).await.ok();
                return;
            }
            Some(event) => {
                let over = matches!(event, LinkEvent::ConnectionLost(_));
                if session.send(event).await.is_err() || over {
                    return;
                }
            }
        }
    }
}

/// The broker's reason for ending the connection, if it arrived before the connection broke.
async fn last_word(heard: &mut mpsc::Receiver<LinkEvent>) -> Option<ConnectionLost> {
    let said = async {
        while let Some(event) = heard.recv().await {
            if let LinkEvent::ConnectionLost(lost) = event {
                return Some(lost).filter(|lost| lost.code.is_some());
            }
        }
        None
    };
    timeout(FLUSH_TIMEOUT, said).await.ok().flatten()
}

fn describe(error: ConnectionError) -> ConnectionLost {
    match error {
        ConnectionError::Timeout(_) => ConnectionLost::because("the broker does not answer"),
        ConnectionError::Io(error)
        | ConnectionError::MqttState(
            StateError::Io(error) | StateError::Deserialization(mqttbytes::Error::Io(error)),
        ) => ConnectionLost {
            closed: is_closed_by_peer(error.kind()),
            ..ConnectionLost::because(error.to_string())
        },
        ConnectionError::ConnectionRefused(code) => {
            let code = reason::of_connect(code);
            let why = reason::words(code);
            ConnectionLost {
                why: format!("the broker refuses the connection: {why}"),
                code: Some(code),
                closed: false,
            }
        }
        ConnectionError::MqttState(StateError::ServerDisconnect {
            reason_code,
            reason_string,
        }) => {
            let code = reason_code as u8;
            let why = reason::words_with(code, reason_string.as_deref());
            ConnectionLost {
                why: format!("the broker has ended the connection: {why}"),
                code: Some(code),
                closed: false,
            }
        }
        ConnectionError::MqttState(StateError::ConnectionAborted) => ConnectionLost {
            closed: true,
            ..ConnectionLost::because("the broker has closed the connection without a reason")
        },
        other => ConnectionLost::because(other.to_string()),
    }
}

fn translate(event: Event) -> LinkEvent {
    match event {
        Event::Incoming(Incoming::ConnAck(answer)) => connected(&answer),
        Event::Incoming(Incoming::SubAck(answer)) => subscribed(&answer),
        Event::Incoming(Incoming::PubAck(answer)) => acknowledged(&answer),
        Event::Incoming(Incoming::Publish(publish)) => received(publish),
        Event::Outgoing(Outgoing::Publish(id)) => LinkEvent::Written(id),
        Event::Outgoing(Outgoing::Disconnect) => LinkEvent::Disconnected,
        // The window makes this impossible. If it happens, the library is stuck for good.
        Event::Outgoing(Outgoing::AwaitAck(id)) => LinkEvent::ConnectionLost(
            ConnectionLost::because(format!("the packet id {id} was used twice")),
        ),
        Event::Incoming(_) | Event::Outgoing(_) => LinkEvent::Alive,
    }
}

fn connected(answer: &ConnAck) -> LinkEvent {
    let properties = answer.properties.as_ref();
    // One slot is reserved for the final message. The default Receive Maximum is 65535.
    let receive = properties.and_then(|p| p.receive_max).unwrap_or(u16::MAX);
    let max_packet = properties.and_then(|p| p.max_packet_size);
    LinkEvent::Connected {
        window: usize::from(receive.saturating_sub(1)).clamp(1, WINDOW),
        max_packet: max_packet
            .and_then(|size| usize::try_from(size).ok())
            .unwrap_or(usize::MAX),
    }
}

fn subscribed(answer: &SubAck) -> LinkEvent {
    let codes = answer.return_codes.iter();
    let refused: Vec<u8> = codes
        .filter_map(|code| reason::of_subscribe(*code))
        .collect();
    LinkEvent::Subscribed {
        refused: refused.len(),
        why: refused.first().map(|code| reason::words(*code)),
    }
}

fn acknowledged(answer: &PubAck) -> LinkEvent {
    LinkEvent::Acknowledged {
        id: answer.pkid,
        refused: reason::of_publish(answer.reason).map(reason::words),
    }
}

fn received(publish: Publish) -> LinkEvent {
    let Ok(topic) = String::from_utf8(publish.topic.to_vec()) else {
        return LinkEvent::Alive; // the broker should have rejected it
    };
    let properties = publish.properties.unwrap_or_default();
    LinkEvent::Received(CommandMessage {
        topic,
        payload: publish.payload,
        retain: publish.retain,
        response_topic: properties.response_topic,
        correlation: properties.correlation_data,
    })
}

/// Whether the other end closed the connection. It resets the connection if it closes while our
/// data is unread.
fn is_closed_by_peer(kind: io::ErrorKind) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    matches!(
        kind,
        BrokenPipe | ConnectionAborted | ConnectionReset | UnexpectedEof
    )
}

/// What logs and counters need to know about a message in flight.
#[derive(Debug, Clone)]
pub(super) struct InFlight {
    pub(super) token: crate::publish::outbox::Token,
    pub(super) topic: Arc<str>,
}

#[cfg(test)]
mod tests {
    use rumqttc::v5::mqttbytes::v5::DisconnectReasonCode;

    use super::*;

    #[test]
    fn a_broker_that_says_why_it_ends_the_connection_is_understood() {
        let lost = describe(ConnectionError::MqttState(StateError::ServerDisconnect {
            reason_code: DisconnectReasonCode::SessionTakenOver,
            reason_string: Some("by another".to_owned()),
        }));
        assert_eq!(lost.code, Some(reason::SESSION_TAKEN_OVER));
        for word in ["session taken over", "0x8E", "by another"] {
            assert!(lost.why.contains(word), "{}", lost.why);
        }
        let lost = describe(ConnectionError::MqttState(StateError::ConnectionAborted));
        assert!(lost.closed && lost.code.is_none());
    }

    #[test]
    fn a_connection_that_is_reset_was_closed_by_the_broker() {
        for (kind, closed) in [
            (io::ErrorKind::ConnectionReset, true),
            (io::ErrorKind::BrokenPipe, true),
            (io::ErrorKind::ConnectionRefused, false),
            (io::ErrorKind::HostUnreachable, false),
        ] {
            let errors: [ConnectionError; 3] = [
                ConnectionError::Io(kind.into()),
                StateError::Io(kind.into()).into(),
                StateError::Deserialization(mqttbytes::Error::Io(kind.into())).into(),
            ];
            for error in errors {
                assert_eq!(describe(error).closed, closed, "{kind}");
            }
        }
    }
}
