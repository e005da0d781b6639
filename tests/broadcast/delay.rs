//! One delay for every exit: what is younger than it is nowhere, whatever happens to the daemon.

use std::{collections::BTreeSet, net::SocketAddr};

use jiff::{SignedDuration, Timestamp};
use remisd_broadcast::lichess::fake::Fake;
use remisd_testkit::by_hand::ByHand;
use serde_json::{Value, json};
use shakmaty::{Chess, Position as _, uci::UciMove};
use tokio::task::JoinSet;

use super::{
    ROUND,
    exits::{self, ALL, Exits, Sighting, Sightings},
    scene::{DELAY, Scene, sections},
    token_in,
};

/// Moves whose names are found nowhere else: no id is written with these letters.
const MOVES: [&str; 4] = ["g1f3", "g8f6", "h1g1", "h8g8"];
/// What is in the payloads of the topic that is late by rule.
const DRAW: &str = "remisd/draw/";

/// What must not be seen before its time.
struct Secret {
    what: String,
    /// When the daemon noted it.
    at: Timestamp,
    /// How it can be written.
    marks: Vec<String>,
    /// The public's number of its entry.
    number: u64,
}

impl Secret {
    fn is_in(&self, text: &str) -> bool {
        self.marks.iter().any(|mark| text.contains(mark))
            // Topics say how many entries there are.
            || numbers(text).any(|number| number >= self.number)
    }
}

/// The numbers of entries in the JSON of a topic, or of a feed's frame.
fn numbers(text: &str) -> impl Iterator<Item = u64> {
    text.split("\"seq\":").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        rest[..end].parse().ok()
    })
}

/// The moves and the result in a journal.
fn secrets(entries: &[Value]) -> Vec<Secret> {
    let mut position = Chess::default();
    let mut marks = MOVES.map(|uci| {
        let played = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        let san = shakmaty::san::San::from_move(&position, played).to_string();
        position.play_unchecked(played);
        (uci, vec![uci.to_owned(), san, position.board().to_string()])
    });
    let of = |what: &str, marks: Vec<String>, is_it: &dyn Fn(&Value) -> bool| {
        let entry = entries.iter().find(|entry| is_it(&entry["input"])).unwrap();
        Secret {
            what: what.to_owned(),
            at: entry["time"].as_str().unwrap().parse().unwrap(),
            marks,
            number: entry["numbers"]["public"].as_u64().unwrap(),
        }
    };
    let moves = marks.iter_mut().map(|(uci, marks)| {
        of(uci, std::mem::take(marks), &|input| {
            input["type"] == "move" && input["uci"] == **uci
        })
    });
    let mut secrets: Vec<Secret> = moves.collect();
    let result = ["1/2-1/2", "DRAW"].map(str::to_owned).to_vec();
    secrets.push(of("result", result, &|input| {
        input.to_string().contains("1/2-1/2")
    }));
    secrets
}

/// What was seen before its time, and results that were seen before the move that led to them.
fn faults(secrets: &[Secret], seen: &[Sighting]) -> Vec<String> {
    let mut faults = Vec::new();
    for secret in secrets {
        let due = secret.at + DELAY;
        let early = seen
            .iter()
            .find(|one| one.at < due && secret.is_in(&one.text));
        if let Some(Sighting { exit, at, text }) = early {
            let early = due.duration_since(*at);
            faults.push(format!("{} {early:#} early on {exit}: {text}", secret.what));
        }
    }
    let [.., last, result] = secrets else {
        return faults;
    };
    for exit in ALL {
        let mut shown = BTreeSet::new();
        for one in seen.iter().filter(|one| one.exit == exit) {
            let has = |secret: &Secret| secret.marks.iter().any(|mark| one.text.contains(mark));
            shown.extend(
                [last, result]
                    .into_iter()
                    .filter(|of| has(of))
                    .map(|of| &of.what),
            );
            if shown.contains(&result.what) && !shown.contains(&last.what) {
                faults.push(format!("a result before its moves on {exit}: {}", one.text));
                break;
            }
        }
    }
    faults
}

