//! Commands from pages, through the broker, to a real daemon.

use serde_json::{Value, json};

use rumqttc::v5::{
    AsyncClient, Event, EventLoop, MqttOptions,
    mqttbytes::{QoS, v5::Packet},
};
use tokio::time::timeout;

use super::{PASSWORD, Stage, set_mode};
use remisd_testkit::{
    DEADLINE,
    by_hand::ByHand,
    remisd::{Home, Remisd},
};

/// A daemon with board b1, which shows the start position.
pub(super) fn daemon(stage: &Stage) -> (Home, ByHand, Remisd) {
    let password = stage.folder.path().join("daemon-password");
    std::fs::write(&password, PASSWORD).unwrap();
    set_mode(&password, 0o600);
    let url = format!(
        "{}\"\nusername = \"remisd\"\npassword_file = \"{}",
        stage.broker.url(),
        password.display()
    );
    let home = Home::new(&url, "", &["b1"], "[board.hand]\nspeed = 20\n");
    let hand = ByHand::start(&home.port("b1"));
    let daemon = home.start();
    (home, hand, daemon)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_arbiters_command_is_done_answered_and_written_down_with_his_name() {
    let stage = Stage::set().await;
    let (home, _hand, _daemon) = daemon(&stage);
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let mut feed = arbiter.feed("audience=arbiter&boards=b1").await.unwrap();
    feed.until(|f| f["topic"] == "b1/availability" && f["payload"]["state"] == "online")
        .await;
    let headers = json!({
        "id": "h1", "by": "somebody else", "reply_to": "chess/v1/hall/reply/x",
        "headers": {"White": "Vera Menchik"},
    });
    let answer = arbiter
        .post("/api/command/arbiter/b1/headers", &headers)
        .await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(
        (&answer.json()["ok"], &answer.json()["id"]),
        (&json!(true), &json!("h1"))
    );
    feed.until(|f| f["payload"]["headers"]["White"] == "Vera Menchik")
        .await;
    let again = arbiter
        .post("/api/command/arbiter/b1/headers", &headers)
        .await;
    assert_eq!(again.json()["seq"], answer.json()["seq"], "not done twice");
    let commands: Vec<Value> = (home.entries("b1").into_iter())
        .filter(|entry| entry["input"]["type"] == "command")
        .collect();
    assert_eq!(commands.len(), 1, "{commands:?}");
    assert!(
        commands[0].to_string().contains("\"Anna\""),
        "{}",
        commands[0]
    );
    assert!(!commands[0].to_string().contains("somebody else"));

    let refused = arbiter
        .post(
            "/api/command/arbiter/b1/ack",
            &json!({ "id": "a1", "alert": "none" }),
        )
        .await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (409, &json!("not_found"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_speaks_for_himself_at_his_board_and_rules_on_nothing() {
    let stage = Stage::set().await;
    let (_home, mut hand, _daemon) = daemon(&stage);
    let mut white = stage.signed_in("white", Some("b1")).await;
    let mut feed = white.feed("audience=player&boards=b1").await.unwrap();
    feed.until(|f| f["topic"] == "b1/availability" && f["payload"]["state"] == "online")
        .await;
    hand.play("e2e4").await;
    let offer = white
        .post("/api/command/white/b1/offer", &json!({ "id": "o1" }))
        .await;
    assert_eq!(offer.status, 200, "{offer:?}");
    let standing = feed.until(|f| f["topic"] == "b1/offer").await;
    assert_eq!(standing["payload"]["by"], "white");
    for (path, status) in [
        ("/api/command/black/b1/accept", 401),
        ("/api/command/white/b2/offer", 401),
        ("/api/command/arbiter/b1/result", 401),
        ("/api/command/nobody/b1/offer", 400),
        ("/api/command/white/B1/offer", 400),
        ("/api/command/white/b1/Offer", 400),
        ("/api/command/white/b1/ruling", 403),
    ] {
        let answer = white.post(path, &json!({ "id": path })).await;
        assert_eq!(answer.status, status, "{path}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_oversized_and_malformed_commands_are_refused_before_the_broker() {
    let stage = Stage::set().await;
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let path = "/api/command/arbiter/b1/ack";
    let json = "Content-Type: application/json\r\n";
    let large = format!("{{\"id\":\"{}\"}}", "x".repeat(20_000));
    for (headers, body, status) in [
        (json, large.as_str(), 413),
        (json, "{", 400),
        (json, "[1]", 422),
        ("Content-Type: text/plain\r\n", "{}", 415),
    ] {
        let answer = arbiter.ask("POST", path, headers, body.as_bytes()).await;
        assert_eq!(
            answer.status,
            status,
            "{headers}{}",
            &body[..body.len().min(20)]
        );
    }
    arbiter.origin = Some("http://evil.example".to_owned());
    let answer = arbiter.post(path, &json!({ "id": "1" })).await;
    assert_eq!(answer.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_without_a_daemon_and_a_lost_broker_differ() {
    let mut stage = Stage::set().await;
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let path = "/api/command/arbiter/b9/pause";
    let answer = arbiter.post(path, &json!({ "id": "1" })).await;
    assert_eq!(
        (answer.status, &answer.json()["code"]),
        (504, &json!("no_answer"))
    );
    stage.broker.kill().await;
    let answer = arbiter.post(path, &json!({ "id": "1" })).await;
    let code = answer.json()["code"].clone();
    assert!(code == "no_broker" || code == "no_answer", "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_expires_when_its_sender_has_given_up() {
    let stage = Stage::set().await;
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let mut options = MqttOptions::new("late", "127.0.0.1", stage.broker.address().port());
    options.set_credentials("remisd", PASSWORD);
    let (client, mut events) = AsyncClient::new(options, 10);
    let filter = "chess/v1/hall/cmd/arbiter/b9/pause";
    client.subscribe(filter, QoS::AtLeastOnce).await.unwrap();
    let is_subscribed = async |events: &mut EventLoop| loop {
        if let Event::Incoming(Packet::SubAck(_)) = events.poll().await.unwrap() {
            return;
        }
    };
    timeout(DEADLINE, is_subscribed(&mut events)).await.unwrap();
    let arrived = async {
        loop {
            if let Event::Incoming(Packet::Publish(command)) = events.poll().await.unwrap() {
                return command;
            }
        }
    };
    let arrived = timeout(DEADLINE, arrived);
    let body = json!({ "id": "1" });
    let path = "/api/command/arbiter/b9/pause";
    let (command, _) = tokio::join!(arrived, arbiter.post(path, &body));
    let properties = command.unwrap().properties.unwrap();
    let expiry = properties.message_expiry_interval.unwrap();
    assert!((1..=10).contains(&expiry), "{expiry} s");
}
