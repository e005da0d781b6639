//! The end of a game is broadcast although the next game has begun before the public could have it.

use std::net::SocketAddr;

use remisd_testkit::by_hand::ByHand;
use serde_json::json;
use shakmaty::Chess;

use super::{
    exits::Exits,
    scene::{Scene, sections, without_delay},
};

/// The exits that show all games of a round.
const WHOLE: [&str; 3] = ["folder", "http", "upload"];
const MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];

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

    // Two ends are in the delay when the daemon is killed, and a third game runs. It begins with the
    // first move from the starting position, however slow this computer is.
    board.play("e4d5").await;
    let first = scene.recorded(3).await;
    scene
        .send("result", json!({"id": "r", "score": "1-0"}))
        .await;
    scene.home.has_recorded("b1", "\"1-0\"").await;
    board.set_up(Chess::default()).await;
    board.play("f2f3").await;
    scene.leaves(first).await;
    let second = scene.recorded(1).await;
    scene
        .send("result", json!({"id": "s", "score": "0-1"}))
        .await;
    scene.home.has_recorded("b1", "\"0-1\"").await;
    board.set_up(Chess::default()).await;
    board.play("b2b3").await;
    scene.leaves(second).await;
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
