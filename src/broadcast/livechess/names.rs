//! Names that stay the same: ids of tournaments and games, and players' names in parts.

use sha2::{Digest as _, Sha256};

/// An id that looks like a UUID and always stands for the same words.
///
/// It has the form of version 8 (RFC 9562): the first 122 bits of a SHA-256.
#[must_use]
pub fn uuid(words: &[&str]) -> String {
    let mut hash = Sha256::new_with_prefix("remisd livechess");
    for word in words {
        // A byte that no word contains separates them.
        hash.update([0xff]);
        hash.update(word);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let number = u128::from_be_bytes(bytes);
    let all = format!("{number:032x}");
    [
        &all[..8],
        &all[8..12],
        &all[12..16],
        &all[16..20],
        &all[20..],
    ]
    .join("-")
}

/// A player's name in parts: last name, first name, names between them.
///
/// PGN writes `Last, First Middle`. A name without a comma is a last name; its parts are unknown.
#[must_use]
pub fn parts(name: &str) -> (Option<String>, Option<String>, Option<String>) {
    let own = |part: &str| (!part.is_empty()).then(|| part.to_owned());
    let name = name.trim();
    if name == "?" {
        return (None, None, None);
    }
    let (last, rest) = name.split_once(',').unwrap_or((name, ""));
    let rest = rest.trim();
    let (first, middle) = rest.split_once(' ').unwrap_or((rest, ""));
    (own(last.trim()), own(first), own(middle.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_constant_and_belongs_to_its_words_alone() {
        let id = uuid(&["hall", "b1", "1"]);
        assert_eq!(id, uuid(&["hall", "b1", "1"]));
        assert_ne!(id, uuid(&["hall", "b11"]));
        assert_ne!(id, uuid(&["hallb1", "1"]));
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(&id[14..15], "8");
        assert!(matches!(&id[19..20], "8" | "9" | "a" | "b"));
    }

    #[test]
    fn names_have_parts() {
        let of = |last: &str, first: &str, middle: &str| {
            let own = |part: &str| (!part.is_empty()).then(|| part.to_owned());
            (own(last), own(first), own(middle))
        };
        for (name, expected) in [
            ("Euwe, Max", of("Euwe", "Max", "")),
            (
                "Botvinnik, Mikhail Moiseyevich",
                of("Botvinnik", "Mikhail", "Moiseyevich"),
            ),
            ("A", of("A", "", "")),
            ("van der Berg, Jan", of("van der Berg", "Jan", "")),
            ("?", of("", "", "")),
            ("", of("", "", "")),
        ] {
            assert_eq!(parts(name), expected, "{name}");
        }
    }
}
