//! FIDE's Tournament Report File: TRF16, and TRF26 as published.
//!
//! A [`Report`] keeps every line of its file. Records that this crate does not interpret are
//! written back as they were. Columns are counted in characters, from 1, as FIDE's tables do.
//!
//! Whoever shows standings to the public goes through [`Published`]. It forgets the rounds of the
//! file that are not public, and takes their results from what the public has already seen.
//!
//! Sources: FIDE Handbook, C.04 annex 2 (TRF16); "TRF26", applied from 1 September 2025; C.07,
//! tie-break regulations of 2024.
//!
//! ```
//! use remisd_trf::{Outcome, Published, Report, standings};
//!
//! let file = "\
//! 012 Club\n\
//! 001    1      Alpha, A                          2100                           0.0    1     2 w  \n\
//! 001    2      Beta, B                           2000                           0.0    2     1 b  \n";
//! let report = Report::read(file.as_bytes())?;
//! let mut published = Published::of(&report, 0);
//! published.add(1, 1, 2, Some(Outcome::WhiteWins))?;
//! let table = standings(&published);
//! assert_eq!(table.rows[0].name, "Alpha, A");
//! assert_eq!(table.rows[0].points.to_string(), "1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod code;
mod fill;
mod player;
mod points;
mod published;
mod report;
mod scoring;
mod standings;
mod tie_break;

pub use self::{
    code::{Code, Outcome},
    fill::FillError,
    player::{Cell, Player},
    points::Points,
    published::{AddError, Published},
    report::{Error, Finding, Pair, Report},
    scoring::Scoring,
    standings::{Encounter, Row, Side, System, Table, standings},
    tie_break::TieBreak,
};

/// The greatest size of a file, in bytes.
pub const MAX_BYTES: usize = 4 << 20;
/// The greatest number of players; starting ranks have four digits.
pub const MAX_PLAYERS: usize = 9999;
/// The greatest number of rounds that are read.
pub const MAX_ROUNDS: u16 = 128;

#[cfg(test)]
mod tests;
