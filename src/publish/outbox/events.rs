//! Events: for each board and audience a stream with a cursor into the journal.
//!
//! ```text
//!   confirmed │ sent, unconfirmed │ in memory │ only in the store
//!        cursor                              tail             newest
//! ```
//!
//! Memory always holds the events right after the cursor. When it is full, the stream lags: new
//! events only advance `newest`. Once everything in memory is sent, the events after `tail` are
//! read from the store. Events thus need no sorting, and no gap can arise.
//!
//! If the broker refuses an event, its stream stops there and leaves the memory to the others. At
//! each [`retry`](Events::retry) this one event is sent again, and all after it once it is accepted.

use std::{
    collections::{BTreeMap, VecDeque},
    ops::RangeInclusive,
    sync::Arc,
};

use bytes::Bytes;

use super::{
    Cursors, Limits, StoredEvent,
    stream::{AUDIENCES, Acceptance, Stream, StreamId},
};
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    seq::EntrySeq,
};

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
    pub(super) stream: StreamId,
    pub(super) seq: EntrySeq,
    pub(super) topic: Arc<str>,
    pub(super) payload: Bytes,
}

/// The streams of all boards.
#[derive(Debug)]
pub(super) struct Events {
    site: SiteId,
    saved: Cursors,
    streams: BTreeMap<StreamId, Stream>,
    /// Streams with something to send, in turn.
    ready: VecDeque<StreamId>,
    /// Streams that must be read from the store, in turn.
    behind: VecDeque<StreamId>,
    /// Messages in memory that are not sent: the queues of all streams.
    unsent: usize,
    /// Places in memory reserved for the current read; 0 if there is none.
    reading: usize,
    /// Events only in the store: the sum of `Stream::lag` over all streams.
    lag: u64,
    changed: bool,
    /// What was acknowledged since the last [`age`](Self::age) but one is sent again at the next start.
    pub(super) doubts: bool,
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
            doubts: false,
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
        let ids = StreamId::all(board);
        if self.streams.contains_key(&ids[0]) {
            return;
        }
        let board = &ids[0].board;
        let cursor = self.saved.resume(board).unwrap_or(start).min(last);
        let confirmed = self.saved.get(board).unwrap_or(cursor).min(last);
        self.changed |= self.saved.set(board, confirmed, cursor);
        passed_over.retain(|passed| *passed.end() > cursor && *passed.end() <= last);
        for id in ids {
            let audience = AUDIENCES[id.audience];
            let topic = format!("chess/v1/{}/{audience}/{}/event", self.site, id.board);
            let stream = Stream::new(topic.into(), cursor, last, passed_over.clone());
            if stream.behind {
                self.behind.push_back(id.clone());
                self.lag += stream.lag();
            }
            self.streams.insert(id, stream);
        }
    }

    pub(super) fn push(&mut self, board: &BoardId, seq: EntrySeq, payload: Bytes) {
        let ids = StreamId::all(board.clone());
        if !self.streams.contains_key(&ids[0]) {
            let before = seq.previous();
            self.board(board.clone(), before, before, Vec::new());
        }
        let full = self.in_memory() + self.reading >= self.limits.events;
        let event = StoredEvent { seq, payload };
        for id in ids {
            self.push_to(&id, event.clone(), full);
        }
    }

    fn push_to(&mut self, id: &StreamId, event: StoredEvent, full: bool) {
        let Some(stream) = self.streams.get_mut(id) else {
            return;
        };
        if event.seq <= stream.newest {
            return; // a repetition
        }
        let lag = stream.lag();
        stream.announce(event.seq);
        if full && !stream.behind {
            stream.behind = true;
            self.behind.push_back(id.clone());
        }
        if stream.behind {
            self.lag += stream.lag() - lag;
            return;
        }
        stream.queue.push_back(event);
        self.unsent += 1;
        Self::make_ready(&mut self.ready, id, stream);
    }

    pub(super) fn take_next(&mut self) -> Option<NextEvent> {
        loop {
            let id = self.ready.pop_front()?;
            let stream = self.streams.get_mut(&id)?;
            stream.ready = false;
            // The stream may have been set back since it was ready.
            if !stream.may_send() {
                continue;
            }
            let StoredEvent { seq, payload } = stream.take_next()?;
            self.unsent -= 1;
            let payload = match AUDIENCES[id.audience] {
                "operator" => (self.for_operator)(&payload),
                _ => Some(payload),
            };
            let topic = Arc::clone(&stream.topic);
            if payload.is_none() {
                stream.confirm(seq); // nothing is sent to this audience
            }
            Self::make_ready(&mut self.ready, &id, stream);
            let Some(payload) = payload else {
                self.note_cursors(&id.board);
                continue;
            };
            return Some(NextEvent {
                stream: id,
                seq,
                topic,
                payload,
            });
        }
    }

    pub(super) fn acknowledged(&mut self, id: &StreamId, seq: EntrySeq) {
        if let Some(stream) = self.streams.get_mut(id)
            && stream.confirm(seq)
        {
            stream.acceptance = Acceptance::Accepted;
            Self::make_ready(&mut self.ready, id, stream);
            self.note_cursors(&id.board);
        }
    }

    /// Passes over an event that this broker can never accept.
    pub(super) fn give_up(&mut self, id: &StreamId, seq: EntrySeq) {
        if let Some(stream) = self.streams.get_mut(id) {
            stream.confirm(seq);
            Self::make_ready(&mut self.ready, id, stream);
            self.note_cursors(&id.board);
        }
    }

    /// Stops the stream before an event that the broker has refused.
    pub(super) fn refused(&mut self, id: &StreamId, seq: EntrySeq) {
        if let Some(stream) = self.streams.get_mut(id)
            && stream.has_sent(seq)
        {
            stream.acceptance = Acceptance::Refused;
            let cursor = stream.cursor;
            self.set_back(id, cursor);
        }
    }

    /// Tries the streams that were refused again, with one event each.
    pub(super) fn retry(&mut self) {
        for stream in self.streams.values_mut() {
            if stream.acceptance == Acceptance::Refused {
                stream.acceptance = Acceptance::Tried;
            }
        }
    }

    pub(super) fn disconnected(&mut self) {
        self.unsent = 0;
        for (id, stream) in &mut self.streams {
            stream.disconnected();
            self.unsent += stream.queue.len();
            Self::make_ready(&mut self.ready, id, stream);
        }
    }

    /// Ages what is acknowledged; see [`rewind`](Self::rewind).
    pub(super) fn age(&mut self) {
        for stream in self.streams.values_mut() {
            stream.age();
        }
        self.note_all_cursors();
    }

    /// Sends again, from the store, what was acknowledged since the last [`age`](Self::age) but one.
    /// Nothing may be in flight.
    pub(super) fn rewind(&mut self) {
        let doubtful = self.streams.iter();
        let doubtful = doubtful.filter(|(_, stream)| stream.aged_cursor() < stream.cursor);
        let back: Vec<_> = doubtful
            .map(|(id, stream)| (id.clone(), stream.aged_cursor()))
            .collect();
        for (id, cursor) in back {
            self.set_back(&id, cursor);
        }
        self.note_all_cursors();
    }

    /// Moves a cursor back, and reads the events after it from the store again.
    fn set_back(&mut self, id: &StreamId, cursor: EntrySeq) {
        let Some(stream) = self.streams.get_mut(id) else {
            return;
        };
        let lag = stream.lag();
        self.unsent -= stream.queue.len();
        if !stream.behind {
            self.behind.push_back(id.clone());
        }
        stream.set_back(cursor);
        self.lag = self.lag - lag + stream.lag();
    }

    /// Notes how far the streams of a board have come, to be saved.
    fn note_cursors(&mut self, board: &BoardId) {
        let streams = StreamId::all(board.clone()).map(|id| self.streams.get(&id));
        let streams = || streams.iter().copied().flatten();
        let resume = |stream: &Stream| {
            if self.doubts {
                stream.aged_cursor()
            } else {
                stream.cursor
            }
        };
        let newest = streams().map(|stream| stream.cursor).max();
        if let (Some(newest), Some(resume)) = (newest, streams().map(resume).min()) {
            let confirmed = self.saved.get(board).unwrap_or_default().max(newest);
            self.changed |= self.saved.set(board, confirmed, resume);
        }
    }

    fn note_all_cursors(&mut self) {
        let ids = self.streams.keys().filter(|id| id.audience == 0);
        let boards: Vec<BoardId> = ids.map(|id| id.board.clone()).collect();
        for board in boards {
            self.note_cursors(&board);
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
        let wants = |(at, id)| Some((at, self.streams.get(id)?.wants(limit)?));
        let (at, limit) = self.behind.iter().enumerate().find_map(wants)?;
        let id = self.behind.remove(at)?;
        let stream = self.streams.get(&id)?;
        let (after, newest) = (stream.tail(), stream.newest);
        let board = id.board.clone();
        self.behind.push_back(id);
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
        // All audiences mostly need the same events, so one read serves them all.
        let [arbiter, operator] = StreamId::all(request.board.clone());
        let missing = self.refill_stream(&arbiter, request, events.clone());
        if let Some(newest) = missing.or(self.refill_stream(&operator, request, events)) {
            tracing::error!(
                board = %request.board, after = request.after.get(), newest = newest.get(),
                "the journal has fewer events than were announced"
            );
        }
    }

    /// Returns the newest event that was announced, if the store has fewer.
    fn refill_stream(
        &mut self,
        id: &StreamId,
        request: &ReadRequest,
        events: Vec<StoredEvent>,
    ) -> Option<EntrySeq> {
        let stream = self.streams.get_mut(id)?;
        let is_refused = stream.acceptance == Acceptance::Refused;
        if stream.tail() != request.after || !stream.behind || is_refused {
            return None; // the answer to an outdated request
        }
        self.lag -= stream.lag();
        let mut nothing = true;
        for event in events {
            // The store may have an event already that is announced in a moment.
            if event.seq > stream.tail() && event.seq <= stream.newest {
                stream.queue.push_back(event);
                self.unsent += 1;
                nothing = false;
            }
        }
        // If nothing has arrived since the request, an empty answer also ends the lag. The store
        // has no more events, and waiting for them would block the stream for ever.
        let ended = nothing && stream.newest == request.newest;
        let missing = (ended && stream.tail() < stream.newest).then_some(stream.newest);
        if ended || stream.tail() >= stream.newest {
            stream.behind = false;
            self.behind.retain(|behind| behind != id);
        }
        self.lag += stream.lag();
        Self::make_ready(&mut self.ready, id, stream);
        missing
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
        self.unsent as u64 + self.lag
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
        let of = |s: &Stream| s.queue.len() as u64 + s.lag();
        self.streams.values().map(of).sum()
    }

    fn make_ready(ready: &mut VecDeque<StreamId>, id: &StreamId, stream: &mut Stream) {
        if !stream.ready && stream.may_send() {
            stream.ready = true;
            ready.push_back(id.clone());
        }
    }
}
