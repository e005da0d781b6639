//! Pieces that players touch (4.2, 4.3, 9.4): evidence, not proof of intent.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move};

use super::{
    Fact, Game, RefusalCode, Side,
    command::yes,
    obey::{Refused, shown},
};
use remisd_laws::{Ply, Refusal, Remark};
use remisd_vocabulary::{notation::MoveText, time::as_rfc3339};

/// A piece that the player having the move has touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Touched {
    /// By whom.
    pub by: Side,
    /// Where it stood.
    pub square: String,
    /// After which ply.
    pub ply: Ply,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// He had said that he adjusts it.
    pub adjusting: bool,
    /// The arbiter says so; else the sensors do.
    pub by_arbiter: bool,
    /// It stayed up for long or was played; else it was only seen missing for a moment.
    #[serde(default = "yes")]
    pub sure: bool,
    /// The move that stood on the board with it, although it was not settled yet.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub made: Option<MoveText>,
}

impl Touched {
    /// Whether it binds the player: it is sure, and he had not said that he adjusts.
    pub(super) const fn counts(&self) -> bool {
        self.sure && !self.adjusting
    }
}

/// Who has seen a touch, and how well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// The sensors: the piece was missing for a moment.
    Missing,
    /// The sensors: it stayed up for long, or was played.
    Lifted,
    /// The arbiter.
    ByArbiter,
}

/// Touches that are kept for one ply: a player has no more than sixteen pieces.
const TOUCHES: usize = 16;

impl Game {
    /// The player having the move has touched a piece. One of his opponent's, which he means
    /// to capture (4.3), the sensors never tell as sure: it may have been put right.
    ///
    /// A piece that is only seen missing for a moment may have been brushed by: it is
    /// noted, and does not refuse an offer until the touch is sure.
    pub(super) fn touch(&mut self, by: Color, square: &str, seen: Seen) -> Vec<Fact> {
        let side = Side::from(by);
        let sure = seen != Seen::Missing;
        if !self.is_open_to_players() || self.turn() != by {
            return Vec::new();
        }
        let full = self.touched.len() == TOUCHES;
        let mut touches = self.touched.iter_mut();
        let known = touches.find(|touch| touch.by == side && touch.square == square);
        let touch = match known {
            Some(known) if sure && !known.sure => {
                known.sure = true;
                known.by_arbiter = seen == Seen::ByArbiter;
                known.adjusting &= seen != Seen::ByArbiter;
                known.clone()
            }
            // What the arbiter has seen stands above what a player says of it.
            Some(known) if seen == Seen::ByArbiter && !known.by_arbiter => {
                known.by_arbiter = true;
                known.adjusting = false;
                known.clone()
            }
            Some(_) => return Vec::new(),
            None if full => return Vec::new(),
            None => {
                let touch = Touched {
                    by: side,
                    square: square.to_owned(),
                    ply: self.ply(),
                    time: self.time,
                    adjusting: self.adjusting == Some(side) && seen != Seen::ByArbiter,
                    by_arbiter: seen == Seen::ByArbiter,
                    sure,
                    made: None,
                };
                self.touched.push(touch.clone());
                touch
            }
        };
        let refuses = touch.counts();
        let mut facts = vec![Fact::PieceTouched(touch)];
        if refuses && self.is_offered_to(side) {
            facts.extend(self.refuse_offer(Refusal::Touch, Some(square)));
        }
        facts
    }

    /// The touch of a player that tells most of his right to claim: the first sure one, else
    /// the first; none that only adjusted.
    pub(super) fn telling_touch(&self, by: Side) -> Option<&Touched> {
        let touches = self.touched.iter();
        let meant = touches.filter(|touch| touch.by == by && !touch.adjusting);
        // Of equals the first is the least.
        meant.min_by_key(|touch| !touch.sure)
    }

    /// What the player who has made this move had touched until then. Where the board has
    /// seen it, its piece is among that: the move may turn out to be none, the touch was one.
    pub(super) fn touched_with(&mut self, m: Move, mover: Color, seen: bool) -> Vec<Touched> {
        let mut touched = std::mem::take(&mut self.touched);
        let Some(from) = m.from().filter(|_| seen) else {
            return touched;
        };
        let (by, square) = (Side::from(mover), from.to_string());
        let known = |touch: &&mut Touched| touch.by == by && touch.square == square;
        if let Some(known) = touched.iter_mut().find(known) {
            known.sure = true;
        } else if touched.len() < TOUCHES {
            touched.push(Touched {
                by,
                square,
                ply: self.ply() - 1,
                time: self.time,
                adjusting: self.adjusting == Some(by),
                by_arbiter: false,
                sure: true,
                made: None,
            });
        }
        touched
    }

    /// The arbiter has seen a touch.
    pub(super) fn touch_seen(&mut self, by: Color, square: &str) -> Result<Vec<Fact>, Refused> {
        self.must_be_in_progress()?;
        if square.parse::<shakmaty::Square>().is_err() {
            let text = format!("\"{}\" is no square", shown(square));
            return Err((RefusalCode::BadValue, text));
        }
        if self.turn() != by {
            let text = "only a touch by the player having the move counts (4.3)".to_owned();
            return Err((RefusalCode::NotAdmissible, text));
        }
        Ok(self.touch(by, square, Seen::ByArbiter))
    }

    /// A player says that he adjusts pieces: until his next move touching means nothing.
    pub(super) fn adjust(&mut self, by: Color) -> Result<Vec<Fact>, Refused> {
        self.must_be_open_to_players()?;
        if self.turn() != by {
            let text = "only the player having the move may adjust pieces (4.2)".to_owned();
            return Err((RefusalCode::NotAdmissible, text));
        }
        let by = Side::from(by);
        self.adjusting = Some(by);
        Ok(vec![Fact::Adjusting { by }])
    }

    /// The arbiter finds that a player's touches meant nothing: an offer that they
    /// refused stands again, a claim is no longer contested.
    pub(super) fn void_touches(&mut self, by: Color) -> Result<Vec<Fact>, Refused> {
        self.must_be_in_progress()?;
        let side = Side::from(by);
        let touched = self.touched.iter().any(|touch| touch.by == side);
        let contested = self
            .open_claim()
            .is_some_and(|claim| claim.by == side && claim.contested.is_some());
        if !touched && !contested {
            let text = "this player has touched no piece at this move".to_owned();
            return Err((RefusalCode::WrongState, text));
        }
        self.touched.retain(|touch| touch.by != side);
        if contested && let Some(claim) = self.claims.last_mut() {
            claim.contested = None;
            claim.remarks.retain(|remark| {
                !matches!(
                    remark,
                    Remark::PieceTouchedBefore | Remark::TouchUnsure | Remark::MoveMadeBefore
                )
            });
        }
        let mut facts = vec![Fact::TouchesVoid { by: side }];
        facts.extend(self.restore_offer(side));
        Ok(facts)
    }
}
