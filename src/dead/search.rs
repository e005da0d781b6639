//! The helpmate search: depth first, with elastic depth.
//!
//! Both sides help, so there is nothing to refute: the first mate found is enough. A move costs the
//! price set by the [plan](super::plan). A normal reply to a rewarded move is free, so a long march
//! of one side with waiting moves of the other fits into a small depth. The depth grows from round
//! to round. A search without result proves nothing.

use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::Color;

use super::{
    material,
    packed::Packed,
    plan::{Plan, Price, Variant},
    state::{State, Step},
};

/// The result of a search.
pub(super) enum Found {
    /// Legal moves from the root to a mate by the winner.
    Helpmate(Vec<Step>),
    /// All lines within the prices were followed; a greater depth changes nothing.
    Exhausted,
    /// The budget is used up.
    OutOfBudget,
}

/// The longest line, in plies; longer ones are left to the closure.
const LONGEST: usize = 160;
const DEEPEST: i32 = 64;
/// Nodes of a round per ply of its depth, so that no round uses the whole budget.
const NODES_PER_PLY: u64 = 1_500;
/// The table has 2 to the power of this many entries.
const TABLE_BITS: u32 = 14;
/// The smallest budget, in nodes, for which a table pays.
const WORTH_A_TABLE: u64 = 2_000;
/// The first round with a table; earlier ones are too short for it to pay.
const FIRST_ROUND_WITH_TABLE: i32 = 3;

const VARIANTS: [Variant; 3] = [Variant::Corner, Variant::Hunt, Variant::OtherCorner];

/// Searches for a helpmate by `winner` in at most `budget` nodes.
pub(super) fn search(root: &State, winner: Color, budget: u64, stop: &AtomicBool) -> Found {
    counted(root, winner, budget, stop).0
}

/// The same, also returning the number of nodes used.
pub(super) fn counted(root: &State, winner: Color, budget: u64, stop: &AtomicBool) -> (Found, u64) {
    let mut search = Search {
        winner,
        plan: Plan::new(root, winner, Variant::Corner),
        nodes: 0,
        limit: 0,
        stop,
        was_cut: false,
        line: Vec::with_capacity(LONGEST),
        steps: Vec::with_capacity(512),
        seen: Vec::new(),
    };
    for (depth, variant) in (1..=DEEPEST).zip(VARIANTS.into_iter().cycle()) {
        search.was_cut = false;
        search.limit = budget.min(search.nodes + NODES_PER_PLY * u64::from(depth.unsigned_abs()));
        if depth >= FIRST_ROUND_WITH_TABLE && budget >= WORTH_A_TABLE {
            search.plan = Plan::new(root, winner, variant);
            search.seen.clear();
            search.seen.resize(1 << TABLE_BITS, 0);
        }
        if search.visit(root, depth, false) {
            return (Found::Helpmate(search.line), search.nodes);
        }
        if !search.was_cut {
            return (Found::Exhausted, search.nodes);
        }
        if search.nodes >= budget || stop.load(Ordering::Relaxed) {
            return (Found::OutOfBudget, search.nodes);
        }
    }
    (Found::OutOfBudget, search.nodes)
}

struct Search<'a> {
    winner: Color,
    plan: Plan,
    nodes: u64,
    limit: u64,
    stop: &'a AtomicBool,
    /// Whether this round omitted anything for lack of depth or nodes.
    was_cut: bool,
    line: Vec<Step>,
    /// The moves of all positions on the line, one list after the other.
    steps: Vec<(Price, Step)>,
    /// Hash and depth of positions searched without success in this round. A collision may confuse
    /// two positions, but nothing is concluded from a failed search.
    seen: Vec<u64>,
}

impl Search<'_> {
    /// Searches a position. If it returns true, `line` leads to the mate.
    fn visit(&mut self, state: &State, depth: i32, after_reward: bool) -> bool {
        self.nodes += 1;
        if state.turn() != self.winner && state.is_mate() {
            return true;
        }
        if depth <= 0 || self.line.len() >= LONGEST || self.is_spent() {
            self.was_cut = true;
            return false;
        }
        if self.was_seen(state, depth, after_reward) {
            return false;
        }
        let first = self.steps.len();
        state.each_step(|step| {
            self.steps.push((self.plan.price(state, step), step));
            false
        });
        let found = [Price::Reward, Price::Normal, Price::Punish]
            .into_iter()
            .any(|price| self.try_moves(state, depth, after_reward, first, price));
        self.steps.truncate(first);
        found
    }

    /// Tries all moves of one price.
    fn try_moves(
        &mut self,
        state: &State,
        depth: i32,
        after_reward: bool,
        first: usize,
        price: Price,
    ) -> bool {
        let free = after_reward && price == Price::Normal;
        let cost = if free { 0 } else { price.plies() };
        for index in first..self.steps.len() {
            let (its_price, step) = self.steps[index];
            if its_price != price {
                continue;
            }
            if self.is_spent() {
                self.was_cut = true;
                return false;
            }
            let next = state.after(step);
            let loses_material = step.captures() || step.promotes();
            if loses_material && material::lack(&next, self.winner).is_some() {
                continue;
            }
            self.line.push(step);
            let last = self.steps.len();
            if self.visit(&next, depth - cost, price == Price::Reward) {
                return true;
            }
            self.steps.truncate(last);
            self.line.pop();
        }
        false
    }

    fn is_spent(&self) -> bool {
        self.nodes >= self.limit
            || (self.nodes.is_multiple_of(1024) && self.stop.load(Ordering::Relaxed))
    }

    /// Whether this position was already searched to this depth in this round; otherwise records
    /// it.
    fn was_seen(&mut self, state: &State, depth: i32, after_reward: bool) -> bool {
        if self.seen.is_empty() {
            return false;
        }
        let hash = Packed::new(state).mix();
        let worth = u64::from(depth.unsigned_abs()) * 2 + u64::from(after_reward);
        let entry = &mut self.seen[(hash >> (64 - TABLE_BITS)) as usize];
        let is_here = *entry & !0xff == hash & !0xff;
        if is_here && *entry & 0xff >= worth {
            return true;
        }
        *entry = (hash & !0xff) | worth;
        false
    }
}
