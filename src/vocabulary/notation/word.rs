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

use std::{fmt, str::FromStr};

use shakmaty::{
    CastlingSide, Chess, File, Move, Position as _, Rank, Role, Square,
    san::{San, SanError},
    uci::UciMove,
};

use super::MoveError;

/// The longest word that can be a move, in ASCII characters.
const LONGEST: usize = 32;
/// Stands for any annotation glyph outside ASCII.
const GLYPH: u8 = b'~';

/// A move as written, read without a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveWord(Form);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
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
            Form::Uci(uci) => by_coordinates(uci, position),
            Form::San(san) => by_san(san, position),
            Form::PawnCapture {
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
            Form::PawnOrKnight { pawn, knight } => {
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
            Form::San(San::Normal {
                role: Role::Pawn,
                promotion: None,
                ..
            })
            | Form::Uci(UciMove::Normal {
                promotion: None, ..
            }),
        ) = (&bare[..], self.0)
        else {
            return None;
        };
        let piece = promotion_piece(*letter)?;
        let mut form = self.0;
        match &mut form {
            Form::San(San::Normal { to, promotion, .. })
            | Form::Uci(UciMove::Normal { to, promotion, .. })
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
        Reader::new(without_number(&word))
            .word()
            .ok_or(MoveError::NoMove)
    }
}

impl fmt::Display for MoveWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Form::Uci(uci) => uci.fmt(f),
            Form::San(san) => san.fmt(f),
            Form::PawnCapture {
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
            Form::PawnOrKnight { pawn, .. } => write!(f, "P{pawn}"),
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
        || Reader::new(&word).ends_in_annotations()
}

/// The word in ASCII; `None` if it is too long or contains a character that no move has.
fn folded(text: &str) -> Option<Vec<u8>> {
    let mut word = Vec::with_capacity(8);
    for c in text.chars() {
        match c {
            '\u{fe0e}' | '\u{fe0f}' => {}
            '…' => word.extend(b"..."),
            _ => word.push(letter(c)?),
        }
        if word.len() > LONGEST {
            return None;
        }
    }
    Some(word)
}

/// Converts a character of a move to ASCII.
fn letter(c: char) -> Option<u8> {
    Some(match c {
        '!'..='~' => u8::try_from(c).ok()?,
        '♔' | '♚' => b'K',
        '♕' | '♛' => b'Q',
        '♖' | '♜' => b'R',
        '♗' | '♝' => b'B',
        '♘' | '♞' => b'N',
        '♙' | '♟' => b'P',
        // Cyrillic letters that look like an O.
        'О' | 'о' => b'O',
        '×' | '✕' | '╳' => b'x',
        '†' => b'+',
        '‡' | '≠' => b'#',
        c if is_dash(c) => b'-',
        // Arrows, mathematical signs, geometric shapes: the annotations of Chess Informant.
        '±' | '¤' | '°' | '\u{2190}'..='\u{2bff}' => GLYPH,
        _ => return None,
    })
}

