//! What is settled, and when: the cheapest line wins when it is clear, and nothing is
//! settled while two are close.

use shakmaty::{Bitboard, Chess, Color, Move, Position, Role, Square};

use super::{
    DifferingSquare, Hypothesis, Mismatch, MismatchReason, Reading, Settings, SettledBy,
    evidence::{INCREDIBLE, INCREDIBLE_IN_ALL, margin, may_be_half_castling},
    tracker::{MOST_IN_HAND, Tracker, Watching},
};
use crate::time::Millis;

/// Earlier positions that are kept, to be recognised when they are set up again.
const MOST_PAST: usize = 600;

/// The line that explains most, and how much of it is beyond doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    /// Which hypothesis.
    pub(super) best: usize,
    /// The plies of it that all of its rivals share.
    pub(super) shared: usize,
    /// Whether it has no rival at all.
    pub(super) clear: bool,
    /// Whether the board is as after it: it has no rival but such that say so as well.
    pub(super) stands: bool,
}

impl Tracker {
    /// Weighs the hypotheses against each other.
    pub(super) fn choose(&self, now: Millis) -> Choice {
        let totals: Vec<u32> = (0..self.hypotheses.len())
            .map(|index| self.total(index, now))
            .collect();
        let exactness = |index: usize| !self.hypotheses[index].is_exact();
        let best = (0..totals.len())
            .min_by_key(|&index| (totals[index], exactness(index)))
            .unwrap_or(0);
        // Where a line explains every square, one that is only cheaper does not win.
        let exact = (0..totals.len())
            .filter(|&index| self.hypotheses[index].is_exact())
            .min_by_key(|&index| totals[index]);
        let best = match exact {
            Some(exact) if totals[exact] < totals[best] + margin(totals[best]) => exact,
            _ => best,
        };
        let line = &self.hypotheses[best].line;
        // Where it has been said that several are possible, more must speak for one of them.
        let told = matches!(&self.mismatch, Some(told) if told.reason == MismatchReason::Ambiguous);
        let lead = margin(totals[best]) * if told { 2 } else { 1 };
        let credible = self.gap
            || (self.hypotheses[best].leap < INCREDIBLE && totals[best] < INCREDIBLE_IN_ALL);
        let mut clear = credible && self.given_up.is_none();
        let mut shared = if clear { line.len() } else { 0 };
        let mut stands = exact == Some(best);
        for (index, total) in totals.iter().enumerate() {
            if index == best || *total >= totals[best] + lead {
                continue;
            }
            let rival = &self.hypotheses[index].line;
            if rival.starts_with(line) && !self.hypotheses[index].is_exact() {
                continue;
            }
            let common = line.iter().zip(rival).take_while(|(a, b)| a == b).count();
            shared = shared.min(common);
            clear = false;
            stands &= self.hypotheses[index].is_exact();
        }
        if let Some(asked) = self.asked_promotion(best) {
            shared = shared.min(asked);
            clear = false;
        }
        Choice {
            best,
            shared,
            clear,
            stands,
        }
    }

    /// Settles what is beyond doubt now.
    pub(super) fn decide(&mut self, now: Millis) {
        if self.watching != Watching::Game || self.sight.is_none() {
            return;
        }
        let choice = self.choose(self.changed_at);
        if self.hypotheses[choice.best].is_exact() {
            self.start_seen &= !choice.clear;
            let gap = self.gap;
            if choice.clear {
                self.agree();
            }
            if choice.clear || !gap {
                self.settle_replied(choice, gap, now);
            }
        } else if choice.clear && lacks_only_reply(&self.hypotheses[choice.best]) {
            self.settle_replied(choice, self.gap, now);
            self.opponent_lifted(self.choose(self.changed_at), now);
        } else {
            self.try_new_game(now);
        }
    }

    /// Settles the plies whose replies stand on the board.
    fn settle_replied(&mut self, choice: Choice, gap: bool, now: Millis) {
        let line = &self.hypotheses[choice.best].line;
        let replied = choice.shared.min(line.len().saturating_sub(1));
        let replied = line[..replied]
            .iter()
            .take_while(|m| now >= self.scanned_at(**m))
            .count();
        let by = if gap {
            SettledBy::Reconstructed
        } else {
            SettledBy::Reply
        };
        if replied > 0 {
            self.settle_first(choice.best, replied, by);
        }
    }

