//! The daemon as its users see it: the built binary, boards on pseudo-terminals, a real Mosquitto.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod accounts;
mod addresses;
mod claims;
mod clock_way;
mod commands;
mod continuity;
mod crowd;
mod dialogue;
mod entered;
mod evidence;
mod feeds;
mod health;
mod intruders;
mod leaks;
mod log;
mod mismatch;
mod names;
mod no_disk;
mod process;
mod results;
mod retained;
mod rubbish;
mod twins;
mod unit;
mod upgrades;

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use remisd_testkit::{
    mosquitto::Mosquitto,
    remisd::{Home, Remisd},
    witness::{Message, Witness},
};
use rumqttc::v5::mqttbytes::v5::PublishProperties;
use serde_json::{Value, json};

/// Runs hand and board twenty times as fast. Delays before something is settled or reported get two
/// or three times their usual value. A busy machine slows a fast hand down much more than a real
/// player.
const QUICK: &str = "orientation = \"normal\"\n[board.hand]\nspeed = 20\n\
    new_game_ms = 1200\nmismatch_ms = 6000\n[board.dgt]\ncommand_gap_ms = 5\nquiet_ms = 15\nburst_ms = 75\n\
    dump_every_ms = 250\n";

/// The arbiter's topic for alerts.
const ALERTS: &str = "chess/v1/hall/arbiter/b1/alerts";

/// A broker, a daemon, and a witness of all messages.
struct Stage {
    // Dropped before the folder that it writes to.
    daemon: Remisd,
    broker: Mosquitto,
    home: Home,
    witness: Witness,
}

impl Stage {
    /// A connected daemon for `boards`, with these sections in its configuration.
    async fn set(sections: &str, boards: &[&str]) -> Self {
        Self::tuned(sections, boards, QUICK).await
    }

    /// The same with other board settings.
    async fn tuned(sections: &str, boards: &[&str], tuning: &str) -> Self {
        let broker = Mosquitto::start().await;
        let home = Home::new(&broker.url(), sections, boards, tuning);
        let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
        let witness = witness.checking();
        let daemon = home.start();
        let stage = Self {
            daemon,
            broker,
            home,
            witness,
        };
        stage.is_online().await;
        stage
    }

    async fn is_online(&self) {
        let online = |state: &Value| (state["state"] == "online").then_some(());
        self.witness
            .retained("chess/v1/hall/node/remisd/state", online)
            .await;
    }

    /// Waits until the daemon sees the board.
    async fn sees(&self, board: &str) {
        let topic = format!("chess/v1/hall/arbiter/{board}/availability");
        let online = |state: &Value| (state["state"] == "online").then_some(());
        self.witness.retained(&topic, online).await;
    }

    /// Waits until the daemon knows that the board is missing.
    async fn misses(&self, board: &str) {
        let topic = format!("chess/v1/hall/arbiter/{board}/availability");
        let offline = |state: &Value| (state["state"] == "offline").then_some(());
        self.witness.retained(&topic, offline).await;
    }

    /// Waits until the arbiter's `game` topic has this many moves, and returns it.
    async fn has_moves(&self, board: &str, count: usize) -> Value {
        let topic = format!("chess/v1/hall/arbiter/{board}/game");
        let enough = |game: &Value| (moves(game).len() == count).then(|| game.clone());
        self.witness.retained(&topic, enough).await
    }

    /// Waits for an alert to the arbiter.
    async fn alerted(&self, code: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let raised = |alerts: &Value| alert(alerts, code).filter(|alert| wanted(alert)).cloned();
        self.witness.retained(ALERTS, raised).await
    }

    /// Gives a command and waits for the answer.
    async fn command(&self, role: &str, board: &str, verb: &str, payload: &Value) -> Value {
        let payload = serde_json::to_vec(payload).unwrap();
        self.raw_command(role, board, verb, payload, false).await
    }

