//! Whether tags name the same person, although one of them was corrected.
//!
//! | evidence | likeness |
//! |---|---|
//! | the same FIDE id | same |
//! | the same name, but for case, diacritics, punctuation and the order of its parts | same |
//! | … with two different FIDE ids | similar: an id was corrected |
//! | names with initials, a missing part or up to two wrong letters | similar: a name was corrected |
//! | no name, or no id, to compare with | similar: a name or an id was added |
//! | anything else | other |
//!
//! ```text
//! Müller, Jürgen   JURGEN MULLER     same
//! Müller, Jürgen   Mueller, J.       similar
//! Müller, Jürgen   Müller, Anna      other
//! ```

use std::collections::BTreeMap;

use icu_normalizer::DecomposingNormalizerBorrowed;
use serde::{Deserialize, Serialize};

/// The most letters of a name that are compared: as many as a PGN tag has.
const LETTERS: usize = 255;
/// The most wrong letters of a name that is corrected.
const WRONG: usize = 2;
/// Parts that distinguish relatives with the same name.
const GENERATIONS: [&str; 7] = ["jr", "sr", "junior", "senior", "ii", "iii", "iv"];

/// A player, as the tags of a game name him.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Person {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fide_id: Option<u64>,
}

/// How alike two persons are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    /// They are different people.
    Other,
    /// They are the same person if a tag was corrected or added.
    Similar,
    /// They are the same person.
    Same,
}

impl Person {
    /// The player of a side, `White` or `Black`.
    pub(crate) fn of(headers: &BTreeMap<String, String>, side: &str) -> Self {
        let name = headers.get(side).filter(|name| !parts(name).is_empty());
        let id = headers.get(&format!("{side}FideId"));
        let id = id.and_then(|id| id.trim().parse().ok());
        Self {
            name: name.cloned(),
            fide_id: id.filter(|id| *id > 0),
        }
    }

    /// Whether no tag says anything about the player.
    pub(crate) const fn is_unknown(&self) -> bool {
        self.name.is_none() && self.fide_id.is_none()
    }

    /// How alike two persons are.
    pub(crate) fn likeness(&self, other: &Self) -> Likeness {
        let names = (self.name.as_deref().zip(other.name.as_deref()))
            .map(|(one, other)| names_likeness(one, other));
        match self.fide_id.zip(other.fide_id) {
            Some((one, other)) if one == other => Likeness::Same,
            // With two ids, only the whole name counts: relatives have similar ones.
            Some(_) if names == Some(Likeness::Same) => Likeness::Similar,
            Some(_) => Likeness::Other,
            None => names.unwrap_or(Likeness::Similar),
        }
    }

    /// Takes what newer tags say. What they no longer say is kept, also of the name: otherwise a name
    /// could become another one by steps.
    pub(crate) fn learn(&mut self, newer: Self) {
        let letters = |name: &String| parts(name).iter().map(String::len).sum::<usize>();
        let fuller = |known: &String, newer: &String| letters(known) > letters(newer) + WRONG;
        self.name = match (self.name.take(), newer.name) {
            (Some(known), Some(newer)) if fuller(&known, &newer) => Some(known),
            (known, newer) => newer.or(known),
        };
        self.fide_id = newer.fide_id.or(self.fide_id);
    }
}

fn names_likeness(one: &str, other: &str) -> Likeness {
    if in_one_word(one) == in_one_word(other) {
        return Likeness::Same;
    }
    let (mut one, mut other) = (parts(one), parts(other));
    one.sort_unstable();
    other.sort_unstable();
    if one == other {
        Likeness::Same
    } else if is_corrected(&one, &other) {
        Likeness::Similar
    } else {
        Likeness::Other
    }
}

/// Whether one name can be the other one, corrected. Each part of the shorter one must be in the
/// other, perhaps with a wrong letter or as an initial.
fn is_corrected(one: &[String], other: &[String]) -> bool {
    let generation = |parts: &[String]| {
        let mut parts = parts.iter();
        let found = parts.find(|part| GENERATIONS.contains(&part.as_str()));
        found.map(|part| part.chars().take(2).collect::<String>())
    };
    if generation(one) != generation(other) {
        return false;
    }
    let (short, long) = if one.len() <= other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let mut left: Vec<&str> = short.iter().map(String::as_str).collect();
    let mut free: Vec<&str> = long.iter().map(String::as_str).collect();
    // The best pairs first.
    take_pairs(&mut left, &mut free, |one, other| {
        (one == other).then_some(0)
    });
    let spelt = short.len() - left.len();
    let mut wrong = 0;
    take_pairs(&mut left, &mut free, |one, other| {
        let most = wrong_letters(one, other).min(WRONG - wrong);
        let distance = strsim::osa_distance(one, other);
        (distance <= most).then(|| wrong += distance)
    });
    let misspelt = short.len() - spelt - left.len();
    take_pairs(&mut left, &mut free, |one, other| {
        is_initial(one, other).then_some(0)
    });
    // Initials alone say too little.
    let whole = short.iter().any(|part| !is_letter(part));
    left.is_empty() && whole && spelt + misspelt > 0
}

