//! Splits the text into games and each line into its parts.

use std::io::{self, Read};

use shakmaty::{CastlingSide, Position as _};

use super::{
    Game, TimeControl, Unreadable, WrittenMove,
    comment::{ClockTime, PairOf, clock_time},
    result::{self, Closing},
    tags::{self, Tag},
    text::Lines,
};
use remisd_vocabulary::notation::{MoveWord, is_annotation};

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
        let mut reading = Reading::default();
        while !self.ended {
            if !std::mem::take(&mut self.held) && !self.lines.advance()? {
                self.ended = true;
                break;
            }
            let lines = &mut self.lines;
            if let Some(left) = reading.line(&lines.text, lines.number, lines.goes_on) {
                lines.text.drain(..lines.text.len() - left);
                self.held = !lines.text.trim().is_empty();
                return Ok(Some(reading.finished()));
            }
        }
        Ok(reading.has_begun().then(|| reading.finished()))
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
struct Reading {
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

impl Reading {
    /// Reads a line, at most to the end of the game; in that case returns how many bytes of it are
    /// left.
    fn line(&mut self, line: &str, number: u64, goes_on: bool) -> Option<usize> {
        if line.trim().is_empty() && !goes_on {
            self.after_gap = true;
        }
        if let Some(open) = self.open_tag.take() {
            if tags::goes_on(&open, line) {
                let joined = format!("{open} {}", line.trim_start());
                let left = self.line(&joined, number, false);
                return left.map(|left| left.min(line.len()));
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
                Err(left) => return Some(left),
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

    /// Continues a comment and returns what follows it on the line.
    fn after_comment<'a>(&mut self, line: &'a str) -> &'a str {
        let Some(comment) = &mut self.comment else {
            return line;
        };
        let (part, rest) = match line.split_once('}') {
            Some((part, rest)) => (part, Some(rest)),
            None => (line, None),
        };
        let room = MAX_COMMENT.saturating_sub(comment.text.len());
        let end = (0..=room.min(part.len()))
            .rev()
            .find(|end| part.is_char_boundary(*end));
        comment.text.push_str(&part[..end.unwrap_or(0)]);
        let Some(rest) = rest else { return "" };
        if let Some(comment) = self.comment.take() {
            self.commented(&comment.text);
        }
        rest
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

    /// A variation, or a promotion in brackets after its move.
    fn variation<'a>(&mut self, rest: &'a str, number: u64) -> &'a str {
        let short = rest.find(')').map(|end| &rest[..=end]);
        if self.depth == 0
            && self.game.unreadable.is_none()
            && let (Some(word), Some(last)) = (short, self.game.moves.last_mut())
            && let Some(promoted) = last.word.promoted_to(word)
        {
            last.word = promoted;
            last.text.push_str(word);
            return &rest[word.len()..];
        }
        if self.depth == 0 {
            self.variation_line = number;
        }
        self.depth = self.depth.saturating_add(1);
        &rest[1..]
    }

