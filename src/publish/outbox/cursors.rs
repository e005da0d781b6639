//! How far each board's events are acknowledged, saved in a small file.
//!
//! ```json
//! {"schema":"remisd/cursors/1","boards":{"b017":4711},"crc32":"2f5c1a90"}
//! ```
//!
//! `crc32` is the checksum of the object under `boards`. A number corrupted on disk would report
//! missing entries or resend many. Files of earlier versions have no checksum.
//!
//! Events after a board's cursor are sent again. If earlier ones are needed too, `resume` says after
//! which: an audience was refused them, or the node that confirmed them may have been cut off from its
//! cluster. It has a checksum of its own, so that earlier versions can read the file:
//!
//! ```json
//! {"schema":"remisd/cursors/1","boards":{"b017":4711},"crc32":"2f5c1a90",
//!  "resume":{"boards":{"b017":4690},"crc32":"0a9e2210"}}
//! ```
//!
//! The file is replaced as a whole, so a crash leaves either the old or the new one. An old file
//! causes duplicates, which receivers drop by `seq`, but never loses an event.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// The file's name in the journal directory.
pub const CURSORS: &str = "outbox.json";

const SCHEMA: &str = "remisd/cursors/1";

/// Why a cursor file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CursorError {
    /// The file exists but cannot be read.
    #[error("cannot read the outbox cursors in {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The file can be read but is not valid.
    #[error(
        "{} does not hold outbox cursors: move it away, and events are sent from the start again",
        path.display()
    )]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// For each board, how far its events are acknowledged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursors {
    confirmed: BTreeMap<BoardId, EntrySeq>,
    /// The event after which the next run begins, where that is before the confirmed one.
    resume: BTreeMap<BoardId, EntrySeq>,
}

#[derive(Serialize, Deserialize)]
struct CursorFile {
    schema: String,
    #[serde(flatten)]
    confirmed: Numbers,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resume: Option<Numbers>,
}

#[derive(Serialize, Deserialize)]
struct Numbers {
    boards: BTreeMap<BoardId, EntrySeq>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crc32: Option<String>,
}

impl Numbers {
    fn of(boards: BTreeMap<BoardId, EntrySeq>) -> serde_json::Result<Self> {
        let crc32 = Some(checksum(&boards)?);
        Ok(Self { boards, crc32 })
    }

    fn checked(self) -> serde_json::Result<BTreeMap<BoardId, EntrySeq>> {
        let expected = checksum(&self.boards)?;
        if self.crc32.is_some_and(|crc32| crc32 != expected) {
            return Err(serde::de::Error::custom("the checksum is wrong"));
        }
        Ok(self.boards)
    }
}

fn checksum(boards: &BTreeMap<BoardId, EntrySeq>) -> serde_json::Result<String> {
    let crc = crc32fast::hash(&serde_json::to_vec(boards)?);
    Ok(format!("{crc:08x}"))
}

impl Cursors {
    /// The last event of a board that a broker has acknowledged for any audience, if one was ever
    /// saved. The journal had it.
    #[must_use]
    pub fn get(&self, board: &BoardId) -> Option<EntrySeq> {
        self.confirmed.get(board).copied()
    }

    /// The event up to which everything of a board is acknowledged beyond doubt, if known.
    #[must_use]
    pub fn resume(&self, board: &BoardId) -> Option<EntrySeq> {
        let confirmed = self.get(board)?;
        let resume = self.resume.get(board).copied();
        Some(resume.map_or(confirmed, |resume| resume.min(confirmed)))
    }

    /// Sets a board's cursor and where the next run begins; returns whether that changed anything.
    pub(super) fn set(&mut self, board: &BoardId, confirmed: EntrySeq, resume: EntrySeq) -> bool {
        let before = (self.get(board), self.resume(board));
        self.confirmed.insert(board.clone(), confirmed);
        if resume < confirmed {
            self.resume.insert(board.clone(), resume);
        } else {
            self.resume.remove(board);
        }
        before != (Some(confirmed), Some(resume.min(confirmed)))
    }

