//! The id of a board's record, which distinguishes its files from those of another record.
//!
//! Every header that this program writes carries the id. The file `record.json` beside the segments
//! says which id is ours: a segment that somebody copies into the directory cannot change that. A
//! directory that is moved as a whole brings its `record.json` along and stays one record.
//!
//! Where the file is missing or damaged, only the chain proves an id. The oldest segment with the
//! id must continue a segment without an id, or the removed games. If all segments have ids, it may
//! also begin a record, and the only id is proved as well.

use std::{
    collections::BTreeMap,
    fmt, fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::Path,
    str::FromStr,
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    DaemonSession,
    chain::ChainLink,
    disk::{self, Disk},
    line::{self, Header, MAX_LINE},
    naming,
    retention::Removed,
    segment::{self, Lines, Segment},
};
use remisd_vocabulary::name::BoardId;

/// The file's name in a board's directory.
pub const FILE: &str = "record.json";
const SCHEMA: &str = "remisd/record/1";
/// Hexadecimal digits of an id.
const DIGITS: usize = 32;

/// The id of a board's record: 128 random bits; in JSON, 32 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct RecordId(u128);

impl RecordId {
    /// Makes the id of a record that has none. The session's id is random and new at each start, so
    /// the record's is as well.
    pub(super) fn make(session: &DaemonSession, board: &BoardId) -> Self {
        let hash = Sha256::new()
            .chain_update(SCHEMA)
            .chain_update(&session.id)
            .chain_update([0])
            .chain_update(board.as_str());
        let hash: [u8; 32] = hash.finalize().into();
        let first = hash.iter().take(DIGITS / 2);
        Self(first.fold(0, |id, &byte| id << 8 | u128::from(byte)))
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0DIGITS$x}", self.0)
    }
}

impl From<RecordId> for String {
    fn from(id: RecordId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for RecordId {
    type Error = NoRecordId;

    fn try_from(text: String) -> Result<Self, NoRecordId> {
        text.parse()
    }
}

/// The text is not the id of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the id of a record has {DIGITS} lower-case hexadecimal digits")]
pub struct NoRecordId;

impl FromStr for RecordId {
    type Err = NoRecordId;

    fn from_str(text: &str) -> Result<Self, NoRecordId> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != DIGITS || !text.bytes().all(is_digit) {
            return Err(NoRecordId);
        }
        let id = u128::from_str_radix(text, 16);
        id.map(Self).map_err(|_| NoRecordId)
    }
}

/// What is known of the id of a board's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Identity {
    /// The id.
    Known(RecordId),
    /// The record has none yet.
    Unmade,
    /// Headers carry ids, or the file is damaged, and nothing proves which id is ours. Nothing is
    /// decided by ids then, and new segments have none.
    Unproved,
}

impl Identity {
    /// The id, if it is known.
    pub const fn id(self) -> Option<RecordId> {
        match self {
            Self::Known(id) => Some(id),
            Self::Unmade | Self::Unproved => None,
        }
    }

    /// Whether a header carries the id of another record.
    pub fn is_other(self, carried: Option<RecordId>) -> bool {
        self.id()
            .zip(carried)
            .is_some_and(|(ours, carried)| ours != carried)
    }
}

/// The identity of a record, and whether its file says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Established {
    pub identity: Identity,
    pub file: OnFile,
}

/// The state of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFile {
    /// It names an id.
    Sound,
    /// It is not there.
    Missing,
    /// It cannot be read, or names no id.
    Damaged,
}

#[derive(Serialize, Deserialize)]
struct Content {
    schema: String,
    id: RecordId,
    board: String,
}

/// The beginning of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub segment: Segment,
    /// The header if it is sound and of this board.
    pub header: Option<Header>,
    /// The id in the header, also if the header's checksum is wrong and the line after it proves
    /// the header.
    pub record: Option<RecordId>,
}

impl Head {
    /// Reads the beginning of a segment. A file that is gone has no header.
    pub fn read(segment: &Segment, board: &BoardId) -> io::Result<Self> {
        let failed = segment::error_of(&segment.path);
        let mut head = Self::unknown(segment.clone());
        let file = match fs::File::open(&segment.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(head),
            Err(error) => return Err(failed(error)),
        };
        let mut file = BufReader::with_capacity(512, file);
        let first = finished_line(&mut file).map_err(&failed)?;
        let Some(first) = first else {
            return Ok(head);
        };
        head.header = naming::header(&first, board);
        head.record = if let Some(header) = &head.header {
            header.record
        } else {
            let second = finished_line(&mut file).map_err(&failed)?;
            proved_header(&first, second.as_deref(), board).and_then(|header| header.record)
        };
        Ok(head)
    }

    /// Reads the beginning of a segment. Of a file that cannot be read nothing is known.
    pub fn read_if_possible(segment: Segment, board: &BoardId) -> Self {
        Self::read(&segment, board).unwrap_or_else(|_| Self::unknown(segment))
    }

    const fn unknown(segment: Segment) -> Self {
        Self {
            segment,
            header: None,
            record: None,
        }
    }

    /// The header, unless a repair has written it.
    fn original(&self) -> Option<&Header> {
        let header = self.header.as_ref();
        header.filter(|header| header.repaired.is_none())
    }

    /// Whether the segment was written before headers had ids.
    fn is_before_ids(&self) -> bool {
        self.original().is_some() && self.record.is_none()
    }

