//! Answers one question: decides which method runs when.
//!
//! The methods take [turns](super::turns), the cheapest first.

use std::sync::atomic::{AtomicBool, Ordering};

use shakmaty::{ByColor, Chess, Color};

use super::{
    Analysis, Budget, Proof, Sides, Winnability,
    aim::{self, Aim},
    closure::{self, Closed, Extent, Guide},
    helpmate, material,
    mobility::Mobility,
    net,
    order::Order,
    search::{self, Found},
    sketch,
    state::{State, Step},
    turns::{FORCED, Turn, Visit, turns},
};

struct Inquiry<'a> {
    position: &'a Chess,
    root: State,
    stop: &'a AtomicBool,
    budget: Budget,
    /// Whether each side must be decided.
    both: bool,
    answers: ByColor<Option<Winnability>>,
    /// Sides whose search is exhausted.
    searched: ByColor<bool>,
    /// The number of sketches already tried without success.
    sketched: u32,
    /// The nearest mates of each side, once computed.
    nets: ByColor<Option<Vec<Aim>>>,
}

pub(super) fn answer(position: &Chess, both: bool, budget: Budget, stop: &AtomicBool) -> Analysis {
    let mut inquiry = Inquiry {
        position,
        root: State::from(position),
        stop,
        budget,
        both,
        answers: ByColor::default(),
        searched: ByColor::default(),
        sketched: 0,
        nets: ByColor::default(),
    };
    inquiry.decide_at_once();
    for (number, turn) in turns(budget).enumerate() {
        if inquiry.is_done() || stop.load(Ordering::Relaxed) {
            break;
        }
        if number == 0 {
            inquiry.begin(turn);
        } else {
            inquiry.go_on(turn);
        }
    }
    inquiry.into_analysis()
}

