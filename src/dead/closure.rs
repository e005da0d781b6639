//! Exhaustive closure: all reachable positions.
//!
//! The closure follows all legal moves from the root. If the set is complete and contains no mate
//! by the wanted side, that side cannot mate. The set is closed under legal moves except for the
//! positions left out. In those the wanted side cannot mate for a separate reason, which remains
//! valid whatever is played.
//!
//! The [order](super::order) of visits only affects how soon an existing mate is found. There are
//! three orders: arrival, progress of a side (advanced pawns, captured men), and distance to a mate
//! that is steered for. Under progress, every other visit goes to a position of less progress. A
//! helpmate search also starts from positions worth more than all earlier ones, and from some
//! positions of a worth not seen before.

use std::{
    collections::HashSet,
    sync::atomic::{AtomicBool, Ordering},
};

use shakmaty::Color;

use super::{
    Sides, material,
    order::{Order, Probes, Queue},
    packed::Packed,
    state::{State, Step},
    table::{MOST, PositionTable},
};

/// The result of a closure.
pub(super) enum Closed {
    /// The set contains no mate by a wanted side.
    NoMate(Extent),
    /// A wanted side mates at the end of this line.
    Mate(Color, Vec<Step>),
    /// The budget was used up.
    OutOfBudget,
}

/// The size of a complete set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// Positions in the set, without those in which no wanted side has mating material.
    pub positions: u32,
    /// The sum of [`Packed::mix`] over the set.
    pub digest: u64,
    /// Positions that were not expanded because a static argument closes them.
    pub leaves: u32,
}

/// The check that a closure makes of newly reached positions.
pub(super) trait Guide {
    /// Whether a static argument shows that no wanted side can mate from a position; `None` if no
    /// argument was tried.
    fn closes(&mut self, state: &State) -> Option<bool>;
    /// A helpmate from a position that is better for the winner than all before.
    fn helpmate(&mut self, state: &State) -> Option<(Color, Vec<Step>)>;
}

/// The cost of a static argument, in positions.
const ARGUMENT: u32 = 8;

/// Visits at most `budget` positions.
///
/// A position that the guide closes is a *leaf* and is not expanded, as long as only pawn moves,
/// captures and castling are known to lead to it. So the order does not affect which positions are
/// visited and which are leaves.
pub(super) fn close(
    root: &State,
    wanted: Sides,
    order: &Order,
    budget: u32,
    stop: &AtomicBool,
    guide: &mut impl Guide,
) -> Closed {
    let budget = budget.min(MOST);
    let mut visits = Visits::from(root, wanted, order, guide);
    while let Some((number, worth)) = visits.queue.pop() {
        let Some(key) = visits.table.get(number) else {
            // Every queued number is in the table. A set that might lack a position would be no
            // proof.
            return Closed::OutOfBudget;
        };
        if let Some((winner, line)) = visits.play_from(number, &key.unpack(), worth) {
            return Closed::Mate(winner, line);
        }
        if visits.cost() > budget || (number.is_multiple_of(1024) && stop.load(Ordering::Relaxed)) {
            return Closed::OutOfBudget;
        }
    }
    Closed::NoMate(visits.extent())
}

/// The visited positions and the queue of those to expand.
struct Visits<'a, G> {
    wanted: Sides,
    order: &'a Order<'a>,
    guide: &'a mut G,
    table: PositionTable,
    /// The predecessor of each position; the root is its own.
    parents: Vec<u32>,
    queue: Queue,
    probes: Probes,
    leaves: HashSet<u32>,
    /// The number of static arguments tried.
    arguments: u32,
    // Scratch buffers, empty between two positions.
    steps: Vec<Step>,
    nexts: Vec<(Step, State)>,
    keys: Vec<(Packed, u64)>,
}

