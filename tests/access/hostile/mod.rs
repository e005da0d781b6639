//! A daemon at a guarded broker, and users who try to exceed their rights.

mod answers;
mod commands;
mod kept;
mod packets;
mod wills;

use std::ffi::OsStr;

use bytes::Bytes;
use rumqttc::v5::mqttbytes::v5::PublishProperties;
use serde_json::{Value, json};

use crate::{PASSWORD, PUPPETEER, broker, client::Client};
use remisd_testkit::{
    by_hand::ByHand,
    gate::Gate,
    mosquitto::{Mosquitto, shipped},
    remisd::{Home, Remisd},
    witness::{Message, Witness},
};

const BOARD: &str = "orientation = \"normal\"\n[board.hand]\nspeed = 20\n\
    [board.dgt]\ncommand_gap_ms = 5\nquiet_ms = 15\nburst_ms = 75\ndump_every_ms = 250\n";
/// These tests are about permissions, so the rate limits are high.
const LIMITS: &str = "[limits]\narbiter = 1000\noperator = 1000\nplayer = 1000\nclock = 1000\n";
const STATE: &str = "chess/v1/hall/node/remisd/state";
const GAME: &str = "chess/v1/hall/arbiter/b1/game";
const RESULT: &str = "chess/v1/hall/cmd/arbiter/b1/result";

/// A broker with the shipped configuration, a gate in front of it, a daemon, a board with a game in
/// progress, and a witness of all messages.
struct Stage {
    daemon: Option<Remisd>,
    gate: Gate,
    witness: Witness,
    board: ByHand,
    home: Home,
    broker: Mosquitto,
    requests: u64,
}

impl Stage {
    async fn set() -> Self {
        let broker = broker(&shipped("acl")).await;
        let gate = Gate::before(broker.address()).await;
        let home = Home::new(&gate.url(), LIMITS, &["b1"], BOARD);
        let puppeteer = Some((PUPPETEER, PASSWORD));
        let witness = Witness::watch_as(broker.address(), puppeteer, &["#"]).await;
        let daemon = start(&home);
        let board = ByHand::start(&home.port("b1"));
        let mut stage = Self {
            daemon: Some(daemon),
            gate,
            witness,
            board,
            home,
            broker,
            requests: 0,
        };
        stage.is_online().await;
        stage.board.play("e2e4").await;
        stage.board.play("e7e5").await;
        stage.has_moves(&["e2e4", "e7e5"]).await;
        stage
    }

    async fn is_online(&self) {
        let topic = "chess/v1/hall/arbiter/b1/availability";
        for topic in [STATE, topic] {
            let online = |state: &Value| (state["state"] == "online").then_some(());
            self.witness.retained(topic, online).await;
        }
    }

    /// Waits until the arbiter's topic shows these moves and no result.
    async fn has_moves(&self, moves: &[&str]) {
        let wanted = |game: &Value| {
            let made = game["moves"].as_array()?.iter();
            let made: Vec<&str> = made.filter_map(|made| made["uci"].as_str()).collect();
            (made == moves && game["result"].is_null()).then_some(())
        };
        self.witness.retained(GAME, wanted).await;
    }

    async fn user(&self, name: &str) -> Client {
        let user = Some((name, PASSWORD));
        let connected = Client::connect(self.broker.address(), user, None).await;
        connected.unwrap_or_else(|code| panic!("{name}: {code:?}"))
    }

    /// Sends a message to the daemon as a permitted user and waits for the answer.
    async fn ask(
        &mut self,
        (user, client): (&str, &mut Client),
        topic: &str,
        payload: impl Into<Bytes>,
        retain: bool,
    ) -> Value {
        self.requests += 1;
        let answers = format!("chess/v1/hall/reply/{user}/{}", self.requests);
        let properties = respond_to(&answers);
        let taken = client
            .publish(topic, payload, retain, Some(properties))
            .await;
        assert_eq!(taken, Some(true), "{user} may say something on {topic}");
        let answer = |answer: &Value| (!answer.is_null()).then(|| answer.clone());
        self.witness.retained(&answers, answer).await
    }

    /// Cuts the daemon off and waits until the broker has noticed.
    async fn is_cut_off(&self) {
        self.gate.set_open(false);
        let lost = |state: &Value| (state["state"] == "lost").then_some(());
        self.witness.retained(STATE, lost).await;
    }

    /// Reconnects the daemon and waits until it has announced itself.
    async fn is_back(&self, states: usize) {
        self.gate.set_open(true);
        let again = |all: &[Message]| (states_in(all) > states).then_some(());
        self.witness.until("state of the daemon", again).await;
    }

    /// How often the daemon has published its state: once per connection.
    fn states(&self) -> usize {
        states_in(&self.witness.messages())
    }

    /// All commands that reached the journal.
    fn commands(&self) -> Vec<Value> {
        let entries = self.home.entries("b1").into_iter();
        let inputs = entries.map(|entry| entry["input"].clone());
        inputs.filter(|input| input["type"] == "command").collect()
    }

    /// Checks that the daemon answers and follows the board, and that no other moves were recorded.
    async fn is_well(&mut self) {
        let daemon = self.daemon.as_mut().unwrap();
        let log = daemon.log();
        assert!(daemon.is_running() && !log.contains("panicked"), "{log}");
        let mut arbiter = self.user("arbiter").await;
        let payload = json!({"id": format!("well {}", self.requests), "headers": {}}).to_string();
        let topic = "chess/v1/hall/cmd/arbiter/b1/headers";
        let answer = self
            .ask(("arbiter", &mut arbiter), topic, payload, false)
            .await;
        assert_eq!(answer["ok"], true, "{answer}");
        self.has_moves(&["e2e4", "e7e5"]).await;
        self.board.play("g1f3").await;
        self.has_moves(&["e2e4", "e7e5", "g1f3"]).await;
    }
}

fn states_in(messages: &[Message]) -> usize {
    messages
        .iter()
        .filter(|message| message.topic == STATE)
        .count()
}

fn start(home: &Home) -> Remisd {
    home.start_with(&[
        ("REMISD_MQTT_USERNAME", OsStr::new("remisd")),
        ("REMISD_MQTT_PASSWORD", OsStr::new(PASSWORD)),
    ])
}

fn respond_to(topic: &str) -> PublishProperties {
    PublishProperties {
        response_topic: Some(topic.to_owned()),
        ..PublishProperties::default()
    }
}

fn result(id: &str) -> String {
    json!({"id": id, "score": "1-0"}).to_string()
}
