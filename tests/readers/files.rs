//! The content of files: the configuration and the journal.

use std::{cell::RefCell, fs, path::Path, sync::Arc};

use remisd::config::{Configuration, Environment, editions};
use remisd_game::{Game, Remembered, Rules};
use remisd_journal::{DaemonSession, Journal, Reader};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::SystemClock};
use tempfile::TempDir;

use crate::{line, text};

/// A configuration; its errors must be reported as text.
pub fn config(data: &[u8]) -> usize {
    let file = text(data);
    let environment = Environment::new([]);
    match Configuration::parse(&file, "remisd.toml", &environment, &editions()) {
        Ok(read) => read.effective.len(),
        Err(error) => {
            assert!(!error.render(false).is_empty() && !error.render(true).is_empty());
            0
        }
    }
}

/// Journal entries, one per line, replayed.
pub fn entry(data: &[u8]) -> usize {
    let (mut game, mut rest, mut seq) = (Game::new(Rules::default()), data, 0);
    while !rest.is_empty() && seq < 64 {
        let (entry, after) = line(rest);
        rest = after;
        if let Ok(entry) = serde_json::from_slice::<Remembered>(entry) {
            seq += 1;
            game.replay(EntrySeq::new(seq), &entry);
        }
    }
    usize::try_from(seq).expect("it is small")
}

/// A segment of a journal. Unless its first byte is `#`, the checksums of its lines are corrected,
/// so that the code behind them is reached.
pub fn journal(data: &[u8]) -> usize {
    thread_local! {
        static FOLDER: RefCell<TempDir> = RefCell::new(folder());
    }
    let bytes = match data.split_first() {
        Some((b'#', bytes)) => bytes.to_vec(),
        _ => summed(data),
    };
    FOLDER.with_borrow(|folder| read_again(folder.path(), &bytes))
}

fn folder() -> TempDir {
    // The files need not survive a power cut.
    let quick = Path::new("/dev/shm");
    let folder = if quick.is_dir() {
        tempfile::tempdir_in(quick)
    } else {
        tempfile::tempdir()
    };
    folder.expect("a folder can be made")
}

fn summed(data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in data.split_inclusive(|byte| *byte == b'\n') {
        let record = line.get(9..).unwrap_or_default();
        let json = record.strip_suffix(b"\n").unwrap_or(record);
        if line.get(8) == Some(&b' ') {
            bytes.extend(format!("{:08x} ", crc32fast::hash(json)).into_bytes());
            bytes.extend(record);
        } else {
            bytes.extend(line);
        }
    }
    bytes
}

fn read_again(folder: &Path, bytes: &[u8]) -> usize {
    let board: BoardId = "b1".parse().expect("a name");
    fs::remove_dir_all(folder.join("b1")).ok();
    fs::create_dir(folder.join("b1")).expect("a folder can be made");
    fs::write(folder.join("b1/000000000001.jsonl"), bytes).expect("a file can be written");
    let reader = Reader::new(folder);
    reader.verify(&board).ok();
    let before = reader
        .segment(&board, EntrySeq::new(1))
        .map(|entries| entries.len())
        .unwrap_or_default();
    reader.read_after(&board, EntrySeq::ZERO, 100).ok();
    // A daemon starts on it, and after a power cut another one.
    let Some((last_seq, entries)) = recovered(folder, &board) else {
        return before;
    };
    // A line with a damaged checksum counts if the line after it proves it.
    let lines = bytes.split(|byte| *byte == b'\n').count();
    assert!(entries <= lines, "entries come from nowhere");
    reader
        .verify(&board)
        .expect("what was repaired can be read");
    let again = recovered(folder, &board);
    assert_eq!(again, Some((last_seq, entries)), "a repair holds");
    before
}

/// What a daemon recovers: the newest number and the number of entries.
fn recovered(folder: &Path, board: &BoardId) -> Option<(EntrySeq, usize)> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime can be made");
    let session = DaemonSession::begin().expect("the system has its ids");
    let clock = Arc::new(SystemClock::new());
    let (journal, writer) = Journal::open(folder, session, clock).expect("no other process has it");
    let found = runtime.block_on(journal.recover(board)).ok();
    drop(journal);
    writer.join().expect("the writer does not panic");
    found.map(|found| (found.last_seq, found.entries.len()))
}
