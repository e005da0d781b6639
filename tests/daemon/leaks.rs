//! No audience sees what it must not know (FIDE 11.3.1, 12.6).

use std::collections::HashMap;

use remisd::simulate::Options;
use serde_json::{Value, json};

use super::{Stage, case, facts, games};
use remisd_testkit::{
    table::SimulatedTable,
    witness::{Message, Witness},
};

/// Keys that players and the hall must not see at any depth.
const SECRET_KEYS: [&str; 21] = [
    "claims",
    "claim",
    "repetition",
    "count",
    "halfmove_clock",
    "automatic",
    "automatic_in",
    "eligible",
    "eligibility",
    "ply",
    "plies",
    "since_ply",
    "doubted",
    "doubted_since",
    "occurrences",
    "touched",
    "dead",
    "draw",
    "offer",
    "lost",
    "alerts",
];
const SECRET_WORDS: [&str; 4] = ["threefold", "fifty", "repetition", "claim"];

/// The violation in a message to an audience; `None` if there is none.
pub fn leak(topic: &str, payload: &Value) -> Option<String> {
    let mut levels = topic.split('/').skip(3);
    let (audience, _board, leaf) = (levels.next()?, levels.next()?, levels.next()?);
    if payload.is_null() {
        return None; // cleared
    }
    match audience {
        "player" | "hall" => {
            let allowed: &[&str] = match audience {
                "player" => &["clock", "result", "availability", "offer"],
                _ => &["game", "result", "availability"],
            };
            if !allowed.contains(&leaf) {
                return Some(format!("the leaf {leaf}"));
            }
            let mut payload = payload.clone();
            spoken(&mut payload);
            secret(&payload).or_else(|| unconfirmed(leaf, &payload))
        }
        "public" => {
            let allowed = ["game", "earlier", "draw", "result", "availability", "offer"];
            if !allowed.contains(&leaf) {
                return Some(format!("the leaf {leaf}"));
            }
            counted(payload).or_else(|| unconfirmed(leaf, payload))
        }
        "operator" if leaf == "draw" => Some("the leaf draw".to_owned()),
        "operator" => claim(payload),
        "node" => claim(payload).or_else(|| phones(payload)),
        _ => None,
    }
}

/// Removes what was spoken at the board, where it may appear. That is: that an offer is a
/// claim, that the clock is stopped for a claim or changed after it, and how the game ended, once
/// confirmed.
fn spoken(payload: &mut Value) {
    let schema = payload["schema"].as_str().unwrap_or_default().to_owned();
    match schema.as_str() {
        "remisd/offer/1" => {
            payload["schema"] = Value::Null;
            payload["by_claim"].take();
            payload.as_object_mut().unwrap().remove("by_claim");
        }
        "remisd/clock/1" => {
            payload["paused"]["reason"] = Value::Null;
            payload["adjustment"]["reason"] = Value::Null;
        }
        "remisd/result/1" if payload["confirmed"] == true => payload["reason"] = Value::Null,
        "remisd/game/1" if payload["result"]["confirmed"] == true => {
            payload["result"]["reason"] = Value::Null;
        }
        _ => {}
    }
}

fn secret(value: &Value) -> Option<String> {
    match value {
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            if SECRET_KEYS.contains(&key.as_str()) || mentions_a_claim(key) {
                Some(format!("the key {key}"))
            } else {
                secret(value)
            }
        }),
        Value::Array(array) => array.iter().find_map(secret),
        Value::String(text) if mentions_a_claim(text) || counts(text) => {
            Some(format!("the text {text}"))
        }
        _ => None,
    }
}

fn mentions_a_claim(text: &str) -> bool {
    let text = text.to_lowercase();
    SECRET_WORDS.iter().any(|word| text.contains(word))
}

/// Whether a text contains a FEN with more than four fields.
fn counts(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let fen = words.iter().position(|word| word.matches('/').count() == 7);
    fen.is_some_and(|at| words.len() - at > 4)
}

