//! Boards whose moves devices enter by commands: a tablet, a robot.

use remisd_testkit::witness::Message;
use serde_json::{Value, json};

use super::{Stage, alert, events, facts, moves};

/// A board of a device.
const BOARD: &str = "[[board]]\nid = \"b1\"\nkind = \"commands\"\n";
const SHUFFLE: [&str; 4] = ["Nf3", "Nf6", "Ng1", "Ng8"];

/// Enters a move, and returns the answer.
async fn enter(stage: &Stage, ply: usize, text: &str) -> Value {
    let payload =
        json!({"id": format!("{ply}-{text}"), "ply": ply, "move": text, "by": "tablet 1"});
    stage.command("board", "b1", "move", &payload).await
}

/// How often a daemon has said that it is online.
fn starts(messages: &[Message]) -> usize {
    let states = messages
        .iter()
        .filter(|message| message.topic == "chess/v1/hall/node/remisd/state");
    states
        .filter(|message| message.json()["state"] == "online")
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_plays_a_game_to_its_end_although_the_daemon_is_killed() {
    let mut stage = Stage::set(BOARD, &[]).await;
    stage.sees("b1").await;
    let moves_made: Vec<&str> = SHUFFLE.into_iter().cycle().take(16).collect();
    for (ply, text) in (1..).zip(&moves_made) {
        if ply == 9 {
            // What the killed one has said is still there when the other begins.
            let before = starts(&stage.witness.messages());
            stage.daemon.restart(&stage.home).await;
            let has_started = |all: &[Message]| (starts(all) > before).then_some(());
            stage.witness.until("another start", has_started).await;
            // The answer to the last move may be lost: the same move again is accepted.
            let again = enter(&stage, 8, moves_made[7]).await;
            assert_eq!(again["ok"], true, "{again}");
        }
        let answer = enter(&stage, ply, text).await;
        assert_eq!(answer["ok"], true, "{answer}");
    }
    let game = stage.has_moves("b1", 16).await;
    assert_eq!(moves(&game)[..2], ["g1f3", "g8f6"]);
    let by_source = stage.witness.until("16 moves by a source", |all| {
        let events = events(all, "b1");
        let made = facts(&events).filter(|(_, fact)| fact["type"] == "move_made");
        (made.filter(|(_, fact)| fact["by"] == "source").count() == 16).then_some(())
    });
    by_source.await;
    stage.alerted("fivefold", |_| true).await;
    let link = "chess/v1/hall/operator/b1/link";
    let certain = |link: &Value| (link["confidence"] == "certain").then(|| link.clone());
    let link = stage.witness.retained(link, certain).await;
    assert_eq!(link["kind"], "commands", "{link}");
    // Players and hall are shown no more of it than of a game on sensors.
    for message in stage.witness.messages() {
        let leak = super::leaks::leak(&message.topic, &message.json());
        assert_eq!(leak, None, "{message:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_device_enters_wrongly_is_refused_and_reported() {
    let stage = Stage::set(BOARD, &[]).await;
    stage.sees("b1").await;
    for (ply, text) in [(1, "e4"), (2, "e5"), (3, "Nf3")] {
        enter(&stage, ply, text).await;
    }
    for (ply, text, code, doubt) in [
        (4, "Nf6+!!x", "bad_value", "unreadable"),
        (6, "a6", "wrong_state", "missing"),
        (2, "c5", "wrong_state", "differs"),
    ] {
        let answer = enter(&stage, ply, text).await;
        assert_eq!(answer["code"], code, "{text}: {answer}");
        let raised = |alerts: &Value| {
            let mut open = alerts["alerts"].as_array()?.iter();
            let found = open.find(|alert| alert["arguments"]["doubt"] == doubt)?;
            Some(found["arguments"]["source"].clone())
        };
        let source = stage.witness.retained(super::ALERTS, raised).await;
        assert_eq!(source, "tablet 1", "{doubt}");
    }
    for ply in [3, 2] {
        let undo = json!({"id": format!("undo-{ply}"), "ply": ply});
        let answer = stage.command("board", "b1", "undo", &undo).await;
        assert_eq!(answer["ok"], true, "{answer}");
    }
    stage.has_moves("b1", 1).await;
    let rewritten = stage.alerted("source_rewritten", |_| true).await;
    assert_eq!(rewritten["level"], "amber");
    let resolved = |alerts: &Value| alert(alerts, "source_uncertain").is_none().then_some(());
    stage.witness.retained(super::ALERTS, resolved).await;
    // What no device may do.
    for verb in ["result", "correct", "claim", "headers"] {
        let answer = stage
            .command("board", "b1", verb, &json!({"id": verb}))
            .await;
        assert_eq!(answer["code"], "role_may_not", "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_device_enters_moves_at_a_board_with_sensors() {
    let stage = Stage::set("", &["b1"]).await;
    let answer = enter(&stage, 1, "e4").await;
    assert_eq!(answer["code"], "wrong_state", "{answer}");
}
