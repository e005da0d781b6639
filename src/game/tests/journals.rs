//! Journals of earlier versions: they are read, written again and replayed to the same bytes.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::*;
use remisd_vocabulary::seq::EntrySeq;

/// Entries as earlier versions have written them, also of inputs that made no sense. Each game
/// begins with number 1.
const ENTRIES: &str = include_str!("journals.jsonl");

/// What an entry says of the one claim that is judged otherwise now, and what follows from it: it came
/// after a restart, before the board was reached, so it is for the arbiter.
const FLAGGED: [(&str, &str); 2] = [
    (
        r#""ply":16,"time":"1970-01-01T00:00:20.000Z","finding":"correct""#,
        r#""ply":16,"time":"1970-01-01T00:00:20.000Z","finding":"arbiter_decides""#,
    ),
    (
        r#""last_zeroing":null,"ruling":null"#,
        r#""last_zeroing":null,"remarks":["record_incomplete"],"ruling":null"#,
    ),
];

/// The facts that follow from an entry now.
fn expected(facts: &str) -> (String, Likeness) {
    let [(finding, _), _] = FLAGGED;
    if !facts.contains(finding) {
        return (facts.to_owned(), Likeness::Same);
    }
    let facts = FLAGGED
        .iter()
        .fold(facts.to_owned(), |facts, (was, is)| facts.replace(was, is));
    (facts, Likeness::Other)
}

/// The parts of an entry whose bytes are compared.
#[derive(Deserialize)]
struct Raw<'a> {
    seq: EntrySeq,
    #[serde(borrow)]
    input: &'a RawValue,
    #[serde(borrow)]
    facts: &'a RawValue,
}

#[test]
fn journals_of_earlier_versions_replay_to_the_same_bytes() {
    let mut game = Game::new(Rules::default());
    for line in ENTRIES.lines() {
        let raw: Raw<'_> = serde_json::from_str(line).unwrap();
        if raw.seq == EntrySeq::new(1) {
            game = Game::new(Rules::default());
        }
        let entry: Remembered = serde_json::from_str(line).unwrap();
        let input = serde_json::to_string(&entry.input).unwrap();
        assert_eq!(input, raw.input.get(), "{line}");
        let replayed = game.replay(raw.seq, &entry);
        let facts = serde_json::to_string(&replayed.facts).unwrap();
        let (expected, likeness) = expected(raw.facts.get());
        assert_eq!(facts, expected, "{line}");
        assert_eq!(replayed.likeness, likeness, "{line}");
        assert_eq!(Some(game.numbers()), entry.numbers.as_ref(), "{line}");
    }
}

#[test]
fn facts_in_another_form_are_the_same_facts() {
    let mut game = Game::new(Rules::default());
    let (mut rearranged, mut others) = (0, 0);
    for line in ENTRIES.lines() {
        let raw: Raw<'_> = serde_json::from_str(line).unwrap();
        if raw.seq == EntrySeq::new(1) {
            game = Game::new(Rules::default());
        }
        // A `Value` sorts its keys.
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let sorted = value["facts"].to_string();
        rearranged += usize::from(sorted != raw.facts.get());
        let mut other = value.clone();
        let facts = other["facts"].as_array_mut().unwrap();
        facts.push(serde_json::json!({"type": "move_made"}));
        let mut again = game.clone();
        let other: Remembered = serde_json::from_value(other).unwrap();
        others += usize::from(again.replay(raw.seq, &other).likeness == Likeness::Other);
        let entry: Remembered = serde_json::from_value(value).unwrap();
        let (_, likeness) = expected(raw.facts.get());
        assert_eq!(game.replay(raw.seq, &entry).likeness, likeness);
    }
    assert!(rearranged > 100, "{rearranged}");
    assert_eq!(others, ENTRIES.lines().count());
}
