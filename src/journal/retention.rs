//! Removes games beyond their retention time and notes the removal beside the rest.
//!
//! Only whole segments are removed, oldest first, so the rest remains one unbroken chain. The note
//! (`removed.json`) is on the disk before the first file is removed. Its link is the one that the
//! oldest remaining header names.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    ChainLink, Entry, JournalError,
    disk::{self, Disk},
    identity,
    naming::DAMAGED,
    raw,
    segment::{self, Flaw, Scan, Segment},
};
use remisd_vocabulary::{
    name::BoardId,
    seq::EntrySeq,
    time::{SET_CLOCK_MS, rfc3339},
};

/// The note's name in a board's directory.
const NOTE: &str = "removed.json";
const SCHEMA: &str = "remisd/removed/1";

/// The sum of what was removed from a board's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    schema: String,
    /// The last removed number.
    pub through: EntrySeq,
    /// The link of the last removed line.
    pub chain: ChainLink,
    /// When the removal was decided: RFC 3339, UTC.
    pub time: String,
}

/// The result of a search for expired games.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Retained {
    /// The segments that were removed.
    pub removed: Vec<PathBuf>,
    /// Expired files that were kept, and why; someone must examine them.
    pub kept: Vec<(PathBuf, &'static str)>,
}

impl Removed {
    /// Reads the note in a board's directory.
    ///
    /// # Errors
    ///
    /// The note cannot be read or parsed.
    pub(super) fn read(directory: &Path) -> Result<Option<Self>, JournalError> {
        let path = directory.join(NOTE);
        let failed = |error| JournalError::io("read", &path, error);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| failed(error.into()))
    }

    /// The expected number of the oldest remaining entry.
    pub fn next(&self) -> EntrySeq {
        // The file may contain anything, so do not overflow.
        self.through.next()
    }

    fn write(&self, directory: &Path, disk: &dyn Disk) -> io::Result<()> {
        disk::replace(disk, directory, NOTE, &serde_json::to_vec(self)?)
    }
}

/// Which part of a board's record may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expired {
    /// Games that ended before this time may be removed.
    pub before: Timestamp,
    /// The current time.
    pub now: Timestamp,
    /// The last entry that the broker has acknowledged; `None` if nothing was ever published.
    pub confirmed: Option<EntrySeq>,
}

/// Removes a board's segments whose last entry is older than `expired.before`.
///
/// The newest segment stays whatever it contains. So do the segment that begins with `growing`, and
/// everything after a damaged segment.
pub fn remove_older(
    directory: &Path,
    board: &BoardId,
    expired: &Expired,
    growing: Option<EntrySeq>,
    disk: &dyn Disk,
) -> Result<Retained, JournalError> {
    let mut retained = Retained::default();
    let mut old = Vec::new();
    for aged in aged(directory, board)? {
        if growing.is_some_and(|growing| aged.segment.first >= growing) {
            break;
        }
        match aged.why_it_stays(expired) {
            RetentionDecision::No => old.push(aged),
            RetentionDecision::Young => break,
            RetentionDecision::Because(why) => {
                retained.kept.push((aged.segment.path, why));
                break;
            }
        }
    }
    let Some(last) = old.last() else {
        return Ok(retained);
    };
    let note = Removed {
        schema: SCHEMA.to_owned(),
        through: last.through,
        chain: last.link,
        time: rfc3339(expired.now),
    };
    note.write(directory, disk)
        .map_err(|error| JournalError::io("write", &directory.join(NOTE), error))?;
    for aged in &old {
        remove(directory, &aged.segment, &mut retained)?;
    }
    disk.sync_directory(directory)
        .map_err(|error| JournalError::io("write", directory, error))?;
    Ok(retained)
}

/// Removes a segment after its raw data.
fn remove(
    directory: &Path,
    segment: &Segment,
    retained: &mut Retained,
) -> Result<(), JournalError> {
    let raw = raw::files(directory).map_err(|error| JournalError::io("read", directory, error))?;
    let raw = raw.into_iter().filter(|file| file.segment == segment.first);
    for path in raw.map(|file| file.path).chain([segment.path.clone()]) {
        fs::remove_file(&path).map_err(|error| JournalError::io("remove", &path, error))?;
    }
    let aside = format!("{}.{DAMAGED}", segment.file_name());
    let files =
        fs::read_dir(directory).map_err(|error| JournalError::io("read", directory, error))?;
    for file in files.filter_map(Result::ok) {
        if file.file_name().to_string_lossy().starts_with(&aside) {
            let why = "it was set aside by a repair: remove it by hand";
            retained.kept.push((file.path(), why));
        }
    }
    retained.removed.push(segment.path.clone());
    Ok(())
}

