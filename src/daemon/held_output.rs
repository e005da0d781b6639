//! What a board publishes and answers, held back until its entries are on the disk.
//!
//! A board does not wait for the disk after each entry: it continues, and whatever has accumulated
//! is written together. Nothing about an entry leaves before it is safe from a power cut. The
//! exception is a disk known to be down: then everything but events leaves at once.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::publish::{Lane, Publisher, payload::Reply};
use remisd_vocabulary::{
    name::BoardId,
    seq::{AudienceSeq, EntrySeq},
};

/// A board's output queue.
#[derive(Debug)]
pub struct HeldOutput {
    publisher: Publisher,
    board: BoardId,
    held: VecDeque<HeldItem>,
    /// The newest entry, on which everything published now depends.
    newest: EntrySeq,
    /// The newest entry that is on the disk.
    durable: EntrySeq,
    /// The disk is down: only events are held back.
    is_open: bool,
    /// Entries not yet published as events, because the disk does not have them.
    events: VecDeque<PendingEvent>,
    /// The operators' sequence number at the last entry on the disk.
    for_operators: AudienceSeq,
}

/// An entry not yet published as an event.
#[derive(Debug)]
pub struct PendingEvent {
    /// Its number.
    pub seq: EntrySeq,
    /// The operators' sequence number at this entry.
    pub for_operators: AudienceSeq,
    /// The entry.
    pub body: Bytes,
}

/// Something that waits for the entry `seq`.
#[derive(Debug)]
struct HeldItem {
    seq: EntrySeq,
    out: Out,
}

#[derive(Debug)]
enum Out {
    Retained {
        topic: String,
        payload: Option<Bytes>,
    },
    Reply(PendingReply),
}

/// An answer and its destination.
#[derive(Debug)]
pub struct PendingReply {
    /// The topic, already checked.
    pub to: String,
    /// The answer.
    pub reply: Reply,
    /// The entry that it depends on; [`EntrySeq::ZERO`] for none.
    pub entry: EntrySeq,
    /// The correlation data that its sender expects in it.
    pub correlation: Option<Bytes>,
    /// The lane of the command that it answers.
    pub precedence: Lane,
}

impl HeldOutput {
    /// Creates an output that holds nothing.
    #[must_use]
    pub const fn new(publisher: Publisher, board: BoardId) -> Self {
        Self {
            publisher,
            board,
            held: VecDeque::new(),
            newest: EntrySeq::ZERO,
            durable: EntrySeq::ZERO,
            is_open: false,
            events: VecDeque::new(),
            for_operators: AudienceSeq::ZERO,
        }
    }

    /// Notes a written entry, on which everything published from now on depends.
    pub fn written(&mut self, entry: PendingEvent) {
        self.newest = entry.seq;
        self.events.push_back(entry);
    }

    /// Returns the entries not yet published as events.
    pub fn pending_events(&self) -> impl Iterator<Item = &PendingEvent> {
        self.events.iter()
    }

    /// Returns the operators' sequence number at the last entry on the disk.
    #[must_use]
    pub const fn recorded(&self) -> AudienceSeq {
        self.for_operators
    }

    /// Sets the operators' sequence number to start from.
    pub const fn set_operator_seq(&mut self, counted: AudienceSeq) {
        self.for_operators = counted;
    }

    /// Releases what depends on entries up to `durable`. If the disk is down, everything but events
    /// is released.
    pub fn release(&mut self, durable: EntrySeq, is_down: bool) {
        (self.durable, self.is_open) = (durable, is_down);
        while let Some(held) = (self.held).pop_front_if(|held| is_down || held.seq <= durable) {
            self.send(held.out);
        }
        while let Some(entry) = self.events.pop_front_if(|entry| entry.seq <= durable) {
            self.for_operators = entry.for_operators;
            self.publisher.event(&self.board, entry.seq, entry.body);
        }
    }

    /// Drops the events that wait, because they will never be on the disk.
    pub fn forget_events(&mut self) {
        self.events.clear();
    }

    /// Returns whether no event waits for the disk.
    #[cfg(test)]
    #[must_use]
    pub fn no_events_pending(&self) -> bool {
        self.events.is_empty()
    }

    /// Sets the value of a retained topic.
    pub fn retain(&mut self, topic: &str, payload: Option<Bytes>) {
        if self.is_safe(self.newest) {
            return self.send_retained(topic, payload);
        }
        self.supersede(topic);
        let topic = topic.to_owned();
        self.hold(Out::Retained { topic, payload });
    }

    /// Sends an answer once the entry that it depends on is on the disk.
    pub fn answer(&mut self, answered: PendingReply) {
        if self.is_safe(answered.entry) {
            self.send(Out::Reply(answered));
        } else {
            self.hold(Out::Reply(answered));
        }
    }

