//! Repeats a closure with a plain set of `shakmaty` positions.

use std::collections::HashMap;

use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Position as _, Role, Square};

use super::{super::Sides, Refuted, mobility};

/// The result of the repeated closure.
pub(super) struct Seen {
    pub positions: u32,
    pub leaves: u32,
    pub digest: String,
}

impl Seen {
    fn of(positions: &HashMap<Chess, bool>) -> Self {
        let sum = |sum: u64, position| sum.wrapping_add(digest(position));
        let count = |number| u32::try_from(number).unwrap_or(u32::MAX);
        let leaves = positions.values().filter(|is_leaf| **is_leaf);
        Self {
            positions: count(positions.len()),
            leaves: count(leaves.count()),
            digest: format!("{:016x}", positions.keys().fold(0, sum)),
        }
    }

    /// The refutation of a claim that differs.
    pub fn refutes(self) -> Refuted {
        Refuted::OtherSet {
            positions: self.positions,
            leaves: self.leaves,
            digest: self.digest,
        }
    }
}

/// Visits all reachable positions, up to the claimed number `most`: more refute the claim. With
/// `leaves`, some positions are not expanded. These are reached only by pawn moves, captures and
/// castling, and no wanted side can mate from them by the mobility argument.
pub(super) fn close(root: &Chess, wanted: Sides, leaves: bool, most: u32) -> Result<Seen, Refuted> {
    // The value is whether the position is a leaf.
    let mut seen = HashMap::from([(root.clone(), false)]);
    let mut waiting = vec![root.clone()];
    while let Some(position) = waiting.pop() {
        if position.is_checkmate() && wanted.contains(position.turn().other()) {
            return Err(Refuted::MateReached);
        }
        for m in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(m);
            let cannot = |side| next.has_insufficient_material(side);
            if wanted.colors().all(cannot) {
                continue;
            }
            let may_be_leaf = leaves && is_irreversible(m);
            let is_played_from = match seen.get(&next) {
                None => !(may_be_leaf && is_closed(&next, wanted)),
                Some(was_leaf) => *was_leaf && !may_be_leaf,
            };
            if is_played_from {
                seen.insert(next.clone(), false);
                waiting.push(next);
            } else {
                seen.entry(next).or_insert(true);
            }
            if seen.len() > most as usize {
                return Err(Seen::of(&seen).refutes());
            }
        }
    }
    Ok(Seen::of(&seen))
}

fn is_irreversible(m: Move) -> bool {
    m.role() == Role::Pawn || m.is_capture() || m.is_castle()
}

fn is_closed(position: &Chess, wanted: Sides) -> bool {
    wanted.colors().all(|side| mobility::closes(position, side))
}

/// The hash of a position, as `protocol/dead.md` defines it.
fn digest(position: &Chess) -> u64 {
    let board = position.board();
    let rights = position.castles().castling_rights();
    let passed = position.ep_square(EnPassantMode::Legal);
    let victim = passed.and_then(|passed| passed.offset(position.turn().fold_wb(-8, 8)));
    let mut planes = [0_u64; 4];
    for square in Square::ALL {
        let Some(piece) = board.piece_at(square) else {
            continue;
        };
        let number = if rights.contains(square) || victim == Some(square) {
            7
        } else {
            match piece.role {
                Role::Pawn => 1,
                Role::Knight => 2,
                Role::Bishop => 3,
                Role::Rook => 4,
                Role::Queen => 5,
                Role::King => 6,
            }
        };
        let bit = Bitboard::from(square).0;
        for (plane, weight) in planes.iter_mut().zip([1, 2, 4]) {
            if number & weight != 0 {
                *plane |= bit;
            }
        }
        if piece.color == Color::White {
            planes[3] |= bit;
        }
    }
    if position.turn() == Color::Black {
        planes[3] = !planes[3];
    }
    planes
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |mixed: u64, plane| {
            let mixed = (mixed ^ plane).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 32)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_visits_end_after_what_is_claimed() {
        let seen = close(&Chess::default(), Sides::Both, false, 10);
        let seen = seen.map(|seen| seen.positions);
        assert!(
            matches!(seen, Err(Refuted::OtherSet { positions: 11, .. })),
            "{seen:?}"
        );
    }
}
