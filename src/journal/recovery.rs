//! Makes a board's record sound after whatever ended the last run.
//!
//! Three things are held to: nothing that was acknowledged is thrown away (a file that
//! is wrong is set aside, not overwritten), nothing is repaired without being
//! reported, and no number is ever given twice.

use std::{
    fmt, fs,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use super::{
    Entry, FILE_MODE, JournalError, Lost,
    disk::Disk,
    line::{self, Header},
    segment::{self, Flaw, Scan, Segment},
};
use crate::name::BoardId;

/// What a board's record held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Recovered {
    /// The entries of the newest segment that has any.
    pub entries: Vec<Entry>,
    /// The highest number ever used; 0 for a new board.
    pub last_seq: u64,
    /// What this or an earlier repair took out of the newest segment.
    pub lost: Vec<Lost>,
    /// What had to be repaired now, in the order in which it was done.
    pub repairs: Vec<Repair>,
}

/// Something that was put right. Its text is for the log and the arbiter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The last line was never finished; it was cut off. It had not been acknowledged.
    TornTail {
        /// The file.
        file: PathBuf,
        /// How many bytes were cut off.
        bytes: usize,
    },
    /// A finished line was wrong; the file was set aside and a sound one put in its place.
    Damage {
        /// The file.
        file: PathBuf,
        /// The first wrong line, counted from 1.
        line: usize,
        /// Where the damaged file lies now.
        set_aside: PathBuf,
        /// The numbers that are lost with it; `None` if only the header was.
        lost: Option<Lost>,
    },
    /// A segment was begun but nothing was recorded in it; it was removed.
    Blank {
        /// The file.
        file: PathBuf,
    },
    /// A segment's name shows that numbers were used which no file holds.
    Missing {
        /// Those numbers, now out of use.
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
                match lost {
                    Some(Lost { from, to, .. }) => write!(f, "; entries {from} to {to} are lost"),
                    None => f.write_str("; no entry is lost"),
                }
            }
            Self::Blank { file } => write!(f, "{}: removed, nothing was in it", file.display()),
            Self::Missing { lost } => write!(
                f,
                "entries {} to {} are missing before {}",
                lost.from, lost.to, lost.file
            ),
        }
    }
}

/// A sound segment to append to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sound {
    /// The file.
    pub segment: Segment,
    /// Its length in bytes.
    pub length: u64,
}

/// Repairs a board's record in `directory`, and reads it.
///
/// `header` makes the header of a segment that begins with the given number.
pub fn recover(
    directory: &Path,
    board: &BoardId,
    disk: &dyn Disk,
    header: &dyn Fn(u64) -> Header,
) -> Result<(Recovered, Option<Sound>), JournalError> {
    let surgeon = Surgeon {
        directory,
        disk,
        header,
    };
    let mut segments =
        segment::list(directory).map_err(|error| JournalError::io("read", directory, error))?;
    let mut found = Recovered::default();
    let mut blanks = Vec::new();
    while let Some(segment) = segments.pop() {
        let bytes = fs::read(&segment.path)
            .map_err(|error| JournalError::io("read", &segment.path, error))?;
        let scan = segment::scan(&segment, board, &bytes)?;
        if scan.is_blank() {
            blanks.push((segment, scan));
            continue;
        }
        let length = surgeon.mend(&segment, &bytes, scan, &mut found)?;
        let mut sound = Sound { segment, length };
        if let Some((newest, _)) = blanks.first()
            && newest.first > found.last_seq + 1
        {
            surgeon.bridge(&mut sound, newest, &mut found)?;
        }
        surgeon.remove(&blanks, &mut found)?;
        return Ok((found, Some(sound)));
    }
    let sound = surgeon.only_blanks(blanks, &mut found)?;
    Ok((found, sound))
}

struct Surgeon<'a> {
    directory: &'a Path,
    disk: &'a dyn Disk,
    header: &'a dyn Fn(u64) -> Header,
}

