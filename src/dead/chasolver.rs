//! The solver `chasolver` 3.0, asked in its own terms and checked in ours.
//!
//! It works on the board type of crate `chess`, which knows no castling rights of
//! Chess960. Such rights are dropped for the question: a mate found without them
//! is a mate, but "no mate without them" proves nothing.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    str::FromStr as _,
};

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Move, Position, fen::Fen, uci::UciMove};

use super::{Proof, Winnability, is_helpmate};

pub(super) fn winnability(position: &Chess, winner: Color) -> Winnability {
    let (fen, all_rights_kept) = question(position);
    let Ok(board) = chess::Board::from_str(&fen) else {
        return Winnability::Unknown;
    };
    let side = match winner {
        Color::White => chess::Color::White,
        Color::Black => chess::Color::Black,
    };
    // A third party's search over a position that came from outside: a bug in it
    // must not cost the daemon more than this answer. It keeps no state of ours.
    let answer = catch_unwind(AssertUnwindSafe(|| ::chasolver::winnability(&board, side)));
    match answer {
        Ok(Some(::chasolver::Winnability::Winnable { helpmate })) => {
            match replay(position, &helpmate) {
                Some(helpmate) if is_helpmate(position, winner, &helpmate) => {
                    Winnability::Winnable { helpmate }
                }
                _ => Winnability::Unknown,
            }
        }
        Ok(Some(::chasolver::Winnability::Unwinnable)) if all_rights_kept => {
            Winnability::Unwinnable(Proof::Solver)
        }
        Ok(_) | Err(_) => Winnability::Unknown,
    }
}

/// The position as a FEN that crate `chess` can read, and whether nothing was lost.
fn question(position: &Chess) -> (String, bool) {
    let mut setup = position.to_setup(EnPassantMode::Legal);
    let standard = position.castles().castling_rights().is_empty()
        || setup
            .clone()
            .position::<Chess>(CastlingMode::Standard)
            .is_ok();
    if !standard {
        setup.castling_rights = shakmaty::Bitboard::EMPTY;
    }
    setup.halfmoves = 0;
    let fen = Fen::try_from_setup(setup)
        .map_or_else(|lossy| lossy.ignore().to_string(), |fen| fen.to_string());
    (fen, standard)
}

/// The solver's moves as legal moves of ours, if they are.
fn replay(position: &Chess, line: &[chess::ChessMove]) -> Option<Vec<Move>> {
    let mut after = position.clone();
    let mut moves = Vec::with_capacity(line.len());
    for m in line {
        let uci = UciMove::from_ascii(m.to_string().as_bytes()).ok()?;
        let m = uci.to_move(&after).ok()?;
        after.play_unchecked(m);
        moves.push(m);
    }
    Some(moves)
}
