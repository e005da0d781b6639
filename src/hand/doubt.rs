//! What may still be said against the move that was settled last.
//!
//! Time, a lever or the opponent's hand settle a move; the board may tell otherwise a
//! moment later: the piece goes on, goes back, or is the first one to be cleared away.

use shakmaty::{Board, Chess, Move, Position};

use super::{
    Hypothesis, Reading, SettledBy,
    evidence::is_castling_with,
    explain::shortest,
    tracker::{MOST_IN_HAND, Tracker},
};
use crate::time::Millis;

/// How long after the opponent's hand, his command or the lever has settled a move its piece may
/// still be seen to go on.
const ON_THE_WAY_MS: Millis = 1_500;
/// Plies at most that are taken for first steps of clearing the board.
const MOST_STEPS: usize = 4;
/// How long it may take from the first steps of clearing the board to the start array.
const CLEARING_MS: Millis = 45_000;

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
        let late = self.changed_at > doubt.until;
        let best = self.choose(self.changed_at).best;
        if self.hypotheses[best].is_exact() || (late && doubt.by != SettledBy::StoodStill) {
            return None;
        }
        self.only_other(doubt)
    }

    /// The piece that made the last settled move has gone on: a stop on the way was
    /// taken for the move, or the rook's step for a move instead of castling.
    pub(super) fn revised(&mut self, now: Millis) -> bool {
        let (Some(m), Some(doubt)) = (self.other_move(), self.doubt.clone()) else {
            return false;
        };
        let late = self.changed_at > doubt.until;
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

    /// The only move of the same hand that the board shows instead of the settled one.
    fn only_other(&self, doubt: &Doubt) -> Option<Move> {
        let sight = self.sight.as_ref()?;
        let ignored = self.faults.squares();
        let mut others = doubt.before.legal_moves().into_iter().filter(|&m| {
            if m == doubt.was || (m.from() != doubt.was.from() && !is_castling_over(m, doubt.was)) {
                return false;
            }
            let mut after = doubt.before.clone();
            after.play_unchecked(m);
            let differs = sight.difference(after.board()).without(ignored);
            if !self.shows_itself(m) {
                return false;
            }
            let lifted = differs.missing;
            let replying = doubt.by != SettledBy::StoodStill
                && lifted.count() <= MOST_IN_HAND
                && lifted.is_subset(after.us());
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
        self.hypotheses = vec![Hypothesis::new(
            Vec::new(),
            after,
            0,
            now,
            self.changes.count(),
        )];
        self.unexplained_since = None;
        self.weigh(now);
    }

    /// The board shows an earlier position: the last move was put back at once, or the
    /// arbiter has gone back and pieces may be taken back without him.
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
            self.doubt = None;
            self.hypotheses = vec![Hypothesis::new(
                Vec::new(),
                doubt.before,
                0,
                now,
                self.changes.count(),
            )];
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

    /// The start array, or a first move made in it before it was taken for a new game.
    pub(super) fn try_new_game(&mut self, now: Millis) {
        if !self.settings.new_games {
            return;
        }
        if self.sees_start_array() {
            self.start_seen |= !self.start_stood;
            return;
        }
        if !self.start_seen {
            return;
        }
        let Some(sight) = self.sight.clone() else {
            return;
        };
        let lines = shortest(&Chess::default(), &sight, 2);
        if let [(line, _)] = &lines[..]
            && !line.is_empty()
        {
            self.begin_new_game(now);
            self.explain(now);
        }
    }

    /// Whether the start array stands but for what hands may hold or have brushed by.
    pub(super) fn nearly_shows_start_array(&self) -> bool {
        (self.sight.as_ref())
            .is_some_and(|sight| sight.difference(&Board::new()).all().count() <= MOST_IN_HAND)
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

    pub(super) fn begin_new_game(&mut self, now: Millis) {
        self.agree();
        self.undo_late_revision();
        // The last move of a game stands for a while before anybody clears the board.
        // Where many have not, the game was played that fast, and nothing can be told;
        // nor where the board was in use for long after the last ply that was read.
        let soon = self.changed_at <= self.settled_at + CLEARING_MS;
        if self.unrested <= MOST_STEPS && soon {
            let steps = std::iter::repeat_n(Reading::Withdrawn, self.unrested);
            self.readings.extend(steps);
        }
        self.readings.push(Reading::NewGame);
        self.take_up(Chess::default(), 0, now);
    }
}

/// Whether castling `now` has the rook move `was` as its first half.
fn is_castling_over(now: Move, was: Move) -> bool {
    match was {
        Move::Normal {
            role: shakmaty::Role::Rook,
            from,
            to,
            ..
        } => is_castling_with(now, from, to),
        _ => false,
    }
}
