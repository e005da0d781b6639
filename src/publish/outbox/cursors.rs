//! How far each board's events are acknowledged, saved in a small file.
//!
//! ```json
//! {"schema":"remisd/cursors/1","boards":{"b017":4711},"crc32":"2f5c1a90"}
//! ```
//!
//! `crc32` is the checksum of the object under `boards`. A number corrupted on disk would report
//! missing entries or resend many. Files of earlier versions have no checksum.
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

/// For each board, the last event up to which everything is acknowledged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cursors(BTreeMap<BoardId, EntrySeq>);

#[derive(Serialize, Deserialize)]
struct CursorFile {
    schema: String,
    boards: BTreeMap<BoardId, EntrySeq>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    crc32: Option<String>,
}

fn checksum(boards: &BTreeMap<BoardId, EntrySeq>) -> serde_json::Result<String> {
    let crc = crc32fast::hash(&serde_json::to_vec(boards)?);
    Ok(format!("{crc:08x}"))
}

impl Cursors {
    /// The cursor of a board, if one was ever saved.
    #[must_use]
    pub fn get(&self, board: &BoardId) -> Option<EntrySeq> {
        self.0.get(board).copied()
    }

    /// Sets a cursor; returns whether that changed anything.
    pub(super) fn set(&mut self, board: &BoardId, seq: EntrySeq) -> bool {
        self.0.insert(board.clone(), seq) != Some(seq)
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
            let expected = checksum(&file.boards)?;
            if file.crc32.is_some_and(|crc32| crc32 != expected) {
                return Err(serde::de::Error::custom("the checksum is wrong"));
            }
            Ok(Self(file.boards))
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
        let mut boards = match Self::load(path) {
            Ok(before) => before.0,
            Err(CursorError::Content { .. }) => BTreeMap::new(),
            Err(CursorError::Read { source, .. }) => return Err(source),
        };
        boards.extend(self.0.clone());
        let file = CursorFile {
            schema: SCHEMA.to_owned(),
            crc32: Some(checksum(&boards)?),
            boards,
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
            assert!(cursors.set(&board.parse().unwrap(), seq));
            cursors.save(&path).unwrap();
        }
        assert_eq!(Cursors::load(&path).unwrap(), cursors);
        let mut others = Cursors::default();
        others.set(&"b1".parse().unwrap(), EntrySeq::new(9));
        others.save(&path).unwrap();
        cursors.set(&"b1".parse().unwrap(), EntrySeq::new(9));
        assert_eq!(Cursors::load(&path).unwrap(), cursors, "b2 is still known");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn every_changed_bit_of_a_number_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cursors.json");
        let mut cursors = Cursors::default();
        cursors.set(&"b1".parse().unwrap(), EntrySeq::new(4_711));
        cursors.save(&path).unwrap();
        let whole = fs::read(&path).unwrap();
        for (at, bit) in (0..whole.len()).flat_map(|at| (0..8).map(move |bit| (at, bit))) {
            let mut bad = whole.clone();
            bad[at] ^= 1 << bit;
            fs::write(&path, &bad).unwrap();
            let read = Cursors::load(&path).map(|read| read == cursors);
            let key = String::from_utf8_lossy(&bad).contains("\"crc32\"");
            assert!(!key || !matches!(read, Ok(false)), "byte {at}, bit {bit}");
        }
        // A file of an earlier version.
        fs::write(
            &path,
            r#"{"schema":"remisd/cursors/1","boards":{"b1":4711}}"#,
        )
        .unwrap();
        assert_eq!(Cursors::load(&path).unwrap(), cursors);
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
