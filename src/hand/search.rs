//! Looking for the lines of legal moves after which the board would look as it does.

use shakmaty::{Bitboard, Chess, Move, Position};

use super::sight::Sight;

/// Squares on which a piece may have come to stand and gone on without being seen there.
const MOST_UNSEEN: usize = 1;

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
        let mut line = Vec::with_capacity(plies);
        self.extend(position, plies, Bitboard::EMPTY, &mut line);
    }

    fn extend(&mut self, position: &Chess, left: usize, unseen: Bitboard, line: &mut Vec<Move>) {
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
        let left_squares = self.origins(differing, left, unseen);
        if (left_squares & position.us()).is_empty() {
            return;
        }
        for m in position.legal_moves() {
            let from = m.from().expect("chess has no drops");
            if !left_squares.contains(from) {
                continue;
            }
            let mut unseen = unseen;
            if !(self.active | self.ignored).contains(m.to()) {
                unseen.add(m.to());
            }
            if unseen.count() > MOST_UNSEEN {
                continue;
            }
            let mut after = position.clone();
            after.play_unchecked(m);
            line.push(m);
            self.extend(&after, left - 1, unseen, line);
            line.pop();
        }
    }

    /// From which squares the next move can have been made.
    fn origins(&self, differing: Bitboard, left: usize, passed: Bitboard) -> Bitboard {
        // Whoever leaves a square for good leaves it empty or to another piece. Only
        // where kinds are unknown that does not show, and where nobody looked a piece
        // may have come back (not within two plies).
        let unseen = self.sight.unknown() & self.active;
        let differing = differing | self.ignored;
        if self.blind && left > 2 {
            self.active
        } else {
            (differing & (self.active | passed)) | unseen | self.ignored
        }
    }
}
