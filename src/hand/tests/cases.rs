//! Short sequences of events that people made and that a reader of hands may misread: each is
//! read rightly, or said to be in doubt, but not silently wrong.

mod feed;

use std::{fs, path::Path};

use feed::{Feed, Verdict};
use serde_json::Value;
use shakmaty::{Color, Piece, Position as _, Square};

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../../shared/hand/cases.json"
);

/// What happens at a moment.
enum Event<'a> {
    Square(Square, Option<Piece>),
    Clock(&'a str, Option<Color>),
}

fn play(case: &Value) -> Feed {
    let position = Feed::position(case["fen"].as_str().expect("a FEN"));
    let mut events: Vec<(u64, Event)> = Vec::new();
    for event in case["events"].as_array().expect("events") {
        let square = event[1]
            .as_str()
            .and_then(|name| name.parse().ok())
            .expect("a square");
        let piece = event[2].as_str().and_then(|name| name.chars().next());
        let piece = piece.and_then(Piece::from_char);
        events.push((
            event[0].as_u64().expect("a time"),
            Event::Square(square, piece),
        ));
    }
    for event in case["clock"].as_array().into_iter().flatten() {
        let by = event[2]
            .as_str()
            .map(|name| Color::from_white(name == "white"));
        let what = event[1].as_str().expect("a word");
        events.push((event[0].as_u64().expect("a time"), Event::Clock(what, by)));
    }
    events.sort_by_key(|(at, _)| *at);
    let board = position.board().clone();
    let first_press = events.iter().find_map(|(_, event)| match event {
        Event::Clock("press", by) => *by,
        _ => None,
    });
    let lever = first_press.unwrap_or(position.turn());
    let mut feed = Feed::new(position, lever, true);
    feed.look(&board);
    if case["clock"].is_array() {
        feed.lever(lever, true);
    }
    let begin = 2_000;
    let mut last = begin;
    for (at, event) in events {
        last = begin + at;
        feed.wait_until(last);
        match event {
            Event::Square(square, piece) => feed.square(square, piece),
            Event::Clock("press", by) => feed.lever(by.expect("a player").other(), true),
            Event::Clock(word, _) => feed.run(word == "go"),
        }
        if std::env::var("SHOW")
            .is_ok_and(|name| case["name"].as_str().is_some_and(|n| n.starts_with(&name)))
        {
            println!("{at} {:?}\n{}", feed.uci(), feed.tracker.inspect(8));
        }
    }
    feed.wait_until(last + case["wait"].as_u64().unwrap_or(5_000));
    feed
}

#[test]
fn what_people_did_is_read_or_doubted() {
    if !Path::new(FILE).exists() {
        return;
    }
    let text = fs::read_to_string(FILE).expect("it is there");
    let cases: Vec<Value> = serde_json::from_str(&text).expect("it is JSON");
    let mut silent = 0;
    for case in &cases {
        let truth: Vec<String> = serde_json::from_value(case["truth"].clone()).expect("moves");
        let feed = play(case);
        let verdict = feed.verdict(&truth);
        silent += usize::from(verdict == Verdict::SilentlyWrong);
        let name = case["name"].as_str().unwrap_or_default();
        println!("{verdict:?}: {name}\n    read {}", feed.uci().join(" "));
    }
    assert!(
        silent <= MOST_SILENT,
        "{silent} of {} are silently wrong",
        cases.len()
    );
}

/// Cases that are known to be misread without a word.
const MOST_SILENT: usize = 1;