/// What the public of a competition must not see without a long delay: counters and possible
/// claims.
fn counted(value: &Value) -> Option<String> {
    let secret = [
        "claims",
        "arbiter_decides",
        "repetition",
        "halfmove_clock",
        "automatic",
        "automatic_in",
        "after_end",
        "ends_game",
        "dead",
        "first_end",
        "lost",
        "touched",
        "alerts",
    ];
    match value {
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            let found = secret.contains(&key.as_str());
            found
                .then(|| format!("the key {key}"))
                .or_else(|| counted(value))
        }),
        Value::Array(array) => array.iter().find_map(counted),
        Value::String(text) if counts(text) => Some(format!("the text {text}")),
        _ => None,
    }
}

/// What operators must not see: that a player could claim.
fn claim(value: &Value) -> Option<String> {
    match value {
        Value::Object(object) => object.iter().find_map(|(key, value)| {
            let findings = ["finding", "disputed_plies", "last_zeroing"];
            let secret = ["claims", "repetition", "automatic_in"].contains(&key.as_str())
                || findings.contains(&key.as_str())
                || (key == "verdict" && value != "none");
            secret
                .then(|| format!("the key {key}"))
                .or_else(|| claim(value))
        }),
        Value::Array(array) => array.iter().find_map(claim),
        Value::String(text) => [
            "threefold_claimable",
            "fifty_move_claimable",
            "fourth_occurrence",
            "seventy_moves",
            "repetition_disputed",
            "fivefold_uneven",
            "can be claimed",
        ]
        .iter()
        .any(|word| text.to_lowercase().contains(word))
        .then(|| format!("the text {text}")),
        _ => None,
    }
}

/// What operators must not see of phones: that a message other than a test was sent. It reveals
/// alerts that they do not get.
fn phones(value: &Value) -> Option<String> {
    let phones = value["phones"].as_array()?.iter();
    let mut keys = phones
        .filter_map(Value::as_object)
        .flat_map(|one| one.keys());
    let other = keys.find(|key| !["name", "test"].contains(&key.as_str()))?;
    Some(format!("the key {other} of a phone"))
}

fn unconfirmed(leaf: &str, payload: &Value) -> Option<String> {
    if leaf == "earlier" {
        let mut games = payload["games"].as_array()?.iter();
        return games.find_map(|game| unconfirmed("game", game));
    }
    let result = match leaf {
        "result" => payload,
        "game" => &payload["result"],
        _ => return None,
    };
    (!result.is_null() && result["confirmed"] != true).then(|| "a result too early".to_owned())
}

