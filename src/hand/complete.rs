//! A ply is complete: the game goes on after it.

use super::{
    explain::Scene,
    hand::take_silently,
    model::{Clock, Odds, SCAN_MS},
    token::{Cause, Gesture, Stage, Token},
    tree::{EMPTY, bit, squares},
};

/// Whether a ply waits for an end that should have been told.
pub(crate) fn is_overdue(token: &Token) -> bool {
    let next = &token.hands[1];
    is_up(&token.hands[0]) && (next.stage == Stage::Stands || is_up(next))
}

fn is_up(hand: &Gesture) -> bool {
    hand.held.is_some() && hand.stage == Stage::Active
}

/// The same of the ply, and of the one that answers it: each may have hidden the other's end.
pub(crate) fn complete_overdue(scene: &Scene, token: &Token, out: &mut Vec<Token>) {
    let from = out.len();
    complete_unseen(scene, token, Some(Odds::Unseen), out);
    if is_up(&token.hands[1]) {
        for index in from..out.len() {
            let answered = out[index].clone();
            if is_up(&answered.hands[0]) {
                complete_unseen(scene, &answered, None, out);
            }
        }
    }
}

/// The ply has ended where no look saw it, by any move that fits what was seen.
pub(crate) fn complete_unseen(
    scene: &Scene,
    token: &Token,
    odds: Option<Odds>,
    out: &mut Vec<Token>,
) {
    let touched = token.hands[0].touched;
    for (index, effect) in token.node.effects().iter().enumerate() {
        if touched & !effect.set != 0 {
            continue;
        }
        let mut done = token.clone();
        let (mut room, mut overwritten) = (true, false);
        for square in squares(effect.missing(&token.phys)) {
            if token.hands[1].touched & bit(square) == 0 {
                let end = effect.end(square).unwrap_or(EMPTY);
                let shown = done.holds(square);
                done.put(square, end);
                if let Some(index) = done.items.on(square, Cause::Debt) {
                    if done.items.all()[index].piece == end {
                        // It looks as it did before: nothing will be told of it.
                        overwrites(scene, &mut done, index);
                        overwritten = true;
                    }
                } else {
                    room &= done
                        .items
                        .add(Cause::Debt, square, shown, token.hands[0].last);
                }
            } else {
                overwritten = true;
            }
        }
        if room {
            done.cost += odds.map_or(0, |odds| scene.odds(odds));
            if overwritten {
                // Within a scan: until then the piece was held.
                let until = scene.now.saturating_sub(SCAN_MS);
                done.cost += done.hands[0].silence(until, scene.model);
            }
            // It will be told yet, or is already as it was shown before.
            if done.owes() {
                done.owed |= 1;
            } else {
                done.blind |= 1;
            }
            complete(scene, done, index, false, out);
        }
    }
}

/// A change will not be told any more, since another one hides it: it was made within a scan, or
/// was lost.
pub(crate) fn overwrites(scene: &Scene, token: &mut Token, debt: usize) {
    let until = scene.now.saturating_sub(SCAN_MS);
    token.cost += token.items.remove(debt).silence(until, scene.model);
    token.cost += scene.odds(Odds::Overwritten);
}

/// Completes the ply being made by every move whose squares are all as they will be, or have
/// been changed again by the reply.
pub(crate) fn settle(scene: &Scene, token: &Token, out: &mut Vec<Token>) {
    let gesture = token.hands[0];
    if gesture.is_idle() || matches!(gesture.stage, Stage::Rests(..) | Stage::Pawn(_)) {
        return;
    }
    for (index, effect) in token.node.effects().iter().enumerate() {
        if gesture.touched & !effect.set != 0 || gesture.touched & bit(effect.from) == 0 {
            continue;
        }
        let missing = effect.missing(&token.phys);
        // The reply has changed it again, or the one after that.
        if missing & !(token.hands[1].touched | token.hands[2].touched) != 0 {
            continue;
        }
        let mut done = token.clone();
        if missing != 0 {
            if missing & bit(effect.from) != 0 {
                continue;
            }
            done.cost += scene.odds(Odds::Overwritten);
            done.blind |= 1;
            if effect.takes == Some(effect.to) && gesture.taken == EMPTY {
                done.cost += scene.odds(Odds::Pushed);
            }
        }
        complete(scene, done, index, missing == 0, out);
    }
}

/// The ply being made stands: the game goes on after it. Its last change was `seen` now, or never.
pub(crate) fn complete(
    scene: &Scene,
    mut token: Token,
    index: usize,
    seen: bool,
    out: &mut Vec<Token>,
) {
    let model = scene.model;
    let effect = &token.node.effects()[index];
    let gesture = token.hands[0];
    let Some(exact) = token.node.mass(|e| std::ptr::eq(e, effect)) else {
        return;
    };
    token.cost += exact - gesture.mass;
    token.taken = if effect.takes.is_some() {
        gesture.taken
    } else {
        EMPTY
    };
    // What was away from one of its squares was taken off for it.
    while let Some(index) = (token.items.all().iter())
        .position(|item| item.cause == Cause::Away && effect.set & bit(item.square) != 0)
    {
        token.cost += token.items.remove(index).silence(scene.now, model);
    }
    let by = token.node.turn();
    let side = usize::from(by.is_black());
    if scene.lever {
        if token.awaited[side].take().is_some() {
            token.cost += model.odds(Odds::Unpressed);
            // The lever did not turn at all: what it missed are two presses.
            token.awaited[1 - side] = None;
        }
        if std::mem::take(&mut token.pressed[side]) {
            // It was told before.
        } else {
            token.cost += model.against(Odds::PressedFirst);
            token.awaited[side] = Some(scene.now);
        }
    }
    let next = token.hands[1];
    if let Some(landed) = next.landed.filter(|_| seen) {
        // Nobody answers what does not stand yet: it was done before, and told later.
        token.cost += model.lasts(Clock::Told, scene.now.saturating_sub(landed));
    }
    let child = token.node.child(index);
    token.node = child;
    token.done = scene.now;
    token.blind <<= 1;
    token.owed <<= 1;
    token.hands = [next, token.hands[2], Gesture::IDLE];
    if next.is_idle() {
        token.pay_early(false, model);
        out.push(token);
        return;
    }
    let touched = next.touched;
    let Some(mass) = token.node.mass(|e| touched & !e.set == 0) else {
        return;
    };
    token.cost += mass - next.mass;
    token.hands[0].mass = mass;
    if next.stage == Stage::Stands {
        token.hands[0].stage = Stage::Active;
    }
    settle(scene, &token, out);
    if !scene.kinds && next.held.is_some() && next.stage == Stage::Active {
        take_silently(scene, &token, out);
    }
    if next.stage != Stage::Stands || touched.count_ones() >= 2 && may_go_on(&token) {
        out.push(token);
    }
}

/// Whether a reply that landed early may still be a part of a longer move.
fn may_go_on(token: &Token) -> bool {
    let gesture = token.hands[0];
    (token.node.effects().iter())
        .any(|e| gesture.touched & !e.set == 0 && e.missing(&token.phys) != 0)
}
