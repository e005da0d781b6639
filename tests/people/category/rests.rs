//! Fingers that rest long on a piece on its way, and continue.

use shakmaty::{Move, Role, attacks};

use crate::{
    chance::Chance,
    games::Moves,
    person::Manner,
    plan::{Gesture, Plan},
};

/// Two to five rests in a game, on line moves where there are some. Sources: bishops recorded on
/// the square before (report), and a rook on e1 on its way to f1 (recording).
#[must_use]
pub fn plan(moves: &Moves, chance: &mut Chance) -> Plan {
    let mut plan = Plan::of(if chance.happens(0.5) {
        Manner::TOURNAMENT
    } else {
        Manner::ORDINARY
    });
    let long: Vec<usize> = (2..moves.len())
        .filter(|&ply| match moves[ply] {
            Move::Normal {
                role,
                from,
                to,
                promotion: None,
                ..
            } => !matches!(role, Role::Knight | Role::King) && attacks::between(from, to).any(),
            _ => false,
        })
        .collect();
    let rests = 2 + chance.below(4);
    for _ in 0..rests {
        if let Some(ply) = chance.pick(&long) {
            plan.gestures.push((ply, Gesture::LongRest));
        }
    }
    if chance.happens(0.3) {
        // A hand that stops beside its target square.
        let ply = 2 + chance.below(moves.len().saturating_sub(4).max(1));
        plan.gestures.push((ply, Gesture::LongRest));
    }
    plan.gestures.sort_by_key(|(ply, _)| *ply);
    plan
}