    /// A tag, a command outside a comment, or a diagram marker.
    fn bracket<'a>(
        &mut self,
        rest: &'a str,
        number: u64,
        at_margin: bool,
    ) -> Result<&'a str, usize> {
        let length = rest.find(']').map_or(rest.len(), |end| end + 1);
        if rest.starts_with("[%") {
            self.commented(&rest[..length]);
            return Ok(&rest[length..]);
        }
        if matches!(&rest[..length], "[#]" | "[D]" | "[d]") {
            return Ok(&rest[length..]);
        }
        let tag = tags::tag(rest);
        if self.has_moves() {
            let begins = match &tag {
                Tag::Pair { quoted, .. } => *quoted || at_margin,
                Tag::Open => at_margin,
                Tag::None => false,
            };
            if begins {
                return Err(rest.len());
            }
        }
        match tag {
            Tag::Pair { name, .. } if self.begins_again(name) => Err(rest.len()),
            Tag::Pair {
                name,
                value,
                length,
                ..
            } if !self.has_moves() => {
                self.begin(number);
                if self.contradicts(name, &value) {
                    let tag = unreadable(&rest[..length], number, "the tag appears twice");
                    self.contradiction.get_or_insert(tag);
                }
                if self.game.tags.len() < MAX_TAGS {
                    self.game.tags.push((name.to_owned(), value));
                }
                self.after_gap = false;
                Ok(&rest[length..])
            }
            Tag::Open if !self.has_moves() => {
                if tags::unclosed(rest).is_some_and(|(name, _)| self.begins_again(name)) {
                    return Err(rest.len());
                }
                self.begin(number);
                self.open_tag = Some(rest.to_owned());
                self.after_gap = false;
                Ok("")
            }
            _ => {
                self.begin(number);
                self.refuse(rest, number, "not a tag");
                Ok(&rest[length..])
            }
        }
    }

    /// Whether a tag begins the next game, when this one has only tags and not even a result. After
    /// an empty line, any repeated tag does. Otherwise it is `Event` or the tag with which this
    /// game began, once both players are named.
    fn begins_again(&self, name: &str) -> bool {
        if self.after_gap {
            return self.game.tag(name).is_some();
        }
        let first = self.game.tags.first().map(|(first, _)| first.as_str());
        let opens = name == "Event" || (first == Some(name) && !matches!(name, "White" | "Black"));
        let has = |name| self.game.tags.iter().any(|(tag, _)| tag == name);
        opens && has(name) && has("White") && has("Black")
    }

    /// Whether one of the usual tags is repeated with a different value.
    fn contradicts(&self, name: &str, value: &str) -> bool {
        let said = self.game.tags.iter().find(|(tag, _)| tag == name);
        tags::is_usual(name) && said.is_some_and(|(_, said)| said != value)
    }

    fn begin(&mut self, number: u64) {
        if self.game.line == 0 {
            self.game.line = number;
        }
    }

    /// A result, a move number, a move, or an annotation sign.
    fn word<'a>(&mut self, rest: &'a str, number: u64, at_margin: bool) -> Result<&'a str, usize> {
        let after_number = std::mem::take(&mut self.after_number);
        match result::result(rest) {
            Some((Closing::Zeros, length)) if !after_number => {
                self.castle_by_zeros();
                self.begin(number);
                self.zeros = Some((rest[..length].to_owned(), number));
                return Ok(&rest[length..]);
            }
            Some((Closing::Outcome(outcome), length)) => {
                return self.over(outcome, &rest[length..]);
            }
            _ => {}
        }
        let length = word_length(rest);
        let (word, mut rest) = rest.split_at(length);
        let (digits, bare) = split_number(word);
        let dots = &word[digits.map_or(0, str::len)..word.len() - bare.len()];
        if digits == Some("1") && at_margin && self.begins_anew(dots, bare, rest) {
            return Err(length + rest.len());
        }
        if digits.is_some()
            && let Some((Closing::Outcome(outcome), used)) = result::result(bare)
            && used == bare.len()
        {
            return self.over(outcome, rest);
        }
        if let Some(digits) = digits {
            self.castle_by_zeros();
            self.number = digits.parse().ok();
        }
        if bare.is_empty() {
            self.after_number = true;
            return Ok(rest);
        }
        if is_annotation(bare) {
            return Ok(rest);
        }
        self.castle_by_zeros();
        self.begin(number);
        let mut text = bare.to_owned();
        // `e8 =Q`, and `e8(Q)`, whose bracket looks like a variation.
        if let Some(last) = self.game.moves.last_mut()
            && bare.starts_with('=')
            && let Some(promoted) = last.word.promoted_to(bare)
        {
            last.word = promoted;
            last.text.push_str(bare);
            return Ok(rest);
        }
        if let Some(end) = rest.starts_with('(').then(|| rest.find(')')).flatten() {
            let glued = format!("{bare}{}", &rest[..=end]);
            if glued.parse::<MoveWord>().is_ok() {
                text = glued;
                rest = &rest[end + 1..];
            }
        }
        self.play(&text, number);
        Ok(rest)
    }

    /// Whether the number 1 begins another game, as games without tags and results follow one
    /// another directly. Two or more dots mark Black's move.
    fn begins_anew(&self, dots: &str, bare: &str, rest: &str) -> bool {
        let of_black =
            dots.len() > 1 || (bare.is_empty() && rest.trim_start().starts_with(['.', '…']));
        let has_moves = !self.game.moves.is_empty() || self.zeros.is_some();
        has_moves && !of_black
    }

    fn over<'a>(&mut self, outcome: &'static str, rest: &'a str) -> Result<&'a str, usize> {
        self.castle_by_zeros();
        if !self.has_begun() {
            // A result that is written twice is not a game.
            return Ok(rest);
        }
        self.game.outcome = Some(outcome);
        Err(rest.len())
    }

    /// The preceding zeros were castling, since the game continues.
    fn castle_by_zeros(&mut self) {
        if let Some((text, line)) = self.zeros.take() {
            self.play(&text, line);
        }
    }

    fn play(&mut self, text: &str, line: u64) {
        if self.game.unreadable.is_some() {
            return;
        }
        if let Some(found) = self.number.take()
            && self.is_ahead(found)
        {
            let reason = "moves are missing before it";
            self.refuse(&format!("{found}. {text}"), line, reason);
            return;
        }
        match text.parse::<MoveWord>() {
            Ok(_) if self.game.moves.len() >= MAX_PLIES => {
                self.refuse(text, line, "the game is too long");
            }
            Ok(word) => self.game.moves.push(WrittenMove {
                text: text.to_owned(),
                line,
                clock_ms: None,
                word,
            }),
            Err(_) => self.refuse(text, line, "not a move"),
        }
    }

    /// Whether the number before the next move belongs to a later move. The first number determines
    /// what the others must be; numbers that are too small are ignored.
    fn is_ahead(&mut self, found: u64) -> bool {
        if found == 0 {
            return false;
        }
        let fen = self.game.tag("FEN").unwrap_or_default();
        let of_black = fen.split_whitespace().nth(1) == Some("b");
        let of_start = fen.split_whitespace().nth(5);
        let plies = self.game.moves.len();
        let pairs = usize::midpoint(plies, usize::from(of_black));
        let pairs = u64::try_from(pairs).unwrap_or(u64::MAX);
        let first = *self.first_number.get_or_insert_with(|| match plies {
            0 | 1 => found.saturating_sub(pairs),
            // The moves before it have no numbers.
            _ => of_start.and_then(|number| number.parse().ok()).unwrap_or(1),
        });
        found > first.saturating_add(pairs)
    }

    fn refuse(&mut self, text: &str, line: u64, reason: &str) {
        let found = || unreadable(text, line, reason);
        self.game.unreadable.get_or_insert_with(found);
    }

    /// Reports an unclosed comment or variation. It is unknown which moves belong outside it.
    fn unclosed(&mut self) {
        let (sign, line, reason) = match &self.comment {
            Some(comment) => ("{", comment.line, "the comment is not closed"),
            None => ("(", self.variation_line, "the variation is not closed"),
        };
        self.castle_by_zeros();
        self.refuse(sign, line, reason);
    }

    /// Takes the clock time in a comment, for the move before it.
    fn commented(&mut self, comment: &str) {
        if self.depth > 0 || self.game.unreadable.is_some() {
            return;
        }
        let Some(time) = clock_time(comment) else {
            return;
        };
        // A clock time after `0-0` belongs to a castling move, since a result has none.
        self.castle_by_zeros();
        let ms = match time {
            ClockTime::Exact(ms) => ms,
            ClockTime::Pair(first, second) => self.pair_of(first, second).ms(first, second),
        };
        match self.game.moves.last_mut() {
            Some(last) => last.clock_ms = Some(ms),
            None => self.game.start_clock_ms = Some(ms),
        }
    }

    /// The meaning of two numbers in this game; the first such pair decides.
    fn pair_of(&mut self, first: u64, second: u64) -> PairOf {
        let moves = self.game.moves.iter();
        let shown = moves
            .filter_map(|m| m.clock_ms)
            .max()
            .or(self.game.start_clock_ms);
        let limit = shown.or_else(|| {
            let control: TimeControl = self.game.tag("TimeControl")?.parse().ok()?;
            Some(control.start_ms())
        });
        *self
            .pair_of
            .get_or_insert_with(|| PairOf::of(first, second, limit))
    }

    /// Completes the game at its end.
    fn finished(mut self) -> Game {
        if !self.inside_nothing() {
            self.unclosed();
        }
        if let Some(open) = self.open_tag.take() {
            self.game
                .tags
                .extend(tags::unclosed(&open).map(|(name, value)| (name.to_owned(), value)));
        }
        if self.zeros.is_some() && self.game.outcome.is_none() {
            if self.zeros_are_castling() {
                self.castle_by_zeros();
            } else {
                self.zeros = None;
                self.game.outcome = Some("0-0");
            }
        }
        if let Some(tag) = self.contradiction.take() {
            // It is unknown to which tag the moves belong.
            self.game.moves.clear();
            self.game.unreadable = Some(tag);
        }
        self.game
    }

    /// Whether `0-0` at the end is castling: if the tag `Result` has another result and the player
    /// can castle. Otherwise it is the result.
    fn zeros_are_castling(&self) -> bool {
        let tag = self.game.tag("Result").and_then(result::of_tag);
        if tag.is_none_or(|tag| tag == "0-0") || self.game.unreadable.is_some() {
            return false;
        }
        let Ok(mut position) = self.game.start() else {
            return false;
        };
        for written in &self.game.moves {
            let Ok(m) = written.word.to_move(&position) else {
                return false;
            };
            position.play_unchecked(m);
        }
        !position.castling_moves(CastlingSide::KingSide).is_empty()
    }
}

