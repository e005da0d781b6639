//! The pairings of a round, out of a PGN or CSV file as pairing programs write them.
//!
//! Pure: bytes and the names of the boards in, seats and what is wrong out. Encodings and
//! lines are those of [`crate::pgn`], so that names are right whatever program wrote the file.
//! What makes a start unsafe is a problem; what only has to be known is a warning.
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
mod seating;
mod table;

use std::{borrow::Cow, collections::BTreeMap};

use serde::Serialize;

use crate::pgn::text::Lines;

/// More games than this are no round.
const GAMES: usize = 1024;
/// The longest text that repeats what stands in the file, in characters.
const SHOWN: usize = 120;

/// What a file says of a round.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Round {
    /// Who plays where.
    pub seats: Vec<Seat>,
    /// What makes a start unsafe.
    pub problems: Vec<Finding>,
    /// What only has to be known.
    pub warnings: Vec<Finding>,
}

/// A game at its board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Seat {
    /// The board.
    pub board: String,
    /// The line of the file, from 1.
    pub line: u64,
    /// The PGN tags of the game.
    pub headers: BTreeMap<String, String>,
    /// The position that it begins with; `None` for the usual array.
    pub start_fen: Option<String>,
}

/// Something to be known about a line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The line, from 1.
    pub line: u64,
    /// What it is.
    pub trouble: Trouble,
    /// What stands there.
    pub detail: String,
}

/// What a finding can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trouble {
    /// Nobody has White.
    NoWhite,
    /// Nobody has Black.
    NoBlack,
    /// Nobody has either colour.
    NoPlayers,
    /// There are fewer boards than games.
    NoBoard,
    /// There is no board of this name or number.
    UnknownBoard,
    /// Two games are at one board.
    BoardTwice,
    /// A name stands in two games.
    PlayerTwice,
    /// A player has no opponent, and is not seated.
    Bye,
    /// A rating is none.
    Elo,
    /// The starting position cannot be used.
    Start,
    /// The line cannot be read.
    Unreadable,
    /// The file has more games than a round can have.
    TooMany,
}

/// A game of the file, before it has a board.
#[derive(Debug, Clone, Default)]
struct Pairing {
    line: u64,
    /// The board as it was written; empty where nothing was.
    board: String,
    headers: BTreeMap<String, String>,
    start_fen: Option<String>,
}

/// What was found in a file, seats aside.
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

/// Reads a file of a round. `boards` are the boards of the hall in their order.
#[must_use]
pub fn read(bytes: &[u8], boards: &[impl AsRef<str>]) -> Round {
    let mut findings = Findings::default();
    let text = text_of(bytes, &mut findings);
    let mut pairings = if games::is_pgn(&text) {
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

/// A file as text, as far as it can be read: what [`read`] counts lines in.
#[must_use]
pub fn text(bytes: &[u8]) -> String {
    text_of(bytes, &mut Findings::default())
}

/// The text of the file, its lines ended by LF.
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

/// A value without the spaces around and inside it that mean nothing.
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
