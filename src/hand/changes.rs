//! What has changed on the board, one square after the other, and what stood when the clock was
//! pressed.

use std::collections::VecDeque;

use shakmaty::{Bitboard, Color, Piece, Square};

use remisd_vocabulary::{sensor::Seen, time::Millis};

/// Presses that are remembered.
const MOST_PRESSES: usize = 16;
/// Changes that are remembered, one by one.
const MOST_CHANGES: usize = 128;

/// One square that changed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    pub(super) at: Millis,
    pub(super) square: Square,
    pub(super) seen: Seen,
    /// All squares were told at once: it may have happened long before.
    pub(super) at_once: bool,
}

impl Change {
    pub(super) fn is_empty(self) -> bool {
        self.seen == Seen::Empty
    }

    /// Whether this may be `piece` coming to stand there.
    pub(super) fn shows(self, piece: Piece) -> bool {
        match self.seen {
            Seen::Piece(seen) => seen == piece,
            Seen::Occupied => true,
            Seen::Empty | Seen::ResultPiece(_) => false,
        }
    }
}

/// The changes of the squares.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    last: [Option<Millis>; 64],
    /// When nobody had looked for a while.
    blind_until: Option<Millis>,
    /// The newest last.
    order: VecDeque<Change>,
    /// How many there have been.
    count: u64,
    /// How often anything was noted, a press, too.
    version: u64,
    /// What stood when the lever was turned, the newest last.
    presses: VecDeque<Pressed>,
}

/// What stood when a player pressed the clock.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pressed {
    /// How many changes there had been.
    pub(super) told: u64,
    pub(super) at: Millis,
    pub(super) by: Color,
    /// His pieces, as far as their kinds are known.
    pub(super) pieces: Bitboard,
}

impl Changes {
    pub(super) const fn none() -> Self {
        Self {
            last: [None; 64],
            blind_until: None,
            order: VecDeque::new(),
            count: 0,
            version: 0,
            presses: VecDeque::new(),
        }
    }

    /// A player has pressed the clock while so many of his pieces were seen to stand.
    pub(super) fn note_press(&mut self, by: Color, pieces: Bitboard, at: Millis) {
        self.version += 1;
        self.presses.push_back(Pressed {
            told: self.count,
            at,
            by,
            pieces,
        });
        if self.presses.len() > MOST_PRESSES {
            self.presses.pop_front();
        }
    }

    /// What was noted of presses was noted of the wrong player.
    pub(super) fn forget_presses(&mut self) {
        self.version += 1;
        self.presses.clear();
    }

    /// Takes one change: told by itself, or when all squares were told `at_once`.
    pub(super) fn note(&mut self, square: Square, seen: Seen, at_once: bool, at: Millis) {
        self.last[square as usize] = Some(at);
        self.count += 1;
        self.version += 1;
        self.order.push_back(Change {
            at,
            square,
            seen,
            at_once,
        });
        if self.order.len() > MOST_CHANGES {
            self.order.pop_front();
        }
    }

    /// Nobody knows what has changed: anything may have.
    pub(super) fn note_all(&mut self, now: Millis) {
        self.last = [Some(now); 64];
        self.blind_until = Some(now);
        self.version += 1;
        self.order.clear();
        self.presses.clear();
    }

    /// How many changes there have been so far.
    pub(super) const fn count(&self) -> u64 {
        self.count
    }

    /// Another number whenever something has been noted.
    pub(super) const fn version(&self) -> u64 {
        self.version
    }

    /// Until when the board was out of sight, if it ever was.
    pub(super) const fn blind_until(&self) -> Option<Millis> {
        self.blind_until
    }

    /// When `square` last changed.
    pub(super) const fn at(&self, square: Square) -> Option<Millis> {
        self.last[square as usize]
    }

    /// Whether the last change of a square was told together with all others.
    pub(super) fn was_told_at_once(&self, square: Square) -> bool {
        let mut newest = self.order.iter().rev();
        newest
            .find(|change| change.square == square)
            .is_some_and(|change| change.at_once)
    }

    /// When a square was last told to be empty: what is on its way was up then.
    pub(super) fn last_lift(&self) -> Option<Millis> {
        let mut newest = self.order.iter().rev();
        newest
            .find(|change| change.is_empty())
            .map(|change| change.at)
    }

