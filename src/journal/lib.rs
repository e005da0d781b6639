//! The durable record: an acknowledged entry survives a power failure.
//!
//! The journal stores bytes under consecutive numbers, board by board. It does not know what they
//! mean or who reads them.
//!
//! ```text
//! <dir>/.lock                              one daemon at a time
//! <dir>/<board>/000000000001.jsonl         a segment: header, then a line per entry
//! <dir>/<board>/000000000214.jsonl         the next game
//! <dir>/<board>/000000000214.jsonl.damaged a file that a repair set aside
//! <dir>/<board>/000000000399.jsonl.copy    a copy of another segment, refused
//! <dir>/<board>/000000000412.jsonl.other   a segment of another record, refused
//! <dir>/<board>/record.json                the id of the board's record
//! <dir>/sessions.json                      when the sessions of this boot began
//! ```
//!
//! A single thread writes. It takes up to [`BATCH`] entries from its queue, writes each board's
//! share in one go, waits for the disk, and only then answers. After any failure on a file, the
//! writer reopens it, checks it, and cuts it back to the last acknowledged line before using it
//! again.
//!
//! Every line is sealed by a link of a chain ([`ChainLink`]). [`Reader::verify`] therefore finds the
//! place of any change, omission or addition. `protocol/journal.md` describes the format. A file of
//! another version is refused with [`JournalError::Version`] and left alone.
//! ```
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! use remisd_journal::{Append, Journal, DaemonSession};
//! # let dir = tempfile::tempdir()?;
//! let clock = std::sync::Arc::new(remisd_vocabulary::time::SystemClock::new());
//! let (journal, writer) = Journal::open(dir.path(), DaemonSession::begin()?, clock)?;
//!
//! let board: remisd_vocabulary::name::BoardId = "b017".parse()?;
//! let found = journal.recover(&board).await?;
//! journal
//!     .append(Append {
//!         board,
//!         seq: found.last_seq + 1,
//!         body: r#"{"move":"e2e4"}"#.into(),
//!         begins_segment: true,
//!     })
//!     .await?; // on the disk, not just on its way
//!
//! drop(journal);
//! writer.join().expect("the writer does not panic");
//! # Ok::<_, anyhow::Error>(())
//! # })?;
//! # Ok::<_, anyhow::Error>(())
//! ```
#![forbid(unsafe_code)]

mod behind;
mod chain;
mod contradiction;
pub mod disk;
mod entry;
mod error;
mod finding;
mod identity;
mod line;
mod missing;
mod naming;
mod place;
mod raw;
mod reader;
mod recovery;
mod retention;
mod segment;
mod session;
mod sessions;
#[cfg(test)]
pub(crate) mod tests;
mod times;
mod verify;
mod writer;

use std::{
    collections::BTreeMap,
    fs::File,
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread::JoinHandle,
};

use tokio::sync::{mpsc, oneshot};

pub use self::{
    chain::{ChainLink, InvalidChainLink},
    contradiction::Contradiction,
    entry::{Append, Entry, PartialAppend, RetiredNumbers, RetirementCause},
    error::{BodyFault, JournalError},
    finding::{Finding, FindingKind},
    identity::{NoRecordId, RecordId},
    line::{MAX_LINE, SCHEMA, VERSION},
    missing::{Missing, SegmentRemains},
    naming::OtherRecord,
    place::{FindLastSeq, JournalLocation, check_mount},
    raw::{RawBreak, RawLimits, RawLog, RawSeal, RawVerified, Recorder},
    reader::{Gap, PassedOver, Reader, SegmentFile, SegmentRead, Work},
    recovery::{Recovered, Repair},
    retention::{Expired, Retained},
    segment::Fault,
    session::DaemonSession,
    sessions::Sessions,
    times::DiskTimes,
    verify::Verified,
};
use entry::check_body;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::Clock};

/// Capacity of the writer's queue, in requests; further callers wait in [`Journal::append`].
pub const QUEUE: usize = 256;

/// Maximum number of requests in one batch of the writer.
pub const BATCH: usize = 64;

const FILE_MODE: u32 = 0o640;

/// The progress of each board's record on the disk.
type Progress = Arc<Mutex<BTreeMap<BoardId, DiskProgress>>>;

/// The progress of one board's record on the disk.
#[derive(Debug, Clone, Copy)]
struct DiskProgress {
    /// The last number that was acknowledged.
    last: EntrySeq,
    /// The first number of the segment that holds entries of this run of the daemon; `None` before
    /// the first such entry.
    segment: Option<EntrySeq>,
}

/// A handle to the writer. Clones share the writer; after the last one is dropped, it drains its
/// queue and stops.
#[derive(Debug, Clone)]
pub struct Journal {
    requests: mpsc::Sender<Request>,
    progress: Progress,
    times: DiskTimes,
    reader: Reader,
}

