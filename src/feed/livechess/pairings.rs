//! Who plays at the boards of a `LiveChess`, as its tournaments say over HTTP.
//!
//! ```text
//! GET /api/v1.0/tournaments     [{"uuid":U,"rounds":9,…},…]
//! GET /api/v1.0/tournament/U    {"name":…,"eboards":["23946",…],…}   a board for each pairing
//! GET /api/v1.0/round/U/0       {"pairings":[{"nr":1,"white":{…},"live":true,"result":null},…],…}
//! ```
//!
//! A board has the pairing that is being played, `live` and without a result. What comes next is not
//! known: results are often not entered, and old tournaments stay. The facts are those of clients of
//! `LiveChess` 2.2; every field but those that are needed may be missing.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use http::{Request, StatusCode, header};
use remisd_transport::{Transport, TransportError};
use remisd_vocabulary::text::OneLine;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};

/// How often the tournaments are read.
const ASK: Duration = Duration::from_secs(10);
/// The most tournaments that are read.
const TOURNAMENTS: usize = 64;
/// The most rounds of a tournament that are read.
const ROUNDS: u32 = 99;
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

/// The pairings of the boards of a `LiveChess`.
#[derive(Debug)]
pub(super) struct Pairings<T> {
    transport: T,
    /// `http://127.0.0.1:1982`.
    host: String,
    boards: Vec<(String, watch::Sender<Option<Pairing>>)>,
    /// What was read last, by serial number. Only what is read twice is shown.
    last: BTreeMap<String, Pairing>,
}

