//! A gesture begins, lifts its piece, and removes a captured one.

use shakmaty::Role;

use super::{
    completion::{End, complete, complete_if_done},
    content::{Content, EMPTY, bit, color, piece},
    gesture::{Gesture, Stage},
    hypothesis::Hypothesis,
    interpret::Context,
    item::Cause,
    model::{Chance, Duration},
    tree::Effect,
};

/// Pays for a touch: the gesture begins, or it continues.
pub(crate) fn pay_for_touch(context: &Context, hypothesis: &mut Hypothesis, ply: usize) {
    let model = context.model;
    let gesture = hypothesis.gestures[ply];
    if !gesture.is_idle() {
        hypothesis.cost += gesture.continue_cost(context.now, model);
        return;
    }
    if context.clock_stopped {
        hypothesis.cost += model.cost(Chance::PlayWhileStopped);
    }
    if ply == 0 {
        hypothesis.pay_thought(context.now, model);
        let reply = hypothesis.gestures[1];
        if !reply.is_idle() {
            // It was begun before the reply, and is reported after it.
            hypothesis.cost +=
                model.survival(Duration::ReportDelay, context.now - reply.first_touch);
        }
        return;
    }
    let before = hypothesis.gestures[ply - 1];
    if before.is_idle() {
        hypothesis.cost += model.cost(Chance::UnseenEnd) + model.cost(Chance::UntimedRate);
    } else {
        if ply == 1 {
            hypothesis.pay_early(true, model);
        } else {
            hypothesis.cost += model.cost(Chance::UnseenEnd);
        }
        hypothesis.cost += model.density(Duration::EarlyReply, context.now - before.first_touch);
    }
}

/// The gesture takes a piece from this square.
pub(crate) fn lift(
    context: &Context,
    hypothesis: &Hypothesis,
    ply: usize,
    square: u8,
    out: &mut Vec<Hypothesis>,
) {
    let gesture = hypothesis.gestures[ply];
    let was = hypothesis.content_at(square);
    let rested_here = match gesture.stage {
        Stage::Resting(at, _) | Stage::AwaitsPiece(at) => at == square,
        Stage::Idle | Stage::Moving | Stage::Placed => false,
    };
    if rested_here {
        let mut on = hypothesis.clone();
        on.cost += gesture.continue_cost(context.now, context.model);
        on.set_content(square, EMPTY);
        let hand = &mut on.gestures[ply];
        (hand.stage, hand.last_touch) = (Stage::Moving, context.now);
        out.push(on);
        return;
    }
    let unknown = ply == 2 && hypothesis.gestures[1].is_idle();
    let waits = matches!(gesture.stage, Stage::Resting(..) | Stage::AwaitsPiece(_));
    if unknown
        || waits
        || gesture.touched & bit(square) != 0
        || has_pending_item(hypothesis, square)
    {
        return;
    }
    let own = color(was) == Some(hypothesis.side(ply));
    if own && ply > 0 && gesture.carried.is_some() && !may_castle(gesture, was) {
        return;
    }
    if !own && gesture.captured != EMPTY {
        return;
    }
    let touched = gesture.touched | bit(square);
    let choice_cost = if ply == 0 {
        match hypothesis.node.choice_cost(|e| touched & !e.changed == 0) {
            Some(choice_cost) => choice_cost,
            None => return,
        }
    } else {
        gesture.choice_cost + context.cost(Chance::EarlyPiece)
    };
    let mut up = hypothesis.clone();
    pay_for_touch(context, &mut up, ply);
    up.cost += choice_cost - gesture.choice_cost;
    if !own {
        let first = gesture.carried.is_none();
        up.cost += context.cost(if first {
            Chance::VictimFirst
        } else {
            Chance::CapturerFirst
        });
    }
    let hand = &mut up.gestures[ply];
    if hand.is_idle() {
        hand.first_touch = context.now;
    }
    (hand.stage, hand.touched, hand.choice_cost, hand.last_touch) =
        (Stage::Moving, touched, choice_cost, context.now);
    if own {
        hand.carried.get_or_insert((square, was));
    } else {
        hand.captured = was;
    }
    up.set_content(square, EMPTY);
    if !context.identifies_pieces && own && ply == 0 {
        capture_unseen(context, &up, out);
    }
    complete_if_done(context, &up, out);
    if ply == 0 {
        // A move without squares left to change is complete, so it cannot continue.
        let physical = up.physical;
        let continues = |e: &Effect| touched & !e.changed == 0 && e.missing(&physical) != 0;
        let Some(left) = up.node.choice_cost(continues) else {
            return;
        };
        up.cost += left - choice_cost;
        up.gestures[0].choice_cost = left;
    }
    out.push(up);
}

/// A board that does not identify pieces never reports a captured piece that is pushed off its
/// square.
pub(crate) fn capture_unseen(
    context: &Context,
    hypothesis: &Hypothesis,
    out: &mut Vec<Hypothesis>,
) {
    let touched = hypothesis.gestures[0].touched;
    for (index, effect) in hypothesis.node.effects().iter().enumerate() {
        if effect.capture_square != Some(effect.to) || touched != bit(effect.from) {
            continue;
        }
        let mut silent = hypothesis.clone();
        silent.cost += context.cost(Chance::PushedOff);
        silent.gestures[0].captured = silent.content_at(effect.to);
        silent.set_content(effect.to, effect.content_after(effect.to).unwrap_or(EMPTY));
        complete(context, silent, index, End::Reported, out);
    }
}

pub(crate) fn may_castle(gesture: Gesture, second: Content) -> bool {
    let role = |content| piece(content).map(|piece| piece.role);
    let first = gesture.carried.and_then(|(_, carried)| role(carried));
    matches!(
        (first, role(second)),
        (Some(Role::King), Some(Role::Rook)) | (Some(Role::Rook), Some(Role::King))
    )
}

/// Whether an item is pending on a square.
pub(crate) fn has_pending_item(hypothesis: &Hypothesis, square: u8) -> bool {
    (hypothesis.items.all().iter()).any(|item| {
        item.square == square && !matches!(item.cause, Cause::Misreading | Cause::Leaning)
    })
}
