//! A game's helpmates, carried from ply to ply.
//!
//! In an ordinary game both sides can mate in nearly every position, and the line that
//! shows it hardly changes. After a move the known helpmate is
//!
//! 1. *played along*, when the move was its first: the rest is a helpmate;
//! 2. *re-rooted*, when it mates from the new position without its first move, or with
//!    the moves of both sides the other way round;
//! 3. *repaired*, when it does so after one more move was put in at its beginning or end;
//! 4. and only then is anything searched anew.
//!
//! A side that cannot mate never can again in the game: its proof stays, with the
//! position that it was found for, until that position is taken back.

use std::sync::atomic::AtomicBool;

use shakmaty::{ByColor, Chess, Color, Move, Position as _, Square};

use super::{Analysis, Budget, Proof, Winnability, analyse_within};

/// What is known of one game. Cheap to make; holds two lines at most.
#[derive(Debug, Clone, Default)]
pub struct Watch {
    /// The position that was looked at last.
    position: Option<Chess>,
    lines: ByColor<Vec<Move>>,
    unwinnable: ByColor<Option<Proof>>,
}

impl Watch {
    /// A watch that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at the next position of the game, to which one move has led from the one
    /// looked at before; any other position begins anew. Without `both` one side that
    /// can mate is enough.
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
        let answers = self.carried(position, last_move, both);
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

    /// Takes in what was found out elsewhere about the position that was looked at last; about
    /// any other it is of no use any more.
    pub fn learn(&mut self, position: &Chess, analysis: &Analysis) {
        if self.position.as_ref() == Some(position) {
            self.keep(analysis);
        }
    }

    /// The move that has led here from the position that was looked at last.
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
    ) -> ByColor<Option<Winnability>> {
        let mut answers = ByColor::default();
        for side in [Color::White, Color::Black] {
            if let Some(proof) = self.unwinnable.get(side) {
                *answers.get_mut(side) = Some(Winnability::Unwinnable(proof.clone()));
                continue;
            }
            let line = std::mem::take(self.lines.get_mut(side));
            let line = match last_move {
                Some(m) => carry(position, side, line, m),
                // The position is the same.
                None => replayed(position, side, &line),
            };
            let Some(line) = line else {
                continue;
            };
            self.lines.get_mut(side).clone_from(&line);
            *answers.get_mut(side) = Some(Winnability::Winnable { helpmate: line });
            if !both {
                // What was known for the other side was about an earlier position.
                self.lines.get_mut(side.other()).clear();
                break;
            }
        }
        answers
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

/// Whether a piece that has moved is not on its square any more; in castling a king may stay.
fn has_left(position: &Chess, m: Move, from: Square) -> bool {
    m.is_castle() || !position.board().occupied().contains(from)
}

/// The helpmate by `side` from the position before `m`, made one from after it.
fn carry(position: &Chess, side: Color, mut line: Vec<Move>, m: Move) -> Option<Vec<Move>> {
    if line.first() == Some(&m) {
        line.remove(0);
        return replayed(position, side, &line);
    }
    // The line begins with the side that has just moved. Its first move may be done
    // without, or both sides' moves follow each other the other way round.
    let swapped: Vec<Move> = line
        .chunks(2)
        .flat_map(|two| two.iter().rev().copied())
        .collect();
    let rest = line.get(1..).unwrap_or_default();
    replayed(position, side, rest)
        .or_else(|| replayed(position, side, &swapped))
        .or_else(|| with_tempo(position, side, &line, 0))
        .or_else(|| with_tempo(position, side, &swapped, swapped.len().saturating_sub(1)))
}

/// The line with one more move put in at a ply.
fn with_tempo(position: &Chess, side: Color, line: &[Move], ply: usize) -> Option<Vec<Move>> {
    let mut before = position.clone();
    for &m in line.get(..ply)? {
        if !is_legal(&before, m) {
            return None;
        }
        before.play_unchecked(m);
    }
    for tempo in before.legal_moves() {
        let mut after = before.clone();
        after.play_unchecked(tempo);
        if let Some(end) = replayed(&after, side, &line[ply..]) {
            let mut whole = line[..ply].to_vec();
            whole.push(tempo);
            whole.extend(end);
            return Some(whole);
        }
    }
    None
}

/// Whether a move that was legal once is legal here; most that are not are told at once.
fn is_legal(position: &Chess, m: Move) -> bool {
    let piece = m.from().and_then(|from| position.board().piece_at(from));
    piece == Some(m.role().of(position.turn())) && position.is_legal(m)
}

/// The line as it can be played from a position, if it ends in mate there.
fn replayed(position: &Chess, winner: Color, line: &[Move]) -> Option<Vec<Move>> {
    let mut after = position.clone();
    for (ply, &m) in line.iter().enumerate() {
        if !is_legal(&after, m) {
            return None;
        }
        after.play_unchecked(m);
        if after.is_checkmate() && after.turn() != winner {
            return Some(line[..=ply].to_vec());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingMode, fen::Fen, uci::UciMove};

    use super::*;

    #[test]
    fn what_was_known_of_an_earlier_position_is_not_told_of_a_later_one() {
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
}
