//! The order of a board's reports and of commands.

use tokio::sync::mpsc;

use super::{super::solver::SolverAnswer, BoardActor};
use remisd_vocabulary::{sensor::BoardEvent, time::Moment};

impl BoardActor {
    /// Reads the reports that wait, up to those of `until`. They are older than what follows: if the
    /// tracker's time moved on first, it would date them too late.
    pub(super) async fn read_waiting(
        &mut self,
        events: &mut mpsc::Receiver<BoardEvent>,
        until: Option<Moment>,
        answers: &mpsc::Sender<SolverAnswer>,
    ) {
        // Only those that wait now: a board that reports without pause must not block the rest.
        for _ in 0..events.len() + usize::from(self.held.is_some()) {
            let Some(event) = self.held.take().or_else(|| events.try_recv().ok()) else {
                return;
            };
            if until.is_some_and(|until| event.at > until) {
                self.held = Some(event);
                return;
            }
            self.event(event, answers).await;
        }
    }
}

/// The next report of the board, first the one that was held back. Cancel-safe.
pub(super) async fn next(
    held: &mut Option<BoardEvent>,
    events: &mut mpsc::Receiver<BoardEvent>,
) -> Option<BoardEvent> {
    match held.take() {
        Some(event) => Some(event),
        None => events.recv().await,
    }
}