/// A request to the writer.
#[derive(Debug)]
enum Request {
    /// Entries of one board.
    Append(Vec<Append>, oneshot::Sender<Result<(), PartialAppend>>),
    Ping(oneshot::Sender<Result<(), JournalError>>),
    Recover(BoardId, oneshot::Sender<Result<Recovered, JournalError>>),
    Skip(BoardId, EntrySeq, oneshot::Sender<Result<(), JournalError>>),
}

impl Journal {
    /// Locks the directory, creating it if necessary, and starts the writer's thread.
    ///
    /// # Errors
    ///
    /// [`JournalError::Locked`] if another process holds the directory, or the operating system's
    /// error.
    pub fn open(
        directory: &Path,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        Self::open_on(directory, session, clock, Box::new(disk::System))
    }

    /// Opens the journal even if its disk is absent, as [`Journal::open`] does not.
    ///
    /// The writer then starts without the disk, and each [`Journal::recover`] tries again. The
    /// third value is the error that keeps the journal from being used now.
    ///
    /// # Errors
    ///
    /// Any error that does not go away by itself ([`JournalError::may_pass`]).
    pub fn open_at(
        place: JournalLocation,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, JoinHandle<()>, Option<JournalError>), JournalError> {
        Self::open_at_on(place, session, clock, Box::new(disk::System))
    }

    /// Like [`Journal::open_at`], on a disk of the caller's choice.
    ///
    /// # Errors
    ///
    /// See [`Journal::open_at`].
    pub fn open_at_on(
        place: JournalLocation,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
        disk: Box<dyn disk::Disk>,
    ) -> Result<(Self, JoinHandle<()>, Option<JournalError>), JournalError> {
        let (lock, missing) = match place.take(&*disk) {
            Ok(lock) => (Some(lock), None),
            Err(error) if error.may_pass() => (None, Some(error)),
            Err(error) => return Err(error),
        };
        let (journal, thread) = Self::start(place, lock, session, clock, disk)?;
        Ok((journal, thread, missing))
    }

    /// Like [`Journal::open`], on a disk of the caller's choice.
    ///
    /// # Errors
    ///
    /// See [`Journal::open`].
    pub fn open_on(
        directory: &Path,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
        disk: Box<dyn disk::Disk>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        let place = JournalLocation::from(directory);
        let lock = place.take(&*disk)?;
        Self::start(place, Some(lock), session, clock, disk)
    }

    fn start(
        place: JournalLocation,
        lock: Option<File>,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
        disk: Box<dyn disk::Disk>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        let (requests, queue) = mpsc::channel(QUEUE);
        let progress = Progress::default();
        let times = DiskTimes::default();
        let reader = Reader::new(&place.directory);
        let refused = {
            let directory = place.directory.clone();
            move |error| JournalError::io("start the writer of", &directory, error)
        };
        let writer = writer::Writer::new(
            place,
            lock,
            session,
            clock,
            disk,
            Arc::clone(&progress),
            times.clone(),
        );
        let thread = std::thread::Builder::new()
            .name("journal".to_owned())
            .spawn(move || writer.run(queue))
            .map_err(refused)?;
        let journal = Self {
            requests,
            progress,
            times,
            reader,
        };
        Ok((journal, thread))
    }

    /// Appends an entry and returns once it is on the disk.
    ///
    /// Entries of one board are taken in the order in which they reach the queue. Callers that wait
    /// for room in the queue may overtake each other, so each board must have only one caller. A
    /// caller that stops waiting does not learn whether the entry was stored.
    ///
    /// # Errors
    ///
    /// [`JournalError::NotRecovered`] before [`Journal::recover`]; [`JournalError::Sequence`],
    /// [`JournalError::Body`] and [`JournalError::TooLong`] for an invalid entry;
    /// [`JournalError::Io`] if the disk refuses the entry. After any of these the entry is not
    /// stored and its number is free.
    pub async fn append(&self, entry: Append) -> Result<(), JournalError> {
        let appended = self.append_all(vec![entry]).await;
        appended.map_err(|unkept| unkept.error)
    }

