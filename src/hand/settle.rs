//! Settling moves, and going on from the position after them.

use shakmaty::{Bitboard, Chess, Color, Move, Position};

use super::{
    Hypothesis, SettledBy,
    choice::Choice,
    due::is_king_to_centre,
    order::placed_on,
    story::{changed_by, piece_of},
    tracker::Tracker,
};
use remisd_vocabulary::time::Millis;

/// Earlier positions that are kept, to be recognised when they are set up again.
const MOST_PAST: usize = 600;

impl Tracker {
    /// Settles the plies whose replies stand on the board.
    pub(super) fn settle_replied(&mut self, choice: Choice, gap: bool, now: Millis) {
        if now < self.speaks_from(choice.best) {
            return;
        }
        let line = &self.hypotheses[choice.best].line;
        let replied = choice.shared.min(line.len().saturating_sub(1));
        let replied = (0..replied)
            .take_while(|&ply| now >= self.answered_at(line, ply))
            .count();
        if replied > 0 {
            self.settle_first(choice.best, replied, SettledBy::Reply, gap);
        }
    }

    /// Settles a move if the only thing amiss after it is that the opponent has
    /// pieces in the hand, and the mover cannot still be on the way to capture them.
    pub(super) fn opponent_lifted(&mut self, choice: Choice, now: Millis) {
        let best = &self.hypotheses[choice.best];
        let Some((before, last)) = best.before_last(self.root()) else {
            return;
        };
        if !choice.clear || self.may_still_capture(&before, last, best) {
            return;
        }
        let stood = best
            .stood
            .is_some_and(|stood| stood.until >= stood.from + self.settings.lift_ms);
        let scanned = now >= self.scanned_at(last);
        let shown = now >= self.shown_at(choice.best);
        // Otherwise the piece may still be on its way: settled when nothing moves any more.
        let gap = self.gap;
        if shown {
            self.agree();
        }
        if stood && scanned && shown && self.hold(choice.best) == self.settle_ms() {
            self.settle_all(choice.best, SettledBy::OpponentLifted, gap);
        }
    }

    /// A king's step to the centre that was held back was a move, if it has stood, and
    /// something else than the other king is touched: no result is being shown.
    pub(super) fn king_has_stepped(&mut self, touched: Bitboard, now: Millis) {
        if let Some(other) = self.other_move().filter(|other| is_king_to_centre(*other))
            && now >= self.changed_at + self.settings.scan_ms
            && !touched.is_subset(shows_result(self.root()))
        {
            self.revise(other, now);
            return;
        }
        let Some(index) = self.pending(now) else {
            return;
        };
        let hypothesis = &self.hypotheses[index];
        let Some(last) = hypothesis.line.last().copied() else {
            return;
        };
        let stood = hypothesis.clear_ms() >= self.settle_ms();
        if is_king_to_centre(last) && stood && !touched.is_subset(shows_result(&hypothesis.after)) {
            self.settle_all(index, SettledBy::StoodStill, self.gap);
        }
    }

    /// Settles the pending line, but not a move of `player` himself, and without one not a
    /// king's step that may show the result.
    pub(super) fn settle_answered(&mut self, player: Option<Color>, now: Millis) -> bool {
        let Some(index) = self.pending(now) else {
            return false;
        };
        let Hypothesis { line, after, .. } = &self.hypotheses[index];
        let left = match player {
            Some(player) => after.turn() != player,
            None => line.last().is_some_and(|last| is_king_to_centre(*last)),
        };
        let plies = line.len() - usize::from(left);
        if plies == 0 {
            return false;
        }
        let gap = self.gap;
        self.agree();
        self.settle_first(index, plies, SettledBy::Answered, gap);
        true
    }

    /// Settles every ply of a hypothesis: see [`Self::settle_first`].
    pub(super) fn settle_all(&mut self, index: usize, by: SettledBy, gap: bool) {
        let plies = self.hypotheses[index].line.len();
        self.settle_first(index, plies, by, gap);
    }

    /// Settles the first plies of a hypothesis and goes on from there. After a `gap` those that nobody
    /// saw being made are said to be reconstructed.
    pub(super) fn settle_first(&mut self, index: usize, plies: usize, by: SettledBy, gap: bool) {
        self.note_contested(index, plies);
        let line = self.hypotheses[index].line[..plies].to_vec();
        let mut before = self.root().clone();
        for (ply, &m) in line.iter().enumerate() {
            let by = if gap && !self.was_made_in_sight(m, before.turn()) {
                SettledBy::Reconstructed
            } else {
                by
            };
            self.settle(m, by);
            self.note_ply(m, before.turn(), by);
            self.past.push_back(before.board().clone());
            if ply + 1 == plies {
                self.doubt = self.doubt_about(&before, &line, by);
            } else {
                before.play_unchecked(m);
            }
        }
        while self.past.len() > MOST_PAST {
            self.past.pop_front();
        }
        self.re_root(&line);
    }

