//! Learns which side of the clock is White's, by a cumulative-sum test.
//!
//! A clock has sides and no colours. Each press adds how much better it fits the other player. One
//! press counts for no more than a forgotten press. The sum must exceed the cost of two wrong
//! presses.

use shakmaty::Color;

use super::{
    cost::Cost,
    model::{Chance, Model},
};

/// Which side of the clock is White's.
#[derive(Debug, Default)]
pub(crate) struct ClockOrientation {
    reversed: bool,
    /// The evidence against the present assumption.
    against: Cost,
}

impl ClockOrientation {
    pub(crate) const fn is_reversed(&self) -> bool {
        self.reversed
    }

    /// Takes the clock to be reversed.
    pub(crate) const fn reverse(&mut self) {
        self.reversed = true;
    }

    /// The player whose side of the clock this is.
    pub(crate) fn player(&self, side: Color) -> Color {
        if self.reversed { side.other() } else { side }
    }

    /// Adds how much `better` a press fits the other player. Returns whether the assumption was
    /// reversed.
    pub(crate) fn update(&mut self, better: Cost, model: &Model) -> bool {
        let limit = model.cost(Chance::ForgottenPress);
        self.against = (self.against + better.clamp(-limit, limit)).max(0);
        let reversed = self.against > 2 * model.cost(Chance::WrongPress);
        if reversed {
            self.reversed = !self.reversed;
            self.against = 0;
        }
        reversed
    }
}
