//! Files of the same board that belong to another record.
//!
//! A file from another computer, or from an older backup, may have this board's name, a sound
//! header and a number that no other file has. Its header does not name the last link of the file
//! before. That alone proves nothing, because a lost file looks the same. [`find`] therefore looks
//! for more, and leaves a file alone that may be our own.

use std::{fs, io, path::Path};

use remisd_vocabulary::name::BoardId;

use super::{
    chain::Link,
    line::{self, Header},
    retention::Removed,
    segment::{self, Lines, Segment},
};

/// The newest files, which are compared with each other.
const NEWEST: usize = 16;

/// Returns those of the newest files that do not belong to the record of `segments`, in order.
///
/// A file that the chain passes by is foreign: a later file continues an earlier one. So is one at
/// the end behind a sound file that it does not continue, if another session has written it, and if
/// no entry is known to have been issued behind the sound file. In addition one of these must hold:
/// its number was used in the sound file or follows on it; or entries of the sound file were
/// confirmed, so that a later one would have been as well; or it continues a foreign file.
///
/// Numbers up to `given` are known to have been issued; 0 if nothing is known.
pub fn find(
    directory: &Path,
    board: &BoardId,
    segments: &[Segment],
    given: u64,
) -> io::Result<Vec<Segment>> {
    let (before, newest) = segments.split_at(segments.len().saturating_sub(NEWEST));
    let mut parts = Vec::new();
    for (at, segment) in newest.iter().enumerate() {
        match Part::read(segment, board)? {
            Some(part) => parts.push(part),
            // Nothing was recorded in the newest file yet, or the recovery refuses it.
            None if at + 1 == newest.len() => {}
            None => return Ok(Vec::new()),
        }
    }
    let mut parts = parts.into_iter();
    let Some(oldest) = parts.next() else {
        return Ok(Vec::new());
    };
    let is_ours = match before.last() {
        Some(before) => Part::read(before, board)?.is_some_and(|before| oldest.continues(&before)),
        None => oldest.begins_record(directory),
    };
    if !is_ours {
        return Ok(Vec::new());
    }
    let (mut last, mut foreign, mut unknown) = (oldest, Vec::new(), Vec::new());
    for part in parts {
        if part.continues(&last) {
            foreign.append(&mut unknown);
            last = part;
        } else {
            unknown.push(part);
        }
    }
    if !unknown.is_empty() && given < last.next && last.is_sound()? {
        let is_confirmed = given >= last.segment.first;
        for part in unknown {
            let is_by_us = part.header.session == last.header.session;
            let is_foreign = is_confirmed
                || part.segment.first <= last.next
                || foreign.iter().any(|other| part.continues(other));
            if is_foreign && !is_by_us {
                foreign.push(part);
            }
        }
    }
    Ok(foreign.into_iter().map(|part| part.segment).collect())
}

/// What joins a file to the others.
struct Part {
    segment: Segment,
    header: Header,
    /// The link of its last line; `None` if that cannot be read.
    link: Option<Link>,
    /// The number after its last.
    next: u64,
}

impl Part {
    /// Reads a file; `None` if it has no sound header of this board, or holds no record.
    fn read(segment: &Segment, board: &BoardId) -> io::Result<Option<Self>> {
        let bytes = match fs::read(&segment.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(segment::error_of(&segment.path)(error)),
        };
        let mut lines = Lines::of(&bytes);
        let header = lines.next().and_then(segment::sound_header);
        let header = header.filter(|header| header.is_of(board));
        let Some((header, last)) = header.zip(lines.last()) else {
            return Ok(None);
        };
        let last = line::record(last).filter(|_| bytes.ends_with(b"\n"));
        let next = last.as_ref().map_or(segment.first, |last| {
            last.record.numbers().1.saturating_add(1)
        });
        Ok(Some(Self {
            segment: segment.clone(),
            header,
            link: last.map(|last| last.link),
            next,
        }))
    }

    fn continues(&self, before: &Self) -> bool {
        before.link == Some(self.header.chain) && before.next == self.segment.first
    }

    /// Whether no file was before it, or those before it have been removed after their time.
    fn begins_record(&self, directory: &Path) -> bool {
        match Removed::read(directory) {
            Ok(Some(removed)) => {
                removed.next() == self.segment.first && removed.chain == self.header.chain
            }
            Ok(None) => self.header.chain == Link::NONE,
            Err(_) => false,
        }
    }

    /// Whether each line follows on the one before.
    fn is_sound(&self) -> io::Result<bool> {
        let bytes = fs::read(&self.segment.path)?;
        let scan = segment::scan_records(&self.segment, &bytes);
        Ok(scan.header.is_some() && scan.flaw.is_none())
    }
}
