//! Appending and reading: restarts, refusals, failing disks, concurrency.

use std::{fs::OpenOptions, sync::mpsc as std_mpsc};

use futures_util::FutureExt as _;

use super::*;

/// A disk whose byte syncs end only when the test allows it.
struct Gated {
    reached: mpsc::UnboundedSender<()>,
    gate: Mutex<std_mpsc::Receiver<()>>,
}

impl Disk for Gated {
    fn sync_bytes(&self, _: &File) -> io::Result<()> {
        self.reached.send(()).unwrap();
        // An error means that the test has opened the gate for good.
        let _ = self.gate.lock().unwrap().recv();
        Ok(())
    }

    fn sync_all(&self, _: &File) -> io::Result<()> {
        Ok(())
    }
}

fn gated() -> (Gated, mpsc::UnboundedReceiver<()>, std_mpsc::Sender<()>) {
    let (reached, arrivals) = mpsc::unbounded_channel();
    let (opener, gate) = std_mpsc::channel();
    let gate = Mutex::new(gate);
    (Gated { reached, gate }, arrivals, opener)
}

#[tokio::test]
async fn what_was_appended_is_there_after_a_restart() {
    let dir = TempDir::new().unwrap();
    assert_eq!(write_games(dir.path(), 2, 3).await, 6);
    let (journal, writer) = open_on(dir.path(), disk::System);
    let found = journal.recover(&board()).await.unwrap();
    assert_eq!(numbers(&found.entries), [4, 5, 6]);
    assert_eq!((found.last_seq.get(), found.repairs.len()), (6, 0));
    journal.append(entry(7, false)).await.unwrap();
    assert_eq!(
        numbers(&journal.read_after(&board(), EntrySeq::new(2), 3).unwrap()),
        [3, 4, 5]
    );
    assert_eq!(
        numbers(&journal.read_after(&board(), EntrySeq::new(5), 99).unwrap()),
        [6, 7]
    );
    assert!(
        journal
            .read_after(&board(), EntrySeq::new(7), 99)
            .unwrap()
            .is_empty()
    );
    drop(journal);
    writer.join().unwrap();
    assert_eq!(Reader::new(dir.path()).boards().unwrap(), [board()]);
    assert_eq!(
        Reader::new(dir.path()).segments(&board()).unwrap(),
        [1, 4].map(EntrySeq::new),
        "one segment per game"
    );
}

#[tokio::test]
async fn files_are_not_for_everybody() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = TempDir::new().unwrap();
    let inner = dir.path().join("journal");
    write_games(&inner, 1, 1).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o027;
    for path in [&inner, &inner.join("b1"), &segment_path(&inner, 1)] {
        assert_eq!(mode(path), 0, "{}", path.display());
    }
}

#[tokio::test]
async fn a_second_daemon_learns_who_has_the_directory() {
    let dir = TempDir::new().unwrap();
    let (journal, writer) = open_on(dir.path(), Quick::default());
    let clock = Arc::new(ManualClock::default());
    let refused = Journal::open(dir.path(), session(), clock.clone()).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains(&std::process::id().to_string()), "{text}");
    drop(journal);
    writer.join().unwrap();
    assert!(Journal::open(dir.path(), session(), clock).is_ok());
}

