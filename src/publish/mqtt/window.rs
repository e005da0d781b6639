//! The messages of a connection that are in flight, with their packet ids.

use std::collections::VecDeque;

#[derive(Debug)]
struct WindowSlot<T> {
    what: T,
    id: Option<u16>,
    done: bool,
}

/// The messages in the order they were sent, from the oldest unacknowledged one on.
///
/// The width bounds the *span*, not the number of open messages. Packet ids cycle through a range
/// wider than the span. An id is therefore never reused while its previous message is open, in
/// whatever order acknowledgements arrive.
#[derive(Debug)]
pub(super) struct Window<T> {
    entries: VecDeque<WindowSlot<T>>,
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

    /// Adds a message that was handed to the client library.
    pub(super) fn push(&mut self, what: T) {
        self.entries.push_back(WindowSlot {
            what,
            id: None,
            done: false,
        });
    }

    /// Assigns `id` to the oldest message without one, which the library has now written.
    ///
    /// Messages with id 0 (`QoS` 0) are never acknowledged: such a message is done and is returned.
    pub(super) fn written(&mut self, id: u16) -> Option<T> {
        let entry = self.entries.iter_mut().find(|entry| entry.id.is_none())?;
        entry.id = Some(id);
        (id == 0).then(|| self.acknowledged(0)).flatten()
    }

    /// Marks the message with `id` as acknowledged and returns it, once.
    pub(super) fn acknowledged(&mut self, id: u16) -> Option<T> {
        let open = |entry: &&mut WindowSlot<T>| entry.id == Some(id) && !entry.done;
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
