//! Plays games while everything around the daemon fails. No move may be lost, published twice or
//! published out of order.
//!
//! The short run is part of the test suite. `REMISD_FAULT_KILLS=1000 cargo test --test faults --
//! --nocapture` kills the daemon a thousand times; `REMISD_FAULT_SEED` selects other faults. Only
//! root can mount the small disk that is filled; without root this fault is skipped.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod disk;
mod mischief;
mod player;
mod reckoning;

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use remisd::simulate::score::{self, Score};
use remisd_testkit::{
    PATIENCE,
    gate::Gate,
    mosquitto::Mosquitto,
    received::{BoardLog, Received},
    remisd::{Home, output, word},
    witness::Witness,
};
use tokio::{task::JoinSet, time::Instant};

use crate::{
    disk::SmallDisk,
    mischief::Mischief,
    player::{Hall, Player},
    reckoning::Wrong,
};

const GAMES: &str = include_str!("../data/games/otb-2025.pgn");
const BOARDS: [&str; 4] = ["b1", "b2", "b3", "b4"];
const KILLS: u64 = 60;
const DISK_MB: u64 = 256;

/// Runs hand and board twenty times as fast.
const QUICK: &str = "orientation = \"normal\"\n[board.hand]\nspeed = 20\n\
    new_game_ms = 1200\nmismatch_ms = 6000\n[board.dgt]\ncommand_gap_ms = 5\nquiet_ms = 15\nburst_ms = 75\n\
    dump_every_ms = 250\n";

fn number_from(variable: &str, otherwise: u64) -> u64 {
    let set = std::env::var(variable).ok();
    set.map_or(otherwise, |number| number.parse().expect(variable))
}

