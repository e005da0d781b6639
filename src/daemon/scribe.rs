//! Hands a board's entries to the journal, in their order, and keeps them while the disk does
//! not take them. What has come while the disk wrote is written together, with one wait.
//!
//! A game does not stop because a disk is full or slow: it goes on in memory, the arbiter
//! is told, and everything is written, in its order, when the disk is back. Nor does a daemon
//! wait for a disk that is not there when it starts: see [`Scribe::without_disk`].

#[cfg(test)]
pub(super) mod tests;

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{mpsc, oneshot, watch},
    task::JoinHandle,
    time::{sleep, timeout},
};

use remisd_game::{JournalDown, JournalFault};
use remisd_journal::{Append, Journal, JournalError, Recovered};
use remisd_vocabulary::name::BoardId;

/// Entries of one board that wait for the disk; with more, the board itself has to wait.
pub(super) const HELD: usize = 2048;
/// How long to wait before a failed append is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// Entries that are written together, at most; and their bytes, about.
const TOGETHER: usize = 64;
const TOGETHER_BYTES: usize = 1 << 20;
/// How long the disk may take before the game goes on without it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long what waits may take when the daemon stops.
const FAREWELL: Duration = Duration::from_secs(4);
/// How long the record is looked for when the daemon stops: for one more try at least.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// What is known of the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    /// The highest number that is on the disk.
    durable: u64,
    /// Why the next one is not, if the disk has refused it.
    down: Option<JournalDown>,
    /// The record will take none any more.
    is_closed: bool,
}

/// What becomes of the entries that were kept without a disk, now that it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reunion {
    /// They are written behind the record on the disk. The numbers up to this one, before the
    /// first of them, are passed over.
    Keep(u64),
    /// The record on the disk is taken up. The numbers up to this one are passed over, and
    /// those entries with them.
    TakeUp(u64),
}

/// A record that was looked for without a disk, and who waits to hear what to do with it.
type Found = (Recovered, oneshot::Sender<Reunion>);

/// The search for the record of a board that began without a disk.
#[derive(Debug)]
enum Search {
    /// It is looked for.
    Runs(oneshot::Receiver<Found>),
    /// It was found, and nobody has asked for it yet.
    Ended(Found),
}

/// One board's way to the journal.
#[derive(Debug)]
pub struct Scribe {
    /// `None` when it was closed.
    queue: Option<mpsc::Sender<Append>>,
    kept: watch::Receiver<Kept>,
    task: Option<JoinHandle<()>>,
    /// The record on the disk, until it is decided what to do with it.
    search: Option<Search>,
    /// What found no room in the queue because that decision is waited for: what the board does
    /// until it makes it.
    undecided: VecDeque<Append>,
    /// The highest number that was handed over.
    last: u64,
    /// The number of the newest entry that begins a segment.
    begun: u64,
    /// Why entries wait, until none of them does any more.
    known: Option<JournalDown>,
    /// The last entry that waited when the disk came back: once it is written all is well.
    well_at: Option<u64>,
    blocked: Blocked,
}

/// Whether a board waits because too many of its entries wait for the disk. It does not
/// hang: to start the daemon anew would throw them away.
#[derive(Debug, Clone, Default)]
pub struct Blocked(Arc<AtomicBool>);

