//! Checks a board's whole record against its chain.

use super::{
    JournalError,
    chain::ChainLink,
    contradiction::Contradiction,
    finding::{Finding, FindingKind},
    identity::{self, Established, Identity, OnFile},
    line::Record,
    naming::{self, Misnamed, OtherRecord, Sorted},
    reader::Reader,
    retention::Removed,
    segment::{self, Flaw, Scan, Segment},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// The result of checking a board's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// Number of files read.
    pub segments: usize,
    /// Number of sealed entries in them.
    pub entries: u64,
    /// The highest number in use; 0 for an empty record.
    pub last_seq: EntrySeq,
    /// The last link. If it is noted elsewhere, it later proves that nothing was changed.
    pub link: ChainLink,
    /// The findings, in the order of the record.
    pub findings: Vec<Finding>,
    /// The file and line in which the record ends.
    end: (String, usize),
}

impl Verified {
    /// Adds a finding if the record ends before `given`, the last number known from elsewhere.
    pub fn compare_with(&mut self, given: EntrySeq) {
        if given > self.last_seq {
            self.findings.push(Finding {
                file: self.end.0.clone(),
                line: self.end.1,
                what: FindingKind::CutOff {
                    last: self.last_seq,
                    given,
                },
            });
        }
    }

    /// Adds a finding for each file that contradicts another one.
    pub fn add_contradictions(&mut self, files: impl IntoIterator<Item = Contradiction>) {
        let findings = files.into_iter().map(|Contradiction { file, other, .. }| {
            let what = FindingKind::Contradiction { other };
            Finding {
                file,
                line: 1,
                what,
            }
        });
        self.findings.extend(findings);
    }

    /// The first place at which the record differs from what was written.
    #[must_use]
    pub fn first_break(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.what.is_break())
    }
}

impl Reader {
    /// Reads a board's whole record and recomputes its chain. It may run beside a daemon that is
    /// writing: an unfinished end is not a break.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`] for a file that cannot be read, [`JournalError::Version`] and
    /// [`JournalError::Foreign`] for a file that is not this board's.
    pub fn verify(&self, board: &BoardId) -> Result<Verified, JournalError> {
        let directory = self.directory_of(board);
        let read = |error| JournalError::io("read", &directory, error);
        let sorted = self.sorted(board).map_err(read)?;
        let mut check = Check {
            before: None,
            removed: Removed::read(&directory)?,
            verified: Verified {
                segments: 0,
                entries: 0,
                last_seq: EntrySeq::ZERO,
                link: ChainLink::NONE,
                findings: Vec::new(),
                end: ("(no file)".to_owned(), 1),
            },
        };
        check.names(&sorted);
        let newest = sorted.segments.last().map(|segment| segment.first);
        for segment in &sorted.segments {
            let read = |error| JournalError::io("read", &segment.path, error);
            let bytes = self.bytes(segment).map_err(read)?;
            let scan = segment::scan(segment, board, &bytes)?;
            check.segment(segment, &scan, newest == Some(segment.first));
        }
        Ok(check.verified)
    }
}

/// A check in progress across the files.
struct Check {
    /// The previous file: the number after its last, and its last link if known.
    before: Option<(EntrySeq, Option<ChainLink>)>,
    /// The note about games removed before the first file.
    removed: Option<Removed>,
    verified: Verified,
}

impl Check {
    /// Names the files whose names are wrong.
    fn names(&mut self, sorted: &Sorted) {
        let mut found = |file, what| {
            let line = 1;
            self.verified.findings.push(Finding { file, line, what });
        };
        for Misnamed { segment, first } in &sorted.misnamed {
            let first = *first;
            found(segment.file_name(), FindingKind::Misnamed { first });
        }
        for segment in &sorted.renaming {
            let first = segment.first;
            let is_used = sorted.segments.contains(segment);
            found(
                segment.file_name(),
                FindingKind::Renaming { first, is_used },
            );
        }
        for Misnamed { segment, first } in &sorted.copies {
            let first = *first;
            found(segment.file_name(), FindingKind::Copy { first });
        }
        for path in &sorted.set_aside {
            found(naming::file_name(path), FindingKind::SetAside);
        }
        for OtherRecord {
            file,
            record,
            is_set_aside,
            ..
        } in &sorted.other_record
        {
            let (record, is_set_aside) = (*record, *is_set_aside);
            let what = FindingKind::OtherRecord {
                record,
                is_set_aside,
            };
            found(file.clone(), what);
        }
        if let Established {
            identity: identity @ (Identity::Known(_) | Identity::Unproved),
            file: OnFile::Missing | OnFile::Damaged,
        } = sorted.established
        {
            let proved = identity.id();
            found(identity::FILE.to_owned(), FindingKind::Identity { proved });
        }
        for path in &sorted.strays {
            let is_numbered = segment::is_numbered_stray(path);
            found(naming::file_name(path), FindingKind::Stray { is_numbered });
        }
    }

