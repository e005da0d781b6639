//! Events: for each board a stream with a cursor into the journal.
//!
//! ```text
//!   confirmed │ sent, unconfirmed │ in memory │ only in the store
//!        cursor                              tail             newest
//! ```
//!
//! Memory always holds the events right after the cursor. When it is full, the board lags: new
//! events only advance `newest`. Once everything in memory is sent, the events after `tail` are
//! read from the store. Events thus need no sorting, and no gap can arise.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::RangeInclusive,
    sync::Arc,
};

use bytes::Bytes;

use super::{Cursors, Limits, StoredEvent};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    seq::EntrySeq,
};

/// The audiences that receive events.
const AUDIENCES: [&str; 2] = ["arbiter", "operator"];

/// What an audience receives of an event; `None` for nothing.
pub(super) type Filter = fn(&Bytes) -> Option<Bytes>;

/// A range of a board's journal that the outbox wants to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// The board.
    pub board: BoardId,
    /// Events above this sequence number.
    pub after: EntrySeq,
    /// The maximum number of events.
    pub limit: usize,
    newest: EntrySeq,
}

/// One event for one audience.
pub(super) struct NextEvent {
    pub(super) board: BoardId,
    pub(super) seq: EntrySeq,
    pub(super) topic: Arc<str>,
    pub(super) payload: Bytes,
}

#[derive(Debug)]
struct Sent {
    event: StoredEvent,
    /// The number of audiences to which it was sent.
    audiences: usize,
    /// The number of audiences for which the broker has acknowledged it.
    confirmed: usize,
}

#[derive(Debug)]
struct Stream {
    topics: [Arc<str>; AUDIENCES.len()],
    cursor: EntrySeq,
    /// The cursor at the last two calls of `Events::age`, the older one first.
    aged: [EntrySeq; 2],
    sent: VecDeque<Sent>,
    queue: VecDeque<StoredEvent>,
    newest: EntrySeq,
    /// Ranges of numbers that no event has, above the cursor or where it may go back to.
    passed_over: Vec<RangeInclusive<EntrySeq>>,
    /// Whether the board is in `Events::ready`.
    ready: bool,
    /// Whether the board is in `Events::behind`: events above the tail are only in the store.
    behind: bool,
}

impl Stream {
    fn tail(&self) -> EntrySeq {
        let queued = self.queue.back().map(|event| event.seq);
        let sent = || self.sent.back().map(|sent| sent.event.seq);
        queued.or_else(sent).unwrap_or(self.cursor)
    }

    /// The number of events above the tail that are only in the store, by sequence numbers.
    fn lag(&self) -> u64 {
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

    /// The number of audiences that have not received the newest sent event yet.
    fn open_audiences(&self) -> usize {
        let sent = self.sent.back();
        sent.map_or(0, |sent| AUDIENCES.len() - sent.audiences)
    }

    /// Messages in memory that are not sent.
    fn unsent(&self) -> usize {
        self.queue.len() * AUDIENCES.len() + self.open_audiences()
    }

    /// Takes the next event for the next audience. The payload is `None` if that audience does not
    /// receive the event.
    fn take_next(&mut self, for_operator: Filter) -> Option<(EntrySeq, Arc<str>, Option<Bytes>)> {
        if self.open_audiences() == 0 {
            let event = self.queue.pop_front()?;
            self.sent.push_back(Sent {
                event,
                audiences: 0,
                confirmed: 0,
            });
        }
        let last = self.sent.back_mut()?;
        let topic = Arc::clone(&self.topics[last.audiences]);
        let payload = match AUDIENCES[last.audiences] {
            "operator" => for_operator(&last.event.payload),
            _ => Some(last.event.payload.clone()),
        };
        last.audiences += 1;
        Some((last.event.seq, topic, payload))
    }

    /// Counts one acknowledgement; returns whether the cursor moved.
    fn acknowledged(&mut self, seq: EntrySeq) -> bool {
        if let Some(sent) = self.sent.iter_mut().find(|sent| sent.event.seq == seq) {
            sent.confirmed += 1;
        }
        let before = self.cursor;
        while let Some(first) = self.sent.front()
            && first.confirmed == AUDIENCES.len()
        {
            self.cursor = first.event.seq;
            self.sent.pop_front();
        }
        self.cursor != before
    }

    fn disconnected(&mut self) {
        while let Some(sent) = self.sent.pop_back() {
            self.queue.push_front(sent.event);
        }
    }

    /// Moves the cursor back to where it was two ages ago; returns whether it moved. Memory must hold
    /// the events right after the cursor, so the board is read from the store again.
    fn rewind(&mut self) -> bool {
        let moves = self.aged[0] < self.cursor;
        if moves {
            self.cursor = self.aged[0];
            self.sent.clear();
            self.queue.clear();
        }
        moves
    }
}

/// The streams of all boards.
#[derive(Debug)]
pub(super) struct Events {
    site: SiteId,
    saved: Cursors,
    streams: BTreeMap<BoardId, Stream>,
    /// Boards with something to send, in turn.
    ready: VecDeque<BoardId>,
    /// Boards that must be read from the store, in turn.
    behind: VecDeque<BoardId>,
    /// Messages in memory that are not sent: the sum of `Stream::unsent` over all streams.
    unsent: usize,
    /// Places in memory reserved for the current read; 0 if there is none.
    reading: usize,
    /// Events only in the store: the sum of `Stream::lag` over all streams.
    lag: u64,
    changed: bool,
    limits: Limits,
    pub(super) for_operator: Filter,
}

impl Events {
    pub(super) fn new(site: SiteId, saved: Cursors, limits: Limits) -> Self {
        Self {
            site,
            saved,
            streams: BTreeMap::new(),
            ready: VecDeque::new(),
            behind: VecDeque::new(),
            unsent: 0,
            reading: 0,
            lag: 0,
            changed: false,
            limits,
            for_operator: |payload| Some(payload.clone()),
        }
    }

