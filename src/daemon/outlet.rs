//! What a board publishes and answers, held back until the disk has what it rests on.
//!
//! A board does not wait for the disk after each entry: it goes on, and the disk takes what has
//! come meanwhile together. Nobody hears of an entry before it is safe from a power cut, unless
//! the disk is known to be down: then the game goes on without it.

use std::collections::VecDeque;

use bytes::Bytes;

use crate::publish::{Precedence, Publisher, payload::Reply};
use remisd_vocabulary::name::BoardId;

/// A board's way out.
#[derive(Debug)]
pub struct Outlet {
    publisher: Publisher,
    board: BoardId,
    held: VecDeque<Held>,
    /// The newest entry, on which everything rests that is published now.
    newest: u64,
    /// The newest entry that is on the disk.
    durable: u64,
    /// The disk is down: nothing is held.
    is_open: bool,
    /// Entries that are not told as events yet, because the disk does not have them.
    events: VecDeque<Untold>,
    /// How far operators had counted with the last entry that the disk has.
    for_operators: u64,
}

/// An entry that is not told as an event yet.
#[derive(Debug)]
pub struct Untold {
    /// Its number.
    pub seq: u64,
    /// How far operators have counted with it.
    pub for_operators: u64,
    /// The entry.
    pub body: Bytes,
}

/// Something that waits for the entry `seq`.
#[derive(Debug)]
struct Held {
    seq: u64,
    out: Out,
}

#[derive(Debug)]
enum Out {
    Retained {
        topic: String,
        payload: Option<Bytes>,
    },
    Reply(Answered),
}

/// An answer, and where it goes.
#[derive(Debug)]
pub struct Answered {
    /// The topic, which was checked.
    pub to: String,
    /// The answer.
    pub reply: Reply,
    /// The entry that it rests on; 0 for none.
    pub entry: u64,
    /// What its sender wants to find in it.
    pub correlation: Option<Bytes>,
    /// Whose answer it is.
    pub precedence: Precedence,
}

impl Outlet {
    /// Nothing is held yet.
    #[must_use]
    pub const fn new(publisher: Publisher, board: BoardId) -> Self {
        Self {
            publisher,
            board,
            held: VecDeque::new(),
            newest: 0,
            durable: 0,
            is_open: false,
            events: VecDeque::new(),
            for_operators: 0,
        }
    }

    /// An entry was written: what is published from now on rests on it.
    pub fn written(&mut self, entry: Untold) {
        self.newest = entry.seq;
        self.events.push_back(entry);
    }

    /// The entries that are not told as events yet.
    pub fn untold(&self) -> impl Iterator<Item = &Untold> {
        self.events.iter()
    }

    /// How far operators had counted with the last entry that the disk has.
    #[must_use]
    pub const fn recorded(&self) -> u64 {
        self.for_operators
    }

    /// Begins to count there for operators.
    pub const fn recorded_for_operators(&mut self, counted: u64) {
        self.for_operators = counted;
    }

    /// Lets out what rests on entries up to `durable`, or everything but events where the disk is
    /// down.
    pub fn release(&mut self, durable: u64, is_down: bool) {
        (self.durable, self.is_open) = (durable, is_down);
        while let Some(held) = (self.held).pop_front_if(|held| is_down || held.seq <= durable) {
            self.send(held.out);
        }
        while let Some(entry) = self.events.pop_front_if(|entry| entry.seq <= durable) {
            self.for_operators = entry.for_operators;
            self.publisher.event(&self.board, entry.seq, entry.body);
        }
    }

    /// Events that wait will never be on the disk.
    pub fn forget_events(&mut self) {
        self.events.clear();
    }

    /// Whether no event waits for the disk.
    #[cfg(test)]
    #[must_use]
    pub fn has_told_all(&self) -> bool {
        self.events.is_empty()
    }

