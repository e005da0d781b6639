//! Looking for the lines of legal moves after which the board would look as it does.

use shakmaty::{Bitboard, Chess, Move, Position};

use super::sight::Sight;

/// A search among legal moves, with a bound on its work.
#[derive(Debug)]
pub(super) struct Search<'a> {
    /// What is seen.
    pub(super) sight: &'a Sight,
    /// Squares whose sensors are not listened to.
    pub(super) ignored: Bitboard,
    /// Squares on which something happened: nobody moved from elsewhere.
    pub(super) active: Bitboard,
    /// Whether anything may have happened since, seen or not: pieces may have gone out
    /// and come back.
    pub(super) blind: bool,
    /// Positions that may still be looked at.
    pub(super) budget: u32,
    /// What was found, as lines and the positions after them.
    pub(super) found: Vec<(Vec<Move>, Chess)>,
}

impl<'a> Search<'a> {
    pub(super) const fn new(sight: &'a Sight, ignored: Bitboard, budget: u32) -> Self {
        Self {
            sight,
            ignored,
            active: Bitboard::FULL,
            blind: false,
            budget,
            found: Vec::new(),
        }
    }

    /// Finds every line of exactly `plies` moves from `position` that explains all squares.
    pub(super) fn lines(&mut self, position: &Chess, plies: usize) {
        self.extend(position, plies, &mut Vec::with_capacity(plies));
    }

    fn extend(&mut self, position: &Chess, left: usize, line: &mut Vec<Move>) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let difference = self.sight.difference(position.board());
        let differing = difference.without(self.ignored).all();
        if left == 0 {
            if differing.is_empty() {
                self.found.push((line.clone(), position.clone()));
            }
            return;
        }
        // No move changes more than four squares (castling).
        if differing.count() > 4 * left {
            return;
        }
        let left_squares = self.origins(differing, left);
        if (left_squares & position.us()).is_empty() {
            return;
        }
        for m in position.legal_moves() {
            let from = m.from().expect("chess has no drops");
            if !left_squares.contains(from) || !self.reaches(m, left) {
                continue;
            }
            let mut after = position.clone();
            after.play_unchecked(m);
            line.push(m);
            self.extend(&after, left - 1, line);
            line.pop();
        }
    }

    /// From which squares the next move can have been made.
    fn origins(&self, differing: Bitboard, left: usize) -> Bitboard {
        // Whoever leaves a square for good leaves it empty or to another piece. Only
        // where kinds are unknown that does not show, and where nobody looked a piece
        // may have come back (not within two plies).
        let unseen = self.sight.unknown() & self.active;
        let differing = differing | self.ignored;
        if self.blind && left > 2 {
            self.active
        } else {
            (differing & self.active) | unseen | self.ignored
        }
    }

    /// Whether something happened where the move ends. The last two plies show on the
    /// board anyway, and a piece that moved on at once may not have been seen there.
    fn reaches(&self, m: Move, left: usize) -> bool {
        left <= 3 || (self.active | self.ignored).contains(m.to())
    }
}
