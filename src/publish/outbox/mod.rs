//! Everything that still has to be sent, whatever happens to the connection.
//!
//! The outbox is pure and synchronous. The session takes the next [`Message`] and reports which
//! [`MessageId`]s the broker has acknowledged and when the connection was lost. The three kinds of
//! message follow different rules:
//!
//! | kind | order | when the connection is lost | bound |
//! |---|---|---|---|
//! | retained topic | by the first change; the latest value wins | the whole snapshot again | one value per topic |
//! | event | per board and audience, by `seq`, without gaps | again from the cursor, or earlier: [`Outbox::distrust`] | [`Limits::events`], then the [`EventStore`] |
//! | reply | the arbiter's first, else as pushed | again | [`Limits::replies`] of the arbiter's and of others', then the oldest is dropped |
//!
//! A retained topic or an event that the broker refuses is kept, and sent again at the next
//! [`Outbox::retry_refused`] or connection. An access list can thus be mended while both run.
//!
//! ```
//! use bytes::Bytes;
//! use remisd::publish::outbox::{Cursors, Delivery, Limits, Outbox};
//!
//! let mut outbox = Outbox::new(&"hall".parse()?, Cursors::default(), Limits::default());
//! let topic: std::sync::Arc<str> = "chess/v1/hall/public/b1/game".into();
//! outbox.retain(topic.clone(), Some(Bytes::from("1. e4")), Delivery::AtLeastOnce);
//! outbox.retain(topic.clone(), Some(Bytes::from("1. d4")), Delivery::AtLeastOnce);
//! outbox.connected(None);
//! let message = outbox.next_message().expect("one topic is dirty");
//! assert_eq!(message.payload, "1. d4");
//! outbox.acknowledged(message.id);
//! assert!(outbox.is_idle());
//! # Ok::<_, remisd_vocabulary::name::NameError>(())
//! ```

mod cursors;
mod events;
mod retained;
mod stream;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    ops::RangeInclusive,
    sync::Arc,
};

use bytes::Bytes;

pub use cursors::{CURSORS, CursorError, Cursors};
pub use events::ReadRequest;

use super::lanes::Lane;
use events::Events;
use remisd_vocabulary::{
    name::{BoardId, SiteId},
    seq::EntrySeq,
};
use retained::Retained;
use stream::StreamId;

/// One event as stored in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// The board's sequence number of the journal entry.
    pub seq: EntrySeq,
    /// The payload exactly as in the journal.
    pub payload: Bytes,
}

/// A store from which events can be read again after they have left memory.
pub trait EventStore: Send + Sync {
    /// The events of `board` with a sequence number above `seq`, oldest first.
    ///
    /// Returns at most `limit` events, and none if there are no more. The call is made on a thread
    /// that may block.
    fn read_after(
        &self,
        board: &BoardId,
        seq: EntrySeq,
        limit: usize,
    ) -> io::Result<Vec<StoredEvent>>;
}

/// The delivery guarantee of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// `QoS` 0: sent once, without acknowledgement.
    AtMostOnce,
    /// `QoS` 1: sent until it is acknowledged or refused.
    AtLeastOnce,
}

/// Identifies a message between sending and acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId(u64);

/// A message to be sent now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The id to return with the acknowledgement.
    pub id: MessageId,
    /// The topic, without wildcards.
    pub topic: Arc<str>,
    /// The payload; empty clears a retained topic.
    pub payload: Bytes,
    /// Whether the broker retains it for later subscribers.
    pub retain: bool,
    /// The delivery guarantee.
    pub delivery: Delivery,
    /// Correlation data of the command that this answers.
    pub correlation: Option<Bytes>,
}

/// The bounds of the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Events kept in memory, over all boards.
    pub events: usize,
    /// Events read from the store in one batch.
    pub read_batch: usize,
    /// Replies that may wait for the broker, for the arbiter and for all others each.
    pub replies: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            events: 32_768,
            read_batch: 256,
            replies: 256,
        }
    }
}

