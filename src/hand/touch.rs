//! Who has lifted what: for the articles on touched pieces.

use shakmaty::{Bitboard, Color, Move, Position, Square};

use super::{
    Reading,
    tracker::{MOST_IN_HAND, Tracker, Watching},
};
use remisd_vocabulary::time::Millis;

/// The pieces that the player having the move has lifted from the settled position, his own
/// or the opponent's.
#[derive(Debug, Clone, Default)]
pub(super) struct Touches {
    /// What was told, sure or not.
    told: Bitboard,
    /// What was told as sure.
    sure: Bitboard,
    /// What is in the air now, since when.
    up: Vec<(Square, Color, Millis)>,
}

impl Touches {
    /// The position is another one: all pieces are untouched.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// When the next lift has lasted long enough to be sure.
    pub(super) fn due(&self, touch_ms: Millis) -> Option<Millis> {
        self.up
            .iter()
            .filter(|(square, ..)| !self.sure.contains(*square))
            .map(|(.., since)| since + touch_ms)
            .min()
    }

    /// A piece that was lifted was played: that is sure, and all are untouched after it.
    pub(super) fn played(&mut self, m: Move, readings: &mut Vec<Reading>) {
        for &(square, by, _) in &self.up {
            if m.from() == Some(square) && !self.sure.contains(square) {
                readings.push(Reading::Touched {
                    square,
                    by,
                    sure: true,
                });
            }
        }
        self.forget();
    }
}

impl Tracker {
    /// Tells each piece that is missing from the settled position, once, as long as nothing
    /// else is on the board that should not be: the player having the move has lifted it. Of
    /// an opponent's piece that is never sure: who has just moved may be putting it right.
    pub(super) fn notice_touches(&mut self, now: Millis) {
        let settled = self.watching == Watching::Game && self.choose(now).best == 0 && !self.gap;
        let root = &self.hypotheses[0];
        let missing = root.difference.missing;
        let only = root.difference.foreign.is_empty() && missing.count() <= MOST_IN_HAND;
        let lifted = if settled && only {
            missing
        } else {
            Bitboard::EMPTY
        };
        let up = lifted & root.after.us();
        let captured = lifted & root.after.them();
        let by = root.after.turn();
        self.touches
            .up
            .retain(|(square, ..)| missing.contains(*square));
        for square in captured {
            if !self.touches.told.contains(square) {
                self.touches.told.add(square);
                self.readings.push(Reading::Touched {
                    square,
                    by,
                    sure: false,
                });
            }
        }
        for square in up {
            if !self.touches.up.iter().any(|(known, ..)| *known == square) {
                self.touches.up.push((square, by, now));
            }
            if !self.touches.told.contains(square) {
                self.touches.told.add(square);
                self.readings.push(Reading::Touched {
                    square,
                    by,
                    sure: false,
                });
            }
        }
    }

    /// A piece that has been up for long was touched beyond doubt.
    pub(super) fn touches_last(&mut self, now: Millis) {
        let touch_ms = self.settings.touch_ms;
        for &(square, by, since) in &self.touches.up {
            if now >= since + touch_ms && !self.touches.sure.contains(square) {
                self.touches.sure.add(square);
                self.readings.push(Reading::Touched {
                    square,
                    by,
                    sure: true,
                });
            }
        }
    }
}
