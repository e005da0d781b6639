//! The illegal moves that the arbiter has ruled on (7.5).

use shakmaty::ByColor;

use super::{Adjustment, Fact, Game, Side};

/// Rulings on illegal moves that are remembered for one game, the newest ones.
const RULINGS: usize = 64;

/// The illegal moves of one game.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct IllegalMoves {
    counts: ByColor<u32>,
    /// Whose illegal moves were ruled on, with the change of the clock that was ordered.
    rulings: Vec<(Side, Option<Adjustment>)>,
}

impl IllegalMoves {
    /// How many illegal moves a player will have made with one more.
    pub(super) const fn next(&self, by: Side) -> u32 {
        self.counts.get(by.color()).saturating_add(1)
    }

    /// The arbiter has found one more.
    pub(super) fn rule(&mut self, by: Side) {
        *self.counts.get_mut(by.into()) = self.next(by);
        if self.rulings.len() == RULINGS {
            self.rulings.remove(0);
        }
        self.rulings.push((by, None));
    }

    /// Records the change of the clock that is ordered for the newest one.
    pub(super) fn note_penalty(&mut self, ordered: &[Fact]) {
        if let ([Fact::AdjustmentOrdered(ordered)], Some((_, penalty))) =
            (ordered, self.rulings.last_mut())
        {
            *penalty = Some(ordered.clone());
        }
    }

    /// Whether the newest ruling is against this player.
    pub(super) fn newest_is_by(&self, by: Side) -> bool {
        self.rulings.last().is_some_and(|(of, _)| *of == by)
    }

    /// Takes back the newest ruling against a player. Returns how many are left, and the change of
    /// the clock that was ordered for it; `None` if there is no such ruling.
    pub(super) fn withdraw(&mut self, by: Side) -> Option<(u32, Option<Adjustment>)> {
        let at = self.rulings.iter().rposition(|(of, _)| *of == by)?;
        let (_, penalty) = self.rulings.remove(at);
        let count = self.counts.get_mut(by.into());
        *count = count.saturating_sub(1);
        Some((*count, penalty))
    }
}

impl Game {
    /// Illegal moves that the arbiter has found.
    #[must_use]
    pub const fn illegal_moves(&self) -> ByColor<u32> {
        self.illegal_moves.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulings_are_taken_back_one_player_at_a_time() {
        let mut moves = IllegalMoves::default();
        for by in [Side::White, Side::Black, Side::White] {
            moves.rule(by);
        }
        assert_eq!(moves.withdraw(Side::Black), Some((0, None)));
        assert_eq!(moves.withdraw(Side::Black), None);
        assert!(moves.newest_is_by(Side::White));
        assert_eq!(moves.counts, ByColor { white: 2, black: 0 });
    }
}