    /// When a board has looked at all its squares since a move came to stand.
    fn scanned_at(&self, m: Move) -> Millis {
        let squares = [Some(m.to()), m.from()];
        let changed = squares
            .into_iter()
            .flatten()
            .filter_map(|at| self.changes.at(at));
        changed.max().unwrap_or(0) + self.settings.scan_ms
    }

    /// When the first move of a line with a reply is to be settled.
    fn reply_due(&self) -> Option<Millis> {
        let choice = self.choose(self.changed_at);
        let best = &self.hypotheses[choice.best];
        let replied = choice.shared.min(best.line.len().saturating_sub(1));
        let shown = best.is_exact() || (choice.clear && lacks_only_reply(best));
        let waits = shown && replied > 0 && (choice.clear || !self.gap);
        waits.then(|| self.scanned_at(best.line[0]))
    }

    /// Settles a move if the only thing amiss after it is that the opponent has
    /// pieces in the hand, and the mover cannot still be on the way to capture them.
    fn opponent_lifted(&mut self, choice: Choice, now: Millis) {
        let best = &self.hypotheses[choice.best];
        let Some((before, last)) = best.before_last(self.root()) else {
            return;
        };
        if !choice.clear || may_still_capture(&before, last, best) {
            return;
        }
        let stood = best
            .stood
            .is_some_and(|stood| stood.until >= stood.from + self.settings.lift_ms);
        let scanned = now >= self.scanned_at(last);
        // Otherwise the piece may still be on its way: settled when nothing moves any more.
        self.agree();
        if stood && scanned && self.hold(choice.best) == self.settle_ms() {
            self.settle_all(choice.best, SettledBy::OpponentLifted);
        }
    }

    /// A line that is on the board beyond doubt, with plies that are not settled yet.
    pub(super) fn pending(&self, now: Millis) -> Option<usize> {
        let choice = self.choose(now);
        let best = &self.hypotheses[choice.best];
        let replying = |(before, last): (Chess, Move)| !may_still_capture(&before, last, best);
        let stands = best.is_exact()
            || (lacks_only_reply(best) && best.before_last(self.root()).is_none_or(replying));
        (choice.clear && !best.line.is_empty() && stands).then_some(choice.best)
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
        let by = if self.gap {
            SettledBy::Reconstructed
        } else {
            SettledBy::Answered
        };
        self.agree();
        self.settle_first(index, plies, by);
        true
    }

    /// How long a line must stand before its last move counts as made.
    pub(super) fn hold(&self, index: usize) -> Millis {
        let settle_ms = self.settle_ms();
        let Some((before, last)) = self.hypotheses[index].before_last(self.root()) else {
            return settle_ms;
        };
        if is_king_to_centre(last) {
            self.settings.result_ms.max(settle_ms)
        } else if may_be_half_castling(&before, last) {
            self.settings.castling_hold_ms.max(settle_ms)
        } else {
            settle_ms
        }
    }

    /// A king's step to the centre that was held back was a move, if it has stood, and
    /// something else than the other king is touched: no result is being shown.
    pub(super) fn king_has_stepped(&mut self, touched: Bitboard, now: Millis) {
        let Some(index) = self.pending(now) else {
            return;
        };
        let hypothesis = &self.hypotheses[index];
        let Some(last) = hypothesis.line.last().copied() else {
            return;
        };
        let other = hypothesis.after.board().kings() & hypothesis.after.us();
        let stood = hypothesis.clear_ms() >= self.settle_ms();
        if is_king_to_centre(last) && stood && !touched.is_subset(other) {
            self.settle_all(index, SettledBy::StoodStill);
        }
    }

    /// Who has a clock presses it; a move that stands alone may be on its way.
    fn settle_ms(&self) -> Millis {
        let Settings {
            settle_ms,
            with_lever_ms,
            ..
        } = self.settings;
        if self.turned.is_some() {
            settle_ms.max(with_lever_ms)
        } else {
            settle_ms
        }
    }

    /// When the lever's word for the pending line counts: what the sensors have seen
    /// until then may still be on its way to us.
    fn lever_due(&self, index: usize) -> Option<Millis> {
        let hypothesis = &self.hypotheses[index];
        let turned = self.turned?;
        let says_so = hypothesis.is_exact()
            && turned.to == hypothesis.after.turn()
            && turned.at > self.hypotheses[0].stood.map_or(0, |stood| stood.until);
        says_so.then(|| self.changed_at.max(turned.at) + self.settings.scan_ms)
    }

