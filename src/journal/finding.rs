//! What a check of a record can find, and its text.

use std::fmt;

use super::{RetiredNumbers, RetirementCause, identity::RecordId, segment::Fault};
use remisd_vocabulary::seq::EntrySeq;

/// A finding in a record, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file's name in the board's directory.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The kind of finding.
    pub what: FindingKind,
}

/// The kinds of findings in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FindingKind {
    /// A line is invalid. What the chain proves after it is counted.
    Line {
        /// The fault.
        fault: Fault,
        /// The ranges of numbers, in this line and after it, that are lost.
        lost: Vec<(EntrySeq, EntrySeq)>,
    },
    /// The file has the name of another one.
    Misnamed {
        /// The number with which it begins.
        first: EntrySeq,
    },
    /// The renaming of the file was interrupted.
    Renaming {
        /// The number that it was to get.
        first: EntrySeq,
        /// Whether it is part of the record: no other file has that number.
        is_used: bool,
    },
    /// The file is a copy of another one and not part of the record.
    Copy {
        /// The number with which it and the other file begin.
        first: EntrySeq,
    },
    /// The file is a copy that a start of the daemon has set aside.
    SetAside,
    /// The daemon writes no such name, although it is like that of a segment. It is not read.
    Stray {
        /// Whether the name is a number, so that it may be a renamed segment.
        is_numbered: bool,
    },
    /// The file carries the id of another record. It is not read.
    OtherRecord {
        /// The id, if it can be read.
        record: Option<RecordId>,
        /// Whether a start of the daemon has set the file aside.
        is_set_aside: bool,
    },
    /// The file that says which id is the record's is damaged or missing, although headers carry
    /// ids.
    Identity {
        /// The id that the headers prove.
        proved: Option<RecordId>,
    },
    /// The file contradicts another one, so one of the two may be of another record.
    Contradiction {
        /// The other file.
        other: String,
    },
    /// The first line is not a header.
    Header,
    /// The header does not name the last link of the previous file.
    OtherBefore,
    /// No file contains these numbers.
    Missing {
        /// The expected number.
        due: EntrySeq,
        /// The first number of the file.
        found: EntrySeq,
    },
    /// The last line of the file is unfinished.
    Unfinished {
        /// Length of that line, in bytes.
        bytes: usize,
        /// Whether another file follows, which means that the line was once complete.
        cut: bool,
    },
    /// The record ends before an assigned number: it was truncated.
    CutOff {
        /// The record's last number.
        last: EntrySeq,
        /// The highest number known to have been assigned.
        given: EntrySeq,
    },
    /// Numbers were retired by a repair, or skipped because the disk was absent.
    Lost(RetiredNumbers),
    /// A repair gave the file a new header and resealed it; the old file was kept.
    Repaired {
        /// The file that was set aside.
        original: String,
    },
    /// Older games were removed because their retention time had passed.
    Removed {
        /// The last removed number.
        through: EntrySeq,
        /// The time of the removal.
        time: String,
    },
    /// The record's first file does not begin with entry 1, because the daemon once started without
    /// the disk and the board had no record.
    BeginsHigh {
        /// The first number.
        first: EntrySeq,
    },
    /// A removal of old games was interrupted: files that its note names are still present.
    BeginsLate {
        /// The first number.
        first: EntrySeq,
    },
}

impl FindingKind {
    /// Whether the record differs from what was written without a repair having recorded it.
    #[must_use]
    pub const fn is_break(&self) -> bool {
        match self {
            Self::Line { .. }
            | Self::Misnamed { .. }
            | Self::Renaming { .. }
            | Self::Copy { .. }
            | Self::SetAside
            | Self::Stray { is_numbered: true }
            | Self::Contradiction { .. }
            | Self::OtherRecord { .. }
            | Self::Identity { .. }
            | Self::Header
            | Self::OtherBefore
            | Self::Missing { .. }
            | Self::CutOff { .. } => true,
            Self::Unfinished { cut, .. } => *cut,
            Self::Lost(_)
            | Self::Stray { is_numbered: false }
            | Self::Repaired { .. }
            | Self::Removed { .. }
            | Self::BeginsHigh { .. }
            | Self::BeginsLate { .. } => false,
        }
    }
}

