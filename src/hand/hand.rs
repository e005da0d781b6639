//! The hand of a ply: it begins, lifts a piece, and takes one off.

use shakmaty::Role;

use super::{
    complete::{complete, settle},
    explain::Scene,
    model::{Clock, Odds},
    token::{Cause, Gesture, Stage, Token},
    tree::{Content, EMPTY, Effect, bit, color, piece},
};

/// The hand of this ply begins, or goes on.
pub(crate) fn pays(scene: &Scene, token: &mut Token, ply: usize) {
    let model = scene.model;
    let gesture = token.hands[ply];
    if !gesture.is_idle() {
        token.cost += gesture.goes_on(scene.now, model);
        return;
    }
    if scene.stands {
        token.cost += model.odds(Odds::WhileStopped);
    }
    if ply == 0 {
        token.pay_thought(scene.now, model);
        let reply = token.hands[1];
        if !reply.is_idle() {
            // It was begun before its answer was, and is told later.
            token.cost += model.lasts(Clock::Told, scene.now.saturating_sub(reply.first));
        }
        return;
    }
    let before = token.hands[ply - 1];
    if before.is_idle() {
        token.cost += model.odds(Odds::Unseen) + model.ends(Clock::Early, 100);
    } else {
        if ply == 1 {
            token.pay_early(true, model);
        } else {
            token.cost += model.odds(Odds::Unseen);
        }
        token.cost += model.ends(Clock::Early, scene.now.saturating_sub(before.first));
    }
}

/// Something has left a square, by the hand of this ply.
pub(crate) fn lifts(scene: &Scene, token: &Token, ply: usize, square: u8, out: &mut Vec<Token>) {
    let gesture = token.hands[ply];
    let was = token.holds(square);
    let on_its_way = match gesture.stage {
        Stage::Rests(at, _) | Stage::Pawn(at) => at == square,
        Stage::Idle | Stage::Active | Stage::Stands => false,
    };
    if on_its_way {
        let mut on = token.clone();
        on.cost += gesture.goes_on(scene.now, scene.model);
        on.put(square, EMPTY);
        let hand = &mut on.hands[ply];
        (hand.stage, hand.last) = (Stage::Active, scene.now);
        out.push(on);
        return;
    }
    let unknown = ply == 2 && token.hands[1].is_idle();
    let waits = matches!(gesture.stage, Stage::Rests(..) | Stage::Pawn(_));
    if unknown || waits || gesture.touched & bit(square) != 0 || is_waiting(token, square) {
        return;
    }
    let own = color(was) == Some(token.side(ply));
    if own && ply > 0 && gesture.held.is_some() && !may_castle(gesture, was) {
        return;
    }
    if !own && gesture.taken != EMPTY {
        return;
    }
    let touched = gesture.touched | bit(square);
    let mass = if ply == 0 {
        match token.node.mass(|e| touched & !e.set == 0) {
            Some(mass) => mass,
            None => return,
        }
    } else {
        gesture.mass + scene.odds(Odds::EarlyPiece)
    };
    let mut up = token.clone();
    pays(scene, &mut up, ply);
    up.cost += mass - gesture.mass;
    if !own {
        let first = gesture.held.is_none();
        up.cost += scene.odds(if first {
            Odds::VictimFirst
        } else {
            Odds::CapturerFirst
        });
    }
    let hand = &mut up.hands[ply];
    if hand.is_idle() {
        hand.first = scene.now;
    }
    (hand.stage, hand.touched, hand.mass, hand.last) = (Stage::Active, touched, mass, scene.now);
    if own {
        hand.held.get_or_insert((square, was));
    } else {
        hand.taken = was;
    }
    up.put(square, EMPTY);
    if !scene.kinds && own && ply == 0 {
        take_silently(scene, &up, out);
    }
    settle(scene, &up, out);
    if ply == 0 {
        // What has no square left to change is complete, and nothing else.
        let phys = up.phys;
        let goes_on = |e: &Effect| touched & !e.set == 0 && e.missing(&phys) != 0;
        let Some(left) = up.node.mass(goes_on) else {
            return;
        };
        up.cost += left - mass;
        up.hands[0].mass = left;
    }
    out.push(up);
}

/// On a board without kinds a piece that is pushed off its square by the one that takes it is
/// never told.
pub(crate) fn take_silently(scene: &Scene, token: &Token, out: &mut Vec<Token>) {
    let touched = token.hands[0].touched;
    for (index, effect) in token.node.effects().iter().enumerate() {
        if effect.takes != Some(effect.to) || touched != bit(effect.from) {
            continue;
        }
        let mut silent = token.clone();
        silent.cost += scene.odds(Odds::Pushed);
        silent.hands[0].taken = silent.holds(effect.to);
        silent.put(effect.to, effect.end(effect.to).unwrap_or(EMPTY));
        complete(scene, silent, index, true, out);
    }
}

pub(crate) fn may_castle(gesture: Gesture, second: Content) -> bool {
    let role = |content| piece(content).map(|piece| piece.role);
    let first = gesture.held.and_then(|(_, held)| role(held));
    matches!(
        (first, role(second)),
        (Some(Role::King), Some(Role::Rook)) | (Some(Role::Rook), Some(Role::King))
    )
}

/// Whether something else is expected of a square.
pub(crate) fn is_waiting(token: &Token, square: u8) -> bool {
    (token.items.all().iter())
        .any(|item| item.square == square && !matches!(item.cause, Cause::Noise | Cause::Lean))
}
