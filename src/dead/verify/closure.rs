//! Everything that can be reached, in a plain set of `shakmaty` positions.

use std::collections::HashSet;

use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Move, Position as _, Role, Square};

use super::{super::Sides, Refuted, mobility};

/// What was seen.
pub(super) struct Seen {
    pub positions: u32,
    pub digest: String,
}

/// Visits all there is to visit; with `leaves` a position from which no wanted side can
/// mate by the mobility argument is not played from.
pub(super) fn close(root: &Chess, wanted: Sides, leaves: bool) -> Result<Seen, Refuted> {
    let mut seen = HashSet::from([root.clone()]);
    let mut waiting = vec![root.clone()];
    let mut sum = 0_u64;
    while let Some(position) = waiting.pop() {
        sum = sum.wrapping_add(digest(&position));
        if position.is_checkmate() && wanted.contains(position.turn().other()) {
            return Err(Refuted::MateReached);
        }
        for m in position.legal_moves() {
            let mut next = position.clone();
            next.play_unchecked(m);
            let cannot = |side| next.has_insufficient_material(side);
            if wanted.colors().all(cannot) || !seen.insert(next.clone()) {
                continue;
            }
            if !leaves || !is_leaf(&next, m, wanted) {
                waiting.push(next);
            }
        }
    }
    Ok(Seen {
        positions: u32::try_from(seen.len()).unwrap_or(u32::MAX),
        digest: format!("{sum:016x}"),
    })
}

fn is_leaf(position: &Chess, m: Move, wanted: Sides) -> bool {
    (m.role() == Role::Pawn || m.is_capture() || m.is_castle())
        && wanted.colors().all(|side| mobility::closes(position, side))
}

/// The number of a position, as `protocol/dead.md` defines it.
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
