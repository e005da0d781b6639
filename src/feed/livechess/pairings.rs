//! Who plays at the boards of a `LiveChess`, as its tournaments say over HTTP.
//!
//! ```text
//! GET /api/v1.0/tournaments     [{"uuid":U,"rounds":9,…},…]
//! GET /api/v1.0/tournament/U    {"name":…,"eboards":["23946",…],…}   a board for each pairing
//! GET /api/v1.0/round/U/0       {"pairings":[{"nr":1,"white":{…},"live":true,"result":null},…],…}
//! ```
//!
//! A board has the pairing that is being played. If none is, it has the first one without a result.
//! The facts are those of clients of `LiveChess` 2.2; every field but those that are needed may be
//! missing.

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
const ASK: Duration = Duration::from_secs(5);
/// The most tournaments that are read.
const TOURNAMENTS: usize = 16;
/// The most rounds of a tournament that are read.
const ROUNDS: u32 = 99;
/// The most characters of a tag.
const LONGEST: usize = 100;

/// PGN tags of a pairing: `Event`, `Site`, `Date`, `Round`, and those of the players.
pub type PairingTags = BTreeMap<String, String>;

/// Why the tournaments cannot be read.
#[derive(Debug, thiserror::Error)]
enum Unread {
    #[error(transparent)]
    Transport(#[from] TransportError),
    #[error("it answers {0}")]
    Status(StatusCode),
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
struct Pairing {
    /// From 1.
    nr: usize,
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

/// A pairing that a board may have.
#[derive(Debug)]
struct Candidate {
    live: bool,
    /// The number of the tournament in the list.
    tournament: usize,
    round: u32,
    tags: PairingTags,
}

/// The pairings of the boards of a `LiveChess`.
#[derive(Debug)]
pub(super) struct Pairings<T> {
    transport: T,
    /// `http://127.0.0.1:1982`.
    host: String,
    boards: Vec<(String, watch::Sender<Option<PairingTags>>)>,
    /// What was read last, by serial number. Only what is read twice is shown.
    last: BTreeMap<String, PairingTags>,
}

impl<T: Transport> Pairings<T> {
    /// Those of these boards, by serial number. `url` is that of the WebSocket without a path.
    pub(super) fn new(
        transport: T,
        url: &str,
        boards: Vec<(String, watch::Sender<Option<PairingTags>>)>,
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

    /// Shows the pairings that were read the same twice.
    fn show(&mut self, read: BTreeMap<String, PairingTags>) {
        for (serial, shown) in &self.boards {
            let Some(tags) = read.get(serial) else {
                continue;
            };
            if self.last.get(serial) == Some(tags) {
                shown.send_if_modified(|shown| {
                    let is_news = shown.as_ref() != Some(tags);
                    *shown = Some(tags.clone());
                    is_news
                });
            }
        }
        self.last = read;
    }

    /// Reads the pairing of each board that has one.
    async fn read(&self) -> Result<BTreeMap<String, PairingTags>, Unread> {
        let listed: Vec<Summary> = self.get("tournaments").await?;
        let mut candidates: BTreeMap<&str, Vec<Candidate>> = BTreeMap::new();
        let is_id = |id: &str| {
            (1..=64).contains(&id.len()) && id.bytes().all(|c| c.is_ascii_hexdigit() || c == b'-')
        };
        let listed = listed.into_iter().filter(|summary| is_id(&summary.uuid));
        for (number, Summary { uuid, rounds }) in listed.take(TOURNAMENTS).enumerate() {
            let tournament: Tournament = self.get(&format!("tournament/{uuid}")).await?;
            let places = self.boards.iter().filter_map(|(serial, _)| {
                let mut boards = tournament.eboards.iter();
                let place = boards.position(|board| board.as_deref() == Some(serial))?;
                Some((place + 1, serial.as_str()))
            });
            let places: BTreeMap<usize, &str> = places.collect();
            if places.is_empty() {
                continue;
            }
            for round in 0..rounds.min(ROUNDS) {
                let read: Round = self.get(&format!("round/{uuid}/{round}")).await?;
                let pairings = read.pairings.iter();
                for pairing in pairings.filter_map(|pairing| Pairing::deserialize(pairing).ok()) {
                    let Some(serial) = places.get(&pairing.nr) else {
                        continue;
                    };
                    let is_open = pairing.result.as_deref().is_none_or(|result| result == "*");
                    let tags = tournament.tags(round, read.date.as_deref(), &pairing);
                    if let Some(tags) = tags.filter(|_| pairing.live || is_open) {
                        candidates.entry(serial).or_default().push(Candidate {
                            live: pairing.live,
                            tournament: number,
                            round,
                            tags,
                        });
                    }
                }
            }
        }
        let chosen = candidates.into_iter();
        let chosen = chosen.filter_map(|(serial, of)| Some((serial.to_owned(), choose(of)?)));
        Ok(chosen.collect())
    }

    async fn get<A: DeserializeOwned>(&self, path: &str) -> Result<A, Unread> {
        let request = Request::get(format!("{}/api/v1.0/{path}", self.host))
            .header(header::ACCEPT, "application/json")
            .body(Bytes::new())?;
        let answer = self.transport.send(request).await?;
        if !answer.status().is_success() {
            return Err(Unread::Status(answer.status()));
        }
        Ok(serde_json::from_slice(answer.body())?)
    }
}

impl Tournament {
    /// The tags of a pairing, if both players have a name.
    fn tags(&self, round: u32, date: Option<&str>, pairing: &Pairing) -> Option<PairingTags> {
        let (white, black) = (pairing.white.as_ref()?, pairing.black.as_ref()?);
        let event = self.name.as_deref().filter(|name| !name.trim().is_empty());
        let mut tags = PairingTags::new();
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

/// The pairing that a board has: the one that is being played, or else the first one without a
/// result. Two tournaments that both have one leave it open.
fn choose(mut of: Vec<Candidate>) -> Option<PairingTags> {
    let is_live = of.iter().any(|one| one.live);
    of.retain(|one| one.live == is_live);
    of.sort_by_key(|one| one.round);
    let first = of.first()?.tournament;
    let is_sole = of.iter().all(|one| one.tournament == first);
    is_sole.then(|| of.swap_remove(0).tags)
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
        json!({"nr": nr, "uuid": "u", "white": white, "black": black, "live": live, "result": result})
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
        read.get(serial).map(|tags| tags["White"].clone())
    }

    #[tokio::test]
    async fn a_board_has_the_pairing_of_its_place_that_is_played_or_comes_next() {
        let host = Host::default();
        let first = [
            pairing(1, ["Smit", "Bos"], false, &json!("WHITEWIN")),
            pairing(2, ["Kok", "Vos"], true, &Value::Null),
        ];
        let second = [
            pairing(1, ["Bos", "Kok"], false, &Value::Null),
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
        assert_eq!(read["11"], BTreeMap::from(expected), "the first is over");
        assert_eq!(read["22"]["White"], "Kok, A", "it is being played");
        assert_eq!(read.get("33"), None);
    }

    #[tokio::test]
    async fn two_tournaments_leave_it_open_unless_one_is_being_played() {
        let host = Host::default();
        let next = |name| json!([pairing(1, [name, "Bos"], false, &Value::Null)]);
        host.has_tournament("a1", &["11"], &[next("Smit")]);
        host.has_tournament("b2", &["11"], &[next("Kok")]);
        assert_eq!(white_of(&host, "11").await, None);
        host.has(
            "round/b2/0",
            json!({"pairings": [pairing(1, ["Kok", "Bos"], true, &Value::Null)]}),
        );
        assert_eq!(white_of(&host, "11").await.unwrap(), "Kok, A");
    }

    #[tokio::test]
    async fn what_is_missing_or_strange_names_nobody() {
        let host = Host::default();
        let nameless = json!({"nr": 1, "white": {}, "black": player("Bos", "A")});
        host.has_tournament(
            "a1",
            &["11", "22"],
            &[json!([
                nameless,
                "rubbish",
                {"nr": -1},
                pairing(2, ["Vos\u{202e}\n", "Bos"], false, &json!("*")),
            ])],
        );
        assert_eq!(white_of(&host, "11").await, None);
        assert_eq!(white_of(&host, "22").await.unwrap(), "Vos, A");
        host.has(
            "tournaments",
            json!([{"uuid": "../../x", "rounds": 4_000_000_000_u32}]),
        );
        assert_eq!(white_of(&host, "11").await, None);
        host.has("tournaments", json!({}));
        let error = of(&host, &["11"]).read().await.unwrap_err().to_string();
        assert!(error.contains("not that of a tournament"), "{error}");
    }

    #[tokio::test]
    async fn only_what_is_read_twice_is_shown() {
        let host = Host::default();
        let round = |name| json!([pairing(1, [name, "Bos"], false, &Value::Null)]);
        host.has_tournament("a1", &["11"], &[round("Smi")]);
        let mut pairings = of(&host, &["11"]);
        let shown = pairings.boards[0].1.subscribe();
        let white = || shown.borrow().as_ref().map(|tags| tags["White"].clone());
        for (name, sees) in [("Smi", None), ("Smit", None), ("Smit", Some("Smit, A"))] {
            host.has("round/a1/0", json!({"pairings": round(name)}));
            let read = pairings.read().await.unwrap();
            pairings.show(read);
            assert_eq!(white().as_deref(), sees);
        }
        // A tournament that is gone takes no name back.
        host.has("tournaments", json!([]));
        let read = pairings.read().await.unwrap();
        pairings.show(read);
        assert_eq!(white().as_deref(), Some("Smit, A"));
    }
}
