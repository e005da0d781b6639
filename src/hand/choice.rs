//! Weighing the lines against each other.

use shakmaty::Move;

use super::{
    Hypothesis,
    evidence::{incredible_in_all, margin},
    present, stands,
    tracker::Tracker,
};
use crate::time::Millis;

/// What a line that explains every square may cost more than one that does not, and still
/// be its rival.
const UNFINISHED: u32 = 5;

/// What a line may leave unexplained and need no greater lead, where one may be needed.
const FREE_OF_DOUBT: u32 = 2;
/// What a longer line may cost more where neither the board nor a clock has seen what was done.
const UNWITNESSED: u32 = 1;
/// Plies after the settled position that may have been made while the board was out of sight.
const MOST_OUT_OF_SIGHT: usize = 6;
/// Plies that may be unsettled there before more must speak for them.
const MOST_VAGUE: usize = 2;

/// What a line may leave unexplained, besides what is in a hand, to settle anything before that comes
/// to stand.
const MOST_IN_THE_HAND: u32 = 8;
/// Plies after which two lines that go on alike are told apart by no later one.
const GOES_ON_ALIKE: usize = 2;

/// What a line must cost less, besides, than one in which pieces of both players move on from where
/// it takes them for having stopped.
const STOPS_OF_BOTH: u32 = 2;

/// The plies in which both players move a piece on.
const STOPPING: usize = 4;

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
    /// Whether a line that was given up may be its rival.
    pub(super) given_up: bool,
}

impl Tracker {
    /// Weighs the hypotheses against each other.
    pub(super) fn choose(&self, now: Millis) -> Choice {
        let totals: Vec<u32> = (0..self.hypotheses.len())
            .map(|index| self.total(index, now))
            .collect();
        let inexact = |index: usize| !self.hypotheses[index].is_exact();
        let best = (0..totals.len())
            .min_by_key(|&index| (totals[index], inexact(index)))
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
        let cost = self.cost_since_settled(totals[best]);
        let lead = self.lead(best, totals[best]);
        let (factor, no_kinds) = (self.lead_factor(best, cost), self.knows_no_kinds());
        let in_flight = present::is_answered_in_flight(
            &self.hypotheses[best],
            &self.changes,
            self.settings.scan_ms,
        );
        let in_flight = in_flight || self.answers_in_flight(&self.hypotheses[best]);
        let small = self.hypotheses[best].is_small_leap() && cost < incredible_in_all(line.len());
        let out_of_sight = self.gap && self.hypotheses[best].leap_plies <= MOST_OUT_OF_SIGHT;
        let credible = out_of_sight || (small && !in_flight);
        // What is in a hand will come to stand, and say more.
        let early = inexact(best) && cost > MOST_IN_THE_HAND;
        // A line only gets dearer as it goes on; that of one that was given up may explain every square.
        let unfinished = if inexact(best) { UNFINISHED } else { 0 };
        let given_up =
            (self.least_given_up).is_some_and(|least| least < totals[best] + lead + unfinished);
        let mut clear = credible && !early && !given_up;
        let mut shared = if clear { line.len() } else { 0 };
        let mut stands = exact == Some(best);
        // Whatever it tells, and in whatever order.
        let far = totals[best] + lead + UNFINISHED.max(STOPS_OF_BOTH);
        for (index, total) in totals.iter().enumerate() {
            if *total >= far && !self.gap {
                continue;
            }
            let exact = self.hypotheses[index].is_exact();
            let rival = &self.hypotheses[index];
            // A line that leaves squares amiss needs more against one that leaves none.
            let more = if exact && inexact(best) {
                UNFINISHED
            } else if cost > FREE_OF_DOUBT && goes_by_stops(line, &rival.line) {
                STOPS_OF_BOTH
            } else {
                0
            };
            let beaten = |lead: u32| *total >= totals[best] + lead + more;
            if index == best
                || (beaten(lead) && !self.is_other_order(best, rival, lead))
                || (self.margin_where_they_differ(best, rival))
                    .is_some_and(|lead| beaten(if no_kinds { lead * factor } else { lead }))
            {
                continue;
            }
            let rival = &rival.line;
            if (rival.starts_with(line) && !exact) || self.assumes(line, rival) {
                continue;
            }
            let common = line.iter().zip(rival).take_while(|(a, b)| a == b).count();
            shared = shared.min(common);
            clear = false;
            stands &= exact;
        }
        let settleable = self.settleable(best);
        if settleable < line.len() {
            shared = shared.min(settleable);
            clear = false;
        }
        Choice {
            best,
            shared,
            clear,
            stands,
            given_up,
        }
    }

