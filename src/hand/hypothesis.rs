//! Lines of legal moves that may explain what the sensors see.

use shakmaty::{Bitboard, Board, Chess, Color, Move, Position, Role};

/// A short line of legal moves from the settled position, held against the sensors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hypothesis {
    /// The moves, the first one made by the player having the move.
    pub line: Vec<Move>,
    /// The position after them.
    pub after: Chess,
    /// Squares that should hold a piece and are seen empty: pieces in a hand.
    pub missing: Bitboard,
    /// Squares on which something stands that should not: nothing explains them.
    pub foreign: Bitboard,
}

impl Hypothesis {
    /// Holds the position after `line` against what is seen.
    #[must_use]
    pub fn new(line: Vec<Move>, after: Chess, seen: &Board) -> Self {
        let differing = difference(after.board(), seen);
        let missing = differing & !seen.occupied();
        Self {
            line,
            after,
            missing,
            foreign: differing & !missing,
        }
    }

    /// Whether every square is as it should be.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.missing.is_empty() && self.foreign.is_empty()
    }

    /// How much it leaves unexplained. A piece in the hand is ordinary; a piece
    /// where none should be is not.
    #[must_use]
    pub fn cost(&self) -> usize {
        self.missing.count() + 4 * self.foreign.count()
    }

    /// Whether only pieces of `color` are missing, at least one, and all else is right.
    #[must_use]
    pub fn lacks_only(&self, color: Color) -> bool {
        self.foreign.is_empty()
            && self.missing.any()
            && self.missing.is_subset(self.after.board().by_color(color))
    }
}

/// The squares on which two boards differ.
#[must_use]
pub fn difference(a: &Board, b: &Board) -> Bitboard {
    let mut differing = a.by_color(Color::White) ^ b.by_color(Color::White);
    for role in Role::ALL {
        differing |= a.by_role(role) ^ b.by_role(role);
    }
    differing
}

/// Every legal move of `root`, held against what is seen.
#[must_use]
pub fn one_ply(root: &Chess, seen: &Board) -> Vec<Hypothesis> {
    root.legal_moves()
        .into_iter()
        .map(|m| {
            let mut after = root.clone();
            after.play_unchecked(m);
            Hypothesis::new(vec![m], after, seen)
        })
        .collect()
}

/// The shortest lines of legal moves after which the board is exactly as seen:
/// none when there is none of up to `max_plies`, several when they are as short.
#[must_use]
pub fn exact_lines(root: &Chess, seen: &Board, max_plies: usize) -> Vec<Hypothesis> {
    let mut found = Vec::new();
    for plies in 0..=max_plies {
        search(root, seen, plies, &mut Vec::new(), &mut found);
        if !found.is_empty() {
            break;
        }
    }
    found
}

fn search(
    position: &Chess,
    seen: &Board,
    plies_left: usize,
    line: &mut Vec<Move>,
    found: &mut Vec<Hypothesis>,
) {
    let differing = difference(position.board(), seen);
    if plies_left == 0 {
        if differing.is_empty() {
            found.push(Hypothesis::new(line.clone(), position.clone(), seen));
        }
        return;
    }
    // No move changes more than four squares (castling).
    if differing.count() > 4 * plies_left {
        return;
    }
    for m in position.legal_moves() {
        // Within two plies nobody can refill the square that a piece has left with
        // the same piece, so it must be seen to differ.
        let left = m.from().expect("chess has no drops");
        if plies_left <= 2 && !differing.contains(left) {
            continue;
        }
        let mut after = position.clone();
        after.play_unchecked(m);
        line.push(m);
        search(&after, seen, plies_left - 1, line, found);
        line.pop();
    }
}
