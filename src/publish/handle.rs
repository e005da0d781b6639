//! The handle through which the rest of the daemon publishes without waiting.

use std::{
    collections::HashMap,
    ops::RangeInclusive,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use bytes::Bytes;
use tokio::sync::{Notify, watch};

use super::{
    lanes::Lane,
    outbox::{CursorError, Cursors, Delivery, Outbox},
    status::{BrokerConflict, BrokerStatus},
    tap::Tap,
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq, time::Moment};

/// The longest topic that MQTT allows, in bytes.
const MAX_TOPIC: usize = 65_535;

/// A topic to which nothing can be published.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot publish to the topic \"{refused}\": it must not be empty or hold +, # or NUL")]
pub struct TopicError {
    /// The refused topic, truncated to a printable length.
    pub refused: String,
}

/// A command as received from the broker, not yet validated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandMessage {
    /// The topic on which it arrived.
    pub topic: String,
    /// The payload, at most 256 KiB.
    pub payload: Bytes,
    /// Whether the broker had retained it: such a command is old and must be refused.
    pub retain: bool,
    /// Where the sender wants the answer; not checked.
    pub response_topic: Option<String>,
    /// The correlation data that the sender expects in the answer.
    pub correlation: Option<Bytes>,
    /// When it was given to its board, by the daemon's clock; `None` before that.
    pub at: Option<Moment>,
}

/// The state shared by the handles and the session.
#[derive(Debug)]
pub(super) struct PublisherState {
    outbox: Mutex<Outbox>,
    pub(super) status: watch::Sender<BrokerStatus>,
    /// Interference by other clients, and the number of takeovers.
    pub(super) conflict: watch::Sender<BrokerConflict>,
    /// Notified when the outbox has changed.
    pub(super) changed: Notify,
    /// Notes the values of some topics.
    tap: OnceLock<Tap>,
}

impl PublisherState {
    pub(super) fn new(outbox: Outbox, status: BrokerStatus) -> Self {
        Self {
            outbox: Mutex::new(outbox),
            status: watch::Sender::new(status),
            conflict: watch::Sender::default(),
            changed: Notify::new(),
            tap: OnceLock::new(),
        }
    }

    /// Locks the outbox. The lock is never held across an `await`.
    pub(super) fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Publishes the state of the outbox, together with the changes in `news`.
    ///
    /// The caller holds the lock, so an older state can never follow a newer one.
    pub(super) fn show_outbox(&self, outbox: &Outbox, news: impl FnOnce(&mut BrokerStatus)) {
        self.status.send_if_modified(|status| {
            let before = status.clone();
            status.outbox_depth = outbox.depth();
            status.replies_dropped = outbox.dropped();
            news(status);
            *status != before
        });
    }
}

/// Puts messages into the outbox. Cheap to clone; no call waits for the broker.
#[derive(Debug, Clone)]
pub struct Publisher {
    pub(super) shared: Arc<PublisherState>,
    /// Where the event cursors are saved.
    pub(super) cursor_file: Option<PathBuf>,
}

impl Publisher {
    /// Sets the value of a retained topic; `None` clears it.
    ///
    /// # Errors
    ///
    /// Fails if `topic` is not a valid topic name.
    pub fn retain(&self, topic: &str, payload: Option<Bytes>) -> Result<(), TopicError> {
        self.retain_with(topic, payload, Delivery::AtLeastOnce)
    }

    /// Like [`retain`](Self::retain), with a choice of delivery guarantee.
    ///
    /// # Errors
    ///
    /// Fails if `topic` is not a valid topic name.
    pub fn retain_with(
        &self,
        topic: &str,
        payload: Option<Bytes>,
        delivery: Delivery,
    ) -> Result<(), TopicError> {
        let topic = check(topic)?;
        if let Some(tap) = self.shared.tap.get() {
            tap.note(&topic, payload.as_ref());
        }
        self.change(|outbox| outbox.retain(topic, payload, delivery));
        Ok(())
    }

    /// The values that are published to some topics from now on, each with the board it is about.
    /// They are there without a broker, too. Only the first call has an effect.
    #[must_use]
    pub fn tap(&self, topics: HashMap<String, BoardId>) -> Tap {
        self.shared.tap.get_or_init(|| Tap::new(topics)).clone()
    }

    /// Registers a board whose journal ends at `last`.
    ///
    /// If none of its events was ever acknowledged, they are sent from `start` (exclusive) on. The
    /// ordered ranges `passed_over` are numbers that no event has.
    pub fn board(
        &self,
        board: BoardId,
        start: EntrySeq,
        last: EntrySeq,
        passed_over: Vec<RangeInclusive<EntrySeq>>,
    ) {
        self.change(|outbox| outbox.board(board, start, last, passed_over));
    }