#[derive(Debug, Clone)]
struct Reply {
    topic: Arc<str>,
    payload: Bytes,
    correlation: Option<Bytes>,
    precedence: Lane,
}

/// Waiting replies. The arbiter's have their own queue, so others cannot displace them.
#[derive(Debug, Default)]
struct Replies {
    arbiter: VecDeque<Reply>,
    others: VecDeque<Reply>,
}

impl Replies {
    fn of(&mut self, precedence: Lane) -> &mut VecDeque<Reply> {
        match precedence {
            Lane::Arbiter => &mut self.arbiter,
            Lane::Others => &mut self.others,
        }
    }

    fn pop(&mut self) -> Option<Reply> {
        self.arbiter.pop_front().or_else(|| self.others.pop_front())
    }

    fn len(&self) -> usize {
        self.arbiter.len() + self.others.len()
    }
}

#[derive(Debug)]
enum InFlight {
    Retained(Arc<str>),
    Event(StreamId, EntrySeq),
    Reply(Reply),
    LastWord,
}

/// At least one in this many messages is a retained topic, if one is waiting.
const RETAINED_SHARE: usize = 4;

/// Everything that still has to be sent. See the [module](self).
#[derive(Debug)]
pub struct Outbox {
    retained: Retained,
    events: Events,
    replies: Replies,
    in_flight: BTreeMap<MessageId, InFlight>,
    limits: Limits,
    last_id: u64,
    /// Events and retained topics sent in alternation so far.
    turns: usize,
    dropped: u64,
}

impl Outbox {
    /// Creates an outbox for the boards of `site`.
    ///
    /// `cursors` holds how far each board's events were acknowledged when the daemon last ran.
    #[must_use]
    pub fn new(site: &SiteId, cursors: Cursors, limits: Limits) -> Self {
        Self {
            retained: Retained::default(),
            events: Events::new(site.clone(), cursors, limits),
            replies: Replies::default(),
            in_flight: BTreeMap::new(),
            limits,
            last_id: 0,
            turns: 0,
            dropped: 0,
        }
    }

    /// Limits operators to what `filter` leaves of each event. By default they receive everything.
    pub fn filter_operator_events(&mut self, filter: fn(&Bytes) -> Option<Bytes>) {
        self.events.for_operator = filter;
    }

    /// Saves how far events were acknowledged before the last [`age`](Self::age) but one, because what
    /// came later is doubtful. The next run begins there; see [`distrust`](Self::distrust).
    pub fn doubt_acknowledgements(&mut self) {
        self.events.doubts = true;
    }

    /// Sets the value of a retained topic; `None` clears it at the broker.
    ///
    /// Both are repeated on every connection, because a restarted broker may have kept an older
    /// value.
    pub fn retain(&mut self, topic: Arc<str>, payload: Option<Bytes>, delivery: Delivery) {
        self.retained.set(topic, payload, delivery);
    }

    /// Publishes a known retained topic once more, unchanged.
    pub fn repeat(&mut self, topic: &str) {
        self.retained.repeat(topic);
    }

    /// Publishes every retained topic once more, unchanged, after another client wrote to them.
    pub fn repeat_all(&mut self) {
        self.retained.repeat_all();
    }

    /// Registers a board whose journal ends at `last`.
    ///
    /// If no cursor was saved, its events are sent from `start` (exclusive) on. The ordered ranges
    /// `passed_over` are numbers that no event has, so the outbox does not wait for them. A saved
    /// cursor beyond `last` belongs to a lost journal and falls back to `last`.
    pub fn board(
        &mut self,
        board: BoardId,
        start: EntrySeq,
        last: EntrySeq,
        passed_over: Vec<RangeInclusive<EntrySeq>>,
    ) {
        self.events.board(board, start, last, passed_over);
    }

