//! What may still be said against the move that was settled last.
//!
//! Time, a lever or the opponent's hand settle a move; the board may tell otherwise a
//! moment later: the piece goes on, goes back, or is the first one to be cleared away.

use shakmaty::{Board, Chess, Move, Position};

use super::{
    Reading, SettledBy,
    castling::is_first_half_of,
    tracker::{MOST_IN_HAND, Tracker},
};
use crate::time::Millis;

/// How long after the opponent's hand, his command or the lever has settled a move its piece may
/// still be seen to go on.
const ON_THE_WAY_MS: Millis = 1_500;

/// What may still be said against the last settled move.
#[derive(Debug, Clone)]
pub(super) struct Doubt {
    /// The position in which it was made.
    before: Chess,
    /// The move.
    was: Move,
    /// What settled it.
    by: SettledBy,
    /// A piece that is taken up again later than this may be one that is cleared away.
    until: Millis,
}

impl Tracker {
    pub(super) fn doubt_about(&self, before: &Chess, was: Move, by: SettledBy) -> Option<Doubt> {
        let wait = match by {
            SettledBy::StoodStill => {
                let settle_ms = self.settings.settle_ms;
                settle_ms + settle_ms.max(self.settings.castling_hold_ms)
            }
            SettledBy::OpponentLifted | SettledBy::Clock | SettledBy::Answered => ON_THE_WAY_MS,
            SettledBy::Reply | SettledBy::Reconstructed | SettledBy::Assumed => return None,
        };
        Some(Doubt {
            before: before.clone(),
            was,
            by,
            until: self.changed_at + wait,
        })
    }

    /// The move that the board shows instead of the settled one, if nothing else explains
    /// it: the piece has gone on.
    pub(super) fn other_move(&self) -> Option<Move> {
        let doubt = self.doubt.as_ref()?;
        let corrected = self.corrected(doubt.was);
        let late = self.changed_at > doubt.until && !corrected;
        let best = self.choose(self.changed_at).best;
        // What is understood as play after it is not the same piece going on.
        let played = !self.hypotheses[best].line.is_empty() && !corrected;
        let pressed = self.was_pressed_for() && !corrected;
        let exact = self.hypotheses[best].is_exact();
        if played || pressed || exact || (late && doubt.by != SettledBy::StoodStill) {
            return None;
        }
        self.only_other(doubt)
    }

    /// How long another move than the settled one must stand to be believed. A piece that has
    /// stood for long and can be taken is sooner taken, and put aside, than moved on.
    pub(super) fn revision_ms(&self, other: Move) -> Millis {
        let taken = self.doubt.as_ref().is_some_and(|doubt| {
            let mut replies = self.root().legal_moves().into_iter();
            self.changed_at > doubt.until && replies.any(|m| m.to() == doubt.was.to())
        });
        if taken && !self.changes.was_told_at_once(other.to()) {
            self.settings.mismatch_ms
        } else {
            self.settings.scan_ms
        }
    }

    /// Whether the clock says that the last settled move was finished when the squares last
    /// changed: who has pressed moves that piece no more, and no sensor is so late. If the
    /// opponent has pressed as well, he has replied.
    fn was_pressed_for(&self) -> bool {
        let root = &self.hypotheses[0];
        let replied = self.presses.surplus(root) > 0;
        let finished = self.presses.last.is_some_and(|turned| {
            turned.to == root.after.turn()
                && turned.at >= self.settled_at
                && self.changed_at > turned.at + 2 * self.settings.scan_ms
        });
        replied || finished
    }

