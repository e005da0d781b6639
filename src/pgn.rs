//! Games out of PGN text, one after the other, in bounded memory.
//!
//! This is the one place where PGN is read. A [`Game`] holds what stands in the
//! file: tags, moves as written and clock times; whether the moves are legal is
//! for the caller to find out. Variations and comments are passed over, but for
//! `[%clk …]` times. A word that cannot be a move ends the reading of its game and
//! is reported: skipping it would give the following moves to the wrong side.
//!
//! ```
//! let mut games = remisd::pgn::Games::new("[White \"A\"]\n\n1. e4 e5 *\n".as_bytes());
//! let game = games.next().unwrap()?;
//! assert_eq!(game.tag("White"), Some("A"));
//! assert_eq!(game.moves.len(), 2);
//! # Ok::<_, std::io::Error>(())
//! ```

pub mod names;
mod write;

use std::io::{self, BufRead as _, BufReader, Read};

use shakmaty::{
    CastlingMode, Chess, FromSetup as _, PositionError,
    fen::{Fen, ParseFenError},
    san::SanPlus,
};

pub use self::write::Written;

/// The longest line that is read in one piece, in bytes.
const MAX_LINE: usize = 1 << 16;
/// The longest comment that is searched for a clock time, in bytes.
const MAX_COMMENT: usize = 4096;

/// Tags kept of one game; further ones are dropped.
const MAX_TAGS: usize = 256;
/// Plies kept of one game; the longest game that the Laws of 2014 allow is shorter.
const MAX_PLIES: usize = 20_000;

/// One game as it stands in the file.
#[derive(Debug, Clone, Default)]
pub struct Game {
    /// The tag pairs in their order.
    pub tags: Vec<(String, String)>,
    /// The moves of the main line as written.
    pub moves: Vec<WrittenMove>,
    /// The result at the end of the moves: `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub outcome: Option<&'static str>,
    /// The first word that stands where a move should and is none; the moves
    /// before it are in `moves`, nothing after it is.
    pub unreadable: Option<Unreadable>,
}

/// A word in the movetext that is no move.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: \"{text}\": {reason}")]
pub struct Unreadable {
    /// Its line in the text, from 1.
    pub line: u64,
    /// The word, cut to a printable length.
    pub text: String,
    /// What is wrong with it.
    pub reason: String,
}

/// A move as written, with the time that stood beside it.
#[derive(Debug, Clone)]
pub struct WrittenMove {
    /// The move.
    pub san: SanPlus,
    /// The mover's remaining time in milliseconds, from `[%clk …]`.
    pub clock_ms: Option<u64>,
}

/// Why a game's starting position cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The tag is no FEN.
    #[error("the FEN tag \"{fen}\" cannot be read: {source}")]
    Fen {
        /// The tag.
        fen: String,
        /// What is wrong with it.
        source: ParseFenError,
    },
    /// The FEN is no legal chess position.
    #[error("the FEN tag \"{fen}\" is no legal position: {source}")]
    Position {
        /// The tag.
        fen: String,
        /// What is wrong with it.
        source: Box<PositionError<Chess>>,
    },
}

impl Game {
    /// The value of a tag.
    #[must_use]
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(tag, _)| tag == name)
            .map(|(_, value)| value.as_str())
    }

    /// The starting position: the tag `FEN`, else the array. Castling rights are
    /// those of Chess960 where the tag `Variant` or the FEN itself says so.
    ///
    /// # Errors
    ///
    /// [`StartError`] when the tag is no legal position.
    pub fn start(&self) -> Result<Chess, StartError> {
        let Some(text) = self.tag("FEN") else {
            return Ok(Chess::default());
        };
        let fen: Fen = text.parse().map_err(|source| StartError::Fen {
            fen: text.to_owned(),
            source,
        })?;
        let setup = fen.into_setup();
        let mode = if self.tag("Variant").is_some_and(is_chess960) {
            CastlingMode::Chess960
        } else {
            CastlingMode::detect(&setup)
        };
        Chess::from_setup(setup, mode)
            .or_else(PositionError::ignore_too_much_material)
            .map_err(|source| StartError::Position {
                fen: text.to_owned(),
                source: Box::new(source),
            })
    }
}