    fn segment(&mut self, segment: &Segment, scan: &Scan, newest: bool) {
        let file = segment.file_name();
        let mut found = |line, what| {
            let file = file.clone();
            self.verified.findings.push(Finding { file, line, what });
        };
        match (self.before, &scan.header) {
            (None, header) if segment.first > EntrySeq::new(1) => {
                let link = header.as_ref().map(|header| header.chain);
                found(1, begins_late(self.removed.as_ref(), segment.first, link));
            }
            (Some((due, _)), _) if due != segment.first => {
                let first = segment.first;
                found(1, FindingKind::Missing { due, found: first });
            }
            (Some((_, Some(link))), Some(header)) if header.chain != link => {
                found(1, FindingKind::OtherBefore);
            }
            (None, Some(header)) if header.chain != ChainLink::NONE => {
                found(1, FindingKind::OtherBefore);
            }
            _ => {}
        }
        match &scan.header {
            // The newest file may have just been created.
            None if newest && scan.is_blank() => {}
            None => found(1, FindingKind::Header),
            Some(header) => {
                if let Some(original) = header.repaired.clone() {
                    found(1, FindingKind::Repaired { original });
                }
            }
        }
        for (index, record) in scan.records().into_iter().enumerate() {
            if let Record::Lost(lost) = record {
                found(index + 2, FindingKind::Lost(lost));
            }
        }
        match scan.flaw {
            None => {}
            Some(Flaw::Damage { line, fault, .. }) => {
                let lost = scan.unproved();
                found(line, FindingKind::Line { fault, lost });
            }
            Some(Flaw::Torn { bytes }) => {
                let line = scan.entries.len() + scan.lost.len() + 2;
                let cut = !newest;
                found(line, FindingKind::Unfinished { bytes, cut });
            }
        }
        self.verified.end = (file, scan.entries.len() + scan.lost.len() + 1);
        self.verified.segments += 1;
        let is_entry = |record: &&Record| matches!(record, Record::Entry(_));
        let proved = scan.entries.len() + scan.behind.iter().filter(is_entry).count();
        self.verified.entries += proved as u64;
        let highest = match scan.flaw {
            Some(Flaw::Damage { highest, .. }) => highest,
            _ => scan.next.previous(),
        };
        self.verified.last_seq = highest;
        if let Some(link) = scan.link {
            self.verified.link = link;
        }
        let link = scan.link.filter(|_| scan.flaw.is_none());
        self.before = Some((highest.next(), link));
    }
}

/// Classifies an oldest file that does not begin with the first entry.
fn begins_late(
    removed: Option<&Removed>,
    first: EntrySeq,
    before: Option<ChainLink>,
) -> FindingKind {
    match removed {
        Some(removed) if removed.next() < first => FindingKind::Missing {
            due: removed.next(),
            found: first,
        },
        Some(removed) if removed.next() == first => {
            if before.is_some_and(|before| before != removed.chain) {
                return FindingKind::OtherBefore;
            }
            FindingKind::Removed {
                through: removed.through,
                time: removed.time.clone(),
            }
        }
        // The removal was interrupted: files that the note names are still present.
        Some(_) => FindingKind::BeginsLate { first },
        None if before == Some(ChainLink::NONE) => FindingKind::BeginsHigh { first },
        None => FindingKind::Missing {
            due: EntrySeq::new(1),
            found: first,
        },
    }
}
