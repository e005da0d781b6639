//! A clock placed the other way round than assumed.

use std::{fmt::Write as _, time::Duration};

use remisd::simulate::Options;
use serde_json::{Value, json};

use super::{Stage, alert, facts, moves};
use remisd_testkit::{table::SimulatedTable, witness::Message};

/// The same game twice: each ply takes five seconds off White's clock, or fifteen off Black's.
fn pgn() -> String {
    let sans = [
        "e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "d3", "b5", "Bb3", "d6", "c3", "g6",
    ];
    let (mut white, mut black) = (300, 300);
    let mut text = String::from("[White \"A\"]\n[TimeControl \"300\"]\n\n");
    for (ply, san) in sans.iter().enumerate() {
        let left = if ply % 2 == 0 {
            white -= 5;
            white
        } else {
            black -= 15;
            black
        };
        let (minutes, seconds) = (left / 60, left % 60);
        write!(text, "{san} {{[%clk 0:0{minutes}:{seconds:02}]}} ").unwrap();
    }
    text += "1/2-1/2\n\n";
    text.repeat(2)
}

/// The remaining time after each move, in whole seconds.
fn left(game: &Value) -> Vec<u64> {
    let moves = game["moves"].as_array().unwrap().iter();
    let ms = moves.map(|made| made["clock_ms"].as_u64().expect("there is a clock"));
    ms.map(|ms| ms / 1_000).collect()
}

/// Whether the times from a ply on are those of the game, within three seconds: a press may be
/// reported slightly late.
fn is_by_colours(game: &Value, from: usize) -> bool {
    let wanted = |ply: usize| match ply % 2 {
        0 => 300 - 5 * (ply as u64 / 2 + 1),
        _ => 300 - 15 * (ply as u64 / 2 + 1),
    };
    let mut left = left(game).into_iter().enumerate().skip(from);
    left.all(|(ply, left)| left.abs_diff(wanted(ply)) <= 3)
}

const SPEED: f64 = 8.0;

#[tokio::test(flavor = "multi_thread")]
async fn the_moves_show_that_the_clock_is_placed_the_other_way_round() {
    let laws = "[laws]\nclock_mismatch_ms = 100\n";
    let tuning = format!(
        "[board.hand]\nspeed = {SPEED}\n[board.dgt]\ncommand_gap_ms = 13\nquiet_ms = 30\nburst_ms = 150\n"
    );
    let stage = Stage::tuned(laws, &["b1"], &tuning).await;
    let options = Options {
        speed: SPEED,
        clock_reversed: true,
        longest_thought: Duration::from_secs(5),
        ..Options::default()
    };
    let mut board = SimulatedTable::start(&stage.home.port("b1"), &pgn(), options);
    stage.alerted("clock_mismatch", |_| true).await;
    board.over(0).await;
    // The next game may have begun by now.
    let topic = "chess/v1/hall/arbiter/b1/game";
    let first = |all: &[Message]| {
        let mut games = all
            .iter()
            .filter(|message| message.topic == topic)
            .map(Message::json);
        games.find(|game| moves(game).len() == 14)
    };
    let game = stage.witness.until("first game", first).await;
    assert!(is_by_colours(&game, 8), "{:?}", left(&game));
    let reversed = |link: &Value| (link["clock_reversed"] == json!(true)).then_some(());
    let link = "chess/v1/hall/arbiter/b1/link";
    stage.witness.retained(link, reversed).await;
    let quiet = |alerts: &Value| alert(alerts, "clock_mismatch").is_none().then_some(());
    stage.witness.retained(super::ALERTS, quiet).await;

    // The next game starts with what was learnt in the first.
    board.over(1).await;
    let second = |other: &Value| {
        let whole = other["game"] != game["game"] && moves(other).len() == 14;
        whole.then(|| other.clone())
    };
    let game = stage.witness.retained(topic, second).await;
    assert!(is_by_colours(&game, 0), "{:?}", left(&game));

    let events = stage.events("b1").await;
    let made: Vec<&Value> = (facts(&events).map(|(_, fact)| fact))
        .filter(|fact| fact["type"] == "move_made")
        .collect();
    assert_eq!(made.len(), 28, "nothing was made twice");
    let by: Vec<&str> = made
        .iter()
        .map(|made| made["by"].as_str().unwrap())
        .collect();
    // A press settles a move that it finds unsettled, as with any other clock. Most moves are
    // settled before their press.
    let pressed = |by: &[&str]| by.iter().filter(|by| **by == "clock").count();
    assert_eq!(pressed(&by[..3]), 0, "{by:?}");
    assert!(pressed(&by[8..]) > 0, "{by:?}");
    runs_for_the_player_having_the_move(&events);

    // The record contains the times as they were read, and so does a daemon that replays it.
    let Stage {
        daemon,
        broker: _broker,
        home,
        witness,
    } = stage;
    assert!(daemon.terminate().await.success());
    let _daemon = home.start();
    let again = |other: &Value| {
        let again = other["session"] != game["session"] && other["game"] == game["game"];
        again.then(|| other.clone())
    };
    let replayed = witness.retained(topic, again).await;
    assert_eq!(replayed["moves"], game["moves"]);
}

/// From the ninth ply on, when a press settles a move, the clock runs for the player to move.
fn runs_for_the_player_having_the_move(events: &[Value]) {
    let moves = (events.iter()).filter(|event| event["input"]["type"] == "move");
    for (ply, event) in moves.enumerate().skip(8) {
        let next = if ply % 2 == 0 { "black" } else { "white" };
        let input = &event["input"];
        let running = &input["clock"]["running"];
        // After the last move the clock is stopped.
        if input["by"] == "clock" && !running.is_null() {
            assert_eq!(*running, next, "{event}");
        }
    }
}
