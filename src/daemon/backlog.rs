//! Gives the outbox the part of a board's record that the broker does not have yet.

use std::io;

use crate::{daemon::record::RecordOnDisk, publish::Publisher};
use remisd_journal::Reader;
use remisd_vocabulary::name::BoardId;

/// Registers a board with the outbox, as its record was found on disk.
pub(super) async fn register_board(
    publisher: &Publisher,
    reader: Reader,
    board: &BoardId,
    found: RecordOnDisk,
) {
    let (publisher, board) = (publisher.clone(), board.clone());
    let known = tokio::task::spawn_blocking(move || {
        // Without a cursor, the daemon may have been killed before it could save one: the events of
        // the newest game are sent again.
        let confirmed = publisher.confirmed_seq(&board).unwrap_or_else(|error| {
            tracing::warn!(%board, "it is not known up to where events were sent: {error}");
            None
        });
        let from = confirmed.unwrap_or(found.before_first);
        let passed_over = reader.passed_over_after(&board, from);
        let passed_over = passed_over.unwrap_or_else(|error: io::Error| {
            tracing::warn!(%board, "numbers without an event are counted as waiting: {error}");
            Vec::new()
        });
        publisher.board(board, from, found.last, passed_over);
    });
    // If this fails, the board's next event registers it.
    known.await.ok();
}
