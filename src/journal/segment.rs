//! One segment file: its name, and the valid part of its bytes.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    Entry, JournalError, RetiredNumbers, behind,
    chain::ChainLink,
    line::{self, Header, Record, Sealed},
    naming,
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

const SUFFIX: &str = ".jsonl";
const NAME_DIGITS: usize = 12;

/// A segment file of a board.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Segment {
    /// The number of the entry for which the segment was begun.
    pub first: EntrySeq,
    /// The segment's path.
    pub path: PathBuf,
}

impl Segment {
    /// The segment of `directory` that begins with entry `first`.
    pub fn of(directory: &Path, first: EntrySeq) -> Self {
        Self {
            first,
            path: directory.join(format!("{first:0NAME_DIGITS$}{SUFFIX}")),
        }
    }

    /// The file's name without its directory.
    pub fn file_name(&self) -> String {
        naming::file_name(&self.path)
    }
}

/// Names the file or directory of an error.
pub fn error_of(path: &Path) -> impl Fn(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Lists the segments in a board's directory, oldest first; empty if there is no directory.
pub fn list(directory: &Path) -> io::Result<Vec<Segment>> {
    let files = match fs::read_dir(directory) {
        Ok(files) => files,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error_of(directory)(error)),
    };
    let mut segments = Vec::new();
    for file in files {
        let path = file?.path();
        if let Some(first) = number_of(&path) {
            segments.push(Segment { first, path });
        }
    }
    segments.sort();
    Ok(segments)
}

/// The number in the name of a segment; `None` for any other file.
pub fn number_of(path: &Path) -> Option<EntrySeq> {
    number_in(path.file_name()?.to_str()?.strip_suffix(SUFFIX)?)
}

/// The number in the stem of a name, written as the daemon writes it: in at least twelve digits,
/// and without leading zeros if there are more.
pub fn number_in(stem: &str) -> Option<EntrySeq> {
    let number = stem.parse().ok()?;
    ((EntrySeq::new(1)..=line::HIGHEST).contains(&number)
        && stem == format!("{number:0NAME_DIGITS$}"))
    .then_some(number)
}

/// Whether a file is a segment, or was one before it was set aside.
pub fn is_of_record(path: &Path) -> bool {
    behind_name(path).is_some()
}

/// What follows the name of a segment in a file's name; empty for a segment.
pub fn behind_name(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let (name, behind) = name.split_at(name.find(SUFFIX)? + SUFFIX.len());
    number_of(Path::new(name)).map(|_| behind)
}

/// Whether a file's name ends like that of a segment, but no segment has such a name. Hidden files
/// and the backups of editors and copying programs do not count.
pub fn is_stray(path: &Path) -> bool {
    stem_of_stray(path).is_some()
}

/// Whether a stray file's name is a number. It may be a renamed segment.
pub fn is_numbered_stray(path: &Path) -> bool {
    let stem = stem_of_stray(path);
    stem.is_some_and(|stem| {
        stem.len() >= NAME_DIGITS && stem.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn stem_of_stray(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(SUFFIX)?;
    (!name.starts_with('.') && number_in(stem).is_none()).then_some(stem)
}

/// The valid part of a segment's bytes, and its first flaw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// The header; `None` if it is missing, torn or damaged.
    pub header: Option<Header>,
    /// The good entries before the first flaw.
    pub entries: Vec<Entry>,
    /// The numbers that earlier repairs retired.
    pub lost: Vec<RetiredNumbers>,
    /// The number after the last good record.
    pub next: EntrySeq,
    /// The end of the last good line before the first flaw, in bytes.
    pub good_end: usize,
    /// The link of the last good line; `None` if it is unknown.
    pub link: Option<ChainLink>,
    /// The first flaw.
    pub flaw: Option<Flaw>,
    /// The records after the flaw that the chain proves, in order.
    pub behind: Vec<Record>,
    /// Whether the segment is nothing but line ends, or line ends after a sound header.
    has_only_lf: bool,
}

/// A part of a segment that is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flaw {
    /// The last line of the file is unfinished.
    Torn {
        /// Length of the unfinished line, in bytes.
        bytes: usize,
    },
    /// A finished line is invalid or out of order.
    Damage {
        /// Its line number in the file, counted from 1.
        line: usize,
        /// The defect.
        fault: Fault,
        /// The highest number that may have been used in or after that line. A segment is begun
        /// for its first entry, so unless it is blank, it is at least that entry's.
        highest: EntrySeq,
    },
}

/// Why a finished line is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Its checksum is wrong, or it is not a record.
    #[error("the line is damaged")]
    Unreadable,
    /// Its number does not follow the previous one.
    #[error("the number does not follow that of the line before")]
    Order,
    /// It does not match its seal: this line or an earlier one was changed later.
    #[error("the line is not sealed by the chain: it, or a line before it, was changed")]
    Chain,
}

