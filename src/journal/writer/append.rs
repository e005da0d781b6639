//! Appends entries: one write and one sync for each segment.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    panic::resume_unwind,
    thread,
};

use tokio::sync::oneshot;

use super::{GrowingSegment, Ledger, PendingRepair, Writer};
use crate::{
    Append, FILE_MODE, JournalError, PartialAppend,
    chain::ChainLink,
    identity::Identity,
    line,
    recovery::{self, Sound},
    segment::Segment,
    times::seconds_since,
};
use remisd_vocabulary::name::BoardId;

/// Entries of one board that were handed in together, and their outcome.
pub(super) struct PendingAppend {
    pub(super) entries: Vec<Append>,
    /// How many of them are on the disk.
    pub(super) kept: usize,
    /// Why the next one is not on the disk.
    pub(super) failed: Option<JournalError>,
    pub(super) answer: oneshot::Sender<Result<(), PartialAppend>>,
}

impl PendingAppend {
    /// Sends the answer. The caller may have stopped waiting; the stored entries remain.
    fn answer(self) {
        let Self { kept, failed, .. } = self;
        let _ = self
            .answer
            .send(failed.map_or(Ok(()), |error| Err(PartialAppend { kept, error })));
    }
}

/// One board's ledger and the entries to write for it.
type Share = (BoardId, Ledger, Vec<PendingAppend>);

/// Entries, each with the index of its [`PendingAppend`].
type Run = Vec<(usize, Append)>;

/// Maximum number of threads that sync boards in parallel.
const SYNCS: usize = 16;

/// A disk that takes at least this long for a batch is worth a warning.
const SLOW_MS: u64 = 1_000;

impl Writer {
    pub(super) fn append_all(&mut self, appends: Vec<PendingAppend>) {
        let mut by_board: BTreeMap<BoardId, Vec<PendingAppend>> = BTreeMap::new();
        for waiting in appends {
            if let Some(first) = waiting.entries.first() {
                let board = first.board.clone();
                by_board.entry(board).or_default().push(waiting);
            }
        }
        let mut shares = Vec::new();
        for (board, waiting) in by_board {
            match self.boards.remove(&board) {
                Some(ledger) => shares.push((board, ledger, waiting)),
                None => refuse(waiting),
            }
        }
        self.boards.extend(self.append_shares(shares));
    }

