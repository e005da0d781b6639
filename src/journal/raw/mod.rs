//! The raw bytes on a board's line, stored beside the record derived from them.
//!
//! ```text
//! board ─┬─▶ codec ─▶ … ─▶ entry ──────────▶ <board>/000000000214.jsonl
//!        └─▶ recorder ─▶ block (deflate) ──▶ <board>/000000000214-1.raw
//! ```
//!
//! A disputed game can be replayed from it: what did the board report, and when? Raw data matters
//! less than the record and never delays it. A separate thread writes it, in blocks that span up to
//! a minute, without syncing the disk. A power failure may therefore lose the last blocks.
//!
//! Stored blocks are sealed: each block by those before it, and the newest one by the next entry of
//! the journal.

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
use super::{ChainLink, DaemonSession, JournalError, Progress};
use remisd_vocabulary::{name::BoardId, time::Clock};

/// Interval at which the thread checks whether a block is due.
const LOOK: Duration = Duration::from_secs(1);

/// Limits on the stored raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawLimits {
    /// Per game, in bytes on the disk; data beyond this is dropped.
    pub game: u64,
    /// Per board, in bytes on the disk; the oldest files are removed to make room.
    pub board: u64,
}

/// The extent of a board's raw data that an entry seals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RawSeal {
    /// The name of the file beside the segment.
    pub file: String,
    /// Number of blocks in it.
    pub blocks: u64,
    /// The link of the last block.
    #[schemars(with = "String")]
    pub chain: ChainLink,
}

/// A handle to the thread that writes raw data. After the last one is dropped, the thread writes
/// what is pending and stops.
#[derive(Debug, Clone)]
pub struct RawLog {
    clock: Arc<dyn Clock>,
    recorders: Recorders,
    flushes: mpsc::SyncSender<mpsc::SyncSender<()>>,
}

type Recorders = Arc<Mutex<BTreeMap<BoardId, Arc<Recorder>>>>;

impl RawLog {
    /// Starts the thread. It writes for a board as soon as the journal has a segment for it.
    pub(super) fn start(
        directory: PathBuf,
        limits: RawLimits,
        progress: Progress,
        session: DaemonSession,
        clock: Arc<dyn Clock>,
    ) -> Result<(Self, JoinHandle<()>), JournalError> {
        let recorders = Recorders::default();
        let (flushes, flush_requests) = mpsc::sync_channel::<mpsc::SyncSender<()>>(8);
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
                    match flush_requests.recv_timeout(LOOK) {
                        Err(mpsc::RecvTimeoutError::Timeout) => {
                            put_away(&all, &progress, &mut shelf, false);
                        }
                        Ok(done) => {
                            put_away(&all, &progress, &mut shelf, true);
                            // The caller may have gone.
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
            flushes,
        };
        Ok((log, thread))
    }

    /// Returns a board's recorder.
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

    /// Writes all pending data and returns once that is done. Blocks.
    pub fn flush(&self) {
        let (done, wait) = mpsc::sync_channel(1);
        if self.flushes.send(done).is_ok() {
            wait.recv().ok();
        }
    }
}

/// Writes the blocks that are due, or all pending data.
fn put_away(recorders: &Recorders, progress: &Progress, shelf: &mut Shelf, all: bool) {
    let recorders = recorders
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .clone();
    for (board, recorder) in recorders {
        // Until the disk is present, recorded text waits in a bounded buffer.
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