#[tokio::test]
async fn what_cannot_stand_is_refused() {
    let dir = TempDir::new().unwrap();
    let (journal, _writer) = open_on(dir.path(), Quick::default());
    let refused = |error: JournalError| error.to_string();
    let early = journal.append(entry(1, true)).await.unwrap_err();
    assert!(matches!(early, JournalError::NotRecovered { .. }));
    journal.recover(&board()).await.unwrap();
    for seq in [0, 2] {
        let error = journal.append(entry(seq, true)).await.unwrap_err();
        assert!(refused(error).contains("expected entry 1, got"));
    }
    for bad in ["", "[]", "{} {}", "{\"a\":}", "{\n}", "{\"a\":1}x"] {
        let entry = Append {
            body: bad.into(),
            ..entry(1, true)
        };
        let error = journal.append(entry).await.unwrap_err();
        assert!(matches!(error, JournalError::Body { .. }), "{bad}");
    }
    let fits = MAX_LINE - line::entry_length(EntrySeq::new(1), b"{\"a\":\"\"}");
    for (length, good) in [(fits + 1, false), (fits, true)] {
        let entry = Append {
            body: format!("{{\"a\":\"{}\"}}", "x".repeat(length)).into(),
            ..entry(1, true)
        };
        assert_eq!(journal.append(entry).await.is_ok(), good, "{length}");
    }
    assert_eq!(
        journal
            .read_after(&board(), EntrySeq::new(0), 9)
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn a_failing_disk_leaves_no_trace_of_what_it_refused() {
    let dir = TempDir::new().unwrap();
    let disk = Quick::default();
    let (journal, _writer) = open_on(dir.path(), disk.clone());
    journal.recover(&board()).await.unwrap();
    let mut good = Vec::new();
    for (seq, begins) in [(1, true), (2, false), (3, true), (4, false)] {
        disk.fails.store(true, Ordering::SeqCst);
        for attempt in 0..2 {
            let error = journal.append(entry(seq, begins)).await.unwrap_err();
            assert!(
                matches!(error, JournalError::Io { .. }),
                "{attempt}: {error}"
            );
        }
        assert_eq!(
            journal.read_after(&board(), EntrySeq::new(0), 9).unwrap(),
            good
        );
        disk.fails.store(false, Ordering::SeqCst);
        journal.append(entry(seq, begins)).await.unwrap();
        good.push(Entry {
            seq: EntrySeq::new(seq),
            body: body(seq),
        });
    }
    assert_eq!(recover_at(dir.path()).unwrap().repairs, []);
    assert_eq!(
        Reader::new(dir.path())
            .read_after(&board(), EntrySeq::new(0), 9)
            .unwrap(),
        good
    );
}

#[tokio::test]
async fn acknowledged_bytes_that_vanish_stop_the_board() {
    let dir = TempDir::new().unwrap();
    let disk = Quick::default();
    let (journal, _writer) = open_on(dir.path(), disk.clone());
    journal.recover(&board()).await.unwrap();
    journal.append(entry(1, true)).await.unwrap();
    disk.fails.store(true, Ordering::SeqCst);
    journal.append(entry(2, false)).await.unwrap_err();
    disk.fails.store(false, Ordering::SeqCst);
    let path = segment_path(dir.path(), 1);
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(100).unwrap();
    let error = journal.append(entry(2, false)).await.unwrap_err();
    assert!(error.to_string().contains("not all there"), "{error}");
}

#[tokio::test]
async fn what_waits_is_written_together_and_in_order() {
    let dir = TempDir::new().unwrap();
    let (disk, mut arrivals, gate) = gated();
    let (journal, _writer) = open_on(dir.path(), disk);
    let boards: Vec<BoardId> = ["b1", "b2"].map(|b| b.parse().unwrap()).into();
    for board in &boards {
        journal.recover(board).await.unwrap();
        let first = Append {
            board: board.clone(),
            ..entry(1, true)
        };
        journal.append(first).await.unwrap();
    }
    let mut waiting = vec![journal.append(entry(2, false)).boxed()];
    assert!(waiting[0].as_mut().now_or_never().is_none());
    arrivals.recv().await.unwrap();
    // The writer waits at the gate; now a batch queues up behind it.
    for n in 0..BATCH as u64 / 2 {
        for board in &boards {
            let first = if board.as_str() == "b1" { 3 } else { 2 };
            let mut append = journal
                .append(Append {
                    board: board.clone(),
                    ..entry(first + n, false)
                })
                .boxed();
            assert!(append.as_mut().now_or_never().is_none());
            waiting.push(append);
        }
    }
    assert_eq!(
        journal
            .read_after(&board(), EntrySeq::new(0), 99)
            .unwrap()
            .len(),
        1,
        "nobody sees what is not yet on the disk"
    );
    drop(gate);
    for append in waiting {
        append.await.unwrap();
    }
    let mut waits = 0;
    while arrivals.try_recv().is_ok() {
        waits += 1;
    }
    assert_eq!(waits, 2, "one wait per file");
    for board in &boards {
        let entries = journal.read_after(board, EntrySeq::new(0), 999).unwrap();
        let expected = BATCH as u64 / 2 + if board.as_str() == "b1" { 2 } else { 1 };
        assert_eq!(numbers(&entries), (1..=expected).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let dir = TempDir::new().unwrap();
    let (disk, mut arrivals, gate) = gated();
    let (journal, _writer) = open_on(dir.path(), disk);
    journal.recover(&board()).await.unwrap();
    journal.append(entry(1, true)).await.unwrap();
    let last = QUEUE as u64 + 12;
    let mut waiting = vec![journal.append(entry(2, false)).boxed()];
    assert!(waiting[0].as_mut().now_or_never().is_none());
    arrivals.recv().await.unwrap();
    for seq in 3..=last {
        let mut append = journal.append(entry(seq, false)).boxed();
        assert!(append.as_mut().now_or_never().is_none());
        waiting.push(append);
    }
    assert_eq!(journal.requests.capacity(), 0);
    drop(gate);
    for append in waiting {
        append.await.unwrap();
    }
    assert_eq!(
        journal
            .read_after(&board(), EntrySeq::new(0), 999)
            .unwrap()
            .len() as u64,
        last
    );
}

#[tokio::test]
async fn a_reader_sees_whole_lines_while_the_writer_adds() {
    let dir = TempDir::new().unwrap();
    let (journal, writer) = open_on(dir.path(), Quick::default());
    journal.recover(&board()).await.unwrap();
    let adding = tokio::spawn({
        let journal = journal.clone();
        async move {
            for seq in 1..=300 {
                journal.append(entry(seq, seq % 50 == 1)).await.unwrap();
            }
        }
    });
    let mut seen = 0;
    while seen < 300 {
        for number in numbers(
            &journal
                .read_after(&board(), EntrySeq::new(seen), 16)
                .unwrap(),
        ) {
            assert_eq!(number, seen + 1);
            seen = number;
        }
        tokio::task::yield_now().await;
    }
    adding.await.unwrap();
    drop(journal);
    writer.join().unwrap();
}

#[tokio::test]
async fn numbers_are_passed_over_once_and_never_backwards() {
    let directory = tempfile::tempdir().unwrap();
    let (journal, writer) = open_on(directory.path(), Quick::default());
    let unknown = journal.skip(&board(), EntrySeq::new(5)).await.unwrap_err();
    assert!(
        matches!(unknown, JournalError::NotRecovered { .. }),
        "{unknown}"
    );
    journal.recover(&board()).await.unwrap();
    // The record is empty, so the first file begins with this number.
    journal.skip(&board(), EntrySeq::new(1_000)).await.unwrap();
    journal.append(entry(1_001, false)).await.unwrap();
    journal.skip(&board(), EntrySeq::new(2_000)).await.unwrap();
    journal.skip(&board(), EntrySeq::new(2_000)).await.unwrap();
    journal.append(entry(2_001, true)).await.unwrap();
    let overtaken = journal
        .skip(&board(), EntrySeq::new(1_500))
        .await
        .unwrap_err();
    let is_overtaken = matches!(
        overtaken,
        JournalError::Overtaken { last, from, .. }
            if (last.get(), from.get()) == (2_001, 1_501)
    );
    assert!(is_overtaken, "{overtaken}");
    journal.append(entry(2_002, false)).await.unwrap();
    drop(journal);
    writer.join().unwrap();

    let found = Reader::new(directory.path()).verify(&board()).unwrap();
    assert_eq!(
        (found.first_break(), found.entries, found.last_seq.get()),
        (None, 3, 2_002)
    );
    let lost = RetiredNumbers {
        from: EntrySeq::new(1_002),
        to: EntrySeq::new(2_000),
        file: "000000001001.jsonl".to_owned(),
        cause: Some(RetirementCause::NoDisk),
    };
    let what: Vec<FindingKind> = found
        .findings
        .into_iter()
        .map(|finding| finding.what)
        .collect();
    assert_eq!(
        what,
        [
            FindingKind::BeginsHigh {
                first: EntrySeq::new(1_001)
            },
            FindingKind::Lost(lost)
        ]
    );
    let again = recover_at(directory.path()).unwrap();
    assert_eq!(
        (again.last_seq.get(), numbers(&again.entries)),
        (2_002, vec![2_001, 2_002])
    );
}

/// Readers see which numbers the record skips.
#[tokio::test]
async fn what_was_passed_over_is_known_to_who_reads_what_comes_after() {
    let dir = TempDir::new().unwrap();
    write_games(dir.path(), 2, 3).await;
    let (journal, writer) = open_on(dir.path(), Quick::default());
    journal.recover(&board()).await.unwrap();
    journal.skip(&board(), EntrySeq::new(1000)).await.unwrap();
    journal.append(entry(1001, true)).await.unwrap();
    drop(journal);
    writer.join().unwrap();
    let reader = Reader::new(dir.path());
    for (after, numbers) in [(0, Some(7..=1000)), (6, Some(7..=1000)), (1000, None)] {
        let passed_over = reader
            .passed_over_after(&board(), EntrySeq::new(after))
            .unwrap();
        let numbers = numbers.map(|all: std::ops::RangeInclusive<u64>| {
            EntrySeq::new(*all.start())..=EntrySeq::new(*all.end())
        });
        assert_eq!(passed_over, Vec::from_iter(numbers), "after {after}");
    }
}

/// A skip that the disk refuses leaves nothing behind.
#[tokio::test]
async fn numbers_that_could_not_be_passed_over_are_passed_over_later() {
    let directory = tempfile::tempdir().unwrap();
    let disk = Quick::default();
    let (journal, writer) = open_on(directory.path(), disk.clone());
    journal.recover(&board()).await.unwrap();
    journal.append(entry(1, true)).await.unwrap();
    disk.fails.store(true, Ordering::SeqCst);
    let full = journal.skip(&board(), EntrySeq::new(50)).await.unwrap_err();
    assert!(full.may_pass(), "{full}");
    disk.fails.store(false, Ordering::SeqCst);
    journal.skip(&board(), EntrySeq::new(50)).await.unwrap();
    journal.append(entry(51, false)).await.unwrap();
    drop(journal);
    writer.join().unwrap();
    let found = Reader::new(directory.path()).verify(&board()).unwrap();
    assert_eq!(
        (found.first_break(), found.entries, found.last_seq.get()),
        (None, 2, 51)
    );
}
