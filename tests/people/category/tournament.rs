//! Hours at the board: slides, pieces put right, late presses, a pause, a slow board now and then.

use crate::{
    chance::Chance,
    person::Manner,
    plan::{Ending, Gesture, Plan},
};

/// Shares are judgement.
#[must_use]
pub fn plan(chance: &mut Chance) -> Plan {
    let mut plan = Plan::of(Manner::TOURNAMENT);
    if chance.happens(0.15) {
        plan.gestures.push((20 + chance.below(40), Gesture::Pause));
    }
    plan.clock_reversed = chance.happens(0.1);
    plan.wire.slow = chance.happens(0.1);
    plan.ending = chance.weighted(&[
        (Ending::Stopped, 0.7),
        (Ending::Stays, 0.15),
        (Ending::Kings, 0.15),
    ]);
    plan
}
