//! Exhaustive closure: every position that can be reached.
//!
//! From the root over all legal moves. When the set is complete and none
//! of its positions is a mate by the wanted side, that side cannot mate: the set is
//! closed under legal moves but for the positions left out, and those are lost for
//! the wanted side for a reason of their own, which each of them keeps whatever is
//! played from it.
//!
//! The [order](super::order) of the visits decides nothing but how soon a mate is found where there
//! is one: as they come; what a side has won (pawns moved on, men captured) first, with
//! every other visit for what has won less; or first what is near to a mate that is steered
//! for. From positions that are worth more than any before, and from some that are worth what
//! none was, a helpmate is searched for, too.

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
    table::{MOST, Table},
};

/// What a closure came to.
pub(super) enum Closed {
    /// No position of the set is a mate by a wanted side.
    NoMate(Extent),
    /// A wanted side mates at the end of this line.
    Mate(Color, Vec<Step>),
    /// The budget was used up.
    OutOfBudget,
}

/// How large a complete set is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    /// Positions in it; those in which no wanted side has the material are left out.
    pub positions: u32,
    /// The sum of [`Packed::mix`] over them.
    pub digest: u64,
    /// Those from which nothing was played, because a static argument closes them.
    pub leaves: u32,
}

/// What a closure asks about the positions that a move leads to.
pub(super) trait Guide {
    /// Whether a static argument shows that no wanted side can mate from a position, if it is
    /// asked for.
    fn closes(&mut self, state: &State) -> Option<bool>;
    /// A helpmate from a position that is better for the winner than any before it.
    fn helpmate(&mut self, state: &State) -> Option<(Color, Vec<Step>)>;
}

/// A static argument takes the time of so many positions.
const ARGUMENT: u32 = 8;

/// Visits at most `budget` positions.
///
/// A position that the guide closes is a *leaf*, from which nothing is played, as long as
/// only pawn moves, captures and castling are found to lead to it. So which positions are
/// visited and which are leaves does not hang on the order either.
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
            // Every number that waits is one of the table's. A set that may lack a
            // position is no proof.
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

/// What has been visited, and what is to be.
struct Visits<'a, G> {
    wanted: Sides,
    order: &'a Order<'a>,
    guide: &'a mut G,
    table: Table,
    /// For each position the one from which it was found; for the root itself.
    parents: Vec<u32>,
    queue: Queue,
    probes: Probes,
    leaves: HashSet<u32>,
    /// How many static arguments were asked for.
    arguments: u32,
    // These are empty between two positions.
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
            table: Table::new(),
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

    /// Plays all moves from a position; a mate by a wanted side that is here or is found.
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

    /// What the moves lead to, without what is hopeless for the wanted sides.
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

    /// Puts a position in; its number when it is to be played from and does not wait for it.
    fn take_in(
        &mut self,
        parent: u32,
        step: Step,
        next: &State,
        (key, hash): (Packed, u64),
    ) -> Option<u32> {
        if let Some(known) = self.table.insert_hashed(key, hash) {
            // A leaf to which another move leads is none.
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

    /// How many positions it has been worth so far.
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

    /// The moves from the root to a position: at each, the one that leads to the next key.
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

/// Whether no wanted side has the material to mate.
fn is_hopeless(state: &State, wanted: Sides) -> bool {
    wanted
        .colors()
        .all(|side| material::lack(state, side).is_some())
}
