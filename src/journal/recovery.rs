//! Repairs a board's record, however the last run ended.
//!
//! Three rules hold. No acknowledged data is thrown away: an invalid file is set aside, not
//! overwritten. No repair goes unreported. No number is assigned twice.

use std::{
    fmt, fs,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::{
    Entry, JournalError, Lost,
    chain::Link,
    contradiction::Contradiction,
    disk::{self, Disk},
    identity::{self, Established, Identity},
    line::{self, Header, Record},
    missing::Missing,
    naming::{self, Misnamed, Misnaming, OtherRecord, file_name},
    raw,
    retention::Removed,
    segment::{self, Flaw, Scan, Segment},
};
use remisd_vocabulary::name::BoardId;

/// The highest number that another file is believed to state. The record can continue after it.
const HIGHEST: u64 = line::HIGHEST / 2;

/// The content of a board's recovered record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovered {
    /// The entries of the newest segment that has any.
    pub entries: Vec<Entry>,
    /// The highest number ever used; 0 for a new board.
    pub last_seq: u64,
    /// The numbers of the newest segment that this or an earlier repair retired.
    pub lost: Vec<Lost>,
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
}

/// A repair. Its text is for the log and the arbiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The last line was unfinished and was cut off. It had not been acknowledged.
    TornTail {
        /// The file.
        file: PathBuf,
        /// How many bytes were cut off.
        bytes: usize,
    },
    /// A file had the name of another one and got the name that its header states.
    Renamed {
        /// The old name.
        from: PathBuf,
        /// The new name.
        to: PathBuf,
    },
    /// A file had the name of a segment and the content of another one. It was set aside.
    Copy {
        /// The file.
        file: PathBuf,
        /// The number that its header states.
        of: u64,
        /// The new path.
        set_aside: PathBuf,
    },
    /// A file carries the id of another record. It was set aside.
    OtherRecord {
        /// The file.
        file: PathBuf,
        /// The new path.
        set_aside: PathBuf,
    },
    /// A finished line was invalid. The file was set aside and a valid one put in its place.
    Damage {
        /// The file.
        file: PathBuf,
        /// The first invalid line, counted from 1.
        line: usize,
        /// The new path of the damaged file.
        set_aside: PathBuf,
        /// The lost numbers, in order. Empty if the damaged part held none, or if the chain still
        /// proves them all.
        lost: Vec<Lost>,
    },
    /// A segment was begun but nothing was recorded in it; it was removed.
    Blank {
        /// The file.
        file: PathBuf,
    },
    /// A segment's name shows that numbers were used which no file contains.
    Missing {
        /// Those numbers, now retired.
        lost: Lost,
    },
    /// The record ends before the last number known to have been assigned.
    CutOff {
        /// The numbers after its end, now retired.
        lost: Lost,
    },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TornTail { file, bytes } => write!(
                f,
                "{}: cut off an unfinished last line of {bytes} bytes",
                file.display()
            ),
            Self::Damage {
                file,
                line,
                set_aside,
                lost,
            } => {
                let (file, aside) = (file.display(), set_aside.display());
                write!(f, "{file}: line {line} is damaged; set aside as {aside}")?;
                for Lost { from, to, .. } in lost {
                    write!(f, "; entries {from} to {to} are lost")?;
                }
                if lost.is_empty() {
                    f.write_str("; no entry is lost")?;
                }
                Ok(())
            }
            Self::Renamed { from, to } => write!(
                f,
                "{}: renamed to {}, as its header says",
                from.display(),
                file_name(to)
            ),
            Self::Copy {
                file,
                of,
                set_aside,
            } => write!(
                f,
                "{}: refused, it is a copy of the file that begins with entry {of}; set aside as {}",
                file.display(),
                file_name(set_aside)
            ),
            Self::OtherRecord { file, set_aside } => write!(
                f,
                "{}: refused, it is of another record; set aside as {}",
                file.display(),
                file_name(set_aside)
            ),
            Self::Blank { file } => write!(f, "{}: removed, nothing was in it", file.display()),
            Self::Missing { lost } => write!(
                f,
                "entries {} to {} are missing before {}",
                lost.from, lost.to, lost.file
            ),
            Self::CutOff { lost } => write!(
                f,
                "{} is cut off: entries {} to {} were recorded and are not there",
                lost.file, lost.from, lost.to
            ),
        }
    }
}

/// A valid segment to append to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// The file.
    pub segment: Segment,
    /// Its length in bytes.
    pub length: u64,
    /// The link of its last line.
    pub link: Link,
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
    header: &dyn Fn(u64, Link) -> Header,
    given: u64,
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
fn cut_off(found: &Recovered, given: u64, file: String) -> Lost {
    Lost {
        from: found.last_seq + 1,
        to: given,
        file,
        cause: None,
    }
}

struct Surgeon<'a> {
    directory: &'a Path,
    disk: &'a dyn Disk,
    header: &'a dyn Fn(u64, Link) -> Header,
    /// The id of the record; unmade until the names are restored.
    identity: Identity,
}

