//! The end of a game is broadcast although the next game has begun before the public could have it.

use std::net::SocketAddr;

use jiff::Timestamp;
use remisd_testkit::{
    PATIENCE, by_hand::ByHand, mosquitto::Mosquitto, remisd::Home, witness::Witness,
};
use serde_json::{Value, json};
use shakmaty::Chess;
use tokio::{task::JoinSet, time::timeout};

use super::{
    TUNING,
    delay::{DELAY, exits_in, sections, without_delay},
    exits::{self, Exits, Sightings},
};

const GAME: &str = "chess/v1/hall/arbiter/b1/game";
/// The exits that show all games of a round.
const WHOLE: [&str; 3] = ["folder", "http", "upload"];
const MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];

/// A board, its exits and who watches them.
struct Scene {
    sightings: Sightings,
    broker: Mosquitto,
    home: Home,
    arbiter: Witness,
    _place: tempfile::TempDir,
    _tasks: JoinSet<()>,
}

impl Scene {
    async fn set(sections: impl Fn(&Exits, &SocketAddr) -> String) -> Self {
        let sightings = Sightings::new();
        let mut tasks = JoinSet::new();
        let upload = exits::pushed_to("upload", exits::takes_all(), &sightings, &mut tasks).await;
        let place = tempfile::tempdir().unwrap();
        let broker = Mosquitto::start().await;
        let exits = exits_in(place.path(), &broker);
        let sections = sections(&exits, &upload);
        let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
        exits::watch(exits, &sightings, &mut tasks).await;
        let arbiter = Witness::watch(broker.address(), &["chess/v1/#"]).await;
        Self {
            sightings,
            broker,
            home,
            arbiter,
            _place: place,
            _tasks: tasks,
        }
    }

    /// Waits until all these exits have shown all these texts at a time.
    async fn shows(&self, exits: &[&str], texts: &[&str]) {
        let mut news = self.sightings.listen();
        let lacks = || {
            let seen = self.sightings.all();
            let shows = |exit: &&&str| {
                let mut of_exit = seen.iter().filter(|one| one.exit == **exit);
                of_exit.any(|one| texts.iter().all(|text| one.text.contains(text)))
            };
            let lacks = exits.iter().filter(|exit| !shows(exit));
            lacks.map(|exit| (*exit).to_owned()).collect::<Vec<_>>()
        };
        let shown = timeout(PATIENCE, async {
            while !lacks().is_empty() {
                news.changed().await.unwrap();
            }
        });
        assert!(shown.await.is_ok(), "{texts:?} is not on {:?}", lacks());
    }

    /// Waits for a game with this many moves, and returns its number.
    async fn recorded(&self, count: usize) -> u64 {
        let is = |game: &Value| {
            let enough = game["moves"].as_array()?.len() == count;
            enough.then(|| game["game"].as_u64().unwrap())
        };
        self.arbiter.retained(GAME, is).await
    }

    async fn send(&self, verb: &str, command: Value) {
        let topic = format!("chess/v1/hall/cmd/arbiter/b1/{verb}");
        self.arbiter.publish(&topic, command.to_string()).await;
    }

    /// What was seen of `text` before the delay had passed since an entry with `mark`.
    fn early(&self, text: &str, mark: &str) -> Vec<String> {
        let entries = self.home.entries("b1");
        let entry = entries
            .iter()
            .find(|entry| entry["input"].to_string().contains(mark));
        let entered: Timestamp = entry.unwrap()["time"].as_str().unwrap().parse().unwrap();
        let seen = self.sightings.all().into_iter();
        let early = seen.filter(|one| one.text.contains(text) && one.at < entered + DELAY);
        early
            .map(|one| format!("{} {}", one.exit, one.text))
            .collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_ended_while_the_broker_was_away_is_whole_although_the_next_one_runs() {
    let automatic = |exits: &Exits, upload: &SocketAddr| {
        "[laws]\nconfirm = \"automatic\"\n".to_owned() + &without_delay(exits, upload)
    };
    let mut scene = Scene::set(automatic).await;
    let daemon = scene.home.start();
    let mut board = ByHand::start(&scene.home.port("b1"));
    scene.recorded(0).await;
    board.play(MATE[0]).await;
    board.play(MATE[1]).await;
    scene.recorded(2).await;
    scene.shows(&WHOLE, &["e5"]).await;
    scene.broker.kill().await;
    board.play(MATE[2]).await;
    board.play(MATE[3]).await;
    scene.home.has_recorded("b1", "\"d8h4\"").await;
    board.set_up(Chess::default()).await;
    board.play("b1c3").await;
    scene.home.has_recorded("b1", "\"b1c3\"").await;

    scene.broker.restart().await;
    let mate = ["[Result \"0-1\"]", "g4", "Qh4#"];
    scene.shows(&WHOLE, &mate).await;
    // Another board gives the round no other game: the mate and the one that runs.
    let both = [&mate[..], &["1. Nc3"]].concat();
    scene.shows(&["folder"], &both).await;
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_whose_end_waits_in_the_delay_is_whole_after_a_kill_although_the_next_one_runs() {
    let scene = Scene::set(sections).await;
    let daemon = scene.home.start();
    let mut board = ByHand::start(&scene.home.port("b1"));
    scene.recorded(0).await;
    board.play("e2e4").await;
    board.play("d7d5").await;
    scene.recorded(2).await;
    scene.shows(&WHOLE, &["1. e4"]).await;

    // Two ends are in the delay when the daemon is killed, and a third game runs. No moves lead back
    // to the starting position, so that putting the pieces back is no play.
    board.play("e4d5").await;
    let first = scene.recorded(3).await;
    scene
        .send("result", json!({"id": "r", "score": "1-0"}))
        .await;
    scene.home.has_recorded("b1", "\"1-0\"").await;
    scene.send("new_game", json!({"id": "n"})).await;
    let is_next = |game: &Value| (game["game"] != first).then_some(());
    scene.arbiter.retained(GAME, is_next).await;
    board.set_up(Chess::default()).await;
    board.play("f2f3").await;
    let second = scene.recorded(1).await;
    scene
        .send("result", json!({"id": "s", "score": "0-1"}))
        .await;
    scene.home.has_recorded("b1", "\"0-1\"").await;
    scene.send("new_game", json!({"id": "m"})).await;
    let is_next = |game: &Value| (game["game"] != second).then_some(());
    scene.arbiter.retained(GAME, is_next).await;
    board.set_up(Chess::default()).await;
    board.play("b2b3").await;
    scene.recorded(1).await;
    daemon.kill().await;
    let daemon = scene.home.start();
    let first = ["[Result \"1-0\"]", "exd5"];
    let later = ["[Result \"0-1\"]", "1. f3", "1. b3"];
    let all = [&first[..], &later].concat();
    scene.shows(&["folder", "http"], &all).await;
    scene.shows(&["upload"], &first).await;
    for (text, mark) in [
        ("exd5", "\"e4d5\""),
        ("\"1-0\"", "\"1-0\""),
        ("1. f3", "\"f2f3\""),
        ("\"0-1\"", "\"0-1\""),
        ("1. b3", "\"b2b3\""),
    ] {
        assert_eq!(scene.early(text, mark), Vec::<String>::new(), "{text}");
    }
    drop(daemon);
}
