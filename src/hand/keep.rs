//! Which lines are kept side by side, and what is known of those that are not.

use shakmaty::Move;

use super::{evidence::margin, lead::common_start, tracker::Tracker};
use remisd_vocabulary::time::Millis;

/// Lines that are kept side by side at most.
const MOST_HYPOTHESES: usize = 24;
/// The same where no kinds are seen: at each capture one of several pieces may have been taken.
const MOST_WITHOUT_KINDS: usize = 40;
/// Of either, those that are kept first for saying what else may have been done before.
const MOST_WAYS: usize = MOST_HYPOTHESES / 2;
/// A line that costs so much more than the cheapest is hopeless.
pub(super) const HOPELESS: u32 = 12;

impl Tracker {
    /// What the cheapest line costs now.
    pub(super) fn least_total(&self, now: Millis) -> u32 {
        let totals = (0..self.hypotheses.len()).map(|index| self.total(index, now));
        totals.min().unwrap_or(0)
    }

    /// Keeps the settled position and the cheapest lines. What is one too many, although a plain margin
    /// does not tell it from the cheapest, is given up, and remembered by what it cost.
    pub(super) fn keep_the_cheapest(&mut self, now: Millis) {
        let totals: Vec<u32> = (0..self.hypotheses.len())
            .map(|index| self.total(index, now))
            .collect();
        let best = self.choose(now).best;
        let least = totals.iter().min().copied().unwrap_or(0);
        let mut order: Vec<usize> = (1..self.hypotheses.len())
            .filter(|&index| {
                let cost = self.hypotheses[index].cost_so_far(&self.changes, self.settings.scan_ms);
                cost <= least + HOPELESS
            })
            .collect();
        let rival = |index: usize| totals[index] < totals[best] + self.lead(best, totals[best]);
        order.sort_by_key(|&index| (index != best, totals[index]));
        if self.is_told_ambiguous() {
            order = self.each_way_first(best, order, rival);
        }
        let most = if self.knows_no_kinds() {
            MOST_WITHOUT_KINDS
        } else {
            MOST_HYPOTHESES
        };
        let left_over = order.split_off((most - 1).min(order.len()));
        // Only what a plain margin does not beat: one too many of what more is asked against is mostly
        // the same story with an excursion, and would hold up the game for nothing.
        let as_good = |index: &usize| totals[*index] < least + margin(least);
        let given_up = left_over.into_iter().filter(as_good);
        let costs = given_up.map(|index| self.hypotheses[index].cost);
        self.least_given_up = costs.chain(self.least_given_up).min();
        let known = std::mem::take(&mut self.hypotheses).into_iter().enumerate();
        let kept = known.filter(|(index, _)| *index == 0 || order.contains(index));
        self.hypotheses = kept.map(|(_, hypothesis)| hypothesis).collect();
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
            let common = common_start(best, line);
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

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, Chess, Move, Position, uci::UciMove};

    use super::MOST_WAYS;
    use crate::{Hypothesis, Settings, Tracker};

    /// A tracker that keeps these lines besides the settled position.
    fn tracker_of(lines: &[String]) -> Tracker {
        let mut tracker = Tracker::new(Settings::default(), Chess::default());
        for line in lines {
            let mut position = Chess::default();
            let mut moves: Vec<Move> = Vec::new();
            for uci in line.split(' ') {
                let m = uci.parse::<UciMove>().unwrap().to_move(&position);
                moves.push(m.unwrap());
                position.play_unchecked(*moves.last().unwrap());
            }
            (tracker.hypotheses).push(Hypothesis::new(moves, position, 0, 0, 0));
        }
        tracker
    }

    fn first_of(tracker: &Tracker, kept: usize, rival: impl Fn(usize) -> bool) -> Vec<String> {
        let order = (1..tracker.hypotheses.len()).collect();
        let order = tracker.each_way_first(1, order, rival);
        let uci = |m: &Move| m.to_uci(CastlingMode::Standard).to_string();
        let line = |index: &usize| tracker.hypotheses[*index].line.iter().map(uci);
        let lines = order.iter().take(kept).map(|index| line(index).collect());
        lines.map(|line: Vec<String>| line.join(" ")).collect()
    }

    #[test]
    fn what_else_may_have_been_done_before_is_kept_before_what_may_have_been_done_lately() {
        let lines = [
            "e2e4 e7e5",
            "e2e4 c7c5",
            "e2e4 c7c5 g1f3",
            "e2e4 c7c5 f1c4",
            "d2d4 e7e5",
        ];
        let tracker = tracker_of(&lines.map(str::to_owned));
        let first = first_of(&tracker, 3, |_| true);
        assert_eq!(first, ["e2e4 e7e5", "e2e4 c7c5", "d2d4 e7e5"]);
        // But nothing that is no rival.
        let first = first_of(&tracker, 3, |index| index < 5);
        assert_eq!(first, ["e2e4 e7e5", "e2e4 c7c5", "e2e4 c7c5 g1f3"]);
    }

    #[test]
    fn ways_take_the_place_of_no_more_than_half_of_all_lines() {
        let first = |file: char| [format!("{file}2{file}3"), format!("{file}2{file}4")];
        let others: Vec<String> = ('a'..='h').flat_map(first).collect();
        let lines = [
            &["g1f3 b8c6".to_owned(), "g1f3 b8c6 h2h3".to_owned()],
            &others[..],
        ]
        .concat();
        let tracker = tracker_of(&lines);
        let kept = first_of(&tracker, MOST_WAYS + 1, |_| true);
        assert_eq!(kept[..2], lines[..2]);
        assert_eq!(kept[2..MOST_WAYS], lines[2..MOST_WAYS]);
        assert!(others.len() > MOST_WAYS);
    }
}
