//! Writes games as PGN text, in export format (PGN standard 1994, section 3.2; `%clk` and `%emt` as
//! in the supplement of 2001).
//!
//! A [`Written`] is a game with everything that is known of it. A dialect decides what of it is
//! written: [`Archive`](crate::Archive) everything, [`Feed`](crate::Feed) what broadcasts take.

use std::io::{self, Write};

use shakmaty::{ByColor, Chess, Color, Position as _, san::San};

use crate::{Ending, TimeControl};
use remisd_laws::{Ply, Score};
use remisd_vocabulary::text::OneLine;

/// The seven-tag roster, in order, with default values.
pub(crate) const ROSTER: [(&str, &str); 7] = [
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
    /// Tags by name and value. The writer derives `Result`, `SetUp`, `FEN` and `Termination` from
    /// the other fields, and `ECO` and `Opening` from the moves.
    pub tags: &'a [(String, String)],
    /// The starting position.
    pub start: &'a Chess,
    /// The moves in SAN, each with the mover's remaining time in milliseconds.
    pub moves: &'a [(&'a str, Option<u64>)],
    /// Remarks on the moves, by ply.
    pub remarks: &'a [Remark],
    /// The remaining times now, in milliseconds.
    pub clocks: Option<ByColor<u64>>,
    /// The ply from which the record may be wrong.
    pub uncertain_since: Option<Ply>,
    /// The move after the last ply that was perhaps on the board at the end, in SAN.
    pub unsettled: Option<&'a str>,
    /// The ply from which moves may be missing because the journal is damaged.
    pub missing_since: Option<Ply>,
    /// The result.
    pub result: Score,
    /// How the game ended, if that is known.
    pub ending: Option<&'a Ending>,
}

/// A remark on a game after one of its plies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The ply; 0 is before the first move.
    pub ply: Ply,
    /// The text of the comment.
    pub text: String,
}

impl Remark {
    /// The mark of a draw offer (FIDE, Appendix C.12).
    #[must_use]
    pub fn offer(ply: Ply) -> Self {
        Self {
            ply,
            text: "(=)".to_owned(),
        }
    }
}

/// What a reader of PGN takes.
pub trait Dialect {
    /// The tags, without the roster's order.
    fn tags(&self, game: &Written<'_>) -> Vec<(String, String)>;
    /// The words of the movetext. A line may end between any two of them.
    fn words(&self, game: &Written<'_>) -> Vec<String>;
}

impl<'a> Written<'a> {
    /// A game without tags and moves that is not over.
    #[must_use]
    pub const fn of(start: &'a Chess) -> Self {
        Self {
            tags: &[],
            start,
            moves: &[],
            remarks: &[],
            clocks: None,
            uncertain_since: None,
            unsettled: None,
            missing_since: None,
            result: Score::None,
            ending: None,
        }
    }

    /// Writes the game in a dialect, with an empty line at its end.
    ///
    /// # Errors
    ///
    /// The error of `out`.
    pub fn write(&self, dialect: &impl Dialect, out: &mut dyn Write) -> io::Result<()> {
        let mut tags = dialect.tags(self);
        for (name, unknown) in ROSTER {
            let at = tags.iter().position(|(given, _)| given == name);
            let value = at.map(|at| tags.swap_remove(at).1);
            tag(name, value.as_deref().unwrap_or(unknown), out)?;
        }
        tags.sort();
        tags.dedup_by(|later, earlier| later.0 == earlier.0);
        for (name, value) in &tags {
            tag(name, value, out)?;
        }
        writeln!(out)?;
        let mut column = 0;
        for word in dialect.words(self) {
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

    /// The game in a dialect, as text.
    #[must_use]
    pub fn to_text(&self, dialect: &impl Dialect) -> String {
        let mut text = Vec::new();
        // Writing to memory does not fail, and everything written is UTF-8.
        self.write(dialect, &mut text).ok();
        String::from_utf8(text).unwrap_or_default()
    }

    /// The player who made the move at an index.
    pub(crate) fn mover(&self, index: usize) -> Color {
        let first = self.start.turn();
        if index.is_multiple_of(2) {
            first
        } else {
            first.other()
        }
    }

    /// The words before the move at an index: its number, if it needs one.
    pub(crate) fn number(&self, index: usize, interrupted: bool) -> Option<String> {
        let blacks = usize::from(self.start.turn().is_black());
        let before = u32::try_from(index.midpoint(blacks)).unwrap_or(u32::MAX);
        let number = self.start.fullmoves().get().saturating_add(before);
        match self.mover(index) {
            Color::White => Some(format!("{number}.")),
            Color::Black => interrupted.then(|| format!("{number}...")),
        }
    }

    /// The positions that the moves lead to, up to the last one that is legal.
    pub(crate) fn positions(&self) -> impl Iterator<Item = Chess> {
        let mut position = self.start.clone();
        self.moves.iter().map_while(move |(text, _)| {
            let played = text.parse::<San>().ok()?.to_move(&position).ok()?;
            position.play_unchecked(played);
            Some(position.clone())
        })
    }

    /// The time control, with its times in seconds even where the tag has minutes.
    pub(crate) fn time_control(&self) -> Option<TimeControl> {
        let (_, text) = self.tags.iter().find(|(name, _)| name == "TimeControl")?;
        let control: TimeControl = text.parse().ok()?;
        let first = self.moves.iter().take(2).filter_map(|(_, clock)| *clock);
        Some(control.as_shown(first.max()))
    }
}

/// A time as `h:mm:ss`.
pub(crate) fn time(ms: u64) -> String {
    let seconds = ms / 1000;
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{hours}:{minutes:02}:{:02}", seconds % 60)
}

/// Writes one tag pair, without characters that are not allowed in a value.
fn tag(name: &str, value: &str, out: &mut dyn Write) -> io::Result<()> {
    // Older journals stored values unfiltered.
    let value = OneLine::new(value);
    let value = value.as_str().replace('\\', "\\\\").replace('"', "\\\"");
    writeln!(out, "[{name} \"{value}\"]")
}
