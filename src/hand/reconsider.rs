//! A piece that was knocked over, and taken for one that had moved because nothing else happened
//! for a moment: it is put up again while the others play on.

use shakmaty::Move;

use super::{
    Hypothesis, Reading, course::Course, order::placed_on, present::KNOCKED_MS, tracker::Tracker,
};
use remisd_vocabulary::time::Millis;

/// What was known when a move was settled.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    /// The position settled then.
    root: Hypothesis,
    /// The plies that were settled with it, before it.
    earlier: Vec<Move>,
    /// See [`Tracker::since_seen`].
    since_seen: (u64, Vec<Move>),
    /// See [`Tracker::settled_cost`].
    settled_cost: u32,
}

impl Tracker {
    /// Where a move is settled from, together with `earlier` plies before it.
    pub(super) fn origin(&self, earlier: &[Move]) -> Origin {
        Origin {
            root: self.hypotheses[0].clone(),
            earlier: earlier.to_vec(),
            since_seen: self.since_seen.clone(),
            settled_cost: self.settled_cost,
        }
    }

    /// Where nothing goes on from the last settled move, but something from the position before
    /// it, its piece has not moved. Tells whether that was so.
    pub(super) fn reconsider(&mut self, now: Millis) -> bool {
        if !self.may_have_been_knocked(now) {
            return false;
        }
        let Some((doubt, origin)) = (self.doubt.take())
            .and_then(|doubt| doubt.origin.clone().map(|origin| (doubt, origin)))
        else {
            return false;
        };
        let known = (
            std::mem::replace(&mut self.hypotheses, vec![origin.root]),
            std::mem::replace(&mut self.since_seen, origin.since_seen),
            std::mem::replace(&mut self.settled_cost, origin.settled_cost),
        );
        let given_up = self.least_given_up.take();
        let presses = self.presses;
        let earlier = i64::try_from(origin.earlier.len()).unwrap_or(0);
        // All of these are to be made again.
        self.presses.settle(-earlier - 1);
        self.weigh(now);
        self.grow(now);
        let choice = self.choose(now);
        let best = &self.hypotheses[choice.best];
        let other = (best.line.strip_prefix(&origin.earlier[..]))
            .and_then(<[_]>::first)
            .filter(|other| **other != doubt.was)
            .is_some_and(|other| {
                self.was_seen_to_come(*other, doubt.mover(), self.hypotheses[0].from)
            });
        if choice.clear && best.is_exact() && other {
            self.agree();
            self.settle_silently(choice.best, origin.earlier.len());
            self.past.pop_back();
            self.contested.withdraw();
            self.presses.settle(earlier);
            self.unexplained_since = None;
            self.clock_way.lose_ply();
            self.readings.push(Reading::Withdrawn);
            true
        } else {
            (self.hypotheses, self.since_seen, self.settled_cost) = known;
            (self.least_given_up, self.presses) = (given_up, presses);
            self.doubt = Some(doubt);
            false
        }
    }

    /// Whether nothing has explained the board for a while, and the piece that moved last stood no
    /// longer than one that was knocked over.
    fn may_have_been_knocked(&self, now: Millis) -> bool {
        let amiss = |since: Millis| now >= since + self.settings.scan_ms;
        let Some(doubt) = &self.doubt else {
            return false;
        };
        let left = self.changes.at(placed_on(doubt.was)).unwrap_or(0);
        self.unexplained_since.is_some_and(amiss)
            && doubt.origin.is_some()
            && left > self.settled_at
            && left <= self.settled_at + KNOCKED_MS
            && !self.gap
            && !self.changed_in_pause()
            && self.course == Course::Onward
    }
}
