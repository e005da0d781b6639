//! What web pages do: one that asks for moves, and one that finds them in the squares.

use futures_util::{SinkExt as _, StreamExt as _};
use remisd_testkit::{PATIENCE, poll::poll};
use remisd_vocabulary::notation::MoveText;
use serde_json::{Value, json};
use shakmaty::{Chess, Position as _, fen::Fen};
use tokio::{
    net::TcpStream,
    time::{Instant, timeout},
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest as _, http::HeaderValue},
};

/// The socket of a page.
struct Socket(WebSocketStream<MaybeTlsStream<TcpStream>>);

impl Socket {
    /// Connects as a page of this site, and subscribes to the first board.
    async fn open(port: u16, origin: &'static str) -> Self {
        let refused = || format!("no WebSocket on port {port} for {origin}");
        let socket = poll(PATIENCE, refused, async || {
            let address = format!("ws://127.0.0.1:{port}/api/v1.0");
            let mut request = address.into_client_request().unwrap();
            let headers = request.headers_mut();
            headers.insert("Origin", HeaderValue::from_static(origin));
            let (socket, _) = connect_async(request).await.ok()?;
            Some(socket)
        });
        let mut page = Self(socket.await);
        let until = Instant::now() + PATIENCE;
        // The API reads the broker on its own: it may receive the board a moment later than others.
        let first = loop {
            page.send(&json!({"id": 1, "call": "eboards"})).await;
            let boards = page.receive().await;
            let envelope = (&boards["response"], &boards["id"]);
            assert_eq!(envelope, (&json!("call"), &json!(1)));
            let first = &boards["param"][0];
            if first["state"] == "ACTIVE" {
                break first.clone();
            }
            assert!(Instant::now() < until, "{boards}");
        };
        let board = json!({"serialnr": first["serialnr"]});
        let feed = json!({"feed": "eboardevent", "id": 1, "param": board});
        page.send(&json!({"id": 2, "call": "subscribe", "param": feed}))
            .await;
        assert_eq!(page.receive().await["id"], 2);
        page
    }

    async fn send(&mut self, request: &Value) {
        let text = Message::text(request.to_string());
        self.0.send(text).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        loop {
            let message = timeout(PATIENCE, self.0.next()).await.unwrap();
            if let Message::Text(text) = message.unwrap().unwrap() {
                let message: Value = serde_json::from_str(&text).unwrap();
                assert_ne!(message["response"], "error", "{message}");
                return message;
            }
        }
    }
}

/// A page like the one of lichess.org for boards: it names the position, and new moves are those by
/// which `san` grows.
pub struct Page(Socket);

impl Page {
    /// Opens the page for a game from this position.
    pub async fn open(port: u16, fen: &str) -> Self {
        let mut socket = Socket::open(port, "https://lichess.org").await;
        let setup = json!({"id": 1, "method": "setup", "param": {"fen": fen}});
        let call = json!({"id": 3, "call": "call", "param": setup});
        socket.send(&call).await;
        Self(socket)
    }

    /// The moves, as soon as there is this number of them.
    pub async fn moves(&mut self, count: usize) -> Vec<String> {
        let mut moves: Vec<String> = Vec::new();
        while moves.len() < count {
            let message = self.0.receive().await;
            let Some(san) = message["param"]["san"].as_array() else {
                continue;
            };
            for san in san.iter().skip(moves.len()) {
                moves.push(san.as_str().unwrap().to_owned());
            }
        }
        moves
    }
}

/// A page that reads `board` alone: a move is made when the squares show the position after it, or
/// after it and one more.
pub struct SquaresAlone {
    socket: Socket,
    position: Chess,
}

impl SquaresAlone {
    /// Opens the page for a game from the start.
    pub async fn open(port: u16) -> Self {
        Self {
            socket: Socket::open(port, "https://www.chess.com").await,
            position: Chess::default(),
        }
    }

    /// The moves, as soon as there is this number of them.
    pub async fn moves(&mut self, count: usize) -> Vec<String> {
        let mut moves = Vec::new();
        while moves.len() < count {
            let message = self.socket.receive().await;
            if let Some(board) = message["param"]["board"].as_str() {
                moves.extend(self.find(board));
            }
        }
        moves
    }

    fn find(&mut self, board: &str) -> Vec<String> {
        let shown: Fen = format!("{board} w - - 0 1").parse().unwrap();
        let shown = &shown.as_setup().board;
        for m in self.position.legal_moves() {
            let mut after = self.position.clone();
            after.play_unchecked(m);
            let text = MoveText::new(m, &self.position).san;
            if after.board() == shown {
                self.position = after;
                return vec![text];
            }
            for reply in after.legal_moves() {
                let mut last = after.clone();
                last.play_unchecked(reply);
                if last.board() == shown {
                    let reply = MoveText::new(reply, &after).san;
                    self.position = last;
                    return vec![text, reply];
                }
            }
        }
        Vec::new()
    }
}
