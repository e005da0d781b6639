//! A browser without a window: requests with a cookie, and feeds.

use std::{fmt::Write as _, net::SocketAddr};

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest as _},
};

use super::{DEADLINE, PATIENCE, poll::poll_port};

/// The response to a request.
#[derive(Debug)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The head, in lower case.
    pub head: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let line = format!("{name}: ");
        self.head
            .lines()
            .find_map(|header| header.strip_prefix(line.as_str()))
    }
}

/// A browser that keeps its cookie.
#[derive(Debug, Clone)]
pub struct Browser {
    server: SocketAddr,
    /// The value of its `Origin` header; `None` omits the header.
    pub origin: Option<String>,
    /// The value of its `Host` header.
    pub host: String,
    cookie: Option<String>,
}

impl Browser {
    /// A browser for this server; waits until the server accepts connections.
    pub async fn of(server: SocketAddr) -> Self {
        poll_port(DEADLINE, || format!("nothing serves {server}"), server).await;
        Self {
            server,
            origin: Some(format!("http://{server}")),
            host: server.to_string(),
            cookie: None,
        }
    }

    /// Sends one request with these further headers.
    pub async fn ask(&mut self, method: &str, path: &str, headers: &str, body: &[u8]) -> Response {
        let headers = format!("{headers}Content-Length: {}\r\n", body.len());
        let mut stream = self.begin(method, path, &headers).await;
        stream.write_all(body).await.ok(); // a refused body may not be read to its end
        self.finish(stream).await
    }

    /// Sends the head of a request with these further headers.
    pub async fn begin(&self, method: &str, path: &str, headers: &str) -> TcpStream {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.host);
        if let Some(origin) = &self.origin {
            write!(head, "Origin: {origin}\r\n").unwrap();
        }
        if let Some(cookie) = &self.cookie {
            write!(head, "Cookie: theme=dark; {cookie}\r\n").unwrap();
        }
        write!(head, "{headers}Connection: close\r\n\r\n").unwrap();
        let mut stream = TcpStream::connect(self.server).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }

    /// Reads the response to a request.
    pub async fn finish(&mut self, mut stream: TcpStream) -> Response {
        let mut answer = Vec::new();
        timeout(DEADLINE, stream.read_to_end(&mut answer))
            .await
            .expect("no answer")
            .ok();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&answer)));
        let head = String::from_utf8_lossy(&answer[..end]).to_string();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let lines = head.lines().map(|line| match line.split_once(": ") {
            Some((name, value)) => format!("{}: {value}\n", name.to_lowercase()),
            None => format!("{line}\n"),
        });
        let answer = Response {
            status,
            head: lines.collect(),
            body: answer[end + 4..].to_vec(),
        };
        if let Some(cookie) = answer.header("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        answer
    }

    /// Sends a `GET` request.
    pub async fn get(&mut self, path: &str) -> Response {
        self.ask("GET", path, "", b"").await
    }

    /// Sends JSON by `POST`.
    pub async fn post(&mut self, path: &str, body: &Value) -> Response {
        let body = body.to_string();
        let json = "Content-Type: application/json\r\n";
        self.ask("POST", path, json, body.as_bytes()).await
    }

    /// Sends a file by `POST`.
    pub async fn post_file(&mut self, path: &str, file: &[u8]) -> Response {
        let bytes = "Content-Type: application/octet-stream\r\n";
        self.ask("POST", path, bytes, file).await
    }

    /// Signs in as a person called Anna.
    pub async fn sign_in(&mut self, role: &str, board: Option<&str>, password: &str) -> Response {
        let user = board.map_or_else(|| role.to_owned(), |board| format!("{board}-{role}"));
        let who = serde_json::json!({
            "role": role, "board": board, "user": user, "password": password, "name": "Anna",
        });
        self.post("/api/session", &who).await
    }

    /// Opens a feed.
    ///
    /// # Errors
    ///
    /// Returns the HTTP status of a refusal.
    pub async fn feed(&self, query: &str) -> Result<Feed, u16> {
        self.feed_at("", query).await
    }

    /// Opens a feed of the site whose pages are in this folder.
    ///
    /// # Errors
    ///
    /// Returns the HTTP status of a refusal.
    pub async fn feed_at(&self, folder: &str, query: &str) -> Result<Feed, u16> {
        let url = format!("ws://{}{folder}/feed?{query}", self.server);
        let mut request = url.into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert("host", self.host.parse().unwrap());
        if let Some(origin) = &self.origin {
            headers.insert("origin", origin.parse().unwrap());
        }
        if let Some(cookie) = &self.cookie {
            headers.insert("cookie", cookie.parse().unwrap());
        }
        match timeout(DEADLINE, connect_async(request))
            .await
            .expect("no answer")
        {
            Ok((socket, _)) => Ok(Feed { socket }),
            Err(Error::Http(answer)) => Err(answer.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }
}

/// An open feed.
#[derive(Debug)]
pub struct Feed {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

impl Feed {
    /// The next frame; `None` at the end of the feed.
    pub async fn next(&mut self) -> Option<Value> {
        let next = async {
            loop {
                match self.socket.next().await {
                    Some(Ok(Message::Text(text))) => {
                        return Some(serde_json::from_str(&text).unwrap());
                    }
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                    Some(Ok(_)) => {}
                }
            }
        };
        timeout(DEADLINE, next).await.expect("the feed is silent")
    }

    /// Reads until a frame fits, or fails at the deadline; heartbeats do not extend it.
    pub async fn until(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        let mut seen = Vec::new();
        let search = async {
            loop {
                let frame = self.next().await.expect("the feed has ended");
                if fits(&frame) {
                    return frame;
                }
                seen.push(frame);
            }
        };
        let found = timeout(PATIENCE, search).await.ok();
        found.unwrap_or_else(|| panic!("no such frame: {seen:#?}"))
    }

    /// All frames up to and including `ready`.
    pub async fn snapshot(&mut self) -> Vec<Value> {
        let mut frames = Vec::new();
        loop {
            let frame = self.next().await.expect("the feed has ended");
            let is_last = frame["type"] == "ready";
            frames.push(frame);
            if is_last {
                return frames;
            }
        }
    }

    /// Sends a text, which the server ignores.
    pub async fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }
}
