//! What an earlier game leaves to the board although the daemon was killed.
//!
//! A game that was begun without its disk is written behind the one on it, and then an entry
//! says what that one leaves: a claim that was never decided, an end that was never confirmed.
//! Hundreds of entries may have to be written before. Whoever starts in between, finds a newer
//! game behind numbers that were passed over, and nothing said.

use std::{borrow::Cow, io};

use jiff::Timestamp;
use serde::Deserialize;

use super::replay;
use remisd_game::{Game, Input, Remembered, Rules, UnresolvedGame};
use remisd_journal::{Entry, Reader, Recovered};
use remisd_vocabulary::name::BoardId;

/// What the game before leaves, if an entry should say so and none does.
pub(super) fn left_unsaid(
    reader: &Reader,
    board: &BoardId,
    rules: &Rules,
    recovered: &Recovered,
    now: Timestamp,
) -> Option<Box<UnresolvedGame>> {
    let entries = match find(reader, board, &recovered.entries) {
        Ok(entries) => entries?,
        Err(error) => {
            tracing::warn!(%board, "what the game before leaves to the board is not known: {error}");
            return None;
        }
    };
    let record = Recovered {
        entries,
        ..Recovered::default()
    };
    let game: Game = replay(board, rules.clone(), &record, |_, _, _| {});
    tracing::warn!(%board, "what the game before leaves to the board is said now");
    Some(Box::new(game.what_it_leaves(now)))
}

/// The game behind which numbers were passed over, if nothing in the newest games says what it
/// leaves. Several may have been begun without the disk: those of one start.
fn find(reader: &Reader, board: &BoardId, newest: &[Entry]) -> io::Result<Option<Vec<Entry>>> {
    let mut games = Cow::Borrowed(newest);
    for older in reader.segments(board)?.into_iter().rev() {
        let Some(first) = games.first() else {
            return Ok(None);
        };
        if older >= first.seq {
            continue;
        }
        if games.iter().any(says_it) {
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

/// The start of the daemon that has begun a game.
fn start_of(entries: &[Entry]) -> Option<String> {
    #[derive(Deserialize)]
    struct Of {
        session: String,
    }
    let of: Of = serde_json::from_slice(&entries.first()?.body).ok()?;
    Some(of.session)
}

fn says_it(entry: &Entry) -> bool {
    let remembered: Option<Remembered> = serde_json::from_slice(&entry.body).ok();
    remembered.is_some_and(|entry| matches!(entry.input, Input::Reunited { .. }))
}