    /// Whether the piece of a move was seen to leave its square and to come to stand since the board came
    /// into sight.
    fn was_made_in_sight(&self, m: Move, mover: Color) -> bool {
        let left = |from| self.changes.left_after(from, self.found_at);
        m.from().is_some_and(left) && self.was_seen_to_come(m, mover, self.found_at)
    }

    /// Whether the piece of a move that `mover` made was seen where it ends after `since`. Where kinds are not
    /// known nobody sees it come to where it takes another one.
    pub(super) fn was_seen_to_come(&self, m: Move, mover: Color, since: Millis) -> bool {
        let to = placed_on(m);
        let unknown = (self.sight.as_ref()).is_some_and(|sight| sight.unknown().contains(to));
        (unknown && m.is_capture()) || self.changes.came_after(to, piece_of(m).of(mover), since)
    }

    /// Goes on from the first plies of a hypothesis without telling: they are known already.
    pub(super) fn settle_silently(&mut self, index: usize, plies: usize) {
        let line = self.hypotheses[index].line[..plies].to_vec();
        self.re_root(&line);
    }

    /// When the last move of a settled line came to stand, as far as it was seen: what has
    /// changed since may belong to the next ones.
    fn stands_since(&self, line: &[Move]) -> Millis {
        let ends = line.last().map(|&last| changed_by(last));
        let changed = ends
            .into_iter()
            .flatten()
            .filter_map(|square| self.changes.at(square));
        changed
            .max()
            .map_or(self.changed_at, |at| at.min(self.changed_at))
    }

    fn re_root(&mut self, line: &[Move]) {
        self.out_of_sight.close();
        let mut root = self.hypotheses[0].clone();
        for &m in line {
            root.after.play_unchecked(m);
        }
        root.settle(0);
        root.stood = None;
        root.from = self.stands_since(line);
        // Nobody saw it by itself: what has happened since the last position that was seen
        // is told by the moves from there.
        self.since_seen.1.extend_from_slice(line);
        let (told, untold) = self.since_seen.clone();
        root.tell_since(told, untold);
        let mut kept = std::mem::take(&mut self.hypotheses);
        kept.retain(|hypothesis| hypothesis.line.starts_with(line));
        // What had been left unexplained by the time of the settled position.
        let spent = (kept.iter())
            .map(|hypothesis| hypothesis.spent_after(line.len()))
            .min();
        for hypothesis in &mut kept {
            hypothesis.settle(line.len());
        }
        kept.sort_by_key(|hypothesis| !hypothesis.line.is_empty());
        if kept.first().is_none_or(|first| !first.line.is_empty()) {
            root.cost = kept
                .iter()
                .map(|hypothesis| hypothesis.cost)
                .min()
                .unwrap_or(0);
            kept.insert(0, root);
        } else {
            self.since_seen = (kept[0].told, kept[0].untold.clone());
        }
        let costs = kept.iter().map(|hypothesis| hypothesis.cost);
        let least = costs.min().unwrap_or(0);
        for hypothesis in &mut kept {
            hypothesis.cost -= least;
            hypothesis.spent_at_start -= i64::from(least);
            for spent in &mut hypothesis.spent {
                *spent -= i64::from(least);
            }
        }
        // What is settled has beaten them, and costs are reckoned from it now.
        self.least_given_up = None;
        // What was in doubt before says nothing of what is done next.
        self.doubtful_since = None;
        self.hypotheses = kept;
        let now = self.changed_at;
        self.weigh(now);
        let untold = (self.hypotheses.iter())
            .map(|hypothesis| hypothesis.story(&self.changes, self.settings.scan_ms))
            .min();
        let spent = spent.map_or(0, |spent| spent - i64::from(least));
        self.settled_cost = u32::try_from(spent).unwrap_or(0) + untold.unwrap_or(0);
        self.note_doubt(now);
    }
}

/// The squares that are touched to show a result after a king has been put into the centre: that of
/// the other king, and the centre, where room is made.
fn shows_result(position: &Chess) -> Bitboard {
    (position.board().kings() & position.us()) | Bitboard::CENTER
}