/// The games of one board.
fn dealt(board: usize) -> Vec<Score> {
    let games = score::read(GAMES).unwrap().into_iter().map(Result::unwrap);
    let games = games.filter(|game| game.plies.len() > 1);
    games.skip(board).step_by(BOARDS.len()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_played_move_is_lost_whatever_breaks() {
    let (kills, seed) = (
        number_from("REMISD_FAULT_KILLS", KILLS),
        number_from("REMISD_FAULT_SEED", 1),
    );
    let begun = Instant::now();
    // The broker delivers everything it has accepted.
    let unbounded = "allow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n";
    let broker = Mosquitto::start_with(unbounded, None).await;
    let gate = Gate::before(broker.address()).await;
    let home = Home::new(&gate.url(), "", &BOARDS, QUICK);
    let disk = SmallDisk::mount(&home.journal(), DISK_MB);
    if let Err(reason) = &disk {
        println!("no disk can be filled here, as none can be mounted: {reason}");
    }
    let filters = ["chess/v1/hall/arbiter/#", "chess/v1/hall/reply/#"];
    let witness = Arc::new(Witness::watch(broker.address(), &filters).await);
    let received = Received::by(Arc::clone(&witness));
    let hall = Arc::new(Hall::new(home));

    let mut playing = JoinSet::new();
    let mut cables = Vec::new();
    for (number, board) in BOARDS.into_iter().enumerate() {
        let player = Player::new(Arc::clone(&hall), board, received.clone());
        cables.push(player.cable());
        playing.spawn(player.play(dealt(number)));
    }
    let daemon = hall.home.start();
    let mut mischief = Mischief {
        daemon: Some(daemon),
        broker,
        gate,
        disk: disk.ok(),
        cables,
        witness,
        received: received.clone(),
        hall: Arc::clone(&hall),
        random: fastrand::Rng::with_seed(seed),
        done: mischief::Done::default(),
        taken: std::collections::BTreeMap::new(),
    };
    while mischief.done.kills() < kills {
        tokio::select! {
            () = mischief.another() => {}
            Some(ended) = playing.join_next() => {
                ended.unwrap();
                unreachable!("no player stops before the hall closes");
            }
        }
    }
    hall.closing.store(true, Ordering::SeqCst);
    let mut tables = Vec::new();
    while let Some(ended) = playing.join_next().await {
        tables.push(ended.unwrap());
    }
    all_received(&hall, received.clone()).await;
    let shown = shown(&mischief).await;
    let daemon = mischief.daemon.take().unwrap();
    let log = daemon.log();
    assert!(daemon.terminate().await.success());

    let wrong = reckon(&mischief, &shown).await;
    println!(
        "{} plies on {} boards in {:.0} s, seed {seed}\nfaults: {}\n{wrong}",
        *hall.plies.borrow(),
        BOARDS.len(),
        begun.elapsed().as_secs_f64(),
        mischief.done,
    );
    let times = mischief.done.brokers_lost() + 1;
    let connections = mischief.witness.connections();
    assert_eq!(
        connections, times,
        "the witness was away at other times: {wrong}"
    );
    let errors: Vec<&str> = log.lines().filter(|line| line.contains("ERROR")).collect();
    assert!(wrong.is_empty(), "{wrong}{errors:#?}");
}

/// Waits until the newest entry of every board has been received.
async fn all_received(hall: &Hall, mut received: Received) {
    let until = Instant::now() + PATIENCE;
    for board in BOARDS {
        let newest = || hall.home.entries(board).last().unwrap()["seq"].as_u64();
        while received.of(board, BoardLog::newest) < newest().unwrap() {
            assert!(
                Instant::now() < until,
                "{board}: the last events never come"
            );
            let waited = tokio::time::timeout(Duration::from_secs(1), received.news());
            waited.await.ok();
        }
    }
}

/// The games that the retained topics show to a new subscriber, per board and audience.
async fn shown(mischief: &Mischief) -> Vec<(String, String, Vec<String>)> {
    let late = Witness::watch(mischief.broker.address(), &["chess/v1/hall/+/+/game"]).await;
    let mut shown = Vec::new();
    for board in BOARDS {
        let played = mischief.hall.played(board).pop().unwrap_or_default();
        for audience in ["arbiter", "operator", "public", "hall"] {
            let topic = format!("chess/v1/hall/{audience}/{board}/game");
            let read = |game: &serde_json::Value| {
                let moves = game["moves"].as_array()?.iter();
                let moves = moves.map(|made| made["uci"].as_str().unwrap().to_owned());
                let moves: Vec<String> = moves.collect();
                (moves.len() == played.len()).then_some(moves)
            };
            let moves = late.retained(&topic, read).await;
            shown.push((board.to_owned(), audience.to_owned(), moves));
        }
    }
    shown
}

async fn reckon(mischief: &Mischief, shown: &[(String, String, Vec<String>)]) -> Wrong {
    let mut wrong = Wrong::default();
    let hall = &mischief.hall;
    let journal = hall.home.journal();
    for board in BOARDS {
        let mut played = hall.played(board);
        played.retain(|game| !game.is_empty());
        let entries = hall.home.entries(board);
        let recorded = reckoning::in_journal(&entries);
        wrong.add(reckoning::games(
            &format!("{board}, journal"),
            &played,
            &recorded,
        ));
        let words = ["--journal", word(&journal), "--board", board];
        let export = output(&[&["journal", "export"], &words[..]].concat()).await;
        let pgn = String::from_utf8(export.stdout).unwrap();
        let exported = reckoning::in_pgn(&pgn);
        wrong.add(reckoning::games(
            &format!("{board}, PGN"),
            &played,
            &exported,
        ));
        let verify = output(&[&["journal", "verify"], &words[..]].concat()).await;
        // The commands agree with the journal about lost entries.
        let whole = reckoning::reported_lost(&entries).is_empty();
        let reported_whole = export.status.success() && verify.status.success();
        if whole != reported_whole {
            let output = [export.stderr, verify.stdout].concat();
            let output = String::from_utf8(output).unwrap();
            wrong.other.push(format!("{board}, journal: {output}"));
        }
        let none = std::collections::BTreeSet::new();
        let taken = mischief.taken.get(board).unwrap_or(&none);
        wrong.add(mischief.received.of(board, |received| {
            reckoning::events(board, &entries, received, taken)
        }));
        let last = hall.played(board).pop().into_iter().collect::<Vec<_>>();
        for (_, audience, moves) in shown.iter().filter(|(name, ..)| name == board) {
            let account = format!("{board}, {audience}'s game");
            let last_shown = std::slice::from_ref(moves);
            wrong.add(reckoning::games(&account, &last, last_shown));
        }
    }
    wrong
}