    /// How much more than the line `index`, which costs `total` in all, another one must cost to be no
    /// rival of it.
    pub(super) fn lead(&self, index: usize, total: u32) -> u32 {
        let cost = self.cost_since_settled(total);
        // What was done out of sight may have taken a ply more, which the next ply shows, or less.
        let unwitnessed = self.gap && self.to_move().is_none();
        let more = if unwitnessed { UNWITNESSED } else { 0 };
        margin(cost) * self.lead_factor(index, cost) + more
    }

    /// How many times as much: twice where the arbiter has been told that several lines are possible,
    /// and where nobody sees which piece is which and several plies are unsettled.
    fn lead_factor(&self, index: usize, cost: u32) -> u32 {
        let vague = cost > FREE_OF_DOUBT && self.hypotheses[index].line.len() > MOST_VAGUE;
        if self.is_told_ambiguous() || (vague && self.knows_no_kinds()) {
            2
        } else {
            1
        }
    }

    /// What a line that costs `total` in all has left unexplained since the settled position. What was
    /// left so before belongs to no move, nor does what was done before the board showed it: a
    /// position is set up piece by piece.
    fn cost_since_settled(&self, total: u32) -> u32 {
        total.saturating_sub(self.settled_cost.max(self.hypotheses[0].cost))
    }

    /// Whether the kind of a piece that stands on the board is not known.
    fn knows_no_kinds(&self) -> bool {
        (self.sight.as_ref()).is_some_and(|sight| sight.unknown().any())
    }

    /// Whether it has been said that several lines are possible, and they have not been decided between.
    pub(super) const fn is_told_ambiguous(&self) -> bool {
        self.ambiguous_since.is_some()
    }

    /// The first plies of a line that may be settled: what is done while the clock stands is no play,
    /// nor what follows a move that was taken back, and a promotion may have to be asked for.
    fn settleable(&self, index: usize) -> usize {
        let played = self.was_played(&self.hypotheses[index]);
        self.asked_promotion(index)
            .map_or(played, |asked| asked.min(played))
    }

    /// Whether a line tells in another order what nobody saw, and goes on as the best one does: no
    /// later ply tells them apart.
    fn is_other_order(&self, best: usize, rival: &Hypothesis, lead: u32) -> bool {
        let best = &self.hypotheses[best];
        if !self.gap || best.line.len() != rival.line.len() || best.after != rival.after {
            return false;
        }
        let pairs = best.line.iter().rev().zip(rival.line.iter().rev());
        let same = pairs.take_while(|(a, b)| a == b).count();
        let plies = best.line.len() - same;
        same > 0 && rival.spent_after(plies) < best.spent_after(plies) + lead
    }

    /// The lead that a line needs over one that goes on as it does after the moves in which they
    /// differ: what both leave unexplained since says nothing of those, and no later ply will.
    fn margin_where_they_differ(&self, best: usize, rival: &Hypothesis) -> Option<u32> {
        let best = &self.hypotheses[best];
        let pairs = best.line.iter().zip(&rival.line);
        let before = pairs.take_while(|(a, b)| a == b).count();
        let shorter = best.line.len().min(rival.line.len());
        let last = best.line.iter().rev().zip(rival.line.iter().rev());
        let after = last
            .take_while(|(a, b)| a == b)
            .count()
            .min(shorter - before);
        if after < GOES_ON_ALIKE || self.gap {
            return None;
        }
        let spent =
            (best.spent_after(best.line.len() - after)).saturating_sub(best.spent_after(before));
        Some(margin(spent))
    }

    /// What a hypothesis costs now.
    pub(super) fn total(&self, index: usize, now: Millis) -> u32 {
        let hypothesis = &self.hypotheses[index];
        let Some(sight) = &self.sight else {
            return hypothesis.cost;
        };
        let now = present::Now {
            sight,
            changes: &self.changes,
            presses: &self.presses,
            to_move: self.to_move(),
            at: now,
            rest_ms: now.saturating_sub(self.changed_at),
            scan_ms: self.settings.scan_ms,
        };
        let total = now.total(hypothesis);
        if hypothesis.is_exact() {
            total + stands::returned(hypothesis, &self.hypotheses)
        } else {
            total
        }
    }
}

/// Whether a line takes each player's piece by stops to where another one takes it at once: the
/// rooks go from e1 to e2 and on to e3, from d6 to b6 and on to a6.
fn goes_by_stops(at_once: &[Move], by_stops: &[Move]) -> bool {
    let common = at_once.iter().zip(by_stops).take_while(|(a, b)| a == b);
    let common = common.count();
    let (at_once, by_stops) = (&at_once[common..], &by_stops[common..]);
    let more = by_stops.len().saturating_sub(at_once.len());
    let same = (at_once.iter().rev().zip(by_stops.iter().rev()))
        .take_while(|(a, b)| a == b)
        .count();
    let by_stops = &by_stops[..by_stops.len() - same];
    let goes_on = |moves: &[Move]| moves.len() < 3 || moves[2].from() == Some(moves[0].to());
    !at_once.is_empty()
        && more >= 2
        && by_stops.len() >= STOPPING
        && (0..by_stops.len()).all(|ply| goes_on(&by_stops[ply..]))
}

