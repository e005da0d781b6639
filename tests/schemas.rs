//! The program's real output is valid against the schemas of `protocol/schema/`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fmt::Write as _,
    fs,
    path::Path,
    process::Stdio,
};

use remisd::simulate::{Options, Simulation};
use remisd_testkit::{mosquitto::Mosquitto, observer::Observer, schemas};
use rumqttc::v5::mqttbytes::v5::PublishProperties;
use serde_json::Value;
use tokio::{io::AsyncWriteExt, process::Command, time::timeout};

/// The knights go back and forth until the start position has occurred five times.
const FIVEFOLD: &str = "[White \"A\"]\n[TimeControl \"300\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 \
    5. Nf3 Nf6 6. Ng1 Ng8 7. Nf3 Nf6 8. Ng1 Ng8 1/2-1/2\n\n";

/// The objects checked against each schema.
#[derive(Default)]
struct Schemas {
    met: BTreeMap<String, Vec<Value>>,
}

impl Schemas {
    /// Checks an object against the schema that it names, on a topic or as a line.
    fn check(&mut self, text: &str, on_topic: bool) -> Value {
        let value: Value = serde_json::from_str(text).unwrap();
        // The topic `earlier` holds whole payloads.
        let held = value["games"].as_array().map_or(0, Vec::len);
        assert_eq!(
            text.matches("\"schema\":").count(),
            1 + held,
            "a key twice: {text}"
        );
        let name = schemas::name_of(&value, on_topic).expect("a schema");
        self.fits(name, &value);
        value
    }

    fn fits(&mut self, name: &str, value: &Value) {
        let faults = schemas::faults(name, value);
        assert!(faults.is_empty(), "{faults:#?}\n{value:#}");
        let met = self.met.entry(name.to_owned()).or_default();
        met.push(value.clone());
    }

    fn assert_met(&self, names: &[&str]) {
        for name in names {
            assert!(self.met.contains_key(*name), "{name} was never met");
        }
    }

    /// Runs a second validator, by another author in another language.
    async fn second_opinion(&self) {
        let corpus = serde_json::to_vec(&self.met).unwrap();
        let mut python = Command::new("python3");
        python.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/validate.py"));
        python.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut python = python.spawn().expect("tests/run installs python3");
        let mut stdin = python.stdin.take().unwrap();
        stdin.write_all(&corpus).await.unwrap();
        drop(stdin);
        let output = timeout(remisd_testkit::PATIENCE, python.wait_with_output());
        let output = output.await.unwrap().unwrap();
        let report = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{report}");
        println!("{report}");
    }
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remisd"));
    command.kill_on_drop(true).stdin(Stdio::null());
    command
}

/// Checks every line that the program prints for this input.
async fn lines(schemas: &mut Schemas, words: &[&str], input: &str) {
    let mut command = program();
    command.args(words).stdin(Stdio::piped());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    let output = timeout(remisd_testkit::DEADLINE, child.wait_with_output()).await;
    let text = String::from_utf8(output.unwrap().unwrap().stdout).unwrap();
    assert!(!text.is_empty(), "{words:?}");
    for line in text.lines() {
        schemas.check(line, false);
    }
}

#[tokio::test]
async fn printed_lines_fit() {
    let mut schemas = Schemas::default();
    let games = format!("{FIVEFOLD}1. e4 e5 2. Ke3 *\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n");
    lines(&mut schemas, &["replay"], &games).await;
    lines(&mut schemas, &["replay", "--dead"], &games).await;
    lines(&mut schemas, &["replay", "--rate", "blitz"], &games).await;
    let positions = "8/8/8/4k3/8/8/8/4K3 w - - 0 1\nnonsense\n4k3/8/8/8/8/8/8/4K2R w - - 0 1\n";
    lines(&mut schemas, &["dead"], positions).await;
    lines(&mut schemas, &["dead", "--both", "--witness"], positions).await;
    schemas.assert_met(&["draw", "error", "dead"]);
}

#[test]
fn the_examples_of_the_pages_fit() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol");
    let mut schemas = Schemas::default();
    for page in ["mqtt.md", "commands.md"] {
        let page = fs::read_to_string(folder.join(page)).unwrap();
        for example in page.split("```json\n").skip(1) {
            let (text, _) = example.split_once("```").unwrap();
            schemas.check(text, true);
        }
    }
    let names =
        "state availability game earlier draw-topic clock result alerts link squares event reply";
    schemas.assert_met(&names.split(' ').collect::<Vec<_>>());
}

/// A daemon on a simulated board.
fn configure(folder: &Path, broker: &str, device: &Path, profile: &str) -> std::path::PathBuf {
    let mut text = format!(
        "[mqtt]\nurl = \"{broker}\"\n[audience]\nprofile = \"{profile}\"\n[journal]\ndir = \"{}\"\n",
        folder.join("journal").display()
    );
    write!(
        text,
        "[[board]]\nid = \"b1\"\nkind = \"dgt\"\nport = \"{}\"\n\
         [board.hand]\nspeed = 20\nnew_game_ms = 600000\n\
         [board.dgt]\ncommand_gap_ms = 2\nquiet_ms = 20\nburst_ms = 100\n",
        device.display()
    )
    .unwrap();
    let file = folder.join("remisd.toml");
    fs::write(&file, text).unwrap();
    file
}

