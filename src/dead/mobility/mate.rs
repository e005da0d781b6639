//! Decides whether mobility leaves a square on which a king can be mated.
//!
//! A mate on a square requires a check there, and every flight square must be attacked by the
//! winner or occupied by a man of the loser. For each square, one of these conditions is shown to
//! be impossible.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Bitboard, Color, Role, Square, attacks};

use super::{super::text, Man, Mobility};

/// A square on which a king can never be mated, with the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Refuge {
    /// The square.
    #[serde(with = "text::square")]
    #[schemars(with = "String")]
    pub square: Square,
    /// What a mate there lacks.
    pub reason: Reason,
    /// The flight squares to which the reason refers.
    #[serde(with = "text::squares")]
    #[schemars(with = "Vec<String>")]
    pub flights: Bitboard,
}

/// The condition of a mate that fails on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No man of the winner can ever give check there.
    NoCheck,
    /// The king can always flee: these squares can never be attacked, and none of its own men can
    /// ever occupy them.
    Flight,
    /// Different men of the loser must occupy these squares, wherever the winner's king is, and
    /// there are too few men.
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
    /// Adjacent squares that the king's own men must occupy.
    pub taken: Bitboard,
    /// The square of the winner's king, if those men do not suffice without it.
    pub king: Option<Square>,
}

/// The squares on which the other king might be mated, as far as mobility shows.
pub(super) fn chances(mobility: &Mobility, winner: Color) -> Vec<Chance> {
    let (Some(king), Some(net)) = (mobility.king(winner.other()), Net::new(mobility, winner))
    else {
        return Vec::new();
    };
    let squares = king.squares.into_iter();
    squares.filter_map(|square| net.chance(square)).collect()
}

/// Everything that can ever act against the loser's king.
struct Net<'a> {
    /// The possible squares of the winner's king.
    king: Bitboard,
    /// The squares that the winner's other men may attack.
    attacked: Bitboard,
    /// The loser's men other than the king.
    blockers: Vec<&'a Man>,
}

impl<'a> Net<'a> {
    fn new(mobility: &'a Mobility, winner: Color) -> Option<Self> {
        let loser = winner.other();
        // Only a man that never leaves is certain to block a line; the king in check never does.
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

    /// Returns the reason why there is no mate on a square, if there is one.
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

    /// Whether a different man can occupy each of these squares.
    fn can_all_be_taken(&self, squares: Bitboard) -> bool {
        let mut takes = vec![None; self.blockers.len()];
        squares.into_iter().all(|square| {
            let mut tried = vec![false; self.blockers.len()];
            self.assign(square, &mut takes, &mut tried)
        })
    }

    /// Finds a man for a square, reassigning others where that helps (bipartite matching).
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

/// The squares that a man may ever attack from its possible squares.
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
