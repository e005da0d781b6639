//! The daemon's log, as its administrator reads it.

use std::{ffi::OsStr, fs::File, os::unix::fs::MetadataExt as _, path::Path};

use serde_json::{Value, json};

use super::{QUICK, Stage};
use remisd_testkit::{by_hand::ByHand, mosquitto::Mosquitto, remisd::Home, witness::Witness};

/// Plays to a mate, with a claim in between, and returns the log.
async fn a_game(stage: Stage) -> String {
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    for (count, uci) in (1..).zip(["f2f3", "e7e5"]) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    let claim = json!({"id": "c", "kind": "threefold"});
    stage.command("white", "b1", "claim", &claim).await;
    let ruling = json!({"id": "r", "on": "claim", "correct": false, "by": "IA Smith"});
    stage.command("arbiter", "b1", "ruling", &ruling).await;
    for (count, uci) in (3..).zip(["g2g4", "d8h4"]) {
        board.play(uci).await;
        stage.has_moves("b1", count).await;
    }
    let result = "chess/v1/hall/arbiter/b1/result";
    let mated = |result: &Value| (result["reason"] == "checkmate").then_some(());
    stage.witness.retained(result, mated).await;
    stage.daemon.log()
}

#[tokio::test(flavor = "multi_thread")]
async fn games_claims_and_results_are_logged_and_no_structures() {
    let log = a_game(Stage::set("", &["b1"]).await).await;
    for expected in [
        "INFO a game begins board=b1",
        "INFO board is up board=b1 kind=\"dgt\"",
        "INFO a draw is claimed board=b1",
        "INFO the claim is ruled on board=b1",
        "correct=false by=\"IA Smith\"",
        "INFO result board=b1 score=\"0-1\" reason=\"checkmate\" ply=4 confirmed=false",
    ] {
        assert!(log.contains(expected), "{expected} in\n{log}");
    }
    for structure in [" { ", "Some(", "Ok(", "Err("] {
        assert!(!log.contains(structure), "{structure} in\n{log}");
    }
    // The board appears after the daemon, and the public feed of this competition is not delayed.
    let expected = ["board is down", "audience.delay_ms is 0"];
    let mut grave = log
        .lines()
        .filter(|line| line.contains("ERROR") || line.contains("WARN"));
    let is_expected = |line: &str| expected.iter().any(|part| line.contains(part));
    assert!(grave.all(is_expected), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_journal_of_systemd_gets_priorities_and_no_second_time() {
    if Path::new("/run/systemd/journal/socket").exists() {
        // Then the journal receives the records directly; unit tests cover those.
        return;
    }
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), "", &["b1"], QUICK);
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    // The journal identifies a stderr that it reads by device and inode.
    let log = home.config().with_file_name("remisd.log");
    let metadata = File::create(&log).unwrap().metadata().unwrap();
    let stream = format!("{}:{}", metadata.dev(), metadata.ino());
    let daemon = home.start_with(&[("JOURNAL_STREAM", OsStr::new(&stream))]);
    let stage = Stage {
        daemon,
        broker,
        home,
        witness,
    };
    stage.is_online().await;
    let log = a_game(stage).await;
    for line in log.lines() {
        let text = line
            .strip_prefix("<6>")
            .or_else(|| line.strip_prefix("<4>"));
        let text = text.unwrap_or_else(|| panic!("no priority: {line}"));
        assert!(!text.contains("INFO") && !text.starts_with("20"), "{line}");
    }
    assert!(log.contains("<6>b1: a game begins game="), "{log}");
    assert!(
        log.contains("<6>b1: result score=0-1 reason=checkmate"),
        "{log}"
    );
}
