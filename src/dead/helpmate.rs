//! Replays the solver's lines with `shakmaty`: only then do they count as helpmates.

use shakmaty::{Chess, Color, Move, Position as _};

use super::state::{State, Step};

/// Converts the line to `shakmaty` moves, if they are legal and end in a mate by `winner`.
pub(super) fn replayed(position: &Chess, winner: Color, line: &[Step]) -> Option<Vec<Move>> {
    let mut after = position.clone();
    let mut state = State::from(position);
    let mut moves = Vec::with_capacity(line.len());
    for step in line {
        let m = step.to_move(&state);
        if !after.is_legal(m) {
            return None;
        }
        after.play_unchecked(m);
        state = state.after(*step);
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
        assert_eq!(replayed(&start, Color::White, &[step]), None);
        assert_eq!(replayed(&start, Color::White, &[step, step]), None);
    }
}
