//! Who plays at the boards of a `LiveChess`, as its tournaments say over HTTP.
//!
//! ```text
//! GET /api/v1.0/tournaments     [{"uuid":U,"rounds":9,…},…]
//! GET /api/v1.0/tournament/U    {"name":…,"eboards":["23946",…],…}   a board for each pairing
//! GET /api/v1.0/round/U/0       {"pairings":[{"nr":1,"white":{…},"live":true,"result":null},…],…}
//! GET /api/v1.0/game/P          {"moves":["e4 63","e5"],"chess960":518,…}   P is that of a pairing
//! ```
//!
//! A board has the pairing that is being played, `live` and without a result. What comes next is not
//! known: results are often not entered, and old tournaments stay. The facts are those of clients of
//! `LiveChess` 2.2; every field but those that are needed may be missing.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, StatusCode, header};
use remisd_game::Account;
use remisd_transport::{Transport, TransportError};
use remisd_vocabulary::text::OneLine;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};

use super::moves::{OwnMoves, common, read_moves};

/// How often the tournaments are read.
const ASK: Duration = Duration::from_secs(10);
/// The most tournaments that are read.
const TOURNAMENTS: usize = 64;
/// The most rounds of a tournament that are read.
const ROUNDS: u32 = 99;
/// The number of the usual starting position in Chess960.
const USUAL: u32 = 518;
/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;
/// The most characters of a tag: they fit the 255 bytes of PGN.
const LONGEST: usize = 60;

/// A pairing that is being played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairing {
    /// Its id in `LiveChess`.
    pub id: String,
    /// Its PGN tags: `Event`, `Site`, `Date`, `Round`, and those of the players.
    pub tags: BTreeMap<String, String>,
}

