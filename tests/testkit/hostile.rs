//! A broker that does everything to a client that a broker may do, short of lying.
//!
//! It cuts connections at random, refuses some, acknowledges late and in any order, and forgets
//! everything, including retained messages, whenever a connection ends.

use std::{
    collections::{BTreeMap, HashMap},
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use bytes::Bytes;
use fastrand::Rng;
use futures_util::{SinkExt, StreamExt};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{
    Codec, ConnAck, ConnAckProperties, ConnectReturnCode, Packet, PingResp, PubAck, Publish,
    SubAck, SubscribeReasonCode,
};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};
use tokio_util::codec::Framed;

/// The messages accepted by the broker.
#[derive(Default)]
pub struct Taken {
    /// Retained messages of the current connection.
    pub retained: HashMap<String, Bytes>,
    /// All other messages since the start, by topic.
    pub events: BTreeMap<String, Vec<Bytes>>,
    /// Connections accepted.
    pub connections: u64,
    /// PUBLISH packets received.
    pub publishes: u64,
}

/// A broker that sends what no broker should.
pub struct Hostile {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it has received.
    pub taken: Arc<Mutex<Taken>>,
    _task: JoinSet<()>,
}

impl Hostile {
    /// A broker with random behaviour determined by `seed`.
    pub async fn start(seed: u64) -> Self {
        Self::listen(seed, true).await
    }

    /// A broker that accepts everything and never acknowledges.
    pub async fn deaf() -> Self {
        Self::listen(1, false).await
    }

    async fn listen(seed: u64, acknowledges: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let taken = Arc::new(Mutex::new(Taken::default()));
        let mut task = JoinSet::new();
        let log = Arc::clone(&taken);
        task.spawn(async move {
            let mut random = Rng::with_seed(seed);
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                socket.set_nodelay(true).unwrap();
                if random.u64(..8) > 0 {
                    serve(socket, &log, &mut random, acknowledges).await;
                }
            }
        });
        Self {
            address,
            taken,
            _task: task,
        }
    }
}

async fn serve(socket: TcpStream, log: &Mutex<Taken>, random: &mut Rng, acknowledges: bool) {
    let codec = Codec {
        max_incoming_size: None,
        max_outgoing_size: None,
    };
    let mut client = Framed::new(socket, codec);
    {
        let mut log = log.lock().unwrap();
        log.retained.clear();
        log.connections += 1;
    }
    let mut lives = 20 + random.u64(..150);
    let mut unacknowledged: Vec<u16> = Vec::new();
    let mut tick = interval(Duration::from_millis(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            packet = client.next() => {
                let Some(Ok(packet)) = packet else { return };
                if let Packet::Publish(publish) = packet {
                    lives -= 1;
                    if lives == 0 {
                        return;
                    }
                    unacknowledged.extend((publish.qos != QoS::AtMostOnce).then_some(publish.pkid));
                    take(log, publish);
                } else if let Some(reply) = reply(packet, random) {
                    client.send(reply).await.ok();
                }
            }
            _ = tick.tick(), if acknowledges => {
                if random.u64(..2) == 0 {
                    unacknowledged.reverse();
                }
                let keep = random.usize(..=unacknowledged.len()) / 2;
                for id in unacknowledged.split_off(keep) {
                    client.send(Packet::PubAck(PubAck::new(id, None))).await.ok();
                }
            }
        }
    }
}

fn take(log: &Mutex<Taken>, publish: Publish) {
    let mut log = log.lock().unwrap();
    log.publishes += 1;
    let topic = String::from_utf8(publish.topic.to_vec()).unwrap();
    if publish.retain {
        log.retained.insert(topic, publish.payload);
    } else {
        log.events.entry(topic).or_default().push(publish.payload);
    }
}

fn reply(packet: Packet, random: &mut Rng) -> Option<Packet> {
    match packet {
        Packet::Connect(connect, ..) => {
            assert!(connect.clean_start, "a session must begin from nothing");
            Some(Packet::ConnAck(ConnAck {
                session_present: false,
                code: ConnectReturnCode::Success,
                properties: Some(receive_maximum(4 + random.u16(..30))),
            }))
        }
        Packet::Subscribe(subscribe) => Some(Packet::SubAck(SubAck {
            pkid: subscribe.pkid,
            return_codes: vec![
                SubscribeReasonCode::Success(QoS::AtLeastOnce);
                subscribe.filters.len()
            ],
            properties: None,
        })),
        Packet::PingReq(_) => Some(Packet::PingResp(PingResp)),
        _ => None,
    }
}

fn receive_maximum(packets: u16) -> ConnAckProperties {
    ConnAckProperties {
        receive_max: Some(packets),
        session_expiry_interval: None,
        max_qos: None,
        retain_available: None,
        max_packet_size: None,
        assigned_client_identifier: None,
        topic_alias_max: None,
        reason_string: None,
        user_properties: Vec::new(),
        wildcard_subscription_available: None,
        subscription_identifiers_available: None,
        shared_subscription_available: None,
        server_keep_alive: None,
        response_information: None,
        server_reference: None,
        authentication_method: None,
        authentication_data: None,
    }
}
