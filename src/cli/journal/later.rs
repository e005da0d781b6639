//! What a board's later entries say about the results of its earlier games.
//!
//! A result that the arbiter enters for an earlier game stands in the segment of the game that was
//! on the board then. Every reader of results takes it from here.

use std::{collections::BTreeMap, io};

use serde::Deserialize;
use serde_json::value::RawValue;

use remisd_game::{Game, LaterResult};
use remisd_journal::{Entry, SegmentRead};
use remisd_laws::Score;
use remisd_vocabulary::seq::EntrySeq;

/// The newest word on the result of each earlier game of a board.
#[derive(Debug, Default)]
pub(super) struct LaterResults(BTreeMap<EntrySeq, LaterResult>);

/// What a segment says about the results of earlier games.
pub(super) type Decided = Vec<(EntrySeq, LaterResult)>;

/// What was read of a board's segments, in their order.
#[derive(Debug)]
pub(super) struct Gathered<T> {
    /// What each of them gave.
    pub(super) read: Vec<T>,
    /// What they say about the results of earlier games.
    pub(super) later: LaterResults,
    /// Why the next segment could not be read; `None` if all were.
    pub(super) error: Option<io::Error>,
}

/// Gathers what is read of a board's segments, up to the first that cannot be read.
pub(super) fn gather<T>(reads: Vec<io::Result<(T, Decided)>>) -> Gathered<T> {
    let mut gathered = Gathered {
        read: Vec::new(),
        later: LaterResults::default(),
        error: None,
    };
    for read in reads {
        match read {
            Ok((read, decided)) => {
                gathered.later.0.extend(decided);
                gathered.read.push(read);
            }
            Err(error) => {
                gathered.error = Some(error);
                break;
            }
        }
    }
    gathered
}

impl LaterResults {
    /// What is decided about the game with this number.
    pub(super) fn of(&self, game: EntrySeq) -> Option<LaterResult> {
        self.0.get(&game).copied()
    }

    /// Gives a game the result that is decided about it.
    pub(super) fn decide(&self, game: &mut Game) {
        if let Some(later) = self.of(game.number()) {
            game.decide_later(later);
        }
    }
}

/// What the entries of a segment say about earlier games.
pub(super) fn results_in(segment: &SegmentRead) -> Decided {
    segment.entries.iter().flat_map(results_of).collect()
}

/// What an entry says about earlier games.
pub(super) fn results_of(entry: &Entry) -> Decided {
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
    let decided = facts
        .into_iter()
        .filter_map(|fact| later_result(fact.get()));
    decided.filter(|(game, _)| *game < entry.seq).collect()
}

fn later_result(fact: &str) -> Option<(EntrySeq, LaterResult)> {
    #[derive(Deserialize)]
    #[serde(tag = "type", rename_all = "snake_case")]
    enum LaterFact {
        ResultRecorded {
            game: EntrySeq,
            score: Score,
        },
        ResultConfirmed {
            game: Option<EntrySeq>,
        },
        #[serde(other)]
        Other,
    }
    match serde_json::from_str(fact).ok()? {
        LaterFact::ResultRecorded { game, score } => Some((game, LaterResult::Recorded(score))),
        LaterFact::ResultConfirmed { game } => Some((game?, LaterResult::Confirmed)),
        LaterFact::Other => None,
    }
}
