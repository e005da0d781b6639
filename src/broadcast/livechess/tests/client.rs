//! Clients on a real socket.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest as _, http::HeaderValue},
};
use tokio_util::sync::CancellationToken;

use super::{availability, game, hub_of_one, say, squares};
use crate::Hub;

const PATIENCE: Duration = Duration::from_mins(1);
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const LIFTED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR";

struct Client(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Client {
    async fn connect(address: SocketAddr, origin: Option<&'static str>) -> Option<Self> {
        let mut request = format!("ws://{address}/api/v1.0")
            .into_client_request()
            .unwrap();
        if let Some(origin) = origin {
            let origin = HeaderValue::from_static(origin);
            request.headers_mut().insert("Origin", origin);
        }
        connect_async(request)
            .await
            .ok()
            .map(|(socket, _)| Self(socket))
    }

    async fn send(&mut self, text: impl Into<String>) {
        self.0.send(Message::text(text.into())).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        loop {
            let message = timeout(PATIENCE, self.0.next()).await.unwrap();
            if let Message::Text(text) = message.unwrap().unwrap() {
                return serde_json::from_str(&text).unwrap();
            }
        }
    }

    async fn ask(&mut self, request: Value) -> Value {
        self.send(request.to_string()).await;
        self.receive().await
    }

    async fn subscribe(&mut self, id: u32, feed: u32) {
        let param = json!({"feed": "eboardevent", "id": feed, "param": {"serialnr": "23946"}});
        let reply = self
            .ask(json!({"id": id, "call": "subscribe", "param": param}))
            .await;
        assert_eq!(
            (&reply["response"], &reply["id"], &reply["param"]),
            (&json!("call"), &json!(id), &json!(null))
        );
    }
}

pub(super) async fn serve(hub: &Hub) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = hub.router(CancellationToken::new());
    let router = router.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// The head and the body of an answer over HTTP.
pub(super) async fn http(address: SocketAddr, head: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("{head}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_ascii_lowercase(), body.to_owned())
}

#[tokio::test]
async fn a_client_subscribes_and_sees_what_changes() {
    let (hub, _) = hub_of_one();
    let mut client = Client::connect(serve(&hub).await, None).await.unwrap();
    let boards = client.ask(json!({"id": 1, "call": "eboards"})).await;
    assert_eq!(boards["param"][0]["serialnr"], "23946");
    client.subscribe(2, 1).await;
    let first = client.receive().await;
    assert_eq!(
        first["param"],
        json!({"serialnr": "23946", "flipped": false, "board": START, "clock": null})
    );
    say(&hub, "squares", &squares(LIFTED));
    let lifted = client.receive().await;
    assert_eq!(
        lifted["param"],
        json!({"serialnr": "23946", "flipped": false, "board": LIFTED})
    );
    let stop = client
        .ask(json!({"id": 3, "call": "unsubscribe", "param": {"id": 1}}))
        .await;
    assert_eq!(stop["param"], Value::Null);
    say(&hub, "squares", &squares(START));
    let sources = client.ask(json!({"id": 4, "call": "sources"})).await;
    assert_eq!(sources["param"], json!([{"device": "ttyACM0"}]));
}

#[tokio::test]
async fn several_feeds_and_sockets_share_a_board() {
    let (hub, _) = hub_of_one();
    let address = serve(&hub).await;
    let mut one = Client::connect(address, None).await.unwrap();
    let mut other = Client::connect(address, Some("https://lichess.org"))
        .await
        .unwrap();
    for feed in [100, 101] {
        one.subscribe(1, feed).await;
        assert_eq!(one.receive().await["id"], feed);
    }
    other.subscribe(1, 7).await;
    other.receive().await;
    let flip = json!({"id": 101, "method": "flip", "param": {"flip": true}});
    one.ask(json!({"id": 2, "call": "call", "param": flip}))
        .await;
    assert_eq!(one.receive().await["param"]["flipped"], true);
    say(&hub, "squares", &squares(LIFTED));
    let seen = [
        one.receive().await,
        one.receive().await,
        other.receive().await,
    ];
    assert_eq!(seen[0]["param"]["board"], LIFTED);
    assert_eq!(
        seen[1]["param"]["board"],
        "RNBKQBNR/PPP1PPPP/8/8/8/8/pppppppp/rnbkqbnr"
    );
    assert_eq!(seen[2]["param"]["board"], LIFTED);
}

#[tokio::test]
async fn whatever_a_client_sends_it_is_answered_and_stays() {
    let (hub, _) = hub_of_one();
    let mut client = Client::connect(serve(&hub).await, None).await.unwrap();
    for nonsense in [
        "",
        "feed:23946",
        "{",
        "[]",
        r#"{"id":1,"call":"feed","param":{}}"#,
        r#"{"id":1,"call":"subscribe","param":{"feed":"eboardevent"}}"#,
        r#"{"id":1,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"1"}}}"#,
        r#"{"id":1,"call":"unsubscribe","param":{"id":1}}"#,
        r#"{"id":1,"call":"call","param":{"id":1,"method":"setup","param":{"fen":"x"}}}"#,
    ] {
        client.send(nonsense).await;
        assert_eq!(client.receive().await["response"], "error", "{nonsense}");
    }
    client.subscribe(2, 1).await;
    client.receive().await;
    let bad = json!({"id": 1, "method": "setup", "param": {"fen": "8/8"}});
    let reply = client
        .ask(json!({"id": "a", "call": "call", "param": bad}))
        .await;
    assert_eq!(
        (&reply["response"], &reply["id"]),
        (&json!("error"), &json!("a"))
    );
}

#[tokio::test]
async fn feeds_and_sockets_are_counted() {
    let (hub, _) = hub_of_one();
    let mut session = crate::session::SocketSession::new(hub.clone());
    for feed in 0..=crate::session::FEEDS {
        session.receive(
            &json!({"id": 1, "call": "subscribe", "param": {"feed": "eboardevent", "id": feed,
                "param": {"serialnr": "23946"}}})
            .to_string(),
        );
    }
    let refused = session.take_output().pop().unwrap();
    assert!(refused.contains("too many feeds"), "{refused}");
    let address = serve(&hub).await;
    let mut clients = Vec::new();
    for _ in 0..crate::hub::SOCKETS {
        clients.push(Client::connect(address, None).await.unwrap());
    }
    assert!(Client::connect(address, None).await.is_none());
}

#[test]
fn feeds_that_find_moves_are_counted_over_all_sockets() {
    const FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let (hub, _) = hub_of_one();
    let open = |count: usize| {
        let mut session = crate::session::SocketSession::new(hub.clone());
        for feed in 0..count {
            let param = json!({"feed": "eboardevent", "id": feed, "param": {"serialnr": "23946"}});
            let call = json!({"id": 1, "call": "subscribe", "param": param});
            session.receive(&call.to_string());
        }
        session.take_output();
        session
    };
    let set_up = |session: &mut crate::session::SocketSession, feed: usize, fen: &str| {
        let param = json!({"id": feed, "method": "setup", "param": {"fen": fen}});
        session.receive(&json!({"id": 1, "call": "call", "param": param}).to_string());
        session.take_output().remove(0)
    };
    let each = crate::session::SET_UP;
    let mut sessions: Vec<_> = (0..crate::hub::DECODERS / each)
        .map(|_| open(each))
        .collect();
    for session in &mut sessions {
        for feed in 0..each {
            // A refused position takes no place.
            let refused = set_up(session, feed, "8/8");
            assert!(refused.contains("not a legal position"), "{refused}");
            let done = set_up(session, feed, FEN);
            assert!(done.contains(r#""response":"call""#), "{done}");
        }
    }
    let mut late = open(1);
    let refused = set_up(&mut late, 0, FEN);
    assert!(refused.contains("too many feeds find moves"), "{refused}");
    // A feed that has its place keeps it, and may begin another game.
    let again = set_up(&mut sessions[0], 0, FEN);
    assert!(again.contains(r#""response":"call""#), "{again}");
    sessions.pop();
    let done = set_up(&mut late, 0, FEN);
    assert!(done.contains(r#""response":"call""#), "{done}");
}

#[tokio::test]
async fn strange_pages_are_refused_and_known_ones_may_read() {
    let (hub, _) = hub_of_one();
    let address = serve(&hub).await;
    assert!(
        Client::connect(address, Some("https://example.org"))
            .await
            .is_none()
    );
    assert!(Client::connect(address, Some("null")).await.is_none());
    assert!(
        Client::connect(address, Some("https://www.chess.com"))
            .await
            .is_some()
    );
    let get = "GET /api/v1.0/eboards HTTP/1.1\r\nHost: localhost";
    let (head, body) = http(address, get).await;
    assert!(
        head.starts_with("http/1.1 200") && !head.contains("access-control"),
        "{head}"
    );
    let boards: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(boards[0]["serialnr"], "23946");
    assert!(
        body.starts_with("[\n  {\n    \"serialnr\": \"23946\",\n"),
        "{body}"
    );
    let (head, _) = http(address, &format!("{get}\r\nOrigin: https://lichess.org")).await;
    assert!(
        head.contains("access-control-allow-origin: https://lichess.org"),
        "{head}"
    );
    let (head, _) = http(address, &format!("{get}\r\nOrigin: https://example.org")).await;
    assert!(head.starts_with("http/1.1 403"), "{head}");
    let (head, _) = http(
        address,
        "GET /api/v1.0/eboards HTTP/1.1\r\nHost: example.org",
    )
    .await;
    assert!(head.starts_with("http/1.1 403"), "{head}");
    let ask =
        "OPTIONS /api/v1.0/eboards HTTP/1.1\r\nHost: localhost\r\nOrigin: https://lichess.org";
    let (head, _) = http(address, ask).await;
    assert!(
        head.contains("access-control-allow-private-network: true"),
        "{head}"
    );
    let (head, _) = http(
        address,
        "GET /api/v1.0/tournament/x HTTP/1.1\r\nHost: localhost",
    )
    .await;
    assert!(head.starts_with("http/1.1 404"), "{head}");
}

#[tokio::test]
async fn the_list_shows_a_board_that_is_lost_and_found() {
    let (hub, _) = hub_of_one();
    let mut client = Client::connect(serve(&hub).await, None).await.unwrap();
    for (state, listed) in [
        ("offline", "INACTIVE"),
        ("online", "ACTIVE"),
        ("fault", "INACTIVE"),
    ] {
        say(&hub, "availability", &availability(state));
        let boards = client.ask(json!({"id": 1, "call": "eboards"})).await;
        assert_eq!(boards["param"][0]["state"], listed);
    }
    say(&hub, "game", &game("e4"));
    let boards = client.ask(json!({"id": 1, "call": "eboards"})).await;
    assert_eq!(
        boards["param"][0]["board"], START,
        "live squares, not the game's"
    );
}

/// What is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn refused_requests_do_not_fill_the_log() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let (hub, clock) = hub_of_one();
    let address = serve(&hub).await;
    let label = "e".repeat(60_000);
    let page = format!("Host: localhost\r\nOrigin: https://{label}.example");
    let host = format!("Host: {label}.example");
    for _ in 0..2 {
        for headers in [&page, &host] {
            for _ in 0..50 {
                let get = format!("GET /api/v1.0/eboards HTTP/1.1\r\n{headers}");
                let (head, _) = http(address, &get).await;
                assert!(head.starts_with("http/1.1 403"), "{head}");
            }
        }
        clock.advance(10_000);
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for kind in ["livechess.origins", "http.names"] {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(kind)).collect();
        assert_eq!(lines.len(), 2, "{log}");
        assert!(lines.iter().all(|line| line.len() < 400), "{log}");
        assert!(lines[1].contains("49 requests before"), "{log}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_socket_that_answers_no_ping_is_closed() {
    let (hub, _) = hub_of_one();
    let mut silent = TcpStream::connect(serve(&hub).await).await.unwrap();
    let upgrade = "GET /api/v1.0 HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\
        Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
        Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    silent.write_all(upgrade.as_bytes()).await.unwrap();
    let mut received = Vec::new();
    silent.read_to_end(&mut received).await.unwrap();
    let ping = [0x89, 0];
    assert!(received.starts_with(b"HTTP/1.1 101"), "{received:?}");
    assert!(received.ends_with(&ping), "{received:?}");
    assert_eq!(hub.free_sockets(), crate::hub::SOCKETS);
}
