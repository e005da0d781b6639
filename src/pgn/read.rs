//! Splits the text into games and each line into its parts.

mod brackets;
mod comments;
mod finish;
mod words;

use std::io::{self, Read};

use self::words::{prose, word_length};
use super::{Game, Unreadable, comment::PairOf, tags, text::Lines};

/// Maximum length of a comment that is searched for a clock time, in bytes.
const MAX_COMMENT: usize = 4096;
/// Maximum number of tags kept per game; further ones are dropped.
const MAX_TAGS: usize = 256;
/// Maximum number of plies per game; the longest game that the Laws of 2014 allow is shorter.
const MAX_PLIES: usize = 20_000;

/// An iterator over the games of a PGN text.
#[derive(Debug)]
pub struct Games<R> {
    lines: Lines<R>,
    /// The rest of the current line belongs to the next game.
    held: bool,
    /// The end of the text was reached.
    ended: bool,
}

impl<R: Read> Games<R> {
    /// Creates a reader; it does its own buffering.
    pub fn new(read: R) -> Self {
        Self {
            lines: Lines::new(read),
            held: false,
            ended: false,
        }
    }

    fn next_game(&mut self) -> io::Result<Option<Game>> {
        let mut partial = PartialGame::default();
        while !self.ended {
            if !std::mem::take(&mut self.held) && !self.lines.advance()? {
                self.ended = true;
                break;
            }
            let lines = &mut self.lines;
            if let Some(remaining) = partial.line(&lines.text, lines.number, lines.goes_on) {
                lines.text.drain(..lines.text.len() - remaining);
                self.held = !lines.text.trim().is_empty();
                return Ok(Some(partial.finished()));
            }
        }
        Ok(partial.has_begun().then(|| partial.finished()))
    }
}

impl<R: Read> Iterator for Games<R> {
    type Item = io::Result<Game>;

    fn next(&mut self) -> Option<io::Result<Game>> {
        self.next_game().transpose()
    }
}

/// A comment that is being read.
#[derive(Debug)]
struct Comment {
    line: u64,
    text: String,
}

/// A game that is being read.
#[derive(Debug, Default)]
struct PartialGame {
    game: Game,
    /// An empty line has followed the last tag.
    after_gap: bool,
    comment: Option<Comment>,
    /// The number of open variations, and the line where the first was opened.
    depth: u32,
    variation_line: u64,
    /// A repeated tag that contradicts the earlier one.
    contradiction: Option<Unreadable>,
    /// A tag whose value continues on the next line.
    open_tag: Option<String>,
    /// A `0-0` and its line; what follows shows whether it is the result.
    zeros: Option<(String, u64)>,
    /// The previous word was a move number.
    after_number: bool,
    /// The number before the next move.
    number: Option<u64>,
    /// The number of the first move, by this game's own numbering.
    first_number: Option<u64>,
    /// A variation has just ended.
    after_variation: bool,
    pair_of: Option<PairOf>,
}

impl PartialGame {
    /// Reads a line, at most to the end of the game. In that case, returns how many bytes of it
    /// remain.
    fn line(&mut self, line: &str, number: u64, goes_on: bool) -> Option<usize> {
        if line.trim().is_empty() && !goes_on {
            self.after_gap = true;
        }
        if let Some(open) = self.open_tag.take() {
            if tags::goes_on(&open, line) {
                let joined = format!("{open} {}", line.trim_start());
                let remaining = self.line(&joined, number, false);
                return remaining.map(|remaining| remaining.min(line.len()));
            }
            self.game
                .tags
                .extend(tags::unclosed(&open).map(|(name, value)| (name.to_owned(), value)));
        }
        if !self.inside_nothing() && !goes_on && self.is_cut_off_by(line) {
            self.unclosed();
            return Some(line.len());
        }
        if self.comment.is_none() && line.starts_with('%') && !goes_on {
            return None;
        }
        if let Some(comment) = &mut self.comment {
            // A line break may fall inside a command.
            if comment.text.len() < MAX_COMMENT {
                comment.text.push(' ');
            }
        }
        let mut rest = line;
        loop {
            rest = self.after_comment(rest);
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let at_margin = rest.len() == line.trim_start().len() && !goes_on;
            rest = match self.next(rest, number, at_margin) {
                Ok(rest) => rest,
                Err(remaining) => return Some(remaining),
            };
        }
    }

    const fn inside_nothing(&self) -> bool {
        self.comment.is_none() && self.depth == 0
    }

    fn has_begun(&self) -> bool {
        let game = &self.game;
        !game.tags.is_empty()
            || self.has_moves()
            || game.outcome.is_some()
            || self.open_tag.is_some()
    }

    fn has_moves(&self) -> bool {
        !self.game.moves.is_empty() || self.game.unreadable.is_some() || self.zeros.is_some()
    }

    /// Whether the next game begins here although a comment or variation of this one is open.
    fn is_cut_off_by(&self, line: &str) -> bool {
        tags::is_tag_line(line, self.comment.is_some() && !self.after_gap)
    }

    /// Reads the first item of `rest` and returns what follows. The error is the number of bytes
    /// that no longer belong to this game.
    fn next<'a>(&mut self, rest: &'a str, number: u64, at_margin: bool) -> Result<&'a str, usize> {
        let first = rest.chars().next().unwrap_or(' ');
        let after_variation = std::mem::take(&mut self.after_variation);
        if self.inside_nothing()
            && !self.has_begun()
            && !self.after_number
            && let Some(length) = prose(rest)
        {
            return Ok(&rest[length..]);
        }
        match first {
            '{' => {
                self.comment = Some(Comment {
                    line: number,
                    text: String::new(),
                });
                Ok(&rest[1..])
            }
            ';' => {
                self.commented(rest);
                Ok("")
            }
            '(' => Ok(self.variation(rest, number)),
            ')' => {
                match self.depth.checked_sub(1) {
                    Some(depth) => {
                        self.depth = depth;
                        self.after_variation = depth == 0;
                    }
                    // Tolerate `3) Bb5`, and a variation that is closed twice.
                    None if self.after_number => {}
                    None if after_variation => self.after_variation = true,
                    None => {
                        self.castle_by_zeros();
                        self.begin(number);
                        self.refuse(")", number, "no variation is open");
                    }
                }
                Ok(&rest[1..])
            }
            '[' if self.depth == 0 => self.bracket(rest, number, at_margin),
            _ if self.depth > 0 => Ok(&rest[word_length(rest)..]),
            _ => self.word(rest, number, at_margin),
        }
    }

    fn begin(&mut self, number: u64) {
        if self.game.line == 0 {
            self.game.line = number;
        }
    }

    fn refuse(&mut self, text: &str, line: u64, reason: &str) {
        let found = || unreadable(text, line, reason);
        self.game.unreadable.get_or_insert_with(found);
    }
}

fn unreadable(text: &str, line: u64, reason: &str) -> Unreadable {
    Unreadable {
        line,
        text: text.chars().take(32).collect(),
        reason: reason.to_owned(),
    }
}
