//! The semi-static argument: squares that no piece can ever leave for others.
//!
//! For every man the *mobility* says on which squares it may ever stand, whether it
//! may ever be captured, and nothing is forgotten: what the rules in [`rules`] yield is
//! never too small. When on none of the squares that the loser's king may ever visit a
//! mate can come about ([`mate`]), the winner can never mate. Much is too large: a
//! "may" here says nothing.
//!
//! `protocol/dead.md` proves each rule, by induction on the plies of a game.

mod mate;
mod rules;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Role, Square};

pub use mate::{Reason, Refuge};

use super::{
    state::{State, castled},
    text,
};

/// A man of the position, and what may become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Man {
    /// Whose it is.
    #[serde(with = "text::color")]
    #[schemars(with = "String")]
    pub color: Color,
    /// What it is.
    #[serde(with = "text::role")]
    #[schemars(with = "String")]
    pub role: Role,
    /// Where it stands.
    #[serde(with = "text::square")]
    #[schemars(with = "String")]
    pub home: Square,
    /// Where it may ever stand; a pawn: before it promotes.
    #[serde(with = "text::squares")]
    #[schemars(with = "Vec<String>")]
    pub squares: Bitboard,
    /// Where a pawn may ever stand after it has promoted.
    #[serde(default, with = "text::squares", skip_serializing_if = "is_empty")]
    #[schemars(with = "Vec<String>")]
    pub promoted: Bitboard,
    /// Whether it may ever be captured.
    pub capturable: bool,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks for a reference"
)]
const fn is_empty(squares: &Bitboard) -> bool {
    squares.is_empty()
}

impl Man {
    /// Where it may ever stand, as whatever.
    #[must_use]
    pub fn mobility(&self) -> Bitboard {
        self.squares | self.promoted
    }

    /// Whether its home may ever be free of it.
    #[must_use]
    pub fn may_leave(&self) -> bool {
        self.capturable || self.mobility() != Bitboard::from(self.home)
    }

    fn is(&self, color: Color, role: Role) -> bool {
        self.color == color && self.role == role
    }
}

/// A mobility that the rules do not extend, and why it leaves one side no mate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// Every man of the position.
    pub men: Vec<Man>,
    /// Every square that the loser's king may ever stand on, with what a mate there lacks.
    pub king: Vec<Refuge>,
}

/// The men of a position with their mobility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mobility {
    pub men: Vec<Man>,
    /// Where a pawn of the side to move can be captured in passing right now.
    pub en_passant: Option<Square>,
}

impl Mobility {
    /// The least mobility of a position that its rules allow.
    pub fn of(state: &State) -> Self {
        let mut mobility = Self::at_home(state);
        while mobility.grow() {}
        mobility
    }

    /// Every man at home, and where castling can bring it.
    fn at_home(state: &State) -> Self {
        let mut men: Vec<Man> = state
            .occupied()
            .into_iter()
            .filter_map(|home| {
                Some(Man {
                    color: Color::from_white(state.of(Color::White).contains(home)),
                    role: state.role_at(home)?,
                    home,
                    squares: Bitboard::from(home),
                    promoted: Bitboard::EMPTY,
                    capturable: false,
                })
            })
            .collect();
        for rook in state.rights() {
            let color = Color::from_white(state.of(Color::White).contains(rook));
            let (king_to, rook_to) = castled(state.king(color), rook);
            for man in &mut men {
                if man.is(color, Role::King) {
                    man.squares.add(king_to);
                } else if man.home == rook {
                    man.squares.add(rook_to);
                }
            }
        }
        Self {
            men,
            en_passant: state.en_passant(),
        }
    }

    /// Why `winner` can never mate, if no square that the other king may ever visit is
    /// one where it can be mated.
    pub fn certificate(&self, winner: Color) -> Option<Certificate> {
        Some(Certificate {
            king: mate::refuges(self, winner)?,
            men: self.men.clone(),
        })
    }

    /// Whether there is such a certificate.
    pub fn is_unwinnable(&self, winner: Color) -> bool {
        mate::refuges(self, winner).is_some()
    }

    fn king(&self, color: Color) -> Option<&Man> {
        self.men.iter().find(|man| man.is(color, Role::King))
    }

    fn of_color(&self, color: Color) -> impl Iterator<Item = &Man> {
        self.men.iter().filter(move |man| man.color == color)
    }
}
