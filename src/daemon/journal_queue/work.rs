//! The task that takes entries from the queue to the journal, and looks for a missing disk.

use std::{collections::VecDeque, pin::pin};

use tokio::{
    sync::{mpsc, oneshot, watch},
    time::{sleep, timeout},
};

use super::{DiskStatus, FoundRecord, MAX_BATCH, MAX_BATCH_BYTES, MergeDecision, PATIENCE, RETRY};
use remisd_game::{JournalDown, JournalFault};
use remisd_journal::{Append, Journal, JournalError};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Writes the entries, and skips those up to the number `passed`.
pub(super) async fn work(
    journal: Journal,
    mut entries: mpsc::Receiver<Append>,
    show: watch::Sender<DiskStatus>,
    passed: EntrySeq,
) {
    let mut taken = Vec::with_capacity(MAX_BATCH);
    while entries.recv_many(&mut taken, MAX_BATCH).await > 0 {
        let mut waiting: VecDeque<Append> = taken.drain(..).collect();
        waiting.retain(|entry| entry.seq > passed);
        while !waiting.is_empty() {
            let batch = batch(&waiting);
            let board = batch[0].board.clone();
            let before = batch[0].seq.previous();
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
                return; // the board is gone, and nothing else waits for this disk
            }
            sleep(RETRY).await;
        }
    }
}

/// Returns the first waiting entries, as many as are written together.
fn batch(waiting: &VecDeque<Append>) -> Vec<Append> {
    let mut bytes = 0;
    let fits = |entry: &&Append| {
        let is_first = bytes == 0;
        bytes += entry.body.len();
        is_first || bytes <= MAX_BATCH_BYTES
    };
    waiting.iter().take_while(fits).cloned().collect()
}

/// Writes some entries. Returns how many were kept, and the error if not all were.
async fn write(
    journal: &Journal,
    entries: Vec<Append>,
    show: &watch::Sender<DiskStatus>,
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

/// Retries until the record can be read, then carries out the decision about it. Returns the number
/// up to which entries are skipped.
pub(super) async fn look_for(
    journal: &Journal,
    board: &BoardId,
    show: &watch::Sender<DiskStatus>,
    report: oneshot::Sender<FoundRecord>,
) -> EntrySeq {
    let found = loop {
        match journal.recover(board).await {
            Ok(found) => break found,
            Err(error) => show_down(show, board, down(&error)),
        }
        if report.is_closed() {
            return EntrySeq::MAX; // the board is gone
        }
        sleep(RETRY).await;
    };
    let (decide, decided) = oneshot::channel();
    // If the board is gone, the decision below fails.
    let _ = report.send((found, decide));
    let (to, passed) = match decided.await {
        Ok(MergeDecision::Keep(to)) => (to, EntrySeq::ZERO),
        Ok(MergeDecision::TakeUp(to)) => (to, to),
        // The board is gone.
        Err(_) => return EntrySeq::MAX,
    };
    while let Err(error) = journal.skip(board, to).await {
        show_down(show, board, down(&error));
        if let JournalError::Overtaken { .. } = error {
            // Numbers are never reused, so no retry can succeed. The game continues, and must not
            // block once too many entries wait for a write that never comes.
            show.send_modify(|kept| kept.is_closed = true);
            return EntrySeq::MAX;
        }
        if show.is_closed() {
            return EntrySeq::MAX;
        }
        sleep(RETRY).await;
    }
    show_up(show, board, to);
    passed
}

fn show_down(show: &watch::Sender<DiskStatus>, board: &BoardId, down: JournalDown) {
    show.send_if_modified(|kept| {
        let news = kept.down.as_ref() != Some(&down);
        if news {
            tracing::error!(%board, "the journal cannot be written: {}", down.reason);
            kept.down = Some(down);
        }
        news
    });
}

fn show_up(show: &watch::Sender<DiskStatus>, board: &BoardId, durable: EntrySeq) {
    show.send_modify(|kept| {
        kept.durable = durable;
        if kept.down.take().is_some() {
            tracing::warn!(%board, "the journal can be written again");
        }
    });
}

pub(super) fn down(error: &JournalError) -> JournalDown {
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
