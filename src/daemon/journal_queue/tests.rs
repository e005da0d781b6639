use std::{
    fs::File,
    io,
    sync::{
        Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use super::*;
use remisd_game::JournalFault;
use remisd_journal::{DaemonSession, Reader, disk::Disk};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::ManualClock};

/// A disk that never syncs for real, and fails on request.
#[derive(Clone, Default)]
pub(in crate::daemon) struct Quick {
    pub(in crate::daemon) fails: Arc<AtomicBool>,
}

impl Disk for Quick {
    fn sync_bytes(&self, _: &File) -> io::Result<()> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        self.sync_bytes(file)
    }
}

fn board() -> BoardId {
    "b1".parse().unwrap()
}

async fn queue_on(directory: &std::path::Path, disk: impl Disk + 'static) -> JournalQueue {
    let clock = Arc::new(ManualClock::default());
    let session = DaemonSession::begin().unwrap();
    let (journal, _) = Journal::open_on(directory, session, clock, Box::new(disk)).unwrap();
    let found = journal.recover(&board()).await.unwrap();
    JournalQueue::new(journal, found.last_seq)
}

fn entry(seq: u64) -> Append {
    Append {
        board: board(),
        seq: EntrySeq::new(seq),
        body: format!("{{\"n\":{seq}}}").into(),
        begins_segment: seq == 1,
    }
}

/// Hands an entry over and waits until the disk has it or is known to refuse it.
async fn keep(queue: &mut JournalQueue, seq: u64) {
    queue.enqueue(entry(seq)).await;
    while queue.durable().get() < seq && queue.down().is_none() {
        queue.changed().await;
    }
}

async fn until_durable(queue: &mut JournalQueue, seq: u64) {
    while queue.durable().get() < seq {
        queue.changed().await;
    }
}

fn on_disk(directory: &std::path::Path) -> Vec<u64> {
    let entries = Reader::new(directory)
        .read_after(&board(), EntrySeq::ZERO, 99)
        .unwrap();
    entries.into_iter().map(|entry| entry.seq.get()).collect()
}

#[tokio::test]
async fn what_a_full_disk_refuses_is_written_in_order_when_there_is_room() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Quick::default();
    let mut queue = queue_on(directory.path(), disk.clone()).await;
    keep(&mut queue, 1).await;
    assert_eq!((queue.durable().get(), queue.down()), (1, None));

    disk.fails.store(true, Ordering::SeqCst);
    for seq in 2..=5 {
        keep(&mut queue, seq).await;
    }
    assert_eq!(queue.durable().get(), 1);
    assert_eq!(queue.down().unwrap().code, JournalFault::Full);

    disk.fails.store(false, Ordering::SeqCst);
    until_durable(&mut queue, 5).await;
    assert_eq!(queue.down(), None);
    assert_eq!(on_disk(directory.path()), [1, 2, 3, 4, 5]);
    assert_eq!(
        Reader::new(directory.path())
            .verify(&board())
            .unwrap()
            .findings,
        []
    );
}

#[tokio::test]
async fn nothing_is_well_before_everything_is_written() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Quick::default();
    let mut queue = queue_on(directory.path(), disk.clone()).await;
    keep(&mut queue, 1).await;
    disk.fails.store(true, Ordering::SeqCst);
    for seq in 2..=200 {
        keep(&mut queue, seq).await;
    }
    assert!(queue.down().is_some());
    disk.fails.store(false, Ordering::SeqCst);
    while queue.durable().get() < 200 {
        queue.changed().await;
        let durable = queue.durable().get();
        assert!(
            queue.down().is_some() || queue.durable().get() == 200,
            "{durable}"
        );
    }
    assert_eq!(queue.down(), None);
}

/// A disk whose syncs block until it is released.
#[derive(Clone, Default)]
struct Stuck(Arc<(Mutex<bool>, Condvar)>);

impl Stuck {
    fn hold(&self, stuck: bool) {
        *self.0.0.lock().unwrap() = stuck;
        self.0.1.notify_all();
    }
}

impl Disk for Stuck {
    fn sync_bytes(&self, _: &File) -> io::Result<()> {
        let stuck = self.0.0.lock().unwrap();
        drop(self.0.1.wait_while(stuck, |stuck| *stuck).unwrap());
        Ok(())
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        self.sync_bytes(file)
    }
}

#[tokio::test]
async fn a_disk_that_does_not_answer_is_waited_for_once() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Stuck::default();
    let mut queue = queue_on(directory.path(), disk.clone()).await;
    keep(&mut queue, 1).await;
    disk.hold(true);
    keep(&mut queue, 2).await;
    assert_eq!(queue.down(), Some(JournalDown::slow()));
    let second = timeout(PATIENCE / 4, keep(&mut queue, 3)).await;
    assert!(second.is_ok(), "the game does not wait again");

    disk.hold(false);
    until_durable(&mut queue, 3).await;
    assert_eq!(queue.down(), None);
    queue.close().await;
    assert_eq!(on_disk(directory.path()), [1, 2, 3]);
}

