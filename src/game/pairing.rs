//! Who plays, as the program says that reads the board: `LiveChess` with its tournaments.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Fact, Game};
use remisd_vocabulary::seq::EntrySeq;

/// The pairing that was last taken, and the game that got it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct TakenPairing {
    /// Its id in the program.
    pub id: String,
    /// Its PGN tags.
    pub headers: BTreeMap<String, String>,
    /// The number of the game.
    pub game: EntrySeq,
}

impl TakenPairing {
    /// Whether none was taken yet.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.id.is_empty()
    }
}

/// Whether a tag says nothing.
fn is_unknown(value: Option<&String>) -> bool {
    value.is_none_or(|value| matches!(value.as_str(), "" | "?" | "????.??.??"))
}

impl Game {
    /// The id of the pairing that the game on the board has taken.
    #[must_use]
    pub fn taken_pairing(&self) -> Option<&str> {
        let taken = &self.pairing;
        let is_here = !taken.is_none() && taken.game == self.number();
        is_here.then_some(&*taken.id)
    }

    /// Whether the tags of the game on the board name both players.
    #[must_use]
    pub fn names_both_players(&self) -> bool {
        let mut names = ["White", "Black"].iter();
        names.all(|name| !is_unknown(self.headers().get(*name)))
    }

    /// The tags that the game on the board takes of a pairing that is being played; `None` if it
    /// does not take the pairing, or has it already.
    ///
    /// A game in progress without names takes it, unless an earlier game had it: the board may show
    /// an analysis of that. A game takes the corrections of its own pairing, and another one before
    /// its first move. Tags that the arbiter or an operator has entered are not replaced.
    #[must_use]
    pub fn takes_pairing(
        &self,
        id: &str,
        headers: &BTreeMap<String, String>,
    ) -> Option<Vec<String>> {
        let taken = &self.pairing;
        let is_here = !taken.is_none() && taken.game == self.number();
        let may_take = match (is_here, taken.id == id) {
            (true, true) => true,
            (true, false) => !self.has_begun(),
            (false, true) => false,
            (false, false) => ["White", "Black"]
                .iter()
                .all(|name| is_unknown(self.headers().get(*name))),
        };
        // Masked names say nothing about what has changed.
        let is_masked = is_here && taken.headers.values().any(|value| value == "?");
        let is_same = taken.id == id && taken.headers == *headers;
        if !may_take || is_masked || is_same || !self.is_compared() {
            return None;
        }
        let none = BTreeMap::new();
        let before = if is_here { &taken.headers } else { &none };
        let names: BTreeSet<&String> = before.keys().chain(headers.keys()).collect();
        let is_free = |name: &String| {
            let now = self.headers().get(name);
            is_unknown(now) || now == before.get(name)
        };
        let changed = names.into_iter();
        let changed = changed.filter(|name| before.get(*name) != headers.get(*name));
        Some(changed.filter(|name| is_free(name)).cloned().collect())
    }

    /// The game takes these tags, `set`, of a pairing.
    pub(super) fn take_pairing(
        &mut self,
        id: &str,
        headers: &BTreeMap<String, String>,
        set: &[String],
    ) -> Vec<Fact> {
        self.pairing = TakenPairing {
            id: id.to_owned(),
            headers: headers.clone(),
            game: self.number(),
        };
        let set = set.iter();
        let set = set.map(|name| (name.clone(), headers.get(name).cloned().unwrap_or_default()));
        let set: BTreeMap<String, String> = set.collect();
        if set.is_empty() {
            return Vec::new();
        }
        self.set_headers(&set).unwrap_or_else(|error| {
            let reason = error.to_string();
            vec![Fact::Refused { reason }]
        })
    }
}
