//! What arbiters are called for: illegal moves, moves taken back, disputes, fallen pieces.

use super::some_ply;
use crate::{
    chance::Chance,
    games::Moves,
    person::Manner,
    plan::{Gesture, Plan},
};

/// The gestures of this category, with their shares (judgement: moves taken back are what readers
/// find hardest, so they come more often than in a hall).
pub const GESTURES: [(Gesture, f64); 8] = [
    (Gesture::Illegal { pressed: false }, 0.16),
    (Gesture::Illegal { pressed: true }, 0.16),
    (Gesture::TakenBack { arbiter: false }, 0.16),
    (Gesture::TakenBack { arbiter: true }, 0.14),
    (Gesture::KnockedOver { stop: false }, 0.10),
    (Gesture::KnockedOver { stop: true }, 0.08),
    (Gesture::Dispute { moved: false }, 0.10),
    (Gesture::Dispute { moved: true }, 0.10),
];

/// One or two incidents in a game.
#[must_use]
pub fn plan(moves: &Moves, chance: &mut Chance) -> Plan {
    let mut plan = Plan::of(if chance.happens(0.5) {
        Manner::TOURNAMENT
    } else {
        Manner::ORDINARY
    });
    let incidents = 1 + usize::from(chance.happens(0.35));
    for _ in 0..incidents {
        let gesture = chance.weighted(&GESTURES);
        plan.gestures.push((some_ply(moves, 4, chance), gesture));
    }
    plan.gestures.sort_by_key(|(ply, _)| *ply);
    plan
}
