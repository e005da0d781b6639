//! Who plays, as the program says that reads the board: `LiveChess` with its tournaments.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fact, Game};
use remisd_vocabulary::seq::EntrySeq;

/// The PGN tags of the pairing that was last taken, and the game that got them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TakenPairing {
    /// The tags.
    pub headers: BTreeMap<String, String>,
    /// The number of the game.
    pub game: EntrySeq,
}

impl TakenPairing {
    /// Whether none was taken yet.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.headers.is_empty()
    }
}

impl Game {
    /// Whether the game on the board takes these tags of a pairing.
    ///
    /// A game without names takes them, but not those that an earlier game had: the program may be
    /// late. The game that has a pairing takes its corrections, and another pairing before the first
    /// move. Names that the arbiter or an operator has entered are not replaced.
    #[must_use]
    pub fn takes_pairing(&self, headers: &BTreeMap<String, String>) -> bool {
        let taken = &self.pairing;
        if taken.headers == *headers {
            return false;
        }
        let has_taken = !taken.is_none() && taken.game == self.number();
        let is_same = |tag| taken.headers.get(tag) == headers.get(tag);
        let is_same_round = !taken.is_none() && is_same("Round") && is_same("Event");
        if has_taken {
            return is_same_round || !self.has_begun();
        }
        let has_name = |tag| {
            let name = self.headers().get(tag);
            name.is_some_and(|name| !matches!(name.as_str(), "" | "?"))
        };
        !is_same_round && !has_name("White") && !has_name("Black")
    }

    /// The program that reads the board names who plays. Only what it has changed is set: what the
    /// arbiter has entered meanwhile stays.
    pub(super) fn pairing_named(&mut self, headers: &BTreeMap<String, String>) -> Vec<Fact> {
        let taken = TakenPairing {
            headers: headers.clone(),
            game: self.number(),
        };
        let before = std::mem::replace(&mut self.pairing, taken);
        let is_of_this_game = before.game == self.number();
        let before = before.headers;
        let gone = before
            .keys()
            .filter(|name| is_of_this_game && !headers.contains_key(*name));
        let gone = gone.map(|name| (name.clone(), String::new()));
        let changed = headers
            .iter()
            .filter(|(name, value)| !is_of_this_game || before.get(*name) != Some(value));
        let changed = changed.map(|(name, value)| (name.clone(), value.clone()));
        let headers = changed.chain(gone).collect();
        self.set_headers(&headers).unwrap_or_else(|error| {
            let reason = error.to_string();
            vec![Fact::Refused { reason }]
        })
    }
}
