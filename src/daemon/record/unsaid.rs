//! What an earlier game leaves to the board although the daemon was killed.
//!
//! A game that was begun without its disk is written behind the one on it, and then an entry
//! says what that one leaves: a claim that was never decided, an end that was never confirmed.
//! Hundreds of entries may have to be written before. Whoever starts in between, finds a newer
//! game behind numbers that were passed over, and nothing said.

use jiff::Timestamp;

use super::replay;
use crate::{
    game::{Game, Input, LeftBehind, Remembered, Rules},
    journal::{Entry, Journal, Recovered},
    name::BoardId,
};

/// What the game before the newest leaves, if an entry should say so and none does.
pub(super) fn left_unsaid(
    journal: &Journal,
    board: &BoardId,
    rules: &Rules,
    recovered: &Recovered,
    now: Timestamp,
) -> Option<Box<LeftBehind>> {
    let first = recovered.entries.first()?.seq;
    let reader = journal.reader();
    let segments = reader.segments(board).ok()?;
    let older = segments.into_iter().rfind(|segment| *segment < first)?;
    let passed_over = reader.passed_over(board, older).ok()?;
    if !passed_over.leads_to(first) || recovered.entries.iter().any(says_it) {
        return None;
    }
    let record = Recovered {
        entries: reader.segment(board, older).ok()?,
        ..Recovered::default()
    };
    let game: Game = replay(board, rules.clone(), &record, |_, _, _| {});
    tracing::warn!(%board, "what the game before leaves to the board is said now");
    Some(Box::new(game.what_it_leaves(now)))
}

fn says_it(entry: &Entry) -> bool {
    let remembered: Option<Remembered> = serde_json::from_slice(&entry.body).ok();
    remembered.is_some_and(|entry| matches!(entry.input, Input::Reunited { .. }))
}