fn is_chess960(variant: &str) -> bool {
    let plain: String = variant
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    matches!(
        plain.as_str(),
        "chess960" | "fischerandom" | "fischerrandom"
    )
}

/// The games of a PGN text.
#[derive(Debug)]
pub struct Games<R> {
    read: BufReader<R>,
    line: Vec<u8>,
    /// A line that was read and belongs to the next game.
    held: bool,
    number: u64,
}

impl<R: Read> Games<R> {
    /// Reads from anything; it is buffered here.
    pub fn new(read: R) -> Self {
        Self {
            read: BufReader::with_capacity(1 << 16, read),
            line: Vec::with_capacity(256),
            held: false,
            number: 0,
        }
    }

    /// Makes the next line (or the next piece of a very long one) the current one.
    fn advance(&mut self) -> io::Result<bool> {
        if std::mem::take(&mut self.held) {
            return Ok(true);
        }
        self.line.clear();
        let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX);
        let read = (&mut self.read)
            .take(limit)
            .read_until(b'\n', &mut self.line)?;
        if self.number == 0 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        self.number += 1;
        Ok(read > 0)
    }

    fn next_game(&mut self) -> io::Result<Option<Game>> {
        let mut movetext = Movetext::default();
        let mut game = Game::default();
        let mut begun = false;
        let mut after_gap = false;
        while self.advance()? {
            let at_margin = movetext.inside_nothing();
            after_gap |= self.line.trim_ascii().is_empty();
            if at_margin && self.line.first() == Some(&b'[') {
                if movetext.begun {
                    self.held = true;
                    return Ok(Some(game));
                }
                let pair = tag_pair(&self.line);
                // A game of which only the tags were written, without even a result.
                let again = |(name, _): &(String, String)| game.tag(name).is_some();
                if after_gap && pair.as_ref().is_some_and(again) {
                    self.held = true;
                    return Ok(Some(game));
                }
                begun = true;
                after_gap = false;
                if game.tags.len() < MAX_TAGS {
                    game.tags.extend(pair);
                }
                continue;
            }
            if at_margin && self.line.first() == Some(&b'%') {
                continue;
            }
            let rest = movetext.line(&self.line, self.number, &mut game).len();
            begun |= movetext.begun;
            if game.outcome.is_some() {
                // Another game may begin on the same line.
                self.line.drain(..self.line.len() - rest);
                self.held = !self.line.trim_ascii().is_empty();
                return Ok(Some(game));
            }
        }
        Ok(begun.then_some(game))
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = io::Result<Game>;

    fn next(&mut self) -> Option<io::Result<Game>> {
        self.next_game().transpose()
    }
}

/// `[Name "value"]`; what is no tag pair is passed over.
fn tag_pair(line: &[u8]) -> Option<(String, String)> {
    let text = String::from_utf8_lossy(line);
    let inside = text.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, value) = inside.split_once(char::is_whitespace)?;
    let quoted = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let value = quoted.replace("\\\"", "\"").replace("\\\\", "\\");
    Some((name.to_owned(), value))
}

/// Where in the movetext the reader stands.
#[derive(Debug, Default)]
struct Movetext {
    /// Something of the movetext has been seen.
    begun: bool,
    in_comment: bool,
    comment: Vec<u8>,
    /// How many variations are open.
    depth: u32,
}

impl Movetext {
    const fn inside_nothing(&self) -> bool {
        !self.in_comment && self.depth == 0
    }

