//! Conflicts at the broker: another daemon with the same name, a client with the same id.

use std::ffi::OsStr;

use rumqttc::v5::{AsyncClient, Event, EventLoop, MqttOptions, mqttbytes::v5::Packet};
use serde_json::Value;

use super::{ALERTS, QUICK, Stage, alert, json};
use remisd_testkit::{
    remisd::Home,
    witness::{Message, Witness},
};

#[tokio::test(flavor = "multi_thread")]
async fn two_daemons_of_one_name_detect_each_other_immediately() {
    let stage = Stage::set("", &["b1"]).await;
    let others_alerts = "chess/v1/hall/arbiter/b2/alerts";
    // Another computer with another board and the default name.
    let home = Home::new(&stage.broker.url(), "", &["b2"], QUICK);
    let other = home.start();
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy().into_owned();
    let raised = |alerts: &Value| alert(alerts, "node_twice").cloned();
    for topic in [ALERTS, others_alerts] {
        let alert = stage.witness.retained(topic, raised).await;
        assert_eq!(alert["arguments"], json!({"hosts": [host]}), "{topic}");
        assert_eq!(alert["level"], "red");
    }
    assert!(other.terminate().await.success());
    let cleared = |alerts: &Value| alert(alerts, "node_twice").is_none().then_some(());
    stage.witness.retained(ALERTS, cleared).await;
    // The remaining daemon publishes its state again.
    stage.is_online().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_namesake_has_written_does_not_outlast_it() {
    let stage = Stage::set("", &["b1"]).await;
    stage.misses("b1").await;
    let answer = stage
        .command(
            "arbiter",
            "b1",
            "correct",
            &json!({"id": "1", "to_ply": 0, "moves": ["e4", "e5"]}),
        )
        .await;
    assert_eq!(answer["ok"], true, "{answer}");
    // The daemon for the same boards has another journal.
    let home = Home::new(&stage.broker.url(), "", &["b1"], QUICK);
    let other = home.start();
    let raised = |alerts: &Value| alert(alerts, "node_twice").cloned();
    stage.witness.retained(ALERTS, raised).await;
    let game = "chess/v1/hall/arbiter/b1/game";
    let overwritten = |game: &Value| (game["ply"] == 0).then_some(());
    stage.witness.retained(game, overwritten).await;
    other.kill().await;
    let restored = |game: &Value| (game["ply"] == 2).then(|| game["session"].clone());
    let session = stage.witness.retained(game, restored).await;
    for topic in [
        "chess/v1/hall/arbiter/b1/availability",
        "chess/v1/hall/public/b1/game",
        "chess/v1/hall/node/remisd/info",
        "chess/v1/hall/node/remisd/boards",
    ] {
        let ours = |state: &Value| (state["session"] == session).then_some(());
        stage.witness.retained(topic, ours).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_disconnected_by_the_broker_reconnects_and_reports_it() {
    let broker = remisd_testkit::mosquitto::Mosquitto::start().await;
    let home = Home::new(&broker.url(), "", &["b1"], QUICK);
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let _daemon = home.start_with(&[("REMISD_MQTT_CLIENT_ID", OsStr::new("known"))]);
    let address = broker.address();
    let options = MqttOptions::new("known", address.ip().to_string(), address.port());
    let (_client, mut events) = AsyncClient::new(options, 10);
    let raised = |all: &[Message]| {
        let newest = all.iter().rev().find(|message| message.topic == ALERTS)?;
        alert(&newest.json(), "session_taken_over").cloned()
    };
    let alert = loop {
        take_over(&witness, &mut events).await;
        if let Some(alert) = raised(&witness.messages()) {
            break alert;
        }
    };
    assert_eq!(alert["level"], "amber");
    let topic = "chess/v1/hall/cmd/arbiter/b1/ack";
    let payload = json!({"id": "seen", "alert": alert["id"]});
    witness.publish(topic, payload.to_string()).await;
    let cleared = |alerts: &Value| {
        let open = alerts["alerts"].as_array()?;
        let code = |alert: &Value| alert["code"] == "session_taken_over";
        (!open.iter().any(code)).then_some(())
    };
    witness.retained(ALERTS, cleared).await;
}

/// Takes over the session once the daemon is online, and returns when the daemon has it back and
/// is online again.
async fn take_over(witness: &Witness, events: &mut EventLoop) {
    let online = |all: &[Message]| {
        let is_online = |message: &&Message| {
            message.topic == "chess/v1/hall/node/remisd/state"
                && message.json()["state"] == "online"
        };
        all.iter().filter(is_online).count()
    };
    let before = witness
        .until("online state", |all| Some(online(all)).filter(|&n| n > 0))
        .await;
    // An attempt to connect may take too long.
    let mut is_connected = false;
    loop {
        match events.poll().await {
            Ok(event) => is_connected |= matches!(event, Event::Incoming(Packet::ConnAck(_))),
            Err(_) if is_connected => break,
            Err(_) => {}
        }
    }
    let again = |all: &[Message]| (online(all) > before).then_some(());
    witness
        .until("online state after the takeover", again)
        .await;
}
