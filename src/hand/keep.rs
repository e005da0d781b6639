//! Which lines are kept side by side, and what is known of those that are not.

use shakmaty::Move;

use super::{evidence::margin, tracker::Tracker};
use crate::time::Millis;

/// Lines that are kept side by side at most.
const MOST_HYPOTHESES: usize = 24;
/// Of these, those that are kept first for saying what else may have been done before.
const MOST_WAYS: usize = MOST_HYPOTHESES / 2;
/// A line that costs so much more than the cheapest is hopeless.
pub(super) const HOPELESS: u32 = 12;

impl Tracker {
    /// What the cheapest line costs now.
    pub(super) fn least_total(&self, now: Millis) -> u32 {
        let totals = (0..self.hypotheses.len()).map(|index| self.total(index, now));
        totals.min().unwrap_or(0)
    }

    /// Keeps the settled position and the cheapest lines. What may be as good as the best and is one
    /// too many is given up, and remembered by what it cost.
    pub(super) fn keep_the_cheapest(&mut self, now: Millis) {
        let totals: Vec<u32> = (0..self.hypotheses.len())
            .map(|index| self.total(index, now))
            .collect();
        let best = self.choose(now).best;
        let least = totals.iter().min().copied().unwrap_or(0);
        let mut order: Vec<usize> = (1..self.hypotheses.len())
            .filter(|&index| {
                let so_far = self.hypotheses[index].so_far(&self.changes, self.settings.scan_ms);
                so_far <= least + HOPELESS
            })
            .collect();
        let rival = |index: usize| totals[index] < totals[best] + self.lead(best, totals[best]);
        order.sort_by_key(|&index| (index != best, totals[index]));
        if self.is_told_ambiguous() {
            order = self.each_way_first(best, order, rival);
        }
        let left_over = order.split_off((MOST_HYPOTHESES - 1).min(order.len()));
        // Only what a plain margin does not beat: one too many of what more is asked against is mostly
        // the same story with an excursion, and would hold up the game for nothing.
        let as_good = |index: &usize| totals[*index] < least + margin(least);
        let given_up = left_over.into_iter().filter(as_good);
        let costs = given_up.map(|index| self.hypotheses[index].cost);
        self.given_up = costs.chain(self.given_up).min();
        let mut index = 0;
        self.hypotheses.retain(|_| {
            index += 1;
            index == 1 || order.contains(&(index - 1))
        });
    }

    /// The same lines, those first that say what else may have been done before: of the rivals that
    /// leave the best line after the same ply by the same move, the first one. Many lines that differ
    /// in what was done lately do not crowd them out.
    fn each_way_first(
        &self,
        best: usize,
        order: Vec<usize>,
        rival: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let best = &self.hypotheses[best].line;
        let mut ways: Vec<(usize, Option<&Move>)> = Vec::new();
        let (mut first, others): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&index| {
            let line = &self.hypotheses[index].line;
            let common = best.iter().zip(line).take_while(|(a, b)| a == b).count();
            let way = (common, line.get(common));
            let new = ways.len() < MOST_WAYS && rival(index) && !ways.contains(&way);
            if new {
                ways.push(way);
            }
            new
        });
        first.extend(others);
        first
    }
}
