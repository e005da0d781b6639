//! Hands a board's entries to the journal in order, and keeps them while the disk does not accept
//! them. Entries that arrive during a write are written together, with a single sync.
//!
//! A full or slow disk does not stop a game. It continues in memory, the arbiter is alerted, and
//! everything is written in order when the disk is back. A disk that is missing at startup does not
//! delay the daemon either: see [`JournalQueue::without_disk`].

#[cfg(test)]
pub(super) mod tests;
mod work;

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
    time::timeout,
};

use self::work::{down, look_for, work};
use remisd_game::JournalDown;
use remisd_journal::{Append, Journal, JournalError, Recovered};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Entries of one board that may wait for the disk; beyond that, the board itself waits.
pub(super) const QUEUE_CAPACITY: usize = 2048;
/// How long to wait before retrying a failed append.
const RETRY: Duration = Duration::from_secs(1);
/// The most entries written together, and their approximate size in bytes.
const MAX_BATCH: usize = 64;
const MAX_BATCH_BYTES: usize = 1 << 20;
/// How long a write may take before the disk is reported as slow and the game continues.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long the entries that still wait may take when the daemon stops.
const SHUTDOWN_FLUSH: Duration = Duration::from_secs(4);
/// How long to look for the record when the daemon stops: enough for at least one more try.
const SHUTDOWN_SEARCH: Duration = Duration::from_secs(2);

/// The state of the disk as the writer last saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DiskStatus {
    /// The highest number that is on the disk.
    durable: EntrySeq,
    /// Why the next one is not, if the disk has refused it.
    down: Option<JournalDown>,
    /// The record will never accept another entry.
    is_closed: bool,
}

/// What happens to the entries kept without a disk, now that the disk is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeDecision {
    /// They are written after the record on the disk. The unused numbers before the first of them,
    /// up to this one, are skipped.
    Keep(EntrySeq),
    /// The game of the record on the disk continues. The numbers up to this one are skipped, and
    /// the entries kept without a disk with them.
    TakeUp(EntrySeq),
}

/// A record found on a disk that was missing, and the channel on which the decision about it is
/// awaited.
type FoundRecord = (Recovered, oneshot::Sender<MergeDecision>);

/// The search for the record of a board that started without a disk.
#[derive(Debug)]
enum RecordSearch {
    /// The search is under way.
    Runs(oneshot::Receiver<FoundRecord>),
    /// The record was found but not yet fetched.
    Ended(FoundRecord),
}

/// One board's queue to the journal.
#[derive(Debug)]
pub struct JournalQueue {
    /// `None` once it is closed.
    queue: Option<mpsc::Sender<Append>>,
    kept: watch::Receiver<DiskStatus>,
    task: Option<JoinHandle<()>>,
    /// The record on the disk, until it is decided what to do with it.
    search: Option<RecordSearch>,
    /// Entries that found no room in the queue because that decision is pending: what happens on
    /// the board until the board decides.
    undecided: VecDeque<Append>,
    /// The highest number that was handed over.
    last: EntrySeq,
    /// The number of the newest entry that begins a segment.
    begun: EntrySeq,
    /// Why entries wait, until none of them does.
    known: Option<JournalDown>,
    /// The last entry that waited when the disk came back: once it is written, all is well.
    well_at: Option<EntrySeq>,
    blocked: Blocked,
}

/// Whether a board waits because too many of its entries wait for the disk. Such a board does not
/// hang, and a restart of the daemon would lose the entries.
#[derive(Debug, Clone, Default)]
pub struct Blocked(Arc<AtomicBool>);

impl Blocked {
    /// Returns whether the board waits now.
    pub fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl JournalQueue {
    /// Starts after the entry `last`, which is on the disk.
    pub fn new(journal: Journal, last: EntrySeq) -> Self {
        Self::start(last, None, |entries, show| {
            work(journal, entries, show, EntrySeq::ZERO)
        })
    }

    /// Starts without a disk, after the number `last`, which no entry of `board` can have. The
    /// search continues until the record can be read; then [`JournalQueue::found`] returns it.
    pub fn without_disk(
        journal: Journal,
        board: BoardId,
        last: EntrySeq,
        missing: &JournalError,
    ) -> Self {
        let (report, found) = oneshot::channel();
        let mut queue = Self::start(last, Some(down(missing)), |entries, show| async move {
            let passed = look_for(&journal, &board, &show, report).await;
            work(journal, entries, show, passed).await;
        });
        queue.search = Some(RecordSearch::Runs(found));
        queue
    }

    fn start<W>(
        last: EntrySeq,
        down: Option<JournalDown>,
        work: impl FnOnce(mpsc::Receiver<Append>, watch::Sender<DiskStatus>) -> W,
    ) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let (queue, entries) = mpsc::channel(QUEUE_CAPACITY);
        let known = down.clone();
        let kept = DiskStatus {
            durable: last,
            down,
            is_closed: false,
        };
        let (show, kept) = watch::channel(kept);
        Self {
            queue: Some(queue),
            kept,
            task: Some(tokio::spawn(work(entries, show))),
            search: None,
            undecided: VecDeque::new(),
            last,
            begun: EntrySeq::ZERO,
            known,
            well_at: None,
            blocked: Blocked::default(),
        }
    }