/// Why the tournaments cannot be read.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("it answers {0}")]
    Status(StatusCode),
    #[error("its answer has more than {LONGEST_ANSWER} bytes")]
    TooLong,
    #[error("its answer is not that of a tournament: {0}")]
    Form(#[from] serde_json::Error),
    #[error("the address cannot be requested: {0}")]
    Address(#[from] http::Error),
}

#[derive(Debug, Deserialize)]
struct Summary {
    uuid: String,
    rounds: u32,
}

#[derive(Debug, Deserialize)]
struct Tournament {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    location: Option<String>,
    /// The serial number of the board of each pairing.
    eboards: Vec<Option<String>>,
}

#[derive(Debug, Deserialize)]
struct Round {
    #[serde(default)]
    date: Option<String>,
    /// One that cannot be read takes no other with it.
    pairings: Vec<Value>,
}

#[derive(Debug, Deserialize)]
struct Paired {
    /// From 1.
    nr: usize,
    uuid: String,
    #[serde(default)]
    white: Option<Player>,
    #[serde(default)]
    black: Option<Player>,
    #[serde(default)]
    live: bool,
    #[serde(default)]
    result: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Player {
    #[serde(default)]
    fname: Option<String>,
    #[serde(default)]
    mname: Option<String>,
    #[serde(default)]
    lname: Option<String>,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    fideid: Option<String>,
}

#[derive(Debug, Deserialize)]
struct PairedGame {
    /// The move in SAN, then perhaps the time left and the time used.
    moves: Vec<String>,
    /// The number of the starting position; 518 is the usual one.
    #[serde(default)]
    chess960: Option<u32>,
}

/// A board whose pairing is read.
#[derive(Debug)]
pub(super) struct PairedBoard {
    pub(super) serial: String,
    /// Shows its pairing.
    pub(super) pairing: watch::Sender<Option<Pairing>>,
    /// Shows the game that `LiveChess` has for the pairing. Without a receiver it is not read.
    pub(super) moves: watch::Sender<OwnMoves>,
}

/// A pairing, and the game that `LiveChess` has for it if that is read.
#[derive(Debug)]
struct ReadPairing {
    pairing: Pairing,
    game: Option<Account>,
}

/// The pairings of the boards of a `LiveChess`.
#[derive(Debug)]
pub(super) struct Pairings<T> {
    transport: T,
    /// `http://127.0.0.1:1982`.
    host: String,
    boards: Vec<PairedBoard>,
    /// What was read last, by serial number. Only what is read twice is shown.
    last: BTreeMap<String, ReadPairing>,
}

impl<T: Transport> Pairings<T> {
    /// Those of these boards, by serial number. `url` is that of the WebSocket without a path.
    pub(super) fn new(transport: T, url: &str, boards: Vec<PairedBoard>) -> Self {
        let host = url.strip_prefix("ws").unwrap_or(url);
        Self {
            transport,
            host: format!("http{host}"),
            boards,
            last: BTreeMap::new(),
        }
    }

    /// Reads them for ever.
    pub(super) async fn follow(mut self) {
        let mut asks = interval(ASK);
        asks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut logged = None;
        loop {
            asks.tick().await;
            let error = match self.read().await {
                Ok(read) => {
                    self.show(read);
                    None
                }
                Err(error) => Some(error.to_string()),
            };
            if let Some(error) = error.as_ref().filter(|_| logged != error) {
                tracing::info!(
                    host = self.host,
                    "the tournaments of LiveChess are not read: {error}"
                );
            }
            logged = error;
        }
    }

    /// Shows what was read the same twice, also that a board has no pairing any more.
    fn show(&mut self, read: BTreeMap<String, ReadPairing>) {
        for board in &self.boards {
            let (before, now) = (self.last.get(&board.serial), read.get(&board.serial));
            let pairing = now.map(|now| &now.pairing);
            if before.map(|before| &before.pairing) != pairing {
                continue;
            }
            board.pairing.send_if_modified(|shown| {
                let is_news = shown.as_ref() != pairing;
                *shown = pairing.cloned();
                is_news
            });
            let games = before.zip(now);
            let games = games.and_then(|(before, now)| before.game.as_ref().zip(now.game.as_ref()));
            let game = games.map(|(before, now)| Arc::new(common(before, now)));
            board.moves.send_if_modified(|own| {
                let is_news = own.paired != game;
                own.paired = game;
                is_news
            });
        }
        self.last = read;
    }

    /// Reads the pairing of each board that has one. A tournament, a round or a game that cannot be
    /// read takes no other with it.
    async fn read(&self) -> Result<BTreeMap<String, ReadPairing>, Unread> {
        let listed: Vec<Value> = self.get("tournaments").await?;
        let listed = listed.iter();
        let listed = listed.filter_map(|summary| Summary::deserialize(summary).ok());
        let mut played: BTreeMap<String, Vec<Pairing>> = BTreeMap::new();
        for Summary { uuid, rounds } in listed.take(TOURNAMENTS).filter(|one| is_id(&one.uuid)) {
            match self.read_tournament(&uuid, rounds).await {
                Ok(of) => {
                    for (serial, pairing) in of {
                        played.entry(serial).or_default().push(pairing);
                    }
                }
                Err(error) => tracing::debug!(uuid, "a tournament of LiveChess: {error}"),
            }
        }
        let mut read = BTreeMap::new();
        for (serial, mut of) in played {
            // Two tournaments in which one board is being played leave it open.
            if let (Some(pairing), true) = (of.pop(), of.is_empty()) {
                let game = self.read_game(&serial, &pairing.id).await;
                read.insert(serial, ReadPairing { pairing, game });
            }
        }
        Ok(read)
    }

    /// Reads the game of a pairing, if somebody looks at it.
    async fn read_game(&self, serial: &str, id: &str) -> Option<Account> {
        let mut boards = self.boards.iter();
        let board = boards.find(|board| board.serial == serial)?;
        if board.moves.is_closed() {
            return None;
        }
        let read: Result<PairedGame, Unread> = self.get(&format!("game/{id}")).await;
        let game = read.inspect_err(|error| tracing::debug!(id, "a game of LiveChess: {error}"));
        let game = game.ok()?;
        let is_usual = game.chess960.is_none_or(|number| number == USUAL);
        let words = game.moves.iter();
        let words = words.map(|text| text.split(' ').next().unwrap_or_default());
        read_moves(None, words).filter(|_| is_usual)
    }

    /// Reads the pairings of a tournament that are being played at our boards. If two rounds have
    /// one for a board, the later one counts.
    async fn read_tournament(
        &self,
        uuid: &str,
        rounds: u32,
    ) -> Result<BTreeMap<String, Pairing>, Unread> {
        let tournament: Tournament = self.get(&format!("tournament/{uuid}")).await?;
        let places = self.boards.iter().filter_map(|board| {
            let serial = &board.serial;
            let mut boards = tournament.eboards.iter();
            let place = boards.position(|board| board.as_deref() == Some(serial))?;
            Some((place + 1, serial))
        });
        let places: BTreeMap<usize, &String> = places.collect();
        let mut played = BTreeMap::new();
        let rounds = if places.is_empty() {
            0
        } else {
            rounds.min(ROUNDS)
        };
        for round in 0..rounds {
            let read: Round = match self.get(&format!("round/{uuid}/{round}")).await {
                Ok(read) => read,
                Err(error) => {
                    tracing::debug!(uuid, round, "a round of LiveChess: {error}");
                    continue;
                }
            };
            let pairings = read.pairings.iter();
            for paired in pairings.filter_map(|paired| Paired::deserialize(paired).ok()) {
                let is_open = paired.result.as_deref().is_none_or(|result| result == "*");
                let is_played = paired.live && is_open && is_id(&paired.uuid);
                let tags = tournament.tags(round, read.date.as_deref(), &paired);
                if let Some(serial) = places.get(&paired.nr).filter(|_| is_played)
                    && let Some(tags) = tags
                {
                    let id = paired.uuid;
                    played.insert((*serial).clone(), Pairing { id, tags });
                }
            }
        }
        Ok(played)
    }

    async fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, Unread> {
        let request = Request::get(format!("{}/api/v1.0/{path}", self.host))
            .header(header::ACCEPT, "application/json")
            .body(Bytes::new())?;
        let answer = self.transport.send(request).await?;
        if !answer.status().is_success() {
            return Err(Unread::Status(answer.status()));
        }
        if answer.body().len() > LONGEST_ANSWER {
            return Err(Unread::TooLong);
        }
        Ok(serde_json::from_slice(answer.body())?)
    }
}

impl Tournament {
    /// The tags of a pairing, if both players have a name.
    fn tags(
        &self,
        round: u32,
        date: Option<&str>,
        pairing: &Paired,
    ) -> Option<BTreeMap<String, String>> {
        let (white, black) = (pairing.white.as_ref()?, pairing.black.as_ref()?);
        let event = self.name.as_deref().filter(|name| !name.trim().is_empty());
        let mut tags = BTreeMap::new();
        let mut add = |name: &str, value: &str| {
            let value = OneLine::bounded(value, LONGEST);
            if !value.as_str().is_empty() {
                tags.insert(name.to_owned(), value.as_str().to_owned());
            }
        };
        add("White", &white.name()?);
        add("Black", &black.name()?);
        add(
            "Event",
            event.or(self.description.as_deref()).unwrap_or_default(),
        );
        add("Site", self.location.as_deref().unwrap_or_default());
        add("Round", &(round + 1).to_string());
        add("Date", &date.and_then(pgn_date).unwrap_or_default());
        for (color, player) in [("White", white), ("Black", black)] {
            let title = player.title.as_deref().unwrap_or_default();
            add(&format!("{color}Title"), title);
            let id = player.fideid.as_deref().unwrap_or_default();
            let is_number = !id.is_empty() && id.bytes().all(|digit| digit.is_ascii_digit());
            add(&format!("{color}FideId"), if is_number { id } else { "" });
        }
        Some(tags)
    }
}

impl Player {
    /// The name as PGN writes it: `Last, First Middle`.
    fn name(&self) -> Option<String> {
        let part = |part: &Option<String>| {
            let part = OneLine::new(part.as_deref().unwrap_or_default());
            (!part.as_str().is_empty()).then(|| part.as_str().to_owned())
        };
        let given = [part(&self.fname), part(&self.mname)];
        let given: Vec<String> = given.into_iter().flatten().collect();
        match (part(&self.lname), given.join(" ")) {
            (None, given) if given.is_empty() => None,
            (None, given) => Some(given),
            (Some(last), given) if given.is_empty() => Some(last),
            (Some(last), given) => Some(format!("{last}, {given}")),
        }
    }
}

/// A date as PGN writes it, from one that begins `2026-11-29`.
fn pgn_date(date: &str) -> Option<String> {
    let day: jiff::civil::Date = date.get(..10)?.parse().ok()?;
    Some(day.strftime("%Y.%m.%d").to_string())
}

/// Whether a text may be the id of a tournament or a pairing, and part of an address.
fn is_id(id: &str) -> bool {
    (1..=64).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-')
}
