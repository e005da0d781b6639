//! Games as PGN text, in export format (PGN standard 1994, section 3.2; `%clk` as in the
//! supplement of 2001).

use std::io::{self, Write};

use shakmaty::{Chess, Color, Position as _};

use remisd_laws::{Ply, Score};
use remisd_vocabulary::{notation, text::OneLine};

/// The roster of seven tags that every game has, in its order.
const ROSTER: [(&str, &str); 7] = [
    ("Event", "?"),
    ("Site", "?"),
    ("Date", "????.??.??"),
    ("Round", "?"),
    ("White", "?"),
    ("Black", "?"),
    ("Result", "*"),
];
/// Lines of movetext are shorter.
const WIDTH: usize = 80;

/// A game to be written.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// Tags by name and value; `Result`, `SetUp` and `FEN` are made from what follows.
    pub tags: &'a [(String, String)],
    /// The position it began with.
    pub start: &'a Chess,
    /// The moves, each in SAN with the mover's remaining time after it in milliseconds.
    pub moves: &'a [(&'a str, Option<u64>)],
    /// From which ply on the record may not be what was played; told in a comment at the end.
    pub uncertain_since: Option<Ply>,
    /// The same for moves that a damaged journal has lost.
    pub missing_since: Option<Ply>,
    /// Its result. PGN knows no game that both have lost: that one is written as unfinished
    /// with a comment.
    pub result: Score,
}

impl Written<'_> {
    /// Writes it, with an empty line at its end.
    ///
    /// # Errors
    ///
    /// What `out` says.
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

    /// Move numbers, moves, times and the result.
    fn words(&self, result: &str) -> Vec<String> {
        let mut words = Vec::new();
        let (mut number, mut turn) = (self.start.fullmoves().get(), self.start.turn());
        // A number stands before Black's move only where something came between.
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
                // One word: a line that ended in it would hide the time from many programs.
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

/// What may stand in a tag's name; the rest is left out, as the name comes from outside.
fn tag_name(name: &str) -> String {
    let allowed = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    name.chars().filter(allowed).collect()
}

/// One tag pair. What does not belong in a value is left out.
fn tag(name: &str, value: &str, out: &mut dyn Write) -> io::Result<()> {
    // Journals of before hold what came in then.
    let value = OneLine::new(value);
    let value = value.as_str().replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(out, "[{name} \"{value}\"]")
}
