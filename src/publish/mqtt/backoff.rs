//! How long to wait before the next attempt to reach the broker.

use std::time::Duration;

/// Doubling waits with jitter, so that a hall full of daemons does not come back at once.
#[derive(Debug, Clone)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
    next: Duration,
    random: u64,
}

impl Backoff {
    /// Waits from `first` to `longest`; `seed` decides the jitter.
    pub(super) fn new(first: Duration, longest: Duration, seed: u64) -> Self {
        Self {
            first,
            longest,
            next: first,
            random: seed,
        }
    }

    /// The next wait: between half and the whole of a time that doubles every time.
    pub(super) fn wait(&mut self) -> Duration {
        let whole = self.next.min(self.longest);
        self.next = whole.saturating_mul(2);
        let share = u32::try_from(self.roll() >> 48).unwrap_or(0); // 0..=65535
        whole / 2 + (whole / 2) * share / 65_535
    }

    /// Begins again with the shortest wait.
    pub(super) fn reset(&mut self) {
        self.next = self.first;
    }

    /// `SplitMix64`: enough to spread reconnects, useless for secrets.
    fn roll(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
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
    fn two_daemons_do_not_wait_alike() {
        let waits = |seed| {
            let mut backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(9), seed);
            [backoff.wait(), backoff.wait(), backoff.wait()]
        };
        assert_ne!(waits(1), waits(2));
    }
}
