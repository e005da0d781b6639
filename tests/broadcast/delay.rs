//! One delay for every exit: what is younger than it is nowhere, whatever happens to the daemon.

use std::{collections::BTreeSet, net::SocketAddr, path::Path};

use jiff::{SignedDuration, Timestamp};
use remisd_broadcast::lichess::fake::Fake;
use remisd_testkit::{
    PATIENCE, by_hand::ByHand, mosquitto::Mosquitto, remisd::Home, witness::Witness,
};
use serde_json::{Value, json};
use shakmaty::{Chess, Position as _, uci::UciMove};
use tokio::{task::JoinSet, time::timeout};

use super::{
    ROUND, TUNING,
    exits::{self, ALL, Exits, Sighting, Sightings},
    free_port, token_in,
};

/// Long enough for a restart while moves wait in it.
pub const DELAY: SignedDuration = SignedDuration::from_secs(6);
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

/// Waits until these texts are on all these exits.
async fn all_show(sightings: &Sightings, exits: &[&str], marks: &[&str]) {
    let mut news = sightings.listen();
    let lacks = || {
        let seen = sightings.all();
        let has = |exit: &&&str| {
            let mut of = seen.iter().filter(|one| one.exit == **exit);
            of.any(|one| marks.iter().any(|mark| one.text.contains(mark)))
        };
        let lacks: Vec<String> = exits
            .iter()
            .filter(|exit| !has(exit))
            .map(|exit| (*exit).to_owned())
            .collect();
        lacks
    };
    let shown = timeout(PATIENCE, async {
        while !lacks().is_empty() {
            news.changed().await.unwrap();
        }
    });
    assert!(shown.await.is_ok(), "{marks:?} is not on {:?}", lacks());
}

/// The exits of a daemon, with ports and a folder of their own.
pub fn exits_in(place: &Path, broker: &Mosquitto) -> Exits {
    Exits {
        folder: place.join("pgn"),
        pages: free_port(),
        livechess: free_port(),
        broker: broker.address(),
    }
}

/// The configuration of these exits, and of an upload.
pub fn sections(exits: &Exits, upload: &SocketAddr) -> String {
    format!("[audience]\ndelay_ms = {}\n", DELAY.as_millis()) + &without_delay(exits, upload)
}

