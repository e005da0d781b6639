//! Which settled plies stay in doubt where the board is looked at anew.
//!
//! What speaks against them is known to the hand's reader alone, and it begins afresh after a restart, or
//! when play goes on after a result was shown. Then it tells the same mismatch again, and nothing of them.

use remisd_game::{Fact, Game, Tracking};
use remisd_laws::Ply;

/// The first ply in doubt when the board last contradicted the game, until it agrees again.
#[derive(Debug, Default, Clone, Copy)]
pub struct Doubted {
    since: Option<Ply>,
}

impl Doubted {
    /// The board has not been looked at since this was so.
    pub(super) fn recall(&mut self, game: &Game) {
        if let Tracking::Mismatch(mismatch) = game.tracking() {
            self.since = mismatch.doubted_since.into_iter().chain(self.since).min();
        }
    }

    /// How many of so many `plies`, the last ones, are in doubt, when the hand's reader has `told` of some.
    pub(super) fn with(&mut self, told: usize, plies: Ply) -> Ply {
        let told = Ply::try_from(told).unwrap_or(Ply::MAX).min(plies);
        // Plies may have been taken back since.
        let before = self.since.filter(|since| *since <= plies);
        let now = (told > 0).then(|| plies + 1 - told);
        self.since = before.into_iter().chain(now).min();
        self.since.map_or(0, |since| plies + 1 - since)
    }

    /// The board agrees with the game.
    pub(super) const fn forget(&mut self) {
        self.since = None;
    }

    /// What the arbiter has said, or that another game has begun, leaves nothing in doubt.
    pub(super) fn heed(&mut self, facts: &[Fact]) {
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