/// All messages from the broker, checked on arrival.
struct Wire {
    observer: Observer,
    schemas: Schemas,
    /// The newest value of each retained topic.
    newest: HashMap<String, Value>,
}

impl Wire {
    /// Reads until a message on this topic that `wanted` accepts; a retained one may be there already.
    async fn until(&mut self, topic: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(known) = self.newest.get(topic).filter(|value| wanted(value)) {
            return known.clone();
        }
        loop {
            let message = self.observer.message().await;
            let at = String::from_utf8(message.topic.to_vec()).unwrap();
            if message.payload.is_empty() {
                self.newest.remove(&at);
                continue;
            }
            if at.contains("/cmd/") {
                continue;
            }
            let text = std::str::from_utf8(&message.payload).unwrap();
            let value = self.schemas.check(text, true);
            if !at.contains("/reply/") && !at.ends_with("/event") {
                self.newest.insert(at.clone(), value.clone());
            }
            if at == topic && wanted(&value) {
                return value;
            }
        }
    }

    /// Sends a command, which must fit its schema, and reads until its answer.
    async fn command(&mut self, verb: &str, payload: Value) -> Value {
        let name = format!("command-{verb}");
        self.schemas.fits(&name, &payload);
        self.send(verb, payload.to_string()).await
    }

    async fn send(&mut self, verb: &str, payload: String) -> Value {
        self.send_to("b1", verb, payload).await
    }

    async fn send_to(&mut self, to: &str, verb: &str, payload: String) -> Value {
        let reply = "chess/v1/hall/reply/arbiter/test";
        let properties = PublishProperties {
            response_topic: Some(reply.to_owned()),
            ..PublishProperties::default()
        };
        let topic = format!("chess/v1/hall/cmd/arbiter/{to}/{verb}");
        let publish = self
            .observer
            .publish_with(&topic, payload, false, properties);
        publish.await;
        self.until(reply, |_| true).await
    }
}

/// A dialogue with every verb of players, clock and arbiter, entered by the arbiter for them.
async fn every_verb_of_the_players(wire: &mut Wire) {
    use serde_json::json;
    let dialogue = [
        (
            "correct",
            json!({"to_ply": 0, "moves": ["e4", "e7e5"]}),
            true,
        ),
        (
            "offer",
            json!({"player": "white", "condition": "if board 2 is drawn"}),
            true,
        ),
        ("decline", json!({"player": "black"}), true),
        ("touch", json!({"player": "white", "square": "g1"}), true),
        ("adjust", json!({"player": "white"}), true),
        ("evidence", json!({}), true),
        ("evidence", json!({"claim": 1}), false),
        // Not a legal move, so it has no squares.
        (
            "claim",
            json!({"player": "white", "kind": "threefold", "move": "Qd8"}),
            true,
        ),
        ("ruling", json!({"on": "claim", "correct": true}), true),
        ("evidence", json!({}), true),
        ("result", json!({"score": "*"}), true),
        ("ruling", json!({"on": "claim", "correct": false}), true),
        ("correct", json!({"to_ply": 0, "moves": ["d4", "d5"]}), true),
        (
            "claim",
            json!({"player": "white", "kind": "threefold", "move": "Nf3"}),
            true,
        ),
        ("ruling", json!({"on": "claim", "correct": false}), true),
        (
            "claim",
            json!({"player": "white", "kind": "threefold"}),
            true,
        ),
        ("ruling", json!({"on": "claim", "admissible": false}), false),
        (
            "ruling",
            json!({"on": "claim", "correct": false, "admissible": false}),
            true,
        ),
        ("decline", json!({"player": "black"}), true),
        ("ruling", json!({"on": "both_flags"}), false),
        ("ruling", json!({"on": "nothing"}), false),
        ("resume", json!({}), false),
        ("pause", json!({}), true),
        ("resume", json!({"running": "white"}), true),
        ("pause", json!({}), true),
        ("offer", json!({"player": "black"}), true),
        ("accept", json!({"player": "black"}), false),
        (
            "clock_state",
            json!({"white_ms": 1, "black_ms": 2, "running": null}),
            false,
        ),
        (
            "move",
            json!({
                "ply": 3, "move": "Nf3",
                "clock": {"white_ms": 1, "black_ms": 2, "running": "black"},
            }),
            false,
        ),
        ("undo", json!({"ply": 2}), false),
        (
            "choose",
            json!({"alert": "accounts_differ-pgn.2.e7e5", "version": "record"}),
            false,
        ),
        ("resign", json!({"player": "white"}), true),
    ];
    for (number, (verb, mut payload, done)) in dialogue.into_iter().enumerate() {
        payload["id"] = format!("dialogue-{number}").into();
        let reply = if verb == "ruling" && !done {
            wire.send(verb, payload.to_string()).await
        } else {
            wire.command(verb, payload).await
        };
        assert_eq!(reply["ok"], done, "{verb}: {reply}");
    }
    let resigned = |value: &Value| value["reason"] == "resignation";
    wire.until("chess/v1/hall/arbiter/b1/result", resigned)
        .await;
}

