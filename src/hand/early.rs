//! Replies that land before the ply that they answer was told to stand.

use shakmaty::{Role, Square};

use super::{
    complete::settle,
    explain::Scene,
    hand::{is_waiting, may_castle, pays},
    model::Odds,
    token::{Cause, Stage, Token},
    tree::{Content, EMPTY, OCCUPIED, Squares, agrees, bit, color, content, piece, squares},
};

/// A reply lands before the ply that it answers was told to stand.
pub(crate) fn lands_early(
    scene: &Scene,
    token: &Token,
    ply: usize,
    square: u8,
    seen: Content,
    out: &mut Vec<Token>,
) {
    let side = token.side(ply);
    if seen != OCCUPIED && color(seen) != Some(side) {
        return;
    }
    let gesture = token.hands[ply];
    let was = token.holds(square);
    // Its own piece may have been taken there just before, unseen.
    let overwrites = color(was) == Some(side);
    if overwrites && token.hands[ply - 1].is_idle()
        || matches!(gesture.stage, Stage::Rests(..) | Stage::Pawn(_))
    {
        return;
    }
    let promotes = |held: Content| {
        held == content(Role::Pawn.of(side))
            && Square::new(u32::from(square)).rank() == side.backrank_other()
    };
    let mut lands = |from: Option<u8>, content: Content, token: &Token| {
        let mut placed = token.clone();
        pays(scene, &mut placed, ply);
        if was != EMPTY && !overwrites && gesture.touched & bit(square) == 0 {
            placed.cost += scene.odds(Odds::Pushed);
        }
        let hand = &mut placed.hands[ply];
        if hand.is_idle() {
            hand.first = scene.now;
        }
        let mut mass = scene.odds(Odds::EarlyGoal);
        if let Some(from) = from {
            hand.held = Some((from, content));
            hand.touched |= bit(from);
            mass += scene.odds(Odds::EarlyPiece);
            placed.put(from, EMPTY);
            if !placed.items.add(Cause::Debt, from, content, scene.now) {
                return;
            }
            placed.cost += scene.odds(Odds::LandsFirst);
        }
        let hand = &mut placed.hands[ply];
        hand.mass += mass;
        placed.cost += mass;
        hand.touched |= bit(square);
        (hand.stage, hand.last, hand.landed) = (Stage::Stands, scene.now, Some(scene.now));
        if was != EMPTY {
            hand.taken = was;
        }
        placed.put(square, content);
        settle(scene, &placed, out);
        out.push(placed);
    };
    if let Some((from, held)) = gesture.held {
        let open = token.hands[ply - 1].touched | gesture.touched;
        if promotes(held) && seen != OCCUPIED {
            lands(None, seen, token);
        } else if agrees(seen, held) && may_reach(&token.phys, open, (from, held), square) {
            lands(None, held, token);
        } else if gesture.landed.is_some() && may_castle(gesture, seen) && was == EMPTY {
            lands(None, seen, token);
        }
        return;
    }
    if seen == OCCUPIED {
        return;
    }
    for from in origins(&token.phys, square, seen) {
        if gesture.touched & bit(from) == 0 && !is_waiting(token, from) {
            lands(Some(from), token.holds(from), token);
        }
    }
}

/// From where a piece of this kind may have come to a square.
fn origins(phys: &Squares, square: u8, content: Content) -> impl Iterator<Item = u8> {
    let phys = *phys;
    squares(reach(occupied(&phys), square, content))
        .filter(move |&from| agrees(content, phys[usize::from(from)]))
}

/// Whether a piece from this square may stand there after some ply of the other side. Squares that
/// the hands have touched block nothing.
fn may_reach(phys: &Squares, open: u64, (from, held): (u8, Content), to: u8) -> bool {
    let castles = piece(held).is_some_and(|piece| piece.role == Role::King)
        && from / 8 == to / 8
        && from.abs_diff(to) == 2;
    held == OCCUPIED || castles || reach(occupied(phys) & !open, to, held) & bit(from) != 0
}

fn occupied(phys: &Squares) -> u64 {
    let occupied = (0..64).filter(|&at| phys[usize::from(at)] != EMPTY);
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
