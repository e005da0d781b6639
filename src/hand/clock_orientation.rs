//! Which way round the clock stands, learnt from who moves: a test by a cumulative sum.
//!
//! A clock has sides and no colours. Each press says by how much it is likelier if it is that of
//! the other player. No press counts for more than a forgotten one, and
//! all together must be as unlikely as two wrong ones.

use shakmaty::Color;

use super::{
    cost::Cost,
    model::{Chance, Model},
};

/// How the clock stands.
#[derive(Debug, Default)]
pub(crate) struct ClockOrientation {
    reversed: bool,
    /// What speaks against how it is taken to stand.
    against: Cost,
}

impl ClockOrientation {
    pub(crate) const fn is_reversed(&self) -> bool {
        self.reversed
    }

    /// Whose side is meant by the one that is taken for this player's unless it is reversed.
    pub(crate) fn player(&self, side: Color) -> Color {
        if self.reversed { side.other() } else { side }
    }

    /// A press that explains all this much better if it is that of the other player. Tells
    /// whether the clock was found to stand the other way round.
    pub(crate) fn update(&mut self, better: Cost, model: &Model) -> bool {
        let most = model.cost(Chance::ForgottenPress);
        self.against = (self.against + better.clamp(-most, most)).max(0);
        let found = self.against > 2 * model.cost(Chance::WrongPress);
        if found {
            self.reversed = !self.reversed;
            self.against = 0;
        }
        found
    }
}
