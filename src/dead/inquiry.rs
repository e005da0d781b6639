//! One question from its beginning to its answer: which method comes when.
//!
//! The methods take turns with growing shares of the budget, so that an answer costs no
//! more than a few times what the method that finds it needs.

use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::{ByColor, Chess, Color, Move, Position as _};

use super::{
    Analysis, Budget, Proof, Sides, Winnability,
    aim::{self, Aim},
    closure::{self, Closed, Extent, Guide},
    material,
    mobility::Mobility,
    search::{self, Found},
    sketch,
    state::{State, Step},
};

/// What each turn may take: nodes of the search, positions of the closure, whether the
/// closure leaves off where the mobility argument holds, and sketches for each choice of
/// loose men. The last turn has the whole budget.
const TURNS: [Turn; 5] = [
    Turn::new(600, 300, false, 0),
    Turn::new(4_000, 2_000, true, 2_000),
    Turn::new(20_000, 12_000, false, 10_000),
    Turn::new(150_000, 60_000, false, u32::MAX),
    Turn::new(u64::MAX, u32::MAX, false, u32::MAX),
];

/// Positions of a closure that steers for a certain mate, and the turn for it.
const AIMED: u32 = 20_000;
const WORTH_AN_AIM: u32 = 60_000;

/// Positions of a closure before anything else: where nearly every move is forced there are
/// no more.
const GLANCE: u32 = 24;
const FORCED: usize = 2;

/// Nodes of the search from a position that a closure finds promising.
const PROBE: u64 = 3_000;

struct Turn {
    nodes: u64,
    positions: u32,
    with_leaves: bool,
    sketches: u32,
}

impl Turn {
    const fn new(nodes: u64, positions: u32, with_leaves: bool, sketches: u32) -> Self {
        Self {
            nodes,
            positions,
            with_leaves,
            sketches,
        }
    }
}

struct Inquiry<'a> {
    position: &'a Chess,
    root: State,
    stop: &'a AtomicBool,
    /// Nodes of the search in the budget.
    nodes: u64,
    /// Whether each side must be decided.
    both: bool,
    answers: ByColor<Option<Winnability>>,
    /// Sides whose search has nothing left to look for.
    searched: ByColor<bool>,
    /// With how many sketches it was tried in vain.
    sketched: u32,
}

pub(super) fn answer(position: &Chess, both: bool, budget: Budget, stop: &AtomicBool) -> Analysis {
    let mut inquiry = Inquiry {
        position,
        root: State::from(position),
        stop,
        nodes: budget.nodes,
        both,
        answers: ByColor::default(),
        searched: ByColor::default(),
        sketched: 0,
    };
    inquiry.decide_at_once();
    inquiry.glance(GLANCE.min(budget.positions));
    for (number, turn) in TURNS.iter().enumerate() {
        if inquiry.is_done() || stop.load(Ordering::Relaxed) {
            break;
        }
        inquiry.search(turn.nodes.min(budget.nodes));
        if number == 0 {
            inquiry.argue(|root| Some(Mobility::of(root)));
        }
        inquiry.close(turn.positions.min(budget.positions), turn.with_leaves);
        if number == 0 {
            inquiry.argue(Mobility::with_anchors);
        }
        inquiry.sketch(turn.sketches.min(budget.sketches));
        if turn.positions == WORTH_AN_AIM && !sketch::is_open(&inquiry.root) {
            inquiry.steer(AIMED.min(budget.positions));
        }
        let is_last = turn.nodes >= budget.nodes
            && turn.positions >= budget.positions
            && turn.sketches >= budget.sketches;
        if is_last {
            break;
        }
    }
    inquiry.into_analysis()
}