#[test]
fn the_checker_finds_what_is_planted() {
    let hall = "chess/v1/hall/hall/b1/game";
    let player = "chess/v1/hall/player/b1/clock";
    let clean = json!({
        "schema": "remisd/game/1", "game": 1, "seq": 9, "turn": "white",
        "fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
        "moves": [{"uci": "e2e4", "san": "e4", "clock_ms": 5}],
        "tracker": {"state": "following"}, "result": null,
    });
    assert_eq!(leak(hall, &clean), None);
    let full_fen = "8/8/8/8/8/8/8/K1k5 w - - 99 80";
    for key in SECRET_KEYS {
        for planted in [
            json!({ key: 1 }),
            json!({"a": [{"b": { key: null }}]}),
            json!([[{ key: [] }]]),
        ] {
            assert!(leak(hall, &planted).is_some(), "{planted}");
            assert!(leak(player, &planted).is_some(), "{planted}");
        }
    }
    for planted in [
        json!({"fen": full_fen}),
        json!({"x": ["at", {"y": format!("the position {full_fen}")}]}),
        json!({"text": "A draw by Threefold repetition"}),
        json!({"reason": "fifty_move"}),
        json!({"threefold_in": 1}),
        json!({"result": {"score": "1/2-1/2", "confirmed": false}}),
    ] {
        assert!(leak(hall, &planted).is_some(), "{planted}");
    }
    let offer = json!({"schema": "remisd/offer/1", "by": "white", "by_claim": true});
    assert_eq!(leak("chess/v1/hall/player/b1/offer", &offer), None);
    assert!(leak("chess/v1/hall/player/b1/offer", &json!({"ply": 3})).is_some());
    let clock = json!({"schema": "remisd/clock/1", "paused": {"reason": "claim"}});
    assert_eq!(leak(player, &clock), None);
    assert!(leak(player, &json!({"paused": {"reason": "claim"}})).is_some());
    for leaf in [
        "draw", "alerts", "event", "link", "squares", "offer", "earlier", "whatever",
    ] {
        let topic = format!("chess/v1/hall/hall/b1/{leaf}");
        assert!(leak(&topic, &json!({})).is_some(), "{leaf}");
        assert_eq!(leak(&topic, &Value::Null), None);
    }
    let early = json!({"score": "1/2-1/2", "confirmed": false});
    for audience in ["player", "hall", "public"] {
        let topic = format!("chess/v1/hall/{audience}/b1/result");
        assert!(leak(&topic, &early).is_some());
    }
    let earlier = "chess/v1/hall/public/b1/earlier";
    assert_eq!(leak(earlier, &json!({"games": [clean]})), None);
    assert!(leak(earlier, &json!({"games": [clean, {"result": early}]})).is_some());
    for planted in [
        json!({"fen": full_fen}),
        json!({"claims": []}),
        json!({"a": [{"halfmove_clock": 3}]}),
        json!({"repetition": {"count": 1}}),
        json!({"claim": {"ends_game": true}}),
    ] {
        for leaf in ["game", "earlier", "draw"] {
            let topic = format!("chess/v1/hall/public/b1/{leaf}");
            assert!(leak(&topic, &planted).is_some(), "{planted}");
        }
    }
    assert!(leak("chess/v1/hall/operator/b1/draw", &json!({})).is_some());
    let node = "chess/v1/hall/node/remisd/broadcast";
    let tested = json!({"phones": [{"name": "notify.0", "test": {"time": "t", "ok": true}}]});
    assert_eq!(leak(node, &tested), None);
    let sent = json!({"phones": [{"name": "notify.0", "sent_at": "t"}]});
    assert!(leak(node, &sent).is_some());
    assert!(leak(node, &json!({"claims": []})).is_some());
    assert_eq!(leak("chess/v1/hall/operator/b1/result", &early), None);
    for (leaf, planted) in [
        (
            "alerts",
            json!({"alerts": [{"code": "threefold_claimable"}]}),
        ),
        (
            "event",
            json!({"facts": [{"code": "fifty_move_claimable"}]}),
        ),
        ("game", json!({"claims": []})),
        ("game", json!({"a": {"repetition": {}}})),
    ] {
        let topic = format!("chess/v1/hall/operator/b1/{leaf}");
        assert!(leak(&topic, &planted).is_some(), "{planted}");
    }
}

/// Checks the public's draw state: that of a position whose turn has passed, unless the game is
/// over by the arbiter's decision. The public numbers games and entries differently from the
/// arbiter: games correspond by order, entries by time.
fn public_draws(messages: &[Message], board: &str) -> usize {
    let events = super::events(messages, board);
    let mut passed = HashMap::new();
    let mut over = HashMap::new();
    let mut game = 0;
    for event in &events {
        let time = event["time"].as_str().unwrap().to_owned();
        for fact in event["facts"].as_array().unwrap() {
            match fact["type"].as_str().unwrap() {
                "game_started" => game += 1,
                "move_made" => {
                    passed
                        .entry((game, fact["ply"].as_u64().unwrap() - 1))
                        .or_insert_with(|| time.clone());
                }
                "result_confirmed" => {
                    over.entry(game).or_insert_with(|| time.clone());
                }
                _ => {}
            }
        }
    }
    let published = |leaf: &str| {
        let topic = format!("chess/v1/hall/public/{board}/{leaf}");
        let of_leaf = messages
            .iter()
            .filter(move |message| message.topic == topic);
        of_leaf.map(Message::json).filter(|value| !value.is_null())
    };
    let mut numbers: Vec<u64> = published("game")
        .map(|game| game["game"].as_u64().unwrap())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut count = 0;
    for draw in published("draw") {
        let (number, ply) = (
            draw["game"].as_u64().unwrap(),
            draw["ply"].as_u64().unwrap(),
        );
        let game = numbers.iter().position(|of| *of == number).unwrap() + 1;
        let since = [passed.get(&(game, ply)), over.get(&game)];
        let since = since.into_iter().flatten().min();
        let time = draw["time"].as_str().unwrap();
        assert!(
            since.is_some_and(|since| time >= since.as_str()),
            "too early: {draw}"
        );
        count += 1;
    }
    count
}

