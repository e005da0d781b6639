//! The games before the newest one, as far as the public may have missed their ends.
//!
//! The delay line is in memory. If the daemon ends while the end of a game waits in it and the next
//! game has begun, the newest segment alone would not bring that end back.

use std::io;

use jiff::Timestamp;

use super::{PublicReplay, age, replay::replay_entry};
use crate::daemon::{earlier_games::KEPT, topics::PublicDelay};
use remisd_game::{Game, Input, Remembered, Rules};
use remisd_journal::{Entry, Reader, Recovered};
use remisd_vocabulary::{name::BoardId, time::Span};

/// The most segments that are read: in a blitz event, several games may end within the delay.
const SEGMENTS: usize = 8;

/// A game before the newest one, and the minimum ages of its entries.
struct PastGame {
    entries: Vec<Entry>,
    ages: Vec<Span>,
}

/// Replays the games before the newest one, oldest first. Games whose ends are still in the delay are
/// replayed whole, and all games if plies are delayed. Otherwise a game shows only its last state, for
/// as many as the topic `earlier` keeps: the broker may have been away when they ended.
pub(super) fn replay_earlier<Show: FnMut(&Game, Timestamp, Span)>(
    reader: &Reader,
    board: &BoardId,
    rules: &Rules,
    recovered: &Recovered,
    public: &mut PublicReplay<Show>,
) {
    let PublicDelay { time: delay, plies } = public.delay;
    let games = find(reader, board, recovered, delay).unwrap_or_else(|error| {
        tracing::warn!(%board, "how the games before were left is not known: {error}");
        Vec::new()
    });
    for PastGame { entries, ages } in games {
        let mut game = Game::new(rules.clone());
        // Which plies wait for further ones does not follow from the last state.
        let is_whole = plies > 0 || ages.last().is_some_and(|age| *age < delay);
        let left = entries.len();
        for ((entry, age), at) in entries.iter().zip(ages).zip(1..) {
            let time = replay_entry(board, &mut game, entry);
            if let Some(time) = time.filter(|_| is_whole || at == left) {
                (public.show)(&game, time, age);
            }
        }
    }
}

/// Finds the games, oldest first. One with missing entries, and those before it, are left out: the
/// public has seen more of them.
fn find(
    reader: &Reader,
    board: &BoardId,
    recovered: &Recovered,
    delay: Span,
) -> io::Result<Vec<PastGame>> {
    let Some(newest) = recovered.entries.first().map(|first| first.seq) else {
        return Ok(Vec::new());
    };
    let ages = |entries: &[Entry]| age::ages(entries, &recovered.sessions);
    let is_public = |entries: &[Entry]| {
        delay == Span::ZERO || ages(entries).first().is_some_and(|age| *age >= delay)
    };
    let mut entries = recovered.entries.clone();
    let mut counts = Vec::new();
    let mut next_is_public = is_public(&entries);
    let mut public_games = 0;
    let segments = reader.each_segment(board)?.into_iter().rev();
    let older = segments.filter(|segment| segment.first() < newest);
    for segment in older.take(SEGMENTS) {
        let read = segment.read()?;
        if read.entries.is_empty() || !read.gaps().is_empty() {
            break;
        }
        let has_moves = read.entries.iter().any(is_move);
        counts.push(read.entries.len());
        entries.splice(0..0, read.entries);
        public_games += usize::from(next_is_public && has_moves);
        if public_games == KEPT {
            break;
        }
        next_is_public = is_public(&entries);
    }
    let mut ages = ages(&entries);
    let games = counts.into_iter().rev().map(|count| PastGame {
        entries: entries.drain(..count).collect(),
        ages: ages.drain(..count).collect(),
    });
    Ok(games.collect())
}

fn is_move(entry: &Entry) -> bool {
    let remembered: Option<Remembered> = serde_json::from_slice(&entry.body).ok();
    remembered.is_some_and(|entry| matches!(entry.input, Input::Move { .. }))
}
