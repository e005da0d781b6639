//! Reads the pairings of a round from a PGN, CSV or TRF file, as pairing programs write them.
//!
//! This is a pure function from bytes and board names to seats and findings. It shares the decoding
//! of [`crate::pgn`], so names come out right whatever program wrote the file. A finding that makes
//! a start unsafe is a problem; any other is a warning.
//!
//! ```
//! let read = remisd::pairings::read("Brett;Weiß;Schwarz\n1;A;B\n2;C;spielfrei\n".as_bytes(), &["b1", "b2"]);
//! assert_eq!(read.seats.len(), 1);
//! assert_eq!(read.seats[0].board, "b1");
//! assert!(read.problems.is_empty() && read.warnings.len() == 1);
//! ```

mod columns;
mod games;
mod player;
mod report;
mod seating;
mod table;

pub use self::report::outcome;

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;

use crate::pgn::text::Lines;

/// Maximum number of games in a round.
const GAMES: usize = 1024;
/// The characters with which a value begins that a spreadsheet runs as a formula.
pub(crate) const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];
/// Maximum length of a quotation from the file, in characters.
const SHOWN: usize = 120;

/// The content of a round's file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Round {
    /// The games with their boards.
    pub seats: Vec<Seat>,
    /// Findings that make a start unsafe.
    pub problems: Vec<Finding>,
    /// Findings that are only worth noting.
    pub warnings: Vec<Finding>,
}

/// A game with its board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// The board.
    pub board: String,
    /// The line in the file, from 1.
    pub line: u64,
    /// The PGN tags of the game.
    pub headers: BTreeMap<String, String>,
    /// The starting position; `None` for the standard one.
    pub start_fen: Option<String>,
}

/// A finding about a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line, from 1.
    pub line: u64,
    /// The kind of finding.
    pub trouble: Trouble,
    /// The text concerned.
    pub detail: String,
}

/// The kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// White has no player.
    NoWhite,
    /// Black has no player.
    NoBlack,
    /// Neither colour has a player.
    NoPlayers,
    /// There are fewer boards than games.
    NoBoard,
    /// No board has this name or number.
    UnknownBoard,
    /// Two games have the same board.
    BoardTwice,
    /// A name appears in two games.
    PlayerTwice,
    /// A player has no opponent and is not seated.
    Bye,
    /// The file has no numbers of boards; FIDE's order was used.
    BoardOrder,
    /// The game already has a result in the file.
    HasResult,
    /// A rating is invalid.
    Elo,
    /// The starting position cannot be used.
    Start,
    /// The line cannot be read.
    Unreadable,
    /// The file has more games than a round can have.
    TooMany,
}

/// A game of the file that has no board yet.
#[derive(Debug, Clone, Default)]
struct Pairing {
    line: u64,
    /// The board as written; empty if there was none.
    board: String,
    headers: BTreeMap<String, String>,
    start_fen: Option<String>,
}

/// The problems and warnings found in a file.
#[derive(Debug, Default)]
struct Findings {
    problems: Vec<Finding>,
    warnings: Vec<Finding>,
}

impl Findings {
    fn problem(&mut self, line: u64, trouble: Trouble, detail: &str) {
        self.problems.push(finding(line, trouble, detail));
    }

    fn warning(&mut self, line: u64, trouble: Trouble, detail: &str) {
        self.warnings.push(finding(line, trouble, detail));
    }
}

fn finding(line: u64, trouble: Trouble, detail: &str) -> Finding {
    Finding {
        line,
        trouble,
        detail: detail.chars().take(SHOWN).collect(),
    }
}

/// Reads the file of a round. `boards` are the boards of the venue, in order.
#[must_use]
pub fn read(bytes: &[u8], boards: &[impl AsRef<str>]) -> Round {
    let mut findings = Findings::default();
    let text = text_of(bytes, &mut findings);
    let mut pairings = if report::is_report(&text) {
        report::read(&text, &mut findings)
    } else if games::is_pgn(&text) {
        games::read(&text, &mut findings)
    } else {
        table::read(&text, &mut findings)
    };
    if pairings.is_empty() && findings.problems.is_empty() {
        findings.problem(1, Trouble::NoPlayers, "no pairing in this file");
    }
    if let Some(further) = pairings.get(GAMES) {
        findings.problem(further.line, Trouble::TooMany, &GAMES.to_string());
        pairings.truncate(GAMES);
    }
    let boards: Vec<&str> = boards.iter().map(AsRef::as_ref).collect();
    let seats = seating::seat(pairings, &boards, &mut findings);
    let by_line = |mut found: Vec<Finding>| {
        found.sort_by_key(|finding| finding.line);
        found
    };
    Round {
        seats,
        problems: by_line(findings.problems),
        warnings: by_line(findings.warnings),
    }
}

/// The readable text of a file, in which [`read`] counts the lines.
#[must_use]
pub fn text(bytes: &[u8]) -> String {
    text_of(bytes, &mut Findings::default())
}

/// The text of the file, with LF at line ends.
fn text_of(bytes: &[u8], findings: &mut Findings) -> String {
    let mut lines = Lines::new(bytes);
    let mut text = String::with_capacity(bytes.len());
    loop {
        match lines.advance() {
            Ok(true) => {
                if !text.is_empty() && !lines.goes_on {
                    text.push('\n');
                }
                text.push_str(&lines.text);
            }
            Ok(false) => return text,
            Err(error) => {
                findings.problem(lines.number.max(1), Trouble::Unreadable, &error.to_string());
                return text;
            }
        }
    }
}

/// Trims a value and collapses the spaces inside it.
fn tidy(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    if value.contains("  ") || value.contains('\t') {
        let words: Vec<&str> = value.split_whitespace().collect();
        Cow::Owned(words.join(" "))
    } else {
        Cow::Borrowed(value)
    }
}

#[cfg(test)]
mod tests;
