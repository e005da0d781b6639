//! From which of the known lines others are sought.

use shakmaty::Bitboard;

use super::{Hypothesis, tracker::Tracker};
use remisd_vocabulary::time::Millis;

/// Lines from which others are sought to go on by more than a ply, cheapest first.
pub(super) const MOST_ORIGINS: usize = 8;

impl Tracker {
    /// The hypotheses from which others are sought, the cheapest first. What is done in sight goes on
    /// from what the board has shown since it came into sight.
    pub(super) fn origins(&self, now: Millis) -> Vec<usize> {
        let mut origins = self.cheapest();
        if self.gap && !self.is_blind(now) {
            origins.retain(|&origin| self.was_found(&self.hypotheses[origin]));
        }
        origins
    }

    /// The hypotheses by what they left unexplained, the cheapest first. The settled position
    /// is among the first.
    fn cheapest(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.hypotheses.len()).collect();
        order.sort_by_key(|&index| {
            let hypothesis = &self.hypotheses[index];
            let cost = hypothesis.cost_so_far(&self.changes, self.settings.scan_ms);
            (cost, std::cmp::Reverse(hypothesis.line.len()))
        });
        if let Some(rank) = order.iter().position(|&index| index == 0)
            && rank >= MOST_ORIGINS
        {
            order[MOST_ORIGINS - 1..=rank].rotate_right(1);
        }
        order
    }

    /// The squares that have changed in sight since the board showed a line, or may have.
    pub(super) fn active_after(&self, hypothesis: &Hypothesis) -> Bitboard {
        let since = hypothesis.active_since(self.settings.scan_ms);
        // When the board came into sight nothing changed: it was told at once.
        let in_sight = if self.gap { self.found_at + 1 } else { 0 };
        self.changes.after(since.max(in_sight))
    }
}
