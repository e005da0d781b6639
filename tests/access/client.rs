//! A client of MQTT 5 that says what it is told to, packet by packet.

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

use crate::support::DEADLINE;

/// Messages that are sent before their answers are read.
const AT_ONCE: usize = 256;

/// A connection of a user.
pub struct Client {
    line: Framed<TcpStream, Codec>,
    last_id: u16,
    /// What came while something else was waited for.
    heard: Vec<Publish>,
}

impl Client {
    /// Connects as `user`, or as nobody.
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
            heard: Vec::new(),
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

    /// Ends the connection without a word, so that the will is told.
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
        self.heard.push(publish);
    }

    /// Publishes all of these; for each whether the broker took it.
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

    /// Publishes; `None` when the broker hangs up instead of answering.
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
        // The broker may hang up before all is said.
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

    /// Writes bytes to the line as they are; returns when the broker has dealt with them, and
    /// whether it has kept the connection.
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

    /// Asks for these filters, whatever the broker lets through of them.
    pub async fn subscribe(&mut self, filters: &[&str]) {
        let id = self.id();
        // Without acknowledgements nothing waits: what comes, comes before the next answer.
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

    /// The topics of all that the broker has given out by now.
    pub async fn heard(&mut self) -> BTreeSet<String> {
        // The answer comes after all that was on its way.
        self.subscribe(&["nothing/at/all"]).await;
        let topics = self.heard.drain(..).map(|publish| publish.topic);
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