    /// Sets what a retained topic says.
    pub fn retain(&mut self, topic: &str, payload: Option<Bytes>) {
        if self.is_safe(self.newest) {
            return self.send_retained(topic, payload);
        }
        self.supersede(topic);
        let topic = topic.to_owned();
        self.hold(Out::Retained { topic, payload });
    }

    /// Sends an answer, once the disk has the entry that it rests on.
    pub fn answer(&mut self, answered: Answered) {
        if self.is_safe(answered.entry) {
            self.send(Out::Reply(answered));
        } else {
            self.hold(Out::Reply(answered));
        }
    }

    fn is_safe(&self, seq: u64) -> bool {
        self.is_open || seq <= self.durable
    }

    fn hold(&mut self, out: Out) {
        let seq = self.newest;
        self.held.push_back(Held { seq, out });
    }

    /// Of one topic two values wait at most: the oldest, which is let out first, and the newest.
    fn supersede(&mut self, topic: &str) {
        let of = |held: &Held| matches!(&held.out, Out::Retained { topic: of, .. } if of == topic);
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

    fn send_reply(&self, answered: Answered) {
        let Answered {
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

    fn outlet() -> (Outlet, Publisher) {
        let publisher = Publisher::unheard(&"hall".parse().unwrap());
        (
            Outlet::new(publisher.clone(), "b1".parse().unwrap()),
            publisher,
        )
    }

    fn told(publisher: &Publisher) -> Vec<(String, String)> {
        let all = publisher.told_anew().into_iter();
        all.filter(|message| !message.topic.ends_with("/event"))
            .map(|message| {
                let payload = String::from_utf8_lossy(&message.payload).into_owned();
                (message.topic.to_string(), payload)
            })
            .collect()
    }

    fn entry(seq: u64) -> Untold {
        Untold {
            seq,
            for_operators: seq,
            body: Bytes::from("{}"),
        }
    }

    fn answer(seq: u64) -> Answered {
        Answered {
            to: "chess/v1/hall/reply/x".to_owned(),
            reply: Reply {
                schema: Reply::SCHEMA.into(),
                id: None,
                ok: true,
                seq: Some(seq),
                code: None,
                message: None,
                recorded: true,
                evidence: None,
            },
            entry: seq,
            correlation: None,
            precedence: Precedence::Others,
        }
    }

    #[test]
    fn nobody_hears_of_an_entry_before_it_is_on_the_disk() {
        let (mut outlet, publisher) = outlet();
        outlet.retain("t", Some("0".into()));
        assert_eq!(told(&publisher), [("t".to_owned(), "0".to_owned())]);
        outlet.written(entry(1));
        outlet.retain("t", Some("1".into()));
        outlet.answer(answer(1));
        assert_eq!(told(&publisher).len(), 1, "only the old value");
        assert_eq!(told(&publisher)[0].1, "0");
        outlet.release(1, false);
        let told = told(&publisher);
        assert!(told.contains(&("t".to_owned(), "1".to_owned())));
        assert!(told.iter().any(|(topic, _)| topic.contains("reply")));
    }

    #[test]
    fn a_topic_that_always_changes_is_told_all_the_same_and_holds_two_values() {
        let (mut outlet, publisher) = outlet();
        for seq in 1..=1_000_u64 {
            outlet.written(entry(seq));
            outlet.retain("t", Some(seq.to_string().into()));
            assert!(outlet.held.len() <= 2);
        }
        outlet.release(1, false);
        assert_eq!(told(&publisher)[0].1, "1");
        outlet.release(1_000, false);
        assert_eq!(told(&publisher)[0].1, "1000");
    }

    #[test]
    fn a_disk_that_is_down_holds_nothing_but_events_back() {
        let (mut outlet, publisher) = outlet();
        outlet.written(entry(1));
        outlet.answer(answer(1));
        outlet.release(0, true);
        let (_, reply) = told(&publisher).pop().unwrap();
        assert!(reply.contains("\"recorded\":false"), "{reply}");
        assert!(!outlet.has_told_all());
        outlet.release(1, false);
        assert!(outlet.has_told_all());
    }
}