    pub(super) fn board(
        &mut self,
        board: BoardId,
        start: EntrySeq,
        last: EntrySeq,
        mut passed_over: Vec<RangeInclusive<EntrySeq>>,
    ) {
        if self.streams.contains_key(&board) {
            return;
        }
        let cursor = self.saved.get(&board).unwrap_or(start).min(last);
        let topic = |audience| format!("chess/v1/{}/{audience}/{board}/event", self.site).into();
        passed_over.retain(|passed| *passed.end() > cursor && *passed.end() <= last);
        let mut stream = Stream {
            topics: AUDIENCES.map(topic),
            cursor,
            aged: [cursor; 2],
            sent: VecDeque::new(),
            queue: VecDeque::new(),
            newest: last,
            passed_over,
            ready: false,
            behind: cursor < last,
        };
        // If only unused numbers remain, there is nothing to read.
        stream.behind = stream.lag() > 0;
        if stream.behind {
            self.behind.push_back(board.clone());
            self.lag += stream.lag();
        }
        if self.saved.set(&board, cursor) {
            self.changed = true;
        }
        self.streams.insert(board, stream);
    }

    pub(super) fn push(&mut self, board: &BoardId, seq: EntrySeq, payload: Bytes) {
        if !self.streams.contains_key(board) {
            let before = seq.previous();
            self.board(board.clone(), before, before, Vec::new());
        }
        let full = self.in_memory() + self.reading >= self.limits.events;
        let Some(stream) = self.streams.get_mut(board) else {
            return;
        };
        if seq <= stream.newest {
            return; // a repetition
        }
        let lag = stream.lag();
        let from = stream.aged[0];
        stream.passed_over.retain(|passed| *passed.end() > from);
        // A board that started without its disk skips a large range.
        if seq > stream.newest.next() {
            stream
                .passed_over
                .push(stream.newest.next()..=seq.previous());
        }
        stream.newest = seq;
        if full && !stream.behind {
            stream.behind = true;
            self.behind.push_back(board.clone());
        }
        if stream.behind {
            self.lag += stream.lag() - lag;
            return;
        }
        stream.queue.push_back(StoredEvent { seq, payload });
        self.unsent += AUDIENCES.len();
        Self::make_ready(&mut self.ready, board, stream);
    }

    pub(super) fn take_next(&mut self) -> Option<NextEvent> {
        loop {
            let board = self.ready.pop_front()?;
            let stream = self.streams.get_mut(&board)?;
            stream.ready = false;
            let (seq, topic, payload) = stream.take_next(self.for_operator)?;
            self.unsent -= 1;
            Self::make_ready(&mut self.ready, &board, stream);
            let Some(payload) = payload else {
                self.acknowledged(&board, seq);
                continue;
            };
            return Some(NextEvent {
                board,
                seq,
                topic,
                payload,
            });
        }
    }

    pub(super) fn acknowledged(&mut self, board: &BoardId, seq: EntrySeq) {
        if let Some(stream) = self.streams.get_mut(board)
            && stream.acknowledged(seq)
        {
            self.saved.set(board, stream.cursor);
            self.changed = true;
        }
    }