/// Removes the pairs for which `is_pair` has an answer.
fn take_pairs<T>(
    left: &mut Vec<&str>,
    free: &mut Vec<&str>,
    mut is_pair: impl FnMut(&str, &str) -> Option<T>,
) {
    left.retain(|part| {
        let pair = free.iter().position(|other| is_pair(part, other).is_some());
        if let Some(at) = pair {
            free.remove(at);
        }
        pair.is_none()
    });
}

/// How many letters of a part may be wrong: none of a short one.
fn wrong_letters(one: &str, other: &str) -> usize {
    match one.chars().count().min(other.chars().count()) {
        0..4 => 0,
        4..8 => 1,
        8.. => 2,
    }
}

fn is_initial(one: &str, other: &str) -> bool {
    (is_letter(one) || is_letter(other)) && one.chars().next() == other.chars().next()
}

fn is_letter(part: &str) -> bool {
    part.chars().nth(1).is_none()
}

/// The name without its spaces, the part after a comma first.
fn in_one_word(name: &str) -> String {
    let (last, first) = name.split_once(',').unwrap_or((name, ""));
    [parts(first), parts(last)].concat().concat()
}

/// The parts of a name in small letters, without diacritics; none if it is a placeholder.
fn parts(name: &str) -> Vec<String> {
    let name: String = name.chars().take(LETTERS).collect();
    let decomposed = DecomposingNormalizerBorrowed::new_nfkd().normalize(&name);
    let mut plain = String::with_capacity(decomposed.len());
    for letter in decomposed.chars().flat_map(char::to_lowercase) {
        match letter {
            'ß' => plain.push_str("ss"),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            'ø' => plain.push('o'),
            'ł' => plain.push('l'),
            'đ' | 'ð' => plain.push('d'),
            'þ' => plain.push_str("th"),
            'ı' => plain.push('i'),
            '\u{300}'..='\u{36f}' => {}
            letter if letter.is_alphanumeric() => plain.push(letter),
            _ => plain.push(' '),
        }
    }
    let parts: Vec<String> = plain.split_whitespace().map(str::to_owned).collect();
    match parts.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["n", "n"] | ["nn"] => Vec::new(),
        _ => parts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(name: &str, id: &str) -> Person {
        let tags = [("White", name), ("WhiteFideId", id)];
        let tags = tags.map(|(tag, value)| (tag.to_owned(), value.to_owned()));
        Person::of(&tags.into_iter().collect(), "White")
    }

    #[test]
    fn people_are_compared_by_id_and_then_by_name() {
        use Likeness::{Other, Same, Similar};
        for (one, other, likeness) in [
            // The id decides.
            (("Smith, A", "7"), ("Jansen, B", "7"), Same),
            (("Smith, A", "7"), ("Smith, A", "9"), Similar),
            (("Smith, A", "7"), ("Smith, Anna", "9"), Other),
            // Case, diacritics, punctuation, order.
            (("Müller, Jürgen", ""), ("JURGEN MULLER", ""), Same),
            (("van Foreest, J.", ""), ("J van-Foreest", ""), Same),
            (("van Foreest, J", ""), ("VanForeest, J", ""), Same),
            (("O'Brien, Pat", ""), ("OBrien, Pat", ""), Same),
            (("Łukasz Þór", ""), ("Lukasz Thor", ""), Same),
            // Initials, added parts, letters.
            (("Müller, Jürgen", ""), ("Mueller, Juergen", ""), Similar),
            (("Smith, J", ""), ("Smith, John", ""), Similar),
            (("Smith, J.P.", ""), ("Smith, Jan Peter", ""), Similar),
            (("Smith", ""), ("Smith, John", ""), Similar),
            (("GM Carlson, Magnus", ""), ("Carlsen, Magnus", ""), Similar),
            (("Calrsen, Magnus", ""), ("Carlsen, Magnus", ""), Similar),
            // An id or a name is added.
            (("Smith, A", ""), ("Smyth, A", "7"), Similar),
            (("", "7"), ("Smith, A", ""), Similar),
            (("?", ""), ("Smith, A", "7"), Similar),
            // Other people.
            (("Smith, John", ""), ("Smith, Anna", ""), Other),
            (("Smith, John", ""), ("Jones, John", ""), Other),
            (("Li, Wei", ""), ("Lu, Wei", ""), Other),
            (("Smith, John", ""), ("Smith, John Jr.", ""), Other),
            (("Smith, J", ""), ("J", ""), Other),
            (("A", ""), ("B", ""), Other),
            (("Karlsen, Magnoss", ""), ("Carlsen, Magnus", ""), Other),
            (("Карпов, А", ""), ("Каспаров, Г", ""), Other),
        ] {
            let [one, other] = [one, other].map(|(name, id)| person(name, id));
            assert_eq!(one.likeness(&other), likeness, "{one:?} {other:?}");
            assert_eq!(other.likeness(&one), likeness, "{other:?} {one:?}");
        }
    }

    #[test]
    fn what_newer_tags_leave_out_is_kept() {
        let mut known = person("Smith, A", "7");
        known.learn(person("Smith, Anna", ""));
        assert_eq!(known, person("Smith, Anna", "7"));
        // Otherwise a name could become another one by steps.
        known.learn(person("Smith", ""));
        assert_eq!(known, person("Smith, Anna", "7"));
        known.learn(person("?", "0"));
        assert_eq!(known, person("Smith, Anna", "7"));
        assert!(person("N.N.", "x").is_unknown());
    }
}
