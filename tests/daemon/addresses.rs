//! Boards whose games are at an address: on a server that lies and restarts, and on another remisd.

use std::{
    fmt::Write as _,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use remisd_testkit::{
    port::free_port,
    remisd::Home,
    witness::{Message, Witness},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinHandle,
};

use super::{
    Stage, events, facts,
    feeds::{Case, cases, overwrite, text},
    games, moves,
};

const BOARDS: usize = 3;

/// Sections for boards whose games are at this address.
fn boards(url: &str) -> String {
    let mut text = String::new();
    for number in 1..=BOARDS {
        writeln!(
            text,
            "[[board]]\nid = \"b{number}\"\nkind = \"pgn\"\nsource = \"{url}\"\npoll_ms = 1000"
        )
        .unwrap();
    }
    text
}

/// Games long enough to be followed for a while.
fn long_cases() -> Vec<Case> {
    let long = cases().into_iter().filter(|case| case.sans.len() >= 24);
    long.take(BOARDS).collect()
}

/// The text of a round after so many plies.
fn round(cases: &[Case], plies: usize) -> String {
    let games = cases.iter().zip(1..);
    games
        .map(|(case, number)| text(number, case, plies))
        .collect()
}

/// A web server that answers byte for byte as the test wants it.
struct Liar {
    address: SocketAddr,
    answer: Arc<Mutex<String>>,
    answered: Arc<watch::Sender<u64>>,
    serving: JoinHandle<()>,
}

impl Liar {
    async fn start(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let answer = Arc::new(Mutex::new(answer));
        let answered = Arc::new(watch::Sender::new(0));
        Self {
            address,
            serving: Self::serve(listener, answer.clone(), answered.clone()),
            answer,
            answered,
        }
    }

    fn serve(
        listener: TcpListener,
        answer: Arc<Mutex<String>>,
        answered: Arc<watch::Sender<u64>>,
    ) -> JoinHandle<()> {
        tokio::spawn(async move {
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(connection.read_u8().await.unwrap());
                }
                let text = answer.lock().unwrap().clone();
                connection.write_all(text.as_bytes()).await.ok();
                drop(connection);
                answered.send_modify(|count| *count += 1);
            }
        })
    }

    fn url(&self) -> String {
        format!("http://{}/round.pgn", self.address)
    }

    fn gives(&self, answer: String) {
        *self.answer.lock().unwrap() = answer;
    }

    /// Waits until so many further requests were answered. What the first of them was answered may
    /// have been decided before.
    async fn has_answered(&self, further: u64) {
        let mut answered = self.answered.subscribe();
        let enough = *answered.borrow() + further;
        answered.wait_for(|count| *count >= enough).await.unwrap();
    }

    async fn restart(&mut self) {
        self.serving.abort();
        // The listener is closed with its task.
        (&mut self.serving).await.unwrap_err();
        let listener = TcpListener::bind(self.address).await.unwrap();
        self.serving = Self::serve(listener, self.answer.clone(), self.answered.clone());
    }
}

/// Waits for the events of these plies. None was ever taken back.
async fn were_entered_once(stage: &Stage, board: &str, ucis: &[String]) {
    let entered = |all: &[Message]| {
        let games = games(&events(all, board));
        let (_, played) = games.last_key_value()?;
        (played == ucis).then_some(())
    };
    stage.witness.until("events", entered).await;
    let events = stage.events(board).await;
    let retracted = facts(&events).any(|(_, fact)| fact["type"] == "move_retracted");
    assert!(!retracted, "{board}");
}