    /// Reads a line, at most to the end of the game, and returns what follows that.
    fn line<'a>(&mut self, line: &'a [u8], number: u64, game: &mut Game) -> &'a [u8] {
        let mut rest = line;
        while let Some((&byte, tail)) = rest.split_first() {
            if self.in_comment {
                rest = self.comment_part(rest, game);
                continue;
            }
            match byte {
                b'{' => {
                    self.begun = true;
                    self.in_comment = true;
                    rest = tail;
                }
                b';' => return &[],
                b'(' => {
                    self.depth += 1;
                    rest = tail;
                }
                b')' => {
                    self.depth = self.depth.saturating_sub(1);
                    rest = tail;
                }
                byte if byte.is_ascii_whitespace() => rest = tail,
                _ => {
                    let end = rest.iter().position(|&b| ends_token(b));
                    let (token, tail) = rest.split_at(end.unwrap_or(rest.len()).max(1));
                    rest = tail;
                    self.begun = true;
                    if self.depth == 0 {
                        take_token(token, number, game);
                    }
                    if game.outcome.is_some() {
                        return rest;
                    }
                }
            }
        }
        rest
    }

    /// Reads on in a comment and returns what follows it on the line.
    fn comment_part<'a>(&mut self, rest: &'a [u8], game: &mut Game) -> &'a [u8] {
        let (part, tail) = match rest.iter().position(|&b| b == b'}') {
            Some(end) => (&rest[..end], Some(&rest[end + 1..])),
            None => (rest, None),
        };
        let room = MAX_COMMENT.saturating_sub(self.comment.len());
        self.comment
            .extend_from_slice(&part[..part.len().min(room)]);
        let Some(tail) = tail else { return &[] };
        self.in_comment = false;
        if self.depth == 0
            && let (Some(last), Some(time)) = (game.moves.last_mut(), clock_time(&self.comment))
        {
            last.clock_ms = Some(time);
        }
        self.comment.clear();
        tail
    }
}

const fn ends_token(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'{' | b'}' | b'(' | b')' | b';')
}

/// One word of the movetext outside comments and variations.
fn take_token(token: &[u8], line: u64, game: &mut Game) {
    game.outcome = match token {
        b"1-0" => Some("1-0"),
        b"0-1" => Some("0-1"),
        b"1/2-1/2" => Some("1/2-1/2"),
        b"*" => Some("*"),
        _ => None,
    };
    if game.outcome.is_some() || game.unreadable.is_some() {
        return;
    }
    let word = without_number(token);
    let annotation = matches!(word.first(), None | Some(b'$' | b'!' | b'?')) || word == b"e.p.";
    if annotation {
        return;
    }
    let bare_end = word
        .iter()
        .rposition(|b| !matches!(b, b'!' | b'?'))
        .map_or(0, |last| last + 1);
    let unreadable = |reason: &str| Unreadable {
        line,
        text: String::from_utf8_lossy(word).chars().take(32).collect(),
        reason: reason.to_owned(),
    };
    let bare = &word[..bare_end];
    // Castling with zeros is a common slip of other programs.
    let letters = bare
        .starts_with(b"0-0")
        .then(|| bare.to_vec())
        .map(|mut castling| {
            castling
                .iter_mut()
                .filter(|b| **b == b'0')
                .for_each(|b| *b = b'O');
            castling
        });
    match SanPlus::from_ascii(letters.as_deref().unwrap_or(bare)) {
        Ok(_) if game.moves.len() >= MAX_PLIES => {
            game.unreadable = Some(unreadable("the game is too long"));
        }
        Ok(san) => game.moves.push(WrittenMove {
            san,
            clock_ms: None,
        }),
        Err(_) => game.unreadable = Some(unreadable("not a move")),
    }
}

/// The token without a move number before it: `12.e4`, `12...`, `12`.
fn without_number(token: &[u8]) -> &[u8] {
    let digits = token.iter().take_while(|b| b.is_ascii_digit()).count();
    let dots = token[digits..].iter().take_while(|&&b| b == b'.').count();
    // 0-0 is castling with zeros, not a move number.
    if dots > 0 || digits == token.len() {
        &token[digits + dots..]
    } else {
        token
    }
}

/// The time of `[%clk h:mm:ss]` or `[%clk h:mm:ss.f]` in milliseconds.
fn clock_time(comment: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(comment).ok()?;
    let time = text.split("[%clk").nth(1)?.split(']').next()?.trim();
    let (whole, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut seconds: u64 = 0;
    for part in whole.split(':') {
        seconds = seconds.checked_mul(60)?.checked_add(part.parse().ok()?)?;
    }
    let milliseconds: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    seconds.checked_mul(1000)?.checked_add(milliseconds)
}

#[cfg(test)]
mod tests;
