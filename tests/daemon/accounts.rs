//! Boards that are compared with a second account of their game: a file, or another board.

use std::{fs, path::Path};

use remisd_testkit::{
    by_hand::ByHand,
    mosquitto::Mosquitto,
    remisd::Home,
    witness::{Message, Witness},
};
use serde_json::{Value, json};

use super::{QUICK, Stage, alert, events, facts, moves};

const LINK: &str = "chess/v1/hall/arbiter/b1/link";

/// Replaces a file as a program does that renames.
fn write(path: &Path, pgn: &str) {
    let beside = path.with_extension("new");
    fs::write(&beside, pgn).unwrap();
    fs::rename(&beside, path).unwrap();
}

impl Stage {
    /// Waits until an account of a board is in this state.
    async fn compared(&self, state: &str) -> Value {
        let is_so = |link: &Value| {
            let account = link["accounts"].as_array()?.first()?;
            (account["state"] == state).then(|| link.clone())
        };
        self.witness.retained(LINK, is_so).await
    }

    /// Kills the daemon and starts another one, for the `starts`th time.
    async fn starts_again(mut self, starts: usize) -> Self {
        self.daemon.restart(&self.home).await;
        let begun = |all: &[Message]| {
            let events = events(all, "b1");
            let starts_of = events
                .iter()
                .filter(|event| event["input"]["type"] == "start");
            (starts_of.count() == starts).then_some(())
        };
        self.witness.until("another start", begun).await;
        self.is_online().await;
        self
    }

    async fn has_chosen(&self, alert: &Value, version: &str, id: &str) -> Value {
        let choice = json!({"id": id, "alert": alert["id"], "version": version, "by": "IA Smith"});
        self.command("arbiter", "b1", "choose", &choice).await
    }

    /// Waits until a board has no alert about accounts that differ.
    async fn agrees(&self, board: &str) {
        let topic = format!("chess/v1/hall/arbiter/{board}/alerts");
        let none = |alerts: &Value| alert(alerts, "accounts_differ").is_none().then_some(());
        self.witness.retained(&topic, none).await;
    }
}

