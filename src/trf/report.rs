//! A file: its lines, its players, and what could not be read.

use std::collections::HashMap;

use shakmaty::Color;

use crate::{
    Code, MAX_BYTES, MAX_PLAYERS, Points, Scoring,
    player::{self, FIRST_ROUND, Player, ROUND},
};

/// The greatest number of lines.
const MAX_LINES: usize = 1 << 16;
/// The greatest number of characters in a line: a thousand more than 128 rounds need.
const MAX_LINE: usize = 4096;
/// The greatest number of findings that are kept.
const MAX_FINDINGS: usize = 256;

/// The number of columns of a date: `YY/MM/DD`.
const DATE: usize = 8;

/// A tournament report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    lines: Vec<Line>,
    players: Vec<Player>,
    by_start: HashMap<u16, usize>,
    scoring: Scoring,
    findings: Vec<Finding>,
    /// Whether an opponent is not there, or names another opponent.
    lacks_opponents: bool,
    encoding: Encoding,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    record: Record,
    /// What ends it: `\r\n`, `\r`, `\n`, or nothing at the end of the file.
    end: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Record {
    /// The place of a player.
    Player(usize),
    /// Any other record, as it was.
    Other(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8 {
        mark: bool,
    },
    /// Latin-1, as its superset Windows-1252.
    Latin1,
}

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct Error {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}

/// Something that was not understood. It is kept and written back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was found.
    pub what: String,
}

/// A game of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// White's starting rank.
    pub white: u16,
    /// Black's starting rank.
    pub black: u16,
    /// Whether either player's line has a result.
    pub has_result: bool,
}

