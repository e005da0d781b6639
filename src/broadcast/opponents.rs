//! Who plays a game, and the number of that pairing: it is a part of the `GameId`.
//!
//! Tags can change while a game is played. If a name was corrected, it is the same game. If other
//! people play, it is another one, although board and moves are the same:
//!
//! | the tags now | number |
//! |---|---|
//! | the same two people, or one of them corrected | stays |
//! | an earlier pairing again | the earlier one |
//! | another person at a colour, or the colours swapped | the next one |
//! | not certain | the next one |
//!
//! Not certain is a name that is only similar, while the new name is exactly that of another
//! player of the round. A wrong new number is visible: Lichess shows the game twice at worst, and
//! the report names it. A wrong old number would put one game's moves under another one's names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::person::{Likeness, Person};

/// The pairings of a game that are remembered: the newest ones.
const KEPT: usize = 16;

/// The people who have played a game, according to its tags.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Opponents {
    /// The newest pairing stands last.
    known: Vec<Pairing>,
    /// The greatest number that was given.
    given: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Pairing {
    number: u32,
    white: Person,
    black: Person,
}

impl Opponents {
    /// The number of the pairing, from 1.
    pub(crate) fn number(&self) -> u32 {
        self.known.last().map_or(1, |pairing| pairing.number)
    }

    /// Takes the tags of the game. `is_elsewhere` says whether a person plays at another board of
    /// the round, or did so before a change.
    pub(crate) fn take(
        &mut self,
        headers: &BTreeMap<String, String>,
        is_elsewhere: impl Fn(&Person) -> bool,
    ) {
        let [white, black] = ["White", "Black"].map(|side| Person::of(headers, side));
        let now = Pairing {
            number: 0,
            white,
            black,
        };
        self.add(now, is_elsewhere);
    }

    /// Takes what an earlier run has known of this game: it comes before what is known now.
    pub(crate) fn follow(&mut self, earlier: Self) {
        let later = std::mem::replace(self, earlier);
        for pairing in later.known {
            self.add(pairing, |_| false);
        }
    }

    fn add(&mut self, mut now: Pairing, is_elsewhere: impl Fn(&Person) -> bool) {
        let is_current = |pairing: &Pairing| pairing.is_continued_by(&now, &is_elsewhere);
        if let Some(current) = self.known.last_mut().filter(|current| is_current(current)) {
            current.white.learn(now.white);
            current.black.learn(now.black);
            return;
        }
        if let Some(at) = self.known.iter().position(|earlier| earlier.is(&now)) {
            let earlier = self.known.remove(at);
            self.known.push(earlier);
            return;
        }
        self.given = self.given.saturating_add(1);
        now.number = self.given;
        self.known.push(now);
        let surplus = self.known.len().saturating_sub(KEPT);
        self.known.drain(..surplus);
    }

    /// Whether the tags of this game name a player.
    pub(crate) fn are_named(&self) -> bool {
        let mut people = self.known.last().into_iter().flat_map(Pairing::people);
        people.any(|person| !person.is_unknown())
    }

    /// Whether the tags of this game name nobody, or the people who have played `before`.
    pub(crate) fn may_be(&self, before: &Self) -> bool {
        let (Some(now), Some(before)) = (self.known.last(), before.known.last()) else {
            return true;
        };
        let mut sides = before.people().into_iter().zip(now.people());
        sides.all(|(before, now)| {
            now.is_unknown()
                || match before.likeness(now) {
                    Likeness::Same => true,
                    Likeness::Similar => !before.is_unknown(),
                    Likeness::Other => false,
                }
        })
    }

    /// Whether a person certainly plays this game, or did so before a change.
    pub(crate) fn have(&self, person: &Person) -> bool {
        let mut people = self.known.iter().flat_map(Pairing::people);
        people.any(|known| known.likeness(person) == Likeness::Same)
    }
}

impl Pairing {
    const fn people(&self) -> [&Person; 2] {
        [&self.white, &self.black]
    }

    /// Whether both people are certainly the same.
    fn is(&self, other: &Self) -> bool {
        let mut sides = self.people().into_iter().zip(other.people());
        sides.all(|(one, other)| one.likeness(other) == Likeness::Same)
    }

