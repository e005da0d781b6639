//! Retained topics: only the latest value counts, and it must be the broker's final value.
//!
//! An empty topic is such a value too and is published again on each connection. A broker that was
//! killed restores what it saved last, which may be older.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ops::Bound,
    sync::Arc,
};

use bytes::Bytes;

use super::Delivery;

/// The number of refreshes that repeat all topics, if there are many; and how many of few topics are
/// repeated by one.
const REFRESHES: usize = 20;
const REFRESHED_AT_LEAST: usize = 300;

#[derive(Debug)]
struct Slot {
    payload: Option<Bytes>,
    delivery: Delivery,
    /// The value has not been sent on this connection.
    dirty: bool,
    /// A value is unacknowledged. A newer one waits for the acknowledgement, so the broker never
    /// has to order two values of one topic.
    in_flight: bool,
}

/// The topics and the queue of those whose value must be sent.
///
/// Invariant: a topic is in the queue exactly when it is dirty and not in flight.
#[derive(Debug, Default)]
pub(super) struct Retained {
    slots: BTreeMap<Arc<str>, Slot>,
    queue: VecDeque<Arc<str>>,
    /// The snapshot's topics that are still in the queue, always at its front.
    snapshot_left: usize,
    /// The topic up to which the refreshes have come.
    refreshed: Option<Arc<str>>,
    /// Topics whose value the broker has refused since the last `repeat_refused`.
    refused: BTreeSet<Arc<str>>,
}

impl Retained {
    pub(super) fn set(&mut self, topic: Arc<str>, payload: Option<Bytes>, delivery: Delivery) {
        let slot = self.slots.entry(Arc::clone(&topic)).or_insert(Slot {
            payload: None,
            delivery,
            dirty: false,
            in_flight: false,
        });
        slot.payload = payload;
        slot.delivery = delivery;
        if !slot.dirty && !slot.in_flight {
            self.queue.push_back(topic);
        }
        slot.dirty = true;
    }

    pub(super) fn repeat(&mut self, topic: &str) {
        if let Some((topic, slot)) = self.slots.get_key_value(topic) {
            let (topic, payload, delivery) = (topic.clone(), slot.payload.clone(), slot.delivery);
            self.set(topic, payload, delivery);
        }
    }

    pub(super) fn repeat_all(&mut self) {
        let topics: Vec<Arc<str>> = self.slots.keys().cloned().collect();
        for topic in topics {
            self.repeat(&topic);
        }
    }

    pub(super) fn repeat_refused(&mut self) {
        for topic in std::mem::take(&mut self.refused) {
            self.repeat(&topic);
        }
    }

    /// Publishes the next part of the topics once more, unchanged, in the order of their names.
    pub(super) fn refresh(&mut self) {
        let count = self.slots.len().div_ceil(REFRESHES);
        let count = count.max(REFRESHED_AT_LEAST).min(self.slots.len());
        let from = (self.refreshed.take()).map_or(Bound::Unbounded, Bound::Excluded);
        let rest = self.slots.range((from, Bound::Unbounded));
        let again = self.slots.iter();
        let topics: Vec<Arc<str>> = (rest.chain(again).take(count))
            .map(|(topic, _)| Arc::clone(topic))
            .collect();
        for topic in &topics {
            self.repeat(topic);
        }
        self.refreshed = topics.last().cloned();
    }

    pub(super) fn take_next(&mut self) -> Option<(Arc<str>, Option<Bytes>, Delivery)> {
        let topic = self.queue.pop_front()?;
        self.snapshot_left = self.snapshot_left.saturating_sub(1);
        let slot = self.slots.get_mut(&topic)?;
        slot.dirty = false;
        slot.in_flight = true;
        Some((topic, slot.payload.clone(), slot.delivery))
    }

    pub(super) fn acknowledged(&mut self, topic: &Arc<str>) {
        let Some(slot) = self.slots.get_mut(topic) else {
            return;
        };
        slot.in_flight = false;
        if slot.dirty {
            self.queue.push_back(Arc::clone(topic));
        }
    }

    pub(super) fn refused(&mut self, topic: &Arc<str>) {
        self.acknowledged(topic);
        self.refused.insert(Arc::clone(topic));
    }

    pub(super) fn disconnected(&mut self) {
        self.snapshot_left = 0;
        for (topic, slot) in &mut self.slots {
            if slot.in_flight {
                slot.in_flight = false;
                slot.dirty = true;
                self.queue.push_back(Arc::clone(topic));
            }
        }
    }

    pub(super) fn start_snapshot(&mut self, first: Option<&str>) {
        self.queue.clear();
        self.refused.clear();
        for (topic, slot) in &mut self.slots {
            slot.dirty = true;
            slot.in_flight = false;
            if Some(topic.as_ref()) == first {
                self.queue.push_front(Arc::clone(topic));
            } else {
                self.queue.push_back(Arc::clone(topic));
            }
        }
        self.snapshot_left = self.queue.len();
    }

    pub(super) fn in_snapshot(&self) -> bool {
        self.snapshot_left > 0
    }

    pub(super) fn waiting(&self) -> usize {
        self.queue.len()
    }
}
