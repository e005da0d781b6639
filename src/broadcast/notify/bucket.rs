//! A limit of messages a minute.

use std::time::Duration;

use tokio::time::Instant;

/// Lets through `burst` messages, and then one each time that `burst` messages a minute allow.
#[derive(Debug, Clone)]
pub(super) struct Bucket {
    burst: u32,
    /// When the bucket will be full again.
    full: Option<Instant>,
}

impl Bucket {
    /// A full bucket for this number of messages a minute (at least 1).
    pub(super) const fn new(per_minute: u32) -> Self {
        let burst = if per_minute == 0 { 1 } else { per_minute };
        Self { burst, full: None }
    }

    fn each(&self) -> Duration {
        Duration::from_mins(1) / self.burst
    }

    /// When the next message may leave: `now` or later.
    pub(super) fn ready(&self, now: Instant) -> Instant {
        let ahead = self.each() * (self.burst - 1);
        self.full
            .and_then(|full| full.checked_sub(ahead))
            .map_or(now, |ready| ready.max(now))
    }

    /// Counts a message that leaves.
    pub(super) fn take(&mut self, now: Instant) {
        let full = self.full.map_or(now, |full| full.max(now));
        self.full = Some(full + self.each());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_followed_by_one_message_at_a_time() {
        let mut bucket = Bucket::new(4);
        let start = Instant::now() + Duration::from_mins(5);
        for _ in 0..4 {
            assert_eq!(bucket.ready(start), start);
            bucket.take(start);
        }
        let next = start + Duration::from_secs(15);
        assert_eq!(bucket.ready(start), next);
        bucket.take(next);
        assert_eq!(bucket.ready(next), start + Duration::from_secs(30));
        let later = start + Duration::from_mins(3);
        for _ in 0..4 {
            assert_eq!(bucket.ready(later), later);
            bucket.take(later);
        }
        assert!(bucket.ready(later) > later);
    }
}