    fn begins_record(&self) -> bool {
        let header = self.original();
        header.is_some_and(|header| header.chain == ChainLink::NONE)
    }

    /// Whether the segment continues the removed games or the segment `before`.
    fn continues(&self, before: Option<&Self>, directory: &Path) -> bool {
        let Some(header) = self.original() else {
            return false;
        };
        let removed = Removed::read(directory).ok().flatten();
        let removed = removed.map(|removed| (removed.next(), removed.chain));
        let before = before.and_then(|before| {
            let bytes = fs::read(&before.segment.path).ok()?;
            let scan = segment::scan_records(&before.segment, &bytes);
            Some((scan.next, scan.link?))
        });
        [removed, before].contains(&Some((header.first_seq, header.chain)))
    }
}

/// The next line without its LF; `None` if it is not finished or too long.
fn finished_line(file: &mut impl io::BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    file.take(MAX_LINE as u64).read_until(b'\n', &mut line)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

/// The id in the damaged header of a segment with these bytes, if the line after it proves the
/// header.
pub fn proved_in(bytes: &[u8], board: &BoardId) -> Option<RecordId> {
    let mut lines = Lines::of(bytes);
    proved_header(lines.next()?, lines.next(), board)?.record
}

/// The header of this board in a first line with a wrong checksum, if the line after it follows from the header.
fn proved_header(first: &[u8], second: Option<&[u8]>, board: &BoardId) -> Option<Header> {
    let json = line::unverified(first)?;
    let after = line::record(second?)?;
    let is_proved = after.record.link(ChainLink::of_header(json)) == after.link;
    is_proved.then(|| naming::header_in(json, board))?
}

/// Determines the id of the record in `directory`, to which the segments of `heads`, in order,
/// belong. What cannot be read proves nothing.
pub fn establish(directory: &Path, heads: &[Head]) -> Established {
    let path = directory.join(FILE);
    let file = match fs::read(&path) {
        Ok(text) => match serde_json::from_slice::<Content>(&text) {
            Ok(Content { id, board, .. }) if is_name(directory, &board) => {
                return Established {
                    identity: confirmed(id, directory, heads),
                    file: OnFile::Sound,
                };
            }
            // That of another board came with a wrong copy.
            Ok(_) | Err(_) => OnFile::Damaged,
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => OnFile::Missing,
        Err(_) => OnFile::Damaged,
    };
    let identity = match proved(directory, heads) {
        // The record had an id, and nothing has it any more.
        Identity::Unmade if file == OnFile::Damaged => Identity::Unproved,
        identity => identity,
    };
    Established { identity, file }
}

/// Whether this is the name of the board whose directory this is.
fn is_name(directory: &Path, board: &str) -> bool {
    directory.file_name().is_some_and(|name| name == board)
}

/// The id in the file, unless no segment has it while the chain proves another one. Then the file
/// may have come from elsewhere, and nothing is certain.
fn confirmed(id: RecordId, directory: &Path, heads: &[Head]) -> Identity {
    let has_id = |head: &Head| head.record == Some(id);
    match proved(directory, heads) {
        Identity::Known(_) if !heads.iter().any(has_id) => Identity::Unproved,
        _ => Identity::Known(id),
    }
}

/// The id that the chain proves.
fn proved(directory: &Path, heads: &[Head]) -> Identity {
    let mut oldest: BTreeMap<RecordId, usize> = BTreeMap::new();
    for (at, head) in heads.iter().enumerate() {
        if let Some(id) = head.record {
            oldest.entry(id).or_insert(at);
        }
    }
    let has_older = heads.iter().any(Head::is_before_ids);
    let is_proved = |at: usize| {
        let before = heads[..at].iter().rev().find(|head| head.is_before_ids());
        // Any first segment begins a record, so one that was copied in must not win alone.
        let begins = !has_older
            && (oldest.len() == 1 || heads[at].begins_record() && is_commonest(heads, at));
        begins || heads[at].continues(before, directory)
    };
    let proved: Vec<RecordId> = (oldest.iter())
        .filter_map(|(id, at)| is_proved(*at).then_some(*id))
        .collect();
    match proved[..] {
        [id] => Identity::Known(id),
        [] if oldest.is_empty() => Identity::Unmade,
        _ => Identity::Unproved,
    }
}

/// Whether more segments have the id of this one than any other id.
fn is_commonest(heads: &[Head], at: usize) -> bool {
    let count = |id: RecordId| (heads.iter().filter(|head| head.record == Some(id))).count();
    let Some(id) = heads[at].record else {
        return false;
    };
    let others = heads.iter().filter_map(|head| head.record);
    let mut others = others.filter(|other| *other != id);
    others.all(|other| count(other) < count(id))
}

/// Writes the file. A damaged one is set aside.
pub fn store(directory: &Path, id: RecordId, file: OnFile, disk: &dyn Disk) -> io::Result<()> {
    if file == OnFile::Damaged {
        match naming::set_aside(&directory.join(FILE), naming::DAMAGED) {
            // An attempt before this one has set it aside.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            done => drop(done?),
        }
    }
    let content = Content {
        schema: SCHEMA.to_owned(),
        id,
        board: (directory.file_name().unwrap_or_default().to_string_lossy()).into_owned(),
    };
    disk::replace(disk, directory, FILE, &serde_json::to_vec(&content)?)
}
