//! Whether mobility leaves a square on which a king can be mated.
//!
//! A mate on a square needs a check there, and every square around it that the king
//! could flee to is attacked by the winner or taken by a man of the loser's. For each
//! square one of these is shown to be impossible.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{super::text, Man, Mobility};

/// A square on which a king can never be mated, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refuge {
    /// The square.
    #[serde(with = "text::square")]
    #[schemars(with = "String")]
    pub square: Square,
    /// What a mate there lacks.
    pub reason: Reason,
    /// The squares around it that the reason speaks of.
    #[serde(with = "text::squares")]
    #[schemars(with = "Vec<String>")]
    pub flights: Bitboard,
}

/// What a mate on a square lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No man of the winner's can ever give check there.
    NoCheck,
    /// The king can always flee: to these squares no attack ever reaches, and no man of
    /// its own can ever stand on them.
    Flight,
    /// These squares must all be taken by different men of the loser's, wherever the
    /// winner's king stands, and there are not enough of them.
    TooFew,
}

pub(super) fn refuges(mobility: &Mobility, winner: Color) -> Option<Vec<Refuge>> {
    let king = mobility.king(winner.other())?;
    let net = Net::new(mobility, winner)?;
    king.squares
        .into_iter()
        .map(|square| net.refuge(square))
        .collect()
}

/// A square on which a king might be mated.
pub(crate) struct Chance {
    pub square: Square,
    /// Squares beside it that its own men have to take.
    pub taken: Bitboard,
    /// Where the winner's king has to stand, if there are not enough of them without it.
    pub king: Option<Square>,
}

/// Where the other king might be mated, as far as mobility says.
pub(super) fn chances(mobility: &Mobility, winner: Color) -> Vec<Chance> {
    let (Some(king), Some(net)) = (mobility.king(winner.other()), Net::new(mobility, winner))
    else {
        return Vec::new();
    };
    let squares = king.squares.into_iter();
    squares.filter_map(|square| net.chance(square)).collect()
}

/// What can ever be brought to bear on the loser's king.
struct Net<'a> {
    /// Where the winner's king may stand.
    king: Bitboard,
    /// What the winner's other men may attack.
    attacked: Bitboard,
    /// The loser's men other than the king.
    blockers: Vec<&'a Man>,
}

impl<'a> Net<'a> {
    fn new(mobility: &'a Mobility, winner: Color) -> Option<Self> {
        let loser = winner.other();
        // Only a man that never leaves surely ends a line; the king in check does not.
        let checked = Bitboard::from(mobility.king(loser)?.home);
        let steady = mobility.steady();
        let occupied = |man: &Man| mobility.fence(man).unwrap_or(steady) & !checked;
        let pieces = mobility
            .of_color(winner)
            .filter(|man| man.role != Role::King);
        let attacked = pieces.fold(Bitboard::EMPTY, |sum, man| {
            sum | attacks_of(man, occupied(man))
        });
        let blockers = mobility
            .of_color(loser)
            .filter(|man| man.role != Role::King);
        Some(Self {
            king: mobility.king(winner)?.squares,
            attacked,
            blockers: blockers.collect(),
        })
    }

    /// Why there is no mate on a square, if there is none.
    fn refuge(&self, square: Square) -> Option<Refuge> {
        let refuge = |reason, flights| {
            Some(Refuge {
                square,
                reason,
                flights,
            })
        };
        if !self.attacked.contains(square) {
            return refuge(Reason::NoCheck, Bitboard::EMPTY);
        }
        let around = attacks::king_attacks(square);
        let flights = around & !self.attacked;
        let kings = self.king & !around & !Bitboard::from(square);
        let covered = kings.into_iter().fold(Bitboard::EMPTY, |sum, from| {
            sum | attacks::king_attacks(from)
        });
        let taken = |sum, man: &&Man| sum | man.mobility();
        let free = flights & !covered & !self.blockers.iter().fold(Bitboard::EMPTY, taken);
        if free.any() {
            return refuge(Reason::Flight, free);
        }
        let suffices = |from| self.can_all_be_taken(flights & !attacks::king_attacks(from));
        if kings.into_iter().any(suffices) {
            return None;
        }
        refuge(Reason::TooFew, flights)
    }

    fn chance(&self, square: Square) -> Option<Chance> {
        if self.refuge(square).is_some() {
            return None;
        }
        let around = attacks::king_attacks(square);
        let flights = around & !self.attacked;
        let chance = |king: Option<Square>| {
            let covered = king.map_or(Bitboard::EMPTY, attacks::king_attacks);
            let taken = flights & !covered;
            self.can_all_be_taken(taken).then_some(Chance {
                square,
                taken,
                king,
            })
        };
        let kings = self.king & !around & !Bitboard::from(square);
        chance(None).or_else(|| kings.into_iter().find_map(|from| chance(Some(from))))
    }

    /// Whether each of these squares can be taken by a man of its own.
    fn can_all_be_taken(&self, squares: Bitboard) -> bool {
        let mut takes = vec![None; self.blockers.len()];
        squares.into_iter().all(|square| {
            let mut tried = vec![false; self.blockers.len()];
            self.assign(square, &mut takes, &mut tried)
        })
    }

    /// Finds a man for a square, sending others elsewhere where that helps.
    fn assign(&self, square: Square, takes: &mut [Option<Square>], tried: &mut [bool]) -> bool {
        for (index, man) in self.blockers.iter().enumerate() {
            if tried[index] || !man.mobility().contains(square) {
                continue;
            }
            tried[index] = true;
            let before = takes[index];
            if before.is_none_or(|before| self.assign(before, takes, tried)) {
                takes[index] = Some(square);
                return true;
            }
        }
        false
    }
}

/// The squares that a man may ever attack from where it may stand.
fn attacks_of(man: &Man, occupied: Bitboard) -> Bitboard {
    let piece = man.role.of(man.color);
    let from = man.squares.into_iter();
    let attacked = from
        .map(|square| attacks::attacks(square, piece, occupied))
        .fold(Bitboard::EMPTY, |sum, squares| sum | squares);
    let promoted = man.promoted.into_iter();
    promoted
        .map(|square| attacks::queen_attacks(square, occupied) | attacks::knight_attacks(square))
        .fold(attacked, |sum, squares| sum | squares)
}
