//! The waits between attempts to reach a broker or a board.

use std::time::Duration;

/// Waits that double up to a limit, with jitter: clients that lose the same broker or hub together
/// do not all return together.
///
/// ```
/// use std::time::Duration;
/// use remisd_vocabulary::retry::Backoff;
///
/// let mut backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(2), 7);
/// assert!(backoff.wait() <= Duration::from_millis(500));
/// assert!(backoff.wait() <= Duration::from_secs(1));
/// backoff.reset();
/// assert!(backoff.wait() <= Duration::from_millis(500));
/// ```
#[derive(Debug, Clone)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
    random: fastrand::Rng,
}

impl Backoff {
    /// Waits from `first` to `longest`. The jitter depends only on `seed`.
    #[must_use]
    pub fn new(first: Duration, longest: Duration, seed: u64) -> Self {
        Self {
            first,
            longest,
            next: first,
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Returns the next wait: between half and the whole of a time that doubles with each call.
    pub fn wait(&mut self) -> Duration {
        let whole = self.next.min(self.longest);
        self.next = whole.saturating_mul(2);
        whole.mul_f64(0.5 + self.random.f64() / 2.0)
    }

    /// Restarts with the shortest wait.
    pub fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest_and_begin_again_after_a_reset() {
        let (first, longest) = (Duration::from_millis(100), Duration::from_secs(30));
        let mut backoff = Backoff::new(first, longest, 1);
        let mut whole = first;
        for _ in 0..20 {
            let wait = backoff.wait();
            assert!(whole / 2 <= wait && wait <= whole, "{wait:?} of {whole:?}");
            whole = (whole * 2).min(longest);
        }
        backoff.reset();
        assert!(backoff.wait() <= first);
    }

    #[test]
    fn waits_differ_from_seed_to_seed() {
        let waits = |seed| {
            let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(9), seed);
            [backoff.wait(), backoff.wait(), backoff.wait()]
        };
        assert_eq!(waits(1), waits(1));
        assert_ne!(waits(1), waits(2));
    }
}
