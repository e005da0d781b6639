//! Checks a board's whole record against its chain.

use std::fmt;

use super::{
    JournalError, Lost, LostCause,
    chain::Link,
    contradiction::Contradiction,
    line::Record,
    naming::{self, Misnamed, Sorted},
    reader::Reader,
    retention::Removed,
    segment::{self, Fault, Flaw, Scan, Segment},
};
use remisd_vocabulary::name::BoardId;

/// The result of checking a board's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Number of files read.
    pub segments: usize,
    /// Number of sealed entries in them.
    pub entries: u64,
    /// The highest number in use; 0 for an empty record.
    pub last_seq: u64,
    /// The last link. If it is noted elsewhere, it later proves that nothing was changed.
    pub link: Link,
    /// The findings, in the order of the record.
    pub findings: Vec<Finding>,
    /// The file and line in which the record ends.
    end: (String, usize),
}

impl Verified {
    /// Adds a finding if the record ends before `given`, the last number known from elsewhere.
    pub fn compare_with(&mut self, given: u64) {
        if given > self.last_seq {
            self.findings.push(Finding {
                file: self.end.0.clone(),
                line: self.end.1,
                what: Found::CutOff {
                    last: self.last_seq,
                    given,
                },
            });
        }
    }

    /// Adds a finding for each file that contradicts another one.
    pub fn add_contradictions(&mut self, files: impl IntoIterator<Item = Contradiction>) {
        let findings = files.into_iter().map(|Contradiction { file, other, .. }| {
            let what = Found::Contradiction { other };
            Finding {
                file,
                line: 1,
                what,
            }
        });
        self.findings.extend(findings);
    }

    /// The first place at which the record differs from what was written.
    #[must_use]
    pub fn first_break(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.what.is_break())
    }
}

/// A finding in a record, and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file's name in the board's directory.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The kind of finding.
    pub what: Found,
}

/// The kinds of findings in a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A line is invalid. What the chain proves after it is counted.
    Line {
        /// The fault.
        fault: Fault,
        /// The ranges of numbers, in this line and after it, that are lost.
        lost: Vec<(u64, u64)>,
    },
    /// The file has the name of another one.
    Misnamed {
        /// The number with which it begins.
        first: u64,
    },
    /// The renaming of the file was interrupted.
    Renaming {
        /// The number that it was to get.
        first: u64,
        /// Whether it is part of the record: no other file has that number.
        is_used: bool,
    },
    /// The file is a copy of another one and not part of the record.
    Copy {
        /// The number with which it and the other file begin.
        first: u64,
    },
    /// The file is a copy that a start of the daemon has set aside.
    SetAside,
    /// The daemon writes no such name, although it is like that of a segment. It is not read.
    Stray {
        /// Whether the name is a number, so that it may be a renamed segment.
        is_numbered: bool,
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
        due: u64,
        /// The first number of the file.
        found: u64,
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
        last: u64,
        /// The highest number known to have been assigned.
        given: u64,
    },
    /// Numbers were retired by a repair, or skipped because the disk was absent.
    Lost(Lost),
    /// A repair gave the file a new header and resealed it; the old file lies beside it.
    Repaired {
        /// The file that was set aside.
        original: String,
    },
    /// Older games were removed because their retention time had passed.
    Removed {
        /// The last removed number.
        through: u64,
        /// The time of the removal.
        time: String,
    },
    /// The record's first file does not begin with entry 1, because the daemon once started without
    /// the disk and the board had no record.
    BeginsHigh {
        /// The first number.
        first: u64,
    },
    /// A removal of old games was interrupted: files that its note names are still present.
    BeginsLate {
        /// The first number.
        first: u64,
    },
}

