//! The journal under truncation, damage, failing disks and heavy load.

mod chain;
mod contradiction;
mod damage;
mod identity;
mod order;
mod raw;
mod retention;
mod writing;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use bytes::Bytes;
use tempfile::TempDir;

use super::{disk::Disk, line::Header, recovery, *};
use remisd_vocabulary::time::ManualClock;

fn board() -> BoardId {
    "b1".parse().unwrap()
}

fn session() -> DaemonSession {
    DaemonSession {
        id: "s".to_owned(),
        boot_id: "boot".to_owned(),
        began: remisd_vocabulary::time::Span::ZERO,
    }
}

fn body(seq: u64) -> Bytes {
    let padding = if seq.is_multiple_of(2) { "x" } else { "ä" };
    format!(r#"{{"n":{seq},"text":"{padding}"}}"#).into()
}

fn entry(seq: u64, begins_segment: bool) -> Append {
    Append {
        board: board(),
        seq: EntrySeq::new(seq),
        body: body(seq),
        begins_segment,
    }
}

fn open_on(directory: &Path, disk: impl Disk + 'static) -> (Journal, JoinHandle<()>) {
    let clock = Arc::new(ManualClock::default());
    Journal::open_on(directory, session(), clock, Box::new(disk)).unwrap()
}

/// A disk that syncs immediately, or fails on demand, and counts.
#[derive(Clone, Default)]
pub(crate) struct Quick {
    pub(crate) fails: Arc<AtomicBool>,
    syncs: Arc<AtomicUsize>,
}

impl Disk for Quick {
    fn sync_bytes(&self, _: &File) -> io::Result<()> {
        self.syncs.fetch_add(1, Ordering::SeqCst);
        if self.fails.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn sync_all(&self, file: &File) -> io::Result<()> {
        self.sync_bytes(file)
    }
}

/// Writes a journal of `games` segments with `length` entries each; returns the last number.
async fn write_games(directory: &Path, games: u64, length: u64) -> u64 {
    write_games_in(session(), directory, games, length).await
}

/// The same, in another session of the daemon.
async fn write_games_in(session: DaemonSession, directory: &Path, games: u64, length: u64) -> u64 {
    let clock = Arc::new(ManualClock::default());
    let disk = Box::new(Quick::default());
    let (journal, writer) = Journal::open_on(directory, session, clock, disk).unwrap();
    let mut seq = journal.recover(&board()).await.unwrap().last_seq.get();
    for _ in 0..games {
        for n in 0..length {
            seq += 1;
            journal.append(entry(seq, n == 0)).await.unwrap();
        }
    }
    drop(journal);
    writer.join().unwrap();
    seq
}

fn recover_at(directory: &Path) -> Result<Recovered, JournalError> {
    recover_on(directory, &Quick::default())
}

fn recover_given(directory: &Path, given: u64) -> Result<Recovered, JournalError> {
    recover_with(directory, &Quick::default(), given)
}

fn recover_on(directory: &Path, disk: &dyn Disk) -> Result<Recovered, JournalError> {
    recover_with(directory, disk, 0)
}

fn recover_with(directory: &Path, disk: &dyn Disk, given: u64) -> Result<Recovered, JournalError> {
    let header = |first_seq, chain| Header {
        v: VERSION,
        schema: SCHEMA.to_owned(),
        board: "b1".to_owned(),
        record: None,
        first_seq,
        boot_id: "later".to_owned(),
        session: "later".to_owned(),
        created: "1970-01-01T00:00:00.000Z".to_owned(),
        chain,
        repaired: None,
    };
    recovery::recover(
        &directory.join("b1"),
        &board(),
        disk,
        &header,
        EntrySeq::new(given),
    )
    .map(|mended| mended.found)
}

fn numbers(entries: &[Entry]) -> Vec<u64> {
    for entry in entries {
        assert_eq!(
            entry.body,
            body(entry.seq.get()),
            "bodies come back as they were"
        );
    }
    entries.iter().map(|entry| entry.seq.get()).collect()
}

fn segment_path(directory: &Path, first: u64) -> PathBuf {
    directory.join(format!("b1/{first:012}.jsonl"))
}
