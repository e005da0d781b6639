//! Exhaustive closure: every position that can be reached.
//!
//! From the root over all legal moves. When the set is complete and none
//! of its positions is a mate by the wanted side, that side cannot mate: the set is
//! closed under legal moves but for the positions left out, and those are lost for
//! the wanted side for a reason of their own, which each of them keeps whatever is
//! played from it.
//!
//! The [order](Order) of the visits decides nothing but how soon a mate is found where there
//! is one: as they come; what a side has won (pawns moved on, men captured) first, with
//! every other visit for what has won less; or first what is near to a mate that is steered
//! for. From positions that are worth more than any before, and from some that are worth what
//! none was, a helpmate is searched for, too.

use std::{
    collections::{HashSet, VecDeque},
    sync::atomic::{AtomicBool, Ordering},
};

use shakmaty::{Color, Role};

use super::{
    Sides,
    aim::Aim,
    material,
    packed::Packed,
    plan::{Plan, Variant},
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

/// Positions that wait to be played from, the promising ones first.
///
/// When all worths have their turns, every other position is one of the next lower worth
/// that has any: what looks like a loss, a bishop given away to set a pawn free, is gone
/// into before everything better is exhausted.
struct Queue {
    /// By worth; within one, first come first served.
    waiting: Vec<VecDeque<u32>>,
    best: usize,
    in_turn: bool,
    /// How many were taken, and the worth of the last one that had its turn.
    taken: usize,
    turn: usize,
}

impl Queue {
    fn new(in_turn: bool) -> Self {
        Self {
            waiting: vec![VecDeque::new()],
            best: 0,
            in_turn,
            taken: 0,
            turn: 0,
        }
    }

    fn push(&mut self, number: u32, worth: u8) {
        let worth = usize::from(worth);
        if worth >= self.waiting.len() {
            self.waiting.resize(worth + 1, VecDeque::new());
        }
        self.waiting[worth].push_back(number);
        self.best = self.best.max(worth);
    }

    fn pop(&mut self) -> Option<(u32, u8)> {
        self.taken += 1;
        if self.in_turn && self.taken.is_multiple_of(2) {
            return self.next_in_turn();
        }
        loop {
            if let Some(number) = self.waiting[self.best].pop_front() {
                return Some((number, worth(self.best)));
            }
            self.best = self.best.checked_sub(1)?;
        }
    }

    fn next_in_turn(&mut self) -> Option<(u32, u8)> {
        let all = self.waiting.len();
        (0..all).find_map(|_| {
            self.turn = self.turn.checked_sub(1).unwrap_or(all - 1).min(all - 1);
            let number = self.waiting[self.turn].pop_front()?;
            Some((number, worth(self.turn)))
        })
    }
}

fn worth(index: usize) -> u8 {
    u8::try_from(index).unwrap_or(u8::MAX)
}

/// Whether a search for a helpmate may pay: the side has never had so much, or it has had
/// just as much never before and not too often something new.
struct Probes {
    record: u8,
    seen: [bool; 256],
    left: u32,
}

impl Probes {
    const MOST: u32 = 32;

    fn from(worth: u8) -> Self {
        let mut seen = [false; 256];
        seen[usize::from(worth)] = true;
        Self {
            record: worth,
            seen,
            left: Self::MOST,
        }
    }

    fn pays(&mut self, worth: u8) -> bool {
        let is_new = !std::mem::replace(&mut self.seen[usize::from(worth)], true);
        if worth > self.record {
            self.record = worth;
            return true;
        }
        let pays = is_new && self.left > 0;
        self.left -= u32::from(pays);
        pays
    }
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
    let mut table = Table::new();
    let mut parents = vec![0];
    let mut steps = Vec::with_capacity(64);
    let (mut nexts, mut keys) = (Vec::with_capacity(64), Vec::with_capacity(64));
    let mut leaves = HashSet::new();
    let mut arguments = 0;
    let counts_progress = matches!(order, Order::Progress(_));
    let may_probe = counts_progress || matches!(order, Order::Aim(_));
    let mut queue = Queue::new(counts_progress);
    let mut probes = Probes::from(order.worth(root));
    queue.push(0, order.worth(root));
    table.insert(Packed::new(root));
    while let Some((number, here)) = queue.pop() {
        let Some(key) = table.get(number) else {
            // Every number that waits is one of the table's. A set that may lack a
            // position is no proof.
            return Closed::OutOfBudget;
        };
        let state = key.unpack();
        steps.clear();
        state.steps_into(&mut steps);
        let winner = state.turn().other();
        if steps.is_empty() && wanted.contains(winner) && state.is_check() {
            return Closed::Mate(winner, line(&table, &parents, number));
        }
        nexts.clear();
        keys.clear();
        for step in &steps {
            let next = state.after(*step);
            if (step.captures() || step.promotes()) && is_hopeless(&next, wanted) {
                continue;
            }
            let key = Packed::new(&next);
            nexts.push((*step, next));
            keys.push((key, key.mix()));
        }
        table.prepare(&keys);
        for ((step, next), (key, hash)) in nexts.iter().zip(&keys) {
            let known = table.insert_hashed(*key, *hash);
            let last = known.unwrap_or(table.len() - 1);
            if known.is_none() {
                parents.push(number);
                if step.is_irreversible() {
                    let closes = guide.closes(next);
                    arguments += u32::from(closes.is_some());
                    if closes == Some(true) {
                        leaves.insert(last);
                        continue;
                    }
                }
            } else if leaves.is_empty() || step.is_irreversible() || !leaves.remove(&last) {
                continue;
            }
            let there = order.after(next, *step, here);
            queue.push(last, there);
            if may_probe
                && probes.pays(there)
                && let Some((winner, end)) = guide.helpmate(next)
            {
                let mut line = line(&table, &parents, last);
                line.extend(end);
                return Closed::Mate(winner, line);
            }
        }
        if table.len() + arguments * ARGUMENT > budget
            || (number.is_multiple_of(1024) && stop.load(Ordering::Relaxed))
        {
            return Closed::OutOfBudget;
        }
    }
    let sum = |sum: u64, key: &Packed| sum.wrapping_add(key.mix());
    Closed::NoMate(Extent {
        positions: table.len(),
        digest: table.keys().iter().fold(0, sum),
        leaves: u32::try_from(leaves.len()).unwrap_or(u32::MAX),
    })
}

/// In which order positions are visited. Nothing else depends on it.
pub(super) enum Order<'a> {
    /// As they come.
    Arrival,
    /// What a side has won first.
    Progress(Color),
    /// What is near to the corner net of a side that has knights and bishops alone.
    Corner(Box<Plan>),
    /// What is near to a certain mate.
    Aim(&'a Aim),
}

impl Order<'_> {
    /// What helps a side first.
    pub fn new(root: &State, winner: Color) -> Self {
        let plan = Plan::new(root, winner, Variant::Corner);
        if plan.is_for_minor_pieces() {
            Self::Corner(Box::new(plan))
        } else {
            Self::Progress(winner)
        }
    }

    fn worth(&self, state: &State) -> u8 {
        match self {
            Self::Arrival => 0,
            Self::Progress(winner) => progress(state, *winner),
            Self::Corner(plan) => plan.nearness(state),
            Self::Aim(aim) => aim.nearness(state),
        }
    }

    /// The worth of the position after a move from one that is worth `before`.
    fn after(&self, next: &State, step: Step, before: u8) -> u8 {
        if matches!(self, Self::Corner(_) | Self::Aim(_)) || step.is_irreversible() {
            self.worth(next)
        } else {
            before
        }
    }
}

