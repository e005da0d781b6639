//! The completion of a ply: the token moves to the next node.

use shakmaty::Role;

use super::{
    content::{EMPTY, bit, piece, squares},
    gesture::{Gesture, Stage},
    interpret::Context,
    item::Cause,
    lift::capture_unseen,
    model::{Chance, Duration, SCAN},
    token::Token,
    tree::Effect,
};

/// Whether the first gesture should have ended, because the next player already acts.
pub(crate) fn is_overdue(token: &Token) -> bool {
    let next = &token.gestures[1];
    is_carrying(&token.gestures[0]) && (next.stage == Stage::Placed || is_carrying(next))
}

fn is_carrying(gesture: &Gesture) -> bool {
    gesture.carried.is_some() && gesture.stage == Stage::Moving
}

/// Completes the overdue ply, and also the reply if that is overdue: each may have hidden the
/// other's end.
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

/// Completes the ply although no report showed its end, by any move that fits the reports so far.
pub(crate) fn complete_unseen(
    context: &Context,
    token: &Token,
    chance: Option<Chance>,
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
                        // The square looks as it did before, so no report will come.
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
            done.cost += chance.map_or(0, |chance| context.cost(chance));
            if overwritten {
                // It was overwritten within a scan, so the piece was carried until then.
                let until = context.now - SCAN;
                done.cost += done.gestures[0].survival_cost(until, context.model);
            }
            let end = if done.has_unreported() {
                End::Expected
            } else {
                End::Unreported
            };
            complete(context, done, index, end, out);
        }
    }
}

/// Drops an expected report, because another change hides it. That change was made within a scan,
/// or the report was lost.
pub(crate) fn drop_unreported(context: &Context, token: &mut Token, item: usize) {
    let until = context.now - SCAN;
    token.cost += token.items.remove(item).survival_cost(until, context.model);
    token.cost += context.cost(Chance::Overwritten);
}

/// Completes the ply by every move whose squares all hold their final content, or were changed
/// again by a later gesture.
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
        // A later gesture has changed it again.
        let later = token.gestures[1].touched | token.gestures[2].touched;
        if missing & !(later | taken_en_passant(effect, &token.gestures[1])) != 0 {
            continue;
        }
        let mut done = token.clone();
        let mut end = End::Reported;
        if missing != 0 {
            if missing & bit(effect.from) != 0 {
                continue;
            }
            done.cost += context.cost(Chance::Overwritten);
            end = End::Unreported;
            if effect.capture_square == Some(effect.to) && gesture.captured == EMPTY {
                done.cost += context.cost(Chance::PushedOff);
            }
        }
        complete(context, done, index, end, out);
    }
}

/// The square of a pushed pawn that the reply has taken en passant, if it is one: a pawn was put on
/// the square that the pushed one has passed.
fn taken_en_passant(effect: &Effect, reply: &Gesture) -> u64 {
    let pushed = effect.m.role() == Role::Pawn && effect.from.abs_diff(effect.to) == 16;
    let carried = reply.carried.and_then(|(_, carried)| piece(carried));
    let passed = effect.from.midpoint(effect.to);
    if pushed
        && carried.is_some_and(|piece| piece.role == Role::Pawn)
        && reply.touched & bit(passed) != 0
    {
        bit(effect.to)
    } else {
        0
    }
}

/// How the end of a ply is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// Its last change was reported just now.
    Reported,
    /// Its last change is still to be reported.
    Expected,
    /// Its last change will never be reported.
    Unreported,
}

/// Completes the ply by one move.
pub(crate) fn complete(
    context: &Context,
    mut token: Token,
    index: usize,
    end: End,
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
    // A piece that was away from one of its squares was captured.
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
            // If the lever did not turn, two presses are missing.
            token.awaited_press[1 - side] = None;
        }
        if std::mem::take(&mut token.early_press[side]) {
            // This press was reported before the ply.
        } else {
            token.cost += model.cost_of_not(Chance::EarlyPress);
            token.awaited_press[side] = Some(context.now);
        }
    }
    let next = token.gestures[1];
    if let Some(placed_at) = next.placed_at.filter(|_| end == End::Reported) {
        // No one replies to an unfinished ply. It was complete before, and is reported late.
        token.cost += model.survival(Duration::ReportDelay, context.now - placed_at);
    }
    let child = token.node.child(index);
    token.node = child;
    token.completed_at = context.now;
    token.unseen_ends = token.unseen_ends << 1 | u8::from(end == End::Unreported);
    token.pending_ends = token.pending_ends << 1 | u8::from(end == End::Expected);
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

/// Whether a reply that was placed early may be part of a longer move.
fn may_continue(token: &Token) -> bool {
    let gesture = token.gestures[0];
    (token.node.effects().iter())
        .any(|e| gesture.touched & !e.changed == 0 && e.missing(&token.physical) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lift::lift, model::Model, tree::Node};
    use remisd_vocabulary::time::Moment;
    use shakmaty::{Chess, Square};

    #[test]
    fn the_ply_that_ended_without_a_report_is_marked_and_no_other() {
        let context = Context {
            model: Model::of(true),
            now: Moment::from_millis(1_000),
            identifies_pieces: true,
            lever: false,
            clock_stopped: false,
            deep: true,
        };
        let start = Token::new(Node::root(Chess::default()), Moment::START);
        let (mut lifted, mut done) = (Vec::new(), Vec::new());
        lift(&context, &start, 0, Square::E2 as u8, &mut lifted);
        complete_unseen(&context, &lifted[0], None, &mut done);
        assert_eq!(done.len(), 2, "e2e3 and e2e4");
        for token in done {
            assert!(token.ended_unseen(1));
            assert!(!token.ended_unseen(0));
        }
    }
}