    /// Appends the shares of several boards in parallel. The file system combines concurrent syncs
    /// into one write of its own journal, so together they take less time than one by one.
    fn append_shares(&self, mut shares: Vec<Share>) -> Vec<(BoardId, Ledger)> {
        let each = shares.len().div_ceil(SYNCS).max(1);
        let mut parts = Vec::new();
        while shares.len() > each {
            parts.push(shares.split_off(shares.len() - each));
        }
        let append = |part: Vec<Share>| -> Vec<(BoardId, Ledger)> {
            let done = part.into_iter().map(|(board, mut ledger, waiting)| {
                self.append_board(&board, &mut ledger, waiting);
                (board, ledger)
            });
            done.collect()
        };
        thread::scope(|scope| {
            let aside: Vec<_> = parts
                .into_iter()
                .map(|part| scope.spawn(|| append(part)))
                .collect();
            let mut ledgers = append(shares);
            for one in aside {
                // Propagate a panic, as if there were no threads.
                ledgers.extend(one.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            ledgers
        })
    }

    /// Appends one board's share, with one write and one sync per segment.
    fn append_board(&self, board: &BoardId, ledger: &mut Ledger, mut waiting: Vec<PendingAppend>) {
        let mut run = Run::new();
        for of in 0..waiting.len() {
            for entry in std::mem::take(&mut waiting[of].entries) {
                if entry.begins_segment {
                    self.append_run(board, ledger, std::mem::take(&mut run), &mut waiting);
                }
                if waiting[of].failed.is_some() {
                    break;
                }
                let expected = run
                    .last()
                    .map_or(ledger.last, |(_, entry)| entry.seq)
                    .next();
                if entry.seq == expected {
                    run.push((of, entry));
                } else {
                    waiting[of].failed = Some(JournalError::Sequence {
                        board: board.clone(),
                        expected,
                        got: entry.seq,
                    });
                }
            }
        }
        self.append_run(board, ledger, run, &mut waiting);
        waiting.into_iter().for_each(PendingAppend::answer);
    }

    /// Appends consecutive entries of one segment and notes the outcome.
    fn append_run(
        &self,
        board: &BoardId,
        ledger: &mut Ledger,
        run: Run,
        waiting: &mut [PendingAppend],
    ) {
        let Some((_, last)) = run.last() else {
            return;
        };
        let last = last.seq;
        let began = self.clock.monotonic_us();
        let result = self.settle(board, ledger).and_then(|()| {
            let entries: Vec<&Append> = run.iter().map(|(_, entry)| entry).collect();
            self.write(board, ledger, &entries)
        });
        if result.is_ok() {
            let took = seconds_since(&*self.clock, began);
            self.times.write.observe(took);
        }
        let took_ms = self.clock.monotonic_us().saturating_sub(began) / 1_000;
        if took_ms >= SLOW_MS {
            tracing::warn!(%board, took_ms, entries = run.len(), "the disk is slow");
        }
        match &result {
            Ok(()) => {
                ledger.last = last;
                self.acknowledge(board, ledger, GrowingSegment::Newest);
            }
            Err(error) => tracing::debug!(%board, entries = run.len(), "not recorded: {error}"),
        }
        for (of, _) in run {
            match &result {
                Ok(()) => waiting[of].kept += 1,
                Err(error) => waiting[of].failed = Some(error.clone()),
            }
        }
    }

    fn write(
        &self,
        board: &BoardId,
        ledger: &mut Ledger,
        entries: &[&Append],
    ) -> Result<(), JournalError> {
        let first = entries[0];
        let mut bytes = Vec::new();
        let link;
        match &ledger.sound {
            Some(sound) if !first.begins_segment || sound.segment.first == first.seq => {
                let segment = sound.segment.clone();
                link = encode_all(entries, sound.link, &mut bytes);
                ledger.doubt = Some(PendingRepair::Tail);
                let file = ledger.file.take();
                let file = self
                    .grow(&segment, file, &bytes)
                    .map_err(|error| JournalError::io("write", &segment.path, error))?;
                ledger.file = Some(file);
            }
            _ => {
                let segment = Segment::of(&ledger.directory, first.seq);
                let failed = |error| JournalError::io("write", &segment.path, error);
                if first.seq > line::HIGHEST {
                    return Err(failed(io::Error::other("the numbers are used up")));
                }
                // No header may carry an id that a power cut can take from the file. One that the
                // chain proves is in earlier headers already.
                let now = ledger.established;
                match self.store_id(board, &ledger.directory, now) {
                    Ok(stored) => ledger.established = stored,
                    Err(error) if now.identity == Identity::Unmade => return Err(failed(error)),
                    Err(error) => {
                        tracing::warn!(%board, "the id of the record is not written: {error}");
                    }
                }
                let before = ledger
                    .sound
                    .as_ref()
                    .map_or(ChainLink::NONE, |sound| sound.link);
                let mut header = self.header(board, first.seq, before);
                header.record = ledger.established.identity.id();
                let begun = recovery::encode_header(&header, &mut bytes).map_err(failed)?;
                link = encode_all(entries, begun, &mut bytes);
                // After a failure, only a file that did not exist before may be removed.
                let file = create(&segment).map_err(failed)?;
                ledger.doubt = Some(PendingRepair::Begun(segment.clone()));
                let file = self.begin(ledger, file, &bytes).map_err(failed)?;
                ledger.file = Some(file);
                ledger.sound = Some(Sound {
                    segment,
                    length: 0,
                    link,
                });
            }
        }
        if let Some(sound) = &mut ledger.sound {
            sound.length += bytes.len() as u64;
            sound.link = link;
        }
        ledger.doubt = None;
        Ok(())
    }

    pub(super) fn grow(
        &self,
        segment: &Segment,
        file: Option<File>,
        bytes: &[u8],
    ) -> io::Result<File> {
        let mut file = match file {
            Some(file) => file,
            None => OpenOptions::new().append(true).open(&segment.path)?,
        };
        file.write_all(bytes)?;
        self.disk.sync_bytes(&file)?;
        still_named(&file)?;
        Ok(file)
    }

    /// Writes a new file and syncs its bytes and its name in parallel.
    fn begin(&self, ledger: &Ledger, mut file: File, bytes: &[u8]) -> io::Result<File> {
        file.write_all(bytes)?;
        let (bytes, name) = thread::scope(|scope| {
            let name = scope.spawn(|| self.disk.sync_directory(&ledger.directory));
            let bytes = self.disk.sync_all(&file);
            (
                bytes,
                name.join().unwrap_or_else(|panic| resume_unwind(panic)),
            )
        });
        bytes.and(name)?;
        Ok(file)
    }
}

fn refuse(waiting: Vec<PendingAppend>) {
    for mut one in waiting {
        if let Some(Append { board, seq, .. }) = one.entries.first() {
            let (board, seq) = (board.clone(), *seq);
            one.failed = Some(JournalError::NotRecovered { board, seq });
        }
        one.answer();
    }
}

/// Fails if the file was deleted. A deleted file accepts bytes like any other and keeps none.
fn still_named(file: &File) -> io::Result<()> {
    if file.metadata()?.nlink() > 0 {
        return Ok(());
    }
    let text = "the file was removed while the daemon was writing to it";
    Err(io::Error::new(io::ErrorKind::NotFound, text))
}

fn create(segment: &Segment) -> io::Result<File> {
    OpenOptions::new()
        .append(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(&segment.path)
}

fn encode_all(entries: &[&Append], before: ChainLink, bytes: &mut Vec<u8>) -> ChainLink {
    entries.iter().fold(before, |before, entry| {
        line::encode_entry(entry.seq, &entry.body, before, bytes)
    })
}
