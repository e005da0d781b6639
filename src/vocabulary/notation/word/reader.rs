//! Reads a folded word from start to end.

use shakmaty::{CastlingSide, File, Rank, Role, Square, san::San, uci::UciMove};

use super::{MoveForm, MoveWord, is_last_rank};

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

pub(super) const fn promotion_piece(letter: u8) -> Option<Role> {
    match piece(letter.to_ascii_uppercase()) {
        Some(Role::King | Role::Pawn) => None,
        piece => piece,
    }
}

/// Reads a folded word from start to end.
pub(super) struct WordReader<'a> {
    rest: &'a [u8],
}

/// The written part of a square.
type SquarePart = (Option<File>, Option<Rank>);

impl<'a> WordReader<'a> {
    pub(super) const fn new(rest: &'a [u8]) -> Self {
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

    pub(super) fn word(mut self) -> Option<MoveWord> {
        if matches!(self.rest, b"--" | b"Z0" | b"0000" | b"@@@@") {
            return Some(MoveWord(MoveForm::San(San::Null)));
        }
        let form = match self.castling() {
            Some(side) => MoveForm::San(San::Castle(side)),
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

    fn piece_move(&mut self) -> Option<MoveForm> {
        let upper = self.upper_case_squares();
        if let Some(lower) = &upper {
            let mut reader = WordReader::new(lower);
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
        let san = |role, (file, rank): SquarePart, to| San::Normal {
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
                Some(MoveForm::Uci(UciMove::Normal {
                    from: Square::from_coords(file, rank),
                    to: Square::from_coords(to_file, to_rank),
                    promotion,
                }))
            }
            // A pawn capture: `ed5`, `exd5`, `e4xd5`.
            (None, (Some(file), rank), (Some(to_file), Some(to_rank))) if !dash => {
                let to = Square::from_coords(to_file, to_rank);
                Some(MoveForm::San(San::Normal {
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
                Some(MoveForm::PawnCapture {
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

    fn part(&mut self) -> SquarePart {
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
    fn promotion(&mut self, (_, rank): SquarePart) -> Option<Role> {
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
    pub(super) fn ends_in_annotations(mut self) -> bool {
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
fn of_letter(letter: u8, role: Option<Role>, san: impl Fn(Role) -> San) -> MoveForm {
    match role {
        Some(Role::Pawn) if letter == b'P' => MoveForm::PawnOrKnight {
            pawn: san(Role::Pawn),
            knight: san(Role::Knight),
        },
        Some(role) => MoveForm::San(san(role)),
        None => MoveForm::San(san(Role::Pawn)),
    }
}
