//! Adapts a helpmate from before a move to the position after it.
//!
//! Each side continues with its own moves of the known line, in order as far as they are legal, and
//! waits when none is. This way moves may be omitted, inserted, exchanged, or start from the new
//! square of the man that just moved.
//!
//! If that fails, the line may still pass through the new position later. Or the move is taken back
//! while the other side makes a move and retracts it, after which the known line applies unchanged.
//! If nothing works, no conclusion is drawn.

use std::sync::atomic::AtomicBool;

use shakmaty::{Bitboard, Color, Role, attacks};

use super::{
    search::{self, Found},
    state::{Kind, State, Step, last_rank},
};

/// Nodes of the search at the end of a line without mate.
const NODES: u64 = 200;
/// The longest line, in plies.
const LONGEST: usize = 100;
/// The longest line, in plies, that is prefixed by taking a move back.
const LONGEST_FROM_BEFORE: usize = 240;
/// How many of its own moves a side looks ahead for a legal one.
const AHEAD: usize = 8;
/// The most waiting moves before a line is abandoned.
const WAITS: usize = 6;

/// The remaining moves of both sides.
struct Follow {
    winner: Color,
    plans: [Vec<Step>; 2],
    waits: usize,
    line: Vec<Step>,
}

/// A helpmate by `winner` from `state`, which `last` has led to, modelled on one from the position
/// before.
pub(super) fn carried(
    state: &State,
    winner: Color,
    line: &[Step],
    last: Step,
    stop: &AtomicBool,
) -> Option<Vec<Step>> {
    let them = state.turn().other();
    let mut plans = [Vec::new(), Vec::new()];
    for (ply, step) in line.iter().enumerate() {
        let by = if ply.is_multiple_of(2) {
            them
        } else {
            state.turn()
        };
        plans[by as usize].push(*step);
    }
    let own = &mut plans[them as usize];
    if let Some(done) = own.iter().position(|step| *step == last) {
        own.remove(done);
    } else if let Some(next) = own.iter_mut().find(|step| step.from == last.from) {
        next.from = last.to;
    }
    for plan in &mut plans {
        plan.reverse();
    }
    let follow = Follow {
        winner,
        plans,
        waits: 0,
        line: Vec::with_capacity(line.len() + 8),
    };
    follow.run(state, stop)
}

/// The rest of a line from `before` after its last visit to `state`, if it visits `state` at all.
pub(super) fn rejoined(before: &State, line: &[Step], state: &State) -> Option<Vec<Step>> {
    let mut after = *before;
    let mut rest = None;
    for (ply, step) in line.iter().enumerate() {
        after = after.after(*step);
        if after == *state {
            rest = Some(&line[ply + 1..]);
        }
    }
    rest.map(<[Step]>::to_vec)
}

/// A detour to the position before: the side that moved takes its move back, and the other side
/// moves and retracts. Only the first suitable move of the other side is tried, even if the line
/// then fails to end in mate, for instance because a right was lost.
pub(super) fn taken_back(state: &State, line: &[Step], last: Step) -> Option<Vec<Step>> {
    if last.is_irreversible() || line.len() > LONGEST_FROM_BEFORE {
        return None;
    }
    let back = reversed(last);
    let mut found = None;
    state.each_step(|wait| {
        if wait.is_irreversible() {
            return false;
        }
        let waited = state.after(wait);
        let Some(back) = waited.adapted(back).filter(|back| !back.captures()) else {
            return false;
        };
        let restored = waited.after(back).adapted(reversed(wait));
        found = restored
            .filter(|restored| !restored.captures())
            .map(|restored| vec![wait, back, restored]);
        found.is_some()
    });
    let mut found = found?;
    found.extend(line);
    Some(found)
}

/// The move back, which leaves all other men in place.
const fn reversed(step: Step) -> Step {
    Step {
        from: step.to,
        to: step.from,
        ..step
    }
}

impl Follow {
    fn run(mut self, state: &State, stop: &AtomicBool) -> Option<Vec<Step>> {
        let mut state = *state;
        while self.line.len() < LONGEST {
            let Some(next) = self.planned(&state).or_else(|| self.waiting(&state)) else {
                break;
            };
            self.line.push(next);
            state = state.after(next);
            if state.turn() != self.winner && state.is_mate() {
                return Some(self.line);
            }
        }
        let Found::Helpmate(end) = search::search(&state, self.winner, NODES, stop) else {
            return None;
        };
        self.line.extend(end);
        Some(self.line)
    }

    /// The next planned move that is legal.
    fn planned(&mut self, state: &State) -> Option<Step> {
        let plan = &mut self.plans[state.turn() as usize];
        let ahead = plan.len().saturating_sub(AHEAD)..plan.len();
        let found = ahead.rev().find_map(|at| {
            let step = state.adapted(plan[at])?;
            Some((at, step))
        });
        let (at, step) = found?;
        plan.remove(at);
        Some(step)
    }

