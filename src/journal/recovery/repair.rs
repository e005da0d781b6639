//! The repairs that a recovery makes, and their texts.

use std::{fmt, path::PathBuf};

use crate::{RetiredNumbers, naming::file_name};
use remisd_vocabulary::seq::EntrySeq;

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
        of: EntrySeq,
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
        lost: Vec<RetiredNumbers>,
    },
    /// A segment was begun but nothing was recorded in it; it was removed.
    Blank {
        /// The file.
        file: PathBuf,
    },
    /// A segment's name shows that numbers were used which no file contains.
    Missing {
        /// The numbers, now retired.
        lost: RetiredNumbers,
    },
    /// The record ends before the last number known to have been assigned.
    CutOff {
        /// The numbers after its end, now retired.
        lost: RetiredNumbers,
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
                for RetiredNumbers { from, to, .. } in lost {
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
