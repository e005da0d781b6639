//! Tournaments of a `LiveChess` without a network.

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
    let boards = serials.iter().map(|serial| PairedBoard {
        serial: (*serial).to_owned(),
        pairing: watch::channel(None).0,
        reconstruction: watch::Sender::default(),
    });
    let url = "ws://127.0.0.1:1982";
    let in_tournaments = watch::Sender::default();
    Pairings::new(host.clone(), url, boards.collect(), in_tournaments)
}

async fn white_of(host: &Host, serial: &str) -> Option<String> {
    let read = of(host, &[serial]).read().await.unwrap().played;
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
    assert_eq!(
        read.boards,
        BTreeSet::from(["11".to_owned(), "22".to_owned()])
    );
    let read = read.played;
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
    assert!(!read.contains_key("33"));
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
    assert!(error.contains("does not describe a tournament"), "{error}");
}

#[tokio::test]
async fn only_what_is_read_twice_is_shown() {
    let host = Host::default();
    let round = |name| json!([pairing(1, [name, "Bos"], true, &Value::Null)]);
    host.has_tournament("a1", &["11"], &[round("Smi")]);
    let mut pairings = of(&host, &["11"]);
    let shown = pairings.boards[0].pairing.subscribe();
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

/// The moves of the game that is shown, in UCI, and the word after them.
fn paired(moves: &watch::Receiver<Reconstruction>) -> Option<(Vec<String>, Option<String>)> {
    let paired = moves.borrow().paired.clone()?;
    assert_eq!(paired.pairing, "ab-1");
    let game = paired.game;
    assert_eq!(game.tags["Black"], "Bos, A");
    let ucis = game.moves.iter();
    let ucis = ucis.map(|m| m.to_uci(shakmaty::CastlingMode::Standard).to_string());
    Some((ucis.collect(), game.unreadable.clone()))
}

#[tokio::test]
async fn the_game_of_a_pairing_is_what_two_readings_have_in_common() {
    let host = Host::default();
    let round = json!([pairing(1, ["Smit", "Bos"], true, &Value::Null)]);
    host.has_tournament("a1", &["11"], &[round]);
    let mut pairings = of(&host, &["11"]);
    let shown = pairings.boards[0].reconstruction.subscribe();
    let mut sees = async |moves: Value, seen: Option<(&[&str], Option<&str>)>| {
        let game = json!({"chess960": 518, "result": null, "clock": null, "moves": moves});
        host.has("game/ab-1", game);
        let read = pairings.read().await.unwrap();
        pairings.show(read);
        let seen = seen.map(|(ucis, word)| {
            let ucis = ucis.iter().map(|uci| (*uci).to_owned());
            (ucis.collect::<Vec<_>>(), word.map(str::to_owned))
        });
        assert_eq!(paired(&shown), seen);
    };
    sees(json!(["e4 63"]), None).await;
    sees(json!(["e4 63", "e5 +2"]), Some((&["e2e4"], None))).await;
    sees(json!(["e4 63", "c5"]), Some((&["e2e4"], None))).await;
    sees(json!(["e4 63", "c5", "x"]), Some((&["e2e4", "c7c5"], None))).await;
    let word = Some("x");
    sees(json!(["e4 63", "c5", "x"]), Some((&["e2e4", "c7c5"], word))).await;
    // Neither what cannot be read nor another starting position is a game: the last one stays.
    let last: (&[&str], _) = (&["e2e4", "c7c5"], word);
    sees(json!("e4"), Some(last)).await;
    let chess960 = json!({"chess960": 1, "moves": ["d4"]});
    host.has("game/ab-1", chess960);
    for _ in 0..2 {
        let read = pairings.read().await.unwrap();
        pairings.show(read);
        assert_eq!(paired(&shown).unwrap().0, last.0);
    }
}

#[tokio::test]
async fn a_game_that_nobody_looks_at_is_not_read() {
    let host = Host::default();
    let round = json!([pairing(1, ["Smit", "Bos"], true, &Value::Null)]);
    host.has_tournament("a1", &["11"], &[round]);
    host.has("game/ab-1", json!({"moves": ["e4"]}));
    let pairings = of(&host, &["11"]);
    assert!(pairings.read().await.unwrap().games.is_empty());
    let _shown = pairings.boards[0].reconstruction.subscribe();
    assert!(pairings.read().await.unwrap().games.contains_key("11"));
}

#[tokio::test]
async fn a_round_that_cannot_be_read_leaves_open_who_is_in_a_tournament_and_takes_no_board_away() {
    let host = Host::default();
    let round = json!([pairing(1, ["Smit", "Bos"], false, &Value::Null)]);
    host.has_tournament("a1", &["11"], std::slice::from_ref(&round));
    host.has("round/a1/0", json!("rubbish"));
    let mut pairings = of(&host, &["11"]);
    let mut reads = async || {
        let read = pairings.read().await.unwrap();
        pairings.show(read);
        pairings.in_tournaments.borrow().clone()
    };
    assert_eq!(reads().await, None);
    host.has("round/a1/0", json!({"pairings": round}));
    let open = Some(BTreeSet::from(["11".to_owned()]));
    assert_eq!(reads().await, open);
    host.has("round/a1/0", json!("rubbish"));
    assert_eq!(reads().await, open);
}
