//! Pieces that lean over a line, are dragged over other squares or bumped into.

use crate::{chance::Chance, person::Manner, plan::Plan};

/// Hands that put pieces down badly: many times what the other categories have (judgement).
#[must_use]
pub fn plan(chance: &mut Chance) -> Plan {
    let mut manner = if chance.happens(0.5) {
        Manner::BLITZ
    } else {
        Manner::ORDINARY
    };
    manner.lean = 0.06;
    manner.bump = 0.02;
    manner.drag = 0.35;
    manner.slide = 0.25;
    manner.adjust = 0.02;
    let mut plan = Plan::of(manner);
    plan.wire.slow = chance.happens(0.15);
    plan
}
