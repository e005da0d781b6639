//! Two boards with the same events except for hidden ones: audiences that must not know of those
//! cannot distinguish the boards.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Stage;
use remisd_testkit::witness::Message;

const TIMES: [&str; 6] = [
    "time",
    "at",
    "since",
    "acknowledged_at",
    "clocks_at",
    "monotonic_ms",
];

/// Removes the board and the times from a payload, since the times are those of a real clock.
fn without_times(value: &mut Value, board: &str) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| !TIMES.contains(&key.as_str()));
            object
                .values_mut()
                .for_each(|value| without_times(value, board));
        }
        Value::Array(array) => (array.iter_mut()).for_each(|value| without_times(value, board)),
        Value::String(text) => *text = text.replace(board, "board"),
        _ => {}
    }
}

/// What an audience received about a board: every event once, in order, and the last state of each
/// retained topic. Intermediate states may be skipped, depending on connection and disk.
fn received(messages: &[Message], audience: &str, board: &str) -> Vec<String> {
    let below = format!("chess/v1/hall/{audience}/{board}/");
    let mut lines: Vec<String> = Vec::new();
    let mut states: BTreeMap<String, String> = BTreeMap::new();
    for message in messages {
        let Some(leaf) = message.topic.strip_prefix(&below) else {
            continue;
        };
        let mut payload = message.json();
        without_times(&mut payload, board);
        let line = format!("{leaf} {payload}");
        if leaf != "event" {
            states.insert(leaf.to_owned(), line);
        } else if !lines.contains(&line) {
            // Delivery is at least once.
            lines.push(line);
        }
    }
    lines.extend(states.into_values());
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn an_acknowledged_claimable_draw_is_visible_to_the_arbiter_only() {
    // Names that occur in no FEN and no move.
    let boards = ["twin-1", "twin-2"];
    let stage = Stage::set("", &boards).await;
    let mut answers = Vec::new();
    for board in boards {
        stage.misses(board).await;
        let knights = ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"];
        let correct = json!({"id": "1", "to_ply": 0, "moves": knights});
        let answer = stage.command("arbiter", board, "correct", &correct).await;
        assert_eq!(answer["ok"], true, "{answer}");
        let topic = format!("chess/v1/hall/arbiter/{board}/alerts");
        let alert = stage.witness.retained(&topic, |alerts| {
            let mut open = alerts["alerts"].as_array()?.iter();
            let alert = open.find(|alert| alert["code"] == "threefold_claimable")?;
            Some(alert["id"].clone())
        });
        let alert = alert.await;
        if board == boards[0] {
            let ack = json!({"id": "hidden", "alert": alert});
            let answer = stage.command("arbiter", board, "ack", &ack).await;
            assert_eq!(answer["ok"], true, "{answer}");
        }
        let mut replies = Vec::new();
        for (role, verb, payload) in [
            (
                "operator",
                "headers",
                json!({"id": "2", "headers": {"White": "Anna"}}),
            ),
            ("white", "offer", json!({"id": "3"})),
            ("black", "decline", json!({"id": "4", "if_seq": 1})),
            ("black", "decline", json!({"id": "5"})),
            (
                "operator",
                "setup",
                json!({"id": "6", "if_seq": 1, "fen": "4k3/8/8/8/8/8/8/4K2R w K - 0 1"}),
            ),
            (
                "operator",
                "new_game",
                json!({"id": "7", "headers": {"White": "Berta"}}),
            ),
        ] {
            let answer = stage.command(role, board, verb, &payload).await;
            replies.push((role, verb, answer));
        }
        answers.push(replies);
        for audience in ["operator", "public", "hall"] {
            let topic = format!("chess/v1/hall/{audience}/{board}/game");
            let begun = |game: &Value| (game["headers"]["White"] == "Berta").then_some(());
            stage.witness.retained(&topic, begun).await;
        }
        let event = format!("chess/v1/hall/operator/{board}/event");
        let begun = |all: &[Message]| {
            let mut events = all.iter().filter(|message| message.topic == event);
            events
                .any(|event| event.json()["input"]["id"] == "7")
                .then_some(())
        };
        stage.witness.until("the operator's event", begun).await;
    }
    assert_eq!(answers[0], answers[1]);
    let refused: Vec<_> = answers[0]
        .iter()
        .filter(|(.., a)| a["code"] == "stale")
        .collect();
    assert_eq!(refused.len(), 2, "{answers:?}");
    for audience in ["operator", "public", "hall", "player"] {
        // The newest states of the last board may still be on their way.
        let same = |all: &[Message]| {
            let [one, other] = boards.map(|board| received(all, audience, board));
            (one == other).then_some(one)
        };
        let what = format!("same account for {audience}");
        let one = stage.witness.until(&what, same).await;
        assert!(one.len() > 2, "{audience}: {one:?}");
    }
    // The operator misses no number.
    let events = received(&stage.witness.messages(), "operator", boards[0]).into_iter();
    let seqs: Vec<u64> = events
        .filter_map(|line| line.strip_prefix("event ").map(str::to_owned))
        .map(|event| {
            serde_json::from_str::<Value>(&event).unwrap()["seq"]
                .as_u64()
                .unwrap()
        })
        .collect();
    assert!(seqs.windows(2).all(|two| two[1] == two[0] + 1), "{seqs:?}");
    // The daemon's health is the same for both boards, too.
    let health = stage
        .witness
        .retained("chess/v1/hall/node/remisd/health", |health| {
            let boards = health["boards"].as_array()?;
            let all = boards.iter().all(|board| {
                board["ply"] == 0 && board["seq"].as_u64() > Some(8) && board["not_recorded"] == 0
            });
            all.then(|| health.clone())
        });
    let health = health.await;
    let [mut one, mut other] = [0, 1].map(|at| health["boards"][at].clone());
    without_times(&mut one, boards[0]);
    without_times(&mut other, boards[1]);
    assert_eq!(one, other);
}
