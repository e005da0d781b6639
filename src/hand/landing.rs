//! A gesture places its piece: on the target square, on the way, or back on its origin.

use remisd_vocabulary::time::Span;
use shakmaty::Square;

use super::{
    completion::{End, complete},
    content::{Content, EMPTY, OCCUPIED, agrees, bit, color, squares},
    early_reply::place_reply,
    gesture::{Gesture, Stage},
    hypothesis::Hypothesis,
    interpret::Context,
    item::Cause,
    lift::{has_pending_item, pay_for_touch},
    model::{Chance, Duration, WRONG_PIECE},
    tree::Effect,
};

/// No move changes more than four squares, and only castling changes four.
const MAX_SQUARES: u32 = 4;

/// The gesture places a piece on this square.
pub(crate) fn place(
    context: &Context,
    hypothesis: &Hypothesis,
    ply: usize,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let gesture = hypothesis.gestures[ply];
    if let Some((from, carried)) = gesture.carried
        && from == square
        && agrees(seen, carried)
        && gesture.touched == bit(square)
        && matches!(gesture.stage, Stage::Moving)
    {
        let mut back = hypothesis.clone();
        back.cost +=
            gesture.continue_cost(context.now, context.model) + context.cost(Chance::PutsBack);
        back.set_content(square, carried);
        back.gestures[ply] = Gesture::IDLE;
        if ply == 0 {
            back.completed_at = context.now;
        }
        out.push(back);
        return;
    }
    let full = gesture.touched.count_ones() >= MAX_SQUARES;
    if full || gesture.touched & bit(square) != 0 && hypothesis.content_at(square) != EMPTY {
        return;
    }
    if ply == 0 {
        place_on_goal(context, hypothesis, square, seen, out);
        if gesture.is_idle() && hypothesis.content_at(square) == EMPTY && seen != OCCUPIED {
            rest_before_lift(context, hypothesis, square, seen, out);
        }
        rest(context, hypothesis, square, seen, out);
        place_to_exchange(context, hypothesis, square, seen, out);
    } else if ply == 1 || !hypothesis.gestures[1].is_idle() {
        place_reply(context, hypothesis, ply, square, seen, out);
    }
}

/// The first gesture places a piece on a square of its move.
fn place_on_goal(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let gesture = hypothesis.gestures[0];
    let touched = gesture.touched;
    let gone;
    let hypothesis = if let Stage::Resting(at, _) = gesture.stage {
        // It has left the square on which it rested. That report is still expected.
        let mut on = hypothesis.clone();
        let shown = on.content_at(at);
        on.set_content(at, EMPTY);
        on.cost += context.cost(Chance::LandingFirst);
        if !on.items.add(Cause::Unreported, at, shown, context.now) {
            return;
        }
        gone = on;
        &gone
    } else {
        hypothesis
    };
    let (mut part_squares, mut part_content) = (0, EMPTY);
    let mut unlifted = None;
    for (index, effect) in hypothesis.node.effects().iter().enumerate() {
        let fits = touched & !effect.changed == 0;
        let Some(end) = effect
            .content_after(square)
            .filter(|&end| fits && end != EMPTY)
        else {
            continue;
        };
        if !agrees(seen, end) {
            continue;
        }
        let mut placed = hypothesis.clone();
        placed.set_content(square, end);
        let missing = effect.missing(&placed.physical);
        let lifted = touched & bit(effect.origin(end)) != 0;
        let own = missing
            & !bit(effect.capture_square.unwrap_or(effect.from))
            & !hypothesis.gestures[1].touched;
        let rook_waits = effect.m.is_castle() && missing != 0;
        let victim_waits = effect
            .capture_square
            .is_some_and(|at| missing & bit(at) != 0);
        if lifted && (own != 0 || rook_waits || victim_waits) {
            part_squares |= effect.changed;
            part_content = end;
            continue;
        }
        if rook_waits && missing.count_ones() > 1 {
            unlifted = Some((effect.origin(end), end));
            continue;
        }
        pay_for_touch(context, &mut placed, 0);
        if !lifted {
            placed.cost += context.cost(Chance::LandingFirst);
        }
        if effect.capture_square == Some(square) {
            placed.gestures[0].captured = captured_piece(hypothesis, square, gesture);
            if touched & bit(square) == 0 {
                placed.cost += context.cost(Chance::PushedOff);
            }
        }
        let mut room = true;
        for late in squares(missing & !hypothesis.gestures[1].touched) {
            let shown = placed.content_at(late);
            placed.set_content(late, effect.content_after(late).unwrap_or(EMPTY));
            room &= placed
                .items
                .add(Cause::Unreported, late, shown, context.now);
        }
        if room {
            placed.cost += context.model.cost_of_not(Chance::TouchesWay);
            placed.gestures[0].last_touch = context.now;
            complete(context, placed, index, End::Reported, out);
        }
    }
    if part_squares != 0 {
        place_part(context, hypothesis, square, part_content, out);
    }
    if let Some((origin, end)) = unlifted {
        let mut up = hypothesis.clone();
        let shown = up.content_at(origin);
        up.set_content(origin, EMPTY);
        up.cost += context.cost(Chance::LandingFirst);
        up.gestures[0].touched |= bit(origin);
        if up.items.add(Cause::Unreported, origin, shown, context.now) {
            place_part(context, &up, square, end, out);
        }
    }
}

