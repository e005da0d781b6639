//! When what is on the board is to be looked at again, if nothing happens before.

use shakmaty::{Bitboard, Chess, Move, Position, Role, Square};

use super::{
    Hypothesis, Proposal, Settings, Sign,
    castling::may_be_first_half,
    evidence::HURRY_MS,
    hypothesis::Stood,
    lever::TOLD_MS,
    present::{IDLE_IN_ALL_MS, KNOCKED_MS, REST_IN_ALL_MS, REST_MS},
    tracker::{MOST_IN_HAND, Tracker, Watching},
};
use remisd_vocabulary::time::Millis;

/// Boards that tell all squares at once now and then do so within this time.
pub(super) const UNSEEN_MS: Millis = 5_500;
/// Plies after which it shows whether a clock that is there is pressed.
const FIRST_PRESSES: usize = 2;
/// How long a board that comes into sight is waited for to tell all squares once more.
const AGAIN_MS: Millis = 2_000;
/// Who takes back at once does so within this time.
const RECAPTURE_MS: Millis = 1_000;
/// How long a piece rests at most on its way to another one that it takes unseen.
const MAY_GO_ON_MS: Millis = 2_000;
/// How long a piece is looked for that may have been taken unseen.
const IN_THE_HAND_MS: Millis = 700;

/// So many of the last plies of a line may still be what is lifted now.
const LATELY: usize = 4;

