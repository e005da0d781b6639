//! Entries, and the numbers that no entry has.

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use crate::{
    error::{BodyFault, JournalError},
    line::{self, MAX_LINE},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// An entry to append, and its board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// The board of the entry.
    pub board: BoardId,
    /// The entry's number: one more than the board's last.
    pub seq: EntrySeq,
    /// One JSON object without a line feed, shorter than [`MAX_LINE`].
    pub body: Bytes,
    /// Whether the entry begins a new segment. A board's first entry always does.
    pub begins_segment: bool,
}

/// Why some of several entries were not stored.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{error}")]
pub struct PartialAppend {
    /// How many of the entries, from the first on, are on the disk.
    pub kept: usize,
    /// Why the next entry is not on the disk.
    pub error: JournalError,
}

/// A stored entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub seq: EntrySeq,
    /// The bytes as they were appended.
    pub body: Bytes,
}

/// Numbers that were retired, so that none is assigned twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetiredNumbers {
    /// The first.
    pub from: EntrySeq,
    /// The last.
    pub to: EntrySeq,
    /// The name of the file that was set aside, or of the one that was missing.
    pub file: String,
    /// The cause, if it was not a repair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<RetirementCause>,
}

/// Why numbers were retired although nothing was damaged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetirementCause {
    /// The disk was absent when the daemon started, so the last number was unknown. Numbering began
    /// with one that could not have been assigned before.
    NoDisk,
}

pub(super) fn check_body(entry: &Append) -> Result<(), JournalError> {
    let refuse = |fault| {
        Err(JournalError::Body {
            board: entry.board.clone(),
            seq: entry.seq,
            fault,
        })
    };
    let bytes = line::entry_length(entry.seq, &entry.body);
    if bytes > MAX_LINE {
        return Err(JournalError::TooLong {
            board: entry.board.clone(),
            seq: entry.seq,
            bytes,
        });
    }
    if entry.body.contains(&b'\n') {
        return refuse(BodyFault::LineFeed);
    }
    let framed = entry.body.first() == Some(&b'{') && entry.body.last() == Some(&b'}');
    let valid = serde_json::from_slice::<serde::de::IgnoredAny>(&entry.body).is_ok();
    if framed && valid {
        Ok(())
    } else {
        refuse(BodyFault::NotAnObject)
    }
}
