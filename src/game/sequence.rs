//! Which input is which, as the journal numbers them.

use jiff::Timestamp;

use super::Game;
use remisd_vocabulary::seq::EntrySeq;

/// The numbers of the inputs that matter to a game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Sequence {
    last: EntrySeq,
    /// When the last input came.
    time: Timestamp,
    /// The input that produced the position on the board.
    position: EntrySeq,
    /// The input with which the record of moves began.
    record: EntrySeq,
    /// The last input that was more than a touch, a look or a clock reading.
    changed: EntrySeq,
}

impl Sequence {
    /// Takes in the next input; returns the number of the one before.
    pub(super) const fn enter(&mut self, seq: EntrySeq, time: Timestamp) -> EntrySeq {
        self.time = time;
        std::mem::replace(&mut self.last, seq)
    }

    /// Passes over the numbers up to `seq`; returns whether there were any.
    pub(super) fn skip_to(&mut self, seq: EntrySeq) -> bool {
        let skips = seq > self.last;
        if skips {
            self.last = seq;
        }
        skips
    }

    /// The last input has changed the position on the board.
    pub(super) const fn position_changed(&mut self) {
        self.position = self.last;
    }

    /// The record of moves begins with the last input.
    pub(super) const fn record_begins(&mut self) {
        self.record = self.last;
        self.position_changed();
    }

    /// A client that saw the board before the last input should look again.
    pub(super) const fn game_changed(&mut self) {
        self.changed = self.last;
    }

    /// Forgets the inputs after `before`, except for what they changed.
    pub(super) const fn rewind(&mut self, before: &Self) {
        (self.last, self.time) = (before.last, before.time);
    }

    pub(super) const fn changed(&self) -> EntrySeq {
        self.changed
    }

    /// Whether the input `seq` belongs to the record of moves that is on the board.
    pub(super) fn is_of_record(&self, seq: EntrySeq) -> bool {
        seq >= self.record
    }
}

impl Game {
    /// The number of the last input; 0 when there was none.
    #[must_use]
    pub const fn seq(&self) -> EntrySeq {
        self.sequence.last
    }

    /// The number of the input that brought the position on the board. The ply alone
    /// does not name a position: a set-up begins at 0 again, a revised ply keeps its number.
    #[must_use]
    pub const fn position_seq(&self) -> EntrySeq {
        self.sequence.position
    }

    /// The time of the last input.
    pub(super) const fn now(&self) -> Timestamp {
        self.sequence.time
    }
}