    /// When the pending, the unexplained, or the start array has to be looked at again.
    pub(super) fn settling_at(&self) -> Option<Millis> {
        self.sight.as_ref()?;
        if self.start_seen && self.sees_start_array() {
            return Some(self.changed_at + self.settings.new_game_ms);
        }
        if self.watching != Watching::Game {
            return self.sign_due();
        }
        if let Some(at) = [self.reply_due(), self.pending_due()]
            .into_iter()
            .flatten()
            .min()
        {
            return Some(at);
        }
        if let Some(at) = self.sign_due() {
            return Some(at);
        }
        if self.other_move().is_some() {
            return Some(self.changed_at + self.settings.scan_ms);
        }
        if self.mismatch_stands() || self.hypotheses[0].is_exact() {
            return None;
        }
        let patience = self.patience();
        let later = self.changed_at + patience;
        let motion = (self.doubtful_since)
            .filter(|_| patience < self.settings.in_hand_ms)
            .map(|since| since + self.settings.motion_ms);
        Some(motion.map_or(later, |motion| later.min(motion.max(self.changed_at))))
    }

    /// When the last move of a pending line is settled. What becomes clear only with time
    /// is asked for at the time at which it would be.
    fn pending_due(&self) -> Option<Millis> {
        let later = self.changed_at + self.patience();
        let index = self.choose(later).best;
        let held = self.changed_at + self.hold(index);
        let is_pending = |at: &Millis| self.pending(*at) == Some(index);
        let times = [self.lever_due(index), Some(held), Some(later.max(held))];
        times.into_iter().flatten().find(is_pending)
    }

    /// Whether what is amiss now has been told already.
    fn mismatch_stands(&self) -> bool {
        self.mismatch.as_ref() == self.describe().as_ref() && self.mismatch.is_some()
    }

    /// How long squares may differ before they are reported.
    fn patience(&self) -> Millis {
        let choice = self.choose(self.changed_at);
        let best = &self.hypotheses[choice.best];
        if best.is_exact() {
            // Several lines explain the board.
            return self
                .settings
                .castling_hold_ms
                .max(self.settings.mismatch_ms);
        }
        let held = best.difference.missing.count() <= MOST_IN_HAND;
        if best.difference.foreign.is_empty() && held {
            self.settings.in_hand_ms
        } else {
            self.settings.mismatch_ms
        }
    }

    /// Time has passed with the board as it is.
    pub(super) fn stand_still(&mut self, now: Millis) {
        if self.start_seen && self.sees_start_array() {
            self.begin_new_game(now);
            return;
        }
        if self.watching != Watching::Game {
            self.propose(now);
            return;
        }
        if self.reply_due().is_some_and(|due| now >= due) {
            self.decide(now);
            return;
        }
        if let Some(index) = self.pending(now) {
            let by_lever = self.lever_due(index).is_some_and(|due| now >= due);
            let by = if self.gap {
                SettledBy::Reconstructed
            } else if by_lever {
                SettledBy::Clock
            } else {
                SettledBy::StoodStill
            };
            self.agree();
            self.settle_all(index, by);
            return;
        }
        if self.sign_due().is_some_and(|due| now >= due) {
            self.propose(now);
            return;
        }
        if self.revised(now) {
            return;
        }
        if !self.taken_back(now) && !self.outvote(now) {
            self.stand_unexplained();
        }
    }

    /// Nothing has explained the squares for as long as we are patient.
    fn stand_unexplained(&mut self) {
        self.undo_late_revision();
        let Some(mismatch) = self.describe() else {
            return;
        };
        if self.mismatch.as_ref() != Some(&mismatch) {
            self.mismatch = Some(mismatch.clone());
            self.readings.push(Reading::Mismatch(mismatch));
        }
    }

