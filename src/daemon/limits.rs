//! How many commands a second a role may give.

use crate::config::Limits;
use remisd_game::Role;
use remisd_vocabulary::time::Millis;

/// Thousandths of a command.
const WHOLE: u64 = 1_000;
/// What a command costs for every so many bytes of its payload: what it may put into the journal.
const BYTES: usize = 1_024;
/// What a new game costs: it begins a file, which makes the disk write twice.
const NEW_GAME: u64 = 20;

/// A bucket of commands, which fills with time.
#[derive(Debug, Clone)]
pub struct Bucket {
    per_s: u64,
    full: u64,
    left: u64,
    at: Millis,
}

impl Bucket {
    /// A full one: `per_s` commands a second, and at most as many at once as in `burst_s` seconds.
    #[must_use]
    pub const fn new(per_s: u64, burst_s: u64, now: Millis) -> Self {
        let full = per_s * burst_s * WHOLE;
        Self {
            per_s,
            full,
            left: full,
            at: now,
        }
    }

    /// Takes what something costs, if it is there; what costs more than all takes all.
    pub fn take(&mut self, cost: u64, now: Millis) -> bool {
        let passed = now.saturating_sub(self.at);
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

/// What a command costs, by its verb and the length of its payload.
#[must_use]
pub fn cost(verb: &str, bytes: usize) -> u64 {
    let length = bytes.div_ceil(BYTES).max(1) as u64;
    match verb {
        "new_game" => NEW_GAME + length,
        _ => length,
    }
}

/// Commands a second for a role; whoever has none gets what a player gets.
#[must_use]
pub const fn per_second(limits: &Limits, role: Option<Role>) -> u64 {
    match role {
        Some(Role::Arbiter) => limits.arbiter,
        Some(Role::Operator) => limits.operator,
        Some(Role::Clock) => limits.clock,
        Some(Role::White | Role::Black) | None => limits.player,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_a_burst_and_then_its_rate() {
        let mut bucket = Bucket::new(5, 4, 0);
        let burst = (0..100).filter(|_| bucket.take(1, 0)).count();
        assert_eq!(burst, 20);
        // 50 commands a second for ten seconds.
        let taken = (1..=500).filter(|n| bucket.take(1, n * 20)).count();
        assert_eq!(taken, 50);
        assert!(!bucket.take(1, 10_000));
        assert!(bucket.take(1, u64::MAX), "no overflow");
    }

    #[test]
    fn what_is_long_or_begins_a_file_costs_more() {
        assert_eq!(cost("offer", 0), 1);
        assert_eq!(cost("headers", 16 * 1024), 16);
        assert!(cost("new_game", 10) > 20);
        let mut bucket = Bucket::new(1, 2, 0);
        assert!(bucket.take(cost("new_game", 10), 0), "from a full one");
        assert!(!bucket.take(1, 0));
    }
}