impl Found {
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

impl Found {
    /// Whether a repair retired numbers because their entries are lost.
    #[must_use]
    pub const fn is_loss(&self) -> bool {
        matches!(self, Self::Lost(Lost { cause: None, .. }))
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, what } = self;
        write!(f, "{file}, line {line}: ")?;
        match what {
            Found::Line { fault, lost } => {
                write!(f, "{fault}")?;
                for (from, to) in lost {
                    write!(f, "; entries {from} to {to} are lost")?;
                }
                if lost.is_empty() {
                    f.write_str("; no entry is lost")?;
                }
                Ok(())
            }
            Found::Misnamed { first } => write!(
                f,
                "the header is of the file that begins with entry {first}: it was renamed"
            ),
            Found::Renaming { is_used, .. } => {
                f.write_str("the renaming of the file was interrupted: ")?;
                f.write_str(if *is_used {
                    "the next start of the daemon completes it"
                } else {
                    "another file has that name, compare them and remove one"
                })
            }
            Found::Copy { first } => write!(
                f,
                "the header is that of the file that begins with entry {first}: the file is not \
                 read. Compare the two before you remove one"
            ),
            Found::SetAside => f.write_str(
                "the daemon has set the file aside, because another one has the same header. \
                 Compare the two before you remove it",
            ),
            Found::Stray { .. } => f.write_str(
                "the daemon writes no such name: its entries are not read. Compare it with the record \
                 before you remove it",
            ),
            Found::Contradiction { other } => write!(
                f,
                "the file contradicts {other}: one of them may be from another computer or an old \
                 backup. Keep both and compare them in a copy of the directory"
            ),
            Found::Header => f.write_str("the header is damaged"),
            Found::OtherBefore => {
                f.write_str("the header does not follow on the last line of the file before")
            }
            Found::Missing { due, found } => {
                write!(f, "entry {due} is due, the file begins with {found}")
            }
            Found::CutOff { last, given } => write!(
                f,
                "the record is cut off after entry {last}: entries up to {given} were recorded"
            ),
            Found::Unfinished { bytes, cut: true } => {
                write!(f, "the file is cut off in a line of {bytes} bytes")
            }
            Found::Unfinished { bytes, cut: false } => {
                write!(f, "{bytes} bytes of a line that is not finished (yet)")
            }
            Found::Lost(Lost {
                from,
                to,
                cause: Some(LostCause::NoDisk),
                ..
            }) => write!(
                f,
                "the numbers {from} to {to} were passed over: the disk was not there when the daemon started"
            ),
            Found::Lost(Lost { from, to, file, .. }) => {
                write!(
                    f,
                    "a repair has taken out entries {from} to {to}; see {file}"
                )
            }
            Found::Repaired { original } => {
                write!(f, "sealed anew by a repair; the original is {original}")
            }
            Found::Removed { through, time } => {
                write!(
                    f,
                    "the entries up to {through} were removed after their time (keep_days), {time}; the chain continues from them"
                )
            }
            Found::BeginsHigh { first } => {
                write!(
                    f,
                    "the record begins with entry {first}, and no file was before it"
                )
            }
            Found::BeginsLate { first } => {
                write!(
                    f,
                    "the record begins with entry {first}: older files are not here"
                )
            }
        }
    }
}

impl Reader {
    /// Reads a board's whole record and recomputes its chain. It may run beside a daemon that is
    /// writing: an unfinished end is not a break.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`] for a file that cannot be read, [`JournalError::Version`] and
    /// [`JournalError::Foreign`] for a file that is not this board's.
    pub fn verify(&self, board: &BoardId) -> Result<Verified, JournalError> {
        let directory = self.directory_of(board);
        let read = |error| JournalError::io("read", &directory, error);
        let sorted = self.sorted(board).map_err(read)?;
        let mut check = Check {
            before: None,
            removed: Removed::read(&directory)?,
            verified: Verified {
                segments: 0,
                entries: 0,
                last_seq: 0,
                link: Link::NONE,
                findings: Vec::new(),
                end: ("(no file)".to_owned(), 1),
            },
        };
        check.names(&sorted);
        let newest = sorted.segments.last().map(|segment| segment.first);
        for segment in &sorted.segments {
            let read = |error| JournalError::io("read", &segment.path, error);
            let bytes = self.bytes(segment).map_err(read)?;
            let scan = segment::scan(segment, board, &bytes)?;
            check.segment(segment, &scan, newest == Some(segment.first));
        }
        Ok(check.verified)
    }
}

/// A check in progress across the files.
struct Check {
    /// The previous file: the number after its last, and its last link if known.
    before: Option<(u64, Option<Link>)>,
    /// The note about games removed before the first file.
    removed: Option<Removed>,
    verified: Verified,
}