/// The same without a delay.
pub fn without_delay(exits: &Exits, upload: &SocketAddr) -> String {
    format!(
        "[http]\nlisten = \"127.0.0.1:{}\"\n\
         [livechess]\nenabled = true\nlisten = \"127.0.0.1:{}\"\naudience = \"public\"\n\
         [broadcast]\nfolder = \"{}\"\nhttp = true\nupload_url = \"http://{upload}/pgn\"\n",
        exits.pages,
        exits.livechess,
        exits.folder.display(),
    )
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
    let upload = exits::pushed_to("upload", exits::takes_all(), &sightings, &mut tasks).await;
    let place = tempfile::tempdir().unwrap();
    let token = token_in(place.path());
    let broker = Mosquitto::start().await;
    let exits = exits_in(place.path(), &broker);
    let sections = sections(&exits, &upload)
        + &format!(
            "[broadcast.lichess]\nhost = \"http://{lichess}\"\nrounds = [\"{ROUND}\"]\n\
             token_file = \"{}\"\n",
            token.display()
        );
    let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
    exits::watch(exits, &sightings, &mut tasks).await;
    let daemon = home.start();
    let arbiter = Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let mut board = ByHand::start(&home.port("b1"));
    let recorded = async |count: usize| {
        let is = |game: &Value| (game["moves"].as_array()?.len() == count).then_some(());
        arbiter.retained("chess/v1/hall/arbiter/b1/game", is).await;
    };
    let send = async |verb: &str, command: Value| {
        let topic = format!("chess/v1/hall/cmd/arbiter/b1/{verb}");
        arbiter.publish(&topic, command.to_string()).await;
    };
    recorded(0).await;
    let tags = json!({"Event": "Open", "Round": "1", "White": "White, A", "Black": "Black, B"});
    send("headers", json!({"id": "h", "headers": tags})).await;
    board.play(MOVES[0]).await;
    recorded(1).await;
    all_show(&sightings, &["mqtt"], &["Nf3"]).await;

    // The first move is public. The next two wait when the daemon is killed.
    board.play(MOVES[1]).await;
    recorded(2).await;
    board.play(MOVES[2]).await;
    recorded(3).await;
    daemon.kill().await;
    let daemon = home.start();
    board.play(MOVES[3]).await;
    recorded(4).await;
    send("result", json!({"id": "r", "score": "1/2-1/2"})).await;
    home.has_recorded("b1", "1/2-1/2").await;
    daemon.kill().await;
    // All exits start again while the last move and the result wait.
    let daemon = home.start();
    all_show(&sightings, &ALL, &["Rg8", "6r1/", "rnbqkbr1"]).await;
    let says_result = ALL.iter().filter(|exit| **exit != "livechess socket");
    let says_result: Vec<&str> = says_result.copied().collect();
    all_show(&sightings, &says_result, &["1/2-1/2", "DRAW"]).await;
    let secrets = secrets(&home.entries("b1"));
    let waited = secrets.last().unwrap().at.duration_since(secrets[1].at);
    assert!(
        waited < DELAY,
        "the plies were not in the delay: {waited:#}"
    );
    assert_eq!(faults(&secrets, &sightings.all()), Vec::<String>::new());
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_takes_nothing_back_from_the_public() {
    let sightings = Sightings::new();
    let mut tasks = JoinSet::new();
    let upload = exits::pushed_to("upload", exits::takes_all(), &sightings, &mut tasks).await;
    let place = tempfile::tempdir().unwrap();
    let broker = Mosquitto::start().await;
    let exits = exits_in(place.path(), &broker);
    let sections = sections(&exits, &upload);
    let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
    exits::watch(exits, &sightings, &mut tasks).await;
    let daemon = home.start();
    let arbiter = Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let mut board = ByHand::start(&home.port("b1"));
    let recorded = async |count: usize| {
        let is = |game: &Value| (game["moves"].as_array()?.len() == count).then_some(());
        arbiter.retained("chess/v1/hall/arbiter/b1/game", is).await;
    };
    recorded(0).await;
    for (count, uci) in (1..).zip(&MOVES[..2]) {
        board.play(uci).await;
        recorded(count).await;
    }
    let exits = ["mqtt", "folder", "upload"];
    all_show(&sightings, &exits, &["Nf6"]).await;

    // Both moves are public and the last entry is a move, so no later entry makes it older.
    daemon.kill().await;
    let daemon = home.start();
    board.play(MOVES[2]).await;
    recorded(3).await;
    all_show(&sightings, &exits, &["Rg1"]).await;
    for exit in ALL {
        let seen = sightings.all();
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
    let sightings = Sightings::new();
    let mut tasks = JoinSet::new();
    let upload = exits::pushed_to("upload", exits::takes_all(), &sightings, &mut tasks).await;
    let place = tempfile::tempdir().unwrap();
    let broker = Mosquitto::start().await;
    let exits = exits_in(place.path(), &broker);
    let sections = sections(&exits, &upload);
    let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
    exits::watch(exits, &sightings, &mut tasks).await;
    let daemon = home.start();
    let arbiter = Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let mut board = ByHand::start(&home.port("b1"));
    let game_topic = "chess/v1/hall/arbiter/b1/game";
    let send = async |verb: &str, command: Value| {
        let topic = format!("chess/v1/hall/cmd/arbiter/b1/{verb}");
        arbiter.publish(&topic, command.to_string()).await;
    };
    board.play(MOVES[0]).await;
    let has_move = |game: &Value| (game["ply"] == 1).then(|| game["game"].clone());
    let left = arbiter.retained(game_topic, has_move).await;
    // The next game begins at once: its public state must not take the place of this one.
    let next = json!({"id": "n", "headers": {"White": "Third, C"}});
    send("new_game", next).await;
    let is_next = |game: &Value| (game["game"] != left).then_some(());
    arbiter.retained(game_topic, is_next).await;
    all_show(&sightings, &["folder", "http", "upload"], &["Third, C"]).await;

    send("result", json!({"id": "r", "score": "0-1", "game": left})).await;
    home.has_recorded("b1", "\"0-1\"").await;
    daemon.kill().await;
    let daemon = home.start();
    let shows_it = ["folder", "http", "upload", "mqtt"];
    all_show(&sightings, &shows_it, &["\"0-1\""]).await;
    let entries = home.entries("b1");
    let entered = entries
        .iter()
        .find(|entry| entry["input"].to_string().contains("\"0-1\""))
        .unwrap();
    let entered: Timestamp = entered["time"].as_str().unwrap().parse().unwrap();
    for Sighting { exit, at, text } in sightings.all() {
        let early = (entered + DELAY).duration_since(at);
        let is_late = !early.is_positive() || !text.contains("\"0-1\"");
        assert!(is_late, "{early:#} early on {exit}: {text}");
    }
    let has_both = |one: &Sighting| {
        one.exit == "upload" && one.text.contains("Nf3") && one.text.contains("[Result \"0-1\"]")
    };
    assert!(
        sightings.all().iter().any(has_both),
        "a result without moves"
    );
    drop(daemon);
}
