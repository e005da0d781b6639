//! The turns of an inquiry: how much each method may do before the next one has a try.
//!
//! The shares of search, sketches and the closure without an aim grow from turn to turn, so
//! that what the turns before the last one have cost is of its order. Where a closure that
//! steers for something has not found it with its largest share, it does not come again.

use super::{Budget, aim};

/// What each turn may take. The last one has the whole budget.
const TURNS: [Turn; 5] = [
    Turn {
        nodes: 600,
        visit: Visit::new(300, PROBE),
        nets: Visit::new(400, 0),
        aims: Visit::NONE,
        sketches: 0,
    },
    Turn {
        nodes: 4_000,
        visit: Visit::new(2_000, PROBE).with_leaves(),
        nets: Visit::new(2_000, 400),
        aims: Visit::NONE,
        sketches: 2_000,
    },
    Turn {
        nodes: 20_000,
        visit: Visit::new(12_000, PROBE),
        nets: Visit::new(10_000, PROBE),
        aims: Visit::NONE,
        sketches: 10_000,
    },
    Turn {
        nodes: 150_000,
        visit: Visit::new(60_000, PROBE),
        nets: Visit::NONE,
        aims: Visit::new(20_000, PROBE),
        sketches: 10_000,
    },
    Turn {
        nodes: u64::MAX,
        visit: Visit::new(u32::MAX, PROBE),
        nets: Visit::NONE,
        aims: Visit::NONE,
        sketches: u32::MAX,
    },
];

/// With so few moves the first closure comes before anything else.
pub(super) const FORCED: usize = 4;

/// Positions of a closure for both sides at once. A larger one would be the third for most
/// positions, after which each side has its own all the same.
const BOTH_AT_ONCE: u32 = 2_000;

/// Nodes of the search from a position that a closure finds promising.
const PROBE: u64 = 3_000;
/// The searches of a closure together take no more nodes than so many of them may. None of the
/// benchmark takes more than 53.
const SEARCHES: u64 = 64;

impl Budget {
    /// Nodes of all searches that one closure asks for, which are beside its positions.
    #[must_use]
    pub fn purse(self) -> u64 {
        Visit::new(u32::MAX, PROBE).within(self).purse()
    }

    /// How many closures there are at most for a side, and how many positions these have
    /// together.
    #[must_use]
    pub fn closures(self) -> (usize, u64) {
        let visits = turns(self).flat_map(|turn| {
            let at_once = turn.is_for_both_at_once().then_some(turn.visit);
            let steered = [turn.nets, turn.aims].map(|visit| visit.within(self));
            let steered = steered.into_iter().filter(|visit| visit.is_worth_an_aim());
            let steered = steered.flat_map(|visit| [visit; aim::MOST]);
            at_once.into_iter().chain([turn.visit]).chain(steered)
        });
        let positions = visits.map(|visit| u64::from(visit.within(self).positions));
        positions.fold((0, 0), |(count, sum), positions| {
            (count + 1, sum + positions)
        })
    }
}

/// The turns within a budget, up to the one that has all of it.
pub(super) fn turns(budget: Budget) -> impl Iterator<Item = &'static Turn> {
    let mut is_over = false;
    TURNS.iter().take_while(move |turn| {
        let was_over = std::mem::replace(&mut is_over, turn.is_all(budget));
        !was_over
    })
}

pub(super) struct Turn {
    /// Nodes of the search.
    pub nodes: u64,
    /// The closure.
    pub visit: Visit,
    /// A closure that steers for each of the nearest mates that might stand on the board.
    pub nets: Visit,
    /// One that steers for each of the nearest squares on which mobility leaves a mate.
    pub aims: Visit,
    /// Sketches for each choice of loose men.
    pub sketches: u32,
}

impl Turn {
    /// Whether there is a closure for both sides at once before those for each.
    pub const fn is_for_both_at_once(&self) -> bool {
        self.visit.positions <= BOTH_AT_ONCE
    }

    /// Whether it has all that a budget allows.
    const fn is_all(&self, budget: Budget) -> bool {
        self.nodes >= budget.nodes
            && self.visit.positions >= budget.positions
            && self.sketches >= budget.sketches
    }
}

/// How a closure goes about it.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub positions: u32,
    /// Whether it leaves off where the mobility argument holds.
    pub with_leaves: bool,
    /// Nodes of the search from a position that looks promising.
    pub probe: u64,
}

impl Visit {
    /// No closure.
    const NONE: Self = Self::new(0, 0);
    /// One of fewer positions is not worth looking for what to steer for.
    const FEWEST_STEERED: u32 = 100;

    const fn new(positions: u32, probe: u64) -> Self {
        Self {
            positions,
            with_leaves: false,
            probe,
        }
    }

    const fn with_leaves(self) -> Self {
        Self {
            with_leaves: true,
            ..self
        }
    }

    /// Whether it may get to something that it steers for.
    pub const fn is_worth_an_aim(self) -> bool {
        self.positions >= Self::FEWEST_STEERED
    }

    /// Nodes of all these searches together.
    pub const fn purse(self) -> u64 {
        self.probe * SEARCHES
    }

    pub fn within(self, budget: Budget) -> Self {
        Self {
            positions: self.positions.min(budget.positions),
            probe: self.probe.min(budget.nodes),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of `protocol/dead.md`.
    #[test]
    fn closures_are_counted() {
        assert_eq!(Budget::INTERACTIVE.closures(), (23, 1_406_200));
        assert_eq!(Budget::FIRST_LOOK.closures(), (22, 206_200));
        assert_eq!(Budget::INTERACTIVE.purse(), 192_000);
    }

    #[test]
    fn the_turns_end_with_the_one_that_has_the_whole_budget() {
        assert_eq!(turns(Budget::INTERACTIVE).count(), 5);
        assert_eq!(turns(Budget::FIRST_LOOK).count(), 4);
        let nothing = Budget {
            nodes: 0,
            positions: 0,
            sketches: 0,
        };
        assert_eq!(turns(nothing).count(), 1);
    }
}
