//! The last minutes before the flag: both players move within a second or two.

use super::some_ply;
use crate::{chance::Chance, games::Moves, person::Manner, plan::Plan};

/// The scramble begins somewhere in the game and lasts to its end (judgement).
#[must_use]
pub fn plan(moves: &Moves, chance: &mut Chance) -> Plan {
    Plan {
        scramble_from: Some(some_ply(moves, 4, chance) / 2),
        clock_reversed: chance.happens(0.05),
        ..Plan::of(Manner::BLITZ)
    }
}
