//! What follows a game: analysis, the kings' sign, a tipped king, clearing, the next game.

use super::cut_short;
use crate::{
    chance::Chance,
    games::Moves,
    person::Manner,
    plan::{Ending, Plan},
};

/// The ends of this category, with their shares (judgement).
pub const ENDINGS: [(Ending, f64); 8] = [
    (Ending::Analysis, 0.30),
    (Ending::Kings, 0.12),
    (Ending::KingsThenAnalysis, 0.08),
    (Ending::Tipped, 0.06),
    (Ending::Pushed, 0.10),
    (Ending::Cleared, 0.10),
    (Ending::NextArray, 0.12),
    (Ending::SecondGame, 0.12),
];

/// Games end by resignation or agreement, so at any position.
#[must_use]
pub fn plan(moves: &mut Moves, chance: &mut Chance) -> Plan {
    if chance.happens(0.6) {
        cut_short(moves, 14, chance);
    }
    Plan {
        ending: chance.weighted(&ENDINGS),
        ..Plan::of(if chance.happens(0.5) {
            Manner::TOURNAMENT
        } else {
            Manner::ORDINARY
        })
    }
}