impl Surgeon<'_> {
    /// Sets files of another record aside, gives each file of this one the name that its header
    /// states, and sets copies aside.
    ///
    /// Two files may have each other's names. So a file on its way has a name that only this
    /// function and the reader know.
    fn restore_names(
        &self,
        board: &BoardId,
        found: &mut Recovered,
    ) -> Result<Established, JournalError> {
        let failed = |error| JournalError::io("rename files in", self.directory, error);
        let mut moved = naming::finish(self.directory).map_err(failed)?;
        let segments = segment::list(self.directory).map_err(failed)?;
        let heads = naming::heads(&segments, board).map_err(failed)?;
        let established = identity::establish(self.directory, &heads);
        let (other, heads) = naming::of_other_record(heads, established.identity);
        for head in other {
            let Segment { first, path: file } = head.segment;
            let set_aside = naming::set_aside(&file, naming::OTHER).map_err(failed)?;
            moved = true;
            let is_first = |header: &Header| header.first_seq == first;
            if !heads
                .iter()
                .filter_map(|head| head.header.as_ref())
                .any(is_first)
            {
                self.set_raw_aside(first).map_err(failed)?;
            }
            found.repairs.push(Repair::OtherRecord { file, set_aside });
        }
        let Misnaming { misnamed, copies } = naming::by_header(&heads);
        for Misnamed { segment, first } in copies {
            let set_aside = naming::set_aside(&segment.path, naming::COPY).map_err(failed)?;
            moved = true;
            found.repairs.push(Repair::Copy {
                file: segment.path,
                of: first,
                set_aside,
            });
        }
        for Misnamed { segment, first } in misnamed {
            let to = Segment::of(self.directory, first).path;
            let between = naming::on_its_way(&to);
            if between.exists() {
                // It is the only copy of another file that was on its way to this name.
                let (file, other) = (segment.path.display(), between.display());
                tracing::warn!("{file} is not renamed: {other} is in the way");
                continue;
            }
            fs::rename(&segment.path, between).map_err(failed)?;
            found.repairs.push(Repair::Renamed {
                from: segment.path,
                to,
            });
        }
        moved |= naming::finish(self.directory).map_err(failed)?;
        if moved {
            self.disk.sync_directory(self.directory).map_err(failed)?;
        }
        Ok(established)
    }

    /// Sets the raw data of a segment of another record aside. Else its name would prove that
    /// numbers of our record are lost.
    fn set_raw_aside(&self, segment: u64) -> io::Result<()> {
        let raw = raw::files(self.directory)?.into_iter();
        for file in raw.filter(|file| file.segment == segment) {
            naming::set_aside(&file.path, naming::OTHER)?;
        }
        Ok(())
    }

    /// Repairs the newest segment that holds a record, and removes blank ones after it.
    fn mend_newest(
        &self,
        board: &BoardId,
        given: u64,
        found: &mut Recovered,
    ) -> Result<Option<Sound>, JournalError> {
        let read = |error| JournalError::io("read", self.directory, error);
        let given = self.known_elsewhere(board).map_err(read)?.max(given);
        let given = given.min(HIGHEST);
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
                && newest.first > found.last_seq + 1
            {
                let lost = Lost {
                    from: found.last_seq + 1,
                    to: newest.first - 1,
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
            found.last_seq = removed.map_or(0, |removed| removed.through.min(HIGHEST));
        }
        if given > found.last_seq {
            let file = match &sound {
                Some(sound) => sound.segment.file_name(),
                None => Segment::of(self.directory, found.last_seq + 1).file_name(),
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

    /// The highest number known from raw data: each raw file is named after a segment. A file whose
    /// name is a number, but not that of a segment, is no part of the record, but no number in it is
    /// given again.
    fn known_elsewhere(&self, board: &BoardId) -> io::Result<u64> {
        let raw = raw::files(self.directory)?.into_iter();
        let raw = raw.map(|file| file.segment);
        let strays = naming::numbered_strays(self.directory)?;
        let strays = strays.iter();
        let strays = strays.map(|path| naming::last_number(path, board, self.identity));
        Ok(raw.chain(strays).max().unwrap_or(0))
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
        found.last_seq = scan.next.saturating_sub(1);
        found.lost.extend(scan.lost.iter().cloned());
        let damage = match scan.flaw {
            _ if scan.header.is_none() => Some(1),
            Some(Flaw::Damage { line, .. }) => Some(line),
            _ => None,
        };
        let mut entries = scan.entries.clone();
        let (length, link) = if let Some(line) = damage {
            let kept = Kept {
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
            (scan.good_end, scan.link.unwrap_or(Link::NONE))
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

    /// Sets a damaged file aside and puts a valid one in its place. The new file holds the good
    /// records and those that the chain proves.
    fn replace(
        &self,
        segment: &Segment,
        kept: &Kept<'_>,
        line: usize,
        found: &mut Recovered,
    ) -> Result<(usize, Link), JournalError> {
        let scan = kept.scan;
        let failed = |error| JournalError::io("repair", &segment.path, error);
        let set_aside = self.keep_aside(segment).map_err(failed)?;
        let (mut sound, mut seal) = match scan.link.filter(|_| scan.header.is_some()) {
            Some(seal) => (kept.bytes[..scan.good_end].to_vec(), seal),
            None => self.seal_anew(segment, kept, &set_aside).map_err(failed)?,
        };
        let (records, newly_lost) = behind_damage(scan, &file_name(&set_aside));
        seal = encode_records(&records, seal, &mut sound).map_err(failed)?;
        for record in &records {
            found.last_seq = record.numbers().1;
            if let Record::Lost(lost) = record {
                found.lost.push(lost.clone());
            }
        }
        self.put(segment, &sound).map_err(failed)?;
        found.repairs.push(Repair::Damage {
            file: segment.path.clone(),
            line,
            set_aside,
            lost: newly_lost,
        });
        Ok((sound.len(), seal))
    }

    /// Writes the good records of a segment under a new header, which names the file set aside.
    fn seal_anew(
        &self,
        segment: &Segment,
        kept: &Kept<'_>,
        set_aside: &Path,
    ) -> io::Result<(Vec<u8>, Link)> {
        let mut bytes = Vec::new();
        let mut header = (self.header)(segment.first, self.link_before(segment, kept.earlier)?);
        header.record = identity::proved_in(kept.bytes, kept.board);
        header.repaired = Some(file_name(set_aside));
        let link = encode_header(&header, &mut bytes)?;
        let link = encode_records(&kept.scan.records(), link, &mut bytes)?;
        Ok((bytes, link))
    }

    /// The link of the last line before a segment: from an earlier file, or from the note about
    /// removed games.
    fn link_before(&self, segment: &Segment, earlier: &[Segment]) -> io::Result<Link> {
        for segment in earlier.iter().rev() {
            let bytes = fs::read(&segment.path)?;
            if let Some(link) = segment::scan_records(segment, &bytes).link {
                return Ok(link);
            }
        }
        let removed = Removed::read(self.directory).ok().flatten();
        let removed = removed.filter(|removed| removed.next() == segment.first);
        Ok(removed.map_or(Link::NONE, |removed| removed.chain))
    }

    /// Gives the file a second name, so that it exists at every moment.
    fn keep_aside(&self, segment: &Segment) -> io::Result<PathBuf> {
        for number in 0.. {
            let name = match number {
                0 => format!("{}.damaged", segment.file_name()),
                n => format!("{}.damaged.{n}", segment.file_name()),
            };
            let aside = self.directory.join(name);
            match fs::hard_link(&segment.path, &aside) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                // Some file systems do not support hard links.
                Err(_) if !aside.exists() => {
                    fs::copy(&segment.path, &aside)?;
                    self.disk.sync_all(&File::open(&aside)?)?;
                }
                Err(error) => return Err(error),
            }
            self.disk.sync_directory(self.directory)?;
            return Ok(aside);
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Replaces a whole segment atomically, even across a power failure.
    fn put(&self, segment: &Segment, bytes: &[u8]) -> io::Result<()> {
        disk::replace(self.disk, self.directory, &segment.file_name(), bytes)
    }

    /// Appends a line that retires numbers.
    fn take_out_of_use(
        &self,
        lost: &Lost,
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
        if blanks.first().is_none_or(|(newest, _)| newest.first <= 1) {
            self.remove(&blanks, found)?;
            return Ok(None);
        }
        let (newest, scan) = blanks.remove(0);
        found.last_seq = newest.first - 1;
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

/// The remains of a damaged segment.
struct Kept<'a> {
    board: &'a BoardId,
    earlier: &'a [Segment],
    bytes: &'a [u8],
    scan: &'a Scan,
}

/// Returns the records after the good part of a damaged segment, and the numbers lost now, with the
/// file `aside`. Together the records cover every number.
fn behind_damage(scan: &Scan, aside: &str) -> (Vec<Record>, Vec<Lost>) {
    let newly_lost: Vec<Lost> = (scan.unproved().into_iter())
        .map(|(from, to)| Lost {
            from,
            to,
            file: aside.to_owned(),
            cause: None,
        })
        .collect();
    let lost = newly_lost.iter().cloned().map(Record::Lost);
    let mut records: Vec<Record> = scan.behind.iter().cloned().chain(lost).collect();
    records.sort_by_key(|record| record.numbers().0);
    (records, newly_lost)
}

/// Appends the lines of `records` to `out`, sealed after `link`, and returns the last link.
fn encode_records(records: &[Record], link: Link, out: &mut Vec<u8>) -> io::Result<Link> {
    records.iter().try_fold(link, |link, record| {
        Ok(match record {
            Record::Entry(entry) => line::encode_entry(entry.seq, &entry.body, link, out),
            Record::Lost(lost) => line::encode_lost(lost, link, out)?,
        })
    })
}

/// Appends the line of a header to `out` and returns the header's link.
pub fn encode_header(header: &Header, out: &mut Vec<u8>) -> io::Result<Link> {
    let json = serde_json::to_vec(header)?;
    line::encode(&json, out);
    Ok(Link::of_header(&json))
}