    /// Whether newer tags name the same people, perhaps corrected.
    fn is_continued_by(&self, now: &Self, is_elsewhere: impl Fn(&Person) -> bool) -> bool {
        let sides = [
            (&self.white, &self.black, &now.white),
            (&self.black, &self.white, &now.black),
        ];
        sides.into_iter().all(|(before, opponent, now)| {
            match before.likeness(now) {
                Likeness::Same => true,
                Likeness::Other => false,
                Likeness::Similar if now.is_unknown() => true,
                // The opponent has changed sides.
                Likeness::Similar if opponent.likeness(now) == Likeness::Same => false,
                Likeness::Similar => before.is_unknown() || !is_elsewhere(now),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "Smith, John";
    const B: &str = "Müller, Jürgen";
    const C: &str = "Jansen, Piet";

    fn tags(white: &str, black: &str) -> BTreeMap<String, String> {
        let tags = [("White", white), ("Black", black)];
        let tags = tags.map(|(tag, name)| {
            let (name, id) = name.split_once('/').unwrap_or((name, ""));
            [
                (tag.to_owned(), name.to_owned()),
                (format!("{tag}FideId"), id.to_owned()),
            ]
        });
        tags.into_iter().flatten().collect()
    }

    /// The number after each of these tags; `elsewhere` plays at another board.
    fn numbers(elsewhere: &str, pairings: &[(&str, &str)]) -> Vec<u32> {
        let mut other = Opponents::default();
        other.take(&tags(elsewhere, "?"), |_| false);
        let mut opponents = Opponents::default();
        let numbers = pairings.iter().map(|(white, black)| {
            opponents.take(&tags(white, black), |person| other.have(person));
            opponents.number()
        });
        numbers.collect()
    }

    #[test]
    fn a_corrected_name_keeps_the_number_and_other_people_get_the_next_one() {
        for (pairings, expected) in [
            // Spelling, title, id, order; a side is named later or no longer.
            (
                vec![(A, B), ("Smyth, John", B), ("John Smyth", B)],
                vec![1, 1, 1],
            ),
            (
                vec![(A, B), (A, "Mueller J"), (A, "Müller, Jürgen/7")],
                vec![1, 1, 1],
            ),
            (vec![(A, B), ("GM Smith, John", "X/7")], vec![1, 2]),
            (vec![("Smith/7", B), ("Smithson, Jack/7", B)], vec![1, 1]),
            (vec![("", ""), (A, ""), (A, B), ("", "")], vec![1; 4]),
            // Another person, also after a time without names.
            (vec![(A, B), (A, C)], vec![1, 2]),
            (vec![(A, B), ("", ""), (C, B)], vec![1, 1, 2]),
            // Swapped, also one after the other.
            (vec![(A, B), (B, A)], vec![1, 2]),
            (vec![(A, ""), ("", A)], vec![1, 2]),
            // The earlier pairing again, and a third one.
            (
                vec![(A, B), (A, C), (A, B), (C, A), (C, B)],
                vec![1, 2, 1, 3, 4],
            ),
            // Brothers.
            (vec![("Smith, Jo/7", B), ("Smith, Joe/8", B)], vec![1, 2]),
            (
                vec![
                    ("Smith, Anna", "Smith, Anne"),
                    ("Smith, Anne", "Smith, Anna"),
                ],
                vec![1, 2],
            ),
        ] {
            assert_eq!(numbers("", &pairings), expected, "{pairings:?}");
        }
    }

    #[test]
    fn what_an_earlier_run_has_known_comes_first() {
        let known = |whites: &[&str]| {
            let mut opponents = Opponents::default();
            for white in whites {
                opponents.take(&tags(white, B), |_| false);
            }
            opponents
        };
        let (earlier, mut now) = (known(&[A, C]), known(&[C]));
        assert_eq!((earlier.number(), now.number()), (2, 1));
        now.follow(earlier);
        assert_eq!(now.number(), 2);
    }

    #[test]
    fn a_similar_name_of_a_player_at_another_board_is_no_correction() {
        let pairings = [("Smith, Anna", B), ("Smith, Anne", B)];
        assert_eq!(numbers("", &pairings), [1, 1]);
        assert_eq!(numbers("Smith, Anne", &pairings), [1, 2]);
        // A first name is no change.
        assert_eq!(numbers(A, &[("", B), (A, B)]), [1, 1]);
    }

    #[test]
    fn numbers_are_never_used_again_although_old_pairings_are_forgotten() {
        let names: Vec<String> = (0..40_u8)
            .map(|n| format!("P{}", "x".repeat(usize::from(n) * 4)))
            .collect();
        let pairings: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), B)).collect();
        assert_eq!(numbers("", &pairings), (1..=40).collect::<Vec<_>>());
        let back: Vec<_> = [
            pairings.clone(),
            vec![pairings[39], pairings[24], pairings[23]],
        ]
        .concat();
        assert_eq!(numbers("", &back)[40..], [40, 25, 41]);
    }
}
