//! Pieces that players touch (4.2, 4.3, 9.4): evidence, not proof of intent.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Square};

use super::{Fact, Game, Refusal, Side, command::yes, refusal::truncated};
use remisd_laws::{Decline, Ply};
use remisd_vocabulary::{
    notation::MoveText,
    time::as_rfc3339,
    written::{Written, as_text},
};

/// A piece that the player having the move has touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Touched {
    /// By whom.
    pub by: Side,
    /// The square of the piece.
    #[serde(with = "as_text")]
    #[schemars(with = "String")]
    pub square: Square,
    /// After which ply.
    pub ply: Ply,
    /// When.
    #[serde(with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub time: Timestamp,
    /// Whether the player had announced adjusting.
    pub adjusting: bool,
    /// Whether the arbiter has seen it; else the sensors have.
    pub by_arbiter: bool,
    /// Whether it stayed up for long or was played; else it was only seen missing for a moment.
    #[serde(default = "yes")]
    pub sure: bool,
    /// The move that was on the board with it, although it was not settled yet.
    #[serde(rename = "move", default, skip_serializing_if = "Option::is_none")]
    pub made: Option<MoveText>,
}

impl Touched {
    /// Whether it binds the player: it is sure, and adjusting was not announced.
    pub(super) const fn counts(&self) -> bool {
        self.sure && !self.adjusting
    }
}

/// The source of a touch, and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TouchSource {
    /// The sensors: the piece was missing for a moment.
    Missing,
    /// The sensors: it stayed up for long, or was played.
    Lifted,
    /// The arbiter.
    ByArbiter,
}

impl TouchSource {
    /// The sensors, which are `sure` of a piece that stayed up for long or was played.
    pub(super) const fn of_sensors(sure: bool) -> Self {
        if sure { Self::Lifted } else { Self::Missing }
    }
}

/// Touches that are kept for one ply: a player has at most sixteen pieces.
const TOUCHES: usize = 16;

/// What was touched since the last move.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Touches {
    touched: Vec<Touched>,
    /// The player who has announced an adjustment of the pieces.
    adjusting: Option<Side>,
}

impl Touches {
    /// A piece was touched. Returns the touch if it is new, or more certain than before.
    fn add(&mut self, touch: Touched, seen: TouchSource) -> Option<Touched> {
        let same = |known: &&mut Touched| known.by == touch.by && known.square == touch.square;
        let by_arbiter = seen == TouchSource::ByArbiter;
        let full = self.touched.len() == TOUCHES;
        match self.touched.iter_mut().find(same) {
            Some(known) => {
                let surer = touch.sure && !known.sure;
                // What the arbiter has seen outranks what a player says of it.
                if !surer && (!by_arbiter || known.by_arbiter) {
                    return None;
                }
                known.sure |= touch.sure;
                known.by_arbiter = by_arbiter;
                known.adjusting &= !by_arbiter;
                Some(known.clone())
            }
            None if full => None,
            None => {
                let adjusting = self.adjusting == Some(touch.by) && !by_arbiter;
                let touch = Touched { adjusting, ..touch };
                self.touched.push(touch.clone());
                Some(touch)
            }
        }
    }

    /// Takes out what was touched before a move is made. If the board has seen the move, its piece
    /// is among that: even if the move turns out to be none, the piece was touched.
    pub(super) fn end_with_move(&mut self, moved: Option<Touched>) -> Vec<Touched> {
        let Self {
            mut touched,
            adjusting,
        } = std::mem::take(self);
        let Some(moved) = moved else {
            return touched;
        };
        let same = |known: &&mut Touched| known.by == moved.by && known.square == moved.square;
        if let Some(known) = touched.iter_mut().find(same) {
            known.sure = true;
        } else if touched.len() < TOUCHES {
            let adjusting = adjusting == Some(moved.by);
            touched.push(Touched { adjusting, ..moved });
        }
        touched
    }

    /// These are the touches since the last move, after the record was taken back or corrected.
    pub(super) fn restore(&mut self, touched: Vec<Touched>) {
        self.touched = touched;
    }

    /// A player's announcement of adjusting has lapsed.
    pub(super) const fn stop_adjusting(&mut self) {
        self.adjusting = None;
    }

