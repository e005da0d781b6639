//! In which order a closure visits positions, and where it stops to search. Nothing is
//! concluded from it.

use std::collections::VecDeque;

use shakmaty::{Color, Role};

use super::{
    aim::Aim,
    plan::{Plan, Variant},
    state::{State, Step},
};

/// In which order positions are visited.
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

    pub fn worth(&self, state: &State) -> u8 {
        match self {
            Self::Arrival => 0,
            Self::Progress(winner) => progress(state, *winner),
            Self::Corner(plan) => plan.nearness(state),
            Self::Aim(aim) => aim.nearness(state),
        }
    }

    /// The worth of the position after a move from one that is worth `before`.
    pub fn after(&self, next: &State, step: Step, before: u8) -> u8 {
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

/// Positions that wait to be played from, the promising ones first.
///
/// When all worths have their turns, every other position is one of the next lower worth
/// that has any: what looks like a loss, a bishop given away to set a pawn free, is gone
/// into before everything better is exhausted.
pub(super) struct Queue {
    /// By worth; within one, first come first served.
    waiting: Vec<VecDeque<u32>>,
    best: usize,
    in_turn: bool,
    /// How many were taken, and the worth of the last one that had its turn.
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

/// Whether a search for a helpmate may pay: the side has never had so much, or it has had
/// just as much never before and not too often something new.
pub(super) struct Probes {
    is_allowed: bool,
    record: u8,
    seen: [bool; 256],
    left: u32,
}

impl Probes {
    const MOST: u32 = 32;

    /// The root is worth this. Only what a side has won, and how near an aim is, tells where it
    /// may pay.
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
