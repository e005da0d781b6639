//! Carries a game's helpmates from ply to ply.
//!
//! In an ordinary game both sides can mate in nearly every position, and the line that shows it
//! hardly changes. After a move the known helpmate is
//!
//! 1. *played along* if the move was its first: the rest is a helpmate;
//! 2. *re-rooted and repaired* (the `carry` module): both sides continue with their own moves of
//!    the line, and a short search completes it. Or the line visits the position later, and its
//!    rest is a helpmate. Or the move is taken back and the line followed unchanged;
//! 3. replaced by a new search if all that fails.
//!
//! Every line is replayed to the mate with `shakmaty`, except the rest of a line already replayed.
//!
//! A side that cannot mate never can again in the same game. Its proof refers to the position for
//! which it was found and is returned for all later positions, until another game begins.

use std::sync::atomic::AtomicBool;

use shakmaty::{ByColor, Chess, Color, Move, Position as _, Square};

use super::{
    Analysis, Budget, Proof, Winnability, analyse_within, carry, helpmate,
    state::{State, Step},
};

/// The knowledge about one game. Cheap to create; holds at most two lines.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// The position examined last.
    position: Option<Chess>,
    lines: ByColor<Vec<Move>>,
    unwinnable: ByColor<Option<Proof>>,
}

impl Watch {
    /// A watch without a position.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Examines the next position of the game, one move after the previous one; any other position
    /// starts over. Without `both`, one side that can mate is enough.
    #[must_use]
    pub fn look(
        &mut self,
        position: &Chess,
        both: bool,
        budget: Budget,
        stop: &AtomicBool,
    ) -> Analysis {
        let last_move = self.last_move(position);
        if last_move.is_none() && self.position.as_ref() != Some(position) {
            *self = Self::new();
        }
        let answers = self.carried(position, last_move, both, stop);
        self.position = Some(position.clone());
        let can_mate = |answer: &Option<_>| matches!(answer, Some(Winnability::Winnable { .. }));
        let is_open = answers.iter().any(Option::is_none);
        let is_enough = !both && answers.iter().any(can_mate);
        let ByColor { black, white } = answers;
        if !is_open || is_enough {
            return Analysis { white, black };
        }
        let fresh = analyse_within(position, both, budget, stop);
        let analysis = Analysis {
            white: white.or(fresh.white),
            black: black.or(fresh.black),
        };
        self.keep(&analysis);
        analysis
    }

    /// Adopts an analysis from elsewhere, if it is about the position examined last; otherwise it
    /// is discarded.
    pub fn learn(&mut self, position: &Chess, analysis: &Analysis) {
        if self.position.as_ref() == Some(position) {
            self.keep(analysis);
        }
    }

    /// The move that leads here from the position examined last.
    fn last_move(&self, position: &Chess) -> Option<Move> {
        let before = self.position.as_ref()?;
        if before.turn() == position.turn() {
            return None;
        }
        before.legal_moves().into_iter().find(|&m| {
            let is_there =
                m.is_castle() || position.board().color_at(m.to()) == Some(before.turn());
            is_there && m.from().is_some_and(|from| has_left(position, m, from)) && {
                let mut after = before.clone();
                after.play_unchecked(m);
                after == *position
            }
        })
    }

    fn carried(
        &mut self,
        position: &Chess,
        last_move: Option<Move>,
        both: bool,
        stop: &AtomicBool,
    ) -> ByColor<Option<Winnability>> {
        let mut answers = ByColor::default();
        for side in [Color::White, Color::Black] {
            if let Some(proof) = self.unwinnable.get(side) {
                *answers.get_mut(side) = Some(Winnability::Unwinnable(proof.clone()));
                continue;
            }
            let line = std::mem::take(self.lines.get_mut(side));
            let line = match last_move {
                Some(m) => self.carry(position, side, line, m, stop),
                // The position is unchanged.
                None if line.is_empty() => None,
                None => Some(line),
            };
            let Some(line) = line else {
                continue;
            };
            self.lines.get_mut(side).clone_from(&line);
            *answers.get_mut(side) = Some(Winnability::Winnable { helpmate: line });
            if !both {
                // The other side's line starts from an earlier position.
                self.lines.get_mut(side.other()).clear();
                break;
            }
        }
        answers
    }

