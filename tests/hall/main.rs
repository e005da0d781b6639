//! The page server as browsers see it: the built program, a real broker with the shipped access
//! list, and what must stay hidden or forbidden.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod bodies;
mod commands;
mod evidence;
mod feeds;
mod pages;
mod rounds;
mod service;
mod sign_in;
mod sites;

use std::{
    ffi::OsStr,
    fs,
    net::{Ipv4Addr, SocketAddr},
    process::Stdio,
};

use bytes::Bytes;
use remisd_testkit::{
    DEADLINE, browser::Browser, mosquitto::Mosquitto, poll::poll, port::free_port, remisd::remisd,
};
use rumqttc::v5::{
    AsyncClient, Event, MqttOptions,
    mqttbytes::{
        QoS,
        v5::{Packet, PubAckReason},
    },
};
use tempfile::TempDir;
use tokio::{process::Child, time::timeout};

const USERS: [&str; 8] = [
    "remisd", "arbiter", "operator", "public", "hall", "b1-white", "b1-black", "b1-clock",
];
const PASSWORD: &str = "secret";

/// A guarded broker and `remisd hall` connected to it.
struct Stage {
    broker: Mosquitto,
    server: SocketAddr,
    // Ends with the stage.
    hall: Child,
    folder: TempDir,
}

impl Stage {
    async fn set() -> Self {
        let broker = Mosquitto::start_guarded(&USERS, PASSWORD).await;
        Self::at(broker, Ipv4Addr::LOCALHOST, "public_username = \"public\"")
    }

    /// Runs `remisd hall` on this address, with these lines in `[http]`.
    fn at(broker: Mosquitto, listen: Ipv4Addr, lines: &str) -> Self {
        Self::with_environment(broker, listen, lines, &[])
    }

    /// The same with a larger environment.
    fn with_environment(
        broker: Mosquitto,
        listen: Ipv4Addr,
        lines: &str,
        environment: &[(&str, &OsStr)],
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = free_port();
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD).unwrap();
        set_mode(&password, 0o600);
        let password = if lines.contains("public_username") {
            format!("public_password_file = \"{}\"", password.display())
        } else {
            String::new()
        };
        let config = folder.path().join("remisd.toml");
        let text = format!(
            "[mqtt]\nurl = \"{}\"\n[http]\nlisten = \"{listen}:{port}\"\n{lines}\n{password}\n",
            broker.url()
        );
        fs::write(&config, text).unwrap();
        let log = fs::File::create(folder.path().join("hall.log")).unwrap();
        let hall = remisd(&["hall", "--config"])
            .arg(&config)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        Self {
            broker,
            server: SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            hall,
            folder,
        }
    }

    async fn browser(&self) -> Browser {
        Browser::of(self.server).await
    }

    /// A browser signed in with this role.
    async fn signed_in(&self, role: &str, board: Option<&str>) -> Browser {
        let mut browser = self.browser().await;
        let busy = || "the broker is still busy".to_owned();
        let answer = poll(DEADLINE, busy, async || {
            let answer = browser.sign_in(role, board, PASSWORD).await;
            // A broker that has just started may be too busy to check credentials.
            (answer.status != 503).then_some(answer)
        });
        let answer = answer.await;
        assert_eq!(answer.status, 200, "{answer:?}");
        browser
    }

    /// Publishes like the daemon, below `chess/v1/hall/`.
    async fn publish(&self, topic: &str, payload: &str, retain: bool) {
        self.publish_at("hall", topic, payload, retain).await;
    }

    /// The same below `chess/v1/<site>/`.
    async fn publish_at(&self, site: &str, topic: &str, payload: &str, retain: bool) {
        let mut options = MqttOptions::new("daemon", "127.0.0.1", self.broker.address().port());
        options.set_credentials("remisd", PASSWORD);
        let (client, mut events) = AsyncClient::new(options, 10);
        let topic = format!("chess/v1/{site}/{topic}");
        let payload = Bytes::copy_from_slice(payload.as_bytes());
        let sent = client.publish(topic, QoS::AtLeastOnce, retain, payload);
        sent.await.unwrap();
        let taken = async {
            loop {
                if let Event::Incoming(Packet::PubAck(answer)) = events.poll().await.unwrap() {
                    return answer.reason;
                }
            }
        };
        let taken = timeout(DEADLINE, taken)
            .await
            .expect("the broker is silent");
        let fine = [PubAckReason::Success, PubAckReason::NoMatchingSubscribers];
        assert!(fine.contains(&taken), "{taken:?}");
    }

    /// The same for a large number of messages, all retained.
    async fn publish_all(&self, messages: Vec<(String, String)>) {
        let mut options = MqttOptions::new("daemon", "127.0.0.1", self.broker.address().port());
        options.set_credentials("remisd", PASSWORD);
        let (client, mut events) = AsyncClient::new(options, 100);
        let mut open = messages.len();
        let publishing = tokio::spawn(async move {
            for (topic, payload) in messages {
                let topic = format!("chess/v1/hall/{topic}");
                let sent = client.publish(topic, QoS::AtLeastOnce, true, payload);
                sent.await.unwrap();
            }
            client
        });
        let taken = async {
            while open > 0 {
                if let Event::Incoming(Packet::PubAck(_)) = events.poll().await.unwrap() {
                    open -= 1;
                }
            }
        };
        timeout(DEADLINE, taken)
            .await
            .expect("the broker is silent");
        publishing.await.unwrap();
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("hall.log")).unwrap()
    }
}

fn set_mode(file: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

/// A game's payload at this sequence number, with a subset of its fields and no others.
fn game(seq: u64, fen: &str) -> String {
    serde_json::json!({
        "schema": "remisd/game/1", "site": "hall", "board": "b1", "session": "s", "seq": seq,
        "time": "2026-11-22T12:00:00.000Z", "game": 1, "headers": {"White": "Vera Menchik"},
        "laws": "fide-2023", "rate": "standard", "start_fen": fen, "fen": fen, "ply": 1,
        "turn": "black", "moves": [{"uci": "e2e4", "san": "e4"}],
        "tracker": {"state": "following"}, "result": null,
    })
    .to_string()
}
