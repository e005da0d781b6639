//! One segment that can be read, and the gaps in it.

use std::{io, ops::RangeInclusive};

use super::{Reader, collect_from};
use crate::{
    Entry, RetiredNumbers, RetirementCause,
    line::{self, Record},
    segment::{self, Lines, Segment},
};
use remisd_vocabulary::seq::EntrySeq;

/// Numbers that were never meant to have entries, in order. The disk was absent when the daemon
/// started, and its game was merged later. No entry is missing there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassedOver(pub(super) Vec<RangeInclusive<EntrySeq>>);

impl PassedOver {
    /// The skipped numbers of a recovered segment.
    #[must_use]
    pub fn of(lost: &[RetiredNumbers]) -> Self {
        let passed = lost
            .iter()
            .filter(|lost| lost.cause == Some(RetirementCause::NoDisk));
        Self(passed.map(|lost| lost.from..=lost.to).collect())
    }

    /// Whether the last skipped number immediately precedes `first`.
    #[must_use]
    pub fn leads_to(&self, first: EntrySeq) -> bool {
        let last = self.0.last().map(|passed| passed.end().next());
        last == Some(first)
    }

    /// The next number due at or after `seq`, beyond any skipped range.
    #[must_use]
    pub fn due(&self, seq: EntrySeq) -> EntrySeq {
        self.0.iter().fold(seq, |due, passed| {
            if passed.contains(&due) {
                passed.end().next()
            } else {
                due
            }
        })
    }
}

/// A segment that can be read.
#[derive(Debug, Clone)]
pub struct SegmentFile {
    pub(super) reader: Reader,
    pub(super) segment: Segment,
    /// The first number of the next segment.
    pub(super) next: Option<EntrySeq>,
    /// The highest number known to have been assigned.
    pub(super) given: EntrySeq,
}

impl SegmentFile {
    /// The number of the segment's first entry.
    #[must_use]
    pub const fn first(&self) -> EntrySeq {
        self.segment.first
    }

    /// Reads the segment.
    pub fn read(&self) -> io::Result<SegmentRead> {
        let read = SegmentRead::of(&self.reader, &self.segment, self.next, self.given);
        read.map_err(segment::error_of(&self.segment.path))
    }
}

/// The content of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentRead {
    /// The number of the segment's first entry.
    pub first: EntrySeq,
    /// The readable entries.
    pub entries: Vec<Entry>,
    /// The skipped numbers.
    pub passed_over: PassedOver,
    /// The number due after the segment's end, if known. It is the first number of the next
    /// segment. In the newest segment it follows the highest number known to have been assigned.
    pub next: Option<EntrySeq>,
}

/// Consecutive numbers whose entries are missing, and their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The first number.
    pub from: EntrySeq,
    /// The last number.
    pub to: EntrySeq,
    /// The index of the first entry after them.
    pub at: usize,
}

impl SegmentRead {
    fn of(
        reader: &Reader,
        segment: &Segment,
        next: Option<EntrySeq>,
        given: EntrySeq,
    ) -> io::Result<Self> {
        let bytes = match reader.bytes(segment) {
            Ok(bytes) => bytes,
            // The file may vanish after the directory was listed, because it was blank or has
            // expired.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self {
                    first: segment.first,
                    entries: Vec::new(),
                    passed_over: PassedOver::default(),
                    next: None,
                });
            }
            Err(error) => return Err(error),
        };
        let mut entries = Vec::new();
        let last = next.map_or(EntrySeq::MAX, EntrySeq::previous);
        collect_from(
            0,
            segment,
            &bytes,
            EntrySeq::ZERO,
            last,
            usize::MAX,
            &mut entries,
        );
        Ok(Self {
            first: segment.first,
            entries,
            passed_over: passed_over_in(&bytes),
            next: next.or_else(|| Some(given.max(lost_in(&bytes)).next())),
        })
    }

    /// The gaps in the segment and after it, up to the next segment.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        let (mut gaps, mut due) = (Vec::new(), self.first);
        for (at, entry) in self.entries.iter().enumerate() {
            let expected = self.passed_over.due(due);
            if entry.seq > expected {
                let to = entry.seq.previous();
                gaps.push(Gap {
                    from: expected,
                    to,
                    at,
                });
            }
            due = entry.seq.next();
        }
        let expected = self.passed_over.due(due);
        // If another segment follows, an empty one has lost its game.
        if let Some(next) = self.next.filter(|next| *next > expected) {
            let at = self.entries.len();
            gaps.push(Gap {
                from: expected,
                to: next.previous(),
                at,
            });
        }
        gaps
    }
}

/// The numbers skipped in a segment's bytes.
pub(super) fn passed_over_in(bytes: &[u8]) -> PassedOver {
    let lost = Lines::of(bytes).skip(1).filter(|line| line::is_lost(line));
    let ranges = lost
        .filter_map(line::record)
        .filter_map(|sealed| match sealed.record {
            Record::Lost(RetiredNumbers {
                from,
                to,
                cause: Some(RetirementCause::NoDisk),
                ..
            }) => Some(from..=to),
            Record::Lost(_) | Record::Entry(_) => None,
        });
    PassedOver(ranges.collect())
}

/// The highest number in a segment's bytes that a repair retired; 0 if there is none.
fn lost_in(bytes: &[u8]) -> EntrySeq {
    let lost = Lines::of(bytes).skip(1).filter(|line| line::is_lost(line));
    let lost = lost.filter_map(line::record).map(|sealed| sealed.record);
    let repaired = lost.filter_map(|record| match record {
        Record::Lost(RetiredNumbers {
            to, cause: None, ..
        }) => Some(to),
        Record::Lost(_) | Record::Entry(_) => None,
    });
    repaired.max().unwrap_or_default()
}