    /// Reads the cursors from `path`. A missing file counts as empty.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read or contains something else.
    pub fn load(path: &Path) -> Result<Self, CursorError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => {
                return Err(CursorError::Read {
                    path: path.to_owned(),
                    source,
                });
            }
        };
        let understood = serde_json::from_slice(&bytes).and_then(|file: CursorFile| {
            if file.schema != SCHEMA {
                let problem = format!("the schema is \"{}\", not \"{SCHEMA}\"", file.schema);
                return Err(serde::de::Error::custom(problem));
            }
            let resume = file.resume.map(Numbers::checked).transpose()?;
            Ok(Self {
                confirmed: file.confirmed.checked()?,
                resume: resume.unwrap_or_default(),
            })
        });
        understood.map_err(|source| CursorError::Content {
            path: path.to_owned(),
            source,
        })
    }

    /// The last entry of a board that the broker has acknowledged, as saved beside the journal in
    /// `directory`; 0 if that is not known.
    #[must_use]
    pub fn confirmed(directory: &Path, board: &BoardId) -> EntrySeq {
        let cursors = Self::load(&directory.join(CURSORS)).unwrap_or_default();
        cursors.get(board).unwrap_or_default()
    }

    /// Replaces the file at `path` by means of a temporary file in the same directory.
    ///
    /// Other boards in the old file are kept: their disk may have been unavailable at the start.
    ///
    /// # Errors
    ///
    /// Fails when the directory is full or cannot be written; the old file then remains.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let mut all = match Self::load(path) {
            Ok(before) => before,
            Err(CursorError::Content { .. }) => Self::default(),
            Err(CursorError::Read { source, .. }) => return Err(source),
        };
        all.resume
            .retain(|board, _| !self.confirmed.contains_key(board));
        all.confirmed.extend(self.confirmed.clone());
        all.resume.extend(self.resume.clone());
        let resume = (!all.resume.is_empty()).then(|| Numbers::of(all.resume));
        let file = CursorFile {
            schema: SCHEMA.to_owned(),
            confirmed: Numbers::of(all.confirmed)?,
            resume: resume.transpose()?,
        };
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".new");
        let mut out = File::create(&temporary)?;
        out.write_all(&serde_json::to_vec(&file)?)?;
        out.sync_data()?;
        fs::rename(&temporary, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_survive_on_disk_and_leave_no_other_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cursors.json");
        assert_eq!(Cursors::load(&path).unwrap(), Cursors::default());
        let mut cursors = Cursors::default();
        for (board, seq) in [("b1", 3), ("b2", u64::MAX), ("b1", 4)] {
            let seq = EntrySeq::new(seq);
            assert!(cursors.set(&board.parse().unwrap(), seq, EntrySeq::new(2)));
            cursors.save(&path).unwrap();
        }
        assert_eq!(Cursors::load(&path).unwrap(), cursors);
        let (board, seq) = ("b1".parse().unwrap(), EntrySeq::new(9));
        let mut others = Cursors::default();
        others.set(&board, seq, seq);
        others.save(&path).unwrap();
        assert!(cursors.set(&board, seq, seq));
        assert!(!cursors.set(&board, seq, seq));
        assert_eq!(cursors.resume(&board), Some(seq));
        let other = "b2".parse().unwrap();
        assert_eq!(cursors.resume(&other), Some(EntrySeq::new(2)));
        assert_eq!(Cursors::load(&path).unwrap(), cursors, "b2 is still known");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn every_changed_bit_of_a_number_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cursors.json");
        let mut cursors = Cursors::default();
        let board = "b1".parse().unwrap();
        cursors.set(&board, EntrySeq::new(4_711), EntrySeq::new(4_690));
        cursors.save(&path).unwrap();
        let whole = fs::read(&path).unwrap();
        for (at, bit) in (0..whole.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut bad = whole.clone();
            bad[at] ^= 1 << bit;
            fs::write(&path, &bad).unwrap();
            let read = Cursors::load(&path).map(|read| read == cursors);
            // A changed name of a key is not noticed. Then there is no checksum, or no `resume`.
            let bad = String::from_utf8_lossy(&bad);
            let keys = bad.matches("\"crc32\":").count() == 2 && bad.contains("\"resume\":");
            assert!(!keys || !matches!(read, Ok(false)), "byte {at}, bit {bit}");
        }
        // A file of an earlier version.
        fs::write(
            &path,
            r#"{"schema":"remisd/cursors/1","boards":{"b1":4711}}"#,
        )
        .unwrap();
        let earlier = Cursors::load(&path).unwrap();
        assert_eq!(earlier.get(&board), Some(EntrySeq::new(4_711)));
        assert_eq!(earlier.resume(&board), earlier.get(&board));
    }

    #[test]
    fn a_foreign_file_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cursors.json");
        for content in ["", "{}", r#"{"schema":"remisd/cursors/2","boards":{}}"#] {
            fs::write(&path, content).unwrap();
            let error = Cursors::load(&path).unwrap_err();
            assert!(error.to_string().contains("cursors.json"), "{error}");
        }
    }
}
