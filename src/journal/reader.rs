//! Reads the journal while the writer may be appending to it.

mod segment_file;

use std::{
    fs, io,
    ops::RangeInclusive,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use self::segment_file::passed_over_in;
pub use self::segment_file::{Gap, PassedOver, SegmentFile, SegmentRead};
use super::{
    Entry,
    contradiction::{self, Contradiction},
    line::{self, Record, Sealed},
    naming::{self, OtherRecord, Sorted},
    place,
    segment::{self, Lines, Segment},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Below this many bytes the search for a starting point stops, as reading them all is fast enough.
const NEAR: usize = 4 << 10;

/// Reads a journal's directory without locking it. It only ever returns finished lines with a
/// correct checksum.
#[derive(Debug, Clone)]
pub struct Reader {
    directory: PathBuf,
    work: Arc<Work>,
}

/// Counts directory listings and file reads; tests check that the work is linear.
#[derive(Debug, Default)]
pub struct Work {
    listed: AtomicUsize,
    read: AtomicUsize,
}

impl Work {
    /// Number of directory listings.
    #[must_use]
    pub fn listed(&self) -> usize {
        self.listed.load(Ordering::SeqCst)
    }

    /// Number of file reads.
    #[must_use]
    pub fn read(&self) -> usize {
        self.read.load(Ordering::SeqCst)
    }
}

impl Reader {
    /// A reader of the journal in `directory`.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            work: Arc::default(),
        }
    }

    /// Lists a board's segments and sorts them by their headers, as the daemon does when it starts.
    pub(super) fn sorted(&self, board: &BoardId) -> io::Result<Sorted> {
        naming::sort_out(&self.directory_of(board), &self.list(board)?, board)
    }

    /// Lists a board's segments, oldest first. Each call lists the whole directory, so callers that
    /// need several segments call it once.
    pub(super) fn list(&self, board: &BoardId) -> io::Result<Vec<Segment>> {
        self.work.listed.fetch_add(1, Ordering::SeqCst);
        segment::list(&self.directory_of(board))
    }

    /// Reads the bytes of a segment.
    pub(super) fn bytes(&self, segment: &Segment) -> io::Result<Vec<u8>> {
        self.work.read.fetch_add(1, Ordering::SeqCst);
        fs::read(&segment.path)
    }

    /// The work that this reader and its clones have caused on the disk.
    #[must_use]
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// The journal's directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn directory_of(&self, board: &BoardId) -> PathBuf {
        self.directory.join(board.as_str())
    }

    /// Whether boards have a record here: a daemon has used the directory for them, or their files
    /// are in it.
    pub fn is_journal(&self) -> io::Result<bool> {
        let boards = self.boards()?;
        if self.directory.join(place::LOCK).exists() {
            return Ok(!boards.is_empty());
        }
        // Of a directory that cannot be read nothing shows that it is a board's.
        let has_record = |board| {
            let files = fs::read_dir(self.directory_of(board)).into_iter().flatten();
            let mut paths = files.flatten().map(|file| file.path());
            paths.any(|path| segment::is_of_record(&path))
        };
        Ok(boards.iter().any(has_record))
    }

    /// Lists the boards that have a record, by name.
    pub fn boards(&self) -> io::Result<Vec<BoardId>> {
        let mut boards = Vec::new();
        for file in fs::read_dir(&self.directory)? {
            let file = file?;
            if file.file_type()?.is_dir()
                && let Some(Ok(board)) = file.file_name().to_str().map(str::parse)
            {
                boards.push(board);
            }
        }
        boards.sort();
        Ok(boards)
    }

    /// The files of a board that contradict others: they may be of another record. Numbers up to
    /// `given` are known to be assigned.
    pub fn contradictions(
        &self,
        board: &BoardId,
        given: EntrySeq,
    ) -> io::Result<Vec<Contradiction>> {
        contradiction::find(&self.sorted(board)?.segments, board, given)
    }

    /// The files in a board's directory that are of another record.
    pub fn other_record(&self, board: &BoardId) -> io::Result<Vec<OtherRecord>> {
        Ok(self.sorted(board)?.other_record)
    }

    /// The first number of each of a board's segments, oldest first.
    pub fn segments(&self, board: &BoardId) -> io::Result<Vec<EntrySeq>> {
        let segments = self.sorted(board)?.segments.into_iter();
        Ok(segments.map(|segment| segment.first).collect())
    }

    /// The entries of the segment that begins with `first`.
    pub fn segment(&self, board: &BoardId, first: EntrySeq) -> io::Result<Vec<Entry>> {
        let mut files = self.each_segment(board)?.into_iter();
        let file = files.find(|file| file.first() == first);
        file.map_or(Ok(Vec::new()), |file| Ok(file.read()?.entries))
    }

    /// A board's segments, oldest first. The directory is listed once for all of them.
    pub fn each_segment(&self, board: &BoardId) -> io::Result<Vec<SegmentFile>> {
        self.each_segment_up_to(board, EntrySeq::ZERO)
    }

    /// Like [`Reader::each_segment`], for a board whose numbers up to `given` are known to be
    /// assigned. Those that the newest segment lacks count as missing there.
    pub fn each_segment_up_to(
        &self,
        board: &BoardId,
        given: EntrySeq,
    ) -> io::Result<Vec<SegmentFile>> {
        let segments = self.sorted(board)?.segments;
        let firsts = segments.iter().skip(1).map(|segment| Some(segment.first));
        let next: Vec<_> = firsts.chain([None]).collect();
        let files = segments.into_iter().zip(next);
        let file = |(segment, next)| SegmentFile {
            reader: self.clone(),
            segment,
            next,
            given,
        };
        Ok(files.map(file).collect())
    }

    /// The highest number in a board's newest segment; 0 if there is none.
    pub fn last_number(&self, board: &BoardId) -> io::Result<EntrySeq> {
        let Some(newest) = self.sorted(board)?.segments.pop() else {
            return Ok(EntrySeq::ZERO);
        };
        let bytes = self
            .bytes(&newest)
            .map_err(segment::error_of(&newest.path))?;
        let records = Lines::of(&bytes).filter_map(line::record);
        let last = records.map(|sealed| sealed.record.numbers().1).max();
        Ok(last.unwrap_or(newest.first.previous()))
    }

    /// The skipped numbers of the segment that begins with `first`.
    pub fn passed_over(&self, board: &BoardId, first: EntrySeq) -> io::Result<PassedOver> {
        let segments = self.list(board)?;
        let Some(segment) = segments.iter().find(|segment| segment.first == first) else {
            return Ok(PassedOver::default());
        };
        Ok(passed_over_in(&self.bytes(segment)?))
    }

    /// The skipped numbers above `after`, in order, across segments.
    pub fn passed_over_after(
        &self,
        board: &BoardId,
        after: EntrySeq,
    ) -> io::Result<Vec<RangeInclusive<EntrySeq>>> {
        let segments = self.list(board)?;
        let newer = segments.partition_point(|segment| segment.first <= after.next());
        let mut passed_over = Vec::new();
        for segment in &segments[newer.saturating_sub(1)..] {
            passed_over.extend(passed_over_in(&self.bytes(segment)?).0);
        }
        passed_over.retain(|passed| *passed.end() > after);
        Ok(passed_over)
    }

    /// At most `limit` entries numbered after `seq`, in order, across segments.
    ///
    /// Invalid lines are left out, with a warning in the log that names them; the entries' numbers
    /// show the gap.
    pub fn read_after(
        &self,
        board: &BoardId,
        seq: EntrySeq,
        limit: usize,
    ) -> io::Result<Vec<Entry>> {
        self.read_between(board, seq, EntrySeq::MAX, limit)
    }

    /// Like [`Reader::read_after`], without entries numbered above `last`.
    pub(super) fn read_between(
        &self,
        board: &BoardId,
        seq: EntrySeq,
        last: EntrySeq,
        limit: usize,
    ) -> io::Result<Vec<Entry>> {
        let segments = self.list(board)?;
        let newer = segments.partition_point(|segment| segment.first <= seq.next());
        let mut entries = Vec::new();
        for segment in &segments[newer.saturating_sub(1)..] {
            if segment.first > last || entries.len() >= limit {
                break;
            }
            let bytes = match self.bytes(segment) {
                Ok(bytes) => bytes,
                // A blank segment may be removed after the directory was listed.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            collect(segment, &bytes, seq, last, limit, &mut entries);
        }
        Ok(entries)
    }
}