    async fn raw_command(
        &self,
        role: &str,
        board: &str,
        verb: &str,
        payload: impl Into<Bytes>,
        retain: bool,
    ) -> Value {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let answers = format!("chess/v1/hall/reply/tester/{number}");
        let correlation = Bytes::from(format!("correlation {number}"));
        let topic = format!("chess/v1/hall/cmd/{role}/{board}/{verb}");
        let properties = PublishProperties {
            response_topic: Some(answers.clone()),
            correlation_data: Some(correlation.clone()),
            ..PublishProperties::default()
        };
        self.witness
            .publish_with(&topic, payload, retain, properties)
            .await;
        let answer = self.witness.until("answer", |all| {
            all.iter().find(|message| message.topic == answers).cloned()
        });
        let answer = answer.await;
        assert_eq!(answer.correlation, Some(correlation));
        assert!(!answer.retain);
        answer.json()
    }

    /// A board's events in order, without duplicates.
    async fn events(&self, board: &str) -> Vec<Value> {
        all_events(&self.witness, board).await
    }
}

/// Waits until all events have come that led to what the arbiter's topics of the board show, and
/// returns them: a state may come before its event.
async fn all_events(witness: &Witness, board: &str) -> Vec<Value> {
    let topics = format!("chess/v1/hall/arbiter/{board}/");
    let all_came = |all: &[Message]| {
        let of_board = all
            .iter()
            .filter(|message| message.topic.starts_with(&topics));
        let shown = of_board.filter_map(|message| {
            let value: Value = serde_json::from_slice(&message.payload).ok()?;
            value["seq"].as_u64()
        });
        let events = events(all, board);
        let newest = events.last().and_then(|event| event["seq"].as_u64());
        (newest >= shown.max()).then_some(events)
    };
    witness.until("event of what is shown", all_came).await
}

/// The open alert with this code.
fn alert<'a>(alerts: &'a Value, code: &str) -> Option<&'a Value> {
    let open = alerts["alerts"].as_array()?;
    open.iter().find(|alert| alert["code"] == code)
}

/// A board's events for the arbiter in order, without duplicates; no number may be missing.
fn events(messages: &[Message], board: &str) -> Vec<Value> {
    let topic = format!("chess/v1/hall/arbiter/{board}/event");
    let mut events: Vec<Value> = Vec::new();
    let mut newest = None;
    for message in messages.iter().filter(|message| message.topic == topic) {
        let event = message.json();
        let seq = event["seq"].as_u64().unwrap();
        if newest.is_some_and(|newest| seq <= newest) {
            continue; // at least once
        }
        assert!(newest.is_none_or(|newest| seq == newest + 1), "{event}");
        newest = Some(seq);
        events.push(event);
    }
    events
}

/// The facts of events, with their sequence numbers.
fn facts(events: &[Value]) -> impl Iterator<Item = (u64, &Value)> {
    events.iter().flat_map(|event| {
        let seq = event["seq"].as_u64().unwrap();
        let facts = event["facts"].as_array().unwrap();
        facts.iter().map(move |fact| (seq, fact))
    })
}

/// The moves of each game by its number, in UCI.
fn games(events: &[Value]) -> BTreeMap<u64, Vec<String>> {
    let mut games: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut current = 0;
    for (_, fact) in facts(events) {
        match fact["type"].as_str().unwrap() {
            "game_started" => {
                current = fact["game"].as_u64().unwrap();
                games.insert(current, Vec::new());
            }
            "move_made" => {
                let moves = games.entry(current).or_default();
                moves.push(fact["uci"].as_str().unwrap().to_owned());
            }
            "move_retracted" => {
                games.entry(current).or_default().pop();
            }
            _ => {}
        }
    }
    games
}

/// The moves on a `game` topic, in UCI.
fn moves(game: &Value) -> Vec<&str> {
    let moves = game["moves"].as_array();
    let moves = moves.into_iter().flatten();
    moves.map(|made| made["uci"].as_str().unwrap()).collect()
}

/// The game of this case of the Laws, as PGN and in UCI.
fn case(id: &str) -> (String, Vec<String>) {
    let cases = include_str!("../data/laws/cases.jsonl").lines();
    let mut cases = cases.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let case = cases.find(|case| case["id"] == id).expect(id);
    let pgn = format!(
        "[White \"{id}\"]\n\n{} *\n",
        case["moves_san"].as_str().unwrap()
    );
    let moves = case["moves_uci"].as_array().unwrap().iter();
    let moves = moves.map(|uci| uci.as_str().unwrap().to_owned());
    (pgn, moves.collect())
}

fn id(id: &str) -> Value {
    json!({ "id": id })
}
