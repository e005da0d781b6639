//! Limits the commands per second of each role.

use crate::config::Limits;
use remisd_game::Role;
use remisd_vocabulary::time::Moment;

/// Bucket units per command: the buckets count in thousandths.
const WHOLE: u64 = 1_000;
/// Payload bytes per unit of cost: the cost follows what a command may add to the journal.
const BYTES: usize = 1_024;
/// The extra cost of a new game: it begins a file, which takes two syncs.
const NEW_GAME: u64 = 20;

/// A token bucket of commands.
#[derive(Debug, Clone)]
pub struct Bucket {
    per_s: u64,
    full: u64,
    left: u64,
    at: Moment,
}

impl Bucket {
    /// Creates a full bucket for `per_s` commands per second, with bursts of up to `burst_s`
    /// seconds' worth.
    #[must_use]
    pub const fn new(per_s: u64, burst_s: u64, now: Moment) -> Self {
        let full = per_s * burst_s * WHOLE;
        Self {
            per_s,
            full,
            left: full,
            at: now,
        }
    }

    /// Takes `cost` if the bucket holds as much; a cost beyond its capacity takes a full bucket.
    pub fn take(&mut self, cost: u64, now: Moment) -> bool {
        let passed = (now - self.at).as_millis();
        self.at = now;
        let filled = passed.saturating_mul(self.per_s).saturating_add(self.left);
        self.left = filled.min(self.full);
        let cost = cost.saturating_mul(WHOLE).min(self.full);
        let is_there = cost <= self.left;
        if is_there {
            self.left -= cost;
        }
        is_there
    }
}

/// Returns the cost of a command, by its verb and the length of its payload.
#[must_use]
pub fn cost(verb: &str, bytes: usize) -> u64 {
    let length = bytes.div_ceil(BYTES).max(1) as u64;
    match verb {
        "new_game" => NEW_GAME + length,
        _ => length,
    }
}

/// Returns the commands per second of a role; a sender without a role gets a player's rate.
#[must_use]
pub const fn per_second(limits: &Limits, role: Option<Role>) -> u64 {
    match role {
        Some(Role::Arbiter) => limits.arbiter,
        Some(Role::Operator) => limits.operator,
        Some(Role::Clock | Role::Board) => limits.clock,
        Some(Role::White | Role::Black) | None => limits.player,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_a_burst_and_then_its_rate() {
        let mut bucket = Bucket::new(5, 4, Moment::START);
        let burst = (0..100).filter(|_| bucket.take(1, Moment::START)).count();
        assert_eq!(burst, 20);
        // 50 commands a second for ten seconds.
        let taken = (1..=500)
            .filter(|n| bucket.take(1, Moment::from_millis(n * 20)))
            .count();
        assert_eq!(taken, 50);
        assert!(!bucket.take(1, Moment::from_millis(10_000)));
        assert!(bucket.take(1, Moment::from_millis(u64::MAX)), "no overflow");
    }

    #[test]
    fn what_is_long_or_begins_a_file_costs_more() {
        assert_eq!(cost("offer", 0), 1);
        assert_eq!(cost("headers", 16 * 1024), 16);
        assert!(cost("new_game", 10) > 20);
        let mut bucket = Bucket::new(1, 2, Moment::START);
        assert!(
            bucket.take(cost("new_game", 10), Moment::START),
            "from a full one"
        );
        assert!(!bucket.take(1, Moment::START));
    }
}
