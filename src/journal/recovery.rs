//! Repairs a board's record, however the last run ended.
//!
//! Three rules hold. No acknowledged data is thrown away: an invalid file is set aside, not
//! overwritten. No repair goes unreported. No number is assigned twice.

mod damaged;
mod names;
mod repair;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::Path,
    sync::Arc,
};

use self::damaged::DamagedSegment;
pub use self::repair::Repair;
use super::{
    Entry, JournalError, RetiredNumbers, Sessions,
    chain::ChainLink,
    contradiction::Contradiction,
    disk::{self, Disk},
    identity::{Established, Identity},
    line::{self, Header, Record},
    missing::Missing,
    naming::{self, OtherRecord},
    raw,
    retention::Removed,
    segment::{self, Flaw, Scan, Segment},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// The content of a board's recovered record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovered {
    /// The entries of the newest segment that has any.
    pub entries: Vec<Entry>,
    /// The highest number ever used; 0 for a new board.
    pub last_seq: EntrySeq,
    /// The numbers of the newest segment that this or an earlier repair retired.
    pub lost: Vec<RetiredNumbers>,
    /// The repairs made now, in order.
    pub repairs: Vec<Repair>,
    /// The files that contradict others, in order; `None` if that is not known. Nothing is done
    /// about them.
    pub contradictions: Option<Vec<Contradiction>>,
    /// The files of another record that lie beside this one, set aside now or earlier, in order.
    pub other_record: Vec<OtherRecord>,
    /// What is missing after older segments, in order. Nothing repairs that.
    pub missing: Vec<Missing>,
    /// The numbers that repairs have retired in older segments, in order.
    pub retired: Vec<Missing>,
    /// The earlier sessions of this boot.
    pub sessions: Arc<Sessions>,
}

/// A valid segment to append to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// The file.
    pub segment: Segment,
    /// Its length in bytes.
    pub length: u64,
    /// The link of its last line.
    pub link: ChainLink,
}

/// A board's record after its recovery.
pub struct Mended {
    /// What was found.
    pub found: Recovered,
    /// The newest segment, if there is any.
    pub sound: Option<Sound>,
    /// The id of the record.
    pub established: Established,
}

/// Repairs a board's record in `directory` and reads it.
///
/// `header` creates the header of a segment from its first number and the previous link, without
/// the record's id. Numbers up to `given` are known to have been used, whatever the segments
/// contain.
pub fn recover(
    directory: &Path,
    board: &BoardId,
    disk: &dyn Disk,
    header: &dyn Fn(EntrySeq, ChainLink) -> Header,
    given: EntrySeq,
) -> Result<Mended, JournalError> {
    let mut surgeon = Surgeon {
        directory,
        disk,
        header,
        identity: Identity::Unmade,
    };
    let mut found = Recovered::default();
    let established = surgeon.restore_names(board, &mut found)?;
    surgeon.identity = established.identity;
    let sound = surgeon.mend_newest(board, given, &mut found)?;
    Ok(Mended {
        found,
        sound,
        established,
    })
}

/// The numbers missing between the end of the record and the last assigned number.
fn cut_off(found: &Recovered, given: EntrySeq, file: String) -> RetiredNumbers {
    RetiredNumbers {
        from: found.last_seq.next(),
        to: given,
        file,
        cause: None,
    }
}

struct Surgeon<'a> {
    directory: &'a Path,
    disk: &'a dyn Disk,
    header: &'a dyn Fn(EntrySeq, ChainLink) -> Header,
    /// The id of the record; unmade until the names are restored.
    identity: Identity,
}

