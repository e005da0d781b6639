//! Files of one board that cannot belong to one record.
//!
//! A file from another computer, or from an older backup, may have this board's name, a sound
//! header and a number that no other file has. That it does not continue the file before proves
//! nothing, because a lost or damaged file looks the same. Two files contradict each other only if
//!
//! - both have an entry with the same number, and the entries differ; or
//! - one begins with the number after the other's last, that one is sound to its end, and the
//!   header does not name its last link; or
//! - their headers carry different ids of a record. Where the record's id is known, such files are
//!   sorted out before.
//!
//! Which of the two is foreign is not proved. The one in the shorter run of files that continue
//! each other is named. Nothing is removed, and damage is never taken for a contradiction.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom},
};

use super::{
    Entry,
    chain::ChainLink,
    identity::RecordId,
    line::{self, Header, MAX_LINE, Record},
    naming,
    segment::{self, Lines, Segment},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Bytes at the end of a segment that are searched first for its last line.
const TAIL: u64 = 4 << 10;

/// A file that contradicts the rest of a board's record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The file.
    pub file: String,
    /// The number with which it begins.
    pub first: EntrySeq,
    /// A file that it contradicts.
    pub other: String,
    /// Whether it is the newest file, with which the daemon continues.
    pub is_newest: bool,
}

/// Returns the files of a record that contradict others. `segments` and the result are in order.
/// Numbers up to `given` are known to have been issued.
///
/// # Errors
///
/// A file cannot be read. What the others contradict is then not known.
pub fn find(
    segments: &[Segment],
    board: &BoardId,
    given: EntrySeq,
) -> io::Result<Vec<Contradiction>> {
    let parts = segments.iter().filter_map(|segment| {
        let read = SegmentPart::read(segment, board).map_err(segment::error_of(&segment.path));
        read.transpose()
    });
    let parts = parts.collect::<io::Result<Vec<SegmentPart>>>()?;
    let pairs = contradicting(&parts)?;
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let runs = Runs::of(&parts, given);
    let mut named: Vec<(usize, usize)> = (pairs.into_iter())
        .map(|(older, newer)| {
            if runs.outweighs(older, newer) {
                (newer, older)
            } else {
                (older, newer)
            }
        })
        .collect();
    named.sort_unstable();
    named.dedup_by_key(|(foreign, _)| *foreign);
    let newest = segments.last().map(|segment| segment.first);
    let files = named.into_iter().map(|(foreign, other)| {
        let segment = &parts[foreign].segment;
        Contradiction {
            file: segment.file_name(),
            first: segment.first,
            other: parts[other].segment.file_name(),
            is_newest: newest == Some(segment.first),
        }
    });
    Ok(files.collect())
}

/// What joins a file to the others.
struct SegmentPart {
    segment: Segment,
    header: Header,
    /// The link of its last line; `None` if that line cannot be read.
    link: Option<ChainLink>,
    /// The highest number in it.
    last: EntrySeq,
    /// The highest number of an entry in it.
    last_entry: EntrySeq,
}

impl SegmentPart {
    /// Reads both ends of a file; `None` if it has no sound header of this board.
    fn read(segment: &Segment, board: &BoardId) -> io::Result<Option<Self>> {
        let mut file = BufReader::with_capacity(512, File::open(&segment.path)?);
        let mut first = Vec::new();
        (&mut file)
            .take(MAX_LINE as u64)
            .read_until(b'\n', &mut first)?;
        let header = first.strip_suffix(b"\n");
        let Some(header) = header.and_then(|first| naming::header(first, board)) else {
            return Ok(None);
        };
        let length = file.get_ref().metadata()?.len();
        let body = first.len() as u64;
        let mut tail = Vec::new();
        for begin in [length.saturating_sub(TAIL).max(body), body] {
            tail.clear();
            file.seek(SeekFrom::Start(begin))?;
            file.read_to_end(&mut tail)?;
            if entries_in(&tail).next().is_some() {
                break;
            }
        }
        let numbers = Lines::of(&tail).filter_map(line::record);
        let last = numbers.map(|sealed| sealed.record.numbers().1).max();
        let last_entry = entries_in(&tail).map(|entry| entry.seq).max();
        let sealed = Lines::of(&tail).last().and_then(line::record);
        Ok(Some(Self {
            link: sealed
                .filter(|_| tail.ends_with(b"\n"))
                .map(|sealed| sealed.link),
            last: last.unwrap_or(segment.first.previous()),
            last_entry: last_entry.unwrap_or_default(),
            segment: segment.clone(),
            header,
        }))
    }

    /// The number after its last.
    const fn next(&self) -> EntrySeq {
        self.last.next()
    }

    fn continues(&self, before: &Self) -> bool {
        before.link == Some(self.header.chain) && before.next() == self.segment.first
    }