    /// The event up to which everything of a board is acknowledged beyond doubt, if known.
    #[must_use]
    pub fn confirmed(&self, board: &BoardId) -> Option<EntrySeq> {
        self.events.cursors().resume(board)
    }

    /// Adds the newest event of a board. An unknown board starts with this event.
    pub fn event(&mut self, board: &BoardId, seq: EntrySeq, payload: Bytes) {
        self.events.push(board, seq, payload);
    }

    /// Adds an answer, or any other message that is not retained.
    ///
    /// When too many are waiting, the oldest is dropped and counted.
    pub fn reply(
        &mut self,
        topic: Arc<str>,
        payload: Bytes,
        correlation: Option<Bytes>,
        precedence: Lane,
    ) {
        let replies = self.replies.of(precedence);
        if replies.len() >= self.limits.replies {
            replies.pop_front();
            self.dropped += 1;
        }
        replies.push_back(Reply {
            topic,
            payload,
            correlation,
            precedence,
        });
    }

    /// Starts a connection: the whole retained snapshot is sent again, `first` before all other
    /// topics, and then events and replies.
    pub fn connected(&mut self, first: Option<&str>) {
        self.retained.start_snapshot(first);
        self.events.retry();
    }

    /// Ends a connection: everything unacknowledged is queued again.
    pub fn disconnected(&mut self) {
        self.retained.disconnected();
        self.events.disconnected();
        for (_, flight) in std::mem::take(&mut self.in_flight).into_iter().rev() {
            if let InFlight::Reply(reply) = flight {
                self.replies.of(reply.precedence).push_front(reply);
            }
        }
    }

    /// Publishes the next part of the retained topics once more, unchanged.
    ///
    /// A node of a cluster may miss a value that another node has acknowledged. Without this it would
    /// give its readers the old value until the next change.
    pub fn refresh(&mut self) {
        self.retained.refresh();
    }

    /// Ages what is acknowledged; see [`distrust`](Self::distrust).
    pub fn age(&mut self) {
        self.events.age();
    }

    /// Sends the events again that were acknowledged since the last [`age`](Self::age) but one.
    ///
    /// A node of a cluster acknowledges a message before the other nodes have it. If the node is lost,
    /// so is what it had not passed on. Call this after [`disconnected`](Self::disconnected).
    pub fn distrust(&mut self) {
        self.events.rewind();
    }

    /// The next message to send, if any. It counts as in flight from now on.
    pub fn next_message(&mut self) -> Option<Message> {
        if self.retained.in_snapshot() {
            return self.next_retained();
        }
        if let Some(reply) = self.replies.pop() {
            return Some(self.send_reply(reply));
        }
        // Neither may starve the other. If the broker is too slow for both, a waiting retained
        // topic collapses into its latest value, whereas every event is sent in any case.
        self.turns += 1;
        if self.turns.is_multiple_of(RETAINED_SHARE) {
            self.next_retained().or_else(|| self.next_event())
        } else {
            self.next_event().or_else(|| self.next_retained())
        }
    }

    /// The final message of a clean stop; it is never sent again.
    pub fn last_word(&mut self, topic: Arc<str>, payload: Bytes) -> Message {
        Message {
            id: self.track(InFlight::LastWord),
            topic,
            payload,
            retain: true,
            delivery: Delivery::AtLeastOnce,
            correlation: None,
        }
    }

    /// Marks a message as accepted by the broker: it is never sent again.
    pub fn acknowledged(&mut self, id: MessageId) {
        match self.in_flight.remove(&id) {
            Some(InFlight::Retained(topic)) => self.retained.acknowledged(&topic),
            Some(InFlight::Event(stream, seq)) => self.events.acknowledged(&stream, seq),
            Some(InFlight::Reply(_) | InFlight::LastWord) | None => {}
        }
    }