    /// The piece that made the last settled move has gone on: a stop on the way was
    /// taken for the move, or the rook's step for a move instead of castling.
    pub(super) fn revised(&mut self, now: Millis) -> bool {
        let (Some(m), Some(doubt)) = (self.other_move(), self.doubt.clone()) else {
            return false;
        };
        let late = self.changed_at > doubt.until;
        if now < self.changed_at + self.revision_ms(m) {
            return false;
        }
        self.agree();
        if late && self.late_revision.is_none() {
            self.late_revision = Some((doubt.before.clone(), doubt.was));
        }
        self.replace_last(&doubt.before, m, now);
        // It may go on yet again, as long as the opponent has not moved.
        self.doubt = Some(Doubt { was: m, ..doubt });
        self.readings.push(Reading::Revised { now: m });
        true
    }

    /// Whether all squares told at once have taken back where the settled move ended: no hand
    /// does that, and what was told before was wrong.
    fn corrected(&self, was: Move) -> bool {
        let at = self.changes.at(was.to());
        at == Some(self.looked_at) && self.changes.at_once(self.looked_at) > 1
    }

    /// The only move of the same hand that the board shows instead of the settled one.
    fn only_other(&self, doubt: &Doubt) -> Option<Move> {
        let sight = self.sight.as_ref()?;
        let ignored = self.faults.squares();
        let mut others = doubt.before.legal_moves().into_iter().filter(|&m| {
            if m == doubt.was || (m.from() != doubt.was.from() && !is_first_half_of(doubt.was, m)) {
                return false;
            }
            let mut after = doubt.before.clone();
            after.play_unchecked(m);
            let differs = sight.difference(after.board()).without(ignored);
            if !self.shows_itself(m) {
                return false;
            }
            let lifted = differs.missing;
            let seen = doubt.by != SettledBy::StoodStill || self.corrected(doubt.was);
            let replying = seen && lifted.count() <= MOST_IN_HAND && lifted.is_subset(after.us());
            differs.is_none() || (differs.foreign.is_empty() && replying)
        });
        match (others.next(), others.next()) {
            (Some(only), None) => Some(only),
            _ => None,
        }
    }

    /// Whether something was seen where the move ends since the last one was settled. On
    /// a board that knows no pieces, any piece stands for any other.
    fn shows_itself(&self, m: Move) -> bool {
        let known = self
            .sight
            .as_ref()
            .is_some_and(|sight| !sight.unknown().contains(m.to()));
        known
            || self
                .changes
                .at(m.to())
                .is_some_and(|at| at > self.settled_at)
    }

    fn replace_last(&mut self, before: &Chess, m: Move, now: Millis) {
        let mut after = before.clone();
        after.play_unchecked(m);
        self.stand_at(after, now);
        self.unexplained_since = None;
        self.weigh(now);
    }

    /// The board shows the position before the last move again: it was put back at once.
    pub(super) fn taken_back(&mut self, now: Millis) -> bool {
        let Some(sight) = self.sight.clone() else {
            return false;
        };
        if let Some(doubt) = self.doubt.clone()
            && doubt.by == SettledBy::StoodStill
            && self.changed_at <= doubt.until
            && sight.is(doubt.before.board())
        {
            self.agree();
            self.past.pop_back();
            self.presses.settle(-1);
            self.doubt = None;
            self.stand_at(doubt.before, now);
            self.unexplained_since = None;
            self.weigh(now);
            self.readings.push(Reading::Withdrawn);
            return true;
        }
        false
    }

    /// How many plies ago the board looked as it does now, if it did in this game.
    pub(super) fn earlier(&self) -> Option<usize> {
        let sight = self.sight.as_ref()?;
        let ignored = self.faults.squares();
        let shows = |board: &Board| sight.difference(board).without(ignored).is_none();
        let ago = self.past.iter().rev().position(shows)?;
        Some(ago + 1)
    }

    /// What seemed to go on after a long rest was the first step of clearing the board:
    /// the move was the one that had stood.
    pub(super) fn undo_late_revision(&mut self) {
        if let Some((before, was)) = self.late_revision.take() {
            self.replace_last(&before, was, self.changed_at);
            self.doubt = None;
            self.readings.push(Reading::Revised { now: was });
        }
    }
}
