//! What older segments lack. Nothing repairs that, but an alert must report it.
//!
//! A start of the daemon reads the newest segment only. Of the older ones it reads the ends, and
//! all of those that a repair has set aside, so that a loss is known again at each start.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use super::{
    RetiredNumbers,
    line::{self, Record},
    naming::{self, DAMAGED},
    raw,
    segment::{self, Lines, Segment},
};
use remisd_vocabulary::seq::EntrySeq;

/// Bytes at the end of an older segment that are searched first for its last number.
const TAIL: u64 = 16 << 10;

/// Numbers without entries in an older segment or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// The first number.
    pub from: EntrySeq,
    /// The last number.
    pub to: EntrySeq,
    /// The number with which the segment begins that they belong to or follow.
    pub segment: EntrySeq,
    /// What is left of that segment.
    pub left: SegmentRemains,
}

/// What is left of a segment of which numbers are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentRemains {
    /// Its beginning: it ends within a line.
    Part,
    /// Nothing: its file is empty, only its raw data is there, or a repair could save nothing.
    Nothing,
    /// Its end is missing, or files after it are.
    Unknown,
    /// Entries before the missing ones, and entries after them.
    Around,
}

/// What the older segments of a directory lack, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Older {
    /// Numbers that no file contains.
    pub missing: Vec<Missing>,
    /// Numbers that repairs have retired.
    pub retired: Vec<Missing>,
}

/// Searches the older segments of a directory. `verify` finds any other defect.
pub fn in_older(directory: &Path) -> io::Result<Older> {
    let segments = segment::list(directory)?;
    let raw = raw::files(directory)?;
    let repaired = repaired(directory)?;
    let mut older = Older::default();
    for (segment, next) in segments.iter().zip(segments.iter().skip(1)) {
        let end = match SegmentEnd::of(segment, repaired.contains(&segment.file_name())) {
            Ok(end) => end,
            Err(error) => {
                let file = segment.path.display();
                tracing::warn!(%error, "{file} cannot be read: what it has lost is unknown");
                continue;
            }
        };
        older.retired.extend(end.retired(segment));
        let from = (end.last()).map_or(segment.first, EntrySeq::next);
        if from >= next.first {
            continue;
        }
        let had_own_file = raw.iter().any(|file| file.segment == from);
        let (segment, left) = match end.last() {
            Some(_) if had_own_file => (from, SegmentRemains::Nothing),
            Some(_) if end.is_torn => (segment.first, SegmentRemains::Part),
            Some(_) => (segment.first, SegmentRemains::Unknown),
            None => (segment.first, SegmentRemains::Nothing),
        };
        older.missing.push(Missing {
            from,
            to: next.first.previous(),
            segment,
            left,
        });
    }
    Ok(older)
}

/// The names of the segments whose damaged form lies beside them.
fn repaired(directory: &Path) -> io::Result<Vec<String>> {
    let aside = format!(".{DAMAGED}");
    let mut names = Vec::new();
    for file in naming::files(directory)? {
        let name = file?.file_name();
        if let Some((segment, _)) = name.to_str().and_then(|name| name.split_once(&aside)) {
            names.push(segment.to_owned());
        }
    }
    Ok(names)
}

/// The records at the end of a segment.
struct SegmentEnd {
    records: Vec<Record>,
    /// The segment has nothing before them.
    is_all: bool,
    /// The segment ends within a line.
    is_torn: bool,
}

impl SegmentEnd {
    /// Reads the end of a segment, or all of it if that is wanted or the end holds no record.
    fn of(segment: &Segment, all: bool) -> io::Result<Self> {
        let mut file = File::open(&segment.path)?;
        let length = file.metadata()?.len();
        let begin = if all { 0 } else { length.saturating_sub(TAIL) };
        file.seek(SeekFrom::Start(begin))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        let records = Lines::of(&tail).filter_map(line::record);
        let records: Vec<Record> = records.map(|sealed| sealed.record).collect();
        if records.is_empty() && begin > 0 {
            return Self::of(segment, true);
        }
        Ok(Self {
            records,
            is_all: begin == 0,
            is_torn: tail.last().is_some_and(|&byte| byte != b'\n'),
        })
    }

    fn last(&self) -> Option<EntrySeq> {
        self.records.iter().map(|record| record.numbers().1).max()
    }

    fn retired(&self, segment: &Segment) -> Vec<Missing> {
        let entries = self.records.iter().filter_map(|record| match record {
            Record::Entry(entry) => Some(entry.seq),
            Record::Lost(_) => None,
        });
        let last_entry = entries.max();
        let lost = self.records.iter().filter_map(|record| match record {
            Record::Lost(RetiredNumbers {
                from,
                to,
                cause: None,
                ..
            }) => Some((*from, *to)),
            Record::Lost(_) | Record::Entry(_) => None,
        });
        let missing = lost.map(|(from, to)| Missing {
            from,
            to,
            segment: segment.first,
            left: match last_entry {
                Some(entry) if entry > to => SegmentRemains::Around,
                None if self.is_all => SegmentRemains::Nothing,
                _ => SegmentRemains::Unknown,
            },
        });
        missing.collect()
    }
}
