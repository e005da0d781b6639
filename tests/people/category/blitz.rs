//! Blitz from the first move, as in the recordings.

use crate::{
    chance::Chance,
    person::Manner,
    plan::{Ending, Plan, Promoting},
};

/// The hands of the recordings; the ends are judgement.
#[must_use]
pub fn plan(chance: &mut Chance) -> Plan {
    Plan {
        clock_reversed: chance.happens(0.1),
        promoting: if chance.happens(0.08) {
            Promoting::Inverted
        } else {
            Promoting::Ordinary
        },
        ending: chance.weighted(&[
            (Ending::Stays, 0.6),
            (Ending::Stopped, 0.25),
            (Ending::NextArray, 0.15),
        ]),
        ..Plan::of(Manner::BLITZ)
    }
}