    /// The touch of a player that matters most for the right to claim: the first sure one, else
    /// the first. Touches while adjusting do not matter.
    pub(super) fn decisive(&self, by: Side) -> Option<&Touched> {
        let touches = self.touched.iter();
        let meant = touches.filter(|touch| touch.by == by && !touch.adjusting);
        // `min_by_key` returns the first of equals.
        meant.min_by_key(|touch| !touch.sure)
    }

    /// The first touch of a player that binds.
    pub(super) fn binding(&self, by: Side) -> Option<&Touched> {
        let mut touches = self.touched.iter();
        touches.find(|touch| touch.by == by && touch.counts())
    }

    /// The touches of a player meant nothing. Returns whether there were any.
    fn void(&mut self, by: Side) -> bool {
        let before = self.touched.len();
        self.touched.retain(|touch| touch.by != by);
        self.touched.len() < before
    }
}

impl Game {
    /// The pieces that the player having the move has touched since the last move.
    #[must_use]
    pub fn touched(&self) -> &[Touched] {
        &self.touches.touched
    }

    /// A touch of now, which binds.
    pub(super) fn touched_now(&self, by: Side, square: Square) -> Touched {
        Touched {
            by,
            square,
            ply: self.ply(),
            time: self.now(),
            adjusting: false,
            by_arbiter: false,
            sure: true,
            made: None,
        }
    }

    /// The player having the move has touched a piece. The sensors never report an opponent's
    /// piece, which may be meant to be captured (4.3), as sure: it may have been adjusted.
    ///
    /// A piece that was missing only for a moment may have been brushed. The touch is recorded, but
    /// declines no offer until it is sure.
    pub(super) fn touch(&mut self, by: Color, square: Square, seen: TouchSource) -> Vec<Fact> {
        let side = Side::from(by);
        if !self.is_open_to_players() || self.turn() != by {
            return Vec::new();
        }
        let touch = Touched {
            by_arbiter: seen == TouchSource::ByArbiter,
            sure: seen != TouchSource::Missing,
            ..self.touched_now(side, square)
        };
        let Some(touch) = self.touches.add(touch, seen) else {
            return Vec::new();
        };
        let declines = touch.counts();
        let mut facts = vec![Fact::PieceTouched(touch)];
        if declines && self.is_offered_to(side) {
            facts.extend(self.decline_offer(Decline::Touch, Some(square)));
        }
        facts
    }

    /// The arbiter has seen a touch.
    pub(super) fn touch_seen(
        &mut self,
        by: Color,
        square: &Written<Square>,
    ) -> Result<Vec<Fact>, Refusal> {
        self.must_be_in_progress()?;
        let square = square.read().map_err(|_| {
            let text = truncated(&square.to_string());
            Refusal::bad_value(format!("\"{text}\" is no square"))
        })?;
        if self.turn() != by {
            let text = "only a touch by the player having the move counts (4.3)";
            return Err(Refusal::not_admissible(text));
        }
        Ok(self.touch(by, square, TouchSource::ByArbiter))
    }

    /// A player announces adjusting: until the player's next move touching means nothing.
    pub(super) fn adjust(&mut self, by: Color) -> Result<Vec<Fact>, Refusal> {
        self.must_be_open_to_players()?;
        if self.turn() != by {
            let text = "only the player having the move may adjust pieces (4.2)";
            return Err(Refusal::not_admissible(text));
        }
        let by = Side::from(by);
        self.touches.adjusting = Some(by);
        Ok(vec![Fact::Adjusting { by }])
    }

    /// The arbiter finds that a player's touches meant nothing. An offer that they refused is valid
    /// again, and a claim is no longer contested.
    pub(super) fn void_touches(&mut self, by: Color) -> Result<Vec<Fact>, Refusal> {
        self.must_be_in_progress()?;
        let side = Side::from(by);
        let open = self.open_claim();
        let contested = open.is_some_and(|claim| claim.by == side && claim.contested.is_some());
        if !self.touches.void(side) && !contested {
            let text = "this player has touched no piece at this move";
            return Err(Refusal::wrong_state(text));
        }
        if contested {
            self.claims.void_touches();
        }
        let mut facts = vec![Fact::TouchesVoid { by: side }];
        facts.extend(self.restore_offer(side));
        Ok(facts)
    }
}
