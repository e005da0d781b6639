//! Settled plies that stay in doubt when the tracker starts afresh.
//!
//! Only the tracker knows what contradicts these plies. It starts afresh after a restart of the
//! daemon and when play continues after a result sign. It then reports the same mismatch again, but
//! not the plies in doubt.

use remisd_game::{Fact, Game, Tracking};
use remisd_laws::Ply;

/// The first ply in doubt when the board last contradicted the game; reset when they agree again.
#[derive(Debug, Default, Clone, Copy)]
pub struct Doubted {
    since: Option<Ply>,
}

impl Doubted {
    /// Restores the doubt from the game, for a tracker that starts afresh.
    pub(super) fn recall(&mut self, game: &Game) {
        let doubted = match game.tracking() {
            Tracking::Mismatch(mismatch) => mismatch.doubted_since,
            // It may not have been reported again since a restart.
            _ => (game.not_agreed_since()).filter(|since| *since <= game.ply()),
        };
        self.since = doubted.into_iter().chain(self.since).min();
    }

    /// Returns how many of the last of `plies` plies are in doubt when the tracker reports `reported`
    /// of them.
    pub(super) fn with(&mut self, reported: usize, plies: Ply) -> Ply {
        let reported = Ply::try_from(reported).unwrap_or(Ply::MAX).min(plies);
        // Plies may have been taken back since.
        let before = self.since.filter(|since| *since <= plies);
        let now = (reported > 0).then(|| plies + 1 - reported);
        self.since = before.into_iter().chain(now).min();
        self.since.map_or(0, |since| plies + 1 - since)
    }

    /// Clears the doubt, because the board agrees with the game.
    pub(super) const fn forget(&mut self) {
        self.since = None;
    }

    /// Clears the doubt if the arbiter has decided the position or another game has begun.
    pub(super) fn on_facts(&mut self, facts: &[Fact]) {
        let settles = |fact: &Fact| {
            matches!(
                fact,
                Fact::GameStarted { .. } | Fact::PositionSet { .. } | Fact::Corrected { .. }
            )
        };
        if facts.iter().any(settles) {
            self.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Doubted;

    #[test]
    fn the_first_ply_in_doubt_stays_so_as_long_as_it_stands() {
        let mut doubted = Doubted::default();
        assert_eq!(doubted.with(0, 6), 0);
        assert_eq!(doubted.with(2, 6), 2, "plies 5 and 6");
        assert_eq!(doubted.with(0, 7), 3, "and what was played on them");
        assert_eq!(doubted.with(6, 7), 6);
        assert_eq!(doubted.with(0, 1), 0, "they were taken back");
        assert_eq!(doubted.with(0, 7), 0, "and others were played");
        assert_eq!(doubted.with(100, 3), 3, "there are no more");
        doubted.forget();
        assert_eq!(doubted.with(0, 3), 0);
    }
}
