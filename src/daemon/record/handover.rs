//! The unresolved matters of an earlier game, recovered after the daemon was killed.
//!
//! A game started without its disk is written after the game on the disk. An entry of it then
//! states what the older game left unresolved: an undecided claim, an unconfirmed result. Hundreds
//! of entries may precede that entry. A daemon that starts after a kill in between finds a newer
//! game after skipped numbers, and no such statement.

use std::{borrow::Cow, io};

use jiff::Timestamp;
use serde::Deserialize;

use super::replay::replay;
use remisd_game::{Game, Input, Remembered, Rules, UnresolvedGame};
use remisd_journal::{Entry, Reader, Recovered};
use remisd_vocabulary::name::BoardId;

/// Returns the unresolved matters of the game before, if an entry should state them and none does.
pub(super) fn pending_handover(
    reader: &Reader,
    board: &BoardId,
    rules: &Rules,
    recovered: &Recovered,
    now: Timestamp,
) -> Option<Box<UnresolvedGame>> {
    let entries = match find(reader, board, &recovered.entries) {
        Ok(entries) => entries?,
        Err(error) => {
            tracing::warn!(%board, "the unresolved matters of the game before are not known: {error}");
            return None;
        }
    };
    let record = Recovered {
        entries,
        ..Recovered::default()
    };
    let game: Game = replay(board, rules.clone(), &record, |_, _, _| {});
    tracing::warn!(%board, "the unresolved matters of the game before are recorded now");
    Some(Box::new(game.what_it_leaves(now)))
}

/// Returns the game followed by skipped numbers, if no newer game states its unresolved matters.
/// Several games may have been started without the disk, all in one start of the daemon.
fn find(reader: &Reader, board: &BoardId, newest: &[Entry]) -> io::Result<Option<Vec<Entry>>> {
    let mut games = Cow::Borrowed(newest);
    for older in reader.segments(board)?.into_iter().rev() {
        let Some(first) = games.first() else {
            return Ok(None);
        };
        if older >= first.seq {
            continue;
        }
        if games.iter().any(states_unresolved) {
            return Ok(None);
        }
        let before = reader.segment(board, older)?;
        if reader.passed_over(board, older)?.leads_to(first.seq) {
            return Ok(Some(before));
        }
        if start_of(&before).is_none() || start_of(&before) != start_of(&games) {
            return Ok(None);
        }
        games = Cow::Owned(before);
    }
    Ok(None)
}

/// Returns the session, one start of the daemon, in which a game was started.
fn start_of(entries: &[Entry]) -> Option<String> {
    #[derive(Deserialize)]
    struct EntrySession {
        session: String,
    }
    let of: EntrySession = serde_json::from_slice(&entries.first()?.body).ok()?;
    Some(of.session)
}

fn states_unresolved(entry: &Entry) -> bool {
    let remembered: Option<Remembered> = serde_json::from_slice(&entry.body).ok();
    remembered.is_some_and(|entry| matches!(entry.input, Input::MergedWithDisk { .. }))
}