impl Inquiry<'_> {
    /// Decides by the end of the game or by insufficient material.
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

    fn begin(&mut self, turn: &Turn) {
        let has_glanced = self.glance(turn.visit);
        self.search(turn.nodes);
        self.argue(|root| Some(Mobility::of(root)));
        if !has_glanced {
            self.close_both(turn);
        }
        self.close_each(turn.visit);
        self.argue(Mobility::with_anchors);
        self.cast(turn.nets);
    }

    /// Runs the methods once. Sketches come before the closure, which uses its whole share if a
    /// side can mate after all.
    fn go_on(&mut self, turn: &Turn) {
        self.search(turn.nodes);
        self.cast(turn.nets);
        self.sketch(turn.sketches);
        self.close_both(turn);
        self.close_each(turn.visit);
        self.steer(turn.aims);
    }

    /// Runs a closure first if there are hardly any moves: often few positions are reachable then.
    /// Returns whether it ran.
    fn glance(&mut self, visit: Visit) -> bool {
        let is_forced = self.root.steps().len() <= FORCED;
        let Some(open) = self.open().filter(|_| is_forced && !self.is_done()) else {
            return false;
        };
        self.close_for(open, &Order::Arrival, visit);
        true
    }

    /// Searches for a helpmate of each undecided side.
    fn search(&mut self, nodes: u64) {
        let nodes = nodes.min(self.budget.nodes);
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

    /// Tries a mobility argument against each undecided side.
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

    /// Steers for the nearest squares on which a mate may exist. Skipped on an open board, where
    /// any square qualifies.
    fn steer(&mut self, visit: Visit) {
        if !visit.within(self.budget).is_worth_an_aim() || sketch::is_open(&self.root) {
            return;
        }
        for side in [Color::White, Color::Black] {
            if self.answers.get(side).is_none() && !self.is_done() {
                self.close_towards(side, &aim::aims(&self.root, side), visit);
            }
        }
    }

    /// Steers for the nearest possible mates on the board.
    fn cast(&mut self, visit: Visit) {
        if !visit.within(self.budget).is_worth_an_aim() {
            return;
        }
        for side in [Color::White, Color::Black] {
            if self.answers.get(side).is_some() || self.is_done() {
                continue;
            }
            let nets = self.nets.get_mut(side).take();
            let nets = nets.unwrap_or_else(|| net::nets(&self.root, side));
            self.close_towards(side, &nets, visit);
            *self.nets.get_mut(side) = Some(nets);
        }
    }

    fn close_towards(&mut self, side: Color, aims: &[Aim], visit: Visit) {
        for aim in aims {
            if self.answers.get(side).is_none() {
                self.close_for(Sides::only(side), &Order::Aim(aim), visit);
            }
        }
    }

    /// Tries to prove with sketches that an undecided side cannot mate.
    fn sketch(&mut self, sketches: u32) {
        let sketches = sketches.min(self.budget.sketches);
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

    /// Runs one closure for both sides together, if its budget is small.
    fn close_both(&mut self, turn: &Turn) {
        let is_open = self.open() == Some(Sides::Both) && !self.is_done();
        if is_open && turn.is_for_both_together() {
            self.close_for(Sides::Both, &Order::Arrival, turn.visit);
        }
    }

    /// Runs a closure for each undecided side.
    fn close_each(&mut self, visit: Visit) {
        for side in [Color::White, Color::Black] {
            if self.answers.get(side).is_none() && !self.is_done() {
                let order = Order::new(&self.root, side);
                self.close_for(Sides::only(side), &order, visit);
            }
        }
    }

    fn close_for(&mut self, wanted: Sides, order: &Order, visit: Visit) {
        let visit = visit.within(self.budget);
        let mut guide = Helper {
            wanted,
            with_leaves: visit.with_leaves,
            probe: visit.probe,
            purse: visit.purse(),
            stop: self.stop,
        };
        let most = visit.positions;
        match closure::close(&self.root, wanted, order, most, self.stop, &mut guide) {
            Closed::NoMate(extent) => self.closed(wanted, extent),
            Closed::Mate(side, line) => self.found(side, &line),
            Closed::OutOfBudget => {}
        }
    }

    /// Records a helpmate if `shakmaty` can replay it to the mate.
    fn found(&mut self, side: Color, line: &[Step]) {
        let helpmate = helpmate::replayed(self.position, side, line);
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

    /// The undecided sides.
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

/// Gives a closure access to the other methods.
struct Helper<'a> {
    wanted: Sides,
    with_leaves: bool,
    /// Nodes of each search that the closure starts.
    probe: u64,
    /// Nodes left for all such searches.
    purse: u64,
    stop: &'a AtomicBool,
}

impl Guide for Helper<'_> {
    fn closes(&mut self, state: &State) -> Option<bool> {
        self.with_leaves.then(|| {
            let mobility = Mobility::of(state);
            let mut wanted = self.wanted.colors();
            wanted.all(|side| mobility.is_unwinnable(side))
        })
    }

    fn helpmate(&mut self, state: &State) -> Option<(Color, Vec<Step>)> {
        let side = match self.wanted {
            Sides::Both => return None,
            Sides::White => Color::White,
            Sides::Black => Color::Black,
        };
        let nodes = self.probe.min(self.purse);
        if nodes == 0 {
            return None;
        }
        let (found, taken) = search::counted(state, side, nodes, self.stop);
        self.purse = self.purse.saturating_sub(taken);
        match found {
            Found::Helpmate(line) => Some((side, line)),
            Found::Exhausted | Found::OutOfBudget => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_searches_take_is_gone_from_the_purse() {
        let stop = AtomicBool::new(false);
        let mut helper = Helper {
            wanted: Sides::White,
            with_leaves: false,
            probe: 1_000,
            purse: 1_500,
            stop: &stop,
        };
        // White has a bare king, so the search fails as long as nodes are left.
        let kings = "4k3/pppppppp/8/8/8/8/8/4K3 w - - 0 1";
        let kings = State::from(&remisd_vocabulary::notation::parse_position(kings).unwrap());
        for left in [500, 0, 0] {
            assert!(helper.helpmate(&kings).is_none());
            assert_eq!(helper.purse, left);
        }
    }
}