#[cfg(test)]
mod tests {
    use shakmaty::{Board, CastlingMode, Chess, Color, Position, Role, Square, fen::Fen};

    use crate::{
        board::event::{Placement, Seen, Sensed},
        hand::{
            MismatchReason, Reading, Settings, Tracker, evidence::INCREDIBLE, hypothesis::FOREIGN,
        },
    };

    /// A knight that stops on f3 and goes on to h3, while a line that cost so much had been given up.
    fn knight_goes_on(given_up: Option<u32>) -> Tracker {
        let mut tracker = Tracker::new(Settings::default(), Chess::default());
        let mut now = 0;
        let mut sense = |tracker: &mut Tracker, sensed: &Sensed, ms: u64| {
            now += ms;
            tracker.sense(sensed, now);
        };
        tracker.least_given_up = given_up;
        let start = Placement::from(&Board::new());
        sense(&mut tracker, &Sensed::Placement(start), 0);
        let knight = Seen::Piece(Role::Knight.of(Color::White));
        for (square, seen, ms) in [
            (Square::G1, Seen::Empty, 5_000),
            (Square::F3, knight, 300),
            (Square::F3, Seen::Empty, 300),
            (Square::H3, knight, 300),
        ] {
            sense(&mut tracker, &Sensed::Square(square, seen), ms);
        }
        for _ in 0..20 {
            now += 500;
            tracker.tick(now);
        }
        tracker
    }

    #[test]
    fn a_line_that_was_given_up_holds_up_the_next_one_as_long_as_it_may_be_as_good() {
        let may_be = Some(FOREIGN);
        let tracker = knight_goes_on(may_be);
        assert_eq!(tracker.hypotheses[0].after, Chess::default(), "settled");
        let reason = tracker.mismatch().map(|told| told.reason);
        assert_eq!(reason, Some(MismatchReason::Ambiguous));
    }

    #[test]
    fn a_line_that_was_given_up_and_costs_far_more_holds_up_nothing() {
        let tracker = knight_goes_on(Some(3 * FOREIGN));
        assert_ne!(tracker.hypotheses[0].after, Chess::default());
        assert_eq!(tracker.mismatch(), None);
        assert_eq!(
            tracker.least_given_up, None,
            "what is settled has beaten it"
        );
    }

    #[test]
    fn a_result_that_is_shown_settles_nothing_where_a_line_was_given_up() {
        let sign = |given_up| {
            let fen: Fen = "8/8/3k4/8/8/4K3/4P3/8 w - - 0 1".parse().unwrap();
            let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
            let mut tracker = Tracker::new(Settings::default(), position.clone());
            tracker.sense(&Sensed::Placement(Placement::from(position.board())), 0);
            tracker.least_given_up = given_up;
            let mut board = position.board().clone();
            for (from, to, color) in [
                (Square::E3, Square::E4, Color::White),
                (Square::D6, Square::D5, Color::Black),
            ] {
                board.discard_piece_at(from);
                board.set_piece_at(to, Role::King.of(color));
            }
            tracker.sense(&Sensed::Placement(Placement::from(&board)), 5_000);
            for at in (5..20).map(|seconds| seconds * 1_000) {
                tracker.tick(at);
            }
            let proposed = |reading: &Reading| matches!(reading, Reading::Proposed(_));
            assert!(tracker.readings().iter().any(proposed));
            tracker.mismatch().map(|told| told.reason)
        };
        assert_eq!(sign(None), None);
        assert_eq!(sign(Some(0)), Some(MismatchReason::Ambiguous));
    }

    #[test]
    fn a_line_that_is_not_believed_and_explains_the_whole_board_is_no_missing_piece() {
        let mut tracker = Tracker::new(Settings::default(), Chess::default());
        let start = Placement::from(Chess::default().board());
        tracker.sense(&Sensed::Placement(start), 0);
        let knight = Seen::Piece(Role::Knight.of(Color::White));
        tracker.sense(&Sensed::Square(Square::G1, Seen::Empty), 5_000);
        tracker.sense(&Sensed::Square(Square::F3, knight), 5_300);
        for hypothesis in tracker.hypotheses.iter_mut().skip(1) {
            (hypothesis.leap, hypothesis.leap_plies) = (INCREDIBLE, 1);
        }
        for at in (6..20).map(|seconds| seconds * 1_000) {
            tracker.tick(at);
        }
        assert_eq!(tracker.hypotheses[0].after, Chess::default(), "not settled");
        let told = tracker.mismatch().expect("that is told");
        assert_eq!(told.reason, MismatchReason::Ambiguous);
        assert_eq!(told.squares, []);
        assert_eq!(told.candidates.len(), 1);
        assert!(!tracker.is_told_ambiguous(), "nothing is its rival");
    }
}