fn unreadable(text: &str, line: u64, reason: &str) -> Unreadable {
    Unreadable {
        line,
        text: text.chars().take(32).collect(),
        reason: reason.to_owned(),
    }
}

/// The length of a remark outside any game, such as `White resigns` or `Dear Anna,`. It ends at a
/// comment or a tag. Numbers or moves near a word show that it was meant as a move.
fn prose(text: &str) -> Option<usize> {
    let is_move = |word: &str| word.parse::<MoveWord>().is_ok();
    let first = text.split_whitespace().next()?;
    let is_word = first.starts_with(|c: char| c.is_alphabetic() || matches!(c, '<' | '>'))
        && !first.contains(['{', ';', '['])
        && !is_move(first)
        && !is_annotation(first);
    if !is_word || result::result(text).is_some() {
        return None;
    }
    let begins = |(at, sign): &(usize, &str)| match *sign {
        "[" => matches!(
            tags::tag(&text[*at..]),
            Tag::Pair { quoted: true, .. } | Tag::Open
        ),
        _ => true,
    };
    let end = text.match_indices(['{', ';', '[']).find(begins);
    let end = end.map_or(text.len(), |(at, _)| at);
    let is_number = |word: &str| {
        let (digits, bare) = split_number(word);
        digits.is_some_and(|digits| digits.len() < word.len()) && (bare.is_empty() || is_move(bare))
    };
    let (mut words, mut moves) = (0, 0);
    for word in text[..end].split_whitespace() {
        if is_number(word) {
            return None;
        }
        words += 1;
        moves += usize::from(is_move(word));
    }
    let is_prose = moves * 3 <= words;
    is_prose.then_some(end)
}

/// The length of the word at the start of `text`; at least one character.
fn word_length(text: &str) -> usize {
    let first = text.chars().next().map_or(1, char::len_utf8);
    let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | ';' | '[' | '*');
    text[first..]
        .find(ends)
        .map_or(text.len(), |end| first + end)
}

/// Splits the move number off a word: `12.e4`, `12...`, `12`.
fn split_number(word: &str) -> (Option<&str>, &str) {
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, rest) = word.split_at(digits);
    let bare = rest.trim_start_matches(['.', '…']);
    // `0-0` and `00` are castling with zeros.
    let is_number = bare.len() < rest.len() || (rest.is_empty() && !number.starts_with("00"));
    if is_number {
        (Some(number), bare)
    } else {
        (None, word)
    }
}
