//! The durable record: what was acknowledged is still there after the power has gone.
//!
//! The journal keeps bytes under consecutive numbers, board by board. It knows
//! nothing of what they mean, and nothing of who reads them.
//!
//! ```text
//! <dir>/.lock                              one daemon at a time
//! <dir>/<board>/000000000001.jsonl         a segment: header, then a line per entry
//! <dir>/<board>/000000000214.jsonl         the next game
//! <dir>/<board>/000000000214.jsonl.damaged a file that a repair set aside
//! ```
//!
//! One thread writes. It takes what waits in its queue, at most [`BATCH`] entries,
//! writes each board's share at once, waits until the disk has it, and only then
//! answers. A file on which anything failed is not believed again before it has been
//! opened anew, checked, and cut back to the last acknowledged line.
//!
//! Every line is sealed by a link of a chain ([`Link`]), so that nobody changes, leaves out
//! or adds anything without [`Reader::verify`] finding the place. The format is described
//! in `protocol/journal.md`; a file of another version is refused with
//! [`JournalError::Version`] and left alone.
//!
//! ```
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! use remisd_journal::{Append, Journal, Session};
//! # let dir = tempfile::tempdir()?;
//! let clock = std::sync::Arc::new(remisd_vocabulary::time::SystemClock::new());
//! let (journal, writer) = Journal::open(dir.path(), Session::begin()?, clock)?;
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
pub mod disk;
mod error;
mod line;
mod naming;
mod place;
mod raw;
mod reader;
mod recovery;
mod retention;
mod segment;
mod session;
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

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use tokio::sync::{mpsc, oneshot};

pub use self::{
    chain::{Link, NoLink},
    error::{BodyFault, JournalError},
    line::{MAX_LINE, SCHEMA, VERSION},
    place::{Given, Place},
    raw::{RawBreak, RawLimits, RawLog, RawSeal, RawVerified, Recorder},
    reader::{Gap, PassedOver, Reader, SegmentFile, SegmentRead, Work},
    recovery::{Missing, Recovered, Remains, Repair},
    retention::{Expired, Retained},
    segment::Fault,
    session::Session,
    times::Times,
    verify::{Finding, Found, Verified},
};
use remisd_vocabulary::{name::BoardId, time::Clock};

/// How many requests may wait for the writer; more wait in [`Journal::append`].
pub const QUEUE: usize = 256;

/// How many requests the writer takes at once.
pub const BATCH: usize = 64;

const FILE_MODE: u32 = 0o640;

/// What is to be kept, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Append {
    /// Whose entry it is.
    pub board: BoardId,
    /// Its number: one more than the board's last.
    pub seq: u64,
    /// One JSON object without a line feed, shorter than [`MAX_LINE`].
    pub body: Bytes,
    /// Whether a new segment begins with it. The first entry of a board always begins one.
    pub begins_segment: bool,
}

/// Why not all of several entries were kept.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{error}")]
pub struct Unkept {
    /// So many, the first ones, are on the disk.
    pub kept: usize,
    /// Why the next one is not.
    pub error: JournalError,
}

/// An entry as it was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub seq: u64,
    /// The bytes that were handed in.
    pub body: Bytes,
}

/// Numbers that a repair took out of use, so that none is ever given twice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lost {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
    /// The name of the file that was set aside, or of the one that was missing.
    pub file: String,
    /// Why, if not by a repair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<LostCause>,
}

/// Why numbers were taken out of use without any damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LostCause {
    /// The disk was not there when the daemon started: it could not know the last number, and
    /// began with one that cannot have been given before.
    NoDisk,
}

/// How far each board's record is on the disk.
type Progress = Arc<Mutex<BTreeMap<BoardId, OnDisk>>>;

/// How far a board's record is on the disk.
#[derive(Debug, Clone, Copy)]
struct OnDisk {
    /// The last number that was acknowledged.
    last: u64,
    /// The number with which the segment begins that has entries of this start of the daemon;
    /// `None` before the first.
    segment: Option<u64>,
}

/// A handle to the writer. Clones share it; when the last is dropped, the writer
/// finishes what waits and ends.
#[derive(Debug, Clone)]
pub struct Journal {
    requests: mpsc::Sender<Request>,
    progress: Progress,
    times: Times,
    reader: Reader,
}

/// What the writer can be asked for.
#[derive(Debug)]
enum Request {
    /// Entries of one board.
    Append(Vec<Append>, oneshot::Sender<Result<(), Unkept>>),
    Ping(oneshot::Sender<Result<(), JournalError>>),
    Recover(BoardId, oneshot::Sender<Result<Recovered, JournalError>>),
    Skip(BoardId, u64, oneshot::Sender<Result<(), JournalError>>),
}

impl Journal {
    /// Takes the directory, made if need be, and starts the writer's thread.
    ///
    /// # Errors
    ///
    /// [`JournalError::Locked`] if another process has the directory, or what
    /// the system says of the directory.
    pub fn open(
        directory: &Path,
        session: Session,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        Self::open_on(directory, session, clock, Box::new(disk::System))
    }