#[tokio::test(flavor = "multi_thread")]
async fn players_and_hall_learn_nothing_of_draws() {
    let boards = ["b1", "b2"];
    let stage = Stage::set("", &boards).await;
    let mut audiences = Vec::new();
    for audience in ["operator", "public", "hall", "player", "node"] {
        let filter = format!("chess/v1/hall/{audience}/#");
        audiences.push(Witness::watch(stage.broker.address(), &[&filter]).await);
    }
    let mut tables = Vec::new();
    let cases = [
        ("b1", "R-5-AL18", "fivefold"),
        ("b2", "R-75-FD19", "seventy_five_move"),
    ];
    for (board, id, _) in cases {
        let (pgn, _) = case(id);
        let options = Options {
            speed: 25.0,
            ..Options::default()
        };
        tables.push(SimulatedTable::start(
            &stage.home.port(board),
            &pgn,
            options,
        ));
    }
    for (board, id, end) in cases {
        let alerts = format!("chess/v1/hall/arbiter/{board}/alerts");
        let alert = stage.witness.retained(&alerts, |alerts| {
            let open = alerts["alerts"].as_array()?;
            let end = open.iter().find(|alert| alert["code"] == end)?;
            Some(end["id"].as_str().unwrap().to_owned())
        });
        let alert = alert.await;
        // The retained messages now, with the game over and the result unconfirmed.
        let late = Witness::watch(stage.broker.address(), &["chess/v1/hall/#"]).await;
        late.retained(&format!("chess/v1/hall/hall/{board}/game"), |game| {
            (!game.is_null()).then_some(())
        })
        .await;
        for audience in ["player", "hall", "public"] {
            let topic = format!("chess/v1/hall/{audience}/{board}/result");
            for message in late.messages() {
                assert!(
                    message.topic != topic || message.payload.is_empty(),
                    "{message:?}"
                );
            }
        }
        for message in late.messages() {
            assert_eq!(leak(&message.topic, &message.json()), None, "{message:?}");
        }
        let ack = json!({ "id": format!("ack-{board}"), "alert": alert });
        let answer = stage.command("arbiter", board, "ack", &ack).await;
        assert_eq!(answer["ok"], true, "{answer}");
        for (audience, witness) in ["operator", "public", "hall", "player"]
            .iter()
            .zip(&audiences)
        {
            let topic = format!("chess/v1/hall/{audience}/{board}/result");
            let result = witness.retained(&topic, |result| {
                (result["confirmed"] == true).then(|| result.clone())
            });
            let result = result.await;
            assert_eq!(
                (&result["score"], &result["reason"]),
                (&json!("1/2-1/2"), &json!(end))
            );
        }
        let (_, played) = case(id);
        let published = games(&stage.events(board).await).into_values().next_back();
        assert_eq!(published, Some(played), "{id}");
    }
    let all = stage.witness.messages();
    // The test is only worth something if there was something to hide.
    for code in [
        "threefold_claimable",
        "fifty_move_claimable",
        "fivefold",
        "seventy_five_move",
    ] {
        let raised = boards
            .iter()
            .any(|board| facts(&super::events(&all, board)).any(|(_, fact)| fact["code"] == code));
        assert!(raised, "{code} never came up");
    }
    let mut seen = 0;
    for message in all
        .iter()
        .cloned()
        .chain(audiences.iter().flat_map(Witness::messages))
    {
        assert_eq!(leak(&message.topic, &message.json()), None, "{message:?}");
        seen += 1;
    }
    for board in boards {
        assert!(public_draws(&all, board) > 100);
    }
    println!("{seen} messages without a leak");
}
