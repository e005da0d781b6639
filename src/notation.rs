//! Moves, positions and colours as text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use shakmaty::{Chess, Color, EnPassantMode, Position as _, fen::Fen, san::SanPlus};

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
    pub fn new(m: shakmaty::Move, position: &Chess) -> Self {
        let uci = m.to_uci(position.castles().mode()).to_string();
        let san = SanPlus::from_move(position.clone(), m).to_string();
        Self { uci, san }
    }
}

/// The full FEN of a position, with an en-passant square only where such a capture
/// is legal.
#[must_use]
pub fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// `white` or `black`, as everywhere in JSON and topics.
#[must_use]
pub const fn color(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