impl Report {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The file is too large, a player has no starting rank or another one's, or there is no
    /// player.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let error = |line, column, what: &str| Error {
            line,
            column,
            what: what.to_owned(),
        };
        if bytes.len() > MAX_BYTES {
            return Err(error(1, 1, &format!("more than {MAX_BYTES} bytes")));
        }
        let (text, encoding) = decode(bytes);
        let mut report = Self {
            lines: Vec::new(),
            players: Vec::new(),
            by_start: HashMap::new(),
            scoring: Scoring::default(),
            findings: Vec::new(),
            lacks_opponents: false,
            encoding,
        };
        for (number, (line, end)) in (1..).zip(lines_of(&text)) {
            if report.lines.len() >= MAX_LINES {
                return Err(error(number, 1, &format!("more than {MAX_LINES} lines")));
            }
            if line.chars().nth(MAX_LINE).is_some() {
                let what = format!("more than {MAX_LINE} characters");
                return Err(error(number, MAX_LINE + 1, &what));
            }
            let record = report.take(number, line)?;
            report.lines.push(Line { record, end });
        }
        if report.players.is_empty() {
            return Err(error(1, 1, "no player: no line begins with 001"));
        }
        report.check_opponents();
        Ok(report)
    }

    /// Whether a text looks like a report: one of its lines is a player's.
    #[must_use]
    pub fn is_report(text: &str) -> bool {
        lines_of(text).any(|(line, _)| {
            let letters: Vec<char> = line.chars().take(9).collect();
            let start = player::columns(&letters, 5, 8);
            let rest = player::columns(&letters, 9, 9);
            line.starts_with("001 ") && rest == " " && start.trim().parse::<u16>().is_ok()
        })
    }

    /// The players in the file's order.
    #[must_use]
    pub fn players(&self) -> &[Player] {
        &self.players
    }

    /// The player with a starting rank.
    #[must_use]
    pub fn player(&self, start: u16) -> Option<&Player> {
        self.by_start.get(&start).map(|at| &self.players[*at])
    }

    /// What was not understood.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether a pairing lacks one of its players, or is not in the lines of both. Such a file may
    /// be cut off.
    #[must_use]
    pub const fn lacks_opponents(&self) -> bool {
        self.lacks_opponents
    }

    /// What results are worth.
    #[must_use]
    pub const fn scoring(&self) -> &Scoring {
        &self.scoring
    }

    /// The text of the first record with this number, such as `012`, the tournament's name.
    #[must_use]
    pub fn record(&self, number: &str) -> Option<&str> {
        let mut others = self.lines.iter().filter_map(|line| match &line.record {
            Record::Other(text) => text.strip_prefix(number),
            Record::Player(_) => None,
        });
        others.next().map(str::trim)
    }

    /// The date of a round from record `132`, as PGN writes it: `2026.11.28`. The record has
    /// `YY/MM/DD` in the columns in which the players' lines have the round (TRF16).
    #[must_use]
    pub fn date(&self, round: u16) -> Option<String> {
        let mut others = self.lines.iter().filter_map(|line| match &line.record {
            Record::Other(text) => text.starts_with("132").then_some(text),
            Record::Player(_) => None,
        });
        let column = FIRST_ROUND + usize::from(round.checked_sub(1)?) * ROUND;
        let columns = others.next()?.chars().skip(column - 1);
        let date: String = columns.take(DATE).collect();
        let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
        let [year, month, day] = parts[..] else {
            return None;
        };
        let is_number = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit());
        let is_date = [year, month, day].iter().all(is_number)
            && ("01"..="12").contains(&month)
            && ("01"..="31").contains(&day);
        is_date.then(|| format!("20{year}.{month}.{day}"))
    }

    /// The number of the last round that any player's line mentions; 0 for none.
    #[must_use]
    pub fn rounds(&self) -> u16 {
        let longest = self.players.iter().map(|player| player.cells.len()).max();
        longest
            .and_then(|rounds| u16::try_from(rounds).ok())
            .unwrap_or(0)
    }

    /// The number of the last round in which players are paired; 0 for none.
    #[must_use]
    pub fn last_paired(&self) -> u16 {
        let paired = |round: &u16| !self.pairs(*round).is_empty();
        (1..=self.rounds()).rev().find(paired).unwrap_or(0)
    }

    /// The number of the round that is to be played: the first one with pairings and without any
    /// result, else the last one with pairings; 0 for none.
    ///
    /// The report of a round robin has the pairings of every round from the start.
    #[must_use]
    pub fn next_round(&self) -> u16 {
        let is_open = |round: &u16| {
            let pairs = self.pairs(*round);
            !pairs.is_empty() && pairs.iter().all(|pair| !pair.has_result)
        };
        let open = (1..=self.rounds()).find(is_open);
        open.unwrap_or_else(|| self.last_paired())
    }

    /// The games of a round in the order of the boards.
    ///
    /// TRF has no numbers of boards. The order is the one that FIDE's pairing rules give (C.04.2):
    /// by the score of the better placed player, by the sum of the scores, by the better starting
    /// rank. Scores are those before the round.
    #[must_use]
    pub fn pairs(&self, round: u16) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for player in &self.players {
            let cell = player.cell(round);
            let (Some(Color::White), Some(black)) = (cell.color, cell.opponent) else {
                continue;
            };
            let Some(other) = self.player(black) else {
                continue;
            };
            pairs.push(Pair {
                white: player.start,
                black,
                has_result: cell.code.is_some() || other.cell(round).code.is_some(),
            });
        }
        pairs.sort_by_cached_key(|pair| {
            let scores = [pair.white, pair.black].map(|start| self.score_before(start, round));
            let [first, second] = scores;
            let highest = first.max(second);
            let first_start = pair.white.min(pair.black);
            (
                std::cmp::Reverse(highest),
                std::cmp::Reverse(first + second),
                first_start,
            )
        });
        pairs
    }

    /// The points of a player before a round.
    #[must_use]
    pub fn score_before(&self, start: u16, round: u16) -> Points {
        let Some(player) = self.player(start) else {
            return Points::ZERO;
        };
        let codes = (1..round).filter_map(|earlier| player.cell(earlier).code);
        codes.map(|code: Code| code.points(&self.scoring)).sum()
    }

    /// The file with its changes; what was not changed is as it was.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut text = String::new();
        for line in &self.lines {
            match &line.record {
                Record::Player(at) => text.extend(&self.players[*at].text),
                Record::Other(line) => text.push_str(line),
            }
            text.push_str(line.end);
        }
        match self.encoding {
            Encoding::Utf8 { mark } => {
                let mark: &[u8] = if mark { "\u{feff}".as_bytes() } else { &[] };
                [mark, text.as_bytes()].concat()
            }
            Encoding::Latin1 => encoding_rs::WINDOWS_1252.encode(&text).0.into_owned(),
        }
    }

    pub(crate) fn player_mut(&mut self, start: u16) -> Option<&mut Player> {
        let at = self.by_start.get(&start)?;
        self.players.get_mut(*at)
    }

    fn take(&mut self, number: u64, line: &str) -> Result<Record, Error> {
        let error = |(column, what)| Error {
            line: number,
            column,
            what,
        };
        let Some(kind) = line.get(..3) else {
            if !line.trim().is_empty() {
                self.note(number, 1, format!("\"{}\" is not a record", line.trim()));
            }
            return Ok(Record::Other(line.to_owned()));
        };
        if kind == "001" {
            let mut wrong = Vec::new();
            let player = Player::read(number, line, |found| wrong.push(found)).map_err(error)?;
            for (column, what) in wrong {
                self.note(number, column, what);
            }
            if let Some(other) = self.player(player.start) {
                let what = format!(
                    "starting rank {} is also that of line {}",
                    player.start, other.line
                );
                return Err(error((5, what)));
            }
            if self.players.len() >= MAX_PLAYERS {
                return Err(error((1, format!("more than {MAX_PLAYERS} players"))));
            }
            self.by_start.insert(player.start, self.players.len());
            self.players.push(player);
            return Ok(Record::Player(self.players.len() - 1));
        }
        match kind {
            "162" => {
                let letters: Vec<char> = line.chars().collect();
                let columns = |from, to| player::columns(&letters, from, to);
                for column in self.scoring.take(columns) {
                    self.note(number, column, "points that cannot be read".to_owned());
                }
            }
            // These change points or who plays; they are kept, and standings do not count them.
            // [uncertain] XXS and XXA are JaVaFo's, which FIDE did not publish.
            "299" | "XXS" | "330" | "320" => {
                let what = format!("record {kind} is kept, and standings do not count it");
                self.note(number, 1, what);
            }
            _ if is_known(kind) => {}
            _ => self.note(
                number,
                1,
                format!("record {kind} is not known, and is kept"),
            ),
        }
        Ok(Record::Other(line.to_owned()))
    }

    fn note(&mut self, line: u64, column: usize, what: String) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(Finding { line, column, what });
        }
    }

    /// Reports opponents who are not there, or who name another opponent.
    fn check_opponents(&mut self) {
        let mut wrong = Vec::new();
        for player in &self.players {
            for (round, cell) in (1..).zip(&player.cells) {
                let Some(opponent) = cell.opponent else {
                    continue;
                };
                let back = self
                    .player(opponent)
                    .map(|other| other.cell(round).opponent);
                let what = match back {
                    _ if opponent == player.start => "a player is his own opponent".to_owned(),
                    None => format!("there is no player {opponent}"),
                    Some(back) if back != Some(player.start) => {
                        format!("player {opponent} has another opponent in round {round}")
                    }
                    Some(_) => continue,
                };
                let column = FIRST_ROUND + ROUND * (usize::from(round) - 1);
                wrong.push((player.line, column, what));
            }
        }
        self.lacks_opponents = !wrong.is_empty();
        for (line, column, what) in wrong {
            self.note(line, column, what);
        }
    }
}