impl<T: Transport> Pairings<T> {
    /// Those of these boards, by serial number. `url` is that of the WebSocket without a path.
    pub(super) fn new(
        transport: T,
        url: &str,
        boards: Vec<(String, watch::Sender<Option<Pairing>>)>,
    ) -> Self {
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
    fn show(&mut self, read: BTreeMap<String, Pairing>) {
        for (serial, shown) in &self.boards {
            let pairing = read.get(serial);
            if self.last.get(serial) == pairing {
                shown.send_if_modified(|shown| {
                    let is_news = shown.as_ref() != pairing;
                    *shown = pairing.cloned();
                    is_news
                });
            }
        }
        self.last = read;
    }

    /// Reads the pairing of each board that has one. A tournament or a round that cannot be read
    /// takes no other with it.
    async fn read(&self) -> Result<BTreeMap<String, Pairing>, Unread> {
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
        // Two tournaments in which one board is being played leave it open.
        let sole = played.into_iter();
        let sole = sole.filter_map(|(serial, mut of)| {
            let pairing = of.pop()?;
            of.is_empty().then_some((serial, pairing))
        });
        Ok(sole.collect())
    }

    /// Reads the pairings of a tournament that are being played at our boards. If two rounds have
    /// one for a board, the later one counts.
    async fn read_tournament(
        &self,
        uuid: &str,
        rounds: u32,
    ) -> Result<BTreeMap<String, Pairing>, Unread> {
        let tournament: Tournament = self.get(&format!("tournament/{uuid}")).await?;
        let places = self.boards.iter().filter_map(|(serial, _)| {
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use http::Response;
    use serde_json::json;

    use super::*;

    /// A `LiveChess` without a network: answers by path below `/api/v1.0/`.
    #[derive(Debug, Clone, Default)]
    struct Host(Arc<Mutex<BTreeMap<String, Value>>>);

    impl Host {
        fn has(&self, path: &str, answer: Value) {
            self.0.lock().unwrap().insert(path.to_owned(), answer);
        }

        fn has_tournament(&self, uuid: &str, boards: &[&str], rounds: &[Value]) {
            let listed = self.0.lock().unwrap().remove("tournaments");
            let mut listed = listed.unwrap_or_else(|| json!([]));
            let entry = json!({"uuid": uuid, "description": "", "rounds": rounds.len()});
            listed.as_array_mut().unwrap().push(entry);
            self.has("tournaments", listed);
            let tournament = json!({
                "uuid": uuid, "name": "Open", "description": "", "location": "Köln",
                "country": null, "rounds": rounds.len(), "eboards": boards,
            });
            self.has(&format!("tournament/{uuid}"), tournament);
            for (number, pairings) in rounds.iter().enumerate() {
                let round = json!({"nr": number + 1, "date": "2026-11-29", "pairings": pairings});
                self.has(&format!("round/{uuid}/{number}"), round);
            }
        }
    }

    impl Transport for Host {
        async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
            let path = request.uri().path().strip_prefix("/api/v1.0/").unwrap();
            let known = self.0.lock().unwrap().get(path).cloned();
            let status = if known.is_some() { 200 } else { 404 };
            let body = known.unwrap_or_default().to_string();
            Ok(Response::builder()
                .status(status)
                .body(body.into())
                .unwrap())
        }
    }

    fn player(last: &str, first: &str) -> Value {
        json!({
            "fname": first, "mname": null, "lname": last, "title": "GM", "federation": "NED",
            "gender": null, "fideid": "1012345",
        })
    }

    fn pairing(nr: u32, names: [&str; 2], live: bool, result: &Value) -> Value {
        let [white, black] = names.map(|last| player(last, "A"));
        json!({
            "nr": nr, "uuid": format!("ab-{nr}"), "white": white, "black": black, "live": live,
            "result": result,
        })
    }

    fn of(host: &Host, serials: &[&str]) -> Pairings<Host> {
        let boards = serials.iter().map(|serial| {
            let (shown, _) = watch::channel(None);
            ((*serial).to_owned(), shown)
        });
        Pairings::new(host.clone(), "ws://127.0.0.1:1982", boards.collect())
    }

    async fn white_of(host: &Host, serial: &str) -> Option<String> {
        let read = of(host, &[serial]).read().await.unwrap();
        read.get(serial)
            .map(|pairing| pairing.tags["White"].clone())
    }

    #[tokio::test]
    async fn a_board_has_the_pairing_of_its_place_while_it_is_played() {
        let host = Host::default();
        let first = [
            pairing(1, ["Smit", "Bos"], true, &json!("WHITEWIN")),
            pairing(2, ["Kok", "Vos"], true, &Value::Null),
        ];
        let second = [
            pairing(1, ["Bos", "Kok"], true, &Value::Null),
            pairing(2, ["Vos", "Smit"], false, &Value::Null),
        ];
        host.has_tournament("a1", &["11", "22"], &[json!(first), json!(second)]);
        let read = of(&host, &["11", "22", "33"]).read().await.unwrap();
        let expected = [
            ("Black", "Kok, A"),
            ("BlackFideId", "1012345"),
            ("BlackTitle", "GM"),
            ("Date", "2026.11.29"),
            ("Event", "Open"),
            ("Round", "2"),
            ("Site", "Köln"),
            ("White", "Bos, A"),
            ("WhiteFideId", "1012345"),
            ("WhiteTitle", "GM"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(read["11"].tags, BTreeMap::from(expected));
        assert_eq!(read["11"].id, "ab-1");
        assert_eq!(read["22"].tags["White"], "Kok, A", "the next is not played");
        assert_eq!(read.get("33"), None);
    }

    #[tokio::test]
    async fn a_board_that_is_played_in_two_tournaments_has_no_pairing() {
        let host = Host::default();
        let round = |name, live| json!([pairing(1, [name, "Bos"], live, &Value::Null)]);
        host.has_tournament("a1", &["11"], &[round("Smit", true)]);
        host.has_tournament("b2", &["11"], &[round("Kok", true)]);
        assert_eq!(white_of(&host, "11").await, None);
        host.has("round/a1/0", json!({"pairings": round("Smit", false)}));
        assert_eq!(white_of(&host, "11").await.unwrap(), "Kok, A");
    }

    #[tokio::test]
    async fn what_is_missing_or_strange_names_nobody_and_takes_no_other_with_it() {
        let host = Host::default();
        let nameless = json!({
            "nr": 1, "uuid": "ab", "white": {}, "black": player("Bos", "A"), "live": true,
        });
        let round = json!([
            nameless,
            "rubbish",
            {"nr": -1},
            pairing(2, ["Vos\u{202e}\n", "Bos"], true, &json!("*")),
        ]);
        host.has_tournament("a1", &["11", "22"], &[round]);
        host.has("tournament/dead", json!({"eboards": 5}));
        host.has("tournament/beef", json!({"eboards": ["22"]}));
        let listed = json!([
            "rubbish", {"uuid": "dead", "rounds": 1}, {"uuid": "../../x", "rounds": 1},
            {"uuid": "beef", "rounds": 4_000_000_000_u32}, {"uuid": "a1", "rounds": 1},
        ]);
        host.has("tournaments", listed);
        assert_eq!(white_of(&host, "11").await, None);
        assert_eq!(white_of(&host, "22").await.unwrap(), "Vos, A");
        host.has("tournaments", json!({}));
        let error = of(&host, &["11"]).read().await.unwrap_err().to_string();
        assert!(error.contains("not that of a tournament"), "{error}");
    }

    #[tokio::test]
    async fn only_what_is_read_twice_is_shown() {
        let host = Host::default();
        let round = |name| json!([pairing(1, [name, "Bos"], true, &Value::Null)]);
        host.has_tournament("a1", &["11"], &[round("Smi")]);
        let mut pairings = of(&host, &["11"]);
        let shown = pairings.boards[0].1.subscribe();
        let white = || {
            let shown = shown.borrow();
            shown.as_ref().map(|pairing| pairing.tags["White"].clone())
        };
        for (name, sees) in [("Smi", None), ("Smit", None), ("Smit", Some("Smit, A"))] {
            host.has("round/a1/0", json!({"pairings": round(name)}));
            let read = pairings.read().await.unwrap();
            pairings.show(read);
            assert_eq!(white().as_deref(), sees);
        }
        host.has("tournaments", json!([]));
        for sees in [Some("Smit, A"), None] {
            let read = pairings.read().await.unwrap();
            pairings.show(read);
            assert_eq!(white().as_deref(), sees);
        }
    }
}