    /// How many squares changed last at this moment.
    pub(super) fn at_once(&self, at: Millis) -> usize {
        self.last.iter().filter(|last| **last == Some(at)).count()
    }

    /// How many pieces can have come to stand on `square` at `since` or later.
    pub(super) fn landings(&self, square: Square, since: Millis) -> usize {
        if self.blind_until.is_some_and(|until| until >= since) {
            return usize::MAX;
        }
        let lands = |change: &&Change| change.square == square && !change.is_empty();
        let new = self
            .order
            .iter()
            .rev()
            .take_while(|change| change.at >= since);
        new.filter(lands).count()
    }

    /// The same since there had been `count` changes.
    pub(super) fn landings_after(&self, square: Square, count: u64, since: Millis) -> usize {
        if self.blind_until.is_some_and(|until| until >= since) {
            return usize::MAX;
        }
        let lands = |change: &Change| change.square == square && !change.is_empty();
        self.since(count).filter(lands).count()
    }

    /// Whether a square was told to be left after `since`.
    pub(super) fn left_after(&self, square: Square, since: Millis) -> bool {
        (self.later_than(since)).any(|change| change.square == square && change.is_empty())
    }

    /// Whether a piece, or one of unknown kind, was told to come to a square after `since`.
    pub(super) fn came_after(&self, square: Square, piece: Piece, since: Millis) -> bool {
        (self.later_than(since)).any(|change| change.square == square && change.shows(piece))
    }

    /// Whether other pieces were told to come to a square at `since` or later, and this one was not.
    pub(super) fn only_others_came(&self, square: Square, piece: Piece, since: Millis) -> bool {
        let newest = self.order.iter().rev();
        let mut told = (newest.take_while(|change| change.at >= since))
            .filter(|change| change.square == square && !change.is_empty())
            .peekable();
        told.peek().is_some() && !told.any(|change| change.shows(piece))
    }

    fn later_than(&self, since: Millis) -> impl Iterator<Item = &Change> {
        (self.order.iter().rev()).take_while(move |change| change.at > since)
    }

    /// The square from which a piece was taken up just before one was put down there, at `since` or
    /// later, if nothing has been put down after it.
    pub(super) fn exchanged_since(&self, since: Millis) -> Option<Square> {
        let mut newest = self
            .order
            .iter()
            .rev()
            .skip_while(|change| change.is_empty());
        let landed = newest.next().filter(|change| change.at >= since)?;
        let before = newest.next()?;
        (before.square == landed.square && before.is_empty()).then_some(landed.square)
    }

    /// The squares that changed at `since` or later.
    pub(super) fn after(&self, since: Millis) -> Bitboard {
        Square::ALL
            .into_iter()
            .filter(|&square| self.at(square).is_some_and(|at| at >= since))
            .collect()
    }

    /// What has changed since there had been `count` changes, in order.
    pub(super) fn since(&self, count: u64) -> impl DoubleEndedIterator<Item = Change> + '_ {
        self.since_from(count, 0)
    }

    /// The same, but nothing that was told before `at`: times never go back.
    pub(super) fn since_from(
        &self,
        count: u64,
        at: Millis,
    ) -> impl DoubleEndedIterator<Item = Change> + '_ {
        let new = usize::try_from(self.count.saturating_sub(count)).unwrap_or(usize::MAX);
        let known = self.order.len().saturating_sub(new);
        let earlier = self.order.partition_point(|change| change.at < at);
        self.order.range(known.max(earlier)..).copied()
    }

    /// Whether every change since there had been `count` of them is remembered.
    pub(super) fn remembers(&self, count: u64) -> bool {
        self.count.saturating_sub(count) <= self.order.len() as u64
    }

    /// What had been taken up, and nothing put down after it, when there had been `count` changes.
    pub(super) fn up_before(&self, count: u64) -> Bitboard {
        let later = usize::try_from(self.count.saturating_sub(count)).unwrap_or(usize::MAX);
        let before = self.order.iter().rev().skip(later);
        let lifted = before.take_while(|change| change.is_empty());
        lifted.map(|change| change.square).collect()
    }

    /// What stood at each press since there had been `count` changes, the newest first.
    pub(super) fn presses_since(&self, count: u64) -> impl Iterator<Item = &Pressed> {
        let presses = self.presses.iter().rev();
        presses.take_while(move |pressed| pressed.told > count)
    }
}
