//! Castling: which squares it uses, and the rook's move that may be its first half.

use shakmaty::{CastlingSide, Chess, Color, Move, Position, Rank, Role, Square};

/// Where the king and the rook of `king` and `rook` come to stand.
pub(super) fn targets(king: Square, rook: Square) -> (Square, Square) {
    let side = CastlingSide::from_king_side(king < rook);
    let color = Color::from_white(king.rank() == Rank::First);
    (side.king_to(color), side.rook_to(color))
}

/// Whether the rook's move `step` is the first half of `castling`.
pub(super) fn is_first_half_of(step: Move, castling: Move) -> bool {
    match (step, castling) {
        (
            Move::Normal {
                role: Role::Rook,
                from,
                to,
                ..
            },
            Move::Castle { king, rook },
        ) => rook == from && targets(king, rook).1 == to,
        _ => false,
    }
}

/// Whether the rook's move `m` may be the first half of castling.
pub(super) fn may_be_first_half(position: &Chess, m: Move) -> bool {
    let castlings = position.legal_moves().into_iter();
    castlings
        .into_iter()
        .any(|other| is_first_half_of(m, other))
}