impl Inquiry<'_> {
    /// The game is over, or the material does not suffice.
    fn decide_at_once(&mut self) {
        if self.root.is_over() {
            let mated = self.root.is_check().then_some(self.root.turn());
            self.answers = ByColor::new_with(|side| {
                Some(if mated == Some(side.other()) {
                    Winnability::Winnable {
                        helpmate: Vec::new(),
                    }
                } else {
                    Winnability::Unwinnable(Proof::GameOver)
                })
            });
            return;
        }
        self.answers = ByColor::new_with(|side| {
            let lack = material::lack(&self.root, side)?;
            Some(Winnability::Unwinnable(Proof::Material { lack }))
        });
    }

    /// Visits everything, if that is next to nothing.
    fn glance(&mut self, positions: u32) {
        let is_forced = self.root.steps().len() <= FORCED;
        if let Some(open) = self.open().filter(|_| is_forced && !self.is_done()) {
            self.close_for(open, None, positions, false);
        }
    }

    /// Looks for a helpmate of each side that has no answer.
    fn search(&mut self, nodes: u64) {
        for side in [Color::White, Color::Black] {
            if self.is_done() || self.answers.get(side).is_some() || *self.searched.get(side) {
                continue;
            }
            match search::search(&self.root, side, nodes, self.stop) {
                Found::Helpmate(line) => self.found(side, &line),
                Found::Exhausted => *self.searched.get_mut(side) = true,
                Found::OutOfBudget => {}
            }
        }
    }

    /// Looks for a mobility argument against each side that has no answer.
    fn argue(&mut self, mobility: impl FnOnce(&State) -> Option<Mobility>) {
        let Some(open) = self.open().filter(|_| !self.is_done()) else {
            return;
        };
        let Some(mobility) = mobility(&self.root) else {
            return;
        };
        for side in open.colors() {
            let certificate = mobility.certificate(side);
            let proof = certificate.map(|found| Winnability::Unwinnable(Proof::Mobility(found)));
            *self.answers.get_mut(side) = proof;
        }
    }

    /// Steers for the nearest squares on which there might be a mate.
    fn steer(&mut self, positions: u32) {
        for side in [Color::White, Color::Black] {
            if self.answers.get(side).is_some() {
                continue;
            }
            for aim in aim::aims(&self.root, side) {
                if self.is_done() || self.answers.get(side).is_some() {
                    break;
                }
                self.close_for(Sides::only(side), Some(aim), positions, false);
            }
        }
    }

    /// Looks for sketches that leave each side without an answer no mate.
    fn sketch(&mut self, sketches: u32) {
        if sketches <= std::mem::replace(&mut self.sketched, sketches) {
            return;
        }
        for side in [Color::White, Color::Black] {
            if self.is_done() || self.answers.get(side).is_some() {
                continue;
            }
            let album = sketch::album(&self.root, side, sketches, self.stop);
            *self.answers.get_mut(side) =
                album.map(|album| Winnability::Unwinnable(Proof::Sketches(album)));
        }
    }

    /// Visits everything that can be reached, for the sides that have no answer: first
    /// for both at once, then for each.
    fn close(&mut self, positions: u32, with_leaves: bool) {
        if self.open() == Some(Sides::Both) {
            self.close_for(Sides::Both, None, positions, with_leaves);
        }
        for side in [Color::White, Color::Black] {
            if self.answers.get(side).is_none() && !self.is_done() {
                self.close_for(Sides::only(side), None, positions, with_leaves);
            }
        }
    }

    fn close_for(&mut self, wanted: Sides, aim: Option<Aim>, positions: u32, with_leaves: bool) {
        let mut guide = Helper {
            wanted,
            with_leaves,
            probe: PROBE.min(self.nodes),
            stop: self.stop,
        };
        match closure::close(&self.root, wanted, aim, positions, self.stop, &mut guide) {
            Closed::NoMate(extent) => self.closed(wanted, extent),
            Closed::Mate(side, line) => self.found(side, &line),
            Closed::OutOfBudget => {}
        }
    }

    /// Takes a helpmate down when `shakmaty` can play it to the mate.
    fn found(&mut self, side: Color, line: &[Step]) {
        let helpmate = helpmate(self.position, side, line);
        debug_assert!(helpmate.is_some(), "a line that is no helpmate");
        *self.answers.get_mut(side) =
            Some(
                helpmate.map_or(Winnability::Unknown, |helpmate| Winnability::Winnable {
                    helpmate,
                }),
            );
    }

    fn closed(&mut self, wanted: Sides, extent: Extent) {
        for side in wanted.colors() {
            *self.answers.get_mut(side) = Some(Winnability::Unwinnable(Proof::Closure {
                wanted,
                positions: extent.positions,
                digest: format!("{:016x}", extent.digest),
                leaves: extent.leaves,
            }));
        }
    }

    /// The sides without an answer.
    fn open(&self) -> Option<Sides> {
        match (&self.answers.white, &self.answers.black) {
            (None, None) => Some(Sides::Both),
            (None, Some(_)) => Some(Sides::White),
            (Some(_), None) => Some(Sides::Black),
            (Some(_), Some(_)) => None,
        }
    }

    fn is_done(&self) -> bool {
        let can_mate = |answer: &Option<_>| matches!(answer, Some(Winnability::Winnable { .. }));
        self.open().is_none() || (!self.both && self.answers.iter().any(can_mate))
    }

    fn into_analysis(self) -> Analysis {
        let is_enough = !self.both && self.is_done() && self.open().is_some();
        let or_unknown = |answer: Option<Winnability>| match answer {
            None if is_enough => None,
            answer => Some(answer.unwrap_or(Winnability::Unknown)),
        };
        Analysis {
            white: or_unknown(self.answers.white),
            black: or_unknown(self.answers.black),
        }
    }
}

/// What a closure may use of the other methods.
struct Helper<'a> {
    wanted: Sides,
    with_leaves: bool,
    /// Nodes of a search that it asks for.
    probe: u64,
    stop: &'a AtomicBool,
}

impl Guide for Helper<'_> {
    fn closes(&mut self, state: &State) -> bool {
        if !self.with_leaves {
            return false;
        }
        let mobility = Mobility::of(state);
        self.wanted
            .colors()
            .all(|side| mobility.is_unwinnable(side))
    }

    fn helpmate(&mut self, state: &State) -> Option<(Color, Vec<Step>)> {
        let side = match self.wanted {
            Sides::Both => return None,
            Sides::White => Color::White,
            Sides::Black => Color::Black,
        };
        match search::search(state, side, self.probe, self.stop) {
            Found::Helpmate(line) => Some((side, line)),
            Found::Exhausted | Found::OutOfBudget => None,
        }
    }
}

/// The moves of a line as `shakmaty` plays them, if they end in a mate by `winner`.
fn helpmate(position: &Chess, winner: Color, line: &[Step]) -> Option<Vec<Move>> {
    let mut after = position.clone();
    let mut moves = Vec::with_capacity(line.len());
    for step in line {
        let m = step.find_in(&after)?;
        after.play_unchecked(m);
        moves.push(m);
    }
    (after.is_checkmate() && after.turn() != winner).then_some(moves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_does_not_end_in_mate_is_no_helpmate() {
        let start = Chess::default();
        let step = State::from(&start).steps()[0];
        assert_eq!(helpmate(&start, Color::White, &[step]), None);
        assert_eq!(helpmate(&start, Color::White, &[step, step]), None);
    }
}