/// The piece rests on its way, but no report has shown its lift.
fn rest_before_lift(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let mut known = 0;
    for effect in hypothesis.node.effects() {
        let carried = hypothesis.content_at(effect.from);
        let untouched = known & bit(effect.from) == 0 && !has_pending_item(hypothesis, effect.from);
        if effect.to != square
            || effect.capture_square.is_some()
            || !untouched
            || !agrees(seen, carried)
        {
            continue;
        }
        known |= bit(effect.from);
        let mut up = hypothesis.clone();
        up.cost += context.cost(Chance::LandingFirst);
        pay_for_touch(context, &mut up, 0);
        up.set_content(effect.from, EMPTY);
        let touched = bit(effect.from);
        let Some(choice_cost) = hypothesis.node.choice_cost(|e| touched & !e.changed == 0) else {
            continue;
        };
        up.cost += choice_cost;
        let hand = &mut up.gestures[0];
        (hand.stage, hand.touched, hand.choice_cost) = (Stage::Moving, touched, choice_cost);
        (hand.first_touch, hand.last_touch, hand.carried) =
            (context.now, context.now, Some((effect.from, carried)));
        if up
            .items
            .add(Cause::Unreported, effect.from, carried, context.now)
        {
            let from = out.len();
            rest(context, &up, square, carried, out);
            for rests in &mut out[from..] {
                // Lifting and placing are one event.
                rests.cost -= context.model.density(Duration::Hold, Span::ZERO);
            }
        }
    }
}

fn captured_piece(hypothesis: &Hypothesis, square: u8, gesture: Gesture) -> Content {
    if gesture.captured == EMPTY {
        hypothesis.content_at(square)
    } else {
        gesture.captured
    }
}

/// A part of the move is complete: half of castling, or a capture whose victim is still on the
/// board.
fn place_part(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    end: Content,
    out: &mut Vec<Hypothesis>,
) {
    let gesture = hypothesis.gestures[0];
    let touched = gesture.touched | bit(square);
    let mut placed = hypothesis.clone();
    placed.set_content(square, end);
    let physical = placed.physical;
    let Some(choice_cost) =
        (hypothesis.node).choice_cost(|e| touched & !e.changed == 0 && e.missing(&physical) != 0)
    else {
        return;
    };
    pay_for_touch(context, &mut placed, 0);
    placed.cost += choice_cost - gesture.choice_cost;
    let hand = &mut placed.gestures[0];
    (hand.stage, hand.touched, hand.choice_cost) = (Stage::Moving, touched, choice_cost);
    (hand.last_touch, hand.placed_at) = (context.now, Some(context.now));
    out.push(placed);
}

