//! Messages on the node's own state topic, and other clients that interfere.

use std::time::Duration;

use tokio::time::Instant;

use super::BrokerSession;
use crate::publish::{
    handle::CommandMessage,
    mqtt::{
        link::ConnectionLost,
        namesakes::{DuplicateNodes, PeerChange, PeerState},
        reason::SESSION_TAKEN_OVER,
    },
    status,
};

/// A connection that the broker closes within this time counts as closed early.
const EARLY_CLOSE: Duration = Duration::from_secs(10);

/// After this many early closes in a row, we assume that another client takes over the session. With
/// several addresses there must be more: the nodes of a cluster may be restarted one after another.
const EARLY_CLOSES_FOR_TAKEOVER: usize = 3;

/// The shortest interval between two answers to a daemon with our name.
const ONLINE_AGAIN: Duration = Duration::from_secs(10);

impl BrokerSession {
    /// Handles a message on our own state topic.
    pub(super) fn handle_node_state(&mut self, message: &CommandMessage) {
        // A retained state predates our "online", which has already replaced it.
        if message.retain || self.stopping.is_some() {
            return;
        }
        let node = &self.settings.node;
        let state = PeerState::read(&message.payload);
        let is_other =
            (state.as_ref()).is_some_and(|state| DuplicateNodes::is_other(&node.session, state));
        let is_online = state.as_ref().is_some_and(PeerState::is_online);
        match state.and_then(|state| self.namesakes.observe(&node.session, &state)) {
            Some(PeerChange::Came(host)) => tracing::error!(
                host,
                topic = %node.topic,
                "ANOTHER DAEMON HAS THE SAME NAME: [site] id and node must differ, or both show their games on the same topics"
            ),
            Some(PeerChange::Left) => {
                tracing::info!(
                    "the other daemon of our name is gone; every topic is published again"
                );
                self.shared.outbox().repeat_all();
            }
            None => {}
        }
        self.show_conflict();
        // Either a late will, a predecessor's "offline", or another daemon with our name, which
        // must learn of us. The interval keeps two such daemons from answering each other for ever.
        let answers = if is_other {
            let due = self
                .last_online_answer
                .is_none_or(|at| at.elapsed() >= ONLINE_AGAIN);
            if due {
                self.last_online_answer = Some(Instant::now());
            }
            due
        } else {
            !is_online
        };
        if answers {
            tracing::info!(
                "another client has published this daemon's state; publishing \"online\" again"
            );
            self.shared.outbox().repeat(&self.settings.node.topic);
        }
    }

    pub(super) fn show_conflict(&self) {
        let now = status::BrokerConflict {
            taken_over: self.counters.taken_over,
            namesakes: self.namesakes.hosts(),
        };
        self.shared.conflict.send_if_modified(|known| {
            let news = *known != now;
            *known = now;
            news
        });
    }

    /// Detects whether another client has taken over the session.
    ///
    /// A broker may also close the connection without a reason in that case, so several early
    /// closes in a row count as a takeover. A random client id is then drawn again, or the two
    /// clients would disconnect each other for ever.
    pub(super) fn detect_takeover(&mut self, lost: &ConnectionLost, welcome: Option<Instant>) {
        let is_stated = lost.code == Some(SESSION_TAKEN_OVER);
        let closed = lost.closed && welcome.is_some();
        if !is_stated && !closed {
            return;
        }
        let soon = welcome.is_some_and(|since| since.elapsed() < EARLY_CLOSE);
        self.closed_soon = if soon { self.closed_soon + 1 } else { 1 };
        let addresses = self.settings.brokers.count();
        let enough = EARLY_CLOSES_FOR_TAKEOVER.max(2 * addresses + 1);
        let is_takeover = is_stated || self.closed_soon >= enough;
        // With the same id, the next node of a cluster takes the session over, and the will with it.
        if is_takeover || addresses == 1 {
            match self.settings.client_id.draw() {
                Ok(client_id) => self.client_id = client_id,
                Err(error) => tracing::error!("the client id stays as it was: {error}"),
            }
        }
        if !is_takeover {
            return;
        }
        self.closed_soon = 0;
        self.counters.taken_over += 1;
        self.show_conflict();
        tracing::error!(
            times = self.counters.taken_over,
            "another client has connected to the broker under this daemon's client id"
        );
    }
}