    /// Adapts the helpmate by `side` from the position before `m` to the position after it.
    fn carry(
        &self,
        position: &Chess,
        side: Color,
        mut line: Vec<Move>,
        m: Move,
        stop: &AtomicBool,
    ) -> Option<Vec<Move>> {
        if line.first() == Some(&m) {
            // It was replayed to the mate from the position before, through this one.
            line.remove(0);
            return Some(line);
        }
        let before = State::from(self.position.as_ref()?);
        let steps: Vec<Step> = line.into_iter().filter_map(Step::of).collect();
        let state = State::from(position);
        let last = Step::of(m)?;
        let replayed = |line: Vec<Step>| helpmate::replayed(position, side, &line);
        let carried = carry::carried(&state, side, &steps, last, stop).and_then(replayed);
        let carried =
            carried.or_else(|| carry::rejoined(&before, &steps, &state).and_then(replayed));
        carried.or_else(|| carry::taken_back(&state, &steps, last).and_then(replayed))
    }

    fn keep(&mut self, analysis: &Analysis) {
        for (side, answer) in [
            (Color::White, &analysis.white),
            (Color::Black, &analysis.black),
        ] {
            match answer {
                Some(Winnability::Winnable { helpmate }) => {
                    self.lines.get_mut(side).clone_from(helpmate);
                }
                Some(Winnability::Unwinnable(proof)) => {
                    *self.unwinnable.get_mut(side) = Some(proof.clone());
                }
                Some(Winnability::Unknown) | None => {}
            }
        }
    }
}

/// Whether a moved piece is no longer on its square; in castling a king may stay.
fn has_left(position: &Chess, m: Move, from: Square) -> bool {
    m.is_castle() || !position.board().occupied().contains(from)
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen, uci::UciMove};

    use super::*;

    #[test]
    fn a_verdict_on_an_earlier_position_is_not_repeated_for_a_later_one() {
        let fen: Fen = "4k3/p7/8/8/8/8/8/R3K3 w - - 0 1".parse().unwrap();
        let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let mut watch = Watch::new();
        let budget = Budget::INTERACTIVE;
        let go_on = AtomicBool::new(false);
        let before = watch.look(&position, true, budget, &go_on);
        assert!(matches!(before.black, Some(Winnability::Winnable { .. })));
        let capture = "a1a7"
            .parse::<UciMove>()
            .unwrap()
            .to_move(&position)
            .unwrap();
        position.play_unchecked(capture);
        let one = watch.look(&position, false, budget, &go_on);
        assert!(matches!(one.white, Some(Winnability::Winnable { .. })));
        for _ in 0..2 {
            let both = watch.look(&position, true, budget, &go_on);
            assert!(matches!(both.white, Some(Winnability::Winnable { .. })));
            assert!(
                matches!(both.black, Some(Winnability::Unwinnable(_))),
                "a bare king mates nobody: {:?}",
                both.black
            );
        }
    }

    /// Plays moves that no helpmate contains, captures of its men among them. The reported line
    /// must still mate, from the position analysed.
    #[test]
    fn a_line_that_the_game_has_left_is_repaired_or_found_again() {
        let mut position = Chess::default();
        let mut watch = Watch::new();
        let never = AtomicBool::new(false);
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..120 {
            let analysis = watch.look(&position, true, Budget::INTERACTIVE, &never);
            assert_eq!(crate::verify(&position, &analysis), Ok(()));
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            position.play_unchecked(legal[random.usize(..legal.len())]);
        }
    }
}