#[tokio::test]
async fn a_board_with_too_many_entries_waits_for_the_disk_and_says_so() {
    const MORE: u64 = (QUEUE_CAPACITY + MAX_BATCH) as u64 + 4;
    let directory = tempfile::tempdir().unwrap();
    let disk = Quick::default();
    let mut queue = queue_on(directory.path(), disk.clone()).await;
    let blocked = queue.blocked();
    keep(&mut queue, 1).await;
    disk.fails.store(true, Ordering::SeqCst);
    let writing = tokio::spawn(async move {
        // The journal has some of them; the others fill the queue.
        for seq in 2..MORE {
            queue.enqueue(entry(seq)).await;
        }
        queue
    });
    while !blocked.is_so() {
        tokio::task::yield_now().await;
    }
    assert!(!writing.is_finished());
    disk.fails.store(false, Ordering::SeqCst);
    let mut queue = writing.await.unwrap();
    assert!(!blocked.is_so());
    until_durable(&mut queue, MORE - 1).await;
}

#[tokio::test]
async fn a_journal_that_was_removed_is_not_written_into_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut queue = queue_on(directory.path(), remisd_journal::disk::System).await;
    keep(&mut queue, 1).await;
    std::fs::remove_dir_all(directory.path().join("b1")).unwrap();
    keep(&mut queue, 2).await;
    assert_eq!(queue.durable().get(), 1);
    let down = queue.down().unwrap();
    assert_eq!(down.code, JournalFault::Other);
    assert!(down.reason.contains("removed"), "{down:?}");
}

#[tokio::test]
async fn that_the_record_is_found_is_news_whatever_was_asked_meanwhile() {
    let directory = tempfile::tempdir().unwrap();
    let journal = directory.path().join("journal");
    let clock = Arc::new(ManualClock::default());
    let session = DaemonSession::begin().unwrap();
    let (journal, _) = Journal::open(&journal, session, clock).unwrap();
    let missing = JournalError::NotRecovered {
        board: board(),
        seq: EntrySeq::new(1),
    };
    let mut queue = JournalQueue::without_disk(journal, board(), EntrySeq::new(100), &missing);
    while !has_found(&queue) {
        tokio::task::yield_now().await;
    }
    // Every writer calls this.
    assert!(queue.down().is_some());
    tokio::select! {
        biased;
        () = queue.changed() => {}
        () = std::future::ready(()) => panic!("it is no news"),
    }
    assert!(queue.found().is_some());
}

fn has_found(queue: &JournalQueue) -> bool {
    matches!(&queue.search, Some(RecordSearch::Runs(search)) if !search.is_empty())
}

/// A disk that counts its syncs and blocks until it is released.
#[derive(Clone, Default)]
struct Counting(Stuck, Arc<std::sync::atomic::AtomicUsize>);

impl Disk for Counting {
    fn sync_bytes(&self, file: &File) -> io::Result<()> {
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.sync_bytes(file)
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        self.sync_bytes(file)
    }
}

#[tokio::test]
async fn what_comes_while_the_disk_writes_is_written_together() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Counting::default();
    let mut queue = queue_on(directory.path(), disk.clone()).await;
    keep(&mut queue, 1).await;
    let before = disk.1.load(Ordering::SeqCst);
    disk.0.hold(true);
    for seq in 2..=50 {
        queue.enqueue(entry(seq)).await;
    }
    // The entries wait; their sender does not.
    assert!(queue.waiting() >= 48);
    while disk.1.load(Ordering::SeqCst) == before {
        tokio::task::yield_now().await;
    }
    disk.0.hold(false);
    until_durable(&mut queue, 50).await;
    let waits = disk.1.load(Ordering::SeqCst) - before;
    assert!(waits <= 2, "{waits} waits for 49 entries");
    assert_eq!(on_disk(directory.path()), (1..=50).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_disk_that_is_slow_now_and_then_is_well_although_new_entries_come_all_the_time() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Stuck::default();
    let mut queue = queue_on(directory.path(), disk.clone()).await;
    keep(&mut queue, 1).await;
    disk.hold(true);
    keep(&mut queue, 2).await;
    assert_eq!(queue.down(), Some(JournalDown::slow()));
    disk.hold(false);
    // There is always an entry that the disk does not have yet.
    let mut seq = 2;
    while queue.down().is_some() {
        seq += 1;
        queue.enqueue(entry(seq)).await;
        assert!(queue.waiting() > 0);
        tokio::task::yield_now().await;
    }
    until_durable(&mut queue, seq).await;
}
