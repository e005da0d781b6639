//! The values in a file that describe a player.

use std::collections::BTreeMap;

use super::{Findings, Trouble, tidy};

/// Words that stand for a missing opponent.
const BYES: [&str; 34] = [
    "bye",
    "full point bye",
    "half point bye",
    "zero point bye",
    "pairing allocated bye",
    "not paired",
    "unpaired",
    "no opponent",
    "spielfrei",
    "spiel frei",
    "freilos",
    "kampflos frei",
    "nicht gepaart",
    "nicht ausgelost",
    "kein gegner",
    "ohne gegner",
    "vrij",
    "vrijgeloot",
    "vrije ronde",
    "vrij geloot",
    "oneven",
    "niet ingedeeld",
    "geen tegenstander",
    "exempt",
    "descansa",
    "riposa",
    "dummy",
    "nn",
    "n n",
    "nicht anwesend",
    "abwesend",
    "not present",
    "afwezig",
    "niet aanwezig",
];
/// Words that stand for a missing rating.
const UNRATED: [&str; 12] = [
    "unr", "unrated", "ur", "na", "nn", "none", "ohne", "ka", "keine", "geen", "nieuw", "neu",
];

/// Chess titles.
const TITLES: [&str; 14] = [
    "GM", "IM", "FM", "CM", "NM", "WGM", "WIM", "WFM", "WCM", "WNM", "AGM", "AIM", "AFM", "ACM",
];

/// Whether a value is a chess title and nothing else.
pub(super) fn is_title(value: &str) -> bool {
    TITLES.contains(&value.trim().to_uppercase().as_str())
}

/// Whether a value in the place of a rating consists of words.
pub(super) fn is_words(value: &str) -> bool {
    let value = value.trim();
    value.contains(char::is_alphabetic)
        && !value.contains(|c: char| c.is_ascii_digit())
        && rating(value).is_err()
}

/// Whether a name stands for a missing opponent.
pub(super) fn is_bye(name: &str) -> bool {
    let mut depth = 0_u32;
    let words = name.chars().filter_map(|c| match c {
        '(' | '[' => {
            depth += 1;
            None
        }
        ')' | ']' => {
            depth = depth.saturating_sub(1);
            None
        }
        _ if depth > 0 || c.is_numeric() => None,
        '-' | '.' | '_' | '*' | '–' | '—' | '/' => Some(' '),
        c => Some(c),
    });
    let words: String = words.collect::<String>().to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let label = words.join(" ");
    (label.is_empty() && !name.trim().is_empty() && !name.contains('?'))
        || BYES.contains(&label.as_str())
}

/// Whether a value is empty or a placeholder: `?`, `-`, `–`.
pub(super) fn is_unknown(value: &str) -> bool {
    value
        .chars()
        .all(|c| c.is_whitespace() || matches!(c, '?' | '-' | '–' | '—' | '.' | '*'))
}

/// Stores a tag unless its value is a placeholder. An invalid rating is dropped; unless it stands
/// for "unrated", it adds a warning.
pub(super) fn keep(
    headers: &mut BTreeMap<String, String>,
    tag: &str,
    value: &str,
    line: u64,
    findings: &mut Findings,
) {
    let value = tidy(value);
    if matches!(tag, "White" | "Black") {
        if !value.is_empty() && !value.chars().all(|c| c == '?') {
            headers.insert(tag.to_owned(), value.into_owned());
        }
        return;
    }
    if is_unknown(&value) {
        return;
    }
    if tag.ends_with("Elo") {
        match rating(&value) {
            Ok(Some(rating)) => headers.insert(tag.to_owned(), rating.to_owned()),
            Ok(None) => None,
            Err(()) => {
                findings.warning(line, Trouble::Elo, &value);
                None
            }
        };
        return;
    }
    headers.insert(tag.to_owned(), value.into_owned());
}

/// The digits of a rating; `None` for an unrated player.
fn rating(value: &str) -> Result<Option<&str>, ()> {
    let letters = value.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.map(|c| c.to_ascii_lowercase()).collect();
    if UNRATED.contains(&plain.as_str()) || plain.bytes().all(|b| b == b'0') {
        return Ok(None);
    }
    let digits = value.len() - value.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = value.split_at(digits);
    // Some programs append a letter or sign for the rating list: `2105F`, `1830*`.
    let marked = rest.trim_start().chars().all(|c| !c.is_ascii_digit());
    if (3..=4).contains(&digits) && marked {
        Ok(Some(number))
    } else {
        Err(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byes_are_known_and_names_are_none() {
        for bye in [
            "bye",
            "BYE",
            "Bye (1)",
            "spielfrei",
            "Spielfrei 1",
            "vrij",
            "Vrij.",
            "half-point bye",
            "-",
            "--",
            "–",
            "*** bye ***",
            "N.N.",
            "nicht anwesend",
        ] {
            assert!(is_bye(bye), "{bye}");
        }
        for name in [
            "",
            "?",
            "Byers, John",
            "Vrij, Jan",
            "de Vrij",
            "Frei",
            "Smit",
        ] {
            assert!(!is_bye(name), "{name}");
        }
    }

    #[test]
    fn a_player_without_a_rating_has_none() {
        for unrated in ["unr.", "unr", "0", "0000", "UR", "ohne", "n/a"] {
            assert_eq!(rating(unrated), Ok(None), "{unrated}");
        }
        for (text, number) in [
            ("2105", "2105"),
            ("2105F", "2105"),
            ("980", "980"),
            ("1830 *", "1830"),
        ] {
            assert_eq!(rating(text), Ok(Some(number)), "{text}");
        }
        for bad in ["x", "21055", "21", "2105/1987"] {
            assert_eq!(rating(bad), Err(()), "{bad}");
        }
    }
}
