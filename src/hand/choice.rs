//! Weighing the lines against each other.

use super::{
    evidence::{incredible_in_all, margin},
    lead::{UNFINISHED, common_start},
    present, stands,
    tracker::Tracker,
};
use remisd_vocabulary::time::Millis;

/// Plies after the settled position that may have been made while the board was out of sight.
const MOST_OUT_OF_SIGHT: usize = 6;

/// What a line may leave unexplained, besides what is in a hand, to settle anything before that comes
/// to stand.
const MOST_IN_THE_HAND: u32 = 8;

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
        let cost = self.cost_since_settled(best, totals[best]);
        let lead = self.lead(best, totals[best]);
        let in_flight = present::is_answered_in_flight(
            &self.hypotheses[best],
            &self.changes,
            self.settings.scan_ms,
        );
        let in_flight = in_flight || self.answers_in_flight(&self.hypotheses[best]);
        let most = incredible_in_all(line.len(), self.knows_no_kinds());
        let small = self.hypotheses[best].is_small_leap() && cost < most;
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
        // Whatever it tells: nothing that is asked besides a lead is more than this.
        let far = totals[best] + lead + UNFINISHED;
        for (index, total) in totals.iter().enumerate() {
            if index == best || (*total >= far && !self.gap) {
                continue;
            }
            let by = total.saturating_sub(totals[best]);
            if self.beats(best, index, by, cost, lead) {
                continue;
            }
            let exact = self.hypotheses[index].is_exact();
            let rival = &self.hypotheses[index].line;
            if (rival.starts_with(line) && !exact) || self.assumes(line, rival) {
                continue;
            }
            shared = shared.min(common_start(line, rival));
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

#[cfg(test)]
mod tests {
    use shakmaty::{Board, CastlingMode, Chess, Color, Position, Role, Square, fen::Fen};

    use crate::{
        MismatchReason, Reading, Settings, Tracker, evidence::INCREDIBLE, hypothesis::FOREIGN,
    };
    use remisd_vocabulary::sensor::{Placement, Seen, Sensed};

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
