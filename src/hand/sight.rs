//! What the sensors see, held against what should stand there.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use remisd_vocabulary::sensor::{Placement, ResultPiece, Seen};

/// All squares as they were seen last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sight {
    /// The pieces whose kind is known.
    pieces: Board,
    /// Everything that stands, of known kind or not.
    occupied: Bitboard,
    /// A piece that stands for a result. It is not part of the game.
    result: Option<(Square, ResultPiece)>,
}

impl Sight {
    /// Takes a whole placement.
    pub(super) fn new(placement: &Placement) -> Self {
        let mut sight = Self {
            pieces: Board::empty(),
            occupied: Bitboard::EMPTY,
            result: None,
        };
        for square in Square::ALL {
            sight.set(square, placement.get(square));
        }
        sight
    }

    /// Takes what one square shows.
    pub(super) fn set(&mut self, square: Square, seen: Seen) {
        self.pieces.discard_piece_at(square);
        self.occupied.discard(square);
        self.result = self.result.filter(|(at, _)| *at != square);
        match seen {
            Seen::Empty => {}
            Seen::Piece(piece) => {
                self.pieces.set_piece_at(square, piece);
                self.occupied.add(square);
            }
            Seen::Occupied => self.occupied.add(square),
            Seen::ResultPiece(piece) => self.result = Some((square, piece)),
        }
    }

    /// What one square shows.
    pub(super) fn get(&self, square: Square) -> Seen {
        match (self.pieces.piece_at(square), self.result) {
            (Some(piece), _) => Seen::Piece(piece),
            (None, _) if self.occupied.contains(square) => Seen::Occupied,
            (None, Some((at, piece))) if at == square => Seen::ResultPiece(piece),
            (None, _) => Seen::Empty,
        }
    }

    /// Squares on which something stands.
    pub(super) const fn occupied(&self) -> Bitboard {
        self.occupied
    }

    /// Squares on which something stands of which the kind is not known.
    pub(super) fn unknown(&self) -> Bitboard {
        self.occupied & !self.pieces.occupied()
    }

    /// Whether the board tells kinds of pieces.
    pub(super) fn knows_kinds(&self) -> bool {
        self.pieces.occupied().any() || self.occupied.is_empty()
    }

    /// The pieces whose kind is known.
    pub(super) const fn pieces(&self) -> &Board {
        &self.pieces
    }

    /// The piece that stands for a result, if there is one.
    pub(super) const fn result(&self) -> Option<ResultPiece> {
        match self.result {
            Some((_, piece)) => Some(piece),
            None => None,
        }
    }

    /// Where the sensors contradict `expected`. A piece of unknown kind agrees with any.
    pub(super) fn difference(&self, expected: &Board) -> Difference {
        let kinds = difference(expected, &self.pieces) & !self.unknown();
        let differing = kinds | (expected.occupied() ^ self.occupied);
        Difference {
            missing: differing & !self.occupied,
            foreign: differing & self.occupied,
        }
    }

    /// Whether everything is as in `expected`.
    pub(super) fn is(&self, expected: &Board) -> bool {
        self.difference(expected).is_none()
    }
}

/// Where the sensors contradict a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Difference {
    /// Squares that should hold a piece and are seen empty: pieces in a hand.
    pub missing: Bitboard,
    /// Squares on which something stands that should not.
    pub foreign: Bitboard,
}

impl Difference {
    /// Every differing square.
    #[must_use]
    pub fn all(self) -> Bitboard {
        self.missing | self.foreign
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.all().is_empty()
    }

    /// The same without the squares of `ignored`.
    #[must_use]
    pub fn without(self, ignored: Bitboard) -> Self {
        Self {
            missing: self.missing & !ignored,
            foreign: self.foreign & !ignored,
        }
    }
}

/// The squares on which two boards differ.
fn difference(a: &Board, b: &Board) -> Bitboard {
    let mut differing = a.by_color(Color::White) ^ b.by_color(Color::White);
    for role in Role::ALL {
        differing |= a.by_role(role) ^ b.by_role(role);
    }
    differing
}
