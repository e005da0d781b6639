//! Finds a claim in a board's journal.
//!
//! The journal on the disk may lag; the caller passes the entries that the disk does not have yet.
//! A game that began without a disk exists only in those.

use std::io;

use serde::Deserialize;

use super::{
    Doubt, Record,
    recall::{RecallError, Wanted, recall},
};
use remisd_journal::{Entry, PassedOver, Reader};
use remisd_laws::{Edition, Rate};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Why no record could be made.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The journal cannot be read.
    #[error("the journal cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// The journal does not contain what was asked for.
    #[error(transparent)]
    Missing(#[from] RecallError),
}

/// Makes the record of what is `wanted` about a board.
///
/// `waiting` are the entries that the disk does not have yet, in order. Numbers up to `given` are
/// known to have been assigned, so those that the end of the journal lacks count as missing. With
/// `edition` or `rate`, the claim is examined under these instead of the game's own.
///
/// # Errors
///
/// [`FindError`].
pub fn find(
    journal: &Reader,
    board: &BoardId,
    waiting: &[Entry],
    wanted: Wanted,
    given: EntrySeq,
    edition: Option<&'static Edition>,
    rate: Option<Rate>,
) -> Result<Record, FindError> {
    let GameEntries {
        first,
        entries,
        passed,
        next,
    } = segment(journal, board, waiting, wanted, given)?;
    // The name of a segment: see protocol/journal.md.
    let file = format!("{board}/{first:012}.jsonl");
    let mut record = recall(&entries, &passed, wanted, &file, edition, rate)?;
    record.board = Some(board.to_string());
    if !matches!(wanted, Wanted::Claim(_)) {
        record
            .doubts
            .extend(missing_at_end(&entries, &passed, next));
    }
    let unwritten = waiting.iter().filter(|entry| entry.seq >= first);
    let mut unwritten = unwritten.map(|entry| entry.seq);
    if let Some(from) = unwritten.next() {
        let to = unwritten.next_back().unwrap_or(from);
        record.doubts.push(Doubt::NotRecorded { from, to });
    }
    Ok(record)
}

/// The segment of a game, with the entries still waiting.
struct GameEntries {
    /// The number of its first entry.
    first: EntrySeq,
    /// All of its entries.
    entries: Vec<Entry>,
    /// The skipped numbers.
    passed: PassedOver,
    /// The number due after its end; zero if that is unknown.
    next: EntrySeq,
}

/// The entries missing after the last one.
fn missing_at_end(entries: &[Entry], passed: &PassedOver, next: EntrySeq) -> Option<Doubt> {
    let from = passed.due(entries.last()?.seq.next());
    let to = next.previous();
    (to >= from).then_some(Doubt::MissingEntries { from, to })
}

/// Finds the segment of the wanted game. Numbers up to `given` are known to have been assigned.
fn segment(
    journal: &Reader,
    board: &BoardId,
    waiting: &[Entry],
    wanted: Wanted,
    given: EntrySeq,
) -> Result<GameEntries, FindError> {
    let may_be = |first: EntrySeq| match wanted {
        Wanted::Newest => true,
        Wanted::Game(game) => first == game,
        Wanted::Claim(id) => first <= id,
    };
    let begun = waiting.iter().enumerate().rev();
    let mut begun = begun.filter(|(_, entry)| begins_game(entry));
    let newer = begun.find(|(_, entry)| may_be(entry.seq));
    if let Some((at, first)) = newer {
        let next = waiting[at + 1..].iter().position(begins_game);
        let to = next.map_or(waiting.len(), |next| at + 1 + next);
        let entries = waiting[at..to].to_vec();
        return Ok(GameEntries {
            first: first.seq,
            entries,
            passed: PassedOver::default(),
            next: EntrySeq::ZERO,
        });
    }
    let mut segments = journal.segments(board)?;
    segments.retain(|first| may_be(*first));
    // A segment may have been begun without any entries yet.
    while let Some(first) = segments.pop() {
        let mut entries = journal.segment(board, first)?;
        let behind = waiting.iter().take_while(|entry| !begins_game(entry));
        let last = entries.last().map_or(first, |entry| entry.seq);
        let after = journal.segments(board)?.into_iter().find(|n| *n > first);
        let is_newest = after.is_none();
        entries.extend(
            behind
                .filter(|entry| is_newest && entry.seq > last)
                .cloned(),
        );
        if !entries.is_empty() {
            let passed = journal.passed_over(board, first)?;
            let next = match after {
                // After the newest game with entries, only blank segments follow.
                Some(after) if wanted != Wanted::Newest => after,
                after => after.unwrap_or_default().max(given.next()),
            };
            return Ok(GameEntries {
                first,
                entries,
                passed,
                next,
            });
        }
    }
    Err(match wanted {
        Wanted::Newest => RecallError::Empty,
        Wanted::Game(game) => RecallError::NoSuchGame(game),
        Wanted::Claim(wanted) => RecallError::NoSuchClaim {
            wanted,
            claims: Vec::new(),
        },
    }
    .into())
}

/// Whether the entry begins a game.
fn begins_game(entry: &Entry) -> bool {
    #[derive(Deserialize)]
    struct EntryFacts {
        facts: Vec<Kind>,
    }
    #[derive(Deserialize)]
    struct Kind {
        #[serde(rename = "type")]
        kind: String,
    }
    let entry = serde_json::from_slice::<EntryFacts>(&entry.body);
    entry.is_ok_and(|entry| entry.facts.iter().any(|fact| fact.kind == "game_started"))
}
