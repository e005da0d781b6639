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
//! `LiveChess` 2.2.

#[cfg(test)]
mod tests;
mod tournament;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{Request, StatusCode, header};
use remisd_game::Account;
use remisd_transport::{Transport, TransportError};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use shakmaty::Chess;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};

use self::tournament::{MovesOfGame, Paired, Round, Summary, Tournament, is_id};
use super::reconstruction::{PairedGame, Reconstruction, common, read_moves};

/// How often the tournaments are read.
const ASK: Duration = Duration::from_secs(10);
/// The most tournaments that are read.
const TOURNAMENTS: usize = 64;
/// The most rounds of a tournament that are read.
const ROUNDS: u32 = 99;
/// The longest answer that is read, in bytes.
const LONGEST_ANSWER: usize = 1024 * 1024;

/// A pairing that is being played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pairing {
    /// Its id in `LiveChess`.
    pub id: String,
    /// Its PGN tags: `Event`, `Site`, `Date`, `Round`, and those of the players.
    pub tags: BTreeMap<String, String>,
}

impl Pairing {
    /// The tags that name the players.
    fn players(&self) -> BTreeMap<String, String> {
        let names = ["White", "Black"].into_iter().filter_map(|name| {
            let value = self.tags.get(name)?;
            Some((name.to_owned(), value.clone()))
        });
        names.collect()
    }
}

