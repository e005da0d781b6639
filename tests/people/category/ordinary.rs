//! Club members, children, beginners: every habit there is, now and then an incident.

use super::some_ply;
use crate::{
    chance::Chance,
    games::Moves,
    person::Manner,
    plan::{Ending, Gesture, Plan, Promoting},
};

/// Shares are judgement.
#[must_use]
pub fn plan(moves: &Moves, clock: bool, chance: &mut Chance) -> Plan {
    let mut plan = Plan::of(Manner::ORDINARY);
    if chance.happens(0.3) {
        let gesture = chance.weighted(&[
            (Gesture::Illegal { pressed: false }, 0.25),
            (Gesture::Illegal { pressed: true }, 0.15),
            (Gesture::TakenBack { arbiter: false }, 0.2),
            (Gesture::KnockedOver { stop: false }, 0.15),
            (Gesture::Reminded, 0.25),
        ]);
        plan.gestures.push((some_ply(moves, 6, chance), gesture));
    }
    if clock && chance.happens(0.05) {
        plan.gestures
            .push((some_ply(moves, 4, chance), Gesture::Unplug));
    }
    plan.gestures.sort_by_key(|(ply, _)| *ply);
    plan.clock_reversed = chance.happens(0.15);
    plan.wire.slow = chance.happens(0.2);
    plan.promoting = chance.weighted(&[
        (Promoting::Ordinary, 0.85),
        (Promoting::Inverted, 0.1),
        (Promoting::WrongFirst, 0.05),
    ]);
    plan.ending = chance.weighted(&[
        (Ending::Stays, 0.55),
        (Ending::Stopped, 0.3),
        (Ending::Tipped, 0.05),
        (Ending::Cleared, 0.1),
    ]);
    plan
}