impl Check {
    /// Names the files whose names are wrong.
    fn names(&mut self, sorted: &Sorted) {
        let mut found = |file, what| {
            let line = 1;
            self.verified.findings.push(Finding { file, line, what });
        };
        for Misnamed { segment, first } in &sorted.misnamed {
            let first = *first;
            found(segment.file_name(), Found::Misnamed { first });
        }
        for segment in &sorted.renaming {
            let first = segment.first;
            let is_used = sorted.segments.contains(segment);
            found(segment.file_name(), Found::Renaming { first, is_used });
        }
        for Misnamed { segment, first } in &sorted.copies {
            let first = *first;
            found(segment.file_name(), Found::Copy { first });
        }
        for path in &sorted.set_aside {
            found(naming::file_name(path), Found::SetAside);
        }
        for path in &sorted.strays {
            let is_numbered = segment::is_numbered_stray(path);
            found(naming::file_name(path), Found::Stray { is_numbered });
        }
    }

    fn segment(&mut self, segment: &Segment, scan: &Scan, newest: bool) {
        let file = segment.file_name();
        let mut found = |line, what| {
            let file = file.clone();
            self.verified.findings.push(Finding { file, line, what });
        };
        match (self.before, &scan.header) {
            (None, header) if segment.first > 1 => {
                let link = header.as_ref().map(|header| header.chain);
                found(1, begins_late(self.removed.as_ref(), segment.first, link));
            }
            (Some((due, _)), _) if due != segment.first => {
                let first = segment.first;
                found(1, Found::Missing { due, found: first });
            }
            (Some((_, Some(link))), Some(header)) if header.chain != link => {
                found(1, Found::OtherBefore);
            }
            (None, Some(header)) if header.chain != Link::NONE => found(1, Found::OtherBefore),
            _ => {}
        }
        match &scan.header {
            // The newest file may have just been created.
            None if newest && scan.is_blank() => {}
            None => found(1, Found::Header),
            Some(header) => {
                if let Some(original) = header.repaired.clone() {
                    found(1, Found::Repaired { original });
                }
            }
        }
        for (index, record) in scan.records().into_iter().enumerate() {
            if let Record::Lost(lost) = record {
                found(index + 2, Found::Lost(lost));
            }
        }
        match scan.flaw {
            None => {}
            Some(Flaw::Damage { line, fault, .. }) => {
                let lost = scan.unproved();
                found(line, Found::Line { fault, lost });
            }
            Some(Flaw::Torn { bytes }) => {
                let line = scan.entries.len() + scan.lost.len() + 2;
                let cut = !newest;
                found(line, Found::Unfinished { bytes, cut });
            }
        }
        self.verified.end = (file, scan.entries.len() + scan.lost.len() + 1);
        self.verified.segments += 1;
        let is_entry = |record: &&Record| matches!(record, Record::Entry(_));
        let proved = scan.entries.len() + scan.behind.iter().filter(is_entry).count();
        self.verified.entries += proved as u64;
        let highest = match scan.flaw {
            Some(Flaw::Damage { highest, .. }) => highest,
            _ => scan.next.saturating_sub(1),
        };
        self.verified.last_seq = highest;
        if let Some(link) = scan.link {
            self.verified.link = link;
        }
        let link = scan.link.filter(|_| scan.flaw.is_none());
        self.before = Some((highest.saturating_add(1), link));
    }
}

/// Classifies an oldest file that does not begin with the first entry.
fn begins_late(removed: Option<&Removed>, first: u64, before: Option<Link>) -> Found {
    match removed {
        Some(removed) if removed.next() < first => Found::Missing {
            due: removed.next(),
            found: first,
        },
        Some(removed) if removed.next() == first => {
            if before.is_some_and(|before| before != removed.chain) {
                return Found::OtherBefore;
            }
            Found::Removed {
                through: removed.through,
                time: removed.time.clone(),
            }
        }
        // The removal was interrupted: files that the note names are still present.
        Some(_) => Found::BeginsLate { first },
        None if before == Some(Link::NONE) => Found::BeginsHigh { first },
        None => Found::Missing {
            due: 1,
            found: first,
        },
    }
}
