//! The order in which a closure visits positions, and where it starts a search. No conclusion is
//! drawn from it.

use std::collections::VecDeque;

use shakmaty::{Color, Role};

use super::{
    aim::Aim,
    plan::{Plan, Variant},
    state::{State, Step},
};

/// The order in which positions are visited.
pub(super) enum Order<'a> {
    /// Order of arrival.
    Arrival,
    /// Progress of a side first.
    Progress(Color),
    /// Nearness to the corner net of a side that has only knights and bishops.
    Corner(Box<Plan>),
    /// Nearness to a given mate.
    Aim(&'a Aim),
}

impl Order<'_> {
    /// The order that favours a side.
    pub fn new(root: &State, winner: Color) -> Self {
        let plan = Plan::new(root, winner, Variant::Corner);
        if plan.is_for_minor_pieces() {
            Self::Corner(Box::new(plan))
        } else {
            Self::Progress(winner)
        }
    }

    pub fn worth(&self, state: &State) -> u8 {
        match self {
            Self::Arrival => 0,
            Self::Progress(winner) => progress(state, *winner),
            Self::Corner(plan) => plan.nearness(state),
            Self::Aim(aim) => aim.nearness(state),
        }
    }

    /// The worth of the position after a move, given that the position before is worth `before`.
    pub fn after(&self, next: &State, step: Step, before: u8) -> u8 {
        if matches!(self, Self::Corner(_) | Self::Aim(_)) || step.is_irreversible() {
            self.worth(next)
        } else {
            before
        }
    }
}

/// The progress of a side: the ranks of its pawns, its pieces, and its captures.
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

/// Positions waiting to be expanded, the promising ones first.
///
/// With turns, every other position comes from the next lower worth that has any. So an apparent
/// loss, such as a bishop given up to free a pawn, is examined before everything better is
/// exhausted.
pub(super) struct Queue {
    /// Queues by worth; first in, first out within each.
    waiting: Vec<VecDeque<u32>>,
    best: usize,
    in_turn: bool,
    /// The number of positions taken, and the worth that had the last turn.
    taken: usize,
    turn: usize,
}

impl Queue {
    pub fn new(order: &Order) -> Self {
        Self {
            waiting: vec![VecDeque::new()],
            best: 0,
            in_turn: matches!(order, Order::Progress(_)),
            taken: 0,
            turn: 0,
        }
    }

    pub fn push(&mut self, number: u32, worth: u8) {
        let worth = usize::from(worth);
        if worth >= self.waiting.len() {
            self.waiting.resize(worth + 1, VecDeque::new());
        }
        self.waiting[worth].push_back(number);
        self.best = self.best.max(worth);
    }

    pub fn pop(&mut self) -> Option<(u32, u8)> {
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

/// Decides whether a search for a helpmate may pay. It does at a new record worth, and a limited
/// number of times at any other worth not seen before.
pub(super) struct Probes {
    is_allowed: bool,
    record: u8,
    seen: [bool; 256],
    left: u32,
}

impl Probes {
    const MOST: u32 = 32;

    /// Starts with the worth of the root. Searches are allowed only under the orders by progress
    /// and by aim.
    pub fn new(order: &Order, worth: u8) -> Self {
        let mut seen = [false; 256];
        seen[usize::from(worth)] = true;
        Self {
            is_allowed: matches!(order, Order::Progress(_) | Order::Aim(_)),
            record: worth,
            seen,
            left: Self::MOST,
        }
    }

    pub fn pays(&mut self, worth: u8) -> bool {
        if !self.is_allowed {
            return false;
        }
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
