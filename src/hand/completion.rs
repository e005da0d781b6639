//! A ply is complete: the game goes on after it.

use super::{
    interpret::Context,
    lift::capture_unseen,
    model::{Chance, Duration, SCAN_MS},
    token::{Cause, Gesture, Stage, Token},
    tree::{EMPTY, bit, squares},
};

/// Whether a ply waits for an end that should have been told.
pub(crate) fn is_overdue(token: &Token) -> bool {
    let next = &token.gestures[1];
    is_carrying(&token.gestures[0]) && (next.stage == Stage::Placed || is_carrying(next))
}

fn is_carrying(hand: &Gesture) -> bool {
    hand.carried.is_some() && hand.stage == Stage::Moving
}

/// The same of the ply, and of the one that answers it: each may have hidden the other's end.
pub(crate) fn complete_overdue(context: &Context, token: &Token, out: &mut Vec<Token>) {
    let from = out.len();
    complete_unseen(context, token, Some(Chance::UnseenEnd), out);
    if is_carrying(&token.gestures[1]) {
        for index in from..out.len() {
            let answered = out[index].clone();
            if is_carrying(&answered.gestures[0]) {
                complete_unseen(context, &answered, None, out);
            }
        }
    }
}

/// The ply has ended where no look saw it, by any move that fits what was seen.
pub(crate) fn complete_unseen(
    context: &Context,
    token: &Token,
    odds: Option<Chance>,
    out: &mut Vec<Token>,
) {
    let touched = token.gestures[0].touched;
    for (index, effect) in token.node.effects().iter().enumerate() {
        if touched & !effect.changed != 0 {
            continue;
        }
        let mut done = token.clone();
        let (mut room, mut overwritten) = (true, false);
        for square in squares(effect.missing(&token.physical)) {
            if token.gestures[1].touched & bit(square) == 0 {
                let end = effect.content_after(square).unwrap_or(EMPTY);
                let shown = done.content_at(square);
                done.set_content(square, end);
                if let Some(index) = done.items.find(square, Cause::Unreported) {
                    if done.items.all()[index].piece == end {
                        // It looks as it did before: nothing will be told of it.
                        drop_unreported(context, &mut done, index);
                        overwritten = true;
                    }
                } else {
                    room &= done.items.add(
                        Cause::Unreported,
                        square,
                        shown,
                        token.gestures[0].last_touch,
                    );
                }
            } else {
                overwritten = true;
            }
        }
        if room {
            done.cost += odds.map_or(0, |odds| context.cost(odds));
            if overwritten {
                // Within a scan: until then the piece was held.
                let until = context.now.saturating_sub(SCAN_MS);
                done.cost += done.gestures[0].survival_cost(until, context.model);
            }
            // It will be told yet, or is already as it was shown before.
            if done.has_unreported() {
                done.pending_ends |= 1;
            } else {
                done.unseen_ends |= 1;
            }
            complete(context, done, index, false, out);
        }
    }
}

/// A change will not be told any more, since another one hides it: it was made within a scan, or
/// was lost.
pub(crate) fn drop_unreported(context: &Context, token: &mut Token, debt: usize) {
    let until = context.now.saturating_sub(SCAN_MS);
    token.cost += token.items.remove(debt).survival_cost(until, context.model);
    token.cost += context.cost(Chance::Overwritten);
}

/// Completes the ply being made by every move whose squares are all as they will be, or have
/// been changed again by the reply.
pub(crate) fn complete_if_done(context: &Context, token: &Token, out: &mut Vec<Token>) {
    let gesture = token.gestures[0];
    if gesture.is_idle() || matches!(gesture.stage, Stage::Resting(..) | Stage::AwaitsPiece(_)) {
        return;
    }
    for (index, effect) in token.node.effects().iter().enumerate() {
        if gesture.touched & !effect.changed != 0 || gesture.touched & bit(effect.from) == 0 {
            continue;
        }
        let missing = effect.missing(&token.physical);
        // The reply has changed it again, or the one after that.
        if missing & !(token.gestures[1].touched | token.gestures[2].touched) != 0 {
            continue;
        }
        let mut done = token.clone();
        if missing != 0 {
            if missing & bit(effect.from) != 0 {
                continue;
            }
            done.cost += context.cost(Chance::Overwritten);
            done.unseen_ends |= 1;
            if effect.capture_square == Some(effect.to) && gesture.captured == EMPTY {
                done.cost += context.cost(Chance::PushedOff);
            }
        }
        complete(context, done, index, missing == 0, out);
    }
}

/// The ply being made stands: the game goes on after it. Its last change was `seen` now, or never.
pub(crate) fn complete(
    context: &Context,
    mut token: Token,
    index: usize,
    seen: bool,
    out: &mut Vec<Token>,
) {
    let model = context.model;
    let effect = &token.node.effects()[index];
    let gesture = token.gestures[0];
    let Some(exact) = token.node.choice_cost(|e| std::ptr::eq(e, effect)) else {
        return;
    };
    token.cost += exact - gesture.choice_cost;
    token.captured = if effect.capture_square.is_some() {
        gesture.captured
    } else {
        EMPTY
    };
    // What was away from one of its squares was taken off for it.
    while let Some(index) = (token.items.all().iter())
        .position(|item| item.cause == Cause::Away && effect.changed & bit(item.square) != 0)
    {
        token.cost += token.items.remove(index).survival_cost(context.now, model);
    }
    let by = token.node.turn();
    let side = usize::from(by.is_black());
    if context.lever {
        if token.awaited_press[side].take().is_some() {
            token.cost += model.cost(Chance::ForgottenPress);
            // The lever did not turn at all: what it missed are two presses.
            token.awaited_press[1 - side] = None;
        }
        if std::mem::take(&mut token.early_press[side]) {
            // It was told before.
        } else {
            token.cost += model.cost_of_not(Chance::EarlyPress);
            token.awaited_press[side] = Some(context.now);
        }
    }
    let next = token.gestures[1];
    if let Some(placed_at) = next.placed_at.filter(|_| seen) {
        // Nobody answers what does not stand yet: it was done before, and told later.
        token.cost += model.survival(Duration::ReportDelay, context.now.saturating_sub(placed_at));
    }
    let child = token.node.child(index);
    token.node = child;
    token.completed_at = context.now;
    token.unseen_ends <<= 1;
    token.pending_ends <<= 1;
    token.gestures = [next, token.gestures[2], Gesture::IDLE];
    if next.is_idle() {
        token.pay_early(false, model);
        out.push(token);
        return;
    }
    let touched = next.touched;
    let Some(choice_cost) = token.node.choice_cost(|e| touched & !e.changed == 0) else {
        return;
    };
    token.cost += choice_cost - next.choice_cost;
    token.gestures[0].choice_cost = choice_cost;
    if next.stage == Stage::Placed {
        token.gestures[0].stage = Stage::Moving;
    }
    complete_if_done(context, &token, out);
    if !context.identifies_pieces && next.carried.is_some() && next.stage == Stage::Moving {
        capture_unseen(context, &token, out);
    }
    if next.stage != Stage::Placed || touched.count_ones() >= 2 && may_continue(&token) {
        out.push(token);
    }
}

/// Whether a reply that landed early may still be a part of a longer move.
fn may_continue(token: &Token) -> bool {
    let gesture = token.gestures[0];
    (token.node.effects().iter())
        .any(|e| gesture.touched & !e.changed == 0 && e.missing(&token.physical) != 0)
}
