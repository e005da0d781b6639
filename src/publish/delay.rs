//! The broadcast delay: what the public may see, and when.
//!
//! A line takes values for topics, each with its due time, and returns those that have become due.
//! Due times are rounded *up* to whole steps: no value is ever early, and each is late by less than
//! one step. Two values of one topic within the same step would become due together, and the older
//! one would never be seen. It is dropped immediately. That is the only loss, and it also bounds
//! the line: each topic holds at most one value per step of the delay.
//!
//! If the delay was shortened, a newer value may be due before older ones of its topic. The older
//! ones are then superseded and dropped, so a topic never goes back.
//!
//! The module is pure: times are those of the daemon's clock, and the caller does the waiting.
//!
//! ```
//! use remisd::publish::delay::DelayLine;
//! use remisd_vocabulary::time::{Moment, Span};
//! let at = Moment::from_millis;
//! let mut line = DelayLine::new(Span::from_millis(1_000));
//! line.push("game", at(60_000), "1. e4");
//! line.push("game", at(61_500), "1. e4 e5");
//! assert_eq!(line.next_due(), Some(at(60_000)));
//! assert!(line.take_due(at(59_999)).is_empty());
//! assert_eq!(line.take_due(at(60_000)), [("game".into(), "1. e4")]);
//! assert_eq!(line.next_due(), Some(at(62_000)));
//! ```

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::Arc,
};

use remisd_vocabulary::time::{Moment, Span};

/// Values on their way to an audience that may see them only later.
#[derive(Debug, Clone)]
pub struct DelayLine<V> {
    step: Span,
    due: BTreeMap<Moment, BTreeMap<Arc<str>, V>>,
    /// The number of waiting values per topic.
    waiting: BTreeMap<Arc<str>, usize>,
}

impl<V> DelayLine<V> {
    /// An empty line whose due times are rounded up to multiples of `step` (at least a millisecond).
    #[must_use]
    pub fn new(step: Span) -> Self {
        Self {
            step: step.max(Span::from_millis(1)),
            due: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// Adds a value that `topic` may show from `due` on.
    pub fn push(&mut self, topic: impl Into<Arc<str>>, due: Moment, value: V) {
        let topic = topic.into();
        let due = self.slot(due);
        self.drop_from(&topic, due);
        let slot = self.due.entry(due).or_default();
        slot.insert(Arc::clone(&topic), value);
        *self.waiting.entry(topic).or_default() += 1;
    }

    /// When a value that is due at `due` comes out: values of the same slot come out together.
    #[must_use]
    pub fn slot(&self, due: Moment) -> Moment {
        let late = due
            .as_millis()
            .checked_next_multiple_of(self.step.as_millis());
        late.map_or(due, Moment::from_millis)
    }

    /// Drops all values of a topic that are not due yet.
    pub fn forget(&mut self, topic: &str) {
        self.drop_from(topic, Moment::START);
    }

    /// When the next value becomes due.
    #[must_use]
    pub fn next_due(&self) -> Option<Moment> {
        self.due.first_key_value().map(|(due, _)| *due)
    }

    /// Removes all values due at `now` and returns the latest one of each topic, ordered by topic.
    pub fn take_due(&mut self, now: Moment) -> Vec<(Arc<str>, V)> {
        let mut latest = BTreeMap::new();
        while let Some(first) = self.due.first_entry()
            && *first.key() <= now
        {
            for (topic, value) in first.remove() {
                self.decrement(&topic);
                latest.insert(topic, value);
            }
        }
        latest.into_iter().collect()
    }

    /// The number of waiting values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.values().sum()
    }

    /// Whether no values are waiting.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Drops the values of `topic` that would become due at `due` or later.
    fn drop_from(&mut self, topic: &str, due: Moment) {
        if !self.waiting.contains_key(topic) {
            return;
        }
        let mut emptied = Vec::new();
        let mut dropped = 0;
        for (time, slot) in self.due.range_mut(due..) {
            dropped += usize::from(slot.remove(topic).is_some());
            if slot.is_empty() {
                emptied.push(*time);
            }
        }
        for time in emptied {
            self.due.remove(&time);
        }
        for _ in 0..dropped {
            self.decrement(topic);
        }
    }

    fn decrement(&mut self, topic: &str) {
        if let Entry::Occupied(mut count) = self.waiting.entry(topic.into()) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn taken<V: Copy>(line: &mut DelayLine<V>, now: u64) -> Vec<(String, V)> {
        let due = line.take_due(Moment::from_millis(now)).into_iter();
        due.map(|(topic, value)| (topic.to_string(), value))
            .collect()
    }

    #[test]
    fn of_values_due_together_only_the_latest_is_kept() {
        let mut line = DelayLine::new(Span::from_millis(1_000));
        for (due, value) in [(1, 'a'), (999, 'b'), (1_000, 'c'), (1_001, 'd')] {
            line.push("t", Moment::from_millis(due), value);
        }
        assert_eq!(line.len(), 2);
        assert_eq!(taken(&mut line, 1_000), [("t".to_owned(), 'c')]);
        assert_eq!(taken(&mut line, 1_999), []);
        assert_eq!(taken(&mut line, 2_000), [("t".to_owned(), 'd')]);
        assert!(line.is_empty());
    }

    #[test]
    fn a_shorter_delay_never_lets_a_topic_go_back() {
        let mut line = DelayLine::new(Span::from_millis(1));
        line.push("t", Moment::from_millis(900), "old");
        line.push("u", Moment::from_millis(900), "other");
        line.push("t", Moment::from_millis(100), "new");
        assert_eq!(taken(&mut line, 100), [("t".to_owned(), "new")]);
        assert_eq!(taken(&mut line, 900), [("u".to_owned(), "other")]);
    }

    #[test]
    fn a_forgotten_topic_is_never_seen() {
        let mut line = DelayLine::new(Span::from_millis(1));
        line.push("t", Moment::from_millis(5), 1);
        line.push("t", Moment::from_millis(6), 2);
        line.push("u", Moment::from_millis(6), 3);
        line.forget("t");
        assert_eq!(taken(&mut line, 9), [("u".to_owned(), 3)]);
    }

    proptest! {
        #[test]
        fn nothing_is_early_late_or_out_of_order(
            pushes in proptest::collection::vec((0..200u64, 0..3u8), 1..100),
            step in 1..50u64,
            delay in 0..500u64,
        ) {
            let mut line = DelayLine::new(Span::from_millis(step));
            let mut now = 0;
            let mut pushed: Vec<(u64, u8)> = Vec::new();
            let mut seen = [None; 3];
            for (wait, topic) in pushes {
                now += wait;
                line.push(topic.to_string(), Moment::from_millis(now + delay), pushed.len());
                pushed.push((now, topic));
                for (topic, value) in line.take_due(Moment::from_millis(now)) {
                    let topic: u8 = topic.parse().unwrap();
                    let (at, of) = pushed[value];
                    prop_assert_eq!(of, topic);
                    prop_assert!(at + delay <= now, "early");
                    prop_assert!(seen[usize::from(topic)] < Some(value), "went back");
                    seen[usize::from(topic)] = Some(value);
                }
                for (value, (at, topic)) in pushed.iter().enumerate() {
                    let late = at + delay + step <= now;
                    prop_assert!(!late || seen[usize::from(*topic)] >= Some(value), "late");
                }
                let per_topic = usize::try_from(delay / step + 2).unwrap();
                prop_assert!(line.len() <= 3 * per_topic);
            }
        }
    }
}
