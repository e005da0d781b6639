//! A board that errs: lost updates, dead squares, misread pieces, outages.

use super::some_ply;
use crate::{
    chance::Chance,
    games::Moves,
    person::Manner,
    plan::{Fault, Plan, Wire},
};

/// recording: none of 458 updates was lost and none was wrong, so these are bad boards (report:
/// dropped Bluetooth, ghost pieces, noise). Numbers are judgement.
#[must_use]
pub fn plan(moves: &Moves, chance: &mut Chance) -> Plan {
    let mut plan = Plan::of(if chance.happens(0.5) {
        Manner::TOURNAMENT
    } else {
        Manner::BLITZ
    });
    let mut wire = Wire {
        lost: chance.habit(0.01, 1.0),
        slow: chance.happens(0.3),
        faults: Vec::new(),
    };
    let faults = 1 + chance.below(3);
    for _ in 0..faults {
        let fault = chance.weighted(&[
            (Fault::Outage, 0.35),
            (Fault::Dead, 0.3),
            (Fault::Misread, 0.35),
        ]);
        let lasts = match fault {
            Fault::Outage => 1_000 + chance.ms(6_000.0, 0.8),
            Fault::Dead => 1_000 + chance.ms(8_000.0, 1.2),
            // One look, or a few in a row.
            Fault::Misread => chance.ms(320.0, 0.8),
        };
        wire.faults.push((some_ply(moves, 2, chance), fault, lasts));
    }
    plan.wire = wire;
    plan
}
