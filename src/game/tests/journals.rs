//! Journals of earlier versions: they are read, written again and replayed to the same bytes.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::*;

/// Entries as earlier versions have written them, also of inputs that made no sense. Each game
/// begins with number 1.
const ENTRIES: &str = include_str!("journals.jsonl");

/// The parts of an entry whose bytes are compared.
#[derive(Deserialize)]
struct Raw<'a> {
    seq: u64,
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
        if raw.seq == 1 {
            game = Game::new(Rules::default());
        }
        let entry: Remembered = serde_json::from_str(line).unwrap();
        let input = serde_json::to_string(&entry.input).unwrap();
        assert_eq!(input, raw.input.get(), "{line}");
        let replayed = game.replay(raw.seq, &entry);
        let facts = serde_json::to_string(&replayed.facts).unwrap();
        assert_eq!(facts, raw.facts.get(), "{line}");
        assert_eq!(replayed.likeness, Likeness::Same, "{line}");
        assert_eq!(Some(game.numbers()), entry.numbers.as_ref(), "{line}");
    }
}