    /// Marks a message as refused by the broker. Returns whether it is kept for
    /// [`retry_refused`](Self::retry_refused): all but a reply.
    pub fn refused(&mut self, id: MessageId) -> bool {
        match self.in_flight.remove(&id) {
            Some(InFlight::Retained(topic)) => self.retained.refused(&topic),
            Some(InFlight::Event(stream, seq)) => self.events.refused(&stream, seq),
            Some(InFlight::Reply(_) | InFlight::LastWord) | None => return false,
        }
        true
    }

    /// Drops a message that this broker can never accept. A retained topic is sent again on the next
    /// connection.
    pub fn give_up(&mut self, id: MessageId) {
        match self.in_flight.remove(&id) {
            Some(InFlight::Retained(topic)) => self.retained.acknowledged(&topic),
            Some(InFlight::Event(stream, seq)) => self.events.give_up(&stream, seq),
            Some(InFlight::Reply(_) | InFlight::LastWord) | None => {}
        }
    }

    /// Sends again what the broker has refused: every retained topic, and of each board and audience
    /// one event. If it accepts that event, those after it follow.
    pub fn retry_refused(&mut self) {
        self.retained.repeat_refused();
        self.events.retry();
    }

    /// The next range to read from the store.
    ///
    /// Answer with [`refill`](Self::refill) or [`read_failed`](Self::read_failed) before calling it
    /// again.
    pub fn next_read(&mut self) -> Option<ReadRequest> {
        self.events.next_read()
    }

    /// Adds the events that the store returned for a request.
    pub fn refill(&mut self, request: &ReadRequest, events: Vec<StoredEvent>) {
        self.events.refill(request, events);
    }

    /// Reports that the store could not be read; the same request will be repeated.
    pub fn read_failed(&mut self) {
        self.events.read_failed();
    }

    /// How far each board's events are acknowledged, if that has changed since the last call.
    pub fn changed_cursors(&mut self) -> Option<Cursors> {
        self.events.changed_cursors()
    }

    /// Reports that the last cursors could not be saved, so they count as changed again.
    pub fn cursors_not_saved(&mut self) {
        self.events.cursors_not_saved();
    }

    /// Whether [`changed_cursors`](Self::changed_cursors) would return cursors.
    #[must_use]
    pub fn cursors_changed(&self) -> bool {
        self.events.cursors_changed()
    }

    /// Whether everything is sent and acknowledged.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.depth() == 0
    }

    /// Messages still to be sent or acknowledged.
    ///
    /// An event counts once per audience. Events only in the store are counted by their sequence
    /// numbers.
    #[must_use]
    pub fn depth(&self) -> u64 {
        let memory = self.retained.waiting() + self.replies.len() + self.in_flight.len();
        memory as u64 + self.events.waiting()
    }

    /// Replies dropped because too many were waiting.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    fn next_retained(&mut self) -> Option<Message> {
        let (topic, payload, delivery) = self.retained.take_next()?;
        Some(Message {
            id: self.track(InFlight::Retained(Arc::clone(&topic))),
            topic,
            payload: payload.unwrap_or_default(),
            retain: true,
            delivery,
            correlation: None,
        })
    }

    fn next_event(&mut self) -> Option<Message> {
        let next = self.events.take_next()?;
        Some(Message {
            id: self.track(InFlight::Event(next.stream, next.seq)),
            topic: next.topic,
            payload: next.payload,
            retain: false,
            delivery: Delivery::AtLeastOnce,
            correlation: None,
        })
    }

    fn send_reply(&mut self, reply: Reply) -> Message {
        Message {
            id: self.track(InFlight::Reply(reply.clone())),
            topic: reply.topic,
            payload: reply.payload,
            retain: false,
            delivery: Delivery::AtLeastOnce,
            correlation: reply.correlation,
        }
    }

    fn track(&mut self, flight: InFlight) -> MessageId {
        self.last_id += 1;
        let id = MessageId(self.last_id);
        self.in_flight.insert(id, flight);
        id
    }
}
