//! Errors of the journal.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::line;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// An error of the journal. It is `Clone` so that every entry of a batch can receive it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalError {
    /// Another process writes to this directory.
    #[error(
        "{} is in use by another remisd (process {holder}): stop it, or give this one a directory of its own",
        directory.display()
    )]
    Locked {
        /// The directory.
        directory: PathBuf,
        /// The process id that the other process wrote into the lock file.
        holder: String,
    },
    /// The operating system refused an operation on a file.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// The attempted operation.
        doing: &'static str,
        /// The file or directory concerned.
        path: PathBuf,
        /// The operating system's error.
        source: Arc<io::Error>,
    },
    /// An entry arrived out of order.
    #[error("board {board}: expected entry {expected}, got {got}")]
    Sequence {
        /// The board of the entry.
        board: BoardId,
        /// The expected number.
        expected: EntrySeq,
        /// The number received.
        got: EntrySeq,
    },
    /// An entry's body cannot be stored as a line.
    #[error("board {board}: the body of entry {seq} {fault}")]
    Body {
        /// The board of the entry.
        board: BoardId,
        /// Its number.
        seq: EntrySeq,
        /// The defect.
        fault: BodyFault,
    },
    /// An entry is too long for a line.
    #[error(
        "board {board}: the line of entry {seq} would have {bytes} bytes, {} are allowed",
        line::MAX_LINE
    )]
    TooLong {
        /// The board of the entry.
        board: BoardId,
        /// Its number.
        seq: EntrySeq,
        /// The length of its line, in bytes.
        bytes: usize,
    },
    /// The file has a newer format version than this program knows.
    #[error(
        "{} has format version {found}, this program knows {}: use the version of remisd that wrote it",
        file.display(),
        line::VERSION
    )]
    Version {
        /// The file, left unchanged.
        file: PathBuf,
        /// Its version.
        found: u64,
    },
    /// The file belongs to another board.
    #[error("{} holds the record of board {found}, not of {board}: move it back to where it belongs", file.display())]
    Foreign {
        /// The file, left unchanged.
        file: PathBuf,
        /// The board it names.
        found: String,
        /// The board in whose directory the file lies.
        board: BoardId,
    },
    /// An entry arrived before its board was recovered.
    #[error("board {board} was not recovered before entry {seq} came")]
    NotRecovered {
        /// The board of the entry.
        board: BoardId,
        /// Its number.
        seq: EntrySeq,
    },
    /// Numbers assigned without the disk are already in use on it.
    #[error(
        "board {board}: the record on the disk goes up to entry {last}, and the game in memory begins with {from}: \
         the computer's clock was wrong when one of them began. Export the game in memory before the daemon is stopped"
    )]
    Overtaken {
        /// The board of the entries.
        board: BoardId,
        /// The last number on the disk.
        last: EntrySeq,
        /// The first number in memory.
        from: EntrySeq,
    },
    /// The writer has stopped.
    #[error("the journal is closed")]
    Closed,
}

/// Why a body cannot be stored as a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    /// The body contains a line feed.
    #[error("contains a line feed")]
    LineFeed,
    /// The body is not a single JSON object.
    #[error("is not a single JSON object")]
    NotAnObject,
}

impl JournalError {
    pub(super) fn io(doing: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            doing,
            path: path.to_owned(),
            source: Arc::new(source),
        }
    }

    /// The kind of the operating system's error, if there was one.
    #[must_use]
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }

    /// Whether the error may go away by itself: the disk is absent, full or read-only. Errors in
    /// the configuration or in the files do not; someone must fix them.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        self.io_kind().is_some_and(|kind| {
            !matches!(
                kind,
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::AlreadyExists
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::IsADirectory
                    | io::ErrorKind::InvalidInput
                    | io::ErrorKind::InvalidFilename
            )
        })
    }

    /// The log level: a mistake of the operator is a warning.
    #[must_use]
    pub const fn level(&self) -> tracing::Level {
        match self {
            Self::Locked { .. } | Self::Version { .. } | Self::Foreign { .. } => {
                tracing::Level::WARN
            }
            _ => tracing::Level::ERROR,
        }
    }
}
