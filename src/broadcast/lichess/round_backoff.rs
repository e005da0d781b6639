//! The Lichess rounds take turns: one that is not taken waits by itself, with its own back-off.
//!
//! Only what concerns all requests holds all of them: a 429, or a server that cannot be reached.
//! The next turn is then that of the round after the one that was held.

use std::collections::BTreeSet;

use remisd_vocabulary::{name::BoardId, retry::Backoff};
use tokio::time::Instant;

use super::{GameError, PushError, Pushed, Pusher, WAITS, body};
use crate::{disk::RETRY, http::Published};
use remisd_transport::Transport;

/// A round or an order that waits after a failure.
#[derive(Debug)]
pub(super) struct Wait {
    backoff: Backoff,
    /// When it is tried again.
    pub(super) at: Instant,
    /// Whether the same request would fail again.
    pub(super) is_final: bool,
}

impl Wait {
    /// The first wait, or the one after `before`.
    pub(super) fn after(before: Option<Self>, seed: u64, is_final: bool) -> Self {
        let new = || Backoff::new(WAITS.0, WAITS.1, seed);
        let mut backoff = before.map_or_else(new, |before| before.backoff);
        Self {
            at: Instant::now() + backoff.wait(),
            backoff,
            is_final,
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.at <= Instant::now()
    }
}

/// A round that Lichess has taken without some of its games.
#[derive(Debug)]
pub(super) struct Incomplete {
    wait: Wait,
    /// The boards of these games.
    boards: BTreeSet<BoardId>,
}

impl<T: Transport> Pusher<T> {
    /// Pushes each round whose body has changed. Returns when one that was not taken, or not
    /// whole, is tried again.
    pub(super) async fn push_changed(
        &mut self,
        published: &Published,
    ) -> Result<Option<Instant>, Instant> {
        let rounds = self.rounds();
        let closed = self.wiring.orders.stored().borrow().closed.clone();
        let mut parts = Vec::new();
        for (number, ids) in &rounds.0 {
            let Some(round) = published.get(number) else {
                continue;
            };
            if round.games.len() > ids.len() * body::MOST_GAMES {
                let error = body::Unfit::Games(round.games.len());
                for id in ids {
                    self.fault(id, Some(error.to_string()));
                }
                continue;
            }
            parts.extend(body::parts(round, ids));
        }
        let held_last =
            (self.held_last.take()).and_then(|held| parts.iter().position(|(id, _)| **id == held));
        if let Some(at) = held_last {
            parts.rotate_left(at + 1);
        }
        let (mut held, mut is_answered) = (None, false);
        for (id, games) in parts {
            if closed.contains(id) && !self.resets.contains(id) {
                continue;
            }
            let body = match body::of(&games) {
                Ok(body) => body,
                Err(error) => {
                    self.fault(id, Some(error.to_string()));
                    continue;
                }
            };
            let waits = self.refused.get(id).is_some_and(|wait| !wait.is_over());
            let is_taken = self.taken.get(id) == Some(&body) && !self.is_due_again(id);
            if waits || is_taken {
                continue;
            }
            let error = match self.push(id, &games, body).await {
                Ok(Pushed::Taken) => {
                    is_answered = true;
                    self.refused.remove(id);
                    self.fault(id, None);
                    continue;
                }
                Ok(Pushed::Held) => {
                    held = Some(Instant::now() + RETRY);
                    continue;
                }
                Err(error) => error,
            };
            tracing::warn!(round = id, "Lichess has not taken a push: {error}");
            self.fault(id, Some(error.to_string()));
            if error.concerns_all() {
                self.held_last = Some(id.to_owned());
                return Err(self.halt());
            }
            is_answered = true;
            // The daemon's own reset may be refused although pushes are not.
            let is_reset = self.resets.contains(id) && matches!(error, PushError::Rejected(_));
            let is_final = is_reset || matches!(error, PushError::NoRound | PushError::Forbidden);
            let wait = Wait::after(self.refused.remove(id), self.settings.seed, is_final);
            self.refused.insert(id.to_owned(), wait);
        }
        if is_answered {
            self.backoff.reset();
        }
        let refused = self.refused.values().map(|wait| wait.at);
        let incomplete = self.incomplete.values().map(|part| part.wait.at);
        let again = refused.chain(incomplete).chain(held);
        Ok(again.filter(|at| *at > Instant::now()).min())
    }

    /// Until when nothing may be sent after a failure.
    pub(super) fn halt(&mut self) -> Instant {
        Instant::now() + self.backoff.wait()
    }

    /// Notes which games of a push Lichess has refused: the round is sent again with them.
    pub(super) fn note_refused(&mut self, id: &str, errors: &[GameError]) {
        let before = self.incomplete.remove(id);
        if errors.is_empty() {
            return;
        }
        let boards: BTreeSet<_> = errors.iter().map(|error| error.board.clone()).collect();
        let known = before.filter(|before| boards.is_subset(&before.boards));
        let wait = match known.map(|known| known.wait) {
            // This push came because other games have changed.
            Some(wait) if !wait.is_over() => wait,
            before => Wait::after(before, self.settings.seed, false),
        };
        let incomplete = Incomplete { wait, boards };
        self.incomplete.insert(id.to_owned(), incomplete);
    }

    /// Whether a round is to be sent again because Lichess has refused games of it.
    fn is_due_again(&self, id: &str) -> bool {
        let incomplete = self.incomplete.get(id);
        incomplete.is_some_and(|incomplete| incomplete.wait.is_over())
    }
}