#[test]
fn the_checker_finds_what_is_planted() {
    let at: Timestamp = "2026-11-28T12:00:00Z".parse().unwrap();
    let entry = |number: u64, input: Value| json!({"time": at.to_string(), "numbers": {"public": number}, "input": input});
    let moves = (10..).zip(MOVES);
    let mut entries: Vec<Value> = moves
        .map(|(number, uci)| entry(number, json!({"type": "move", "uci": uci})))
        .collect();
    entries.push(entry(20, json!({"type": "command", "score": "1/2-1/2"})));
    let secrets = secrets(&entries);
    let late = at + DELAY;
    let early = late - SignedDuration::from_millis(1);
    let seen = |at, text: &str| Sighting {
        exit: "folder",
        at,
        text: text.to_owned(),
    };
    for text in [
        "1. Nf3",
        "{\"uci\":\"g1f3\"}",
        "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R",
        "{\"seq\":10,",
        "DRAW",
    ] {
        assert!(!faults(&secrets, &[seen(early, text)]).is_empty(), "{text}");
    }
    assert!(faults(&secrets, &[seen(early, "{\"seq\":9,")]).is_empty());
    let moves = "1. Nf3 Nf6 2. Rg1 Rg8";
    assert!(faults(&secrets, &[seen(late, moves), seen(late, "1/2-1/2")]).is_empty());
    assert!(faults(&secrets, &[seen(late, &format!("{moves} 1/2-1/2"))]).is_empty());
    assert!(!faults(&secrets, &[seen(late, "1/2-1/2"), seen(late, moves)]).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_early_on_any_exit_although_the_daemon_is_killed_twice() {
    let sightings = Sightings::new();
    let mut tasks = JoinSet::new();
    let fake = Fake::with_rounds(&[ROUND]);
    let lichess = exits::pushed_to("lichess", fake.router(), &sightings, &mut tasks).await;
    let folder = tempfile::tempdir().unwrap();
    let lichess = format!(
        "[broadcast.lichess]\nhost = \"http://{lichess}\"\nrounds = [\"{ROUND}\"]\n\
         token_file = \"{}\"\n",
        token_in(folder.path()).display()
    );
    let with_lichess = |exits: &Exits, upload: &SocketAddr| sections(exits, upload) + &lichess;
    let scene = Scene::watched(sightings, tasks, with_lichess).await;
    let daemon = scene.home.start();
    let mut board = ByHand::start(&scene.home.port("b1"));
    scene.recorded(0).await;
    let tags = json!({"Event": "Open", "Round": "1", "White": "White, A", "Black": "Black, B"});
    scene
        .send("headers", json!({"id": "h", "headers": tags}))
        .await;
    board.play(MOVES[0]).await;
    scene.recorded(1).await;
    scene.shows_any(&["mqtt"], &["Nf3"]).await;

    // The first move is public. The next two wait when the daemon is killed.
    board.play(MOVES[1]).await;
    scene.recorded(2).await;
    board.play(MOVES[2]).await;
    scene.recorded(3).await;
    daemon.kill().await;
    let daemon = scene.home.start();
    board.play(MOVES[3]).await;
    scene.recorded(4).await;
    scene
        .send("result", json!({"id": "r", "score": "1/2-1/2"}))
        .await;
    scene.home.has_recorded("b1", "1/2-1/2").await;
    daemon.kill().await;
    // All exits start again while the last move and the result wait.
    let daemon = scene.home.start();
    scene.shows_any(&ALL, &["Rg8", "6r1/", "rnbqkbr1"]).await;
    let says_result = ALL.iter().filter(|exit| **exit != "livechess socket");
    let says_result: Vec<&str> = says_result.copied().collect();
    scene.shows_any(&says_result, &["1/2-1/2", "DRAW"]).await;
    let secrets = secrets(&scene.home.entries("b1"));
    let waited = secrets.last().unwrap().at.duration_since(secrets[1].at);
    assert!(
        waited < DELAY,
        "the plies were not in the delay: {waited:#}"
    );
    assert_eq!(
        faults(&secrets, &scene.sightings.all()),
        Vec::<String>::new()
    );
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_takes_nothing_back_from_the_public() {
    let scene = Scene::set(sections).await;
    let daemon = scene.home.start();
    let mut board = ByHand::start(&scene.home.port("b1"));
    scene.recorded(0).await;
    for (count, uci) in (1..).zip(&MOVES[..2]) {
        board.play(uci).await;
        scene.recorded(count).await;
    }
    let exits = ["mqtt", "folder", "upload"];
    scene.shows_any(&exits, &["Nf6"]).await;

    // Both moves are public and the last entry is a move, so no later entry makes it older.
    daemon.kill().await;
    let daemon = scene.home.start();
    board.play(MOVES[2]).await;
    scene.recorded(3).await;
    scene.shows_any(&exits, &["Rg1"]).await;
    for exit in ALL {
        let seen = scene.sightings.all();
        // The draw state is published one position late.
        let of = seen
            .iter()
            .filter(|one| one.exit == exit && !one.text.contains(DRAW));
        let since = of.skip_while(|one| !one.text.contains("Nf6"));
        let taken_back: Vec<&str> = since
            .map(|one| one.text.as_str())
            .filter(|text| text.contains("Nf3") && !text.contains("Nf6"))
            .collect();
        assert_eq!(taken_back, Vec::<&str>::new(), "{exit}");
    }
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_an_earlier_game_waits_in_the_delay_over_a_restart() {
    let scene = Scene::set(sections).await;
    let daemon = scene.home.start();
    let mut board = ByHand::start(&scene.home.port("b1"));
    board.play(MOVES[0]).await;
    let left = scene.recorded(1).await;
    // The next game begins at once: its public state must not take the place of this one.
    let next = json!({"id": "n", "headers": {"White": "Third, C"}});
    scene.send("new_game", next).await;
    scene.leaves(left).await;
    scene
        .shows_any(&["folder", "http", "upload"], &["Third, C"])
        .await;

    scene
        .send("result", json!({"id": "r", "score": "0-1", "game": left}))
        .await;
    scene.home.has_recorded("b1", "\"0-1\"").await;
    daemon.kill().await;
    let daemon = scene.home.start();
    let shows_it = ["folder", "http", "upload", "mqtt"];
    scene.shows_any(&shows_it, &["\"0-1\""]).await;
    let early = scene.early("\"0-1\"", "\"0-1\"");
    assert_eq!(early, Vec::<String>::new());
    let has_both = |one: &Sighting| {
        one.exit == "upload" && one.text.contains("Nf3") && one.text.contains("[Result \"0-1\"]")
    };
    assert!(
        scene.sightings.all().iter().any(has_both),
        "a result without moves"
    );
    drop(daemon);
}
