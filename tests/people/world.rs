//! What is physically on the board, and how well the sensors under it feel it.

use crate::Millis;
use shakmaty::{Board, Piece, Square};

/// Chance in a thousand that one look at a square feels what is there.
pub type Permille = u16;

/// Felt at every look.
pub const FIRM: Permille = 1_000;

/// A chess piece on a square, and how it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stood {
    /// What it is, by the coil in its foot.
    pub piece: Piece,
    /// How often its own square feels it.
    pub own: Permille,
    /// The neighbouring square that it leans over, and how often that square feels it.
    pub over: Option<(Square, Permille)>,
}

impl Stood {
    /// The piece in the middle of its square.
    #[must_use]
    pub const fn firm(piece: Piece) -> Self {
        Self {
            piece,
            own: FIRM,
            over: None,
        }
    }

    /// The piece standing so that its square feels it at some looks only.
    #[must_use]
    pub const fn loose(piece: Piece, own: Permille) -> Self {
        Self {
            piece,
            own,
            over: None,
        }
    }

    /// The piece leaning over the line to a neighbouring square.
    #[must_use]
    pub const fn leaning(piece: Piece, own: Permille, to: Square, other: Permille) -> Self {
        Self {
            piece,
            own,
            over: Some((to, other)),
        }
    }

    /// Whether every look feels it on its own square and on no other one.
    #[must_use]
    pub const fn is_firm(&self) -> bool {
        self.own == FIRM && self.over.is_none()
    }
}

/// One change of what is on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act {
    /// When.
    pub at: Millis,
    /// Where.
    pub square: Square,
    /// What is there from then on.
    pub stood: Option<Stood>,
}

/// All squares of the physical board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World([Option<Stood>; 64]);

impl World {
    /// The pieces of a position, all in the middle of their squares.
    #[must_use]
    pub fn of(board: &Board) -> Self {
        let mut squares = [None; 64];
        for (square, piece) in board {
            squares[square as usize] = Some(Stood::firm(piece));
        }
        Self(squares)
    }

    /// What is on `square`.
    #[must_use]
    pub const fn get(&self, square: Square) -> Option<Stood> {
        self.0[square as usize]
    }

    /// Changes a square.
    pub const fn apply(&mut self, act: &Act) {
        self.0[act.square as usize] = act.stood;
    }

    /// The pieces that lean over `square` from a neighbour, and how often it feels them.
    pub fn leaners(&self, square: Square) -> impl Iterator<Item = (Piece, Permille)> {
        self.0.iter().flatten().filter_map(move |stood| {
            let (over, often) = stood.over?;
            (over == square).then_some((stood.piece, often))
        })
    }

    /// Whether some looks feel something else than others.
    #[must_use]
    pub fn flickers(&self) -> bool {
        self.0.iter().flatten().any(|stood| !stood.is_firm())
    }

    /// The squares that do not show what a position has there.
    pub fn differing(&self, board: &Board) -> impl Iterator<Item = Square> {
        Square::ALL.into_iter().filter(move |&square| {
            self.get(square).map(|stood| stood.piece) != board.piece_at(square)
        })
    }
}

/// The squares beside `square`, diagonals included.
pub fn neighbours(square: Square) -> impl Iterator<Item = Square> {
    Square::ALL
        .into_iter()
        .filter(move |&other| square.distance(other) == 1)
}