/// A segment, and when its game ended.
struct Aged {
    segment: Segment,
    /// Its last number.
    through: EntrySeq,
    /// The link of its last line.
    link: ChainLink,
    /// `None` if the date is unknown.
    ended: Option<Timestamp>,
    unsound: Option<&'static str>,
}

/// Whether a segment stays, and why.
enum RetentionDecision {
    No,
    /// It has not expired.
    Young,
    /// Someone must examine it.
    Because(&'static str),
}

impl Aged {
    fn why_it_stays(&self, expired: &Expired) -> RetentionDecision {
        let Some(ended) = self.ended else {
            let why = "its time is unknown: the computer's clock was not set";
            return RetentionDecision::Because(why);
        };
        if ended > expired.now {
            return RetentionDecision::Because(
                "its date is in the future: the computer's clock was, or is, wrong",
            );
        }
        if ended >= expired.before {
            return RetentionDecision::Young;
        }
        if expired
            .confirmed
            .is_some_and(|confirmed| confirmed < self.through)
        {
            return RetentionDecision::Because("the broker has not received all of it");
        }
        self.unsound
            .map_or(RetentionDecision::No, RetentionDecision::Because)
    }
}

/// Returns the segments, oldest first, except the newest one with entries and any after it.
///
/// A computer without a battery-backed clock may start with a wrong date and learn the right one in
/// a later game, or only after its next start. Times are therefore corrected backwards from the
/// newest entry. Within a session, the monotonic clock gives the distance to the next entry.
/// Between sessions the distance is unknown, so an entry counts as no older than the next session's
/// first.
fn aged(directory: &Path, board: &BoardId) -> Result<Vec<Aged>, JournalError> {
    let mut segments =
        segment::list(directory).map_err(|error| JournalError::io("read", directory, error))?;
    // A file of another record may have come since the start.
    let identity = identity::establish(directory, &[]).identity;
    let mut newest = true;
    let mut after = None;
    let mut aged = Vec::new();
    while let Some(segment) = segments.pop() {
        let bytes = fs::read(&segment.path)
            .map_err(|error| JournalError::io("read", &segment.path, error))?;
        let scan = segment::scan(&segment, board, &bytes)?;
        let carried = scan.header.as_ref().and_then(|header| header.record);
        if identity.is_other(carried) {
            continue;
        }
        let moments = scan.entries.iter().rev().filter_map(moment_of);
        let mut ended = None;
        for mut moment in moments {
            moment.correct(after.as_ref());
            ended = ended.or(Some(moment.time));
            after = Some(moment);
        }
        let ended = ended
            .or_else(|| scan.header.as_ref()?.created.parse().ok())
            .filter(|ended| ended.as_millisecond() >= SET_CLOCK_MS);
        if !newest {
            aged.push(Aged {
                unsound: unsound(&scan),
                through: scan.next.previous(),
                link: scan.link.unwrap_or(ChainLink::NONE),
                segment,
                ended,
            });
        } else if !scan.entries.is_empty() {
            newest = false;
        }
    }
    aged.reverse();
    Ok(aged)
}

/// The times in an entry, common to all entries of the daemon.
#[derive(Deserialize)]
struct EntryTimes {
    time: Timestamp,
    monotonic_ms: Option<u64>,
    session: Option<String>,
}

fn moment_of(entry: &Entry) -> Option<EntryTimes> {
    serde_json::from_slice(&entry.body).ok()
}

impl EntryTimes {
    /// Corrects the date by that of the next entry.
    fn correct(&mut self, next: Option<&Self>) {
        let Some(next) = next else {
            return;
        };
        if self.session != next.session {
            self.time = self.time.max(next.time);
            return;
        }
        let passed = || {
            let passed = next.monotonic_ms?.checked_sub(self.monotonic_ms?)?;
            let passed = SignedDuration::from_millis(i64::try_from(passed).ok()?);
            next.time.checked_sub(passed).ok()
        };
        self.time = passed().map_or(self.time, |time| time.max(self.time));
    }
}

/// Why an expired segment is not removed.
const fn unsound(scan: &Scan) -> Option<&'static str> {
    match scan.flaw {
        Some(Flaw::Damage { .. }) => Some("a line of it is damaged"),
        Some(Flaw::Torn { .. }) => Some("its last line is not whole"),
        None if scan.header.is_none() => Some("its header is damaged"),
        None => None,
    }
}