impl FindingKind {
    /// Whether a repair retired numbers because their entries are lost.
    #[must_use]
    pub const fn is_loss(&self) -> bool {
        matches!(self, Self::Lost(RetiredNumbers { cause: None, .. }))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what } = self;
        write!(f, "{file}, line {line}: ")?;
        match what {
            FindingKind::Line { fault, lost } => invalid_line(f, *fault, lost),
            FindingKind::Misnamed { first } => write!(
                f,
                "the header is of the file that begins with entry {first}: it was renamed"
            ),
            FindingKind::Renaming { is_used, .. } => {
                f.write_str("the renaming of the file was interrupted: ")?;
                f.write_str(if *is_used {
                    "the next start of the daemon completes it"
                } else {
                    "another file has that name, compare them and remove one"
                })
            }
            FindingKind::Copy { first } => write!(
                f,
                "the header is that of the file that begins with entry {first}: the file is not \
                 read. Compare the two before you remove one"
            ),
            FindingKind::SetAside => f.write_str(
                "the daemon has set the file aside, because another one has the same header. \
                 Compare the two before you remove it",
            ),
            FindingKind::Stray { .. } => f.write_str(
                "the daemon writes no such name: its entries are not read. Compare it with the record \
                 before you remove it",
            ),
            FindingKind::OtherRecord {
                record,
                is_set_aside,
            } => other_record(f, *record, *is_set_aside),
            FindingKind::Identity { proved } => identity(f, *proved),
            FindingKind::Contradiction { other } => write!(
                f,
                "the file contradicts {other}: one of them may be from another computer or an old \
                 backup. Keep both and compare them in a copy of the directory"
            ),
            FindingKind::Header => f.write_str("the header is damaged"),
            FindingKind::OtherBefore => {
                f.write_str("the header does not follow the last line of the file before")
            }
            FindingKind::Missing { due, found } => {
                write!(f, "entry {due} is due, the file begins with {found}")
            }
            FindingKind::CutOff { last, given } => write!(
                f,
                "the record is cut off after entry {last}: entries up to {given} were recorded"
            ),
            FindingKind::Unfinished { bytes, cut: true } => {
                write!(f, "the file is cut off in a line of {bytes} bytes")
            }
            FindingKind::Unfinished { bytes, cut: false } => {
                write!(f, "{bytes} bytes of a line that is not finished (yet)")
            }
            FindingKind::Lost(RetiredNumbers {
                from,
                to,
                cause: Some(RetirementCause::NoDisk),
                ..
            }) => write!(
                f,
                "the numbers {from} to {to} were passed over: the disk was not there when the daemon started"
            ),
            FindingKind::Lost(RetiredNumbers { from, to, file, .. }) => {
                write!(
                    f,
                    "a repair has taken out entries {from} to {to}; see {file}"
                )
            }
            FindingKind::Repaired { original } => {
                write!(f, "sealed anew by a repair; the original is {original}")
            }
            FindingKind::Removed { through, time } => {
                write!(
                    f,
                    "the entries up to {through} were removed after their time (keep_days), {time}; the chain continues from them"
                )
            }
            FindingKind::BeginsHigh { first } => {
                write!(
                    f,
                    "the record begins with entry {first}, and no file was before it"
                )
            }
            FindingKind::BeginsLate { first } => {
                write!(
                    f,
                    "the record begins with entry {first}: older files are not here"
                )
            }
        }
    }
}

fn invalid_line(
    f: &mut fmt::Formatter<'_>,
    fault: Fault,
    lost: &[(EntrySeq, EntrySeq)],
) -> fmt::Result {
    write!(f, "{fault}")?;
    for (from, to) in lost {
        write!(f, "; entries {from} to {to} are lost")?;
    }
    if lost.is_empty() {
        f.write_str("; no entry is lost")?;
    }
    Ok(())
}

fn other_record(
    f: &mut fmt::Formatter<'_>,
    record: Option<RecordId>,
    is_set_aside: bool,
) -> fmt::Result {
    f.write_str("the file is of another record")?;
    if let Some(record) = record {
        write!(f, ", with the id {record}")?;
    }
    f.write_str(if is_set_aside {
        ": the daemon has set it aside. Move it to where it belongs"
    } else {
        ": it is not read, and the next start of the daemon sets it aside. Move it to where it \
         belongs"
    })
}

fn identity(f: &mut fmt::Formatter<'_>, proved: Option<RecordId>) -> fmt::Result {
    f.write_str("the file does not name the id of this record. ")?;
    match proved {
        Some(id) => write!(
            f,
            "The headers prove {id}: the next start of the daemon writes it"
        ),
        None => f.write_str("Nothing proves the id: restore the file from a backup"),
    }
}