impl Blocked {
    /// Whether it waits now.
    pub fn is_so(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Scribe {
    /// Begins behind the entry `last`, which is on the disk.
    pub fn new(journal: Journal, last: u64) -> Self {
        Self::begin(last, None, |entries, show| work(journal, entries, show, 0))
    }

    /// Begins without a disk, behind the number `last` that no entry of `board` can have. The
    /// record is looked for until it can be read: [`Scribe::found`] has it then.
    pub fn without_disk(
        journal: Journal,
        board: BoardId,
        last: u64,
        missing: &JournalError,
    ) -> Self {
        let (tell, found) = oneshot::channel();
        let mut scribe = Self::begin(last, Some(down(missing)), |entries, show| async move {
            let passed = look_for(&journal, &board, &show, tell).await;
            work(journal, entries, show, passed).await;
        });
        scribe.search = Some(Search::Runs(found));
        scribe
    }

    fn begin<W>(
        last: u64,
        down: Option<JournalDown>,
        work: impl FnOnce(mpsc::Receiver<Append>, watch::Sender<Kept>) -> W,
    ) -> Self
    where
        W: Future<Output = ()> + Send + 'static,
    {
        let (queue, entries) = mpsc::channel(HELD);
        let known = down.clone();
        let kept = Kept {
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
            begun: 0,
            known,
            well_at: None,
            blocked: Blocked::default(),
        }
    }

    /// The record on the disk, once it has been found; and where to tell what to do with it.
    pub fn found(&mut self) -> Option<Found> {
        match self.search.take()? {
            Search::Ended(found) => Some(found),
            Search::Runs(mut search) => {
                let found = search.try_recv().ok();
                if found.is_none() {
                    self.search = Some(Search::Runs(search));
                }
                found
            }
        }
    }

    /// Waits until [`Scribe::found`] has something; for ever where nothing is looked for.
    async fn discovery(&mut self) {
        match &mut self.search {
            Some(Search::Ended(_)) => return,
            Some(Search::Runs(search)) => {
                if let Ok(found) = search.await {
                    self.search = Some(Search::Ended(found));
                    return;
                }
                // Nobody looks for it any more.
                self.search = None;
            }
            None => {}
        }
        std::future::pending::<()>().await;
    }

    /// Waits for the record a last time, because the daemon stops.
    pub async fn look_once_more(&mut self) {
        if self.search.is_some() {
            // Without it the entries are lost, which `close` tells.
            let _ = timeout(LAST_LOOK, self.discovery()).await;
        }
    }

    /// Goes on behind `last`: what was handed over before is passed over.
    pub fn go_on_behind(&mut self, last: u64) {
        self.undecided.clear();
        self.last = last;
    }

    /// Tells whether the board waits for the disk, also while it cannot say so itself.
    pub fn blocked(&self) -> Blocked {
        self.blocked.clone()
    }

    /// Hands an entry over, without waiting for the disk: [`Scribe::durable`] tells when it has it.
    pub async fn keep(&mut self, entry: Append) {
        self.last = entry.seq;
        if entry.begins_segment {
            self.begun = entry.seq;
        }
        self.undecided.push_back(entry);
        self.hand_over().await;
    }

    /// How many entries the disk does not have yet.
    pub fn waiting(&self) -> u64 {
        self.last.saturating_sub(self.durable())
    }

    /// Whether the disk does not have yet what begins the newest segment, which takes it longer.
    pub fn is_beginning(&self) -> bool {
        self.begun > self.durable()
    }

    /// Puts into the queue what is not there yet, and waits for room. But once the record has been
    /// found, the queue is not emptied before its board has decided: then the rest has to wait.
    pub async fn hand_over(&mut self) {
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
                    tracing::error!(seq, "the scribe has ended: this entry is not kept");
                }
            }
        }
    }

    /// The highest number that is on the disk.
    pub fn durable(&self) -> u64 {
        self.kept.borrow().durable
    }

    /// Whether nothing that comes now will ever be on the disk: the record on it has the numbers
    /// already. Then the board does not wait for it either.
    pub fn is_closed(&self) -> bool {
        self.kept.borrow().is_closed
    }

    /// Why entries wait that should be on the disk; `None` if none does longer than it should.
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

    /// Whether entries are known to wait longer than they should.
    pub const fn is_down(&self) -> bool {
        self.known.is_some()
    }

    /// Waits until something is news to who asks for [`Scribe::down`], [`Scribe::durable`] or
    /// [`Scribe::found`].
    pub async fn news(&mut self) {
        let mut kept = self.kept.clone();
        tokio::select! {
            Ok(()) = kept.changed() => self.kept.mark_unchanged(),
            () = self.discovery() => {}
        }
    }

    /// Gives the disk a last chance to take what waits.
    pub async fn close(&mut self) {
        let Some(task) = self.task.take() else {
            return;
        };
        let abort = task.abort_handle();
        // Without the record nothing is written.
        let mut is_done = self.search.is_none();
        if is_done {
            let farewell = async {
                self.hand_over().await;
                self.queue = None;
                task.await
            };
            is_done = timeout(FAREWELL, farewell).await.is_ok();
        }
        if !is_done {
            abort.abort();
        }
        let lost = self.last.saturating_sub(self.durable());
        if lost > 0 {
            tracing::error!(entries = lost, "the disk has not taken the last entries");
        }
    }
}

