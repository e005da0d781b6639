//! Positions as people write them.

use shakmaty::{
    CastlingMode, Chess, FromSetup as _, PositionError, PositionErrorKinds,
    fen::{Fen, ParseFenError},
};

/// A text that is no legal position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionTextError {
    /// It is no FEN.
    #[error("not a FEN: {0}")]
    Fen(#[from] ParseFenError),
    /// It is a FEN of a position that chess does not have.
    #[error("not a legal position: {}", reasons(*.0))]
    Illegal(PositionErrorKinds),
}

/// Reads a FEN of four to six fields. Castling rights are those of Chess960 where
/// they are written so (`HAha`) or the rooks stand so.
///
/// # Errors
///
/// [`PositionTextError`] says what is wrong. Too much material is accepted: it can be
/// on the board all the same.
pub fn parse_position(text: &str) -> Result<Chess, PositionTextError> {
    let setup = text.trim().parse::<Fen>()?.into_setup();
    let mode = CastlingMode::detect(&setup);
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| PositionTextError::Illegal(error.kinds()))
}

fn reasons(kinds: PositionErrorKinds) -> String {
    let named = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (
            PositionErrorKinds::TOO_MANY_KINGS,
            "there are too many kings",
        ),
        (
            PositionErrorKinds::PAWNS_ON_BACKRANK,
            "a pawn stands on the first or last rank",
        ),
        (
            PositionErrorKinds::INVALID_CASTLING_RIGHTS,
            "a castling right has no king and rook at home",
        ),
        (
            PositionErrorKinds::INVALID_EP_SQUARE,
            "the en-passant square fits no double step",
        ),
        (
            PositionErrorKinds::OPPOSITE_CHECK,
            "the player who has moved is in check",
        ),
        (
            PositionErrorKinds::IMPOSSIBLE_CHECK,
            "no move can have given these checks",
        ),
    ];
    let found: Vec<&str> = named
        .iter()
        .filter(|(kind, _)| kinds.contains(*kind))
        .map(|(_, text)| *text)
        .collect();
    if found.is_empty() {
        format!("{kinds:?}")
    } else {
        found.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_said_in_words() {
        let error = parse_position("8/8/8/8/8/8/8/K7 w - - 0 1").unwrap_err();
        assert_eq!(error.to_string(), "not a legal position: a king is missing");
        assert!(
            parse_position("x")
                .unwrap_err()
                .to_string()
                .starts_with("not a FEN")
        );
        assert!(parse_position("k7/8/8/8/8/8/8/3KR2R w E - 0 1").is_ok());
    }
}