    /// Appends consecutive entries of one board and returns once all are on the disk.
    ///
    /// Each segment that the entries touch costs one disk sync. Otherwise like [`Journal::append`].
    ///
    /// # Errors
    ///
    /// [`PartialAppend`]: how many entries were stored, and why the next one was not.
    pub async fn append_all(&self, mut entries: Vec<Append>) -> Result<(), PartialAppend> {
        let Some(board) = entries.first().map(|first| first.board.clone()) else {
            return Ok(());
        };
        let check = |entry: &Append| {
            if entry.board != board {
                let (board, seq) = (entry.board.clone(), entry.seq);
                return Err(JournalError::NotRecovered { board, seq });
            }
            check_body(entry)
        };
        let bad =
            (entries.iter().enumerate()).find_map(|(at, entry)| Some((at, check(entry).err()?)));
        if let Some((at, _)) = &bad {
            entries.truncate(*at);
        }
        if !entries.is_empty() {
            let (answer, answered) = oneshot::channel();
            let sent = self.requests.send(Request::Append(entries, answer)).await;
            let answered = match sent {
                Ok(()) => answered.await.ok(),
                Err(_) => None,
            };
            answered.unwrap_or(Err(PartialAppend {
                kept: 0,
                error: JournalError::Closed,
            }))?;
        }
        bad.map_or(Ok(()), |(kept, error)| Err(PartialAppend { kept, error }))
    }

    /// Repairs a board's record and reads its newest segment.
    ///
    /// Call it once per board before the first append.
    ///
    /// # Errors
    ///
    /// [`JournalError::Version`] or [`JournalError::Foreign`] for a file that this program must not
    /// repair; [`JournalError::Io`] for the disk.
    pub async fn recover(&self, board: &BoardId) -> Result<Recovered, JournalError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Recover(board.clone(), answer), answered)
            .await
    }

    /// Retires a board's numbers up to `to`, so that the next entry is `to + 1`. The daemon passed
    /// over them when it started without the disk and did not know the last number.
    ///
    /// # Errors
    ///
    /// [`JournalError::Overtaken`] if the record already has higher numbers; [`JournalError::Io`]
    /// for the disk.
    pub async fn skip(&self, board: &BoardId, to: EntrySeq) -> Result<(), JournalError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Skip(board.clone(), to, answer), answered)
            .await
    }

    /// A reader of the journal. It also sees entries that are not yet acknowledged.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Whether the directory is locked by this process and holds a board's record.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.openness()()
    }

    /// Returns [`Journal::is_open`] as a closure that does not keep the writer alive.
    pub fn openness(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let progress = Arc::clone(&self.progress);
        move || {
            let ours = progress.lock().unwrap_or_else(PoisonError::into_inner);
            !ours.is_empty()
        }
    }

    /// Removes a board's segments whose last entry is older than [`Expired::before`], with their
    /// raw data. The newest segment stays, and so do damaged ones. Blocks on file I/O.
    ///
    /// # Errors
    ///
    /// See [`Reader::verify`]; also any error that prevents a file from being removed.
    pub fn remove_older(
        &self,
        board: &BoardId,
        expired: &Expired,
    ) -> Result<Retained, JournalError> {
        if !self.is_open() {
            return Ok(Retained::default());
        }
        let growing = {
            let ours = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
            ours.get(board).and_then(|on_disk| on_disk.segment)
        };
        let directory = self.reader.directory_of(board);
        retention::remove_older(&directory, board, expired, growing, &disk::System)
    }

    /// Starts a log of the raw bytes on the boards' lines, stored beside the segments.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`] if no thread can be started.
    pub fn raw_log(
        &self,
        limits: RawLimits,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
    ) -> Result<(RawLog, JoinHandle<()>), JournalError> {
        let directory = self.reader.directory().to_owned();
        RawLog::start(
            directory,
            limits,
            Arc::clone(&self.progress),
            session,
            clock,
        )
    }

    /// Histograms of the disk's latency.
    #[must_use]
    pub fn times(&self) -> DiskTimes {
        self.times.clone()
    }

    /// Returns once the writer has finished all earlier requests.
    ///
    /// # Errors
    ///
    /// [`JournalError::Closed`] if the writer has stopped.
    pub async fn ping(&self) -> Result<(), JournalError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Ping(answer), answered).await
    }

    /// Returns at most `limit` entries of a board that are on the disk and numbered after `seq`, in
    /// order. Blocks on file I/O.
    pub fn read_after(
        &self,
        board: &BoardId,
        seq: EntrySeq,
        limit: usize,
    ) -> io::Result<Vec<Entry>> {
        let last = self
            .progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(board)
            .map(|on_disk| on_disk.last);
        match last {
            Some(last) if last > seq => self.reader.read_between(board, seq, last, limit),
            _ => Ok(Vec::new()),
        }
    }

    async fn ask<T>(
        &self,
        request: Request,
        answered: oneshot::Receiver<Result<T, JournalError>>,
    ) -> Result<T, JournalError> {
        self.requests
            .send(request)
            .await
            .map_err(|_| JournalError::Closed)?;
        answered.await.map_err(|_| JournalError::Closed)?
    }
}
