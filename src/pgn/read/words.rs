//! Reads the words of the movetext: results, move numbers, moves and annotation signs.

use remisd_vocabulary::notation::{MoveWord, is_annotation};

use super::{MAX_PLIES, PartialGame};
use crate::{
    WrittenMove,
    result::{self, Closing},
    tags::{self, Tag},
};

impl PartialGame {
    /// A result, a move number, a move, or an annotation sign.
    pub(super) fn word<'a>(
        &mut self,
        rest: &'a str,
        number: u64,
        at_margin: bool,
    ) -> Result<&'a str, usize> {
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
    pub(super) fn begins_anew(&self, dots: &str, bare: &str, rest: &str) -> bool {
        let of_black =
            dots.len() > 1 || (bare.is_empty() && rest.trim_start().starts_with(['.', '…']));
        let has_moves = !self.game.moves.is_empty() || self.zeros.is_some();
        has_moves && !of_black
    }

    pub(super) fn over<'a>(
        &mut self,
        outcome: &'static str,
        rest: &'a str,
    ) -> Result<&'a str, usize> {
        self.castle_by_zeros();
        if !self.has_begun() {
            // A result that is written twice is not a game.
            return Ok(rest);
        }
        self.game.outcome = Some(outcome);
        Err(rest.len())
    }

    /// The preceding zeros were castling, since the game continues.
    pub(super) fn castle_by_zeros(&mut self) {
        if let Some((text, line)) = self.zeros.take() {
            self.play(&text, line);
        }
    }

    pub(super) fn play(&mut self, text: &str, line: u64) {
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
    pub(super) fn is_ahead(&mut self, found: u64) -> bool {
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
}
/// The length of a remark outside any game, such as `White resigns` or `Dear Anna,`. It ends at a
/// comment or a tag. Numbers or moves near a word show that it was meant as a move.
pub(super) fn prose(text: &str) -> Option<usize> {
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
pub(super) fn word_length(text: &str) -> usize {
    let first = text.chars().next().map_or(1, char::len_utf8);
    let ends = |c: char| c.is_whitespace() || matches!(c, '{' | '}' | '(' | ')' | ';' | '[' | '*');
    text[first..]
        .find(ends)
        .map_or(text.len(), |end| first + end)
}

/// Splits the move number off a word: `12.e4`, `12...`, `12`.
pub(super) fn split_number(word: &str) -> (Option<&str>, &str) {
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
