//! Every exit to the public, watched for as long as the test lasts. A daemon that is killed closes
//! the connections; they are opened again.

use std::{
    collections::HashMap,
    fs, future,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::Request,
    http::StatusCode,
    middleware::{self, Next},
};
use futures_util::{SinkExt as _, StreamExt as _};
use jiff::Timestamp;
use remisd_testkit::witness::Witness;
use remisd_vocabulary::time::{Clock as _, SystemClock};
use serde_json::{Value, json};
use tokio::{
    net::TcpListener,
    sync::watch,
    task::JoinSet,
    time::{interval, sleep},
};
use tokio_tungstenite::{connect_async, tungstenite::Message};

use super::get;

/// How often an exit without notifications is polled.
const POLL: Duration = Duration::from_millis(20);

/// What an exit showed.
#[derive(Debug, Clone)]
pub struct Sighting {
    /// The exit.
    pub exit: &'static str,
    /// When it was seen: it left before.
    pub at: Timestamp,
    /// What was seen.
    pub text: String,
}

/// All sightings so far; a handle.
#[derive(Clone)]
pub struct Sightings {
    all: Arc<Mutex<Vec<Sighting>>>,
    clock: Arc<SystemClock>,
    news: watch::Sender<()>,
}

impl Sightings {
    /// Nothing was seen.
    pub fn new() -> Self {
        Self {
            all: Arc::default(),
            clock: Arc::new(SystemClock::new()),
            news: watch::Sender::new(()),
        }
    }

    /// Notes what an exit shows now.
    pub fn note(&self, exit: &'static str, text: impl Into<String>) {
        let (at, text) = (self.clock.now(), text.into());
        self.all.lock().unwrap().push(Sighting { exit, at, text });
        self.news.send_replace(());
    }

    /// All of them, in their order.
    pub fn all(&self) -> Vec<Sighting> {
        self.all.lock().unwrap().clone()
    }

    /// A receiver that is notified of each.
    pub fn listen(&self) -> watch::Receiver<()> {
        self.news.subscribe()
    }
}

/// Where the exits are.
pub struct Exits {
    /// The folder of the games.
    pub folder: PathBuf,
    /// The port of the pages.
    pub pages: u16,
    /// The port of the `LiveChess` API.
    pub livechess: u16,
    /// The broker.
    pub broker: SocketAddr,
}

/// The names of all exits.
pub const ALL: [&str; 8] = [
    "folder",
    "http",
    "lichess",
    "upload",
    "mqtt",
    "overlay",
    "livechess socket",
    "livechess http",
];

/// Starts to watch all exits but those to which the daemon connects.
pub async fn watch(exits: Exits, sightings: &Sightings, tasks: &mut JoinSet<()>) {
    let public = Witness::watch(exits.broker, &["chess/v1/+/public/#"]).await;
    tasks.spawn(topics(public.checking(), sightings.clone()));
    tasks.spawn(files(exits.folder, sightings.clone()));
    tasks.spawn(games(exits.pages, sightings.clone()));
    let feed = format!("ws://127.0.0.1:{}/feed?audience=public", exits.pages);
    tasks.spawn(socket("overlay", feed, &[], sightings.clone()));
    let boards = format!("ws://127.0.0.1:{}/api/v1.0", exits.livechess);
    let feed = json!({"feed": "eboardevent", "id": 1, "param": {"serialnr": "b1"}});
    let requests = [
        json!({"id": 1, "call": "eboards"}).to_string(),
        json!({"id": 2, "call": "subscribe", "param": feed}).to_string(),
    ];
    let requests: &'static [String] = Vec::leak(requests.to_vec());
    tasks.spawn(socket(
        "livechess socket",
        boards,
        requests,
        sightings.clone(),
    ));
    tasks.spawn(tournament(exits.livechess, sightings.clone()));
}