/// Writes the entries; those up to the number `passed` are passed over.
async fn work(
    journal: Journal,
    mut entries: mpsc::Receiver<Append>,
    show: watch::Sender<Kept>,
    passed: u64,
) {
    let mut taken = Vec::with_capacity(TOGETHER);
    while entries.recv_many(&mut taken, TOGETHER).await > 0 {
        let mut waiting: VecDeque<Append> = taken.drain(..).collect();
        waiting.retain(|entry| entry.seq > passed);
        while !waiting.is_empty() {
            let batch = batch(&waiting);
            let board = batch[0].board.clone();
            let before = batch[0].seq - 1;
            let (kept, refused) = write(&journal, batch, &show).await;
            waiting.drain(..kept);
            let durable = before + kept as u64;
            let Some(error) = refused else {
                show_up(&show, &board, durable);
                continue;
            };
            show.send_modify(|kept| kept.durable = kept.durable.max(durable));
            show_down(&show, &board, down(&error));
            if show.is_closed() {
                return; // the board is given up, and nobody else waits for this disk
            }
            sleep(RETRY).await;
        }
    }
}

/// The first of the entries that wait, as many as are written together.
fn batch(waiting: &VecDeque<Append>) -> Vec<Append> {
    let mut bytes = 0;
    let fits = |entry: &&Append| {
        let is_first = bytes == 0;
        bytes += entry.body.len();
        is_first || bytes <= TOGETHER_BYTES
    };
    waiting.iter().take_while(fits).cloned().collect()
}

/// Writes some entries; tells how many were kept, and why not all.
async fn write(
    journal: &Journal,
    entries: Vec<Append>,
    show: &watch::Sender<Kept>,
) -> (usize, Option<JournalError>) {
    let (count, board) = (entries.len(), entries[0].board.clone());
    let mut appended = pin!(journal.append_all(entries));
    let appended = if let Ok(appended) = timeout(PATIENCE, appended.as_mut()).await {
        appended
    } else {
        show_down(show, &board, JournalDown::slow());
        appended.await
    };
    match appended {
        Ok(()) => (count, None),
        Err(unkept) => (unkept.kept, Some(unkept.error)),
    }
}

/// Tries to read the record until that succeeds, and does with it what is decided. Returns
/// the number up to which entries are passed over.
async fn look_for(
    journal: &Journal,
    board: &BoardId,
    show: &watch::Sender<Kept>,
    tell: oneshot::Sender<Found>,
) -> u64 {
    let found = loop {
        match journal.recover(board).await {
            Ok(found) => break found,
            Err(error) => show_down(show, board, down(&error)),
        }
        if tell.is_closed() {
            return u64::MAX; // the board is given up
        }
        sleep(RETRY).await;
    };
    let (decide, decided) = oneshot::channel();
    // Who does not hear it any more decides nothing.
    let _ = tell.send((found, decide));
    let (to, passed) = match decided.await {
        Ok(Reunion::Keep(to)) => (to, 0),
        Ok(Reunion::TakeUp(to)) => (to, to),
        // The board is given up.
        Err(_) => return u64::MAX,
    };
    while let Err(error) = journal.skip(board, to).await {
        show_down(show, board, down(&error));
        if let JournalError::Overtaken { .. } = error {
            // Numbers that are given are not taken back: no later try is better. But the game
            // goes on, and shall not stop when too many entries wait for what never comes.
            show.send_modify(|kept| kept.is_closed = true);
            return u64::MAX;
        }
        if show.is_closed() {
            return u64::MAX;
        }
        sleep(RETRY).await;
    }
    show_up(show, board, to);
    passed
}

fn show_down(show: &watch::Sender<Kept>, board: &BoardId, down: JournalDown) {
    show.send_if_modified(|kept| {
        let news = kept.down.as_ref() != Some(&down);
        if news {
            tracing::error!(%board, "the journal cannot be written: {}", down.reason);
            kept.down = Some(down);
        }
        news
    });
}

fn show_up(show: &watch::Sender<Kept>, board: &BoardId, durable: u64) {
    show.send_modify(|kept| {
        kept.durable = durable;
        if kept.down.take().is_some() {
            tracing::warn!(%board, "the journal can be written again");
        }
    });
}

fn down(error: &JournalError) -> JournalDown {
    let code = match error.io_kind() {
        Some(std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded) => {
            JournalFault::Full
        }
        Some(std::io::ErrorKind::ReadOnlyFilesystem) => JournalFault::ReadOnly,
        _ => JournalFault::Other,
    };
    JournalDown {
        code,
        reason: error.to_string(),
    }
}
