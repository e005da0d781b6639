//! Replays the end of a journal into a game.

use jiff::Timestamp;

use super::{age, lost};
use remisd_game::{Game, Likeness, Remembered, Rules};
use remisd_journal::{Entry, Recovered};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::Span};

/// Replays a record into a game.
pub(super) fn replay(
    board: &BoardId,
    rules: Rules,
    recovered: &Recovered,
    mut replayed: impl FnMut(&Game, Timestamp, Span),
) -> Game {
    for repair in &recovered.repairs {
        tracing::warn!(%board, "the journal was repaired: {repair}");
    }
    let mut game = Game::new(rules);
    let mut gaps = lost::gaps(recovered).into_iter().peekable();
    let ages = age::ages(&recovered.entries, &recovered.sessions);
    for (at, (entry, age)) in (0..).zip(recovered.entries.iter().zip(ages)) {
        while let Some(gap) = gaps.next_if(|gap| gap.at <= at) {
            game.bridge(gap.from, lost::parsed(&recovered.entries[at..]));
        }
        if let Some(time) = replay_entry(board, &mut game, entry) {
            replayed(&game, time, age);
        }
    }
    // If nothing of the game is left, no game was started that could have lost anything.
    if let Some(gap) = gaps.next().filter(|_| game.number() > EntrySeq::ZERO) {
        game.bridge(gap.from, std::iter::empty());
    }
    game.skip_to(recovered.last_seq);
    game
}

/// Returns the number before the first entry of the newest game.
pub(super) fn before_first(recovered: &Recovered) -> EntrySeq {
    let first = recovered.entries.first();
    first.map_or(recovered.last_seq, |first| first.seq.previous())
}

/// Replays an entry of the journal.
pub(super) fn replay_entry(board: &BoardId, to: &mut Game, entry: &Entry) -> Option<Timestamp> {
    let seq = entry.seq;
    let remembered: Remembered = match serde_json::from_slice(&entry.body) {
        Ok(remembered) => remembered,
        Err(error) => {
            tracing::error!(%board, seq = seq.get(), "an entry of the journal cannot be understood: {error}");
            return None;
        }
    };
    // The effect of a new game on the previous one does not follow from the new game's segment.
    let begins = remembered.carried.is_some();
    let likeness = to.replay(seq, &remembered).likeness;
    if likeness != Likeness::Same && !(begins && likeness == Likeness::Essence) {
        tracing::warn!(%board, seq = seq.get(), "this version draws other conclusions from an entry than the one that wrote it");
    }
    Some(remembered.time)
}
