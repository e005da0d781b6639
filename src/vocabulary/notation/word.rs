//! Moves as people and programs write them.
//!
//! This is the only reader of moves: PGN files, commands, `--claim` and the pages all use it. A
//! [`MoveWord`] is read without a position. Its [`Display`](fmt::Display) is strict UCI or SAN, so
//! that commands are journalled in the strict form.
//!
//! | written | read as |
//! |---|---|
//! | `0-0`, `o-o`, `OO`, `O–O` | `O-O` |
//! | `e8Q`, `e8(Q)`, `e8/Q`, `e8=q` | `e8=Q` |
//! | `e2-e4`, `E2E4`, `e7-e8=Q` | `e2e4`, `e7e8q` |
//! | `Ng1-f3`, `Ng1xf3`, `N:f3`, `♘f3`, `nf3` | a knight to f3, from the origin if one is given |
//! | `ed5`, `e:d5`, `exd6e.p.` | `exd5`, `exd6` |
//! | `xe6`, `exd` | the one pawn capture that fits |
//! | `Sf3`, `Dd8`, `Tf1`, `Lb5` | the German and Dutch letters that no English piece has |
//! | `Pe4` | a pawn (English) or a knight (Dutch), whichever alone has a legal move there |
//! | `Nf3!?`, `Nf3$1`, `e4+=`, `Qxe5++`, `Nf3N` | the move; annotations and check signs are dropped |
//!
//! ```
//! use remisd_vocabulary::notation::MoveWord;
//! use shakmaty::Chess;
//!
//! let word: MoveWord = "Sg1-f3!".parse()?;
//! assert_eq!(word.to_string(), "Ng1f3");
//! assert!(word.to_move(&Chess::default()).is_ok());
//! # Ok::<_, remisd_vocabulary::notation::MoveError>(())
//! ```

mod fold;
mod reader;
mod resolve;
#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr};

use shakmaty::{Chess, File, Move, Position as _, Rank, Role, Square, san::San, uci::UciMove};

pub use self::fold::is_dash;
use self::{
    fold::{folded, without_number},
    reader::{WordReader, promotion_piece},
    resolve::{by_coordinates, by_san, only},
};
use super::MoveError;

/// A move as written, read without a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveWord(MoveForm);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoveForm {
    Uci(UciMove),
    San(San),
    /// `xe6`, `exd`: a pawn capture without its file or rank.
    PawnCapture {
        from: Option<File>,
        file: File,
        rank: Option<Rank>,
        promotion: Option<Role>,
    },
    /// `Pe4`: P is the pawn in English and the knight (paard) in Dutch.
    PawnOrKnight {
        pawn: San,
        knight: San,
    },
}

impl MoveWord {
    /// Finds the move of `position` that is meant.
    ///
    /// # Errors
    ///
    /// Returns [`MoveError::Ambiguous`] if several legal moves fit, such as a promotion without its
    /// piece, and [`MoveError::Illegal`] if none does.
    pub fn to_move(self, position: &Chess) -> Result<Move, MoveError> {
        match self.0 {
            MoveForm::Uci(uci) => by_coordinates(uci, position),
            MoveForm::San(san) => by_san(san, position),
            MoveForm::PawnCapture {
                from,
                file,
                rank,
                promotion,
            } => only(position.legal_moves().into_iter().filter(|m| {
                m.role() == Role::Pawn
                    && m.is_capture()
                    && m.from()
                        .map(Square::file)
                        .is_some_and(|of| from.is_none_or(|f| f == of))
                    && m.to().file() == file
                    && rank.is_none_or(|rank| rank == m.to().rank())
                    && (promotion.is_none() || promotion == m.promotion())
            })),
            MoveForm::PawnOrKnight { pawn, knight } => {
                match (by_san(pawn, position), by_san(knight, position)) {
                    (Ok(_), Ok(_)) => Err(MoveError::Ambiguous),
                    (Ok(m), Err(_)) | (Err(_), Ok(m)) => Ok(m),
                    (Err(MoveError::Ambiguous), _) | (_, Err(MoveError::Ambiguous)) => {
                        Err(MoveError::Ambiguous)
                    }
                    (Err(error), Err(_)) => Err(error),
                }
            }
        }
    }

    /// Adds a promotion that was written as a separate word, as in `e8 (Q)`. Returns `None` if the
    /// move takes no promotion.
    #[must_use]
    pub fn promoted_to(self, word: &str) -> Option<Self> {
        let bare = word.trim_matches(|c| matches!(c, '=' | '(' | ')' | '/'));
        let bare = folded(bare)?;
        let (
            [letter],
            MoveForm::San(San::Normal {
                role: Role::Pawn,
                promotion: None,
                ..
            })
            | MoveForm::Uci(UciMove::Normal {
                promotion: None, ..
            }),
        ) = (&bare[..], self.0)
        else {
            return None;
        };
        let piece = promotion_piece(*letter)?;
        let mut form = self.0;
        match &mut form {
            MoveForm::San(San::Normal { to, promotion, .. })
            | MoveForm::Uci(UciMove::Normal { to, promotion, .. })
                if is_last_rank(to.rank()) =>
            {
                *promotion = Some(piece);
                Some(Self(form))
            }
            _ => None,
        }
    }
}

impl FromStr for MoveWord {
    type Err = MoveError;

    fn from_str(text: &str) -> Result<Self, MoveError> {
        let word = folded(text.trim()).ok_or(MoveError::NoMove)?;
        WordReader::new(without_number(&word))
            .word()
            .ok_or(MoveError::NoMove)
    }
}

impl fmt::Display for MoveWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            MoveForm::Uci(uci) => uci.fmt(f),
            MoveForm::San(san) => san.fmt(f),
            MoveForm::PawnCapture {
                from,
                file,
                rank,
                promotion,
            } => {
                if let Some(from) = from {
                    write!(f, "{}", from.char())?;
                }
                write!(f, "x{}", file.char())?;
                if let Some(rank) = rank {
                    write!(f, "{}", rank.char())?;
                }
                match promotion {
                    Some(piece) => write!(f, "={}", piece.upper_char()),
                    None => Ok(()),
                }
            }
            MoveForm::PawnOrKnight { pawn, .. } => write!(f, "P{pawn}"),
        }
    }
}

/// Whether a separate word is only an annotation: `!?`, `$14`, `+/-`, `N`, `e.p.`, `±`.
#[must_use]
pub fn is_annotation(word: &str) -> bool {
    // Two dashes are a null move.
    let Some(word) = folded(word).filter(|word| !word.is_empty() && word != b"--") else {
        return false;
    };
    matches!(&word[..], b"D" | b"TN" | b"e." | b"p." | b"p.+")
        || WordReader::new(&word).ends_in_annotations()
}

const fn is_last_rank(rank: Rank) -> bool {
    matches!(rank, Rank::First | Rank::Eighth)
}
