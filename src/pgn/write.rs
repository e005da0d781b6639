//! Writes games as PGN text, in export format (PGN standard 1994, section 3.2; `%clk` as in the
//! supplement of 2001).

use std::io::{self, Write};

use shakmaty::{Chess, Color, Position as _};

use remisd_laws::{Ply, Score};
use remisd_vocabulary::{notation, text::OneLine};

/// The seven-tag roster, in order, with default values.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];
/// Upper bound for the length of movetext lines.
const WIDTH: usize = 80;

/// A game to be written.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// Tags by name and value; `Result`, `SetUp` and `FEN` are derived from the other fields.
    pub tags: &'a [(String, String)],
    /// The starting position.
    pub start: &'a Chess,
    /// The moves in SAN, each with the mover's remaining time in milliseconds.
    pub moves: &'a [(&'a str, Option<u64>)],
    /// The ply from which the record may be wrong; noted in a comment at the end.
    pub uncertain_since: Option<Ply>,
    /// The ply from which moves may be missing because the journal is damaged.
    pub missing_since: Option<Ply>,
    /// The result. PGN has no code for a game lost by both players; it is written as unfinished,
    /// with a comment.
    pub result: Score,
}

impl Written<'_> {
    /// Writes the game, with an empty line at its end.
    ///
    /// # Errors
    ///
    /// The error of `out`.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let result = match self.result {
            Score::BothLose => Score::None.as_str(),
            score => score.as_str(),
        };
        for (name, unknown) in ROSTER {
            let given = self.tags.iter().find(|(given, _)| given == name);
            let value = given.map_or(unknown, |(_, value)| value);
            tag(name, if name == "Result" { result } else { value }, out)?;
        }
        let made = ["SetUp", "FEN", "Variant"];
        for (name, value) in self.tags {
            let name = tag_name(name);
            let known = ROSTER.iter().any(|(known, _)| *known == name);
            if !name.is_empty() && !known && !made.contains(&name.as_str()) {
                tag(&name, value, out)?;
            }
        }
        if self.start.castles().mode().is_chess960() {
            tag("Variant", "Chess960", out)?;
        }
        if *self.start != Chess::default() {
            tag("SetUp", "1", out)?;
            tag("FEN", &notation::fen(self.start), out)?;
        }
        writeln!(out)?;
        let mut column = 0;
        for word in self.words(result) {
            let width = word.chars().count();
            if column > 0 && column + 1 + width >= WIDTH {
                writeln!(out)?;
                column = 0;
            } else if column > 0 {
                write!(out, " ")?;
                column += 1;
            }
            write!(out, "{word}")?;
            column += width;
        }
        write!(out, "\n\n")
    }

    /// The words of the movetext: move numbers, moves, times and the result.
    fn words(&self, result: &str) -> Vec<String> {
        let mut words = Vec::new();
        let (mut number, mut turn) = (self.start.fullmoves().get(), self.start.turn());
        // Black's move has a number only if something came between.
        let mut interrupted = true;
        for (san, clock_ms) in self.moves {
            match turn {
                Color::White => words.push(format!("{number}.")),
                Color::Black if interrupted => words.push(format!("{number}...")),
                Color::Black => {}
            }
            words.push((*san).to_owned());
            interrupted = clock_ms.is_some();
            if let Some(ms) = clock_ms {
                let seconds = ms / 1000;
                let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
                let seconds = seconds % 60;
                // Keep this a single word: many programs miss a time that is split over two lines.
                words.push(format!("{{[%clk {hours}:{minutes:02}:{seconds:02}]}}"));
            }
            if turn == Color::Black {
                number = number.saturating_add(1);
            }
            turn = turn.other();
        }
        if let Some(ply) = self.missing_since {
            let comment = format!(
                "{{entries of the journal are lost: moves may be missing or wrong from ply {ply} on}}"
            );
            words.extend(comment.split(' ').map(str::to_owned));
        }
        if let Some(ply) = self.uncertain_since {
            let comment = format!("{{not certain from ply {ply} on}}");
            words.extend(comment.split(' ').map(str::to_owned));
        }
        if self.result == Score::BothLose {
            words.push("{0-0}".to_owned());
        }
        words.push(result.to_owned());
        words
    }
}

/// The characters allowed in a tag's name; the name comes from outside, so drop all others.
fn tag_name(name: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    name.chars().filter(allowed).collect()
}

/// Writes one tag pair, without characters that are not allowed in a value.
fn tag(name: &str, value: &str, out: &mut dyn Write) -> io::Result<()> {
    // Older journals stored values unfiltered.
    let value = OneLine::new(value);
    let value = value.as_str().replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(out, "[{name} \"{value}\"]")
}
