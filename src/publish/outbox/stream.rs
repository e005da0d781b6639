//! The events of one board for one audience.

use std::{collections::VecDeque, ops::RangeInclusive, sync::Arc};

use super::StoredEvent;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// The audiences that receive events.
pub(super) const AUDIENCES: [&str; 2] = ["arbiter", "operator"];

/// The stream of one board for one of the [`AUDIENCES`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StreamId {
    pub(super) board: BoardId,
    pub(super) audience: usize,
}

impl StreamId {
    /// The streams of a board, in the order of the audiences.
    pub(super) fn all(board: BoardId) -> [Self; AUDIENCES.len()] {
        let arbiter = Self {
            board: board.clone(),
            audience: 0,
        };
        let operator = Self { board, audience: 1 };
        [arbiter, operator]
    }
}

#[derive(Debug)]
struct Sent {
    event: StoredEvent,
    /// Whether the broker has acknowledged it.
    confirmed: bool,
}

/// Whether the broker accepts the events of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Acceptance {
    Accepted,
    /// The event after the cursor was refused. Nothing is in memory or sent.
    Refused,
    /// One event at a time is sent, until one is accepted.
    Tried,
}

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) topic: Arc<str>,
    pub(super) cursor: EntrySeq,
    /// The cursor at the last two calls of `age`, the older one first.
    aged: [EntrySeq; 2],
    sent: VecDeque<Sent>,
    pub(super) queue: VecDeque<StoredEvent>,
    pub(super) newest: EntrySeq,
    /// Ranges of numbers that no event has, above the cursor or where it may go back to.
    passed_over: Vec<RangeInclusive<EntrySeq>>,
    /// Whether the stream is in `Events::ready`.
    pub(super) ready: bool,
    /// Whether the stream is in `Events::behind`: events above the tail are only in the store.
    pub(super) behind: bool,
    pub(super) acceptance: Acceptance,
}

impl Stream {
    /// A stream of which everything up to `cursor` is acknowledged, and `newest` is the last event.
    pub(super) fn new(
        topic: Arc<str>,
        cursor: EntrySeq,
        newest: EntrySeq,
        passed_over: Vec<RangeInclusive<EntrySeq>>,
    ) -> Self {
        let mut stream = Self {
            topic,
            cursor,
            aged: [cursor; 2],
            sent: VecDeque::new(),
            queue: VecDeque::new(),
            newest,
            passed_over,
            ready: false,
            behind: cursor < newest,
            acceptance: Acceptance::Accepted,
        };
        // If only unused numbers remain, there is nothing to read.
        stream.behind = stream.lag() > 0;
        stream
    }

    pub(super) fn tail(&self) -> EntrySeq {
        let queued = self.queue.back().map(|event| event.seq);
        let sent = || self.sent.back().map(|sent| sent.event.seq);
        queued.or_else(sent).unwrap_or(self.cursor)
    }

    /// The number of events above the tail that are only in the store, by sequence numbers.
    pub(super) fn lag(&self) -> u64 {
        if !self.behind {
            return 0;
        }
        let tail = self.tail();
        let nobodys = self.passed_over.iter().map(|passed| {
            let before = passed.start().previous().max(tail);
            passed.end().since(before)
        });
        nobodys.fold(self.newest.since(tail), u64::saturating_sub)
    }

    /// Notes that this event is the newest one. The numbers between it and the last one have none.
    pub(super) fn announce(&mut self, seq: EntrySeq) {
        let from = self.aged[0];
        self.passed_over.retain(|passed| *passed.end() > from);
        // A board that started without its disk skips a large range.
        if seq > self.newest.next() {
            self.passed_over.push(self.newest.next()..=seq.previous());
        }
        self.newest = seq;
    }

    /// Lets what is acknowledged grow older.
    pub(super) const fn age(&mut self) {
        self.aged = [self.aged[1], self.cursor];
    }

    /// The cursor at the last call of [`age`](Self::age) but one, unless it was moved back since.
    pub(super) fn aged_cursor(&self) -> EntrySeq {
        self.aged[0].min(self.cursor)
    }

    /// Whether the next event in memory may be sent now.
    pub(super) fn may_send(&self) -> bool {
        let is_tried = self.acceptance == Acceptance::Tried && !self.sent.is_empty();
        !self.queue.is_empty() && !is_tried
    }

    /// Whether the store may be read, and how many events of at most `limit`.
    pub(super) fn wants(&self, limit: usize) -> Option<usize> {
        match self.acceptance {
            _ if !self.queue.is_empty() => None,
            Acceptance::Accepted => Some(limit),
            Acceptance::Tried => self.sent.is_empty().then_some(1),
            Acceptance::Refused => None,
        }
    }

    /// Takes the next event. It counts as sent.
    pub(super) fn take_next(&mut self) -> Option<StoredEvent> {
        let event = self.queue.pop_front()?;
        self.sent.push_back(Sent {
            event: event.clone(),
            confirmed: false,
        });
        Some(event)
    }

    /// Whether an event is in flight.
    pub(super) fn has_sent(&self, seq: EntrySeq) -> bool {
        self.sent.iter().any(|sent| sent.event.seq == seq)
    }

    /// Marks an event as done. Returns whether it was in flight.
    pub(super) fn confirm(&mut self, seq: EntrySeq) -> bool {
        let sent = self.sent.iter_mut().find(|sent| sent.event.seq == seq);
        let is_known = sent.map(|sent| sent.confirmed = true).is_some();
        while let Some(first) = self.sent.pop_front_if(|first| first.confirmed) {
            self.cursor = first.event.seq;
        }
        is_known
    }

    /// Moves the cursor back. Memory must hold the events right after it, so they are to be read from
    /// the store again.
    pub(super) fn set_back(&mut self, cursor: EntrySeq) {
        self.sent.clear();
        self.queue.clear();
        self.cursor = cursor;
        // What is sent again is acknowledged anew, by another node perhaps.
        self.aged = self.aged.map(|aged| aged.min(cursor));
        self.behind = true;
    }

    pub(super) fn disconnected(&mut self) {
        while let Some(sent) = self.sent.pop_back() {
            self.queue.push_front(sent.event);
        }
    }
}
