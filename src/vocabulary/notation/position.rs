//! Positions as people write them.

use shakmaty::{
    CastlingMode, Chess, FromSetup as _, PositionError, PositionErrorKinds,
    fen::{Fen, ParseFenError},
};

/// Why a text is not a legal position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PositionTextError {
    /// The text is not a FEN.
    #[error("not a FEN: {0}")]
    Fen(#[from] ParseFenError),
    /// The FEN describes a position that is not legal in chess.
    #[error("not a legal position: {}", reasons(*.0))]
    Illegal(PositionErrorKinds),
}

/// Reads a FEN of four to six fields. Castling rights are those of Chess960 if they are written
/// that way (`HAha`) or if the rooks require it.
///
/// # Errors
///
/// Returns [`PositionTextError`], which says what is wrong. Too much material is accepted, since it
/// can be on a board.
pub fn parse_position(text: &str) -> Result<Chess, PositionTextError> {
    let setup = text.trim().parse::<Fen>()?.into_setup();
    let mode = CastlingMode::detect(&setup);
    Chess::from_setup(setup, mode)
        .or_else(PositionError::ignore_too_much_material)
        .map_err(|error| PositionTextError::Illegal(error.kinds()))
}

/// Which counters a FEN contains: it may have only four fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counters {
    /// Halfmoves since the last pawn move or capture.
    pub halfmoves: bool,
    /// The move number.
    pub fullmoves: bool,
}

impl Counters {
    /// Both counters: for the usual start position, before any move.
    pub const ALL: Self = Self {
        halfmoves: true,
        fullmoves: true,
    };

    /// The counters in a FEN that [`parse_position`] can read.
    #[must_use]
    pub fn given_in(text: &str) -> Self {
        let fields = text.trim().split([' ', '_']);
        let mut counters = fields.filter(|field| !field.is_empty()).skip(4);
        let mut is_given = || {
            let field = counters.next();
            field.is_some_and(|field| field.bytes().all(|byte| byte.is_ascii_digit()))
        };
        Self {
            halfmoves: is_given(),
            fullmoves: is_given(),
        }
    }
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
    fn errors_are_explained_in_words() {
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

    #[test]
    fn a_fen_may_leave_its_counters_out() {
        for (counters, halfmoves, fullmoves) in [
            ("", false, false),
            (" 3", true, false),
            ("  0 1 ", true, true),
            (" - -", false, false),
        ] {
            let text = format!("4k3/8/8/8/8/8/8/4K2R w - -{counters}");
            let given = Counters {
                halfmoves,
                fullmoves,
            };
            assert_eq!(Counters::given_in(&text), given, "{text}");
        }
        let underscored = "4k3/8/8/8/8/8/8/4K2R_w_-_-_3_40";
        assert_eq!(Counters::given_in(underscored), Counters::ALL);
    }
}
