//! A daemon at a guarded broker, and users who try more than they may.

use std::ffi::OsStr;

use bytes::Bytes;
use rumqttc::v5::mqttbytes::{
    QoS,
    v5::{LastWill, PublishProperties},
};
use serde_json::{Value, json};

use crate::{
    PASSWORD, PUPPETEER, broker,
    client::Client,
    expected::{ROLES, VERBS, may_use},
    support::{
        by_hand::ByHand,
        gate::Gate,
        mosquitto::{Mosquitto, shipped},
        remisd::{Home, Remisd},
        witness::{Message, Witness},
    },
};

const BOARD: &str = "orientation = \"normal\"\n[board.hand]\nspeed = 20\nsettle_ms = 3000\n\
    [board.dgt]\ncommand_gap_ms = 5\nquiet_ms = 15\nburst_ms = 75\ndump_every_ms = 250\n";
const STATE: &str = "chess/v1/hall/node/remisd/state";
const GAME: &str = "chess/v1/hall/arbiter/b1/game";
const RESULT: &str = "chess/v1/hall/cmd/arbiter/b1/result";
/// The largest command that the daemon reads.
const LARGEST: usize = 16 * 1024;
/// The largest packet that the broker takes.
const LARGEST_PACKET: usize = 256 * 1024;

/// A broker with the shipped configuration, a gate before it, a daemon, a board on which a
/// game has begun, and somebody who hears everything.
struct Stage {
    daemon: Option<Remisd>,
    gate: Gate,
    witness: Witness,
    board: ByHand,
    home: Home,
    broker: Mosquitto,
    asked: u64,
}

