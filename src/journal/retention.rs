//! Removes games that are older than somebody wants to keep, and says so beside what stays.
//!
//! Only whole segments go, the oldest first, so that what stays is one unbroken chain. The note
//! of what has gone (`removed.json`) is on the disk before the first file goes; its link
//! is the one that the oldest header names.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::{
    Entry, FILE_MODE, JournalError, Link,
    disk::Disk,
    raw,
    segment::{self, Flaw, Scan, Segment},
};
use remisd_vocabulary::{
    name::BoardId,
    time::{SET_CLOCK_MS, rfc3339},
};

/// The note's name in a board's directory.
const NOTE: &str = "removed.json";
const SCHEMA: &str = "remisd/removed/1";

/// What has been removed from a board's record, all in all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    schema: String,
    /// The last number that has gone.
    pub through: u64,
    /// The link of the last line that has gone.
    pub chain: Link,
    /// When that was decided: RFC 3339, UTC.
    pub time: String,
}

/// What a look for old games has done.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Retained {
    /// The segments that were removed.
    pub removed: Vec<PathBuf>,
    /// What is old enough and stays, and why: somebody has to look at it.
    pub kept: Vec<(PathBuf, &'static str)>,
}

impl Removed {
    /// The note in a board's directory.
    ///
    /// # Errors
    ///
    /// A note that cannot be read or understood.
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

    /// The number that the oldest entry should have that is left.
    pub fn next(&self) -> u64 {
        // Anybody may have written into the file.
        self.through.saturating_add(1)
    }

    fn write(&self, directory: &Path, disk: &dyn Disk) -> io::Result<()> {
        let draft = directory.join(format!("{NOTE}.draft"));
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(FILE_MODE)
            .open(&draft)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        disk.sync_all(&file)?;
        fs::rename(&draft, directory.join(NOTE))?;
        disk.sync_directory(directory)
    }
}

/// What may be removed of a board's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expired {
    /// Games that ended earlier.
    pub before: Timestamp,
    /// The time that it is now.
    pub now: Timestamp,
    /// Up to which entry everybody has been told everything; `None` where nobody ever
    /// was.
    pub told: Option<u64>,
}

/// Removes the segments of a board whose last entry came before `expired.before`. The newest one
/// stays, whatever is in it, and so does the one that begins with `growing`, and everything
/// behind one that is not sound.
pub fn remove_older(
    directory: &Path,
    board: &BoardId,
    expired: &Expired,
    growing: Option<u64>,
    disk: &dyn Disk,
) -> Result<Retained, JournalError> {
    let mut retained = Retained::default();
    let mut old = Vec::new();
    for aged in aged(directory, board)? {
        if growing.is_some_and(|growing| aged.segment.first >= growing) {
            break;
        }
        match aged.why_it_stays(expired) {
            Stays::No => old.push(aged),
            Stays::Young => break,
            Stays::Because(why) => {
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

/// Removes a segment and its raw data, these first.
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
    let aside = format!("{}.damaged", segment.file_name());
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
    through: u64,
    /// The link of its last line.
    link: Link,
    /// `None` where nothing tells it.
    ended: Option<Timestamp>,
    unsound: Option<&'static str>,
}

/// Whether a segment stays.
enum Stays {
    No,
    /// Its time has not come.
    Young,
    /// Somebody has to look at it.
    Because(&'static str),
}

impl Aged {
    fn why_it_stays(&self, expired: &Expired) -> Stays {
        let Some(ended) = self.ended else {
            let why = "nothing tells when it was: the computer's clock was not set";
            return Stays::Because(why);
        };
        if ended > expired.now {
            return Stays::Because(
                "its date is in the future: the computer's clock was, or is, wrong",
            );
        }
        if ended >= expired.before {
            return Stays::Young;
        }
        if expired.told.is_some_and(|told| told < self.through) {
            return Stays::Because("the broker has not been told all of it");
        }
        self.unsound.map_or(Stays::No, Stays::Because)
    }
}

/// The segments but the newest that holds anything, which always stays; the oldest first.
///
/// A computer without a battery for its clock may have begun with a wrong date, and learned
/// the right one in a later game or only at its next start. So times are read from the newest
/// entry backwards: what came so many milliseconds before an entry of the same start came so
/// long before its time, and how long ago another start was, nobody can know better than that
/// it was before the one that followed.
fn aged(directory: &Path, board: &BoardId) -> Result<Vec<Aged>, JournalError> {
    let mut segments =
        segment::list(directory).map_err(|error| JournalError::io("read", directory, error))?;
    let mut newest = true;
    let mut after = None;
    let mut aged = Vec::new();
    while let Some(segment) = segments.pop() {
        let bytes = fs::read(&segment.path)
            .map_err(|error| JournalError::io("read", &segment.path, error))?;
        let scan = segment::scan(&segment, board, &bytes)?;
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
                through: scan.next.saturating_sub(1),
                link: scan.link.unwrap_or(Link::NONE),
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

/// The times that stand in an entry, as all entries of the daemon have them.
#[derive(Deserialize)]
struct Moment {
    time: Timestamp,
    monotonic_ms: Option<u64>,
    session: Option<String>,
}

fn moment_of(entry: &Entry) -> Option<Moment> {
    serde_json::from_slice(&entry.body).ok()
}

impl Moment {
    /// Believes the entry that came next in what day it was.
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

/// Why a segment is not removed although it is old.
const fn unsound(scan: &Scan) -> Option<&'static str> {
    match scan.flaw {
        Some(Flaw::Damage { .. }) => Some("a line of it is damaged"),
        Some(Flaw::Torn { .. }) => Some("its last line is not whole"),
        None if scan.header.is_none() => Some("its header is damaged"),
        None => None,
    }
}
