//! The server: who may push, how often, and what it answers.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{Request, Response, StatusCode, header},
};
use bytes::Bytes;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::chapter::{Chapter, split};
use remisd_transport::{Transport, TransportError};

/// The token that it knows.
pub const TOKEN: &str = "lip_known";
/// A client must leave this between two requests; a test server's clock may be a little late.
const PACE: Duration = Duration::from_millis(990);
const AFTER_TOO_MANY: Duration = Duration::from_mins(1);
const MOST_BYTES: usize = 512 * 1024;
const MOST_GAMES: usize = 100;

/// What clients have done that they should not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Breaches {
    /// A request began before the one before was answered.
    pub overlap: u32,
    /// Two requests within a second.
    pub rate: u32,
    /// A request less than a minute after a 429.
    pub impatience: u32,
    /// Games in another order than before.
    pub order: u32,
    /// Too many bytes or games.
    pub size: u32,
    /// A game without an id, or one that was written over the game of another board.
    pub unknown: u32,
    /// Anything but plain text.
    pub kind: u32,
}

/// What a faulty server does with requests for a round or a tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It answers 400, and repeats the request's headers.
    Echo,
    /// It takes no game, and the error of each repeats the request's headers.
    EchoInGames,
    /// It answers 200 with a page.
    Page,
    /// It answers 429.
    TooMany,
    /// It refuses the last game of a push.
    LastGame,
    /// It creates no round, and answers with the id of its first one.
    KnownId,
}

/// A Lichess for tests. Clones are the same server.
#[derive(Debug, Clone, Default)]
pub struct Fake(Arc<Mutex<Server>>);

#[derive(Debug, Default)]
struct Server {
    rounds: BTreeMap<String, Round>,
    breaches: Breaches,
    busy: bool,
    /// How many requests it answers with 429.
    too_many: u32,
    /// Whether it cannot be reached.
    down: bool,
    last: Option<Instant>,
    last_too_many: Option<Instant>,
    pushes: u32,
    resets: u32,
    created: u32,
    /// How many answers are lost after the request was carried out.
    lost: u32,
    /// By the id of a round or a tournament.
    faults: BTreeMap<String, Fault>,
}

#[derive(Debug, Default)]
struct Round {
    chapters: Vec<Chapter>,
    /// The ids in the order in which they were pushed.
    order: Vec<String>,
    delay: Duration,
    held: Vec<(Instant, Vec<Chapter>)>,
    /// The token's user may not push.
    closed: bool,
    /// It has an address to fetch from.
    fetches: bool,
    finished: bool,
}

impl Fake {
    /// A server with these rounds.
    #[must_use]
    pub fn with_rounds(ids: &[&str]) -> Self {
        let fake = Self::default();
        for id in ids {
            fake.server()
                .rounds
                .insert((*id).to_owned(), Round::default());
        }
        fake
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was done that should not be.
    #[must_use]
    pub fn breaches(&self) -> Breaches {
        self.server().breaches
    }

    /// The number of pushes that were taken.
    #[must_use]
    pub fn pushes(&self) -> u32 {
        self.server().pushes
    }

    /// The number of resets.
    #[must_use]
    pub fn resets(&self) -> u32 {
        self.server().resets
    }

    /// The number of rounds that were created.
    #[must_use]
    pub fn created(&self) -> u32 {
        self.server().created
    }

    /// The ids of all rounds.
    #[must_use]
    pub fn rounds(&self) -> Vec<String> {
        self.server().rounds.keys().cloned().collect()
    }

    /// Carries out the next requests, and loses their answers.
    pub fn lose_answers(&self, requests: u32) {
        self.server().lost = requests;
    }

    /// The games of a round.
    #[must_use]
    pub fn chapters(&self, round: &str) -> Vec<Chapter> {
        let mut server = self.server();
        let Some(round) = server.rounds.get_mut(round) else {
            return Vec::new();
        };
        round.apply_due();
        round.chapters.clone()
    }

    /// Answers the next requests with 429.
    pub fn refuse(&self, requests: u32) {
        self.server().too_many = requests;
    }

    /// Gives a round or a tournament a fault, or takes it away.
    pub fn spoil(&self, id: &str, fault: Option<Fault>) {
        let mut server = self.server();
        match fault {
            Some(fault) => _ = server.faults.insert(id.to_owned(), fault),
            None => _ = server.faults.remove(id),
        }
    }

    /// Goes away, or comes back.
    pub fn be_down(&self, down: bool) {
        self.server().down = down;
    }

    /// Delays a round.
    pub fn delay(&self, round: &str, delay: Duration) {
        if let Some(round) = self.server().rounds.get_mut(round) {
            round.delay = delay;
        }
    }

    /// Closes a round to the token's user, or gives it an address to fetch from.
    pub fn lock(&self, round: &str, closed: bool, fetches: bool) {
        if let Some(round) = self.server().rounds.get_mut(round) {
            (round.closed, round.fetches) = (closed, fetches);
        }
    }

    /// Whether a round was closed.
    #[must_use]
    pub fn is_finished(&self, round: &str) -> bool {
        self.server()
            .rounds
            .get(round)
            .is_some_and(|round| round.finished)
    }

    /// The server as routes.
    pub fn router(&self) -> Router {
        async fn answer(State(fake): State<Fake>, request: Request<Body>) -> Response<Body> {
            let (head, body) = request.into_parts();
            let body = axum::body::to_bytes(body, 8 * 1024 * 1024)
                .await
                .unwrap_or_default();
            let answer = fake.answer(Request::from_parts(head, body)).await;
            answer.map(Body::from)
        }
        Router::new().fallback(answer).with_state(self.clone())
    }

    async fn answer(&self, request: Request<Bytes>) -> Response<Bytes> {
        if let Some(refused) = self.server().begin() {
            return refused;
        }
        // The time that a request takes.
        sleep(Duration::from_millis(20)).await;
        let mut server = self.server();
        server.busy = false;
        let answer = server.route(&request);
        if server.lost > 0 {
            server.lost -= 1;
            return error(StatusCode::BAD_GATEWAY, "Bad Gateway");
        }
        answer
    }
}

impl Transport for Fake {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        if self.server().down {
            return Err(TransportError::Unreachable("connection refused".to_owned()));
        }
        Ok(self.answer(request).await)
    }
}

