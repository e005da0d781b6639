//! Looking for the lines of legal moves after which the board would look as it does.

use shakmaty::{Bitboard, Chess, Color, Move, Position};

use super::{
    sight::Sight,
    story::{changed_by, piece_of},
};

/// Squares on which a piece may have come to stand and gone on without being seen there.
const MOST_UNSEEN: usize = 2;

/// Squares that may be amiss around moves that stand on the board.
const MOST_AMISS: usize = 8;

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

/// The moves that lead to a position of the search.
#[derive(Debug, Default)]
struct Walk {
    line: Vec<Move>,
    /// Where it went without anything being seen there.
    unseen: Bitboard,
    /// The squares that it changed.
    touched: Bitboard,
    /// Only these have to be right in the end.
    unfinished: bool,
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
        self.extend(position, plies, &mut Walk::default());
    }

    /// Finds every line of exactly `plies` moves that stand on the board, whatever else is
    /// amiss: other pieces are in hands, have fallen over, or have not been seen yet.
    pub(super) fn unfinished_lines(&mut self, position: &Chess, plies: usize) {
        let mut walk = Walk {
            unfinished: true,
            ..Walk::default()
        };
        self.extend(position, plies, &mut walk);
    }

    /// Finds the moves whose piece has come to stand while it is still told of on the square
    /// that it left: that has not been seen yet, or its sensor is dead.
    pub(super) fn stuck_moves(&mut self, position: &Chess) {
        let pieces = self.sight.pieces();
        let board = position.board();
        let arrived = self.sight.difference(board).foreign & self.active & !self.ignored;
        if arrived.is_empty() {
            return;
        }
        for m in position.legal_moves() {
            let Move::Normal {
                from,
                to,
                role,
                promotion: None,
                ..
            } = m
            else {
                continue;
            };
            let piece = Some(role.of(position.turn()));
            let stuck = pieces.piece_at(from) == piece && pieces.piece_at(to) == piece;
            if stuck && arrived.contains(to) {
                let mut after = position.clone();
                after.play_unchecked(m);
                self.found.push((vec![m], after));
            }
        }
    }

    fn extend(&mut self, position: &Chess, left: usize, walk: &mut Walk) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let difference = self.sight.difference(position.board());
        let differing = difference.without(self.ignored).all();
        let wrong = differing & walk.touched;
        if left == 0 {
            let right = if walk.unfinished {
                wrong.is_empty() && differing.any()
            } else {
                differing.is_empty()
            };
            if right {
                self.found.push((walk.line.clone(), position.clone()));
            }
            return;
        }
        let hopeless = if walk.unfinished {
            differing.count() > MOST_AMISS || wrong.count() > 2 * left
        } else {
            differing.count() > most_changed(position, left)
        };
        if hopeless {
            return;
        }
        let origins = self.origins(differing, left, walk);
        if (origins & position.us()).is_empty() {
            return;
        }
        for m in position.legal_moves() {
            let from = m.from().expect("chess has no drops");
            if !origins.contains(from) || (left == 1 && !self.may_end(m, position, differing, walk))
            {
                continue;
            }
            let (unseen, touched) = (walk.unseen, walk.touched);
            if !(self.active | self.ignored).contains(m.to()) {
                walk.unseen.add(m.to());
            }
            // What is taken and taken back within a scan changes nothing where it happens, nor, where
            // kinds are unknown, what is pushed off its square.
            let pushed = || self.sight.unknown().contains(m.to());
            let most_unseen = match walk.unfinished {
                true if m.is_capture() && (left > 1 || pushed()) => 1,
                true => 0,
                false => MOST_UNSEEN,
            };
            if (walk.unseen & !unseen).is_empty() || walk.unseen.count() <= most_unseen {
                walk.touched |= changed_by(m).collect::<Bitboard>();
                walk.line.push(m);
                let mut after = position.clone();
                after.play_unchecked(m);
                self.extend(&after, left - 1, walk);
                walk.line.pop();
            }
            (walk.unseen, walk.touched) = (unseen, touched);
        }
    }

    /// Whether a last move leaves nothing amiss that it could have put right.
    fn may_end(&self, m: Move, position: &Chess, differing: Bitboard, walk: &Walk) -> bool {
        let changed: Bitboard = changed_by(m).collect();
        if !walk.unfinished {
            return differing.is_subset(changed);
        }
        let to = m.to();
        let shown = self.sight.pieces().piece_at(to) == Some(piece_of(m).of(position.turn()));
        let stands = shown || (self.sight.unknown() | self.ignored).contains(to);
        (differing & walk.touched).is_subset(changed) && (stands || m.is_castle())
    }

    /// From which squares the next move can have been made.
    fn origins(&self, differing: Bitboard, left: usize, walk: &Walk) -> Bitboard {
        if self.blind && left > 2 {
            // Where nobody looked, a piece may have come back (not within two plies).
            return self.active;
        }
        // Whoever leaves a square for good leaves it empty or to another piece. Only where
        // kinds are unknown that does not show. Who has come back was seen to leave.
        let unseen = self.sight.unknown() & self.active;
        let back = if left > 2 && !walk.unfinished {
            self.active & self.sight.occupied()
        } else {
            Bitboard::EMPTY
        };
        (differing & (self.active | walk.unseen)) | unseen | back | self.ignored
    }
}

/// The squares that `plies` moves can change at most: two each, two more for a castling of each
/// player, and one more for each pawn taken in passing, which takes a move before it.
fn most_changed(position: &Chess, plies: usize) -> usize {
    let castlings = Color::ALL
        .into_iter()
        .filter(|&color| position.castles().has_color(color))
        .count();
    2 * (plies + castlings.min(plies)) + plies.div_ceil(2)
}

#[cfg(test)]
mod tests {
    use shakmaty::{Bitboard, CastlingMode, Chess, Color, Piece, Position, Square, fen::Fen};

    use super::Search;
    use crate::sight::Sight;
    use remisd_vocabulary::sensor::{Placement, Seen};

    /// The captures that are found when the pawns of f4 and h6 are seen to have left their squares and e5
    /// looks like this, of which nothing was told.
    fn captures(show: impl Fn(Piece) -> Seen) -> Vec<Square> {
        let fen: Fen = "6k1/8/7p/4n3/5P2/8/8/6K1 w - - 0 1".parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let mut placement = Placement::from(&shakmaty::Board::empty());
        for (square, piece) in position.board().clone() {
            placement.set(square, show(piece));
        }
        placement.set(Square::E5, show(Color::White.pawn()));
        placement.set(Square::F4, Seen::Empty);
        placement.set(Square::H6, Seen::Empty);
        let sight = Sight::new(&placement);
        let mut search = Search::new(&sight, Bitboard::EMPTY, 100);
        search.active = Bitboard::from(Square::F4) | Bitboard::from(Square::H6);
        search.unfinished_lines(&position, 1);
        let found = search.found.iter();
        found.map(|(line, _)| line[0].to()).collect()
    }

    #[test]
    fn a_capture_that_pushed_a_piece_off_is_found_while_the_next_piece_is_in_a_hand() {
        assert_eq!(captures(|_| Seen::Occupied), [Square::E5]);
        assert_eq!(captures(Seen::Piece), [], "a pawn is seen to come");
    }
}
