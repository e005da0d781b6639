//! When a game of a journal began.

use jiff::Timestamp;
use serde::Deserialize;

/// As much of an entry as is needed here.
#[derive(Deserialize)]
struct Glance {
    time: Timestamp,
    input: Kind,
}

#[derive(Deserialize)]
struct Kind {
    #[serde(rename = "type")]
    name: String,
}

/// When the first move of a game was made, from the bodies of its entries: the pieces may
/// have been set up the evening before. Without a move, when its first entry came.
pub fn began<'a>(bodies: impl Iterator<Item = &'a [u8]>) -> Option<Timestamp> {
    let mut first = None;
    for body in bodies {
        let Ok(entry) = serde_json::from_slice::<Glance>(body) else {
            continue;
        };
        if entry.input.name == "move" {
            return Some(entry.time);
        }
        first.get_or_insert(entry.time);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_begins_with_its_first_move() {
        let entry = |time: &str, kind: &str| {
            format!(
                "{{\"time\":\"2026-11-26T{time}Z\",\"input\":{{\"type\":\"{kind}\"}},\"facts\":[]}}"
            )
        };
        let entries = [
            entry("09:00:00", "new_game"),
            "not readable".to_owned(),
            entry("10:00:00", "move"),
            entry("11:00:00", "move"),
        ];
        let of = |entries: &[String]| began(entries.iter().map(String::as_bytes));
        let hour = |time: Option<Timestamp>| time.unwrap().to_string();
        assert_eq!(hour(of(&entries)), "2026-11-26T10:00:00Z");
        assert_eq!(hour(of(&entries[..1])), "2026-11-26T09:00:00Z");
        assert_eq!(of(&entries[1..2]), None);
    }
}