impl Server {
    /// Counts breaches of the rates; returns a 429 where Lichess would.
    fn begin(&mut self) -> Option<Response<Bytes>> {
        let now = Instant::now();
        let since = |last: Option<Instant>| last.map(|last| now - last);
        if since(self.last).is_some_and(|since| since < PACE) {
            self.breaches.rate += 1;
        }
        if since(self.last_too_many).is_some_and(|since| since < AFTER_TOO_MANY) {
            self.breaches.impatience += 1;
        }
        self.last = Some(now);
        let overlaps = self.busy;
        if overlaps {
            self.breaches.overlap += 1;
        }
        if overlaps || self.too_many > 0 {
            self.too_many = self.too_many.saturating_sub(1);
            self.last_too_many = Some(now);
            return Some(error(StatusCode::TOO_MANY_REQUESTS, "Too many requests"));
        }
        self.busy = true;
        None
    }

    fn route(&mut self, request: &Request<Bytes>) -> Response<Bytes> {
        let header = |name| {
            request
                .headers()
                .get(name)
                .and_then(|value| value.to_str().ok())
        };
        let token = header(header::AUTHORIZATION).and_then(|text| text.strip_prefix("Bearer "));
        if token != Some(TOKEN) {
            return error(StatusCode::UNAUTHORIZED, "No such token");
        }
        let path: Vec<&str> = request.uri().path().split('/').skip(1).collect();
        let of = path.len().checked_sub(2).and_then(|at| path.get(at));
        let fault = of.and_then(|id| self.faults.get(*id)).copied();
        let echo = format!("you sent\r\nAuthorization: Bearer {TOKEN}\r\n\u{1b}[31mtwice: {TOKEN}");
        match fault {
            Some(Fault::Echo) => return error(StatusCode::BAD_REQUEST, &echo),
            Some(Fault::EchoInGames) => {
                let games = split(&String::from_utf8_lossy(request.body()));
                let games = games
                    .iter()
                    .map(|_| json!({"tags": {"A": "b"}, "error": echo}));
                return ok(&json!({"games": games.collect::<Vec<_>>()}));
            }
            Some(Fault::Page) => return ok(&json!(format!("<html>{echo}"))),
            Some(Fault::TooMany) => {
                self.last_too_many = Some(Instant::now());
                return error(StatusCode::TOO_MANY_REQUESTS, "Too many requests");
            }
            Some(Fault::KnownId) => {
                let first = self.rounds.keys().next();
                return ok(&json!({"round": {"id": first}}));
            }
            Some(Fault::LastGame) | None => {}
        }
        match path[..] {
            ["broadcast", _, "new"] => {
                let form = String::from_utf8_lossy(request.body());
                if !form.contains("syncSource=push") || !form.contains("rated=") {
                    return error(StatusCode::BAD_REQUEST, "rated and syncSource are needed");
                }
                self.created += 1;
                let id = format!("new{:05}", self.rounds.len());
                self.rounds.insert(id.clone(), Round::default());
                ok(&json!({"round": {"id": id}, "tour": {}, "study": {}}))
            }
            ["broadcast", "round", id, "edit"] => match self.rounds.get_mut(id) {
                None => error(StatusCode::NOT_FOUND, "Not found"),
                Some(round) => {
                    round.finished |= request.body().starts_with(b"status=finished");
                    ok(&json!({"ok": true}))
                }
            },
            ["api", "broadcast", "round", id, verb] => {
                let plain = header(header::CONTENT_TYPE)
                    .is_some_and(|kind| kind == "text/plain" || kind.starts_with("text/plain;"));
                let Some(round) = self.rounds.get_mut(id) else {
                    return error(StatusCode::NOT_FOUND, "Not found");
                };
                if round.closed {
                    return error(StatusCode::FORBIDDEN, "You are not a contributor");
                }
                if verb == "reset" {
                    self.resets += 1;
                    *round = Round {
                        delay: round.delay,
                        ..Round::default()
                    };
                    return ok(&json!({"ok": true}));
                }
                if !plain {
                    self.breaches.kind += 1;
                    return error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Expected text/plain");
                }
                if request.body().len() >= MOST_BYTES {
                    self.breaches.size += 1;
                    return error(StatusCode::PAYLOAD_TOO_LARGE, "Request Entity Too Large");
                }
                if round.fetches {
                    let error = "The relay has an upstream URL, and cannot be pushed to.";
                    return ok(&json!({"games": [{"tags": {}, "error": error}]}));
                }
                let body = String::from_utf8_lossy(request.body()).into_owned();
                self.pushes += 1;
                if fault != Some(Fault::LastGame) {
                    return ok(&round.push(&body, &mut self.breaches));
                }
                let mut games = split(&body);
                games.pop();
                let mut answer = round.push(&games.join("\n\n"), &mut self.breaches);
                if let Some(entries) = answer["games"].as_array_mut() {
                    entries.push(json!({"tags": {}, "error": "Internal error, try again"}));
                }
                ok(&answer)
            }
            _ => error(StatusCode::NOT_FOUND, "Not found"),
        }
    }
}

