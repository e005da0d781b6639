//! Commands: their effects, answers and refusals.

use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::PublishProperties;
use rumqttc::{AsyncClient, MqttOptions, QoS};
use serde_json::{Value, json};

use super::{Stage, id};
use remisd_testkit::by_hand::ByHand;

const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";

fn refused(answer: &Value, code: &str) {
    assert_eq!(answer["schema"], "remisd/reply/1");
    assert_eq!(answer["ok"], false, "{answer}");
    assert_eq!(answer["code"], code, "{answer}");
    assert!(
        answer["message"]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_done_and_answered() {
    let stage = Stage::set("", &["b1"]).await;
    stage.misses("b1").await;
    let topic = "chess/v1/hall/arbiter/b1/game";
    let new = json!({
        "id": "n", "start_fen": KINGS, "rate": "blitz", "headers": {"White": "Anna", "Round": "3"},
    });
    let answer = stage.command("operator", "b1", "new_game", &new).await;
    assert_eq!((&answer["ok"], &answer["id"]), (&json!(true), &json!("n")));
    let seq = &answer["seq"];
    stage
        .witness
        .retained(topic, |game| (game["game"] == *seq).then(|| game.clone()))
        .await;

    let headers = json!({"id": "h", "headers": {"Black": "Berta", "Round": ""}});
    let answer = stage.command("arbiter", "b1", "headers", &headers).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let game = stage
        .witness
        .retained(topic, |game| {
            (game["headers"]["Black"] == "Berta").then(|| game.clone())
        })
        .await;
    assert_eq!(game["headers"], json!({"White": "Anna", "Black": "Berta"}));
    assert_eq!(
        (&game["start_fen"], &game["rate"]),
        (&json!(KINGS), &json!("blitz"))
    );

    // A board with another position, and the game set to it.
    let fen: shakmaty::fen::Fen = "4k3/4p3/8/8/8/8/8/4K2R w K - 0 1".parse().unwrap();
    let setup = json!({"id": "s", "fen": fen.to_string(), "if_seq": answer["seq"]});
    let answer = stage.command("operator", "b1", "setup", &setup).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let position = fen.into_position(shakmaty::CastlingMode::Standard).unwrap();
    let mut board = ByHand::start_at(&stage.home.port("b1"), position);
    stage.sees("b1").await;
    board.play("e1g1").await;
    let game = stage.has_moves("b1", 1).await;
    assert_eq!(game["moves"][0]["san"], "O-O");

    let result = json!({"id": "r", "score": "1/2-1/2"});
    let answer = stage.command("arbiter", "b1", "result", &result).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let drawn = |result: &Value| (result["score"] == "1/2-1/2").then_some(());
    stage
        .witness
        .retained("chess/v1/hall/hall/b1/result", drawn)
        .await;
    let withdrawn = json!({"id": "w", "score": "*"});
    stage.command("arbiter", "b1", "result", &withdrawn).await;
    let gone = |result: &Value| result.is_null().then_some(());
    stage
        .witness
        .retained("chess/v1/hall/hall/b1/result", gone)
        .await;
    // The game continues.
    board.play("e8d8").await;
    stage.has_moves("b1", 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_refused_with_a_code_and_changes_nothing() {
    let stage = Stage::set("", &["b1"]).await;
    stage.misses("b1").await;
    let before = stage
        .command(
            "operator",
            "b1",
            "headers",
            &json!({"id": "0", "headers": {}}),
        )
        .await;
    let seq = before["seq"].as_u64().unwrap();
    let white_wins = json!({"id": "1", "score": "1-0"});
    let refuse = async |role: &str, verb: &str, payload: &Value, code: &str| {
        let answer = stage.command(role, "b1", verb, payload).await;
        refused(&answer, code);
        assert_eq!(answer["id"], payload["id"]);
    };
    refuse("arbiter", "explode", &id("1"), "unknown_verb").await;
    for role in ["operator", "white", "black", "clock", "board", "nobody"] {
        refuse(role, "result", &white_wins, "role_may_not").await;
    }
    for role in ["operator", "white", "black", "clock", "board"] {
        let ruling = json!({"id": "1", "on": "claim", "correct": true});
        refuse(role, "ruling", &ruling, "role_may_not").await;
    }
    refuse("operator", "offer", &id("1"), "role_may_not").await;
    refuse("arbiter", "result", &id("1"), "bad_payload").await;
    refuse(
        "arbiter",
        "result",
        &json!({"id": "1", "score": "2-0"}),
        "bad_payload",
    )
    .await;
    refuse(
        "arbiter",
        "result",
        &json!({"id": null, "score": "1-0"}),
        "bad_payload",
    )
    .await;
    let wrong = json!({"id": "1", "score": "1-0", "if_seq": "x"});
    refuse("arbiter", "result", &wrong, "bad_payload").await;
    for payload in [
        &b"{"[..],
        b"",
        b"[]",
        b"null",
        b"\xff\xfe{}",
        b"{\"id\":\"1\"}x",
    ] {
        let answer = stage
            .raw_command("arbiter", "b1", "result", payload, false)
            .await;
        refused(&answer, "bad_payload");
    }
    let large = format!("{{\"id\":\"1\",\"by\":\"{}\"}}", "x".repeat(20_000));
    let answer = stage
        .raw_command("arbiter", "b1", "result", large, false)
        .await;
    refused(&answer, "oversized");
    // None of these reached the journal.
    assert_eq!(stage.events("b1").await.last().unwrap()["seq"], seq);

    // These did, because they depend on the state of the game.
    let late = json!({"id": "stale", "score": "1-0", "if_seq": 1});
    refuse("arbiter", "result", &late, "stale").await;
    let bad = json!({"id": "fen", "fen": "not a fen"});
    refuse("arbiter", "setup", &bad, "bad_value").await;
    let bad = json!({"id": "kings", "start_fen": "8/8/8/8/8/8/8/8 w - - 0 1"});
    refuse("arbiter", "new_game", &bad, "bad_value").await;
    let bad = json!({"id": "laws", "laws": "fide-1066"});
    refuse("arbiter", "new_game", &bad, "bad_value").await;
    refuse(
        "arbiter",
        "ack",
        &json!({"id": "a", "alert": "none"}),
        "not_found",
    )
    .await;
    let game = stage.has_moves("b1", 0).await;
    assert_eq!((&game["game"], &game["result"]), (&json!(1), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retained_command_is_refused() {
    let stage = Stage::set("", &["b1"]).await;
    // A stored command reaches later subscribers as retained: here, the daemon that starts now.
    let Stage {
        broker,
        home,
        daemon,
        witness,
    } = stage;
    assert!(daemon.terminate().await.success());
    let properties = PublishProperties {
        response_topic: Some("chess/v1/hall/reply/tester/retained".to_owned()),
        ..PublishProperties::default()
    };
    let payload = r#"{"id":"old","score":"1-0"}"#;
    witness
        .publish_with(
            "chess/v1/hall/cmd/arbiter/b1/result",
            payload,
            true,
            properties,
        )
        .await;
    let daemon = home.start();
    let answer = witness.retained("chess/v1/hall/reply/tester/retained", |answer| {
        (!answer.is_null()).then(|| answer.clone())
    });
    refused(&answer.await, "retained");
    let stage = Stage {
        daemon,
        broker,
        home,
        witness,
    };
    // A retained command is also refused if it arrives while the daemon is connected.
    let payload = r#"{"id":"new","score":"1-0"}"#;
    let answer = stage
        .raw_command("arbiter", "b1", "result", payload, true)
        .await;
    refused(&answer, "retained");
    let game = stage.has_moves("b1", 0).await;
    assert_eq!(game["result"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn replies_go_below_reply_and_nowhere_else() {
    let stage = Stage::set("", &["b1"]).await;
    let everything = remisd_testkit::witness::Witness::watch(stage.broker.address(), &["#"]).await;
    let elsewhere = [
        "chess/v1/hall/hall/b1/game",
        "chess/v1/hall/cmd/arbiter/b1/ack",
        "chess/v1/hall/reply",
        "chess/v1/hall/reply/",
        "chess/v1/other/reply/x",
        "chess/v1/hall/replys/x",
        "elsewhere",
    ];
    for (number, topic) in elsewhere.iter().enumerate() {
        let properties = PublishProperties {
            response_topic: Some((*topic).to_owned()),
            correlation_data: Some("secret".into()),
            ..PublishProperties::default()
        };
        let payload = json!({"id": format!("e{number}"), "headers": {}}).to_string();
        stage
            .witness
            .publish_with(
                "chess/v1/hall/cmd/operator/b1/headers",
                payload,
                false,
                properties,
            )
            .await;
        let payload = json!({"id": format!("f{number}"), "headers": {}, "reply_to": topic});
        stage
            .witness
            .publish("chess/v1/hall/cmd/operator/b1/headers", payload.to_string())
            .await;
    }
    // This answer comes after the others, so they have been handled.
    let last = stage
        .command(
            "operator",
            "b1",
            "headers",
            &json!({"id": "z", "headers": {}}),
        )
        .await;
    let answered = |message: &remisd_testkit::witness::Message| {
        String::from_utf8_lossy(&message.payload).contains("remisd/reply/1")
    };
    everything
        .until("answer", |all| all.iter().any(answered).then_some(()))
        .await;
    for message in everything.messages() {
        assert!(!elsewhere.contains(&message.topic.as_str()) || !answered(&message));
        if answered(&message) {
            assert_ne!(message.correlation, Some("secret".into()));
            assert_eq!(message.json(), last);
        }
    }
    // They were executed nevertheless.
    let done = stage.home.entries("b1");
    let done = done
        .iter()
        .filter(|entry| entry["input"]["type"] == "command");
    assert_eq!(done.count(), 2 * elsewhere.len() + 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_mqtt_3_names_the_reply_topic_in_the_payload() {
    let stage = Stage::set("", &["b1"]).await;
    let broker = stage.broker.address();
    let options = MqttOptions::new("old-client", broker.ip().to_string(), broker.port());
    let (client, mut events) = AsyncClient::new(options, 10);
    let driver = tokio::spawn(async move { while events.poll().await.is_ok() {} });
    let payload = json!({
        "id": "old", "headers": {"Event": "x"}, "reply_to": "chess/v1/hall/reply/old-client/1",
    });
    let topic = "chess/v1/hall/cmd/operator/b1/headers";
    client
        .publish(topic, QoS::AtLeastOnce, false, payload.to_string())
        .await
        .unwrap();
    let answer = stage
        .witness
        .retained("chess/v1/hall/reply/old-client/1", |answer| {
            (!answer.is_null()).then(|| answer.clone())
        })
        .await;
    assert_eq!(
        (&answer["id"], &answer["ok"]),
        (&json!("old"), &json!(true))
    );
    client.disconnect().await.unwrap();
    tokio::time::timeout(Duration::from_secs(20), driver)
        .await
        .unwrap()
        .unwrap();
}
