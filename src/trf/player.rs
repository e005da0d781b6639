//! A player's line: record 001.
//!
//! ```text
//! 1-3  5-8   10  11-13 15-47 49-52  54-56      58-68   70-79 81-84  86-89 92-95    97     99
//! 001  start sex title name  rating federation FIDE id born  points rank  opponent colour code
//! ```
//!
//! The last three repeat every ten columns, one group per round.

use shakmaty::Color;

use crate::{Code, MAX_ROUNDS};

/// The column of the first round's opponent.
pub(crate) const FIRST_ROUND: usize = 92;
/// The number of columns of a round.
pub(crate) const ROUND: usize = 10;

/// What a player's line says about a round.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cell {
    /// The starting rank of the opponent.
    pub opponent: Option<u16>,
    /// The player's colour.
    pub color: Option<Color>,
    /// The result. A game that is paired and not finished has none.
    pub code: Option<Code>,
}

impl Cell {
    /// Whether the cell says nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.opponent.is_none() && self.code.is_none()
    }
}

/// A player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// The line in the file, from 1.
    pub line: u64,
    /// The starting rank, 1 to 9999.
    pub start: u16,
    /// The title, such as `WGM`; may be empty.
    pub title: String,
    /// The name, as `Last, First`.
    pub name: String,
    /// The rating; `None` if there is none.
    pub rating: Option<u16>,
    /// The federation; may be empty.
    pub federation: String,
    /// The FIDE id; `None` if there is none.
    pub fide_id: Option<u64>,
    /// The rounds, the first one first.
    pub(crate) cells: Vec<Cell>,
    /// The line as it was.
    pub(crate) text: Vec<char>,
}

/// What is wrong with a player's line, at a column from 1.
pub(crate) type Wrong = (usize, String);

impl Player {
    /// Reads a line. What can be left out is reported to `note`.
    ///
    /// # Errors
    ///
    /// The line has no starting rank.
    pub(crate) fn read(line: u64, text: &str, mut note: impl FnMut(Wrong)) -> Result<Self, Wrong> {
        let text: Vec<char> = text.chars().collect();
        let field = |from: usize, to: usize| columns(&text, from, to);
        let start = field(5, 8);
        let Ok(start @ 1..=9999) = start.trim().parse::<u16>() else {
            return Err((5, format!("\"{}\" is not a starting rank", start.trim())));
        };
        let mut number = |from: usize, to: usize, what: &str| {
            let found = field(from, to);
            let digits = found.trim();
            let value = digits.parse::<u64>().ok();
            if value.is_none() && !digits.is_empty() {
                note((from, format!("\"{digits}\" is not a {what}")));
            }
            value.filter(|value| *value > 0)
        };
        let rating = number(49, 52, "rating").and_then(|rating| u16::try_from(rating).ok());
        let fide_id = number(58, 68, "FIDE id");
        Ok(Self {
            line,
            start,
            title: field(11, 13).trim().to_owned(),
            name: field(15, 47).trim().to_owned(),
            rating,
            federation: field(54, 56).trim().to_owned(),
            fide_id,
            cells: cells(&text, note),
            text,
        })
    }

    /// What the line says about a round, counted from 1.
    #[must_use]
    pub fn cell(&self, round: u16) -> Cell {
        let at = usize::from(round).checked_sub(1);
        let cell = at.and_then(|at| self.cells.get(at));
        cell.copied().unwrap_or_default()
    }

    /// Writes the code of a round into the line, and nothing else.
    pub(crate) fn set_code(&mut self, round: u16, code: Code) {
        let Some(at) = usize::from(round).checked_sub(1) else {
            return;
        };
        if let Some(cell) = self.cells.get_mut(at) {
            cell.code = Some(code);
            let column = FIRST_ROUND + at * ROUND + 7;
            put(&mut self.text, column, &code.letter().to_string());
        }
    }
}

/// The cells of a line, without empty ones at the end.
fn cells(text: &[char], mut note: impl FnMut(Wrong)) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut from = FIRST_ROUND;
    while from <= text.len() {
        if cells.len() >= usize::from(MAX_ROUNDS) {
            note((from, format!("only {MAX_ROUNDS} rounds are read")));
            break;
        }
        cells.push(cell(text, from, &mut note));
        from += ROUND;
    }
    while cells.last().is_some_and(Cell::is_empty) {
        cells.pop();
    }
    cells
}

fn cell(text: &[char], from: usize, note: &mut impl FnMut(Wrong)) -> Cell {
    let opponent = columns(text, from, from + 3);
    let opponent = match opponent.trim() {
        "" => None,
        digits => {
            let number = digits.parse::<u16>();
            if number.is_err() {
                note((from, format!("\"{digits}\" is not a starting rank")));
            }
            number.ok().filter(|number| *number > 0)
        }
    };
    let color = match columns(text, from + 5, from + 5).trim() {
        "w" | "W" => Some(Color::White),
        "b" | "B" => Some(Color::Black),
        "" | "-" => None,
        other => {
            note((from + 5, format!("\"{other}\" is not a colour")));
            None
        }
    };
    let code = match columns(text, from + 7, from + 7).chars().next() {
        None | Some(' ') => None,
        Some(letter) => {
            let code = Code::of(letter);
            if code.is_none() {
                note((from + 7, format!("\"{letter}\" is not a result")));
            }
            code
        }
    };
    Cell {
        opponent,
        color,
        code,
    }
}

/// The text in the columns from one to another, both counted from 1 and included.
pub(crate) fn columns(text: &[char], from: usize, to: usize) -> String {
    let end = to.min(text.len());
    let found = text.get(from.saturating_sub(1)..end);
    found
        .map(|found| found.iter().collect())
        .unwrap_or_default()
}

/// Writes `value` from a column on, counted from 1.
pub(crate) fn put(text: &mut Vec<char>, from: usize, value: &str) {
    for (at, letter) in (from - 1..).zip(value.chars()) {
        if text.len() <= at {
            text.resize(at + 1, ' ');
        }
        text[at] = letter;
    }
}