/// Whether a character is a dash other than the ASCII one.
#[must_use]
pub const fn is_dash(c: char) -> bool {
    matches!(
        c,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Removes a leading move number: `12.e4`, `12...e5`, `...e5`.
fn without_number(word: &[u8]) -> &[u8] {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    let dots = word[digits..].iter().take_while(|b| **b == b'.').count();
    if dots > 0 {
        &word[digits + dots..]
    } else {
        word
    }
}

const fn is_last_rank(rank: Rank) -> bool {
    matches!(rank, Rank::First | Rank::Eighth)
}

/// The piece of an English, German or Dutch letter. P is a pawn here.
const fn piece(letter: u8) -> Option<Role> {
    Some(match letter {
        b'K' | b'k' => Role::King,
        b'Q' | b'q' | b'D' => Role::Queen,
        b'R' | b'r' | b'T' => Role::Rook,
        b'B' | b'L' => Role::Bishop,
        b'N' | b'n' | b'S' => Role::Knight,
        b'P' => Role::Pawn,
        _ => return None,
    })
}

const fn promotion_piece(letter: u8) -> Option<Role> {
    match piece(letter.to_ascii_uppercase()) {
        Some(Role::King | Role::Pawn) => None,
        piece => piece,
    }
}

/// Reads a folded word from start to end.
struct Reader<'a> {
    rest: &'a [u8],
}

/// The written part of a square.
type Part = (Option<File>, Option<Rank>);

impl<'a> Reader<'a> {
    const fn new(rest: &'a [u8]) -> Self {
        Self { rest }
    }

    fn eat(&mut self, bytes: &[u8]) -> bool {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn word(mut self) -> Option<MoveWord> {
        if matches!(self.rest, b"--" | b"Z0" | b"0000" | b"@@@@") {
            return Some(MoveWord(Form::San(San::Null)));
        }
        let form = match self.castling() {
            Some(side) => Form::San(San::Castle(side)),
            None => self.piece_move()?,
        };
        self.ends_in_annotations().then_some(MoveWord(form))
    }

    /// `O-O`, `0-0-0`, `oo`: two or three letters O or zeros.
    fn castling(&mut self) -> Option<CastlingSide> {
        let ring = |b: &u8| matches!(b, b'O' | b'o' | b'0');
        let mut rest = self.rest;
        let mut rings = 0;
        while rings < 3 && rest.first().is_some_and(ring) {
            rings += 1;
            rest = &rest[1..];
            let dashed = rest.first() == Some(&b'-') && rest.get(1).is_some_and(ring);
            rest = if dashed { &rest[1..] } else { rest };
        }
        let side = match rings {
            2 => CastlingSide::KingSide,
            3 => CastlingSide::QueenSide,
            _ => return None,
        };
        self.rest = rest;
        Some(side)
    }

    fn piece_move(&mut self) -> Option<Form> {
        let upper = self.upper_case_squares();
        if let Some(lower) = &upper {
            let mut reader = Reader::new(lower);
            let form = reader.piece_move()?;
            self.rest = &self.rest[self.rest.len() - reader.rest.len()..];
            return Some(form);
        }
        let letter = self.rest.first().copied()?;
        let role = piece(letter).filter(|_| self.rest.len() > 1);
        if role.is_some() {
            self.rest = &self.rest[1..];
        }
        let first = self.part();
        let (dash, capture) = (
            self.eat(b"-"),
            self.eat(b"x") || self.eat(b"X") || self.eat(b":"),
        );
        let second = self.part();
        let promotion = match role {
            None | Some(Role::Pawn) => self.promotion(if second == (None, None) {
                first
            } else {
                second
            }),
            Some(_) => None,
        };
        let capture = capture || (second != (None, None) && self.trailing_capture());
        let san = |role, (file, rank): Part, to| San::Normal {
            role,
            file,
            rank,
            capture,
            to,
            promotion,
        };
        match (role, first, second) {
            // A square alone: `e4`, `Nf3`.
            (role, (Some(file), Some(rank)), (None, None)) if !dash => {
                let to = Square::from_coords(file, rank);
                Some(of_letter(letter, role, |role| san(role, (None, None), to)))
            }
            // Two squares: `e2e4`, `Ng1-f3`, `e4xd5`.
            (None, (Some(file), Some(rank)), (Some(to_file), Some(to_rank))) if !capture => {
                Some(Form::Uci(UciMove::Normal {
                    from: Square::from_coords(file, rank),
                    to: Square::from_coords(to_file, to_rank),
                    promotion,
                }))
            }
            // A pawn capture: `ed5`, `exd5`, `e4xd5`.
            (None, (Some(file), rank), (Some(to_file), Some(to_rank))) if !dash => {
                let to = Square::from_coords(to_file, to_rank);
                Some(Form::San(San::Normal {
                    role: Role::Pawn,
                    file: Some(file),
                    rank,
                    capture: capture || file != to_file,
                    to,
                    promotion,
                }))
            }
            (None, (from, None), (Some(file), rank))
                if capture && (from.is_some() || rank.is_some()) =>
            {
                Some(Form::PawnCapture {
                    from,
                    file,
                    rank,
                    promotion,
                })
            }
            (Some(role), from, (Some(file), Some(rank))) => {
                let to = Square::from_coords(file, rank);
                Some(of_letter(letter, Some(role), |role| san(role, from, to)))
            }
            _ => None,
        }
    }

    /// `E2E4`, `E2-E4`, `B4` in lower case. `B4` is read as b4: a piece letter is never followed
    /// directly by a rank.
    fn upper_case_squares(&self) -> Option<Vec<u8>> {
        let square = |bytes: &[u8]| matches!(bytes, [b'A'..=b'H', b'1'..=b'8', ..]);
        let bytes = self.rest;
        let second = bytes.get(2).map_or(2, |b| {
            if matches!(b, b'-' | b'x' | b':') {
                3
            } else {
                2
            }
        });
        let two = bytes.get(second..).is_some_and(square);
        let alone = !bytes.get(2).is_some_and(u8::is_ascii_alphanumeric)
            && !matches!(bytes.get(2), Some(b'-' | b'x' | b':'));
        (square(bytes) && (two || alone)).then(|| {
            let end = if two { second + 2 } else { 2 };
            let (squares, rest) = bytes.split_at(end);
            [&squares.to_ascii_lowercase(), rest].concat()
        })
    }

    fn part(&mut self) -> Part {
        let file = match self.rest.first() {
            Some(b @ b'a'..=b'h') => File::from_char(char::from(*b)),
            _ => None,
        };
        // These begin like a file.
        let remarks: [&[u8]; 5] = [b"ep", b"e.", b"ch", b"dis", b"dbl"];
        let file = file.filter(|_| !remarks.iter().any(|remark| self.rest.starts_with(remark)));
        if file.is_some() {
            self.rest = &self.rest[1..];
        }
        let rank = match self.rest.first() {
            Some(b @ b'1'..=b'8') => Rank::from_char(char::from(*b)),
            _ => None,
        };
        if rank.is_some() {
            self.rest = &self.rest[1..];
        }
        (file, rank)
    }

    /// A trailing colon, as in `Nf3:` and `ed5:` in old books.
    fn trailing_capture(&mut self) -> bool {
        self.eat(b":")
    }

    /// `=Q`, `Q`, `(Q)`, `/Q` after a square on the last rank.
    fn promotion(&mut self, (_, rank): Part) -> Option<Role> {
        rank.filter(|rank| is_last_rank(*rank))?;
        let (skip, close) = match self.rest.first()? {
            b'=' if self.rest.get(1) == Some(&b'(') => (2, true),
            b'(' => (1, true),
            b'=' | b'/' => (1, false),
            _ => (0, false),
        };
        let piece = promotion_piece(*self.rest.get(skip)?)?;
        if close && self.rest.get(skip + 1) != Some(&b')') {
            return None;
        }
        self.rest = &self.rest[skip + 1 + usize::from(close)..];
        Some(piece)
    }

    /// Whether only annotations are left.
    fn ends_in_annotations(mut self) -> bool {
        while let [byte, rest @ ..] = self.rest {
            match byte {
                b'+' | b'#' | b'!' | b'?' | b'=' | b'/' | b'-' | b'~' => self.rest = rest,
                b'$' if rest.first().is_some_and(u8::is_ascii_digit) => {
                    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
                    self.rest = &rest[digits..];
                }
                // A novelty.
                b'N' if rest.is_empty() => self.rest = rest,
                _ => {
                    let words: [&[u8]; 11] = [
                        b"(e.p.)", b"(ep)", b"(=)", b"e.p.", b"e.p", b"ep.", b"ep", b"mate",
                        b"ch.", b"ch", b"dis",
                    ];
                    if !words.iter().any(|word| self.eat(word)) {
                        return false;
                    }
                }
            }
        }
        true
    }
}

/// Builds the move of a piece; P may be the knight in Dutch.
fn of_letter(letter: u8, role: Option<Role>, san: impl Fn(Role) -> San) -> Form {
    match role {
        Some(Role::Pawn) if letter == b'P' => Form::PawnOrKnight {
            pawn: san(Role::Pawn),
            knight: san(Role::Knight),
        },
        Some(role) => Form::San(san(role)),
        None => Form::San(san(Role::Pawn)),
    }
}

fn by_coordinates(uci: UciMove, position: &Chess) -> Result<Move, MoveError> {
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

fn by_san(san: San, position: &Chess) -> Result<Move, MoveError> {
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

fn only(mut moves: impl Iterator<Item = Move>) -> Result<Move, MoveError> {
    let first = moves.next().ok_or(MoveError::Illegal)?;
    match moves.next() {
        None => Ok(first),
        Some(_) => Err(MoveError::Ambiguous),
    }
}

#[cfg(test)]
#[path = "word_tests.rs"]
mod tests;