/// Whether a record is one of TRF16, of TRF26, of `JaVaFo`'s, or a federation's list of ratings.
fn is_known(kind: &str) -> bool {
    const RECORDS: [&str; 33] = [
        "012", "022", "032", "042", "052", "062", "072", "082", "092", "102", "112", "122", "132",
        "142", "152", "162", "172", "182", "192", "202", "212", "222", "352", "362", "013", "310",
        "250", "260", "240", "300", "801", "802", "###",
    ];
    RECORDS.contains(&kind) || kind.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn decode(bytes: &[u8]) -> (String, Encoding) {
    let (rest, mark) = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .map_or((bytes, false), |rest| (rest, true));
    if let Ok(text) = std::str::from_utf8(rest) {
        (text.to_owned(), Encoding::Utf8 { mark })
    } else {
        let (text, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes);
        (text.into_owned(), Encoding::Latin1)
    }
}

/// The lines with what ends each. TRF16 ends a line with CR; programs write CR LF or LF.
fn lines_of(text: &str) -> impl Iterator<Item = (&str, &'static str)> {
    // A newline at the end ends the last line; it begins no other one.
    let mut rest = Some(text).filter(|text| !text.is_empty());
    std::iter::from_fn(move || {
        let text = rest?;
        let Some(end) = text.find(['\r', '\n']) else {
            rest = None;
            return Some((text, ""));
        };
        let ends = ["\r\n", "\r", "\n"];
        let newline = ends
            .into_iter()
            .find(|newline| text[end..].starts_with(newline));
        let newline = newline.unwrap_or("");
        rest = Some(&text[end + newline.len()..]).filter(|text| !text.is_empty());
        Some((&text[..end], newline))
    })
}