    /// A waiting move that interferes least with both plans.
    fn waiting(&mut self, state: &State) -> Option<Step> {
        if self.plans.iter().all(Vec::is_empty) || self.waits == WAITS {
            return None;
        }
        self.waits += 1;
        let plans = self.plans.iter().flatten();
        let busy = plans.fold(Bitboard::EMPTY, |sum, step| sum | step.from | step.to);
        let mut best = None;
        state.each_step(|step| {
            let harm = u8::from(step.captures()) * 8
                + u8::from(busy.contains(step.from)) * 4
                + u8::from(busy.contains(step.to)) * 2
                + u8::from(step.role == Role::Pawn || step.role == Role::King);
            if best.is_none_or(|(least, _)| harm < least) {
                best = Some((harm, step));
            }
            harm == 0
        });
        best.map(|(_, step)| step)
    }
}

impl State {
    /// A move of an earlier position in the form it takes here, if it is legal.
    pub(super) fn adapted(&self, step: Step) -> Option<Step> {
        let us = self.turn();
        let Step { from, to, role, .. } = step;
        if !self.pieces(us, role).contains(from)
            || self.of(us).contains(to)
            || step.kind == Kind::Castle
        {
            return None;
        }
        let occupied = self.occupied();
        let captures = occupied.contains(to);
        let reach = attacks::attacks(from, role.of(us), occupied);
        let kind = if captures { Kind::Capture } else { Kind::Quiet };
        let kind = match role {
            Role::Pawn if last_rank(us).contains(to) != step.promotes() => return None,
            Role::Pawn if from.file() == to.file() => {
                let is_free = (attacks::between(from, to) & occupied).is_empty() && !captures;
                let up = i32::from(to.rank()) - i32::from(from.rank());
                let ahead = us.fold_wb(up, -up);
                let is_double = ahead == 2 && step.kind == Kind::Double;
                // A pawn cannot return to a square it has passed in the game.
                if !is_free || !(ahead == 1 || is_double) {
                    return None;
                }
                if is_double { Kind::Double } else { Kind::Quiet }
            }
            Role::Pawn if !reach.contains(to) => return None,
            Role::Pawn if self.en_passant() == Some(to) => Kind::EnPassant,
            Role::Pawn if !captures => return None,
            _ if !reach.contains(to) => return None,
            _ => kind,
        };
        let step = Step { kind, ..step };
        self.is_legal(step).then_some(step)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Position as _, uci::UciMove};

    use super::*;
    use crate::helpmate::replayed;

    fn steps(position: &Chess, line: &str) -> Vec<Step> {
        let mut position = position.clone();
        let moves = line.split(' ').map(|text| {
            let m = text.parse::<UciMove>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(m);
            Step::of(m).unwrap()
        });
        moves.collect()
    }

    #[test]
    fn a_move_that_helps_neither_side_is_taken_back() {
        let line = "f2f3 e7e5 g2g4 d8h4";
        let known = steps(&Chess::default(), line);
        let mut position = Chess::default();
        let knight = steps(&position, "g1f3")[0];
        position.play_unchecked(knight.to_move(&State::from(&position)));
        let found = taken_back(&State::from(&position), &known, knight).unwrap();
        let waits = found[0];
        assert_eq!((found[1].from, found[1].to), (knight.to, knight.from));
        assert_eq!((found[2].from, found[2].to), (waits.to, waits.from));
        assert_eq!(found[3..], known);
        assert!(replayed(&position, Color::Black, &found).is_some());
    }

    #[test]
    fn a_position_that_comes_later_in_the_line_is_where_it_goes_on() {
        let before = Chess::default();
        let line = "b1c3 g8f6 g1f3 f6g8 c3b1 e7e5 f3g1 a7a6";
        let known = steps(&before, line);
        let mut position = before.clone();
        position.play_unchecked(known[2].to_move(&State::from(&before)));
        let (before, state) = (State::from(&before), State::from(&position));
        assert_eq!(rejoined(&before, &known, &state).unwrap(), known[5..]);
        assert_eq!(rejoined(&before, &known[..4], &state), None);
    }

    #[test]
    fn nor_does_a_pawn_move_keep_a_line_from_coming_there_later() {
        let before = Chess::default();
        let known = steps(&before, "g1f3 g8f6 f3g1 f6g8 e2e4 e7e5");
        let mut position = before.clone();
        position.play_unchecked(known[4].to_move(&State::from(&before)));
        let (before, state) = (State::from(&before), State::from(&position));
        assert_eq!(rejoined(&before, &known, &state).unwrap(), known[5..]);
    }

    #[test]
    fn both_sides_go_on_with_their_own_moves_of_a_line() {
        let line = steps(&Chess::default(), "f2f3 e7e5 g2g4 d8h4");
        let mut position = Chess::default();
        let other = steps(&position, "g2g4")[0];
        let m = other.to_move(&State::from(&position));
        position.play_unchecked(m);
        let never = AtomicBool::new(false);
        let state = State::from(&position);
        let found = carried(&state, Color::Black, &line, other, &never).unwrap();
        assert_eq!(found, steps(&position, "e7e5 f2f3 d8h4"));
        assert!(replayed(&position, Color::Black, &found).is_some());
        assert!(
            replayed(&position, Color::White, &found).is_none(),
            "Black mates"
        );
        assert!(
            replayed(&position, Color::Black, &found[..2]).is_none(),
            "no mate yet"
        );
    }
}