    pub(super) fn disconnected(&mut self) {
        self.unsent = 0;
        for (board, stream) in &mut self.streams {
            stream.disconnected();
            self.unsent += stream.unsent();
            Self::make_ready(&mut self.ready, board, stream);
        }
    }

    /// Ages what is acknowledged; see [`rewind`](Self::rewind).
    pub(super) fn age(&mut self) {
        for stream in self.streams.values_mut() {
            stream.aged = [stream.aged[1], stream.cursor];
        }
    }

    /// Sends again, from the store, what was acknowledged since the last [`age`](Self::age) but one.
    /// Nothing may be in flight.
    pub(super) fn rewind(&mut self) {
        for (board, stream) in &mut self.streams {
            let (lag, unsent) = (stream.lag(), stream.unsent());
            if !stream.rewind() {
                continue;
            }
            self.unsent -= unsent;
            if !std::mem::replace(&mut stream.behind, true) {
                self.behind.push_back(board.clone());
            }
            self.lag += stream.lag() - lag;
            self.saved.set(board, stream.cursor);
            self.changed = true;
        }
    }

    pub(super) fn next_read(&mut self) -> Option<ReadRequest> {
        if self.reading > 0 {
            return None;
        }
        let room = self.limits.events.saturating_sub(self.in_memory());
        let limit = room.min(self.limits.read_batch);
        if limit == 0 {
            return None;
        }
        let drained = |board| {
            let stream: Option<&Stream> = self.streams.get(board);
            stream.is_some_and(|stream| stream.queue.is_empty())
        };
        let at = self.behind.iter().position(drained)?;
        let board = self.behind.remove(at)?;
        let stream = self.streams.get(&board)?;
        let (after, newest) = (stream.tail(), stream.newest);
        self.behind.push_back(board.clone());
        self.reading = limit;
        Some(ReadRequest {
            board,
            after,
            limit,
            newest,
        })
    }

    pub(super) fn refill(&mut self, request: &ReadRequest, events: Vec<StoredEvent>) {
        self.reading = 0;
        let Some(stream) = self.streams.get_mut(&request.board) else {
            return;
        };
        if stream.tail() != request.after || !stream.behind {
            return; // the answer to an outdated request
        }
        self.lag -= stream.lag();
        let nothing = events.is_empty();
        for event in events {
            if event.seq > stream.tail() {
                stream.queue.push_back(event);
                self.unsent += AUDIENCES.len();
            }
        }
        // If nothing has arrived since the request, an empty answer also ends the lag. The store
        // has no more events, and waiting for them would block the board for ever.
        let ended = nothing && stream.newest == request.newest;
        if ended && stream.tail() < stream.newest {
            tracing::error!(
                board = %request.board, after = request.after.get(), newest = stream.newest.get(),
                "the journal has fewer events than were announced"
            );
        }
        if ended || stream.tail() >= stream.newest {
            stream.behind = false;
            self.behind.retain(|board| *board != request.board);
        }
        self.lag += stream.lag();
        Self::make_ready(&mut self.ready, &request.board, stream);
    }

    pub(super) fn read_failed(&mut self) {
        self.reading = 0;
    }

    pub(super) fn changed_cursors(&mut self) -> Option<Cursors> {
        std::mem::take(&mut self.changed).then(|| self.cursors().clone())
    }

    pub(super) fn cursors_not_saved(&mut self) {
        self.changed = true;
    }

    pub(super) fn cursors_changed(&self) -> bool {
        self.changed
    }

    /// Messages to be sent, one per audience. Events only in the store are counted by their
    /// sequence numbers.
    pub(super) fn waiting(&self) -> u64 {
        self.unsent as u64 + self.lag * AUDIENCES.len() as u64
    }

    /// How far each board is acknowledged now.
    pub(super) fn cursors(&self) -> &Cursors {
        &self.saved
    }

    /// Events in memory that are not yet sent to every audience.
    #[must_use]
    pub(super) fn in_memory(&self) -> usize {
        self.unsent.div_ceil(AUDIENCES.len())
    }

    /// Recomputes [`waiting`](Self::waiting) without the running totals.
    #[cfg(test)]
    pub(super) fn recount_waiting(&self) -> u64 {
        let of = |s: &Stream| s.unsent() as u64 + s.lag() * AUDIENCES.len() as u64;
        self.streams.values().map(of).sum()
    }

    fn make_ready(ready: &mut VecDeque<BoardId>, board: &BoardId, stream: &mut Stream) {
        if !stream.ready && stream.unsent() > 0 {
            stream.ready = true;
            ready.push_back(board.clone());
        }
    }
}
