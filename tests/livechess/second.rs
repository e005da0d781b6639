//! A second daemon that reads the first one's boards through its API.

use std::time::Duration;

use remisd::simulate::{Options, score};
use remisd_testkit::{by_hand::ByHand, remisd::Home, table::SimulatedTable};
use serde_json::{Value, json};

use super::{GAME, SPEED, Stage};

/// The second daemon, at a site of its own on the same broker.
fn second(stage: &Stage, serial: &str) -> Home {
    let sections = format!(
        "[site]\nid = \"second\"\nnode = \"second\"\n[audience]\nprofile = \"casual\"\n\
         [[board]]\nid = \"b1\"\nkind = \"livechess\"\nsource = \"ws://127.0.0.1:{}\"\n\
         serial = \"{serial}\"\n[board.hand]\nspeed = {SPEED}\nmismatch_ms = 4000\n",
        stage.port
    );
    Home::new(&stage.broker.url(), &sections, &[], "")
}

async fn of_second<T>(stage: &Stage, leaf: &str, find: impl FnMut(&Value) -> Option<T>) -> T {
    let topic = format!("chess/v1/second/arbiter/b1/{leaf}");
    stage.witness.retained(&topic, find).await
}

fn ucis(game: &Value) -> Vec<String> {
    let moves = game["moves"].as_array().into_iter().flatten();
    moves
        .map(|m| m["uci"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_reads_boards_through_another_and_both_have_the_same_game() {
    let mut stage = Stage::set(SPEED).await;
    let options = Options {
        speed: f64::from(SPEED),
        longest_thought: Duration::from_secs(3),
        ..Options::default()
    };
    let played = score::read(GAME).unwrap().remove(0).unwrap();
    let count = played.plies.len();
    let _table = SimulatedTable::start(&stage.home.port("b1"), GAME, options);
    stage.sees_the_board().await;
    let serial = |link: &Value| link["serial"].as_str().map(str::to_owned);
    let serial = stage.operator("link", serial).await;
    let home = second(&stage, &serial);
    let mut daemon = home.start();
    let online = |state: &Value| (state["state"] == "online").then_some(());
    of_second(&stage, "availability", online).await;
    let whole = |game: &Value| (ucis(game).len() == count).then(|| ucis(game));
    let first = stage.operator("game", whole).await;
    assert_eq!(of_second(&stage, "game", whole).await, first);
    // Either is restarted, and the game stays as it is.
    stage.restart().await;
    home.has_recorded("b1", "LiveChess at ws://127.0.0.1").await;
    of_second(&stage, "availability", online).await;
    daemon.kill().await;
    stage.witness.take(); // what it had published
    daemon = home.start();
    of_second(&stage, "availability", online).await;
    assert_eq!(of_second(&stage, "game", whole).await, first);
    let is_certain = |game: &Value| game["tracker"]["uncertain_since"].is_null().then_some(());
    of_second(&stage, "game", is_certain).await;
    drop(daemon);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_live_chess_does_not_have_is_named_with_those_that_it_has() {
    let stage = Stage::set(SPEED).await;
    let _table = SimulatedTable::start(&stage.home.port("b1"), GAME, Options::default());
    stage.sees_the_board().await;
    let home = second(&stage, "77777");
    let _daemon = home.start();
    let reason = |alerts: &Value| {
        let open = alerts["alerts"].as_array()?;
        let lost = open.iter().find(|alert| alert["code"] == "board_lost")?;
        lost["arguments"]["reason"].as_str().map(str::to_owned)
    };
    let reason = of_second(&stage, "alerts", reason).await;
    assert!(
        reason.contains("LiveChess has no board 77777; it has "),
        "{reason}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_players_that_the_other_program_names_are_in_the_game() {
    let stage = Stage::set(SPEED).await;
    let mut board = ByHand::start(&stage.home.port("b1"));
    stage.sees_the_board().await;
    let headers = json!({
        "Event": "Open", "Round": "3", "White": "Smit, Anna", "Black": "Jansen, Piet",
        "WhiteTitle": "WGM",
    });
    let command = json!({"id": "h", "headers": headers}).to_string();
    let topic = "chess/v1/hall/cmd/arbiter/b1/headers";
    stage.witness.publish(topic, command).await;
    board.play("e2e4").await;
    stage.has_moves(1).await;
    let serial = |link: &Value| link["serial"].as_str().map(str::to_owned);
    let serial = stage.operator("link", serial).await;
    let home = second(&stage, &serial);
    let _daemon = home.start();
    let named = |game: &Value| {
        let tags = &game["headers"];
        (tags["White"] == "Smit, Anna").then(|| tags.clone())
    };
    let tags = of_second(&stage, "game", named).await;
    for name in ["Round", "Black", "WhiteTitle"] {
        assert_eq!(tags[name], headers[name], "{name}");
    }
    // The game of that pairing is compared with the board.
    let agrees = |link: &Value| {
        let account = link["accounts"].as_array()?.first()?;
        let is_read = account["lost"].is_null() && account["account"] == "livechess";
        (account["state"] == "agrees" && is_read).then_some(())
    };
    of_second(&stage, "link", agrees).await;
}