impl Stage {
    async fn set() -> Self {
        let broker = broker(&shipped("acl")).await;
        let gate = Gate::before(broker.address()).await;
        let home = Home::new(&gate.url(), "", &["b1"], BOARD);
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
            asked: 0,
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

    /// Waits until these moves and no result stand on the arbiter's topic.
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

    /// Says something to the daemon and waits for its answer, as a user who may.
    async fn ask(
        &mut self,
        (user, client): (&str, &mut Client),
        topic: &str,
        payload: impl Into<Bytes>,
        retain: bool,
    ) -> Value {
        self.asked += 1;
        let answers = format!("chess/v1/hall/reply/{user}/{}", self.asked);
        let properties = respond_to(&answers);
        let taken = client
            .publish(topic, payload, retain, Some(properties))
            .await;
        assert_eq!(taken, Some(true), "{user} may say something on {topic}");
        let answer = |answer: &Value| (!answer.is_null()).then(|| answer.clone());
        self.witness.retained(&answers, answer).await
    }

    /// Cuts the daemon off, and waits until the broker knows.
    async fn is_cut_off(&self) {
        self.gate.set_open(false);
        let lost = |state: &Value| (state["state"] == "lost").then_some(());
        self.witness.retained(STATE, lost).await;
    }

    /// Lets the daemon through again, and waits until it has said so.
    async fn is_back(&self, states: usize) {
        self.gate.set_open(true);
        let again = |all: &[Message]| (states_in(all) > states).then_some(());
        self.witness.until("state of the daemon", again).await;
    }

    /// How often the daemon has said something about itself: once for each connection.
    fn states(&self) -> usize {
        states_in(&self.witness.messages())
    }

    /// Every command that has got as far as the journal.
    fn commands(&self) -> Vec<Value> {
        let entries = self.home.entries("b1").into_iter();
        let inputs = entries.map(|entry| entry["input"].clone());
        inputs.filter(|input| input["type"] == "command").collect()
    }

    /// The daemon answers, and follows what the board shows; nothing else was played.
    async fn is_well(&mut self) {
        let daemon = self.daemon.as_mut().unwrap();
        let log = daemon.log();
        assert!(daemon.is_running() && !log.contains("panicked"), "{log}");
        let mut arbiter = self.user("arbiter").await;
        let payload = json!({"id": format!("well {}", self.asked), "headers": {}}).to_string();
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

#[tokio::test(flavor = "multi_thread")]
async fn a_will_is_no_way_around_the_list() {
    let mut stage = Stage::set().await;
    let white = Some(("b1-white", PASSWORD));
    let forged = [
        ("chess/v1/hall/arbiter/b1/result", result("forged")),
        ("chess/v1/hall/hall/b1/game", "{\"forged\":true}".to_owned()),
        (STATE, json!({"state": "lost", "forged": true}).to_string()),
        (RESULT, result("forged")),
        (
            "chess/v1/hall/cmd/black/b1/resign",
            json!({"id": "forged"}).to_string(),
        ),
        (
            "chess/v1/hall/reply/arbiter/1",
            json!({"ok": true, "id": "forged"}).to_string(),
        ),
    ];
    for (topic, payload) in &forged {
        for retain in [false, true] {
            let will = LastWill::new(*topic, payload.clone(), QoS::AtLeastOnce, retain, None);
            // A broker may refuse the connection as well as the will.
            if let Ok(client) = Client::connect(stage.broker.address(), white, Some(will)).await {
                client.vanish();
            }
        }
    }
    // His own topic is his own, also from the grave; and what he may not say there he may not
    // say either. That answer comes after all that was forged.
    let answers = "chess/v1/hall/reply/b1-white/will";
    let own = json!({"id": "w", "on": "claim", "correct": true, "reply_to": answers}).to_string();
    let topic = "chess/v1/hall/cmd/white/b1/ruling";
    let will = LastWill::new(topic, own, QoS::AtLeastOnce, false, None);
    let client = Client::connect(stage.broker.address(), white, Some(will)).await;
    client.unwrap().vanish();
    let answer = |answer: &Value| (!answer.is_null()).then(|| answer.clone());
    let answer = stage.witness.retained(answers, answer).await;
    assert_eq!(answer["code"], "role_may_not");
    stage.is_well().await;
    for message in stage.witness.messages() {
        let text = String::from_utf8_lossy(&message.payload);
        assert!(!text.contains("forged"), "{} {text}", message.topic);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_retained_command_is_refused_after_each_connection_and_never_done() {
    let mut stage = Stage::set().await;
    let mut arbiter = stage.user("arbiter").await;
    let answer = stage
        .ask(("arbiter", &mut arbiter), RESULT, result("kept"), true)
        .await;
    assert_eq!(answer["code"], "retained", "{answer}");
    let answers = format!("chess/v1/hall/reply/arbiter/{}", stage.asked);
    let refused = |times: usize| {
        let answers = answers.clone();
        move |all: &[Message]| {
            let told = all.iter().filter(|message| message.topic == answers);
            let told: Vec<Value> = told.map(Message::json).collect();
            assert!(
                told.iter().all(|answer| answer["code"] == "retained"),
                "{told:?}"
            );
            (told.len() >= times).then_some(())
        }
    };
    // The line is cut, and the broker gives out again what it has kept.
    stage.is_cut_off().await;
    let states = stage.states();
    stage.is_back(states).await;
    stage.witness.until("second refusal", refused(2)).await;
    // Another daemon takes over.
    stage.daemon.take().unwrap().kill().await;
    let states = stage.states();
    stage.daemon = Some(start(&stage.home));
    stage.is_back(states).await;
    stage.witness.until("third refusal", refused(3)).await;
    stage.is_online().await;
    stage.is_well().await;
    let commands = stage.commands();
    assert!(
        commands.iter().all(|command| command["verb"] != "result"),
        "{commands:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_expired_is_never_done() {
    let mut stage = Stage::set().await;
    let mut arbiter = stage.user("arbiter").await;
    let soon = |answers: &str| PublishProperties {
        message_expiry_interval: Some(1),
        ..respond_to(answers)
    };
    // While the daemon is away, kept by the broker or not.
    stage.is_cut_off().await;
    let states = stage.states();
    let answers = "chess/v1/hall/reply/arbiter/expired";
    for retain in [false, true] {
        let said = arbiter
            .publish(RESULT, result("late"), retain, Some(soon(answers)))
            .await;
        assert_eq!(said, Some(true));
    }
    loop {
        let mut late = stage.user(PUPPETEER).await;
        late.subscribe(&[RESULT]).await;
        if late.heard().await.is_empty() {
            break;
        }
    }
    stage.is_back(states).await;
    stage.is_well().await;
    let told = stage.witness.messages();
    assert!(told.iter().all(|message| message.topic != answers));
    assert!(
        stage
            .commands()
            .iter()
            .all(|command| command["id"] != "late")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_goes_to_somebody_else() {
    let mut stage = Stage::set().await;
    let mut white = stage.user("b1-white").await;
    let topic = "chess/v1/hall/cmd/white/b1/ruling";
    let elsewhere = [
        RESULT,
        GAME,
        STATE,
        "chess/v1/hall/hall/b1/game",
        "chess/v1/hall/reply",
        "chess/v1/hall/reply/",
        "chess/v1/elsewhere/reply/b1-white/x",
        "chess/v1/hall/reply/arbiter",
        "chess/v1/hall/reply/arbiter/1",
        "chess/v1/hall/reply/operator/1",
        "chess/v1/hall/reply/hall/1",
        "chess/v1/hall/reply/b1-black/1",
        "chess/v1/hall/reply/b2-white/1",
        "homeassistant/device/remisd-hall-b1/config",
        "$SYS/broker/version",
    ];
    for (number, wanted) in elsewhere.iter().enumerate() {
        let mut properties = respond_to(wanted);
        properties.correlation_data = Some("marked".into());
        let payload = json!({"id": format!("marked {number}")}).to_string();
        let said = white.publish(topic, payload, false, Some(properties)).await;
        assert_eq!(said, Some(true));
        let payload = json!({"id": format!("marked {number}"), "reply_to": wanted}).to_string();
        assert_eq!(white.publish(topic, payload, false, None).await, Some(true));
    }
    // His own is answered, and came after them.
    let payload = json!({"id": "own"}).to_string();
    let answer = stage
        .ask(("b1-white", &mut white), topic, payload, false)
        .await;
    assert_eq!(
        (&answer["id"], &answer["code"]),
        (&json!("own"), &json!("role_may_not"))
    );
    stage.is_well().await;
    for message in stage.witness.messages() {
        let text = String::from_utf8_lossy(&message.payload);
        let answers = text.contains("remisd/reply/1");
        assert!(
            !(answers && text.contains("marked")),
            "{}: {text}",
            message.topic
        );
        assert!(
            !answers || message.correlation.is_none(),
            "{}",
            message.topic
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_role_has_its_verbs_and_no_others() {
    let mut stage = Stage::set().await;
    for role in ROLES {
        let user = match role {
            "arbiter" | "operator" => role.to_owned(),
            at_the_board => format!("b1-{at_the_board}"),
        };
        let mut client = stage.user(&user).await;
        for verb in VERBS {
            let topic = format!("chess/v1/hall/cmd/{role}/b1/{verb}");
            // Too late for whoever may, so that nothing is done.
            let payload = json!({"id": verb, "if_seq": 0}).to_string();
            let answer = stage
                .ask((&user, &mut client), &topic, payload, false)
                .await;
            assert_eq!(answer["ok"], false, "{topic}: {answer}");
            let code = answer["code"].as_str().unwrap();
            let message = answer["message"].as_str().unwrap_or_default();
            assert!(!message.is_empty(), "{topic}: {answer}");
            match may_use(role, verb) {
                None => assert_eq!(code, "unknown_verb", "{topic}"),
                Some(false) => assert_eq!(code, "role_may_not", "{topic}"),
                Some(true) => assert!(["bad_payload", "stale"].contains(&code), "{topic}: {code}"),
            }
        }
    }
    stage.is_well().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_command_gets_its_code_and_changes_nothing() {
    let mut stage = Stage::set().await;
    let mut arbiter = stage.user("arbiter").await;
    let nested = |open: &str, shut: &str, depth: usize| {
        format!(
            "{{\"id\":\"deep\",\"score\":{}1{}}}",
            open.repeat(depth),
            shut.repeat(depth)
        )
    };
    let bad: Vec<Vec<u8>> = vec![
        Vec::new(),
        b"{".to_vec(),
        b"{\"id\":\"1\",}".to_vec(),
        b"{\"id\":\"1\"}{\"id\":\"2\"}".to_vec(),
        b"{\"id\":\"1\",\"score\":NaN}".to_vec(),
        b"{\"id\":\"\\ud800\",\"score\":\"1-0\"}".to_vec(),
        b"{\"id\":\"\xff\xfe\",\"score\":\"1-0\"}".to_vec(),
        b"\xef\xbb\xbf{\"id\":\"1\",\"score\":\"1-0\"}".to_vec(),
        b"\0".to_vec(),
        b"{\"id\":1,\"score\":\"1-0\"}".to_vec(),
        b"{\"id\":\"\",\"score\":\"1-0\"}".to_vec(),
        b"{\"id\":\"1\",\"score\":[\"1-0\"]}".to_vec(),
        b"{\"id\":\"1\",\"score\":\"1-0\",\"if_seq\":-1}".to_vec(),
        b"{\"id\":\"1\",\"score\":\"1-0\",\"if_seq\":1e400}".to_vec(),
        b"{\"id\":\"1\",\"score\":\"1-0\",\"game\":18446744073709551616}".to_vec(),
        json!({"id": "x".repeat(257), "score": "1-0"})
            .to_string()
            .into_bytes(),
        nested("[", "]", 7_000).into_bytes(),
        nested("{\"a\":", "}", 2_000).into_bytes(),
        "[".repeat(LARGEST).into_bytes(),
    ];
    let before = stage.commands();
    for payload in bad {
        let shown = String::from_utf8_lossy(&payload[..payload.len().min(60)]).into_owned();
        let answer = stage
            .ask(("arbiter", &mut arbiter), RESULT, payload, false)
            .await;
        assert_eq!(answer["code"], "bad_payload", "{shown}: {answer}");
        assert!(answer.to_string().len() < 2_000, "{shown}: {answer}");
    }
    assert_eq!(stage.commands(), before);

    // The largest command, and one byte more.
    let headers = "chess/v1/hall/cmd/arbiter/b1/headers";
    let sized = |id: &str, size: usize| {
        let command = |padding: &str| json!({"id": id, "headers": {}, "padding": padding});
        let rest = size - command("").to_string().len();
        command(&"x".repeat(rest)).to_string()
    };
    for (id, size, code) in [
        ("just", LARGEST, Value::Null),
        ("over", LARGEST + 1, json!("oversized")),
        ("far", 10 * LARGEST, json!("oversized")),
    ] {
        let payload = sized(id, size);
        assert_eq!(payload.len(), size);
        let answer = stage
            .ask(("arbiter", &mut arbiter), headers, payload, false)
            .await;
        assert_eq!(answer["code"], code, "{id}: {answer}");
    }

    // An id belongs to its role: who uses another's gets neither his answer nor his right.
    let mut operator = stage.user("operator").await;
    let mut white = stage.user("b1-white").await;
    let topic = "chess/v1/hall/cmd/operator/b1/headers";
    let payload = json!({"id": "same", "headers": {"Event": "Open"}}).to_string();
    let first = stage
        .ask(("operator", &mut operator), topic, payload, false)
        .await;
    assert_eq!(first["ok"], true, "{first}");
    let payload = json!({"id": "same", "headers": {"Event": "Forged"}}).to_string();
    let own = "chess/v1/hall/cmd/white/b1/headers";
    let forged = stage
        .ask(("b1-white", &mut white), own, payload.clone(), false)
        .await;
    assert_eq!(forged["code"], "role_may_not");
    let own = "chess/v1/hall/cmd/white/b1/accept";
    let forged = stage
        .ask(("b1-white", &mut white), own, payload.clone(), false)
        .await;
    assert_eq!(forged["code"], "wrong_state", "{forged}");
    let again = stage
        .ask(("operator", &mut operator), topic, payload, false)
        .await;
    assert_eq!(again, first);
    let event = |game: &Value| (game["headers"]["Event"] == "Open").then_some(());
    stage.witness.retained(GAME, event).await;
    stage.is_well().await;
}

/// A packet of MQTT 5 that publishes something with properties that are bytes of any kind.
fn packet(topic: &str, properties: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut body = u16::try_from(topic.len()).unwrap().to_be_bytes().to_vec();
    body.extend(topic.as_bytes());
    body.push(u8::try_from(properties.len()).unwrap());
    body.extend(properties);
    body.extend(payload);
    let mut packet = vec![0x30];
    let mut length = body.len();
    loop {
        let low = u8::try_from(length % 128).unwrap();
        length /= 128;
        packet.push(if length > 0 { low | 0x80 } else { low });
        if length == 0 {
            break;
        }
    }
    packet.extend(body);
    packet
}

#[tokio::test(flavor = "multi_thread")]
async fn no_packet_cuts_the_daemon_off() {
    let mut stage = Stage::set().await;
    let states = stage.states();
    let topic = "chess/v1/hall/cmd/white/b1/offer";
    // What the broker takes at most, byte by byte around it; beyond that it hangs up.
    let (mut taken, mut refused) = (0, 0);
    for size in LARGEST_PACKET - 60..LARGEST_PACKET + 12 {
        let mut white = stage.user("b1-white").await;
        match white
            .publish(topic, vec![b'x'; size - 40], false, None)
            .await
        {
            Some(true) => taken += 1,
            _ => refused += 1,
        }
    }
    println!("{taken} packets were taken, {refused} were not");
    assert!(taken > 5 && refused > 5, "the limit lies between");
    // Texts that are none, in every property that has one: response topic, type of the
    // content, a pair of names; and data for correlation, which may be anything.
    for text in [
        &b"\xff\xfe"[..],
        b"\xed\xa0\x80",
        b"a\0b",
        b"\xef\xbf\xbf",
        b"+/#",
        b"",
    ] {
        let length = u16::try_from(text.len()).unwrap().to_be_bytes();
        for kind in [0x08, 0x03, 0x26, 0x09] {
            let mut properties = vec![kind];
            let times = if kind == 0x26 { 2 } else { 1 };
            for _ in 0..times {
                properties.extend(length);
                properties.extend(text);
            }
            let mut white = stage.user("b1-white").await;
            white
                .write_raw(&packet(
                    topic,
                    &properties,
                    b"{\"id\":\"odd\",\"if_seq\":0}",
                ))
                .await;
        }
    }
    // A topic that is none, an alias that nobody has set, an identifier that only a broker
    // may send.
    for properties in [
        &[0x23, 0, 1][..],
        &[0x0b, 1],
        &[0x01, 7],
        &[0x02, 0, 0, 0, 0],
    ] {
        let mut white = stage.user("b1-white").await;
        white.write_raw(&packet(topic, properties, b"{}")).await;
    }
    stage.is_well().await;
    assert_eq!(
        stage.states(),
        states,
        "the daemon was cut off:\n{}",
        stage.daemon.unwrap().log()
    );
}