impl Surgeon<'_> {
    /// Repairs the newest segment that holds a record, and removes blank ones after it.
    fn mend_newest(
        &self,
        board: &BoardId,
        given: EntrySeq,
        found: &mut Recovered,
    ) -> Result<Option<Sound>, JournalError> {
        let read = |error| JournalError::io("read", self.directory, error);
        let given = self.known_elsewhere(board).map_err(read)?.max(given);
        let given = given.min(line::HIGHEST_BELIEVED);
        let mut segments = segment::list(self.directory).map_err(read)?;
        let mut blanks = Vec::new();
        while let Some(segment) = segments.pop() {
            let bytes = fs::read(&segment.path)
                .map_err(|error| JournalError::io("read", &segment.path, error))?;
            let scan = segment::scan(&segment, board, &bytes)?;
            if scan.is_blank() {
                blanks.push((segment, scan));
                continue;
            }
            let mut sound = self.mend(board, segment, &segments, &bytes, &scan, found)?;
            if let Some((newest, _)) = blanks.first()
                && newest.first > found.last_seq.next()
            {
                let lost = RetiredNumbers {
                    from: found.last_seq.next(),
                    to: newest.first.previous(),
                    file: newest.file_name(),
                    cause: None,
                };
                self.take_out_of_use(&lost, &mut sound, found)?;
                found.repairs.push(Repair::Missing { lost });
            }
            self.remove(&blanks, found)?;
            if given > found.last_seq {
                let lost = cut_off(found, given, sound.segment.file_name());
                self.take_out_of_use(&lost, &mut sound, found)?;
                found.repairs.push(Repair::CutOff { lost });
            }
            return Ok(Some(sound));
        }
        let mut sound = self.only_blanks(blanks, found)?;
        if sound.is_none() {
            // `verify` reports a note that cannot be read.
            let removed = Removed::read(self.directory).ok().flatten();
            let through = removed.map_or(EntrySeq::ZERO, |removed| removed.through);
            found.last_seq = through.min(line::HIGHEST_BELIEVED);
        }
        if given > found.last_seq {
            let file = match &sound {
                Some(sound) => sound.segment.file_name(),
                None => Segment::of(self.directory, found.last_seq.next()).file_name(),
            };
            let lost = cut_off(found, given, file);
            if let Some(sound) = &mut sound {
                self.take_out_of_use(&lost, sound, found)?;
            } else {
                found.last_seq = given;
                found.lost.push(lost.clone());
            }
            found.repairs.push(Repair::CutOff { lost });
        }
        Ok(sound)
    }

    /// The highest number known from other files. Each raw file is named after a segment. Files that
    /// were set aside, and files whose names are numbers but not those of segments, are no part of
    /// the record, but no number in them is given again.
    fn known_elsewhere(&self, board: &BoardId) -> io::Result<EntrySeq> {
        let raw = raw::files(self.directory)?.into_iter();
        let raw = raw.map(|file| file.segment);
        let beside = naming::beside_record(self.directory)?;
        let beside = beside.iter();
        let beside = beside.map(|path| naming::last_number(path, board, self.identity));
        Ok(raw.chain(beside).max().unwrap_or_default())
    }

    /// Repairs one segment and takes over its content.
    fn mend(
        &self,
        board: &BoardId,
        segment: Segment,
        earlier: &[Segment],
        bytes: &[u8],
        scan: &Scan,
        found: &mut Recovered,
    ) -> Result<Sound, JournalError> {
        found.last_seq = scan.next.previous();
        found.lost.extend(scan.lost.iter().cloned());
        let damage = match scan.flaw {
            _ if scan.header.is_none() => Some(1),
            Some(Flaw::Damage { line, .. }) => Some(line),
            _ => None,
        };
        let mut entries = scan.entries.clone();
        let (length, link) = if let Some(line) = damage {
            let kept = DamagedSegment {
                board,
                earlier,
                bytes,
                scan,
            };
            entries.extend(scan.behind.iter().filter_map(|record| match record {
                Record::Entry(entry) => Some(entry.clone()),
                Record::Lost(_) => None,
            }));
            self.replace(&segment, &kept, line, found)?
        } else {
            if let Some(Flaw::Torn { bytes }) = scan.flaw {
                self.cut(&segment, scan.good_end)?;
                found.repairs.push(Repair::TornTail {
                    file: segment.path.clone(),
                    bytes,
                });
            }
            self.make_durable(&segment)?;
            (scan.good_end, scan.link.unwrap_or(ChainLink::NONE))
        };
        found.entries = entries;
        let length = length as u64;
        Ok(Sound {
            segment,
            length,
            link,
        })
    }

    /// Syncs the file and its name. What was read now counts as recorded, but its writer may have
    /// been killed before the disk had it.
    fn make_durable(&self, segment: &Segment) -> Result<(), JournalError> {
        let sync = || {
            self.disk.sync_all(&File::open(&segment.path)?)?;
            self.disk.sync_directory(self.directory)
        };
        sync().map_err(|error| JournalError::io("sync", &segment.path, error))
    }

    fn cut(&self, segment: &Segment, length: usize) -> Result<(), JournalError> {
        let cut = || -> io::Result<()> {
            let file = OpenOptions::new().write(true).open(&segment.path)?;
            file.set_len(length as u64)?;
            self.disk.sync_all(&file)
        };
        cut().map_err(|error| JournalError::io("repair", &segment.path, error))
    }

    /// Replaces a whole segment atomically, even across a power failure.
    fn put(&self, segment: &Segment, bytes: &[u8]) -> io::Result<()> {
        disk::replace(self.disk, self.directory, &segment.file_name(), bytes)
    }

    /// Appends a line that retires numbers.
    fn take_out_of_use(
        &self,
        lost: &RetiredNumbers,
        sound: &mut Sound,
        found: &mut Recovered,
    ) -> Result<(), JournalError> {
        let failed = |error| JournalError::io("repair", &sound.segment.path, error);
        let mut bytes = Vec::new();
        let link = line::encode_lost(lost, sound.link, &mut bytes)
            .map_err(|error| failed(error.into()))?;
        let append = || -> io::Result<()> {
            let mut file = OpenOptions::new().append(true).open(&sound.segment.path)?;
            file.write_all(&bytes)?;
            self.disk.sync_all(&file)
        };
        append().map_err(failed)?;
        sound.length += bytes.len() as u64;
        sound.link = link;
        found.last_seq = lost.to;
        found.lost.push(lost.clone());
        Ok(())
    }

    fn remove(
        &self,
        blanks: &[(Segment, Scan)],
        found: &mut Recovered,
    ) -> Result<(), JournalError> {
        for (segment, _) in blanks {
            fs::remove_file(&segment.path)
                .and_then(|()| self.disk.sync_directory(self.directory))
                .map_err(|error| JournalError::io("remove", &segment.path, error))?;
            found.repairs.push(Repair::Blank {
                file: segment.path.clone(),
            });
        }
        Ok(())
    }

    /// Handles a board whose files hold no record. The newest file is kept if only its name shows
    /// that numbers were in use.
    fn only_blanks(
        &self,
        mut blanks: Vec<(Segment, Scan)>,
        found: &mut Recovered,
    ) -> Result<Option<Sound>, JournalError> {
        if blanks
            .first()
            .is_none_or(|(newest, _)| newest.first <= EntrySeq::new(1))
        {
            self.remove(&blanks, found)?;
            return Ok(None);
        }
        let (newest, scan) = blanks.remove(0);
        found.last_seq = newest.first.previous();
        let sealed = scan.link.filter(|_| scan.flaw.is_none());
        let (length, link) = if let Some(link) = sealed {
            self.make_durable(&newest)?;
            (scan.good_end, link)
        } else {
            let failed = |error| JournalError::io("repair", &newest.path, error);
            let mut bytes = Vec::new();
            let before = self.link_before(&newest, &[]).map_err(failed)?;
            let mut header = (self.header)(newest.first, before);
            header.record = self.identity.id();
            let link = encode_header(&header, &mut bytes).map_err(failed)?;
            self.put(&newest, &bytes).map_err(failed)?;
            found.repairs.push(Repair::Blank {
                file: newest.path.clone(),
            });
            (bytes.len(), link)
        };
        self.remove(&blanks, found)?;
        Ok(Some(Sound {
            segment: newest,
            length: length as u64,
            link,
        }))
    }
}

/// Appends the line of a header to `out` and returns the header's link.
pub fn encode_header(header: &Header, out: &mut Vec<u8>) -> io::Result<ChainLink> {
    let json = serde_json::to_vec(header)?;
    line::encode(&json, out);
    Ok(ChainLink::of_header(&json))
}