    /// Returns the record on the disk once it is found, and the channel for the decision about it.
    pub fn found(&mut self) -> Option<FoundRecord> {
        match self.search.take()? {
            RecordSearch::Ended(found) => Some(found),
            RecordSearch::Runs(mut search) => {
                let found = search.try_recv().ok();
                if found.is_none() {
                    self.search = Some(RecordSearch::Runs(search));
                }
                found
            }
        }
    }

    /// Waits until [`JournalQueue::found`] has something; forever if there is no search.
    async fn discovery(&mut self) {
        match &mut self.search {
            Some(RecordSearch::Ended(_)) => return,
            Some(RecordSearch::Runs(search)) => {
                if let Ok(found) = search.await {
                    self.search = Some(RecordSearch::Ended(found));
                    return;
                }
                // The search has ended without a record.
                self.search = None;
            }
            None => {}
        }
        std::future::pending::<()>().await;
    }

    /// Waits for the record one last time, because the daemon stops.
    pub async fn wait_for_record(&mut self) {
        if self.search.is_some() {
            // Without it the entries are lost, and `close` logs that.
            let _ = timeout(SHUTDOWN_SEARCH, self.discovery()).await;
        }
    }

    /// Continues after `last`; entries handed over before are skipped.
    pub fn continue_after(&mut self, last: EntrySeq) {
        self.undecided.clear();
        self.last = last;
    }

    /// Returns a flag that shows whether the board waits for the disk, even while the board's own
    /// actor is blocked.
    pub fn blocked(&self) -> Blocked {
        self.blocked.clone()
    }

    /// Queues an entry without waiting for the disk. [`JournalQueue::durable`] shows when it is
    /// written.
    pub async fn enqueue(&mut self, entry: Append) {
        self.last = entry.seq;
        if entry.begins_segment {
            self.begun = entry.seq;
        }
        self.undecided.push_back(entry);
        self.flush().await;
    }

    /// Returns how many entries the disk does not have yet.
    pub fn waiting(&self) -> u64 {
        self.last.since(self.durable())
    }

    /// Returns whether the first entry of the newest segment is not on the disk yet, which takes
    /// longer than other entries.
    pub fn is_beginning(&self) -> bool {
        self.begun > self.durable()
    }

    /// Moves entries into the queue and waits for room. Once the record is found, the queue is not
    /// emptied before the board has decided, so the rest waits.
    pub async fn flush(&mut self) {
        let Some(queue) = self.queue.clone() else {
            return;
        };
        while !self.undecided.is_empty() {
            self.blocked
                .0
                .store(queue.capacity() == 0, Ordering::Relaxed);
            let room = tokio::select! {
                biased;
                room = queue.reserve() => Some(room),
                () = self.discovery() => None,
            };
            self.blocked.0.store(false, Ordering::Relaxed);
            let Some(room) = room else {
                return;
            };
            if let Some(entry) = self.undecided.pop_front() {
                let seq = entry.seq;
                if let Ok(room) = room {
                    room.send(entry);
                } else {
                    tracing::error!(
                        seq = seq.get(),
                        "the journal queue has ended: this entry is not written"
                    );
                }
            }
        }
    }

    /// Returns the highest number that is on the disk.
    pub fn durable(&self) -> EntrySeq {
        self.kept.borrow().durable
    }

    /// Returns whether no later entry will ever reach the disk, because the record on it has
    /// already used the numbers. The board then does not wait for the disk either.
    pub fn is_closed(&self) -> bool {
        self.kept.borrow().is_closed
    }

    /// Returns why entries are overdue on the disk; `None` if none is.
    pub fn down(&mut self) -> Option<JournalDown> {
        let kept = self.kept.borrow_and_update().clone();
        if kept.down.is_some() || self.search.is_some() {
            self.known = kept.down.or(self.known.take());
            self.well_at = None;
        } else if self.known.is_some() && kept.durable >= *self.well_at.get_or_insert(self.last) {
            self.known = None;
            self.well_at = None;
        }
        self.known.clone()
    }

    /// Returns whether entries are known to be overdue.
    pub const fn is_down(&self) -> bool {
        self.known.is_some()
    }

    /// Waits until [`JournalQueue::down`], [`JournalQueue::durable`] or [`JournalQueue::found`] may
    /// return something new.
    pub async fn changed(&mut self) {
        let mut kept = self.kept.clone();
        tokio::select! {
            Ok(()) = kept.changed() => self.kept.mark_unchanged(),
            () = self.discovery() => {}
        }
    }

    /// Gives the disk a last chance to accept the entries that wait.
    pub async fn close(&mut self) {
        let Some(task) = self.task.take() else {
            return;
        };
        let abort = task.abort_handle();
        // Without the record nothing can be written.
        let mut is_done = self.search.is_none();
        if is_done {
            let farewell = async {
                self.flush().await;
                self.queue = None;
                task.await
            };
            is_done = timeout(SHUTDOWN_FLUSH, farewell).await.is_ok();
        }
        if !is_done {
            abort.abort();
        }
        let lost = self.last.since(self.durable());
        if lost > 0 {
            tracing::error!(entries = lost, "the disk has not taken the last entries");
        }
    }
}
