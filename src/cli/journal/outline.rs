//! The line of a game in `list`, read from the stored facts without replaying the game.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use remisd_game::{Game, LaterResult, Remembered, ResultReason, Rules, Side};
use remisd_journal::{Entry, SegmentRead};
use remisd_laws::{Ply, Score};

/// A game in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outline {
    /// The start time.
    pub(super) time: String,
    /// The PGN tags.
    pub(super) tags: BTreeMap<String, String>,
    /// Number of plies, without those taken back.
    pub(super) plies: Ply,
    /// The result.
    pub(super) score: Score,
    /// Whether the Laws alone ended the game. Such a result disappears with the ply that caused it.
    by_laws: bool,
    /// The score by a loss that is not effective yet.
    pending: Option<Score>,
}

/// A fact, reduced to its kind.
#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
}

#[derive(Deserialize)]
struct AtPly {
    ply: Ply,
}

#[derive(Deserialize)]
struct Concluded {
    score: Score,
    reason: ResultReason,
}

#[derive(Deserialize)]
struct Lost {
    loser: Side,
}

#[derive(Deserialize)]
struct Headers {
    headers: BTreeMap<String, String>,
}

impl Outline {
    /// The game of a segment; `None` if the segment has no entries.
    pub(super) fn of(segment: &SegmentRead) -> Option<Self> {
        let (first, rest) = segment.entries.split_first()?;
        let mut outline = Self::begun_by(first);
        for entry in rest {
            outline.take(entry);
        }
        Some(outline)
    }

    /// Takes what a later entry says about the result.
    pub(super) const fn decide(&mut self, later: LaterResult) {
        match later {
            LaterResult::Recorded(score) => self.score = score,
            LaterResult::Confirmed => {
                if let Some(score) = self.pending {
                    self.score = score;
                }
            }
        }
    }

    fn begun_by(entry: &Entry) -> Self {
        #[derive(Deserialize)]
        struct Time {
            time: String,
        }
        let time = serde_json::from_slice::<Time>(&entry.body);
        let mut outline = Self {
            time: time.map(|of| of.time).unwrap_or_default(),
            tags: BTreeMap::new(),
            plies: 0,
            score: Score::None,
            by_laws: false,
            pending: None,
        };
        match serde_json::from_slice::<Remembered>(&entry.body) {
            // The entry that begins the game has its tags, in a command or in the input.
            Ok(begins) if begins.begins_game() => {
                let mut game = Game::new(Rules::default());
                game.replay(entry.seq, &begins);
                outline.tags.clone_from(game.headers());
                outline.take(entry);
            }
            _ => outline.take(entry),
        }
        outline
    }

    fn take(&mut self, entry: &Entry) {
        #[derive(Deserialize)]
        struct Facts<'a> {
            #[serde(borrow, default)]
            facts: Vec<&'a RawValue>,
        }
        let Ok(Facts { facts }) = serde_json::from_slice(&entry.body) else {
            return;
        };
        for fact in facts {
            self.fact(fact.get());
        }
    }

    fn fact(&mut self, fact: &str) {
        let Ok(Kind { kind }) = serde_json::from_str(fact) else {
            return;
        };
        match kind {
            "move_made" => {
                if let Ok(AtPly { ply }) = serde_json::from_str(fact) {
                    self.plies = ply;
                }
            }
            "move_retracted" => {
                if let Ok(AtPly { ply }) = serde_json::from_str(fact) {
                    self.plies = ply.saturating_sub(1);
                }
            }
            "position_set" => {
                self.plies = 0;
                self.score = Score::None;
                self.pending = None;
            }
            "loss_pending" => {
                let lost = serde_json::from_str::<Lost>(fact).ok();
                self.pending = lost.map(|lost| Score::won_by(lost.loser.color().other()));
            }
            "end_retracted" if self.by_laws => self.score = Score::None,
            "result_set" => {
                if let Ok(Concluded { score, reason }) = serde_json::from_str(fact) {
                    self.score = score;
                    self.by_laws = reason.is_automatic();
                    self.pending = None;
                }
            }
            "headers_set" => {
                if let Ok(Headers { headers }) = serde_json::from_str(fact) {
                    self.tags = headers;
                }
            }
            _ => {}
        }
    }
}