/// How far a side has come: its pawns' ranks, its pieces, and what it has captured.
fn progress(state: &State, winner: Color) -> u8 {
    let pawns = state.pieces(winner, Role::Pawn);
    let ranks = pawns.into_iter().map(|pawn| {
        let rank = u32::from(pawn.rank());
        winner.fold_wb(rank, 7 - rank)
    });
    let of = |role| u32::try_from(state.pieces(winner, role).count()).unwrap_or(0);
    let strong = of(Role::Queen) * 4 + of(Role::Rook) * 3;
    let men = strong + (of(Role::Bishop) + of(Role::Knight)) * 2 + of(Role::Pawn);
    let left = u32::try_from(state.of(winner.other()).count()).unwrap_or(0);
    let worth = ranks.sum::<u32>() + men * 4 + 64_u32.saturating_sub(left * 2);
    u8::try_from(worth).unwrap_or(u8::MAX)
}

/// Whether no wanted side has the material to mate.
fn is_hopeless(state: &State, wanted: Sides) -> bool {
    wanted
        .colors()
        .all(|side| material::lack(state, side).is_some())
}

/// The moves from the root to a position: at each, the one that leads to the next key.
fn line(table: &Table, parents: &[u32], mut number: u32) -> Vec<Step> {
    let mut line = Vec::new();
    while number != 0 {
        let parent = parents[number as usize];
        let (Some(from), Some(to)) = (table.get(parent), table.get(number)) else {
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
