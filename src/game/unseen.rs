//! What the board did not show: plies that were worked out after a gap or assumed, and squares
//! whose sensors are not listened to.

use super::{Fact, Game, Played, SettledBy};
use remisd_laws::Ply;

impl Played {
    /// Whether it was made out of sight of the board and worked out afterwards.
    #[must_use]
    pub fn is_reconstructed(&self) -> bool {
        self.by == Some(SettledBy::Reconstructed)
    }

    /// Whether it promotes a pawn to what the board could not show, and was taken for a
    /// queen.
    #[must_use]
    pub fn is_assumed(&self) -> bool {
        self.by == Some(SettledBy::Assumed)
    }
}

impl Game {
    /// The reconstructed plies that the arbiter has not seen yet.
    pub(super) fn reconstructed(&self) -> Vec<Ply> {
        let plies = (1..).zip(&self.moves);
        plies
            .filter(|(ply, played)| *ply > self.reconstructed_seen && played.is_reconstructed())
            .map(|(ply, _)| ply)
            .collect()
    }

    /// Whether a ply since the last pawn move or capture was not seen. Where it is
    /// reconstructed, the way that was taken for it is the shortest, so that repetitions may
    /// be missing and moves as well. So may they after a promotion that is assumed: it may
    /// have been made in a gap.
    pub(super) fn unseen_in_run(&self) -> bool {
        // The move that began the run may itself have been made at another time.
        let run = usize::try_from(self.draw.halfmove_clock).unwrap_or(usize::MAX);
        let run = self.moves.iter().rev().take(run.saturating_add(1));
        run.into_iter()
            .any(|played| played.is_reconstructed() || played.is_assumed())
    }

    /// The promotions to what the board could not show that the arbiter has not seen yet.
    pub(super) fn assumed(&self) -> impl Iterator<Item = (Ply, &Played)> {
        let plies = (1..).zip(&self.moves);
        plies.filter(|(ply, played)| *ply > self.assumed_seen && played.is_assumed())
    }

    /// The first ply that is only assumed, as long as the arbiter has not seen it.
    #[must_use]
    pub fn assumed_since(&self) -> Option<Ply> {
        self.assumed().next().map(|(ply, _)| ply)
    }

    /// The first ply that is not certain: the board does not agree with the game, and may speak against
    /// plies that are settled, a promotion is only assumed, or the journal has lost plies.
    #[must_use]
    pub fn uncertain_since(&self) -> Option<Ply> {
        // Plies may have been taken back since.
        let next = self.ply() + 1;
        let mismatch = (self.mismatch.as_ref()).map(|mismatch| {
            mismatch
                .doubted_since
                .unwrap_or(mismatch.since_ply)
                .min(next)
        });
        let unsure = [mismatch, self.assumed_since(), self.missing_since()];
        unsure.into_iter().flatten().min()
    }

    /// The sensors of these squares are not listened to any more, or again.
    pub(super) fn sensors_faulty(&mut self, squares: &[String]) -> Vec<Fact> {
        if self.faulty == squares {
            return Vec::new();
        }
        self.faulty = squares.to_vec();
        let squares = squares.to_vec();
        vec![Fact::SensorsFaulty { squares }]
    }
}
