//! The turns of an inquiry: how much each method may do before the next one has a try.
//!
//! The shares of the budget grow from turn to turn, so that an answer costs no more than a few
//! times what the method that finds it needs.

use super::Budget;

/// What each turn may take. The last one has the whole budget.
pub(super) const TURNS: [Turn; 5] = [
    Turn {
        nodes: 600,
        visit: Visit::plain(300),
        nets: Visit::steered(400, 0),
        sketches: 0,
    },
    Turn {
        nodes: 4_000,
        visit: Visit {
            with_leaves: true,
            ..Visit::plain(2_000)
        },
        nets: Visit::steered(2_000, 400),
        sketches: 2_000,
    },
    Turn {
        nodes: 20_000,
        visit: Visit::plain(12_000),
        nets: Visit::steered(10_000, PROBE),
        sketches: 10_000,
    },
    Turn {
        nodes: 150_000,
        visit: Visit::plain(WORTH_AN_AIM),
        nets: Visit::steered(0, 0),
        sketches: 10_000,
    },
    Turn {
        nodes: u64::MAX,
        visit: Visit::plain(u32::MAX),
        nets: Visit::steered(0, 0),
        sketches: u32::MAX,
    },
];

/// Positions of a closure that steers for a mate that mobility leaves, and the turn for it.
pub(super) const AIMED: Visit = Visit::steered(20_000, PROBE);
pub(super) const WORTH_AN_AIM: u32 = 60_000;

/// A closure before anything else: where there are hardly any moves there are often no more
/// positions than these.
pub(super) const GLANCE: Visit = Visit::steered(300, 0);
pub(super) const FORCED: usize = 4;

/// Positions of a closure for both sides at once. A larger one would be the third for most
/// positions, after which each side has its own all the same.
pub(super) const BOTH_AT_ONCE: u32 = 2_000;

/// Nodes of the search from a position that a closure finds promising.
const PROBE: u64 = 3_000;
/// The searches of a closure together take no more nodes than so many of them may. None of the
/// benchmark takes more than 53.
const SEARCHES: u64 = 64;

impl Budget {
    /// Nodes of all searches that one closure asks for, which are beside its positions.
    #[must_use]
    pub fn purse(self) -> u64 {
        Visit::plain(u32::MAX).within(self).purse()
    }
}

pub(super) struct Turn {
    /// Nodes of the search.
    pub nodes: u64,
    /// The closure.
    pub visit: Visit,
    /// A closure that steers for each of the nearest mates that might stand on the board.
    pub nets: Visit,
    /// Sketches for each choice of loose men.
    pub sketches: u32,
}

impl Turn {
    /// Whether it has all that a budget allows.
    pub const fn is_all(&self, budget: Budget) -> bool {
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
    const fn plain(positions: u32) -> Self {
        Self::steered(positions, PROBE)
    }

    const fn steered(positions: u32, probe: u64) -> Self {
        Self {
            positions,
            with_leaves: false,
            probe,
        }
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