impl Round {
    fn push(&mut self, body: &str, breaches: &mut Breaches) -> Value {
        self.apply_due();
        let mut texts = split(body);
        if texts.len() > MOST_GAMES {
            breaches.size += 1;
            texts.truncate(MOST_GAMES);
        }
        let mut entries = Vec::new();
        let mut games = Vec::new();
        let mut ids = Vec::new();
        for text in texts {
            match Chapter::read(&text) {
                Err((tags, error)) => {
                    ids.extend(tags.get("GameId").cloned());
                    entries.push(json!({"tags": tags, "error": error}));
                }
                Ok(game) => {
                    entries.push(json!({"tags": game.tags, "moves": game.moves.len()}));
                    if !game.is_dropped() {
                        breaches.unknown += u32::from(game.tag("GameId").is_none());
                        ids.extend(game.tag("GameId").map(str::to_owned));
                        games.push(game);
                    }
                }
            }
        }
        let known = ids
            .iter()
            .filter_map(|id| self.order.iter().position(|other| other == id));
        breaches.order += u32::from(!known.is_sorted());
        // A new id stands before the one that follows it: a changed pairing has another one.
        let mut next = self.order.len();
        for id in ids.into_iter().rev() {
            match self.order.iter().position(|other| *other == id) {
                Some(at) => next = at,
                None => self.order.insert(next, id),
            }
        }
        let moved = games.iter().any(|game| !game.moves.is_empty());
        if moved && !self.delay.is_zero() {
            let due = Instant::now() + self.delay.saturating_sub(Duration::from_secs(1));
            self.held.push((due, games));
        } else {
            self.apply(games, breaches);
        }
        json!({ "games": entries })
    }

    fn apply_due(&mut self) {
        while self
            .held
            .first()
            .is_some_and(|(due, _)| *due <= Instant::now())
        {
            let (_, games) = self.held.remove(0);
            self.apply(games, &mut Breaches::default());
        }
    }

    fn apply(&mut self, games: Vec<Chapter>, breaches: &mut Breaches) {
        let mut games: Vec<Option<Chapter>> = games.into_iter().map(Some).collect();
        for chapter in &mut self.chapters {
            let same = |game: &&mut Option<Chapter>| {
                game.as_ref().is_some_and(|game| chapter.is_same_game(game))
            };
            let found = games.iter_mut().find(same).and_then(Option::take);
            if let Some(game) = found {
                breaches.unknown += u32::from(chapter.board() != game.board());
                chapter.update(game);
            }
        }
        self.chapters.extend(games.into_iter().flatten());
    }
}

fn ok(body: &Value) -> Response<Bytes> {
    answer(StatusCode::OK, body)
}

fn error(status: StatusCode, text: &str) -> Response<Bytes> {
    answer(status, &json!({ "error": text }))
}

fn answer(status: StatusCode, body: &Value) -> Response<Bytes> {
    let mut response = Response::new(Bytes::from(body.to_string()));
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}