/// What others than arbiter and operator receive.
fn to_others(messages: &[Message]) -> Vec<&Message> {
    let audience = |message: &&Message| {
        let word = message.topic.split('/').nth(3).unwrap_or_default();
        matches!(word, "public" | "hall" | "player")
    };
    messages.iter().filter(audience).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_differs_from_the_board_is_the_arbiters_choice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scoresheets.pgn");
    write(&file, "1. e4 e5 *\n");
    let source = file.display();
    let compare = format!("{QUICK}[board.compare]\nsource = \"{source}\"\npoll_ms = 100\n");
    let stage = Stage::tuned("", &["b1"], &compare).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    for (count, uci) in (1..).zip(["e2e4", "e7e5", "g1f3"]) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    stage.compared("agrees").await;
    for audience in ["public", "hall"] {
        let topic = format!("chess/v1/hall/{audience}/b1/game");
        let all = |game: &Value| (moves(game).len() == 3).then_some(());
        stage.witness.retained(&topic, all).await;
    }
    let before = stage.witness.messages().len();
    write(&file, "1. e4 e5 2. Nc3 *\n");
    let differs = stage.alerted("accounts_differ", |_| true).await;
    assert_eq!(differs["level"], "amber");
    let arguments = &differs["arguments"];
    assert_eq!(
        (&arguments["record"], &arguments["other"]),
        (&json!("2.Nf3"), &json!("2.Nc3"))
    );
    assert_eq!(arguments["source"], "scoresheets.pgn");
    let link = stage.compared("differs").await;
    assert_eq!(link["accounts"][0]["since_ply"], 3, "{link}");
    let uncertain = |link: &Value| (link["confidence"] == "uncertain").then_some(());
    stage.witness.retained(LINK, uncertain).await;
    let operators = "chess/v1/hall/operator/b1/alerts";
    let seen = |alerts: &Value| alert(alerts, "accounts_differ").map(|_| ());
    stage.witness.retained(operators, seen).await;
    let all = stage.witness.messages();
    let others = to_others(&all[before..]);
    assert!(others.is_empty(), "{others:?}");

    // The difference stays open when the daemon is killed, and so does the choice later.
    let stage = stage.starts_again(2).await;
    stage.compared("differs").await;
    let differs = stage.alerted("accounts_differ", |_| true).await;
    let choice = json!({"id": "o", "alert": differs["id"], "version": "record"});
    let answer = stage.command("operator", "b1", "choose", &choice).await;
    assert_eq!(answer["code"], "role_may_not", "{answer}");
    let answer = stage.has_chosen(&differs, "record", "c1").await;
    assert_eq!(answer["ok"], true, "{answer}");
    stage.agrees("b1").await;
    let again = stage.has_chosen(&differs, "record", "c1").await;
    assert_eq!(again, answer);
    let other = stage.has_chosen(&differs, "account", "c2").await;
    assert_eq!(other["code"], "not_found", "{other}");
    stage.compared("agrees").await;
    let stage = stage.starts_again(3).await;
    stage.compared("agrees").await;
    // Another move at that ply is another question.
    write(&file, "1. e4 e5 2. f4 exf4 *\n");
    let differs = stage.alerted("accounts_differ", |alert| {
        alert["arguments"]["other"] != "2.Nc3"
    });
    let differs = differs.await;
    assert_eq!(differs["arguments"]["other"], "2.f4 exf4");
    let mut choice =
        json!({"id": "old", "alert": differs["id"], "version": "account", "if_seq": 1});
    let answer = stage.command("arbiter", "b1", "choose", &choice).await;
    assert_eq!(answer["code"], "stale", "{answer}");
    let seq = |link: &Value| link["seq"].as_u64();
    choice["if_seq"] = json!(stage.witness.retained(LINK, seq).await);
    choice["id"] = json!("c3");
    choice["by"] = json!("IA Smith");
    let answer = stage.command("arbiter", "b1", "choose", &choice).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let game = stage.has_moves("b1", 4).await;
    assert_eq!(moves(&game), ["e2e4", "e7e5", "f2f4", "e5f4"]);
    stage.agrees("b1").await;
    let events = stage.events("b1").await;
    let chosen = facts(&events).filter(|(_, fact)| fact["type"] == "version_chosen");
    let versions: Vec<_> = chosen.map(|(_, fact)| fact["version"].clone()).collect();
    assert_eq!(versions, ["record", "account"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_boards_of_one_game_are_compared() {
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), "", &["b1", "b2"], QUICK);
    let mut text = fs::read_to_string(home.config()).unwrap();
    text.push_str("[board.compare]\nboard = \"b1\"\n");
    fs::write(home.config(), text).unwrap();
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let witness = witness.checking();
    let daemon = home.start();
    let stage = Stage {
        daemon,
        broker,
        home,
        witness,
    };
    stage.is_online().await;
    let mut here = ByHand::start(&stage.home.port("b1"));
    let mut there = ByHand::start(&stage.home.port("b2"));
    stage.sees("b1").await;
    stage.sees("b2").await;
    for (count, uci) in (1..).zip(["e2e4", "e7e5"]) {
        here.play(uci).await;
        stage.has_moves("b1", count).await;
        there.play(uci).await;
        stage.has_moves("b2", count).await;
    }
    here.play("g1f3").await;
    stage.has_moves("b1", 3).await;
    there.play("g1e2").await;
    let topic = "chess/v1/hall/arbiter/b2/alerts";
    let raised = |alerts: &Value| alert(alerts, "accounts_differ").cloned();
    let differs = stage.witness.retained(topic, raised).await;
    let arguments = &differs["arguments"];
    assert_eq!(
        (&arguments["account"], &arguments["source"]),
        (&json!("board"), &json!("b1"))
    );
    assert_eq!(
        (&arguments["record"], &arguments["other"]),
        (&json!("2.Ne2"), &json!("2.Nf3"))
    );
    let correct = json!({"id": "c", "to_ply": 2, "moves": ["Nf3"]});
    let answer = stage.command("arbiter", "b2", "correct", &correct).await;
    assert_eq!(answer["ok"], true, "{answer}");
    stage.agrees("b2").await;
    let of_b1 = stage.events("b1").await;
    let compared = of_b1
        .iter()
        .filter(|event| event["input"]["type"] == "account");
    assert_eq!(compared.count(), 0, "the other board is not compared");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_on_a_ply_that_differs_is_the_arbiters_and_nobody_else_learns_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scoresheets.pgn");
    write(&file, "1. Nf3 *\n");
    let source = file.display();
    let compare = format!("{QUICK}[board.compare]\nsource = \"{source}\"\npoll_ms = 100\n");
    let laws = "[laws]\nconfirm = \"automatic\"\n";
    let stage = Stage::tuned(laws, &["b1"], &compare).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    for (count, uci) in (1..).zip(shuffle.iter().chain(&shuffle)) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    stage.compared("agrees").await;
    write(&file, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Nc6 *\n");
    let differs = stage.alerted("accounts_differ", |_| true).await;
    assert_eq!(differs["arguments"]["dropped"], 0);
    let claim = json!({"id": "w1", "kind": "threefold"});
    let answer = stage.command("white", "b1", "claim", &claim).await;
    assert_eq!(answer["ok"], true, "{answer}");
    stage.alerted("claim_made", |_| true).await;
    let is_red = |alert: &Value| alert["level"] == "red";
    stage.alerted("accounts_differ", is_red).await;
    let events = stage.events("b1").await;
    let decided = |fact: &Value| {
        let what = fact["type"].as_str().unwrap();
        matches!(what, "claim_ruled" | "result_set")
    };
    assert!(!facts(&events).any(|(_, fact)| decided(fact)));
    let remarks = facts(&events).find(|(_, fact)| fact["type"] == "claim_made");
    let (_, made) = remarks.expect("the claim");
    assert_eq!(made["finding"], "arbiter_decides", "{made}");

    // The text changes behind the arbiter's back: what he has not seen is not taken.
    write(&file, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 d5 *\n");
    let other = |alert: &Value| alert["arguments"]["other"] == "4…d5";
    let newer = stage.alerted("accounts_differ", other).await;
    let answer = stage.has_chosen(&differs, "account", "c1").await;
    assert_eq!(answer["code"], "not_found", "{answer}");
    let answer = stage.has_chosen(&newer, "record", "c2").await;
    assert_eq!(answer["ok"], true, "{answer}");
    stage.agrees("b1").await;
    let ruling = json!({"id": "r1", "on": "claim", "correct": true});
    let answer = stage.command("arbiter", "b1", "ruling", &ruling).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let over = |game: &Value| (game["result"]["score"] == "1/2-1/2").then_some(());
    for audience in ["arbiter", "hall"] {
        let topic = format!("chess/v1/hall/{audience}/b1/game");
        stage.witness.retained(&topic, over).await;
    }
    for message in to_others(&stage.witness.messages()) {
        let text = String::from_utf8_lossy(&message.payload);
        for word in [
            "scoresheets",
            "accounts_differ",
            "version_chosen",
            "dropped",
        ] {
            assert!(!text.contains(word), "{}: {text}", message.topic);
        }
    }
}
