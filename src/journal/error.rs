//! What can go wrong with the journal.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::line;
use remisd_vocabulary::name::BoardId;

/// What can go wrong with the journal. Clones tell the same to each entry of a batch.
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
        /// The other's process id, as it noted it.
        holder: String,
    },
    /// The system refused to do something with a file.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file or directory.
        path: PathBuf,
        /// What the system said.
        source: Arc<io::Error>,
    },
    /// An entry came out of order.
    #[error("board {board}: entry {got} came where {expected} was due")]
    Sequence {
        /// Whose entry it was.
        board: BoardId,
        /// The number that was due.
        expected: u64,
        /// The number that came.
        got: u64,
    },
    /// An entry's body cannot stand on a line.
    #[error("board {board}: the body of entry {seq} {fault}")]
    Body {
        /// Whose entry it was.
        board: BoardId,
        /// Its number.
        seq: u64,
        /// What is wrong with it.
        fault: BodyFault,
    },
    /// An entry is too long for a line.
    #[error(
        "board {board}: the line of entry {seq} would have {bytes} bytes, {} are allowed",
        line::MAX_LINE
    )]
    TooLong {
        /// Whose entry it was.
        board: BoardId,
        /// Its number.
        seq: u64,
        /// The length its line would have had.
        bytes: usize,
    },
    /// The file was written by a program that knows more than this one.
    #[error(
        "{} has format version {found}, this program knows {}: use the version of remisd that wrote it",
        file.display(),
        line::VERSION
    )]
    Version {
        /// The file, left as it is.
        file: PathBuf,
        /// Its version.
        found: u64,
    },
    /// The file belongs to another board.
    #[error("{} holds the record of board {found}, not of {board}: move it back to where it belongs", file.display())]
    Foreign {
        /// The file, left as it is.
        file: PathBuf,
        /// The board it names.
        found: String,
        /// The board in whose directory it lies.
        board: BoardId,
    },
    /// An entry came before the board was recovered.
    #[error("board {board} was not recovered before entry {seq} came")]
    NotRecovered {
        /// Whose entry it was.
        board: BoardId,
        /// Its number.
        seq: u64,
    },
    /// Numbers that were given without the disk are in use on it.
    #[error(
        "board {board}: the record on the disk goes up to entry {last}, and the game in memory begins with {from}: \
         the computer's clock was wrong when one of them began. Export the game in memory before the daemon is stopped"
    )]
    Overtaken {
        /// Whose entries they are.
        board: BoardId,
        /// The last number on the disk.
        last: u64,
        /// The first one in memory.
        from: u64,
    },
    /// The writer has ended.
    #[error("the journal is closed")]
    Closed,
}

/// Why a body cannot stand on a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyFault {
    /// It has a line feed in it.
    #[error("has a line feed in it")]
    LineFeed,
    /// It is not one JSON object.
    #[error("is not one JSON object")]
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

    /// What the system said, where it was the system.
    #[must_use]
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        match self {
            Self::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }

    /// Whether it may pass by itself: a disk that is away, full or read-only. What somebody
    /// has to put right in the configuration or in the files does not.
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

    /// How loudly to log it: the operator's mistakes are warnings.
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
