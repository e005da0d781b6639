//! A scripted MQTT 5 client that works packet by packet.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
};

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use rumqttc::v5::mqttbytes::{
    QoS,
    v5::{
        Codec, Connect, ConnectProperties, ConnectReturnCode, Filter, LastWill, Login, Packet,
        PubAck, PubAckReason, Publish, PublishProperties, Subscribe,
    },
};
use tokio::{net::TcpStream, time::timeout};
use tokio_util::codec::Framed;

use remisd_testkit::DEADLINE;

/// Messages sent before their answers are read.
const AT_ONCE: usize = 256;

/// The connection of one user.
pub struct Client {
    line: Framed<TcpStream, Codec>,
    last_id: u16,
    /// Messages that arrived while waiting for something else.
    received: Vec<Publish>,
}

impl Client {
    /// Connects as `user`, or anonymously.
    pub async fn connect(
        broker: SocketAddr,
        user: Option<(&str, &str)>,
        will: Option<LastWill>,
    ) -> Result<Self, ConnectReturnCode> {
        let socket = TcpStream::connect(broker).await.unwrap();
        socket.set_nodelay(true).unwrap();
        let codec = Codec {
            max_incoming_size: None,
            max_outgoing_size: None,
        };
        let mut client = Self {
            line: Framed::new(socket, codec),
            last_id: 0,
            received: Vec::new(),
        };
        let connect = Connect {
            keep_alive: 600,
            client_id: String::new(),
            clean_start: true,
            properties: Some(ConnectProperties::new()),
        };
        let login = user.map(|(name, password)| Login::new(name, password));
        client.send(Packet::Connect(connect, will, login)).await;
        match client.next().await {
            Some(Packet::ConnAck(answer)) if answer.code == ConnectReturnCode::Success => {
                Ok(client)
            }
            Some(Packet::ConnAck(answer)) => Err(answer.code),
            other => panic!("no answer to a connection: {other:?}"),
        }
    }

    /// Drops the connection without a DISCONNECT, so that the will is published.
    pub fn vanish(self) {
        drop(self);
    }

    async fn send(&mut self, packet: Packet) {
        self.line.send(packet).await.unwrap();
    }

    /// The next packet; `None` when the broker has closed the connection.
    async fn next(&mut self) -> Option<Packet> {
        let packet = timeout(DEADLINE, self.line.next()).await;
        packet.expect("the broker is silent")?.ok()
    }

    fn id(&mut self) -> u16 {
        self.last_id = self.last_id.checked_add(1).unwrap_or(1);
        self.last_id
    }

    async fn keep(&mut self, publish: Publish) {
        if publish.qos == QoS::AtLeastOnce {
            let answer = PubAck::new(publish.pkid, None);
            self.send(Packet::PubAck(answer)).await;
        }
        self.received.push(publish);
    }

    /// Publishes to all topics. Returns for each whether the broker accepted it.
    pub async fn publish_all(&mut self, topics: &[String], retain: bool) -> Vec<bool> {
        let mut taken = Vec::new();
        for topics in topics.chunks(AT_ONCE) {
            let mut waiting = BTreeMap::new();
            for topic in topics {
                let id = self.id();
                waiting.insert(id, waiting.len());
                let mut publish = Publish::new(topic, QoS::AtLeastOnce, "x", None);
                publish.pkid = id;
                publish.retain = retain;
                self.line.feed(Packet::Publish(publish)).await.unwrap();
            }
            self.line.flush().await.unwrap();
            let mut answers = vec![false; topics.len()];
            while !waiting.is_empty() {
                match self.next().await.expect("the broker hangs up") {
                    Packet::PubAck(ack) => {
                        let place = waiting
                            .remove(&ack.pkid)
                            .expect("an answer to what was sent");
                        answers[place] = is_taken(ack.reason);
                    }
                    Packet::Publish(publish) => self.keep(publish).await,
                    _ => {}
                }
            }
            taken.append(&mut answers);
        }
        taken
    }

    /// Publishes a message. Returns `None` if the broker disconnects instead of answering.
    pub async fn publish(
        &mut self,
        topic: &str,
        payload: impl Into<Bytes>,
        retain: bool,
        properties: Option<PublishProperties>,
    ) -> Option<bool> {
        let id = self.id();
        let mut publish = Publish::new(topic, QoS::AtLeastOnce, payload, properties);
        publish.pkid = id;
        publish.retain = retain;
        // The broker may disconnect before everything is sent.
        self.line.send(Packet::Publish(publish)).await.ok()?;
        loop {
            match self.next().await? {
                Packet::PubAck(ack) if ack.pkid == id => return Some(is_taken(ack.reason)),
                Packet::Publish(publish) => self.keep(publish).await,
                Packet::Disconnect(_) => return None,
                _ => {}
            }
        }
    }

    /// Writes raw bytes to the connection. Returns once the broker has handled them, and whether
    /// the connection survived.
    pub async fn write_raw(&mut self, bytes: &[u8]) -> bool {
        use tokio::io::AsyncWriteExt as _;
        self.line.get_mut().write_all(bytes).await.ok();
        if self
            .line
            .send(Packet::PingReq(rumqttc::v5::mqttbytes::v5::PingReq))
            .await
            .is_err()
        {
            return false;
        }
        loop {
            match self.next().await {
                None | Some(Packet::Disconnect(_)) => return false,
                Some(Packet::PingResp(_)) => return true,
                Some(Packet::Publish(publish)) => self.keep(publish).await,
                Some(_) => {}
            }
        }
    }

    /// Subscribes to these filters, whatever the broker delivers for them.
    pub async fn subscribe(&mut self, filters: &[&str]) {
        let id = self.id();
        // At QoS 0 nothing waits for an acknowledgement, so messages arrive before the next answer.
        let filters = filters.iter().map(|f| Filter::new(*f, QoS::AtMostOnce));
        let mut subscribe = Subscribe::new_many(filters, None);
        subscribe.pkid = id;
        self.send(Packet::Subscribe(subscribe)).await;
        loop {
            match self.next().await.expect("the broker hangs up") {
                Packet::SubAck(ack) if ack.pkid == id => return,
                Packet::Publish(publish) => self.keep(publish).await,
                _ => {}
            }
        }
    }

    /// The topics of all messages delivered so far.
    pub async fn received(&mut self) -> BTreeSet<String> {
        // The SUBACK arrives after all messages already on their way.
        self.subscribe(&["nothing/at/all"]).await;
        let topics = self.received.drain(..).map(|publish| publish.topic);
        topics
            .map(|topic| String::from_utf8(topic.to_vec()).unwrap())
            .collect()
    }
}

fn is_taken(reason: PubAckReason) -> bool {
    matches!(
        reason,
        PubAckReason::Success | PubAckReason::NoMatchingSubscribers
    )
}
