//! A game that was begun while the disk was away, and the one that the disk then shows.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cause, Fact, Game, Input, LeftUndecided, Stamped, Unconfirmed, ending::UNCONFIRMED};

/// What a game leaves to the board when another one takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LeftBehind {
    /// The number of the game.
    pub game: u64,
    /// Ends, its own and those before it, that nobody has confirmed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unconfirmed: Vec<Unconfirmed>,
    /// What is undecided in it and in those before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<LeftUndecided>,
}

impl Game {
    /// What this game would leave to the board if another one began now.
    #[must_use]
    pub fn what_it_leaves(&self, time: Timestamp) -> LeftBehind {
        let mut after = self.clone();
        let regulations = &self.rules().regulations;
        after.apply(&Stamped {
            seq: self.seq().saturating_add(1),
            time,
            input: Input::NewGame {
                start_fen: None,
                laws: regulations.edition.id.to_owned(),
                rate: regulations.rate,
                headers: std::collections::BTreeMap::new(),
                cause: Cause::Startup,
            },
        });
        LeftBehind {
            game: self.number(),
            unconfirmed: after.unconfirmed,
            undecided: after.left_undecided,
        }
    }

    /// Keeps in view what the game on the disk has left. What this game knows is newer.
    pub(super) fn reunited(&mut self, left: &LeftBehind) -> Vec<Fact> {
        let before = left.unconfirmed.iter().cloned();
        self.unconfirmed.splice(0..0, before);
        let surplus = self.unconfirmed.len().saturating_sub(UNCONFIRMED);
        self.unconfirmed.drain(..surplus);
        let newer = std::mem::take(&mut self.left_undecided);
        let facts = self.keep_left(left.undecided.clone());
        self.keep_left(newer);
        facts
    }
}