impl Scan {
    /// The good records, in order.
    pub fn records(&self) -> Vec<Record> {
        let entries = self.entries.iter().cloned().map(Record::Entry);
        let lost = self.lost.iter().cloned().map(Record::Lost);
        let mut records: Vec<Record> = entries.chain(lost).collect();
        records.sort_by_key(|record| record.numbers().0);
        records
    }

    /// The numbers that a repair retires: up to the highest that may have been assigned, neither a
    /// good line nor the chain proves an entry with one of them.
    pub fn unproved(&self) -> Vec<(EntrySeq, EntrySeq)> {
        let (mut unproved, mut due) = (Vec::new(), self.next);
        for record in &self.behind {
            let (from, to) = record.numbers();
            if from > due {
                unproved.push((due, from.previous()));
            }
            due = to.next();
        }
        if let Some(Flaw::Damage { highest, .. }) = self.flaw
            && highest >= due
        {
            unproved.push((due, highest));
        }
        unproved
    }

    /// Whether the segment never held a record. Empty lines hold none.
    pub fn is_blank(&self) -> bool {
        let is_damaged = matches!(self.flaw, Some(Flaw::Damage { .. }));
        self.entries.is_empty() && self.lost.is_empty() && (self.has_only_lf || !is_damaged)
    }
}

/// Reads the bytes of `segment`.
///
/// # Errors
///
/// The file has a valid header of another version or another board. Such a file must be left alone.
pub fn scan(segment: &Segment, board: &BoardId, bytes: &[u8]) -> Result<Scan, JournalError> {
    if let Some(first) = Lines::of(bytes).next() {
        check_owner(segment, board, first)?;
    }
    Ok(scan_records(segment, bytes))
}

/// Like [`scan`], for a file whose header was already checked or does not matter.
pub fn scan_records(segment: &Segment, bytes: &[u8]) -> Scan {
    let mut lines = Lines { bytes, at: 0 };
    let mut scan = Scan {
        header: None,
        entries: Vec::new(),
        lost: Vec::new(),
        next: segment.first,
        good_end: 0,
        link: None,
        flaw: None,
        behind: Vec::new(),
        has_only_lf: is_lf(bytes),
    };
    let Some(first) = lines.next() else {
        scan.flaw = if line::may_be_begun(bytes) && !line::has_lost_its_lf(bytes) {
            lines.torn()
        } else {
            Some(headless(segment, bytes, Lines::of(&[])))
        };
        return scan;
    };
    if let Some((header, link)) = header(segment, first) {
        scan.header = Some(header);
        scan.link = Some(link);
        scan.has_only_lf = is_lf(lines.remainder());
    } else if !scan.has_only_lf && !is_header_alone(segment, first, lines.rest()) {
        scan.behind = behind::proved(&scan, first, lines.rest());
        scan.flaw = Some(headless(segment, first, lines.rest()));
        return scan;
    }
    scan.good_end = lines.at;

    let mut number = 1;
    while let Some(line) = lines.next() {
        number += 1;
        if let Err(fault) = take(&mut scan, line::record(line)) {
            scan.behind = behind::proved(&scan, line, lines.rest());
            let from_here = Lines::of(&bytes[scan.good_end..]);
            let highest = highest_in_use(scan.next.previous(), from_here);
            scan.flaw = Some(Flaw::Damage {
                line: number,
                fault,
                highest: if scan.has_only_lf {
                    highest
                } else {
                    highest.max(segment.first)
                },
            });
            return scan;
        }
        scan.good_end = lines.at;
    }
    scan.flaw = match lines.torn() {
        Some(_) if line::has_lost_its_lf(lines.remainder()) => Some(Flaw::Damage {
            line: number + 1,
            fault: Fault::Unreadable,
            highest: highest_in_use(scan.next.previous(), lines.rest()),
        }),
        torn => torn,
    };
    scan
}

