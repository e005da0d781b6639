//! The values of some topics, for consumers inside the daemon.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use bytes::Bytes;
use tokio::sync::Notify;

use remisd_vocabulary::name::BoardId;

/// The newest values that were not taken yet: one for each board at most. A handle.
#[derive(Debug, Clone)]
pub struct Tap(Arc<TapState>);

#[derive(Debug)]
struct TapState {
    topics: HashMap<String, BoardId>,
    newest: Mutex<BTreeMap<BoardId, Bytes>>,
    changed: Notify,
}

impl Tap {
    pub(super) fn new(topics: HashMap<String, BoardId>) -> Self {
        Self(Arc::new(TapState {
            topics,
            newest: Mutex::default(),
            changed: Notify::new(),
        }))
    }

    /// Notes a value. An empty topic says nothing.
    pub(super) fn note(&self, topic: &str, payload: Option<&Bytes>) {
        if let (Some(board), Some(payload)) = (self.0.topics.get(topic), payload) {
            let mut newest = self.0.newest.lock().unwrap_or_else(PoisonError::into_inner);
            newest.insert(board.clone(), payload.clone());
            drop(newest);
            self.0.changed.notify_one();
        }
    }

    /// Waits for values, and takes the newest of each board. For one consumer; cancel-safe.
    pub async fn next(&self) -> BTreeMap<BoardId, Bytes> {
        loop {
            let taken = {
                let newest = self.0.newest.lock();
                std::mem::take(&mut *newest.unwrap_or_else(PoisonError::into_inner))
            };
            if !taken.is_empty() {
                return taken;
            }
            self.0.changed.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_newest_value_of_each_board_waits() {
        let board: BoardId = "b1".parse().unwrap();
        let tap = Tap::new(HashMap::from([("t".to_owned(), board.clone())]));
        for value in ["1", "2"] {
            tap.note("t", Some(&value.into()));
            tap.note("other", Some(&value.into()));
        }
        tap.note("t", None);
        let expected = BTreeMap::from([(board, Bytes::from("2"))]);
        assert_eq!(tap.next().await, expected);
        let none = tokio::time::timeout(std::time::Duration::from_millis(1), tap.next()).await;
        assert!(none.is_err());
    }
}
