//! What a board's later entries say about the results of its earlier games.
//!
//! A result that the arbiter enters for an earlier game stands in the segment of the game that was
//! on the board then. Every reader of results takes it from here.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use remisd_game::{Game, LaterResult};
use remisd_journal::{Entry, SegmentRead};
use remisd_laws::Score;
use remisd_vocabulary::seq::EntrySeq;

/// The newest word on the result of each earlier game of a board.
#[derive(Debug, Default)]
pub(super) struct LaterResults(BTreeMap<EntrySeq, LaterResult>);

impl LaterResults {
    /// Takes what a segment says. Segments come in their order.
    pub(super) fn take(&mut self, said: Vec<(EntrySeq, LaterResult)>) {
        self.0.extend(said);
    }

    /// What is said about the game with this number.
    pub(super) fn of(&self, game: EntrySeq) -> Option<LaterResult> {
        self.0.get(&game).copied()
    }

    /// Gives a game the result that is said about it.
    pub(super) fn decide(&self, game: &mut Game) {
        if let Some(later) = self.of(game.number()) {
            game.decide_later(later);
        }
    }
}

/// What the entries of a segment say about earlier games.
pub(super) fn said_in(segment: &SegmentRead) -> Vec<(EntrySeq, LaterResult)> {
    segment.entries.iter().flat_map(said_by).collect()
}

/// What an entry says about earlier games.
pub(super) fn said_by(entry: &Entry) -> Vec<(EntrySeq, LaterResult)> {
    #[derive(Deserialize)]
    struct Facts<'a> {
        #[serde(borrow, default)]
        facts: Vec<&'a RawValue>,
    }
    // Few entries say anything, so most need no parsing.
    let text = std::str::from_utf8(&entry.body).unwrap_or_default();
    if !["\"result_recorded\"", "\"result_confirmed\""]
        .iter()
        .any(|kind| text.contains(kind))
    {
        return Vec::new();
    }
    let Ok(Facts { facts }) = serde_json::from_str(text) else {
        return Vec::new();
    };
    let said = facts
        .into_iter()
        .filter_map(|fact| said_in_fact(fact.get()));
    said.filter(|(game, _)| *game < entry.seq).collect()
}

fn said_in_fact(fact: &str) -> Option<(EntrySeq, LaterResult)> {
    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum Said {
        ResultRecorded {
            game: EntrySeq,
            score: Score,
        },
        ResultConfirmed {
            game: Option<EntrySeq>,
        },
        #[serde(other)]
        Else,
    }
    match serde_json::from_str(fact).ok()? {
        Said::ResultRecorded { game, score } => Some((game, LaterResult::Recorded(score))),
        Said::ResultConfirmed { game } => Some((game?, LaterResult::Confirmed)),
        Said::Else => None,
    }
}