fn is_lf(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| byte == b'\n')
}

/// Whether a damaged first line was the header alone, so that the records begin in the next line.
fn is_header_alone(segment: &Segment, first: &[u8], mut rest: Lines<'_>) -> bool {
    let next = rest.next().and_then(line::record);
    line::record(first).is_none()
        && line::marked_entries(first) == 0
        && next.is_some_and(|sealed| sealed.record.continues(segment.first))
}

/// The flaw of a file without a sound header whose records do not begin in the second line.
fn headless(segment: &Segment, first: &[u8], rest: Lines<'_>) -> Flaw {
    let before = segment.first.previous();
    let before = match line::record(first) {
        Some(sealed) => before.max(sealed.record.numbers().1),
        None => line::readable_number(first).max(before + line::marked_entries(first)),
    };
    Flaw::Damage {
        line: 1,
        fault: Fault::Unreadable,
        highest: highest_in_use(before, rest).max(segment.first),
    }
}

/// Refuses a valid header of another version or another board.
fn check_owner(segment: &Segment, board: &BoardId, first: &[u8]) -> Result<(), JournalError> {
    /// The fields common to the headers of all versions.
    #[derive(serde::Deserialize)]
    struct Owner {
        v: u64,
        #[serde(default)]
        board: Option<String>,
    }

    let json = line::verified(first);
    let owner = json.and_then(|json| serde_json::from_slice::<Owner>(json).ok());
    match owner {
        Some(Owner { v, .. }) if v != line::VERSION => Err(JournalError::Version {
            file: segment.path.clone(),
            found: v,
        }),
        Some(Owner {
            board: Some(found), ..
        }) if found != board.as_str() => Err(JournalError::Foreign {
            file: segment.path.clone(),
            found,
            board: board.clone(),
        }),
        _ => Ok(()),
    }
}

/// The header, if it is complete and matches the file's name.
fn header(segment: &Segment, first: &[u8]) -> Option<(Header, ChainLink)> {
    let json = line::verified(first)?;
    let header: Header = serde_json::from_slice(json).ok()?;
    (header.first_seq == segment.first).then(|| (header, ChainLink::of_header(json)))
}

/// Accepts the next record if it is valid and follows the earlier ones.
fn take(scan: &mut Scan, sealed: Option<Sealed>) -> Result<(), Fault> {
    let Sealed { record, link } = sealed.ok_or(Fault::Unreadable)?;
    if !record.continues(scan.next) {
        return Err(Fault::Order);
    }
    if scan.link.is_some_and(|before| record.link(before) != link) {
        return Err(Fault::Chain);
    }
    scan.link = Some(link);
    scan.next = record.numbers().1.next();
    match record {
        Record::Entry(entry) => scan.entries.push(entry),
        Record::Lost(lost) => scan.lost.push(lost),
    }
    Ok(())
}

/// The highest number that may appear in `lines` or before them. `before` is the highest one before
/// them.
fn highest_in_use(before: EntrySeq, mut lines: Lines<'_>) -> EntrySeq {
    let after = |highest: EntrySeq, line| match line::record(line) {
        Some(sealed) => highest.max(sealed.record.numbers().1),
        None => line::readable_number(line).max(highest + line::possible_entries(line)),
    };
    let highest = lines.by_ref().fold(before, after);
    after(highest, lines.remainder())
}

/// Iterates over the finished lines of a byte slice, without their LF.
pub struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lines<'a> {
    /// Starts at the first line.
    pub fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn remainder(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The lines that were not read yet.
    fn rest(&self) -> Self {
        Self::of(self.remainder())
    }

    fn torn(&self) -> Option<Flaw> {
        let bytes = self.remainder().len();
        (bytes > 0).then_some(Flaw::Torn { bytes })
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'\n', rest)?;
        self.at += end + 1;
        Some(&rest[..end])
    }
}
