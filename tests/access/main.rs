//! The access list of `config/mosquitto/acl` on a real Mosquitto: who reads and writes what.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::{fs, net::SocketAddr, path::Path, process::Command};

use rumqttc::v5::{
    AsyncClient, Event, EventLoop, Incoming, MqttOptions,
    mqttbytes::{
        QoS,
        v5::{Packet, PubAckReason},
    },
};
use support::{DEADLINE, mosquitto::Mosquitto};
use tokio::time::timeout;

const PASSWORD: &str = "secret";
const USERS: [&str; 8] = [
    "remisd", "arbiter", "operator", "public", "hall", "b1-white", "b1-black", "b1-clock",
];

/// Which of these topics who may read and write; everything else is refused.
#[rustfmt::skip]
const TABLE: [(&str, &[&str], &[&str]); 21] = [
    // topic below chess/v1/hall/, readers, writers
    ("arbiter/b1/draw",          &["arbiter"],                       &["remisd"]),
    ("arbiter/b1/event",         &["arbiter"],                       &["remisd"]),
    ("operator/b1/game",         &["arbiter", "operator"],           &["remisd"]),
    ("operator/b1/event",        &["arbiter", "operator"],           &["remisd"]),
    ("public/b1/game",           &["arbiter", "public"],             &["remisd"]),
    ("public/b1/draw",           &["arbiter", "public"],             &["remisd"]),
    ("hall/b1/game",             &["arbiter", "hall"],               &["remisd"]),
    ("player/b1/clock",          &["arbiter", "b1-white", "b1-black", "b1-clock"], &["remisd"]),
    ("player/b2/clock",          &["arbiter"],                       &["remisd"]),
    ("node/remisd/state",        &USERS,                             &["remisd"]),
    ("node/remisd/health",       &["remisd", "arbiter", "operator"], &["remisd"]),
    ("node/remisd/info",         &["remisd", "arbiter", "operator"], &["remisd"]),
    ("node/remisd/boards",       &["remisd", "arbiter", "operator"], &["remisd"]),
    ("cmd/arbiter/b1/result",    &["remisd"],                        &["arbiter"]),
    ("cmd/operator/b1/new_game", &["remisd"],                        &["operator"]),
    ("cmd/white/b1/offer",       &["remisd"],                        &["b1-white"]),
    ("cmd/black/b1/offer",       &["remisd"],                        &["b1-black"]),
    ("cmd/clock/b1/clock_state", &["remisd"],                        &["b1-clock"]),
    ("cmd/white/b2/offer",       &["remisd"],                        &[]),
    ("reply/arbiter/1",          &["arbiter"],                       &["remisd"]),
    ("reply/b1-white/1",         &["b1-white"],                      &["remisd"]),
];

struct User {
    client: AsyncClient,
    events: EventLoop,
}

impl User {
    async fn connect(broker: SocketAddr, name: &str) -> Self {
        let mut options = MqttOptions::new(name, broker.ip().to_string(), broker.port());
        options.set_credentials(name, PASSWORD);
        let (client, events) = AsyncClient::new(options, 100);
        let mut user = Self { client, events };
        user.wait(|packet| matches!(packet, Packet::ConnAck(_)).then_some(()))
            .await;
        user
    }

    async fn wait<T>(&mut self, wanted: impl Fn(&Packet) -> Option<T>) -> T {
        let search = async {
            loop {
                if let Event::Incoming(packet) = self.events.poll().await.unwrap()
                    && let Some(found) = wanted(&packet)
                {
                    return found;
                }
            }
        };
        timeout(DEADLINE, search)
            .await
            .expect("the broker is silent")
    }

    /// Subscribes to everything; what may not be read is filtered by the broker.
    async fn watch(&mut self) {
        let subscribe = self.client.subscribe("chess/v1/hall/#", QoS::AtLeastOnce);
        subscribe.await.unwrap();
        self.wait(|packet| matches!(packet, Packet::SubAck(_)).then_some(()))
            .await;
    }