    /// What is amiss, in squares.
    fn describe(&self) -> Option<Mismatch> {
        let sight = self.sight.as_ref()?;
        let choice = self.choose(self.changed_at);
        let best = &self.hypotheses[choice.best];
        let candidates: Vec<Vec<Move>> = if best.is_exact() && !choice.clear {
            (self.hypotheses.iter())
                .filter(|rival| rival.is_exact())
                .map(|rival| rival.line.clone())
                .collect()
        } else {
            Vec::new()
        };
        let pieces = sight.pieces();
        let unpromoted = pieces.by_role(Role::Pawn) & Bitboard::BACKRANKS;
        let one_of_many = best.is_exact() && self.given_up.is_some();
        let reason = if candidates.len() > 1 || one_of_many {
            MismatchReason::Ambiguous
        } else if self.earlier().is_some() {
            MismatchReason::EarlierPosition
        } else if unpromoted.any() {
            MismatchReason::PawnNotPromoted
        } else if best.difference.foreign.is_empty() {
            MismatchReason::PieceMissing
        } else {
            MismatchReason::NoLegalMove
        };
        let squares = best
            .difference
            .all()
            .into_iter()
            .map(|square: Square| DifferingSquare {
                square,
                expected: best.after.board().piece_at(square),
                seen: sight.get(square),
            })
            .collect();
        Some(Mismatch {
            reason,
            squares,
            candidates,
        })
    }

    /// The squares are understood again.
    pub(super) fn agree(&mut self) {
        self.gap = false;
        if self.mismatch.take().is_some() {
            self.readings.push(Reading::Agreed);
        }
    }

    /// Settles every ply of a hypothesis.
    pub(super) fn settle_all(&mut self, index: usize, by: SettledBy) {
        let plies = self.hypotheses[index].line.len();
        self.settle_first(index, plies, by);
    }

    /// Settles the first plies of a hypothesis and goes on from there.
    pub(super) fn settle_first(&mut self, index: usize, plies: usize, by: SettledBy) {
        let line = self.hypotheses[index].line[..plies].to_vec();
        let mut before = self.root().clone();
        for (ply, &m) in line.iter().enumerate() {
            self.settle(m, by);
            self.past.push_back(before.board().clone());
            if ply + 1 == plies {
                self.doubt = self.doubt_about(&before, m, by);
            } else {
                before.play_unchecked(m);
            }
        }
        while self.past.len() > MOST_PAST {
            self.past.pop_front();
        }
        self.re_root(&line);
    }

    /// Goes on from a hypothesis without telling: somebody else has said so.
    pub(super) fn settle_silently(&mut self, index: usize) {
        let line = self.hypotheses[index].line.clone();
        self.re_root(&line);
    }

    fn re_root(&mut self, line: &[Move]) {
        let mut root = self.hypotheses[0].clone();
        for &m in line {
            root.after.play_unchecked(m);
        }
        root.stood = None;
        root.from = self.changed_at;
        root.told = self.changes.count();
        root.untold.clear();
        let known = std::mem::take(&mut self.hypotheses);
        let mut kept: Vec<Hypothesis> = known
            .into_iter()
            .filter(|hypothesis| hypothesis.line.starts_with(line))
            .map(|mut hypothesis| {
                hypothesis.line.drain(..line.len());
                hypothesis
            })
            .collect();
        kept.sort_by_key(|hypothesis| !hypothesis.line.is_empty());
        if kept.first().is_none_or(|first| !first.line.is_empty()) {
            root.cost = kept
                .iter()
                .map(|hypothesis| hypothesis.cost)
                .min()
                .unwrap_or(0);
            kept.insert(0, root);
        }
        let settled = kept[0].cost;
        for hypothesis in &mut kept {
            hypothesis.cost = hypothesis.cost.saturating_sub(settled);
        }
        self.hypotheses = kept;
        let now = self.changed_at;
        self.weigh(now);
    }
}

/// Whether all is right but for the pieces that the player having the move holds.
fn lacks_only_reply(hypothesis: &Hypothesis) -> bool {
    hypothesis.lacks_only(hypothesis.after.turn())
        && hypothesis.difference.missing.count() <= MOST_IN_HAND
}

/// Whether the piece that is missing may be captured by the one that has just been moved,
/// which is still on its way.
fn may_still_capture(before: &Chess, last: Move, hypothesis: &Hypothesis) -> bool {
    let missing = hypothesis.difference.missing;
    before.legal_moves().into_iter().any(|other| {
        other.from() == last.from() && other.is_capture() && missing.contains(other.to())
    })
}

/// Whether a king steps to where kings are put to show a result.
fn is_king_to_centre(m: Move) -> bool {
    matches!(m, Move::Normal { role: Role::King, to, .. } if Bitboard::CENTER.contains(to))
}