impl<'a, G: Guide> Visits<'a, G> {
    fn from(root: &State, wanted: Sides, order: &'a Order<'a>, guide: &'a mut G) -> Self {
        let worth = order.worth(root);
        let mut visits = Self {
            wanted,
            order,
            guide,
            table: PositionTable::new(),
            parents: vec![0],
            queue: Queue::new(order),
            probes: Probes::new(order, worth),
            leaves: HashSet::new(),
            arguments: 0,
            steps: Vec::with_capacity(64),
            nexts: Vec::with_capacity(64),
            keys: Vec::with_capacity(64),
        };
        visits.queue.push(0, worth);
        visits.table.insert(Packed::new(root));
        visits
    }

    /// Plays all moves from a position. Returns a mate by a wanted side, on the board or found by
    /// search.
    fn play_from(&mut self, number: u32, state: &State, worth: u8) -> Option<(Color, Vec<Step>)> {
        self.steps.clear();
        state.steps_into(&mut self.steps);
        let winner = state.turn().other();
        if self.steps.is_empty() && self.wanted.contains(winner) && state.is_check() {
            return Some((winner, self.line(number)));
        }
        self.find_next(state);
        self.table.prepare(&self.keys);
        let (nexts, keys) = (
            std::mem::take(&mut self.nexts),
            std::mem::take(&mut self.keys),
        );
        for ((step, next), key) in nexts.iter().zip(&keys) {
            let Some(there) = self.take_in(number, *step, next, *key) else {
                continue;
            };
            let worth = self.order.after(next, *step, worth);
            self.queue.push(there, worth);
            if self.probes.pays(worth)
                && let Some((winner, end)) = self.guide.helpmate(next)
            {
                let mut line = self.line(there);
                line.extend(end);
                return Some((winner, line));
            }
        }
        (self.nexts, self.keys) = (nexts, keys);
        None
    }

    /// Collects the successors, except those hopeless for the wanted sides.
    fn find_next(&mut self, state: &State) {
        self.nexts.clear();
        self.keys.clear();
        for step in &self.steps {
            let next = state.after(*step);
            if (step.captures() || step.promotes()) && is_hopeless(&next, self.wanted) {
                continue;
            }
            let key = Packed::new(&next);
            self.nexts.push((*step, next));
            self.keys.push((key, key.mix()));
        }
    }

    /// Adds a position. Returns its number if it is to be expanded and is not queued yet.
    fn take_in(
        &mut self,
        parent: u32,
        step: Step,
        next: &State,
        (key, hash): (Packed, u64),
    ) -> Option<u32> {
        if let Some(known) = self.table.insert_hashed(key, hash) {
            // A leaf reached by any other move is no longer a leaf.
            let was_leaf =
                !self.leaves.is_empty() && !step.is_irreversible() && self.leaves.remove(&known);
            return was_leaf.then_some(known);
        }
        let number = self.table.len() - 1;
        self.parents.push(parent);
        if step.is_irreversible() {
            let closes = self.guide.closes(next);
            self.arguments += u32::from(closes.is_some());
            if closes == Some(true) {
                self.leaves.insert(number);
                return None;
            }
        }
        Some(number)
    }

    /// The cost so far, in positions.
    fn cost(&self) -> u32 {
        self.table.len() + self.arguments * ARGUMENT
    }

    fn extent(&self) -> Extent {
        let sum = |sum: u64, key: &Packed| sum.wrapping_add(key.mix());
        Extent {
            positions: self.table.len(),
            digest: self.table.keys().iter().fold(0, sum),
            leaves: u32::try_from(self.leaves.len()).unwrap_or(u32::MAX),
        }
    }

    /// The moves from the root to a position: at each step, the one that leads to the next key.
    fn line(&self, mut number: u32) -> Vec<Step> {
        let mut line = Vec::new();
        while number != 0 {
            let parent = self.parents[number as usize];
            let (Some(from), Some(to)) = (self.table.get(parent), self.table.get(number)) else {
                break;
            };
            let from = from.unpack();
            let steps = from.steps();
            let leads = |step: &&Step| Packed::new(&from.after(**step)) == to;
            line.extend(steps.iter().find(leads));
            number = parent;
        }
        line.reverse();
        line
    }
}

/// Whether no wanted side has mating material.
fn is_hopeless(state: &State, wanted: Sides) -> bool {
    wanted
        .colors()
        .all(|side| material::lack(state, side).is_some())
}