    /// Whether the broker takes a message; the answer of version 5 tells.
    async fn may_write(&mut self, topic: &str) -> bool {
        let qos = QoS::AtLeastOnce;
        self.client.publish(topic, qos, false, "x").await.unwrap();
        let reason = self
            .wait(|packet| match packet {
                Incoming::PubAck(ack) => Some(ack.reason),
                _ => None,
            })
            .await;
        reason != PubAckReason::NotAuthorized
    }

    /// The topics that came before the one that closes the row.
    async fn read_until(&mut self, last: &str) -> Vec<String> {
        let mut seen = Vec::new();
        loop {
            let topic = self
                .wait(|packet| match packet {
                    Incoming::Publish(publish) => Some(publish.topic.clone()),
                    _ => None,
                })
                .await;
            let topic = String::from_utf8(topic.to_vec()).unwrap();
            if topic == last {
                return seen;
            }
            seen.push(topic);
        }
    }
}

/// A broker with the shipped access list and a password for every user.
async fn broker(folder: &Path) -> Mosquitto {
    let passwords = folder.join("passwords");
    for user in USERS {
        let mut command = Command::new("mosquitto_passwd");
        command.arg("-b");
        if !passwords.exists() {
            command.arg("-c");
        }
        let done = command.arg(&passwords).args([user, PASSWORD]).output();
        assert!(done.unwrap().status.success());
    }
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/mosquitto");
    let acl = fs::read_to_string(config.join("acl")).unwrap();
    let lines = format!(
        "allow_anonymous false\npassword_file {}\n",
        passwords.display()
    );
    Mosquitto::start_with(&lines, Some(&acl)).await
}

#[tokio::test]
async fn everybody_writes_his_own_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let broker = broker(folder.path()).await;
    for name in USERS {
        let mut user = User::connect(broker.address(), name).await;
        for (topic, _, writers) in TABLE {
            let may = user.may_write(&format!("chess/v1/hall/{topic}")).await;
            assert_eq!(may, writers.contains(&name), "{name} writes {topic}");
        }
    }
}

#[tokio::test]
async fn everybody_reads_his_own_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let broker = broker(folder.path()).await;
    let mut readers = Vec::new();
    for name in USERS {
        let mut user = User::connect(broker.address(), name).await;
        user.watch().await;
        readers.push((name, user));
    }
    // Each topic is written by one who may; then the node's state, which all may read.
    for (topic, _, writers) in TABLE {
        if let Some(writer) = writers.first() {
            let writer = format!("{writer}-writes");
            let mut user = writer_as(broker.address(), &writer).await;
            assert!(user.may_write(&format!("chess/v1/hall/{topic}")).await);
        }
    }
    let mut last = writer_as(broker.address(), "remisd-writes").await;
    let end = "chess/v1/hall/node/end/state";
    assert!(last.may_write(end).await);
    for (name, reader) in &mut readers {
        let mut expected: Vec<String> = (TABLE.iter())
            .filter(|(_, may, writers)| may.contains(name) && !writers.is_empty())
            .map(|(topic, ..)| format!("chess/v1/hall/{topic}"))
            .collect();
        let mut seen = reader.read_until(end).await;
        expected.sort();
        seen.sort();
        assert_eq!(seen, expected, "{name}");
    }
}

/// A second connection of a user under another client's name.
async fn writer_as(broker: SocketAddr, client: &str) -> User {
    let name = client.strip_suffix("-writes").unwrap();
    let mut options = MqttOptions::new(client, broker.ip().to_string(), broker.port());
    options.set_credentials(name, PASSWORD);
    let (client, events) = AsyncClient::new(options, 100);
    let mut user = User { client, events };
    user.wait(|packet| matches!(packet, Packet::ConnAck(_)).then_some(()))
        .await;
    user
}

#[tokio::test]
async fn nobody_is_let_in_without_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let broker = broker(folder.path()).await;
    let address = broker.address();
    let options = MqttOptions::new("nobody", address.ip().to_string(), address.port());
    let (_client, mut events) = AsyncClient::new(options, 10);
    let refused = timeout(DEADLINE, events.poll()).await.unwrap();
    assert!(refused.is_err(), "{refused:?}");
}