    /// The event up to which everything of a board is acknowledged beyond doubt; `None` if nothing
    /// ever was.
    ///
    /// If nothing is known in memory, reads the cursor file: the board's disk may have been
    /// unavailable when the daemon started.
    ///
    /// # Errors
    ///
    /// Fails if that file cannot be read or understood; the answer is then unknown.
    pub fn confirmed_seq(&self, board: &BoardId) -> Result<Option<EntrySeq>, CursorError> {
        let confirmed = self.shared.outbox().confirmed(board);
        match (confirmed, self.cursor_file.as_deref()) {
            (None, Some(note)) => Ok(Cursors::load(note)?.resume(board)),
            (confirmed, _) => Ok(confirmed),
        }
    }

    /// Publishes the event that the journal holds as `seq` to arbiter and operator.
    pub fn event(&self, board: &BoardId, seq: EntrySeq, payload: Bytes) {
        self.change(|outbox| outbox.event(board, seq, payload));
    }

    /// Publishes an answer, or any other message that is neither retained nor an event of a board.
    ///
    /// The arbiter's go first.
    ///
    /// # Errors
    ///
    /// Fails if `topic` is not a valid topic name.
    pub fn reply(
        &self,
        topic: &str,
        payload: Bytes,
        correlation: Option<Bytes>,
        precedence: Lane,
    ) -> Result<(), TopicError> {
        let topic = check(topic)?;
        self.change(|outbox| outbox.reply(topic, payload, correlation, precedence));
        Ok(())
    }

    /// A receiver of the session's state, notified on every change.
    #[must_use]
    pub fn status(&self) -> watch::Receiver<BrokerStatus> {
        self.shared.status.subscribe()
    }

    /// A receiver of interference at the broker, notified on every change.
    #[must_use]
    pub fn conflict(&self) -> watch::Receiver<BrokerConflict> {
        self.shared.conflict.subscribe()
    }

    fn change(&self, change: impl FnOnce(&mut Outbox)) {
        let mut outbox = self.shared.outbox();
        change(&mut outbox);
        self.shared.show_outbox(&outbox, |_| {});
        drop(outbox);
        self.shared.changed.notify_one();
    }
}

#[cfg(test)]
impl Publisher {
    /// A publisher whose messages are never fetched.
    pub(crate) fn detached(site: &remisd_vocabulary::name::SiteId) -> Self {
        let limits = super::outbox::Limits::default();
        let outbox = Outbox::new(site, Cursors::default(), limits);
        let status = BrokerStatus::new(jiff::Timestamp::UNIX_EPOCH);
        let shared = Arc::new(PublisherState::new(outbox, status));
        Self {
            shared,
            cursor_file: None,
        }
    }

    /// See [`Outbox::filter_operator_events`].
    pub(crate) fn filter_operator_events(&self, filter: fn(&Bytes) -> Option<Bytes>) {
        self.shared.outbox().filter_operator_events(filter);
    }

    /// All messages that a newly connected broker would receive.
    pub(crate) fn full_snapshot(&self) -> Vec<super::outbox::Message> {
        self.shared.outbox().connected(None);
        self.drain_messages()
    }

    /// All messages since the last call.
    pub(crate) fn drain_messages(&self) -> Vec<super::outbox::Message> {
        let mut outbox = self.shared.outbox();
        let messages = std::iter::from_fn(|| {
            let message = outbox.next_message()?;
            outbox.acknowledged(message.id);
            Some(message)
        });
        messages.collect()
    }
}

fn check(topic: &str) -> Result<Arc<str>, TopicError> {
    let fits = (1..=MAX_TOPIC).contains(&topic.len());
    if fits && !topic.contains(['+', '#', '\0']) {
        Ok(topic.into())
    } else {
        Err(TopicError {
            refused: topic.chars().take(64).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_confirmed_is_known_of_a_disk_that_appears_later() {
        let folder = tempfile::tempdir().unwrap();
        let note = folder.path().join("outbox.json");
        let publisher = Publisher {
            cursor_file: Some(note.clone()),
            ..Publisher::detached(&"hall".parse().unwrap())
        };
        let board = "b9".parse().unwrap();
        assert_eq!(publisher.confirmed_seq(&board).unwrap(), None);
        let cursors = r#"{"schema":"remisd/cursors/1","boards":{"b9":4}}"#;
        std::fs::write(&note, cursors).unwrap();
        assert_eq!(
            publisher.confirmed_seq(&board).unwrap(),
            Some(EntrySeq::new(4))
        );
        std::fs::write(&note, "{").unwrap();
        assert!(
            publisher.confirmed_seq(&board).is_err(),
            "unknown is not the same as nothing"
        );
        publisher.board(
            board.clone(),
            EntrySeq::new(7),
            EntrySeq::new(9),
            Vec::new(),
        );
        assert_eq!(
            publisher.confirmed_seq(&board).unwrap(),
            Some(EntrySeq::new(7))
        );
    }

    #[test]
    fn only_real_topics_are_published_to() {
        assert!(check("chess/v1/hall/public/b1/game").is_ok());
        for bad in ["", "a/+/b", "#", "a\0b", &"x".repeat(MAX_TOPIC + 1)] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
    }
}