/// Why the tournaments cannot be read.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("the server answered {0}")]
    Status(StatusCode),
    #[error("the answer has more than {LONGEST_ANSWER} bytes")]
    TooLong,
    #[error("the answer does not describe a tournament: {0}")]
    Form(#[from] serde_json::Error),
    #[error("the address cannot be requested: {0}")]
    Address(#[from] http::Error),
}

impl Unread {
    /// Whether what answers there is no `LiveChess` with tournaments. If nothing answers, that is
    /// not known.
    const fn is_answer(&self) -> bool {
        !matches!(
            self,
            Self::Transport(
                TransportError::Unreachable(_)
                    | TransportError::Certificate(_)
                    | TransportError::Timeout
            )
        )
    }
}

/// A board whose pairing is read.
#[derive(Debug)]
pub(super) struct PairedBoard {
    pub(super) serial: String,
    /// Shows its pairing.
    pub(super) pairing: watch::Sender<Option<Pairing>>,
    /// Shows the game that `LiveChess` has for the pairing. Without a receiver it is not requested.
    pub(super) reconstruction: watch::Sender<Reconstruction>,
}

/// The game that `LiveChess` has for a pairing, as it was read once.
#[derive(Debug)]
struct ReadGame {
    pairing: String,
    game: Account,
}

/// The pairings of the boards of a `LiveChess`.
#[derive(Debug)]
pub(super) struct Pairings<T> {
    transport: T,
    /// `http://127.0.0.1:1982`.
    host: String,
    boards: Vec<PairedBoard>,
    /// What was read last, by serial number. Only what is read twice is shown.
    last: BTreeMap<String, Pairing>,
    last_games: BTreeMap<String, ReadGame>,
    /// Shows which of the boards are in tournaments; `None` until these were read.
    in_tournaments: watch::Sender<Option<BTreeSet<String>>>,
}

/// What the tournaments have of the boards.
#[derive(Debug, Default)]
struct Tournaments {
    /// The boards that have a pairing with names and without a result.
    boards: BTreeSet<String>,
    /// Whether a tournament or a round could not be read.
    lacks_some: bool,
    /// The pairings that are being played, by serial number.
    played: BTreeMap<String, Pairing>,
    /// The games of these, or of the pairings before them, by serial number.
    games: BTreeMap<String, ReadGame>,
}

/// What a tournament has of the boards.
#[derive(Debug, Default)]
struct Places {
    /// By serial number; without boards that have no open pairing.
    places: BTreeMap<String, Place>,
    /// Whether a round could not be read.
    lacks_some: bool,
}

/// What a tournament has of a board.
#[derive(Debug, Default)]
struct Place {
    /// Whether it has a pairing with names and without a result.
    is_open: bool,
    /// The pairing that is being played.
    played: Option<Pairing>,
}

impl<T: Transport> Pairings<T> {
    /// Those of these boards, by serial number. `url` is that of the WebSocket without a path.
    pub(super) fn new(
        transport: T,
        url: &str,
        boards: Vec<PairedBoard>,
        in_tournaments: watch::Sender<Option<BTreeSet<String>>>,
    ) -> Self {
        let host = url.strip_prefix("ws").unwrap_or(url);
        Self {
            transport,
            host: format!("http{host}"),
            boards,
            last: BTreeMap::new(),
            last_games: BTreeMap::new(),
            in_tournaments,
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
                Err(error) => {
                    if error.is_answer() {
                        // A program without tournaments.
                        self.in_tournaments.send_if_modified(|known| {
                            let is_first = known.is_none();
                            known.get_or_insert_default();
                            is_first
                        });
                    }
                    Some(error.to_string())
                }
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
    fn show(&mut self, read: Tournaments) {
        self.show_in_tournaments(read.boards, read.lacks_some);
        for board in &self.boards {
            let pairing = read.played.get(&board.serial);
            if self.last.get(&board.serial) == pairing {
                board.pairing.send_if_modified(|shown| {
                    let is_news = shown.as_ref() != pairing;
                    *shown = pairing.cloned();
                    is_news
                });
            }
            let games = self.last_games.get(&board.serial);
            let games = games.zip(read.games.get(&board.serial));
            let of_one = games.filter(|(before, now)| before.pairing == now.pairing);
            if let Some((before, now)) = of_one {
                let paired = Some(PairedGame {
                    pairing: now.pairing.clone(),
                    game: Arc::new(common(&before.game, &now.game)),
                });
                board.reconstruction.send_if_modified(|shown| {
                    let is_news = shown.paired != paired;
                    shown.paired = paired;
                    is_news
                });
            }
        }
        self.last = read.played;
        self.last_games = read.games;
    }

    /// Shows which boards are in tournaments. If some could not be read, none is taken away, and
    /// without an earlier reading nothing is known.
    fn show_in_tournaments(&self, mut boards: BTreeSet<String>, lacks_some: bool) {
        self.in_tournaments.send_if_modified(|known| {
            let now = match known {
                Some(known) if lacks_some => {
                    boards.extend(known.iter().cloned());
                    Some(boards)
                }
                None if lacks_some => None,
                _ => Some(boards),
            };
            let is_news = *known != now;
            *known = now;
            is_news
        });
    }

    /// Reads the pairing of each board that has one. A tournament, a round or a game that cannot be
    /// read takes no other with it.
    async fn read(&self) -> Result<Tournaments, Unread> {
        let listed: Vec<Value> = self.get("tournaments").await?;
        let listed = listed.iter();
        let listed = listed.filter_map(|summary| Summary::deserialize(summary).ok());
        let mut read = Tournaments::default();
        let mut played: BTreeMap<String, Vec<Pairing>> = BTreeMap::new();
        for Summary { uuid, rounds } in listed.take(TOURNAMENTS).filter(|one| is_id(&one.uuid)) {
            match self.read_tournament(&uuid, rounds).await {
                Ok(found) => {
                    read.lacks_some |= found.lacks_some;
                    for (serial, place) in found.places {
                        let of_board = played.entry(serial.clone()).or_default();
                        of_board.extend(place.played);
                        if place.is_open {
                            read.boards.insert(serial);
                        }
                    }
                }
                Err(error) => {
                    read.lacks_some = true;
                    tracing::debug!(uuid, "a tournament of LiveChess: {error}");
                }
            }
        }
        for (serial, mut pairings) in played {
            // A board that is played in two tournaments has no pairing.
            if let (Some(pairing), true) = (pairings.pop(), pairings.is_empty()) {
                read.played.insert(serial, pairing);
            }
        }
        for board in &self.boards {
            if let Some(game) = self.read_game(board, read.played.get(&board.serial)).await {
                read.games.insert(board.serial.clone(), game);
            }
        }
        Ok(read)
    }

    /// Reads the game of the pairing that is being played, or else of the last one, which may have
    /// got its last moves with its result. Not for a board that is not compared.
    async fn read_game(&self, board: &PairedBoard, played: Option<&Pairing>) -> Option<ReadGame> {
        if board.reconstruction.is_closed() {
            return None;
        }
        let last = self.last_games.get(&board.serial);
        let last = last.map(|last| (last.pairing.clone(), last.game.tags.clone()));
        let played = played.map(|pairing| (pairing.id.clone(), pairing.players()));
        let (pairing, tags) = played.or(last)?;
        let id = &pairing;
        let read: Result<MovesOfGame, Unread> = self.get(&format!("game/{id}")).await;
        let game = read.inspect_err(|error| tracing::debug!(id, "a game of LiveChess: {error}"));
        let game = game.ok()?;
        game.is_usual().then(|| ReadGame {
            game: Account {
                tags,
                ..read_moves(Chess::default(), game.words())
            },
            pairing,
        })
    }

    /// Reads which of our boards have an open pairing in a tournament, each with the pairing that is
    /// being played. If two rounds have one for a board, the later one counts.
    async fn read_tournament(&self, uuid: &str, rounds: u32) -> Result<Places, Unread> {
        let tournament: Tournament = self.get(&format!("tournament/{uuid}")).await?;
        let places = self.boards.iter().filter_map(|board| {
            let serial = &board.serial;
            let mut boards = tournament.eboards.iter();
            let place = boards.position(|board| board.as_deref() == Some(serial))?;
            Some((place + 1, serial))
        });
        let places: BTreeMap<usize, &String> = places.collect();
        let mut found = Places::default();
        let rounds = if places.is_empty() {
            0
        } else {
            rounds.min(ROUNDS)
        };
        for round in 0..rounds {
            let read: Round = match self.get(&format!("round/{uuid}/{round}")).await {
                Ok(read) => read,
                Err(error) => {
                    found.lacks_some = true;
                    tracing::debug!(uuid, round, "a round of LiveChess: {error}");
                    continue;
                }
            };
            let pairings = read.pairings.iter();
            for paired in pairings.filter_map(|paired| Paired::deserialize(paired).ok()) {
                let is_open = paired.result.as_deref().is_none_or(|result| result == "*");
                let is_played = paired.live && is_id(&paired.uuid);
                let tags = tournament.tags(round, read.date.as_deref(), &paired);
                if let Some(serial) = places.get(&paired.nr).filter(|_| is_open)
                    && let Some(tags) = tags
                {
                    let place = found.places.entry((*serial).clone()).or_default();
                    place.is_open = true;
                    let id = paired.uuid;
                    if is_played {
                        place.played = Some(Pairing { id, tags });
                    }
                }
            }
        }
        Ok(found)
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