fn ok(head: &str, length: usize, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_lies_and_restarts_never_spoils_a_game() {
    let cases = long_cases();
    let page = "<html><body>1. e4 *</body></html>";
    let mut server = Liar::start(ok("content-type: text/html\r\n", page.len(), page)).await;
    let sections = format!("[laws]\nedition = \"fide-2023\"\n{}", boards(&server.url()));
    let stage = Stage::set(&sections, &[]).await;
    stage.misses("b1").await;
    let lost = stage.alerted("board_lost", |_| true).await;
    assert_eq!(lost["arguments"]["code"], "source");
    assert!(lost.to_string().contains("a web page"), "{lost}");

    let have = async |plies: usize| {
        for (case, number) in cases.iter().zip(1..) {
            let board = format!("b{number}");
            let game = stage.has_moves(&board, plies).await;
            assert_eq!(moves(&game), case.ucis[..plies], "{board}");
        }
    };
    let first = round(&cases, 8);
    server.gives(ok("etag: \"1\"\r\n", first.len(), &first));
    have(8).await;
    // The answer breaks off between two games.
    let second = round(&cases, 12);
    server.gives(ok("etag: \"2\"\r\n", second.len(), &round(&cases[..1], 12)));
    server.has_answered(2).await;
    // The text has changed, but the tag has not.
    server.gives("HTTP/1.1 304 Not Modified\r\nconnection: close\r\n\r\n".to_owned());
    server.has_answered(3).await;
    server.gives("HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n".to_owned());
    server.has_answered(2).await;
    server.gives(ok("etag: \"1\"\r\n", second.len(), &second));
    have(12).await;
    // A cache gives the older text, and one game fewer, once.
    server.gives(ok("", first.len(), &first));
    server.has_answered(1).await;
    server.gives(ok(
        "",
        round(&cases[..2], 12).len(),
        &round(&cases[..2], 12),
    ));
    server.has_answered(1).await;
    let third = round(&cases, 16);
    server.gives(ok("", third.len(), &third));
    server.restart().await;
    have(16).await;

    for (case, number) in cases.iter().zip(1..) {
        let board = format!("b{number}");
        were_entered_once(&stage, &board, &case.ucis[..16]).await;
        let topic = format!("chess/v1/hall/arbiter/{board}/availability");
        let all = stage.witness.messages();
        let states = all.iter().filter(|message| message.topic == topic);
        let states: Vec<Value> = states
            .map(|message| message.json()["state"].clone())
            .collect();
        let first = states.iter().position(|state| state == "online").unwrap();
        assert!(
            states[first..].iter().all(|state| state == "online"),
            "{states:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_remisd_is_followed_through_its_pgn() {
    let cases = long_cases();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("round.pgn");
    overwrite(&file, &round(&cases, 6));
    let port = free_port();
    let sections = format!(
        "[http]\nlisten = \"127.0.0.1:{port}\"\n[broadcast]\nhttp = true\n{}",
        boards(&file.display().to_string())
    );
    let stage = Stage::set(&sections, &[]).await;
    stage.has_moves("b3", 6).await;

    let url = format!("http://127.0.0.1:{port}/pgn/round.pgn");
    let sections = format!(
        "[site]\nid = \"second\"\nnode = \"second\"\n{}",
        boards(&url)
    );
    let home = Home::new(&stage.broker.url(), &sections, &[], "");
    let witness = Witness::watch(stage.broker.address(), &["chess/v1/second/#"]).await;
    let _second = home.start();
    let agree = async |white: &str, plies: usize| {
        for (case, number) in cases.iter().zip(1..) {
            let board = format!("b{number}");
            let game = stage.has_moves(&board, plies).await;
            let topic = format!("chess/v1/second/arbiter/{board}/game");
            let enough = |game: &Value| (moves(game).len() == plies).then(|| game.clone());
            let copy = witness.retained(&topic, enough).await;
            assert_eq!(moves(&copy), case.ucis[..plies], "{board}");
            for part in ["moves", "fen", "start_fen"] {
                let plain = |game: &Value| match &game[part] {
                    Value::Array(all) => {
                        json!(all.iter().map(|m| m["san"].clone()).collect::<Vec<_>>())
                    }
                    other => other.clone(),
                };
                assert_eq!(plain(&copy), plain(&game), "{board} {part}");
            }
            assert_eq!(
                copy["headers"]["White"],
                format!("{white}, {number}"),
                "{copy}"
            );
        }
    };
    agree("White", 6).await;
    overwrite(&file, &round(&cases, 20));
    agree("White", 20).await;
    // Moves that are taken back there are taken back here.
    overwrite(&file, &round(&cases, 17));
    agree("White", 17).await;
    // The next round at the same address begins new games.
    let next = round(&cases, 3).replace("[Round \"1.", "[Round \"2.");
    overwrite(&file, &next.replace("White, ", "Next, "));
    agree("Next", 3).await;
}

/// The game of a board in a stream, as Lichess writes it, after so many plies.
fn streamed(number: usize, case: &Case, plies: usize) -> String {
    let url = format!("https://lichess.org/broadcast/open/round-1/AbCd1234/game000{number}");
    let (site, whole) = ("[Site \"Utrecht, NED\"]", text(number, case, plies));
    whole.replace(site, &format!("[Site \"{url}\"]\n[GameURL \"{url}\"]"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_of_a_round_is_followed_over_lost_connections() {
    let cases = long_cases();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let url = format!("http://{address}/api/stream/broadcast/round/AbCd1234.pgn");
    let sections = format!("[laws]\nedition = \"fide-2023\"\n{}", boards(&url));
    let sections = sections.replace("poll_ms = 1000", "");
    let stage = Stage::set(&sections, &[]).await;
    let connect = async || {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(connection.read_u8().await.unwrap());
        }
        let answer = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        connection.write_all(answer).await.unwrap();
        connection
    };
    let send = async |connection: &mut TcpStream, text: &str| {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        connection.write_all(chunk.as_bytes()).await.unwrap();
    };
    let mut connection = connect().await;
    for (case, number) in cases.iter().zip(1..) {
        send(&mut connection, &streamed(number, case, 4)).await;
    }
    for (case, number) in cases.iter().zip(1..) {
        let game = stage.has_moves(&format!("b{number}"), 4).await;
        assert_eq!(moves(&game), case.ucis[..4]);
    }
    // One game at a time, and a blank as a sign of life.
    send(&mut connection, " ").await;
    send(&mut connection, &streamed(2, &cases[1], 10)).await;
    stage.has_moves("b2", 10).await;
    // The connection breaks in the middle of a game.
    let half = streamed(1, &cases[0], 12);
    send(&mut connection, &half[..half.len() / 2]).await;
    drop(connection);
    let mut connection = connect().await;
    for (case, number) in cases.iter().zip(1..) {
        send(&mut connection, &streamed(number, case, 14)).await;
    }
    for (case, number) in cases.iter().zip(1..) {
        let board = format!("b{number}");
        let game = stage.has_moves(&board, 14).await;
        assert_eq!(moves(&game), case.ucis[..14]);
        were_entered_once(&stage, &board, &case.ucis[..14]).await;
    }
    // A move that is corrected on Lichess is corrected here.
    send(&mut connection, &streamed(1, &cases[0], 13)).await;
    let changed = stage.alerted("source_rewritten", |_| true).await;
    assert_eq!(changed["arguments"]["now"], "");
    stage.has_moves("b1", 13).await;
}
