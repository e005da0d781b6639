//! How long a source may fail before its boards are lost.

use std::{future::Future, sync::Arc, time::Duration};

use tokio::time::{Instant, timeout_at};

use super::request::Failure;

/// The least time of a request after a pause of the whole computer.
const LEAST: Duration = Duration::from_secs(10);

/// Waits some time after the last good answer before it reports a failure. Without any good answer
/// it reports the first one.
#[derive(Debug)]
pub(crate) struct GracePeriod {
    length: Duration,
    good_at: Option<Instant>,
    state: State,
}

#[derive(Debug)]
enum State {
    Good,
    Failing(Arc<Failure>),
    Reported(Arc<Failure>),
}

impl GracePeriod {
    pub(crate) const fn new(length: Duration) -> Self {
        Self {
            length,
            good_at: None,
            state: State::Good,
        }
    }

    /// For how long a failure is no loss.
    pub(crate) const fn length(&self) -> Duration {
        self.length
    }

    /// When a request that begins now is given up, as the boards are lost then; `None` if they are
    /// lost already, or have never been read.
    pub(crate) fn deadline(&self, now: Instant) -> Option<Instant> {
        let end = self.good_at? + self.length;
        match self.state {
            State::Good => Some(end.max(now + LEAST.min(self.length))),
            State::Failing(_) => Some(end),
            State::Reported(_) => None,
        }
    }

    /// The source is in order.
    pub(crate) fn good(&mut self, now: Instant) {
        self.good_at = Some(now);
        self.state = State::Good;
    }

    /// The source was taken to be in order, but has sent nothing since `at`.
    pub(crate) fn silent_since(&mut self, at: Instant) {
        self.good_at = self.good_at.map(|good_at| good_at.min(at));
    }

    /// The source answers, but has nothing usable yet. If it was never in order, it now has as much
    /// time as one that was.
    pub(crate) fn begin(&mut self, now: Instant) {
        self.good_at.get_or_insert(now);
    }

    /// The source has failed. Returns the failure if the boards are lost now.
    pub(crate) fn bad(&mut self, failure: Failure, now: Instant) -> Option<Arc<Failure>> {
        let failure = Arc::new(failure);
        if self.good_at.is_none_or(|at| now - at >= self.length) {
            self.state = State::Reported(failure.clone());
            return Some(failure);
        }
        self.state = State::Failing(failure);
        None
    }

    /// When the boards are lost if nothing else happens.
    pub(crate) fn ends_at(&self) -> Option<Instant> {
        let is_failing = matches!(self.state, State::Failing(_));
        self.good_at
            .filter(|_| is_failing)
            .map(|at| at + self.length)
    }

    /// Gives the source up: returns the last failure, once.
    pub(crate) fn end(&mut self) -> Option<Arc<Failure>> {
        let State::Failing(failure) = &self.state else {
            return None;
        };
        let failure = failure.clone();
        self.state = State::Reported(failure.clone());
        Some(failure)
    }

    /// Why the boards are lost, if they are.
    pub(crate) fn reason(&self) -> Option<Arc<Failure>> {
        match &self.state {
            State::Reported(failure) => Some(failure.clone()),
            State::Good | State::Failing(_) => None,
        }
    }

    /// Whether the boards are lost.
    pub(crate) const fn is_over(&self) -> bool {
        matches!(self.state, State::Reported(_))
    }
}

/// Makes a request, which is given up at the deadline.
pub(crate) async fn before<T>(
    deadline: Option<Instant>,
    request: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    let Some(deadline) = deadline else {
        return request.await;
    };
    let began = Instant::now();
    let answer = timeout_at(deadline, request).await;
    answer.unwrap_or_else(|_| Err(Failure::Slow(began.elapsed())))
}
