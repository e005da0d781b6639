//! The turns of an inquiry: how much work each method may do before the next one tries.
//!
//! The shares of the search, of sketches and of the unguided closure grow from turn to turn. So the
//! turns before the last cost about as much as the last one. A guided closure that has failed with
//! its largest share is not run again.

use super::{Budget, aim};

/// The shares of each turn. The last one has the whole budget.
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

/// Up to this many moves, a closure runs before anything else.
pub(super) const FORCED: usize = 4;

/// The largest closure for both sides together, in positions. A larger one would often be the third
/// for a position, because each side would still need its own.
const BOTH_AT_ONCE: u32 = 2_000;

/// Nodes of the search from a position that a closure finds promising.
const PROBE: u64 = 3_000;
/// All searches of a closure together may use the nodes of this many searches. No position of the
/// benchmark uses more than 53.
const SEARCHES: u64 = 64;

impl Budget {
    /// The nodes of all searches started by one closure, in addition to its positions.
    #[must_use]
    pub fn purse(self) -> u64 {
        Visit::new(u32::MAX, PROBE).within(self).purse()
    }

    /// The maximum number of closures for a side, and their total positions.
    #[must_use]
    pub fn closures(self) -> (usize, u64) {
        let visits = turns(self).flat_map(|turn| {
            let at_once = turn.is_for_both_together().then_some(turn.visit);
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

/// The turns within a budget, up to the first that uses all of it.
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
    /// The unguided closure.
    pub visit: Visit,
    /// A closure steered for each of the nearest possible mates on the board.
    pub nets: Visit,
    /// A closure steered for each of the nearest squares on which mobility allows a mate.
    pub aims: Visit,
    /// Sketches for each choice of loose men.
    pub sketches: u32,
}

impl Turn {
    /// Whether a closure for both sides together precedes those for each side.
    pub const fn is_for_both_together(&self) -> bool {
        self.visit.positions <= BOTH_AT_ONCE
    }

    /// Whether the turn uses everything a budget allows.
    const fn is_all(&self, budget: Budget) -> bool {
        self.nodes >= budget.nodes
            && self.visit.positions >= budget.positions
            && self.sketches >= budget.sketches
    }
}

/// The limits of a closure.
#[derive(Clone, Copy)]
pub(super) struct Visit {
    pub positions: u32,
    /// Whether positions closed by the mobility argument become leaves.
    pub with_leaves: bool,
    /// Nodes of the search from a promising position.
    pub probe: u64,
}

impl Visit {
    /// No closure.
    const NONE: Self = Self::new(0, 0);
    /// The minimum positions for which computing aims pays.
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

    /// Whether the closure may be large enough to reach an aim.
    pub const fn is_worth_an_aim(self) -> bool {
        self.positions >= Self::FEWEST_STEERED
    }

    /// The total nodes of all these searches.
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