impl Tracker {
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
        if let Some(other) = self.other_move() {
            return Some(self.changed_at + self.revision_ms(other));
        }
        let patience = self.patience();
        let later = self.changed_at + patience;
        let nothing = || self.hypotheses[0].is_exact() && self.is_settled(later);
        if self.mismatch_stands() || nothing() {
            return None;
        }
        let motion = (self.doubtful_since)
            .filter(|_| patience < self.settings.in_hand_ms)
            .map(|since| since + self.settings.motion_ms);
        Some(motion.map_or(later, |motion| later.min(motion.max(self.changed_at))))
    }

    /// When the last move of a pending line is settled. What becomes clear only with time
    /// is asked for at the time at which it would be.
    pub(super) fn pending_due(&self) -> Option<Millis> {
        let later = self.changed_at + self.patience();
        let index = self.choose(later).best;
        let held = self.held_from(index) + self.hold(index);
        let shown = self.shown_at(index);
        let is_pending = |at: &Millis| self.pending(*at) == Some(index);
        let at_once = self.lever_due(index).into_iter().chain([held]);
        // Where only rest speaks for it, that is clear when the board has rested for long enough.
        let last = if self.is_for_rest_to_say() { later } else { 0 };
        let rests = (1..).map(|times| self.changed_at + times * REST_MS);
        let rests = rests.take_while(|at| *at < last).filter(|at| *at > held);
        let times = at_once.chain(rests).chain([later.max(held)]);
        times.map(|at| at.max(shown)).find(is_pending)
    }

    /// Since when the last move of a line stands: who lifts his piece to reply disturbs it no more.
    fn held_from(&self, index: usize) -> Millis {
        let hypothesis = &self.hypotheses[index];
        match hypothesis.stood {
            Some(stood) if lacks_only_reply(hypothesis) && stood.answered => stood.from,
            _ => self.changed_at,
        }
    }

    /// When a move may count as made that ends where nothing was seen to change: the piece
    /// has taken another one there, or its coming was lost, which all squares told at once
    /// would show.
    pub(super) fn shown_at(&self, index: usize) -> Millis {
        let line = &self.hypotheses[index].line;
        let last = line.last().map_or(0, |last| self.came_by(*last, true));
        let taken = (0..line.len())
            .map(|ply| self.taken_unseen_at(line, ply))
            .max();
        last.max(taken.unwrap_or(0)).max(self.seen_again_at())
    }

    /// When a piece may count as taken that nobody saw come to where it was taken, although it
    /// must have stood there for a while: it may stand elsewhere, on a square that tells nothing
    /// for some seconds.
    fn taken_unseen_at(&self, line: &[Move], ply: usize) -> Millis {
        let m = line[ply];
        let Some(reply) = line.get(ply + 1).filter(|reply| reply.to() == m.to()) else {
            return 0;
        };
        let lifted = |m: Move| m.from().and_then(|from| self.changes.at(from));
        let (Some(left), Some(replied)) = (lifted(m), lifted(*reply)) else {
            return 0;
        };
        let within = match self.changes.landings(m.to(), left) {
            // Nothing at all was seen where two pieces came to stand.
            0 => self.settings.scan_ms,
            1 => HURRY_MS,
            _ => Millis::MAX,
        };
        let at_once = replied < left.saturating_add(within);
        if at_once { 0 } else { left + UNSEEN_MS }
    }

    /// When what was done out of sight may be settled: one look is not enough.
    pub(super) fn seen_again_at(&self) -> Millis {
        if !self.gap || self.looked_at > self.found_at + self.settings.scan_ms {
            0
        } else {
            self.found_at + AGAIN_MS
        }
    }

    /// Whether what stands on a square was told by one look alone, in which nothing else had changed: it
    /// may be misread, and the next one has to agree.
    pub(super) fn may_be_misread(&self, square: Square) -> bool {
        self.changes.was_told_at_once(square)
            && self.changes.at(square) == Some(self.looked_at)
            && self.changes.at_once(self.looked_at) == 1
    }

    /// When one move of a line may count as made: see [`Self::shown_at`]. Of one that was made `lately`,
    /// whatever was lifted since may be its piece, or the one that it has taken.
    fn came_by(&self, m: Move, lately: bool) -> Millis {
        let Some(sight) = &self.sight else { return 0 };
        if self.may_be_misread(m.to()) {
            return self.looked_at + AGAIN_MS;
        }
        let since = self.hypotheses[0].since();
        let left = m.from().and_then(|from| self.changes.at(from)).unwrap_or(0);
        let known = !sight.unknown().contains(m.to());
        // Where its own lift was never told, any may be it.
        let any = lately || (known && left < since);
        let lifted = self.changes.last_lift().filter(|_| any);
        let left = left.max(lifted.unwrap_or(0));
        let came = self.changes.at(m.to()).is_some_and(|at| at >= since);
        let stood = self.root().board().piece_at(m.to());
        // Where the same piece stood all the time, no look tells of two that came, unless it showed
        // all that they did.
        let at_once = (m.from()).is_some_and(|from| self.changes.was_told_at_once(from));
        let same = stood.is_some() && stood == sight.pieces().piece_at(m.to());
        let as_before = known && same && !at_once;
        // A look that comes sooner may have been taken with the piece in the hand.
        let pressed = self.presses.last.map(|turned| turned.at);
        let down = (pressed.filter(|at| *at > left)).unwrap_or(left + IN_THE_HAND_MS);
        let looked = self.looked_at > down.max(left + self.settings.scan_ms);
        if came || (known && !as_before) || (!known && looked) {
            return 0;
        }
        left + UNSEEN_MS
    }

    /// When the first move of a line with a reply is to be settled.
    pub(super) fn reply_due(&self) -> Option<Millis> {
        let choice = self.choose(self.changed_at);
        let best = &self.hypotheses[choice.best];
        let replied = choice.shared.min(best.line.len().saturating_sub(1));
        let shown = best.is_exact() || (choice.clear && lacks_only_reply(best));
        let waits = shown && replied > 0 && (choice.clear || !self.gap);
        waits.then(|| {
            self.answered_at(&best.line, 0)
                .max(self.speaks_from(choice.best))
        })
    }

    /// When the last move of a line may speak for those before it. Where no kinds are seen, a piece that is
    /// taken up may have taken any other one at once: until something is told of that square, or time has
    /// passed, nothing is held against the lines after which it is still in the hand.
    pub(super) fn speaks_from(&self, index: usize) -> Millis {
        if self.knows_no_kinds() {
            self.shown_at(index)
        } else {
            0
        }
    }

    /// When the lever's word for the pending line counts: what the sensors have seen
    /// until then may still be on its way to us.
    pub(super) fn lever_due(&self, index: usize) -> Option<Millis> {
        let hypothesis = &self.hypotheses[index];
        let turned = self.presses.last?;
        // What came to stand later than a scan after the turn was not pressed for.
        let by_then = |stood: Stood| stood.from <= turned.at.saturating_add(self.settings.scan_ms);
        let says_so = hypothesis.is_exact()
            && hypothesis.stood.is_some_and(by_then)
            && turned.to == hypothesis.after.turn()
            && turned.at > self.hypotheses[0].stood.map_or(0, |stood| stood.until);
        says_so.then(|| self.changed_at.max(turned.at) + self.settings.scan_ms)
    }

    /// When a board has looked at all its squares since a move came to stand.
    pub(super) fn scanned_at(&self, m: Move) -> Millis {
        let squares = [Some(m.to()), m.from()];
        let changed = squares
            .into_iter()
            .flatten()
            .filter_map(|at| self.changes.at(at));
        changed.max().unwrap_or(0) + self.settings.scan_ms
    }

    /// When the reply to a ply of a line settles it. A piece that was taken where nobody saw
    /// it stand may still be in the hand, and is waited for.
    pub(super) fn answered_at(&self, line: &[Move], ply: usize) -> Millis {
        let m = line[ply];
        let taken = line.get(ply + 1).is_some_and(|reply| reply.to() == m.to());
        let since = self.hypotheses[0].since();
        // Where nobody sees which piece is which, one may only have stopped on its way.
        let unknown = self
            .sight
            .as_ref()
            .is_some_and(|sight| sight.unknown().contains(m.to()));
        let wait = if unknown || (taken && self.changes.landings(m.to(), since) < 2) {
            IN_THE_HAND_MS
        } else {
            0
        };
        (self.scanned_at(m) + wait)
            .max(self.came_by(m, ply + LATELY >= line.len()))
            .max(self.taken_unseen_at(line, ply))
            .max(self.pressed_by(line, ply))
            .max(self.not_fallen_at(line, ply))
            .max(self.seen_again_at())
    }

    /// When the clock will have told of the presses for a ply and for its reply: until then it
    /// may still speak against them.
    fn pressed_by(&self, line: &[Move], ply: usize) -> Millis {
        let told = self.presses.covers(ply + 2);
        let replied = line
            .get(ply + 1)
            .and_then(|reply| self.changes.at(reply.to()));
        replied
            .filter(|_| !told && !self.gap)
            .map_or(0, |at| at + TOLD_MS)
    }

    /// A line that is on the board beyond doubt, with plies that are not settled yet.
    pub(super) fn pending(&self, now: Millis) -> Option<usize> {
        let choice = self.choose(now);
        let best = &self.hypotheses[choice.best];
        let long = now >= self.held_from(choice.best) + self.hold(choice.best);
        let replying =
            |(before, last): (Chess, Move)| long || !self.may_still_capture(&before, last, best);
        let stands = best.is_exact()
            || (lacks_only_reply(best) && best.before_last(self.root()).is_none_or(replying));
        let last = best.line.last();
        let shows_result = || {
            let steps = last.is_some_and(|last| is_king_to_centre(*last));
            let kings = |shown: Proposal| shown.sign == Sign::Kings;
            steps && self.settings.result_signs && self.sign().is_some_and(kings)
        };
        let stands = choice.clear && last.is_some() && stands && !shows_result();
        stands.then_some(choice.best)
    }

    /// Whether the piece that is missing may be captured instead: by the one that has just been
    /// moved, which is still on its way, or, if it has only just come there, by another one, and
    /// what seems to have been moved has fallen there.
    pub(super) fn may_still_capture(&self, before: &Chess, last: Move, best: &Hypothesis) -> bool {
        let lately = self.changed_at.saturating_sub(RECAPTURE_MS);
        let new = |square| self.changes.landings(square, lately) > 0;
        let mut captures = before
            .legal_moves()
            .into_iter()
            .filter(|other| other.is_capture());
        captures.any(|other| {
            best.difference.missing.contains(other.to())
                && (other.from() == last.from() || new(other.to()))
        })
    }

    /// How long a line must stand before its last move counts as made.
    pub(super) fn hold(&self, index: usize) -> Millis {
        let settle_ms = self.settle_ms();
        let Some((before, last)) = self.hypotheses[index].before_last(self.root()) else {
            return settle_ms;
        };
        if is_king_to_centre(last) {
            self.settings.result_ms.max(settle_ms)
        } else if may_be_first_half(&before, last) {
            self.settings.castling_hold_ms.max(settle_ms)
        } else if self.may_go_on_unseen(&before, last) {
            MAY_GO_ON_MS.max(settle_ms)
        } else if self.may_have_fallen_beside(&before, last) {
            KNOCKED_MS.max(settle_ms)
        } else {
            settle_ms
        }
    }

    /// Whether nobody would see where the piece of a move goes if it goes on, since it takes
    /// another one there, and kinds are not known.
    fn may_go_on_unseen(&self, before: &Chess, last: Move) -> bool {
        let unknown = |at| (self.sight.as_ref()).is_some_and(|sight| sight.unknown().contains(at));
        let takes = |other: &Move| other.from() == last.from() && unknown(other.to());
        !last.is_capture() && before.capture_moves().iter().any(takes)
    }

    /// Who has a clock presses it; a move that stands alone may be on its way.
    pub(super) fn settle_ms(&self) -> Millis {
        let Settings {
            settle_ms,
            with_lever_ms,
            ..
        } = self.settings;
        let may_press = self.lever.is_some() && self.past.len() < FIRST_PRESSES;
        if self.presses.last.is_some() || may_press {
            settle_ms.max(with_lever_ms)
        } else {
            settle_ms
        }
    }

    /// Whether nothing has been played since the settled position, beyond doubt.
    fn is_settled(&self, now: Millis) -> bool {
        let choice = self.choose(now);
        choice.clear && choice.best == 0
    }

    /// Whether only lines speak against one after which a piece is in the hand: nobody saw it take
    /// another one.
    fn may_be_in_the_hand(&self, index: usize) -> bool {
        let mut others = self.hypotheses.iter().enumerate();
        others.all(|(other, line)| other == index || !line.is_exact())
    }

    /// Whether a line explains the whole board, and another one is cheaper: a piece was long on its way,
    /// and has not yet stood where it stands for long enough.
    fn is_for_rest_to_say(&self) -> bool {
        let best = &self.hypotheses[self.choose(self.changed_at).best];
        best.difference.foreign.any() && self.hypotheses.iter().any(Hypothesis::is_exact)
    }

    /// How long squares may differ before they are reported.
    fn patience(&self) -> Millis {
        let choice = self.choose(self.changed_at);
        let best = &self.hypotheses[choice.best];
        if best.is_exact() {
            let unseen = best.line.last().is_some_and(|last| self.was_unseen(*last));
            if unseen && self.may_be_in_the_hand(choice.best) {
                return IDLE_IN_ALL_MS;
            }
            // Several lines explain the board.
            return self
                .settings
                .castling_hold_ms
                .max(self.settings.mismatch_ms);
        }
        if self.is_for_rest_to_say() {
            return self.settings.mismatch_ms.max(REST_IN_ALL_MS);
        }
        let held = best.difference.missing.count() <= MOST_IN_HAND;
        if best.difference.foreign.is_empty() && held {
            self.settings.in_hand_ms
        } else {
            self.settings.mismatch_ms
        }
    }
}

/// Whether all is right but for the pieces that the player having the move holds.
pub(super) fn lacks_only_reply(hypothesis: &Hypothesis) -> bool {
    hypothesis.lacks_only(hypothesis.after.turn())
        && hypothesis.difference.missing.count() <= MOST_IN_HAND
}

/// Whether a king steps to where kings are put to show a result.
pub(super) fn is_king_to_centre(m: Move) -> bool {
    matches!(m, Move::Normal { role: Role::King, to, .. } if Bitboard::CENTER.contains(to))
}