    /// The same where the disk may come later: without it the writer starts all the same, and
    /// each [`Journal::recover`] tries again. Says what keeps the journal from being used now.
    ///
    /// # Errors
    ///
    /// What does not pass by itself ([`JournalError::may_pass`]).
    pub fn open_at(
        place: Place,
        session: Session,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, JoinHandle<()>, Option<JournalError>), JournalError> {
        Self::open_at_on(place, session, clock, Box::new(disk::System))
    }

    /// As [`Journal::open_at`], on another disk than the system's.
    ///
    /// # Errors
    ///
    /// As [`Journal::open_at`].
    pub fn open_at_on(
        place: Place,
        session: Session,
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

    /// As [`Journal::open`], on another disk than the system's.
    ///
    /// # Errors
    ///
    /// As [`Journal::open`].
    pub fn open_on(
        directory: &Path,
        session: Session,
        clock: Arc<dyn Clock>,
        disk: Box<dyn disk::Disk>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        let place = Place::from(directory);
        let lock = place.take(&*disk)?;
        Self::start(place, Some(lock), session, clock, disk)
    }

    fn start(
        place: Place,
        lock: Option<File>,
        session: Session,
        clock: Arc<dyn Clock>,
        disk: Box<dyn disk::Disk>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        let (requests, queue) = mpsc::channel(QUEUE);
        let progress = Progress::default();
        let times = Times::default();
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

    /// Keeps an entry; returns when it is on the disk.
    ///
    /// Entries of one board are taken in the order in which they reach the queue. As
    /// callers that wait for room in it may pass each other, each board has one caller.
    /// A caller who stops waiting does not learn whether the entry was kept.
    ///
    /// # Errors
    ///
    /// [`JournalError::NotRecovered`] before [`Journal::recover`];
    /// [`JournalError::Sequence`], [`JournalError::Body`] and [`JournalError::TooLong`] for an
    /// entry that cannot stand here; [`JournalError::Io`] if the disk did not take it.
    /// After any of these the entry is not kept and its number is free.
    pub async fn append(&self, entry: Append) -> Result<(), JournalError> {
        let appended = self.append_all(vec![entry]).await;
        appended.map_err(|unkept| unkept.error)
    }

    /// Keeps consecutive entries of one board, with one wait for the disk for each segment that
    /// they touch; returns when all are on the disk. Else as [`Journal::append`].
    ///
    /// # Errors
    ///
    /// [`Unkept`]: how many were kept, and why the next one was not.
    pub async fn append_all(&self, mut entries: Vec<Append>) -> Result<(), Unkept> {
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
            answered.unwrap_or(Err(Unkept {
                kept: 0,
                error: JournalError::Closed,
            }))?;
        }
        bad.map_or(Ok(()), |(kept, error)| Err(Unkept { kept, error }))
    }

    /// Makes a board's record sound and reads its newest segment.
    ///
    /// To be called once for each board before its first append.
    ///
    /// # Errors
    ///
    /// [`JournalError::Version`] or [`JournalError::Foreign`] for a file that is not this
    /// program's to repair; [`JournalError::Io`] for the disk.
    pub async fn recover(&self, board: &BoardId) -> Result<Recovered, JournalError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Recover(board.clone(), answer), answered)
            .await
    }

    /// Takes a board's numbers up to `to` out of use, so that the next entry is one more. They
    /// were given while the disk was away and its last number not known.
    ///
    /// # Errors
    ///
    /// [`JournalError::Overtaken`] if the record has the numbers behind it already;
    /// [`JournalError::Io`] for the disk.
    pub async fn skip(&self, board: &BoardId, to: u64) -> Result<(), JournalError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Skip(board.clone(), to, answer), answered)
            .await
    }

    /// The journal as others read it, which has what is not acknowledged, too.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Whether the directory is ours, and a board's record is in it.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.openness()()
    }

    /// The same for somebody who asks later, and does not keep the writer from ending.
    pub fn openness(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let progress = Arc::clone(&self.progress);
        move || {
            let ours = progress.lock().unwrap_or_else(PoisonError::into_inner);
            !ours.is_empty()
        }
    }

    /// Removes the segments of a board whose last entry came before [`Expired::before`], with
    /// their raw data. The newest one stays, and so does what is not sound. Reads files: not
    /// for a thread that must not wait.
    ///
    /// # Errors
    ///
    /// As [`Reader::verify`]; and whatever keeps a file from being removed.
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

    /// Starts a log of what goes over the boards' lines, beside the segments.
    ///
    /// # Errors
    ///
    /// [`JournalError::Io`] where no thread can be started.
    pub fn raw_log(
        &self,
        limits: RawLimits,
        session: Session,
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

    /// How long the disk takes.
    #[must_use]
    pub fn times(&self) -> Times {
        self.times.clone()
    }

    /// Returns when the writer has done what it was asked for before.
    ///
    /// # Errors
    ///
    /// [`JournalError::Closed`] if there is no writer any more.
    pub async fn ping(&self) -> Result<(), JournalError> {
        let (answer, answered) = oneshot::channel();
        self.ask(Request::Ping(answer), answered).await
    }

    /// At most `limit` entries of a board that are on the disk and numbered after
    /// `seq`, in order. Reads files: not for a thread that must not wait.
    pub fn read_after(&self, board: &BoardId, seq: u64, limit: usize) -> io::Result<Vec<Entry>> {
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

fn check_body(entry: &Append) -> Result<(), JournalError> {
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
