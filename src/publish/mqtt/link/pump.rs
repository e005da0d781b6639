//! Polls the client library until the first error and forwards its events.

#[cfg(test)]
mod tests;

use std::{io, pin::pin, task::Poll, time::Duration};

use rumqttc::{
    Outgoing,
    v5::{
        ConnectionError, Event, EventLoop, Incoming, StateError,
        mqttbytes::{
            self,
            v5::{ConnAck, PubAck, Publish, SubAck},
        },
    },
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{ConnectionLost, EVENTS, LinkEvent};
use crate::publish::{
    handle::CommandMessage,
    mqtt::{WINDOW, reason, tls},
};

/// How long data already in the socket may take to reach the other end.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(500);

/// Polls until the first error and forwards every event.
///
/// A non-zero `together` batches events over that interval. At hundreds of messages per second,
/// waking up for each one costs more than reading it.
pub(super) async fn pump(
    mut events: EventLoop,
    together: Duration,
    session: mpsc::Sender<LinkEvent>,
) {
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
pub(super) async fn pump_through(
    socket: tls::Socket,
    broker: tls::Broker,
    events: EventLoop,
    together: Duration,
    session: mpsc::Sender<LinkEvent>,
) {
    let (forwarded, mut received) = mpsc::channel(EVENTS);
    let mut pumped = JoinSet::new();
    pumped.spawn(pump(events, together, forwarded));
    let mut bridged = JoinSet::new();
    bridged.spawn(socket.bridge(broker));
    loop {
        let event = tokio::select! {
            event = received.recv() => event,
            Some(Ok(Err(cut))) = bridged.join_next() => {
                let reason = last_word(&mut received).await;
                Some(LinkEvent::ConnectionLost(reason.unwrap_or_else(|| ConnectionLost::because(cut))))
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
async fn last_word(received: &mut mpsc::Receiver<LinkEvent>) -> Option<ConnectionLost> {
    let reason = async {
        while let Some(event) = received.recv().await {
            if let LinkEvent::ConnectionLost(lost) = event {
                return Some(lost).filter(|lost| lost.code.is_some());
            }
        }
        None
    };
    timeout(FLUSH_TIMEOUT, reason).await.ok().flatten()
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
        at: None,
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
