//! Replies that are placed before the ply that they answer is complete.

use shakmaty::{Role, Square};

use super::{
    completion::complete_if_done,
    content::{Content, EMPTY, OCCUPIED, Squares, agrees, bit, color, content, piece, squares},
    gesture::Stage,
    hypothesis::Hypothesis,
    interpret::Context,
    item::Cause,
    lift::{has_pending_item, may_castle, pay_for_touch},
    model::Chance,
};

/// Places the piece of a reply before the ply that it answers is complete.
pub(crate) fn place_reply(
    context: &Context,
    hypothesis: &Hypothesis,
    ply: usize,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let side = hypothesis.side(ply);
    if seen != OCCUPIED && color(seen) != Some(side) {
        return;
    }
    let gesture = hypothesis.gestures[ply];
    let was = hypothesis.content_at(square);
    // The player's own piece may just have been captured there, unreported.
    let overwrites = color(was) == Some(side);
    if overwrites && hypothesis.gestures[ply - 1].is_idle()
        || matches!(gesture.stage, Stage::Resting(..) | Stage::AwaitsPiece(_))
    {
        return;
    }
    let promotes = |carried: Content| {
        carried == content(Role::Pawn.of(side))
            && Square::new(u32::from(square)).rank() == side.backrank_other()
    };
    let mut lands = |from: Option<u8>, content: Content, hypothesis: &Hypothesis| {
        let mut placed = hypothesis.clone();
        pay_for_touch(context, &mut placed, ply);
        if was != EMPTY && !overwrites && gesture.touched & bit(square) == 0 {
            placed.cost += context.cost(Chance::PushedOff);
        }
        let hand = &mut placed.gestures[ply];
        if hand.is_idle() {
            hand.first_touch = context.now;
        }
        let mut choice_cost = context.cost(Chance::EarlyGoal);
        if let Some(from) = from {
            hand.carried = Some((from, content));
            hand.touched |= bit(from);
            choice_cost += context.cost(Chance::EarlyPiece);
            placed.set_content(from, EMPTY);
            if !placed
                .items
                .add(Cause::Unreported, from, content, context.now)
            {
                return;
            }
            placed.cost += context.cost(Chance::LandingFirst);
        }
        let hand = &mut placed.gestures[ply];
        hand.choice_cost += choice_cost;
        placed.cost += choice_cost;
        hand.touched |= bit(square);
        (hand.stage, hand.last_touch, hand.placed_at) =
            (Stage::Placed, context.now, Some(context.now));
        if was != EMPTY {
            hand.captured = was;
        }
        placed.set_content(square, content);
        complete_if_done(context, &placed, out);
        out.push(placed);
    };
    if let Some((from, carried)) = gesture.carried {
        let open = hypothesis.gestures[ply - 1].touched | gesture.touched;
        if promotes(carried) && seen != OCCUPIED {
            lands(None, seen, hypothesis);
        } else if agrees(seen, carried)
            && may_reach(&hypothesis.physical, open, (from, carried), square)
        {
            lands(None, carried, hypothesis);
        } else if gesture.placed_at.is_some() && may_castle(gesture, seen) && was == EMPTY {
            lands(None, seen, hypothesis);
        }
        return;
    }
    if seen == OCCUPIED {
        return;
    }
    for from in origins(&hypothesis.physical, square, seen) {
        if gesture.touched & bit(from) == 0 && !has_pending_item(hypothesis, from) {
            lands(Some(from), hypothesis.content_at(from), hypothesis);
        }
    }
}

/// The squares from which a piece may have come to this square.
fn origins(physical: &Squares, square: u8, content: Content) -> impl Iterator<Item = u8> {
    let physical = *physical;
    squares(reach(occupied(&physical), square, content))
        .filter(move |&from| agrees(content, physical[usize::from(from)]))
}

/// Whether the carried piece may reach the square after some ply of the opponent. Squares that a
/// gesture has touched block nothing.
fn may_reach(physical: &Squares, open: u64, (from, carried): (u8, Content), to: u8) -> bool {
    let castles = piece(carried).is_some_and(|piece| piece.role == Role::King)
        && from / 8 == to / 8
        && from.abs_diff(to) == 2;
    carried == OCCUPIED
        || castles
        || reach(occupied(physical) & !open, to, carried) & bit(from) != 0
}

fn occupied(physical: &Squares) -> u64 {
    let occupied = (0..64).filter(|&at| physical[usize::from(at)] != EMPTY);
    occupied.fold(0, |set, at| set | bit(at))
}

/// The squares from which a piece reaches this one.
fn reach(occupied: u64, square: u8, content: Content) -> u64 {
    let Some(piece) = piece(content) else {
        return 0;
    };
    let target = Square::new(u32::from(square));
    if piece.role != Role::Pawn {
        return shakmaty::attacks::attacks(target, piece, occupied.into()).0;
    }
    let captures = shakmaty::attacks::pawn_attacks(piece.color.other(), target).0;
    let back: i32 = if piece.color.is_white() { -8 } else { 8 };
    let step = |n: i32| {
        let at = u8::try_from(i32::from(square) + back * n).ok();
        at.filter(|at| *at < 64).map_or(0, bit)
    };
    captures | step(1) | step(2)
}

/// The last rank of a side.
trait LastRank {
    fn backrank_other(self) -> shakmaty::Rank;
}

impl LastRank for shakmaty::Color {
    fn backrank_other(self) -> shakmaty::Rank {
        self.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First)
    }
}
