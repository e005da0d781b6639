//! What went over a board's line, byte for byte, beside the record that was made of it.
//!
//! ```text
//! board ─┬─▶ codec ─▶ … ─▶ entry ──────────▶ <board>/000000000214.jsonl
//!        └─▶ recorder ─▶ block (deflate) ──▶ <board>/000000000214-1.raw
//! ```
//!
//! A dispute can be replayed from it: what did the board say, and when? It is worth less than
//! the record, and never keeps it waiting: another thread writes it, in blocks of up to a
//! minute, and no disk is asked to have it for good. A power cut may take the last blocks. What is there is
//! sealed: each block by all before it, and the newest one by the next entry of the journal.

mod file;
mod read;
mod recorder;

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::JoinHandle,
    time::Duration,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::file::Shelf;
pub(super) use self::file::list as files;
pub use self::{
    read::{RawBreak, RawVerified},
    recorder::Recorder,
};
use super::{JournalError, Link, Progress, Session};
use remisd_vocabulary::{name::BoardId, time::Clock};

/// How often it is looked whether a block is due.
const LOOK: Duration = Duration::from_secs(1);

/// How much raw data is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLimits {
    /// For each game, in bytes on the disk: what comes after that is not kept.
    pub game: u64,
    /// For each board, in bytes on the disk: the oldest files make room for new ones.
    pub board: u64,
}

/// Up to where an entry seals the raw data of its board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RawSeal {
    /// The file beside the segment.
    pub file: String,
    /// Blocks in it.
    pub blocks: u64,
    /// The link of the last one.
    #[schemars(with = "String")]
    pub chain: Link,
}

/// The thread that writes raw data. When the last handle is dropped, it writes what
/// waits and ends.
#[derive(Debug, Clone)]
pub struct RawLog {
    clock: Arc<dyn Clock>,
    recorders: Recorders,
    asks: mpsc::SyncSender<mpsc::SyncSender<()>>,
}

type Recorders = Arc<Mutex<BTreeMap<BoardId, Arc<Recorder>>>>;

impl RawLog {
    /// Starts the thread. It writes for a board as soon as the journal has a segment for it.
    pub(super) fn start(
        directory: PathBuf,
        limits: RawLimits,
        progress: Progress,
        session: Session,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        let recorders = Recorders::default();
        let (asks, asked) = mpsc::sync_channel::<mpsc::SyncSender<()>>(8);
        let failed = {
            let directory = directory.clone();
            move |error| JournalError::io("start the raw log of", &directory, error)
        };
        let mut shelf = Shelf::new(directory, limits, session, clock.clone());
        let all = Arc::clone(&recorders);
        let thread = std::thread::Builder::new()
            .name("journal-raw".to_owned())
            .spawn(move || {
                loop {
                    match asked.recv_timeout(LOOK) {
                        Err(mpsc::RecvTimeoutError::Timeout) => {
                            put_away(&all, &progress, &mut shelf, false);
                        }
                        Ok(done) => {
                            put_away(&all, &progress, &mut shelf, true);
                            // Who asked may have gone.
                            let _ = done.send(());
                        }
                        Err(mpsc::RecvTimeoutError::Disconnected) => {
                            put_away(&all, &progress, &mut shelf, true);
                            return;
                        }
                    }
                }
            })
            .map_err(failed)?;
        let log = Self {
            clock,
            recorders,
            asks,
        };
        Ok((log, thread))
    }

    /// The recorder of a board.
    #[must_use]
    pub fn recorder(&self, board: &BoardId) -> Arc<Recorder> {
        let mut recorders = self
            .recorders
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let recorder = recorders
            .entry(board.clone())
            .or_insert_with(|| Arc::new(Recorder::new(self.clock.clone())));
        Arc::clone(recorder)
    }

    /// Writes what waits, and returns when that is done. Not for a thread that must not wait.
    pub fn flush(&self) {
        let (done, wait) = mpsc::sync_channel(1);
        if self.asks.send(done).is_ok() {
            wait.recv().ok();
        }
    }
}

/// Writes the blocks that are due, or all that waits.
fn put_away(recorders: &Recorders, progress: &Progress, shelf: &mut Shelf, all: bool) {
    let recorders = recorders
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    for (board, recorder) in recorders {
        // Before the disk is there, what was heard waits, bounded.
        let segment = progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&board)
            .and_then(|progress| progress.segment);
        let Some(segment) = segment else {
            continue;
        };
        if let Some(text) = recorder.take(all) {
            let seal = shelf.put(&board, segment, &text);
            recorder.sealed(seal);
        }
    }
}