/// A server to which games are pushed; `inner` answers. Returns its address.
pub async fn pushed_to(
    exit: &'static str,
    inner: Router,
    sightings: &Sightings,
    tasks: &mut JoinSet<()>,
) -> SocketAddr {
    let sightings = sightings.clone();
    let router = inner.layer(middleware::from_fn(move |request: Request, next: Next| {
        let sightings = sightings.clone();
        async move {
            let (head, body) = request.into_parts();
            let body = to_bytes(body, 1 << 20).await.unwrap();
            let text = format!("{} {}", head.uri, String::from_utf8_lossy(&body));
            sightings.note(exit, text);
            next.run(Request::from_parts(head, Body::from(body))).await
        }
    }));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tasks.spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

/// A server that takes every file.
pub fn takes_all() -> Router {
    Router::new().fallback(async || StatusCode::CREATED)
}

async fn topics(mut public: Witness, sightings: Sightings) {
    loop {
        for message in public.take() {
            let text = String::from_utf8_lossy(&message.payload);
            sightings.note("mqtt", format!("{} {text}", message.topic));
        }
        if public.listen().changed().await.is_err() {
            return future::pending().await;
        }
        public.news().await;
    }
}

/// Notes a text that differs from the last one with its name.
struct Changes {
    exit: &'static str,
    last: HashMap<String, String>,
    sightings: Sightings,
}

impl Changes {
    fn new(exit: &'static str, sightings: Sightings) -> Self {
        let last = HashMap::new();
        Self {
            exit,
            last,
            sightings,
        }
    }

    fn note(&mut self, name: &str, text: String) {
        if self.last.get(name) != Some(&text) {
            self.sightings.note(self.exit, format!("{name} {text}"));
            self.last.insert(name.to_owned(), text);
        }
    }
}

/// Every file below the folder, drafts included.
async fn files(folder: PathBuf, sightings: Sightings) {
    let mut changes = Changes::new("folder", sightings);
    let mut poll = interval(POLL);
    loop {
        for file in below(&folder) {
            if let Ok(text) = fs::read_to_string(&file) {
                changes.note(&file.to_string_lossy(), text);
            }
        }
        poll.tick().await;
    }
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .flat_map(|path| {
            if path.is_dir() {
                below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

async fn games(port: u16, sightings: Sightings) {
    let mut changes = Changes::new("http", sightings);
    let mut poll = interval(POLL);
    loop {
        for path in ["/pgn/round.pgn", "/pgn/game-1.pgn"] {
            if let Some(text) = get(port, path).await {
                changes.note(path, text);
            }
        }
        poll.tick().await;
    }
}

/// Everything that a socket sends, after these requests.
async fn socket(
    exit: &'static str,
    address: String,
    requests: &'static [String],
    sightings: Sightings,
) {
    loop {
        sleep(POLL).await;
        let Ok((mut socket, _)) = connect_async(&address).await else {
            continue;
        };
        for request in requests {
            socket.send(Message::text(request)).await.ok();
        }
        while let Some(Ok(message)) = socket.next().await {
            if let Message::Text(text) = message {
                sightings.note(exit, text.as_str());
            }
        }
    }
}

/// The pairing and its game. A request for the tournament would keep the answers as they are for
/// two seconds, so it is made only until there is a game.
async fn tournament(port: u16, sightings: Sightings) {
    let ask = async |path: &str| {
        let text = get(port, &format!("/api/v1.0/{path}")).await?;
        serde_json::from_str::<Value>(&text).ok()
    };
    let find = async || {
        let tournaments = ask("tournaments").await?;
        Some(format!("round/{}/0", tournaments[0]["uuid"].as_str()?))
    };
    let mut changes = Changes::new("livechess http", sightings);
    let mut poll = interval(POLL);
    let round = loop {
        if let Some(round) = find().await {
            break round;
        }
        poll.tick().await;
    };
    loop {
        poll.tick().await;
        let Some(pairings) = ask(&round).await else {
            continue;
        };
        // The game is read after the round, so it is at least as new.
        if let Some(uuid) = pairings["pairings"][0]["uuid"].as_str()
            && let Some(game) = ask(&format!("game/{uuid}")).await
        {
            changes.note("game", game.to_string());
        }
        changes.note("round", pairings.to_string());
    }
}