fn collect(
    segment: &Segment,
    bytes: &[u8],
    seq: EntrySeq,
    last: EntrySeq,
    limit: usize,
    entries: &mut Vec<Entry>,
) {
    let before = entries.len();
    let begin = begin_after(bytes, seq);
    collect_from(begin, segment, bytes, seq, last, limit, entries);
    // The number after `seq` was skipped, or a line is out of place. In the second case the binary
    // search proves nothing, so read the whole file.
    let follows = |first: &Entry| first.seq == seq.next();
    if begin > 0 && !entries.get(before).is_some_and(follows) {
        entries.truncate(before);
        collect_from(0, segment, bytes, seq, last, limit, entries);
    }
}

fn collect_from(
    begin: usize,
    segment: &Segment,
    bytes: &[u8],
    seq: EntrySeq,
    last: EntrySeq,
    limit: usize,
    entries: &mut Vec<Entry>,
) {
    // Skip the first line: it is the header, or an entry that was not asked for.
    for (index, line) in Lines::of(&bytes[begin..]).enumerate().skip(1) {
        if entries.len() >= limit {
            return;
        }
        let after = entries.last().map_or(seq, |entry| entry.seq);
        match line::record(line) {
            Some(Sealed {
                record: Record::Entry(entry),
                ..
            }) if entry.seq > after && entry.seq <= last => entries.push(entry),
            Some(_) => {}
            None => tracing::warn!(
                file = %segment.path.display(),
                line = Lines::of(&bytes[..begin]).count() + index + 1,
                "left out a journal line that cannot be believed"
            ),
        }
    }
}

/// Finds the start of a line before which no entry is numbered above `seq`, provided that numbers
/// only grow.
///
/// While events wait to be published, a board's segment is read again and again during play.
/// Starting at the first line each time would cost more as the game grows.
fn begin_after(bytes: &[u8], seq: EntrySeq) -> usize {
    let (mut begin, mut end) = (0, bytes.len());
    while end - begin > NEAR {
        let middle = begin + (end - begin) / 2;
        match first_entry(bytes, middle, end) {
            Some((at, number)) if number <= seq => begin = at,
            _ => end = middle,
        }
    }
    begin
}

/// Finds the first good entry that begins between `from` and `end`: its offset and number.
fn first_entry(bytes: &[u8], from: usize, end: usize) -> Option<(usize, EntrySeq)> {
    let rest = &bytes[from..];
    let mut at = from + rest.iter().position(|&byte| byte == b'\n')? + 1;
    for line in Lines::of(&bytes[at..]) {
        if at >= end {
            return None;
        }
        if let Some(Sealed {
            record: Record::Entry(entry),
            ..
        }) = line::record(line)
        {
            return Some((at, entry.seq));
        }
        at += line.len() + 1;
    }
    None
}
