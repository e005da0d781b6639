//! Late subscribers get everything from the retained topics.

use std::{collections::BTreeSet, ffi::OsStr};

use remisd::simulate::Options;
use serde_json::Value;

use super::{Stage, case};
use remisd_testkit::{mosquitto::Mosquitto, remisd::Home, table::SimulatedTable, witness::Witness};

/// Whether a text is RFC 3339 in UTC with milliseconds.
fn is_time(text: &str) -> bool {
    let pattern = "dddd-dd-ddTdd:dd:dd.dddZ";
    text.len() == pattern.len()
        && text.chars().zip(pattern.chars()).all(|(c, p)| match p {
            'd' => c.is_ascii_digit(),
            _ => c == p,
        })
}

fn envelope(topic: &str, payload: &Value) {
    let schema = payload["schema"].as_str().expect("a schema");
    let leaf = topic.rsplit('/').next().unwrap();
    assert_eq!(schema, format!("remisd/{leaf}/1"), "{topic}");
    assert_eq!(payload["site"], "hall", "{topic}");
    assert!(payload["session"].as_str().is_some_and(|s| !s.is_empty()));
    assert!(is_time(payload["time"].as_str().unwrap()), "{payload}");
    if topic.contains("/node/") {
        assert_eq!(payload["node"], "remisd");
    } else {
        assert_eq!(payload["board"], "b1", "{topic}");
        assert!(payload["seq"].as_u64().unwrap() > 0, "{topic}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_subscriber_gets_the_whole_state() {
    let stage = Stage::set("", &["b1"]).await;
    let (pgn, played) = case("R-5-AL18");
    let options = Options {
        speed: 20.0,
        ..Options::default()
    };
    let mut table = SimulatedTable::start(&stage.home.port("b1"), &pgn, options);
    table.played(0, 12).await;
    for audience in ["arbiter", "operator", "public", "hall"] {
        let topic = format!("chess/v1/hall/{audience}/b1/game");
        let has_ten = |game: &Value| (super::moves(game).len() >= 10).then_some(());
        stage.witness.retained(&topic, has_ten).await;
    }

    let late = Witness::watch(stage.broker.address(), &["chess/v1/hall/#"]).await;
    let wanted: BTreeSet<String> = [
        (
            "arbiter",
            "alerts availability clock draw game link squares",
        ),
        ("operator", "alerts availability clock game link squares"),
        ("public", "availability draw game"),
        ("hall", "availability game"),
        ("player", "availability clock"),
    ]
    .into_iter()
    .flat_map(|(audience, leaves)| {
        leaves
            .split(' ')
            .map(move |leaf| format!("chess/v1/hall/{audience}/b1/{leaf}"))
    })
    .chain(
        ["state", "health", "info", "boards", "broadcast"]
            .map(|leaf| format!("chess/v1/hall/node/remisd/{leaf}")),
    )
    .collect();
    let kept = late
        .until("retained message of each kind", |all| {
            let kept = all.iter().filter(|message| message.retain);
            let kept: Vec<_> = kept.cloned().collect();
            let topics: BTreeSet<_> = kept.iter().map(|message| message.topic.clone()).collect();
            topics.is_superset(&wanted).then_some((kept, topics))
        })
        .await;
    assert_eq!(kept.1, wanted);
    for message in &kept.0 {
        let payload = message.json();
        envelope(&message.topic, &payload);
        if message.topic.ends_with("/game") {
            let moves = super::moves(&payload);
            assert!(moves.len() >= 10, "{} moves only", moves.len());
            assert!(
                played
                    .iter()
                    .map(String::as_str)
                    .zip(&moves)
                    .all(|(a, b)| a == *b)
            );
        }
    }
    for message in late.messages().iter().filter(|message| !message.retain) {
        if !message.payload.is_empty() {
            envelope(&message.topic, &message.json());
        }
    }
}

#[test]
fn times_have_milliseconds() {
    assert!(is_time("2026-01-02T03:04:05.678Z"));
    for bad in ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+00:00", ""] {
        assert!(!is_time(bad));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn home_assistant_finds_each_board_below_the_configured_prefix() {
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), "", &["b1", "b2"], "");
    let prefix = OsStr::new("homeassistant");
    let _daemon = home.start_with(&[("REMISD_MQTT_HOME_ASSISTANT", prefix)]);
    let witness = Witness::watch(broker.address(), &["homeassistant/#"]).await;
    for board in ["b1", "b2"] {
        let topic = format!("homeassistant/device/remisd-hall-{board}/config");
        let is_retained = |payload: &Value| {
            let online = &payload["components"]["online"];
            let topic = format!("chess/v1/hall/public/{board}/availability");
            (online["state_topic"] == *topic).then_some(())
        };
        witness.retained(&topic, is_retained).await;
    }
}
