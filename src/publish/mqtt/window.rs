//! Which messages of this connection are under way, and which packet ids they got.

use std::collections::VecDeque;

#[derive(Debug)]
struct Entry<T> {
    what: T,
    id: Option<u16>,
    done: bool,
}

/// The messages from the oldest unacknowledged one on, in the order they were sent.
///
/// The width bounds the *span*, not the number of open messages: packet ids are given
/// out in a circle that is wider than the span, so an id cannot come round while the
/// message that had it before is still open, however the acknowledgements are ordered.
#[derive(Debug)]
pub(super) struct Window<T> {
    entries: VecDeque<Entry<T>>,
    width: usize,
}

impl<T: Clone> Window<T> {
    pub(super) fn new(width: usize) -> Self {
        Self {
            entries: VecDeque::with_capacity(width + 1),
            width,
        }
    }

    pub(super) fn has_room(&self) -> bool {
        self.entries.len() < self.width
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// A message was handed to the client library.
    pub(super) fn push(&mut self, what: T) {
        self.entries.push_back(Entry {
            what,
            id: None,
            done: false,
        });
    }

    /// The library has written the oldest message without an id and calls it `id`; an
    /// id of 0 (`QoS` 0) is never acknowledged, so that message is done and returned.
    pub(super) fn written(&mut self, id: u16) -> Option<T> {
        let entry = self.entries.iter_mut().find(|entry| entry.id.is_none())?;
        entry.id = Some(id);
        (id == 0).then(|| self.acknowledged(0)).flatten()
    }

    /// The broker has answered for `id`; returns what it was, once.
    pub(super) fn acknowledged(&mut self, id: u16) -> Option<T> {
        let open = |entry: &&mut Entry<T>| entry.id == Some(id) && !entry.done;
        let entry = self.entries.iter_mut().find(open)?;
        entry.done = true;
        let what = entry.what.clone();
        while self.entries.front().is_some_and(|entry| entry.done) {
            self.entries.pop_front();
        }
        Some(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acknowledgements_in_any_order_close_the_right_messages() {
        let mut window = Window::new(3);
        for what in ["a", "b", "c"] {
            assert!(window.has_room());
            window.push(what);
        }
        for id in [5, 6, 1] {
            assert_eq!(window.written(id), None);
        }
        assert_eq!(window.acknowledged(1), Some("c"));
        assert_eq!(window.acknowledged(6), Some("b"));
        assert!(!window.has_room(), "the span still begins at the oldest");
        assert_eq!(window.acknowledged(6), None, "only once");
        assert_eq!(window.acknowledged(5), Some("a"));
        assert!(window.is_empty());
    }

    #[test]
    fn a_message_without_acknowledgement_is_done_when_written() {
        let mut window = Window::new(3);
        window.push("a");
        window.push("b");
        assert_eq!(window.written(7), None);
        assert_eq!(window.written(0), Some("b"));
        assert_eq!(window.acknowledged(7), Some("a"));
        assert!(window.is_empty());
    }
}