    /// Whether this file begins right after `before` and does not continue it.
    fn passes_by(&self, before: &Self) -> io::Result<bool> {
        // A header that a repair has written may name an older link.
        let is_original = self.header.repaired.is_none() && self.header.chain != ChainLink::NONE;
        let may_pass = is_original
            && before.next() == self.segment.first
            && before.link.is_some_and(|link| link != self.header.chain);
        Ok(may_pass && before.is_sound()?)
    }

    /// Whether each line follows on the one before.
    fn is_sound(&self) -> io::Result<bool> {
        let scan = segment::scan_records(&self.segment, &self.bytes()?);
        Ok(scan.header.is_some() && scan.flaw.is_none())
    }

    /// Whether both have an entry with the same number, and the entries differ.
    fn differs_from(&self, other: &Self) -> io::Result<bool> {
        let (ours, theirs) = (self.bodies()?, other.bodies()?);
        let mut ours = ours.iter();
        Ok(ours.any(|(seq, body)| theirs.get(seq).is_some_and(|other| other != body)))
    }

    fn bodies(&self) -> io::Result<HashMap<EntrySeq, bytes::Bytes>> {
        let bytes = self.bytes()?;
        let bodies = entries_in(&bytes).map(|entry| (entry.seq, entry.body));
        Ok(bodies.collect())
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        fs::read(&self.segment.path).map_err(segment::error_of(&self.segment.path))
    }
}

/// The good entries in the lines of `bytes`.
fn entries_in(bytes: &[u8]) -> impl Iterator<Item = Entry> {
    let records = Lines::of(bytes).filter_map(line::record);
    records.filter_map(|sealed| match sealed.record {
        Record::Entry(entry) => Some(entry),
        Record::Lost(_) => None,
    })
}

/// Pairs of files, each an older and a newer one, that contradict each other.
fn contradicting(parts: &[SegmentPart]) -> io::Result<Vec<(usize, usize)>> {
    let mut pairs = Vec::new();
    let mut by_next: HashMap<EntrySeq, Vec<usize>> = HashMap::new();
    // Only entries can differ. A `lost` line may retire numbers far above all entries.
    let mut highest_entry = EntrySeq::ZERO;
    let mut by_id: BTreeMap<RecordId, usize> = BTreeMap::new();
    for (newer, part) in parts.iter().enumerate() {
        if let Some(id) = part.header.record {
            let other = by_id.iter().find(|(other, _)| **other != id);
            pairs.extend(other.map(|(_, older)| (*older, newer)));
            by_id.insert(id, newer);
        }
        if highest_entry >= part.segment.first {
            for (older, other) in parts[..newer].iter().enumerate() {
                if other.last_entry >= part.segment.first && part.differs_from(other)? {
                    pairs.push((older, newer));
                    break;
                }
            }
        }
        let before = by_next.get(&part.segment.first).into_iter().flatten();
        let before: Vec<usize> = before.copied().collect();
        if !before.iter().any(|older| part.continues(&parts[*older])) {
            for older in before {
                if part.passes_by(&parts[older])? {
                    pairs.push((older, newer));
                    break;
                }
            }
        }
        by_next.entry(part.next()).or_default().push(newer);
        highest_entry = highest_entry.max(part.last_entry);
    }
    Ok(pairs)
}

/// The runs of files that continue each other.
struct Runs {
    /// The run of each file.
    of: Vec<usize>,
    /// Of each run: its length, whether it has the last number that is known elsewhere, its first
    /// number in the newest file.
    weights: Vec<(usize, bool, EntrySeq)>,
}

impl Runs {
    fn of(parts: &[SegmentPart], given: EntrySeq) -> Self {
        let mut ends: HashMap<(EntrySeq, String), usize> = HashMap::new();
        let mut runs = Self {
            of: Vec::new(),
            weights: Vec::new(),
        };
        for part in parts {
            let before = (part.segment.first, part.header.chain.to_string());
            let run = ends.remove(&before).unwrap_or_else(|| {
                runs.weights.push((0, false, EntrySeq::ZERO));
                runs.weights.len() - 1
            });
            let (length, has_given, newest) = &mut runs.weights[run];
            *length += 1;
            *has_given |= (part.segment.first..=part.last).contains(&given);
            *newest = part.segment.first;
            if let Some(link) = part.link {
                ends.insert((part.next(), link.to_string()), run);
            }
            runs.of.push(run);
        }
        runs
    }

    /// Whether the run of `part` is rather our own than that of `other`: it is longer, or it has
    /// what the broker has acknowledged, or it is newer.
    fn outweighs(&self, part: usize, other: usize) -> bool {
        self.weights[self.of[part]] > self.weights[self.of[other]]
    }
}
