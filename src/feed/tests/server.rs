//! A web server that answers byte for byte as a test wants it.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, tcp::OwnedWriteHalf},
    sync::mpsc,
};

/// Lets this time pass in a moment.
pub(super) async fn passes(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// Reads the head of a request from a connection; `None` at its end.
async fn request(connection: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let byte = connection.read_u8().await.ok()?;
        head.push(byte.to_ascii_lowercase());
    }
    Some(String::from_utf8(head).unwrap())
}

/// Gives the same answer until there is another one.
pub(super) struct Server {
    address: String,
    answers: Arc<Mutex<Answers>>,
    requests: Arc<Mutex<Vec<String>>>,
}

#[derive(Default)]
struct Answers {
    /// Never any if `None`.
    usual: Option<String>,
    /// To a request with a token, if that is another one.
    to_token: Option<String>,
}

fn answer(head: &str, body: &str) -> String {
    let head = head.replace('\n', "\r\n");
    format!("HTTP/1.1 {head}\r\nconnection: close\r\n\r\n{body}")
}

impl Server {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            address: format!("http://{}", listener.local_addr().unwrap()),
            answers: Arc::default(),
            requests: Arc::default(),
        };
        let (answers, requests) = (server.answers.clone(), server.requests.clone());
        tokio::spawn(async move {
            let mut unanswered = Vec::new();
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                let Some(head) = request(&mut connection).await else {
                    continue;
                };
                let answer = {
                    let answers = answers.lock().unwrap();
                    let to_token = answers.to_token.clone();
                    let to_token = to_token.filter(|_| head.contains("\r\nauthorization:"));
                    to_token.or_else(|| answers.usual.clone())
                };
                requests.lock().unwrap().push(head);
                match answer {
                    Some(answer) => _ = connection.write_all(answer.as_bytes()).await,
                    None => unanswered.push(connection),
                }
            }
        });
        server
    }

    /// An address on this server.
    pub(super) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }

    /// Answers with these lines of a head, and this body.
    pub(super) fn answers(&self, head: &str, body: &str) {
        self.answers.lock().unwrap().usual = Some(answer(head, body));
    }

    /// Answers this to requests with a token.
    pub(super) fn answers_tokens(&self, head: &str) {
        self.answers.lock().unwrap().to_token = Some(answer(head, ""));
    }

    /// Takes requests and never answers.
    pub(super) fn hangs(&self) {
        self.answers.lock().unwrap().usual = None;
    }

    /// Answers with a whole text and these further lines of the head.
    pub(super) fn serves(&self, head: &str, body: &str) {
        self.answers(
            &format!("200 OK\ncontent-length: {}{head}", body.len()),
            body,
        );
    }

    /// How many requests have come.
    pub(super) fn requests(&self) -> usize {
        self.requests.lock().unwrap().len()
    }

    /// The head of the last request, in small letters.
    pub(super) fn last_request(&self) -> String {
        self.requests.lock().unwrap().last().unwrap().clone()
    }
}

/// A server whose answers go on and on.
pub(super) struct StreamServer {
    pub(super) address: String,
    streams: mpsc::Receiver<Stream>,
}

/// An answer that has begun; it ends when this is dropped.
pub(super) struct Stream(OwnedWriteHalf);

impl StreamServer {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, streams) = mpsc::channel(8);
        tokio::spawn(async move {
            loop {
                let (mut connection, _) = listener.accept().await.unwrap();
                request(&mut connection).await.unwrap();
                let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\
                    content-type: application/x-chess-pgn\r\n\r\n";
                connection.write_all(head.as_bytes()).await.unwrap();
                let (_, writer) = connection.into_split();
                if accepted.send(Stream(writer)).await.is_err() {
                    return;
                }
            }
        });
        Self {
            address: format!("http://{address}/api/stream/broadcast/round/AbCd1234.pgn"),
            streams,
        }
    }

    /// Waits for the next connection.
    pub(super) async fn next(&mut self) -> Stream {
        self.streams.recv().await.unwrap()
    }

    /// Whether another connection has come.
    pub(super) fn newer(&mut self) -> Option<Stream> {
        self.streams.try_recv().ok()
    }
}

impl Stream {
    /// Sends a part of the body.
    pub(super) async fn sends(&mut self, text: &str) {
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        self.0.write_all(chunk.as_bytes()).await.unwrap();
    }
}
