//! The broadcast as the world sees it: the built daemon, a board on a pseudo-terminal, a real
//! Mosquitto, and a Lichess on this computer. Folder, HTTP and Lichess must agree.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod delay;
mod ends;
mod exits;
mod orders;
mod phones;
mod scene;

use std::{
    fs,
    net::Ipv4Addr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use remisd_broadcast::lichess::fake::{Breaches, Fake, TOKEN};
use remisd_testkit::{
    DEADLINE, by_hand::ByHand, mosquitto::Mosquitto, poll::poll, port::free_port, remisd::Home,
};
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

const ROUND: &str = "AbCdEfGh";
const TUNING: &str = "orientation = \"normal\"\n[board.hand]\nspeed = 20\n\
    new_game_ms = 1200\nmismatch_ms = 6000\n[board.dgt]\n\
    command_gap_ms = 5\nquiet_ms = 15\nburst_ms = 75\ndump_every_ms = 250\n";

/// A file with the token that the Lichess knows.
fn token_in(folder: &Path) -> PathBuf {
    let token = folder.join("token");
    fs::write(&token, TOKEN).unwrap();
    fs::set_permissions(&token, fs::Permissions::from_mode(0o600)).unwrap();
    token
}

async fn get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.starts_with("HTTP/1.1 200").then(|| body.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn folder_http_and_lichess_show_the_same_game_and_go_on_after_a_kill() {
    let fake = Fake::with_rounds(&[ROUND]);
    let lichess = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let host = lichess.local_addr().unwrap();
    let router = fake.router();
    tokio::spawn(async move { axum::serve(lichess, router).await });

    let place = tempfile::tempdir().unwrap();
    let token = token_in(place.path());
    let port = free_port();
    let folder = place.path().join("pgn");
    let sections = format!(
        "[http]\nlisten = \"127.0.0.1:{port}\"\n[broadcast]\nfolder = \"{}\"\nhttp = true\n\
         [broadcast.lichess]\nhost = \"http://{host}\"\nrounds = [\"{ROUND}\"]\n\
         token_file = \"{}\"\n",
        folder.display(),
        token.display()
    );
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
    let daemon = home.start();
    let arbiter = remisd_testkit::witness::Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let mut board = ByHand::start(&home.port("b1"));
    let has_moves = async |count: usize| {
        let topic = "chess/v1/hall/public/b1/game";
        arbiter
            .retained(topic, |game| {
                (game["moves"].as_array()?.len() == count).then_some(())
            })
            .await;
    };
    has_moves(0).await;
    let send = async |verb: &str, command: serde_json::Value| {
        let topic = format!("chess/v1/hall/cmd/arbiter/b1/{verb}");
        let payload = Bytes::from(command.to_string());
        arbiter.publish(&topic, payload).await;
    };
    let tags = json!({"Event": "Open", "Round": "1", "White": "White, A", "Black": "Black, B"});
    send("headers", json!({"id": "h", "headers": tags})).await;

    let file = folder.join("round-1/game-1.pgn");
    let agree = async |text: &str| {
        let what = || format!("{text} is not in {:?}", fs::read_to_string(&file));
        let written = poll(DEADLINE, what, async || {
            let there = fs::read_to_string(&file).ok()?;
            there.contains(text).then_some(there)
        })
        .await;
        let served = poll(DEADLINE, what, async || {
            let there = get(port, "/pgn/round.pgn").await?;
            there.contains(text).then_some(there)
        })
        .await;
        assert_eq!(served, written);
        written
    };
    let shown = async |line: &str, result: &str| {
        let what = || format!("{line} {result} is not in {:?}", fake.chapters(ROUND));
        poll(DEADLINE, what, async || {
            let chapters = fake.chapters(ROUND);
            let [chapter] = &chapters[..] else {
                return None;
            };
            let is_so = chapter.line() == line && chapter.tag("Result") == Some(result);
            is_so.then_some(())
        })
        .await;
    };
    for (count, uci) in (1..).zip(["e2e4", "e7e5", "g1f3"]) {
        board.play(uci).await;
        has_moves(count).await;
    }
    let before = agree("2. Nf3").await;
    shown("e4 e5 Nf3", "*").await;

    daemon.kill().await;
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let daemon = home.start();
    let after = agree("2. Nf3").await;
    assert_eq!(after, before, "the same game with the same id");
    board.play("b8c6").await;
    has_moves(4).await;
    send("result", json!({"id": "r", "score": "1/2-1/2"})).await;
    let end = agree("[Result \"1/2-1/2\"]").await;
    assert!(end.contains("Nc6"), "{end}");
    shown("e4 e5 Nf3 Nc6", "1/2-1/2").await;
    assert_eq!(fake.breaches(), Breaches::default());
    let log = daemon.log();
    assert!(!log.contains(TOKEN), "the token is in the log");
}