/// The carried piece rests on a square and will move on.
fn rest(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let gesture = hypothesis.gestures[0];
    let Some((from, carried)) = gesture
        .carried
        .filter(|(_, carried)| agrees(seen, *carried))
    else {
        return;
    };
    if hypothesis.content_at(square) != EMPTY
        || gesture.stage != Stage::Moving
        || gesture.placed_at.is_some()
    {
        return;
    }
    let fits = |e: &Effect| gesture.touched & !e.changed == 0 && e.from == from;
    let effects = hypothesis.node.effects();
    let waits_for_piece = |e: &&Effect| fits(e) && e.to == square && e.m.is_promotion();
    let passes = |e: &Effect| e.to != square && between(from, e.to) & bit(square) != 0;
    let way = effects.iter().any(|e| fits(e) && passes(e));
    let pawn = effects.iter().any(|e| waits_for_piece(&e)) && context.identifies_pieces;
    // Unless the square lies on the way, resting there was a choice of its own.
    let there = hypothesis.node.choice_cost(|e| fits(e) && e.to == square);
    let choice = there.map_or(context.cost(Chance::AdjacentSquare), |there| {
        there - gesture.choice_cost
    });
    let hover = (
        Stage::Resting(square, Duration::Hover),
        context.cost(Chance::Hovers) + choice,
    );
    let changed = (
        Stage::Resting(square, Duration::ChangeOfMind),
        context.cost(Chance::ChangesMind) + choice,
    );
    let rest = (
        Stage::Resting(square, Duration::Rest),
        context.cost(Chance::TouchesWay),
    );
    let stages = [
        pawn.then_some((Stage::AwaitsPiece(square), 0)),
        Some(if way { rest } else { hover }),
        there.map(|_| changed),
    ];
    for (stage, chance) in stages.into_iter().flatten() {
        let goal = |e: &Effect| match stage {
            Stage::AwaitsPiece(_) => e.to == square,
            Stage::Resting(_, Duration::Rest) => passes(e),
            _ => e.to != square,
        };
        let Some(choice_cost) = hypothesis.node.choice_cost(|e| fits(e) && goal(e)) else {
            continue;
        };
        let mut rests = hypothesis.clone();
        pay_for_touch(context, &mut rests, 0);
        rests.cost += chance + choice_cost - gesture.choice_cost;
        rests.set_content(square, carried);
        let hand = &mut rests.gestures[0];
        (hand.stage, hand.choice_cost, hand.last_touch) = (stage, choice_cost, context.now);
        out.push(rests);
    }
}

/// A piece was placed for the promoted pawn, and will be exchanged for another one.
fn place_to_exchange(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let gesture = hypothesis.gestures[0];
    let own = color(seen) == Some(hypothesis.node.turn());
    let Some((from, carried)) = gesture
        .carried
        .filter(|_| own && gesture.stage == Stage::Moving)
    else {
        return;
    };
    let promotes =
        |e: &Effect| gesture.touched & !e.changed == 0 && e.to == square && e.m.is_promotion();
    if agrees(seen, carried) {
        return;
    }
    let Some(choice_cost) = hypothesis
        .node
        .choice_cost(|e| e.from == from && promotes(e))
    else {
        return;
    };
    let mut waits = hypothesis.clone();
    pay_for_touch(context, &mut waits, 0);
    waits.cost += context.cost(Chance::ChangesMind) + WRONG_PIECE;
    waits.cost += choice_cost - gesture.choice_cost;
    let hand = &mut waits.gestures[0];
    hand.captured = captured_piece(hypothesis, square, gesture);
    (hand.stage, hand.choice_cost, hand.last_touch) =
        (Stage::AwaitsPiece(square), choice_cost, context.now);
    waits.set_content(square, seen);
    out.push(waits);
}

fn between(from: u8, to: u8) -> u64 {
    shakmaty::attacks::between(Square::new(u32::from(from)), Square::new(u32::from(to))).0
}
