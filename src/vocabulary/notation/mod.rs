//! Moves, positions and colours as text.

mod position;
mod word;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{
    Bitboard, Chess, Color, EnPassantMode, Move, Position as _, Role,
    fen::Fen,
    san::{San, SanError, SanPlus},
    uci::UciMove,
};

pub use self::{
    position::{Counters, PositionTextError, parse_position},
    word::{MoveWord, is_annotation, is_dash},
};

/// A move in both notations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Move")]
pub struct MoveText {
    /// UCI: `e2e4`, `e7e8q`, castling as `e1g1` (Chess960: king takes rook).
    pub uci: String,
    /// Standard algebraic notation in English letters.
    pub san: String,
}

impl MoveText {
    /// A legal move of `position` in both notations.
    #[must_use]
    pub fn new(m: Move, position: &Chess) -> Self {
        let uci = m.to_uci(position.castles().mode()).to_string();
        let san = SanPlus::from_move(position.clone(), m).to_string();
        Self { uci, san }
    }
}

/// Why a text is not a move in a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is neither UCI nor SAN.
    #[error("neither UCI nor SAN")]
    NoMove,
    /// The text fits more than one legal move.
    #[error("more than one legal move is written so")]
    Ambiguous,
    /// The text is a move, but not a legal one here.
    #[error("not a legal move here")]
    Illegal,
}

/// Reads a move of `position` in strict UCI or SAN, the form kept in a journal. What people write
/// is read by [`MoveWord`]. Any change here would change the meaning of existing journals.
///
/// # Errors
///
/// Returns [`MoveError`], which says whether the text is a move at all.
pub fn parse_move(text: &str, position: &Chess) -> Result<Move, MoveError> {
    if let Ok(uci) = text.parse::<UciMove>() {
        return match uci {
            UciMove::Normal { .. } => uci.to_move(position).map_err(|_| MoveError::Illegal),
            UciMove::Put { .. } | UciMove::Null => Err(MoveError::NoMove),
        };
    }
    let san: SanPlus = text.parse().map_err(|_| MoveError::NoMove)?;
    san.san.to_move(position).map_err(|error| match error {
        SanError::AmbiguousSan => MoveError::Ambiguous,
        SanError::IllegalSan => MoveError::Illegal,
    })
}

/// Reads a move of `position` as people write it.
///
/// # Errors
///
/// Returns [`MoveError`], which says whether the text is a move at all.
pub fn read_move(text: &str, position: &Chess) -> Result<Move, MoveError> {
    text.parse::<MoveWord>()?.to_move(position)
}

/// Converts a move to the strict form of [`parse_move`]; any other text is returned unchanged.
#[must_use]
pub fn strict(text: &str) -> String {
    if text.parse::<UciMove>().is_ok() || text.parse::<SanPlus>().is_ok() {
        return text.to_owned();
    }
    text.parse::<MoveWord>()
        .map_or_else(|_| text.to_owned(), |word| word.to_string())
}

/// The possible origin squares of a move in UCI or SAN, whether or not it is legal. In SAN these
/// are the squares of all pieces of the named kind. Castling is a move of the king.
#[must_use]
pub fn origins(text: &str, position: &Chess) -> Bitboard {
    if let Ok(uci) = text.parse::<UciMove>() {
        return match uci {
            UciMove::Normal { from, .. } => from.into(),
            UciMove::Put { .. } | UciMove::Null => Bitboard::EMPTY,
        };
    }
    let own = position.us();
    let of_kind = |role| own & position.board().by_role(role);
    match text.parse::<SanPlus>().map(|plus| plus.san) {
        Ok(San::Normal {
            role,
            file,
            rank,
            capture,
            to,
            ..
        }) => {
            let straight = role == Role::Pawn && !capture;
            let file = file.or_else(|| straight.then(|| to.file()));
            let on_file = file.map_or(Bitboard::FULL, Bitboard::from);
            let on_rank = rank.map_or(Bitboard::FULL, Bitboard::from);
            of_kind(role) & on_file & on_rank
        }
        Ok(San::Castle(_)) => of_kind(Role::King),
        Ok(San::Put { .. } | San::Null) | Err(_) => Bitboard::EMPTY,
    }
}

/// The full FEN of a position, with an en passant square only if such a capture is legal.
#[must_use]
pub fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// The first four fields of [`fen`]: no halfmove clock, no move number.
#[must_use]
pub fn fen_without_counters(position: &Chess) -> String {
    let full = fen(position);
    let fields: Vec<&str> = full.split(' ').take(4).collect();
    fields.join(" ")
}

/// Returns `white` or `black`, as used in JSON and topics.
#[must_use]
pub const fn color(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