/// Commands to the daemon: without a broadcast and without phones all are refused.
async fn every_verb_of_the_daemon(wire: &mut Wire) {
    use serde_json::json;
    let dialogue = [
        ("lichess_reset", json!({"round": 1})),
        (
            "lichess_create",
            json!({"round": 1, "name": "Round 1", "again": true}),
        ),
        ("lichess_close", json!({"unfinished": true})),
        ("notify_test", json!({})),
    ];
    for (number, (verb, mut payload)) in dialogue.into_iter().enumerate() {
        payload["id"] = format!("daemon-{number}").into();
        wire.schemas.fits(&format!("command-{verb}"), &payload);
        let reply = wire.send_to("remisd", verb, payload.to_string()).await;
        assert_eq!(reply["code"], "wrong_state", "{verb}: {reply}");
    }
}

#[tokio::test]
async fn every_message_of_a_game_fits() {
    every_message_fits("casual").await;
}

/// If the draw state is hidden from operators and players, their messages are valid as well.
#[tokio::test]
async fn every_message_of_a_competition_fits() {
    every_message_fits("competition").await;
}

async fn every_message_fits(profile: &str) {
    let broker = Mosquitto::start().await;
    let folder = tempfile::tempdir().unwrap();
    let options = Options {
        speed: 20.0,
        ..Options::default()
    };
    let (simulation, _progress) = Simulation::start(FIVEFOLD, options).unwrap();
    let config = configure(folder.path(), &broker.url(), simulation.device(), profile);
    let observer = Observer::watch(broker.address(), "chess/v1/#").await;
    let mut wire = Wire {
        newest: HashMap::new(),
        observer,
        schemas: Schemas::default(),
    };
    let mut daemon = program();
    daemon.args(["run", "--config"]).arg(&config);
    let mut daemon = daemon.stderr(Stdio::null()).spawn().unwrap();

    let fivefold = |value: &Value| value["automatic"]["kind"] == "fivefold";
    wire.until("chess/v1/hall/arbiter/b1/draw", fivefold).await;
    let red = |value: &Value| {
        value["alerts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|a| a["code"] == "fivefold")
    };
    let alerts = wire.until("chess/v1/hall/arbiter/b1/alerts", red).await;
    let alert = &alerts["alerts"][0]["id"];

    let ok = |reply: &Value| reply["ok"] == true;
    let ack = serde_json::json!({"id": "1", "alert": alert, "by": "IA"});
    assert!(ok(&wire.command("ack", ack).await));
    let headers = serde_json::json!({"id": "2", "headers": {"Event": "Test"}});
    assert!(ok(&wire.command("headers", headers).await));
    let result = serde_json::json!({"id": "3", "score": "1/2-1/2", "if_seq": 1});
    assert_eq!(wire.command("result", result).await["code"], "stale");
    let result = serde_json::json!({"id": "4", "score": "1-0"});
    assert!(ok(&wire.command("result", result).await));
    let next = serde_json::json!({"id": "next"});
    assert!(ok(&wire.command("new_game", next).await));
    let one = |value: &Value| value["games"].as_array().is_some_and(|all| all.len() == 1);
    wire.until("chess/v1/hall/public/b1/earlier", one).await;
    let setup = serde_json::json!({"id": "5", "fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"});
    wire.command("setup", setup).await;
    let new_game = serde_json::json!({"id": "6", "laws": "fide-2023", "rate": "blitz"});
    assert!(ok(&wire.command("new_game", new_game).await));
    assert_eq!(
        wire.send("explode", "{}".to_owned()).await["code"],
        "bad_payload"
    );
    every_verb_of_the_players(&mut wire).await;
    every_verb_of_the_daemon(&mut wire).await;

    let id = daemon.id().unwrap().to_string();
    let mut kill = Command::new("kill");
    assert!(kill.args(["-TERM", &id]).status().await.unwrap().success());
    wire.until("chess/v1/hall/node/remisd/state", |value| {
        value["state"] == "offline"
    })
    .await;
    timeout(remisd_testkit::DEADLINE, daemon.wait())
        .await
        .unwrap()
        .unwrap();

    let here: BTreeSet<&str> = ["draw", "error", "dead", "port", "simulate"].into();
    let rest: Vec<&str> = schemas::names()
        .filter(|name| !here.contains(name))
        .collect();
    wire.schemas.assert_met(&rest);
    wire.schemas.second_opinion().await;
}