    fn is_safe(&self, seq: EntrySeq) -> bool {
        self.is_open || seq <= self.durable
    }

    fn hold(&mut self, out: Out) {
        let seq = self.newest;
        self.held.push_back(HeldItem { seq, out });
    }

    /// Keeps at most two waiting values per topic: the oldest, which leaves first, and the newest.
    fn supersede(&mut self, topic: &str) {
        let of =
            |held: &HeldItem| matches!(&held.out, Out::Retained { topic: of, .. } if of == topic);
        if self.held.iter().filter(|held| of(held)).count() > 1
            && let Some(newest) = self.held.iter().rposition(of)
        {
            self.held.remove(newest);
        }
    }

    fn send(&self, out: Out) {
        match out {
            Out::Retained { topic, payload } => self.send_retained(&topic, payload),
            Out::Reply(answered) => self.send_reply(answered),
        }
    }

    fn send_retained(&self, topic: &str, payload: Option<Bytes>) {
        if let Err(error) = self.publisher.retain(topic, payload) {
            // Site and board names are checked when the configuration is read.
            tracing::error!("{error}");
        }
    }

    fn send_reply(&self, answered: PendingReply) {
        let PendingReply {
            to,
            mut reply,
            entry,
            correlation,
            precedence,
        } = answered;
        reply.recorded = entry <= self.durable;
        let payload = Bytes::from(serde_json::to_vec(&reply).unwrap_or_default());
        let sent = (self.publisher).reply(&to, payload, correlation, precedence);
        if let Err(error) = sent {
            tracing::warn!(board = %self.board, "{error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output() -> (HeldOutput, Publisher) {
        let publisher = Publisher::detached(&"hall".parse().unwrap());
        (
            HeldOutput::new(publisher.clone(), "b1".parse().unwrap()),
            publisher,
        )
    }

    fn published(publisher: &Publisher) -> Vec<(String, String)> {
        let all = publisher.full_snapshot().into_iter();
        all.filter(|message| !message.topic.ends_with("/event"))
            .map(|message| {
                let payload = String::from_utf8_lossy(&message.payload).into_owned();
                (message.topic.to_string(), payload)
            })
            .collect()
    }

    fn entry(seq: u64) -> PendingEvent {
        PendingEvent {
            seq: EntrySeq::new(seq),
            for_operators: AudienceSeq::new(seq),
            body: Bytes::from("{}"),
        }
    }

    fn answer(seq: u64) -> PendingReply {
        PendingReply {
            to: "chess/v1/hall/reply/x".to_owned(),
            reply: Reply {
                schema: Reply::SCHEMA.into(),
                id: None,
                ok: true,
                seq: Some(AudienceSeq::new(seq)),
                code: None,
                message: None,
                recorded: true,
                evidence: None,
            },
            entry: EntrySeq::new(seq),
            correlation: None,
            precedence: Lane::Others,
        }
    }

    #[test]
    fn nothing_about_an_entry_is_published_before_it_is_on_the_disk() {
        let (mut output, publisher) = output();
        output.retain("t", Some("0".into()));
        assert_eq!(published(&publisher), [("t".to_owned(), "0".to_owned())]);
        output.written(entry(1));
        output.retain("t", Some("1".into()));
        output.answer(answer(1));
        assert_eq!(published(&publisher).len(), 1, "only the old value");
        assert_eq!(published(&publisher)[0].1, "0");
        output.release(EntrySeq::new(1), false);
        let all = published(&publisher);
        assert!(all.contains(&("t".to_owned(), "1".to_owned())));
        assert!(all.iter().any(|(topic, _)| topic.contains("reply")));
    }

    #[test]
    fn a_topic_that_always_changes_is_still_published_and_holds_two_values() {
        let (mut output, publisher) = output();
        for seq in 1..=1_000_u64 {
            output.written(entry(seq));
            output.retain("t", Some(seq.to_string().into()));
            assert!(output.held.len() <= 2);
        }
        output.release(EntrySeq::new(1), false);
        assert_eq!(published(&publisher)[0].1, "1");
        output.release(EntrySeq::new(1_000), false);
        assert_eq!(published(&publisher)[0].1, "1000");
    }

    #[test]
    fn a_disk_that_is_down_holds_nothing_but_events_back() {
        let (mut output, publisher) = output();
        output.written(entry(1));
        output.answer(answer(1));
        output.release(EntrySeq::new(0), true);
        let (_, reply) = published(&publisher).pop().unwrap();
        assert!(reply.contains("\"recorded\":false"), "{reply}");
        assert!(!output.no_events_pending());
        output.release(EntrySeq::new(1), false);
        assert!(output.no_events_pending());
    }
}
