//! The examples of `protocol/livechess.md` are what the code says.
//!
//! `>` is a request and `<` what comes back. `#` is what happens at the board in between.

use remisd_vocabulary::time::ManualClock;
use serde_json::Value;

use super::{
    availability,
    client::{http, serve},
    clock, game_of, hub, link, publish, say, squares,
};
use crate::{Hub, session::SocketSession};
use remisd_topics::topic::Audience;

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../protocol/livechess.md"
);

/// When the examples begin, in milliseconds since 1970.
const BEGIN: u64 = 1_795_780_800_000;

/// The board of the examples: the game has begun with e4, and White's clock had 63 seconds left.
fn example() -> (Hub, std::sync::Arc<ManualClock>) {
    let (hub, manual) = hub(Audience::Operator, &["b1"]);
    manual.advance(BEGIN);
    let mut game = game_of("e4");
    for (name, text) in [
        ("Event", "Club evening"),
        ("Site", "Utrecht"),
        ("Date", "2026.11.27"),
        ("Round", "1"),
        ("White", "Euwe, Max"),
        ("Black", "Tartakower, Savielly"),
    ] {
        game.headers.insert(name.to_owned(), text.to_owned());
    }
    game.moves[0].clock_ms = Some(63_400);
    say(&hub, "link", &link("23946"));
    say(&hub, "availability", &availability("online"));
    say(&hub, "clock", &clock(63_400, 70_000, "black"));
    say(&hub, "game", &publish(&game));
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";
    say(&hub, "squares", &squares(after));
    (hub, manual)
}

#[tokio::test]
async fn every_example_is_what_a_client_gets() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (hub, manual) = example();
    let address = serve(&hub).await;
    let mut session = SocketSession::new(hub.clone());
    let mut changes = hub.changes();
    let mut expected: Vec<String> = Vec::new();
    let mut output: Vec<String> = Vec::new();
    let blocks = page.split("```text\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or("").lines());
    for line in lines {
        let (sign, text) = line.split_at(2);
        match sign {
            "> " => {
                if let Some(path) = text.strip_prefix("GET ") {
                    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost");
                    let (_, body) = http(address, &head).await;
                    let body: Value = serde_json::from_str(&body).unwrap();
                    output.push(body.to_string());
                } else {
                    session.receive(text);
                }
            }
            "# " => {
                if let Some(board) = text.strip_prefix("board ") {
                    say(&hub, "squares", &squares(board));
                } else if let Some(later) = text.strip_suffix(" ms later") {
                    manual.advance(later.parse().unwrap());
                    session.tick();
                } else {
                    panic!("{line}");
                }
                while let Ok(change) = changes.try_recv() {
                    session.change(&change);
                }
            }
            "< " => expected.push(text.to_owned()),
            _ => panic!("{line}"),
        }
        output.extend(session.take_output());
    }
    assert!(expected.len() > 12, "the page has examples");
    // Records keep the order of their keys only as text.
    let plain = |text: &String| {
        if text.starts_with("{\"response\"") {
            text.clone()
        } else {
            serde_json::from_str::<Value>(text).unwrap().to_string()
        }
    };
    let expected: Vec<String> = expected.iter().map(plain).collect();
    let output: Vec<String> = output.iter().map(plain).collect();
    assert_eq!(expected, output);
}
