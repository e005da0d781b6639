//! Finds the legal move that a form means.

use shakmaty::{
    Chess, Move, Position as _, Role, Square,
    san::{San, SanError},
    uci::UciMove,
};

use super::is_last_rank;
use crate::notation::MoveError;

pub(super) fn by_coordinates(uci: UciMove, position: &Chess) -> Result<Move, MoveError> {
    let UciMove::Normal {
        from,
        to,
        promotion,
    } = uci
    else {
        return Err(MoveError::NoMove);
    };
    uci.to_move(position).map_err(|_| {
        let unpromoted = promotion.is_none() && is_promotion(position, from, to);
        if unpromoted {
            MoveError::Ambiguous
        } else {
            MoveError::Illegal
        }
    })
}

fn is_promotion(position: &Chess, from: Square, to: Square) -> bool {
    let moves = position.legal_moves();
    moves
        .iter()
        .any(|m| m.from() == Some(from) && m.to() == to && m.is_promotion())
}

pub(super) fn by_san(san: San, position: &Chess) -> Result<Move, MoveError> {
    match san.to_move(position) {
        Ok(m) => return Ok(m),
        Err(SanError::AmbiguousSan) => return Err(MoveError::Ambiguous),
        Err(SanError::IllegalSan) => {}
    }
    let San::Normal {
        role,
        file,
        rank,
        capture,
        to,
        promotion,
    } = san
    else {
        return Err(MoveError::Illegal);
    };
    // The capture sign is often left out; for a pawn, its file replaces it.
    if role != Role::Pawn && !capture {
        let taking = San::Normal {
            role,
            file,
            rank,
            capture: true,
            to,
            promotion,
        };
        match taking.to_move(position) {
            Ok(m) => return Ok(m),
            Err(SanError::AmbiguousSan) => return Err(MoveError::Ambiguous),
            Err(SanError::IllegalSan) => {}
        }
    }
    match (role, file, rank) {
        // Castling written as the king's move: `Ke1-g1`.
        (Role::King, Some(file), Some(rank)) => {
            let from = Square::from_coords(file, rank);
            let step = UciMove::Normal {
                from,
                to,
                promotion: None,
            };
            let step = step.to_move(position).ok();
            step.filter(|m| m.is_castle()).ok_or(MoveError::Illegal)
        }
        (Role::Pawn, file, _) if promotion.is_none() && is_last_rank(to.rank()) => {
            let mut moves = position.legal_moves().into_iter();
            let unpromoted = moves.any(|m| {
                let from = m.from().map(Square::file);
                m.to() == to
                    && m.is_promotion()
                    && m.is_capture() == capture
                    && (file.is_none() || file == from)
            });
            Err(if unpromoted {
                MoveError::Ambiguous
            } else {
                MoveError::Illegal
            })
        }
        _ => Err(MoveError::Illegal),
    }
}

pub(super) fn only(mut moves: impl Iterator<Item = Move>) -> Result<Move, MoveError> {
    let first = moves.next().ok_or(MoveError::Illegal)?;
    match moves.next() {
        None => Ok(first),
        Some(_) => Err(MoveError::Ambiguous),
    }
}
