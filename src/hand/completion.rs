//! The completion of a ply: the hypothesis moves to the next node.

use shakmaty::Role;

use super::{
    content::{EMPTY, bit, piece, squares},
    gesture::{Gesture, Stage},
    hypothesis::Hypothesis,
    interpret::Context,
    item::Cause,
    lift::capture_unseen,
    model::{Chance, Duration, SCAN},
    tree::Effect,
};

/// Whether the first gesture should have ended, because the next player already acts.
pub(crate) fn is_overdue(hypothesis: &Hypothesis) -> bool {
    let next = &hypothesis.gestures[1];
    is_carrying(&hypothesis.gestures[0]) && (next.stage == Stage::Placed || is_carrying(next))
}

fn is_carrying(gesture: &Gesture) -> bool {
    gesture.carried.is_some() && gesture.stage == Stage::Moving
}

/// Completes the overdue ply, and also the reply if that is overdue: each may have hidden the
/// other's end.
pub(crate) fn complete_overdue(
    context: &Context,
    hypothesis: &Hypothesis,
    out: &mut Vec<Hypothesis>,
) {
    let from = out.len();
    complete_unseen(context, hypothesis, Some(Chance::UnseenEnd), out);
    if is_carrying(&hypothesis.gestures[1]) {
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
    hypothesis: &Hypothesis,
    chance: Option<Chance>,
    out: &mut Vec<Hypothesis>,
) {
    let touched = hypothesis.gestures[0].touched;
    for (index, effect) in hypothesis.node.effects().iter().enumerate() {
        if touched & !effect.changed != 0 {
            continue;
        }
        let mut done = hypothesis.clone();
        let (mut room, mut overwritten) = (true, false);
        for square in squares(effect.missing(&hypothesis.physical)) {
            if hypothesis.gestures[1].touched & bit(square) == 0 {
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
                        hypothesis.gestures[0].last_touch,
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
pub(crate) fn drop_unreported(context: &Context, hypothesis: &mut Hypothesis, item: usize) {
    let until = context.now - SCAN;
    hypothesis.cost += hypothesis
        .items
        .remove(item)
        .survival_cost(until, context.model);
    hypothesis.cost += context.cost(Chance::Overwritten);
}

/// Completes the ply by every move whose squares all hold their final content, or were changed
/// again by a later gesture.
pub(crate) fn complete_if_done(
    context: &Context,
    hypothesis: &Hypothesis,
    out: &mut Vec<Hypothesis>,
) {
    let gesture = hypothesis.gestures[0];
    if gesture.is_idle() || matches!(gesture.stage, Stage::Resting(..) | Stage::AwaitsPiece(_)) {
        return;
    }
    for (index, effect) in hypothesis.node.effects().iter().enumerate() {
        if gesture.touched & !effect.changed != 0 || gesture.touched & bit(effect.from) == 0 {
            continue;
        }
        let missing = effect.missing(&hypothesis.physical);
        // A later gesture has changed it again.
        let later = hypothesis.gestures[1].touched | hypothesis.gestures[2].touched;
        if missing & !(later | taken_en_passant(effect, &hypothesis.gestures[1])) != 0 {
            continue;
        }
        let mut done = hypothesis.clone();
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
    mut hypothesis: Hypothesis,
    index: usize,
    end: End,
    out: &mut Vec<Hypothesis>,
) {
    let model = context.model;
    let effect = &hypothesis.node.effects()[index];
    let gesture = hypothesis.gestures[0];
    let Some(exact) = hypothesis.node.choice_cost(|e| std::ptr::eq(e, effect)) else {
        return;
    };
    hypothesis.cost += exact - gesture.choice_cost;
    hypothesis.captured = if effect.capture_square.is_some() {
        gesture.captured
    } else {
        EMPTY
    };
    // A piece that was away from one of its squares was captured.
    while let Some(index) = (hypothesis.items.all().iter())
        .position(|item| item.cause == Cause::Away && effect.changed & bit(item.square) != 0)
    {
        hypothesis.cost += hypothesis
            .items
            .remove(index)
            .survival_cost(context.now, model);
    }
    let by = hypothesis.node.turn();
    let side = usize::from(by.is_black());
    if context.lever {
        if hypothesis.awaited_press[side].take().is_some() {
            hypothesis.cost += model.cost(Chance::ForgottenPress);
            // If the lever did not turn, two presses are missing.
            hypothesis.awaited_press[1 - side] = None;
        }
        if std::mem::take(&mut hypothesis.early_press[side]) {
            // This press was reported before the ply.
        } else {
            hypothesis.cost += model.cost_of_not(Chance::EarlyPress);
            hypothesis.awaited_press[side] = Some(context.now);
        }
    }
    let next = hypothesis.gestures[1];
    if let Some(placed_at) = next.placed_at.filter(|_| end == End::Reported) {
        // No one replies to an unfinished ply. It was complete before, and is reported late.
        hypothesis.cost += model.survival(Duration::ReportDelay, context.now - placed_at);
    }
    let child = hypothesis.node.child(index);
    hypothesis.node = child;
    hypothesis.completed_at = context.now;
    hypothesis.unseen_ends = hypothesis.unseen_ends << 1 | u8::from(end == End::Unreported);
    hypothesis.pending_ends = hypothesis.pending_ends << 1 | u8::from(end == End::Expected);
    hypothesis.gestures = [next, hypothesis.gestures[2], Gesture::IDLE];
    if next.is_idle() {
        hypothesis.pay_early(false, model);
        out.push(hypothesis);
        return;
    }
    let touched = next.touched;
    let Some(choice_cost) = hypothesis.node.choice_cost(|e| touched & !e.changed == 0) else {
        return;
    };
    hypothesis.cost += choice_cost - next.choice_cost;
    hypothesis.gestures[0].choice_cost = choice_cost;
    if next.stage == Stage::Placed {
        hypothesis.gestures[0].stage = Stage::Moving;
    }
    complete_if_done(context, &hypothesis, out);
    if !context.identifies_pieces && next.carried.is_some() && next.stage == Stage::Moving {
        capture_unseen(context, &hypothesis, out);
    }
    if next.stage != Stage::Placed || touched.count_ones() >= 2 && may_continue(&hypothesis) {
        out.push(hypothesis);
    }
}

/// Whether a reply that was placed early may be part of a longer move.
fn may_continue(hypothesis: &Hypothesis) -> bool {
    let gesture = hypothesis.gestures[0];
    (hypothesis.node.effects().iter())
        .any(|e| gesture.touched & !e.changed == 0 && e.missing(&hypothesis.physical) != 0)
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
        let start = Hypothesis::new(Node::root(Chess::default()), Moment::START);
        let (mut lifted, mut done) = (Vec::new(), Vec::new());
        lift(&context, &start, 0, Square::E2 as u8, &mut lifted);
        complete_unseen(&context, &lifted[0], None, &mut done);
        assert_eq!(done.len(), 2, "e2e3 and e2e4");
        for hypothesis in done {
            assert!(hypothesis.ended_unseen(1));
            assert!(!hypothesis.ended_unseen(0));
        }
    }
}
