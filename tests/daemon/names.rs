//! Names that must not reach the disk.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{QUICK, Stage};
use remisd_testkit::{
    by_hand::ByHand,
    remisd::{output, word},
};

/// The content of all files in a folder and below.
fn everything_in(folder: &Path) -> String {
    let mut text = String::new();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        let kind = file.file_type().unwrap();
        if kind.is_dir() {
            text += &everything_in(&file.path());
        } else if kind.is_file() {
            text += &String::from_utf8_lossy(&fs::read(file.path()).unwrap());
        }
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn masked_names_are_shown_and_are_in_no_file_and_no_event() {
    let stage = Stage::tuned("names = \"mask\"\n", &["b1"], QUICK).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees("b1").await;
    let headers = json!({"White": "Zsofia Xyz", "BlackFideId": "70071", "Event": "Open"});
    let new_game = json!({"id": "n", "headers": headers, "by": "desk"});
    let begun = stage.command("arbiter", "b1", "new_game", &new_game).await;
    assert_eq!(begun["ok"], true, "{begun}");
    // A refusal quotes the wrong value.
    let wrong = json!({"id": "w", "headers": "Zsofia Xyz"});
    let refused = stage.command("arbiter", "b1", "headers", &wrong).await;
    assert_eq!(refused["ok"], false, "{refused}");
    let offer = json!({"id": "o", "by": "Zsofia Xyz"});
    stage.command("white", "b1", "offer", &offer).await;
    board.play("e2e4").await;
    stage.has_moves("b1", 1).await;
    for audience in ["arbiter", "public", "hall"] {
        let topic = format!("chess/v1/hall/{audience}/b1/game");
        let named = |game: &Value| (game["headers"]["White"] == "Zsofia Xyz").then_some(());
        stage.witness.retained(&topic, named).await;
    }
    stage.home.has_recorded("b1", "\"move_made\"").await;
    let Stage {
        daemon,
        home,
        witness,
        broker,
    } = stage;
    assert!(daemon.terminate().await.success());
    let events = witness.messages();
    let events = events
        .iter()
        .filter(|message| message.topic.ends_with("/event"));
    let published: String = events.map(|event| event.json().to_string()).collect();
    let config = home.config();
    let report = ["report", "--no-log", "--config", word(&config)];
    let report = String::from_utf8(output(&report).await.stdout).unwrap();
    let folder = config.parent().unwrap();
    let text = published + &report + &everything_in(folder);
    for name in ["Zsofia", "Xyz", "70071"] {
        assert!(!text.contains(name), "{name}");
    }
    assert!(text.contains("Open") && text.contains("\"by\":\"desk\""));

    // The raw bytes of the board are stored beside the record.
    let journal = home.journal();
    let raw = ["journal", "--journal", word(&journal), "show", "--raw"];
    let raw = String::from_utf8(output(&raw).await.stdout).unwrap();
    assert!(raw.contains(" board> 8e 00 05"), "{raw}");
    let verify = output(&["journal", "--journal", word(&journal), "verify"]).await;
    assert!(verify.status.success(), "{verify:?}");
    drop(broker);
}