impl Surgeon<'_> {
    /// Puts one segment right and takes over what it holds; returns its length.
    fn mend(
        &self,
        segment: &Segment,
        bytes: &[u8],
        scan: Scan,
        found: &mut Recovered,
    ) -> Result<u64, JournalError> {
        found.last_seq = scan.next.saturating_sub(1);
        let damage = match scan.flaw {
            Some(Flaw::Damage { line, highest }) => Some((line, Some(highest))),
            _ if scan.header.is_none() => Some((1, None)),
            _ => None,
        };
        let length = if let Some((line, highest)) = damage {
            let line = if scan.header.is_none() { 1 } else { line };
            self.replace(segment, bytes, &scan, line, highest, found)?
        } else {
            if let Some(Flaw::Torn { bytes }) = scan.flaw {
                self.cut(segment, scan.good_end)?;
                found.repairs.push(Repair::TornTail {
                    file: segment.path.clone(),
                    bytes,
                });
            }
            scan.good_end
        };
        found.entries = scan.entries;
        found.lost.splice(0..0, scan.lost);
        Ok(length as u64)
    }

    fn cut(&self, segment: &Segment, length: usize) -> Result<(), JournalError> {
        let cut = || -> io::Result<()> {
            let file = OpenOptions::new().write(true).open(&segment.path)?;
            file.set_len(length as u64)?;
            self.disk.sync_all(&file)
        };
        cut().map_err(|error| JournalError::io("repair", &segment.path, error))
    }

    /// Sets a damaged file aside and puts a sound one, with what was good, in its place.
    fn replace(
        &self,
        segment: &Segment,
        bytes: &[u8],
        scan: &Scan,
        line: usize,
        highest: Option<u64>,
        found: &mut Recovered,
    ) -> Result<usize, JournalError> {
        let failed = |error| JournalError::io("repair", &segment.path, error);
        let set_aside = self.keep_aside(segment).map_err(failed)?;
        let lost = highest.map(|to| Lost {
            from: scan.next,
            to,
            file: file_name(&set_aside),
        });
        let mut sound = Vec::new();
        let header = match &scan.header {
            Some(header) => header.clone(),
            None => (self.header)(segment.first),
        };
        encode_header(&header, &mut sound).map_err(failed)?;
        sound.extend_from_slice(&bytes[scan.body_start..scan.good_end]);
        if let Some(lost) = &lost {
            line::encode_lost(lost, &mut sound).map_err(|error| failed(error.into()))?;
            found.last_seq = lost.to;
            found.lost.push(lost.clone());
        }
        self.put(segment, &sound).map_err(failed)?;
        found.repairs.push(Repair::Damage {
            file: segment.path.clone(),
            line,
            set_aside,
            lost,
        });
        Ok(sound.len())
    }

    /// Gives the file a second name, so that there is no moment without it.
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
                // Some file systems know no second names.
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

    /// Writes a whole segment; before or after a loss of power, never half of it.
    fn put(&self, segment: &Segment, bytes: &[u8]) -> io::Result<()> {
        let draft = self
            .directory
            .join(format!("{}.draft", segment.file_name()));
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(true)
            .write(true)
            .mode(FILE_MODE)
            .open(&draft)?;
        file.write_all(bytes)?;
        self.disk.sync_all(&file)?;
        fs::rename(&draft, &segment.path)?;
        self.disk.sync_directory(self.directory)
    }

    /// Takes the numbers between the last record and `newest` out of use.
    fn bridge(
        &self,
        sound: &mut Sound,
        newest: &Segment,
        found: &mut Recovered,
    ) -> Result<(), JournalError> {
        let failed = |error| JournalError::io("repair", &sound.segment.path, error);
        let lost = Lost {
            from: found.last_seq + 1,
            to: newest.first - 1,
            file: newest.file_name(),
        };
        let mut bytes = Vec::new();
        line::encode_lost(&lost, &mut bytes).map_err(|error| failed(error.into()))?;
        let append = || -> io::Result<()> {
            let mut file = OpenOptions::new().append(true).open(&sound.segment.path)?;
            file.write_all(&bytes)?;
            self.disk.sync_all(&file)
        };
        append().map_err(failed)?;
        sound.length += bytes.len() as u64;
        found.last_seq = lost.to;
        found.lost.push(lost.clone());
        found.repairs.push(Repair::Missing { lost });
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

    /// Nothing was ever recorded, as far as the files tell: the newest name is
    /// kept if it is all that tells of numbers in use.
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
        let length = if scan.header.is_some() && scan.flaw.is_none() {
            scan.good_end
        } else {
            let failed = |error| JournalError::io("repair", &newest.path, error);
            let mut bytes = Vec::new();
            encode_header(&(self.header)(newest.first), &mut bytes).map_err(failed)?;
            self.put(&newest, &bytes).map_err(failed)?;
            found.repairs.push(Repair::Blank {
                file: newest.path.clone(),
            });
            bytes.len()
        };
        self.remove(&blanks, found)?;
        Ok(Some(Sound {
            segment: newest,
            length: length as u64,
        }))
    }
}

/// Adds the line of a header to `out`.
pub fn encode_header(header: &Header, out: &mut Vec<u8>) -> io::Result<()> {
    line::encode(&serde_json::to_vec(header)?, out);
    Ok(())
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
