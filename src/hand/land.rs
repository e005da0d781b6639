//! The hand of a ply puts a piece down: on its goal, on its way, or where it came from.

use shakmaty::Square;

use super::{
    complete::complete,
    early::lands_early,
    explain::Scene,
    hand::{is_waiting, pays},
    model::{Clock, Odds},
    token::{Cause, Gesture, Stage, Token},
    tree::{Content, EMPTY, Effect, OCCUPIED, agrees, bit, color, squares},
};

/// Castling changes four squares, and no move more.
const MOST_SQUARES: u32 = 4;

/// A piece has come to a square, by the hand of this ply.
pub(crate) fn lands(
    scene: &Scene,
    token: &Token,
    ply: usize,
    square: u8,
    seen: Content,
    out: &mut Vec<Token>,
) {
    let gesture = token.hands[ply];
    if let Some((from, held)) = gesture.held
        && from == square
        && agrees(seen, held)
        && gesture.touched == bit(square)
        && matches!(gesture.stage, Stage::Active)
    {
        let mut back = token.clone();
        back.cost += gesture.goes_on(scene.now, scene.model) + scene.odds(Odds::PutsBack);
        back.put(square, held);
        back.hands[ply] = Gesture::IDLE;
        if ply == 0 {
            back.done = scene.now;
        }
        out.push(back);
        return;
    }
    let full = gesture.touched.count_ones() >= MOST_SQUARES;
    if full || gesture.touched & bit(square) != 0 && token.holds(square) != EMPTY {
        return;
    }
    if ply == 0 {
        lands_first(scene, token, square, seen, out);
        if gesture.is_idle() && token.holds(square) == EMPTY && seen != OCCUPIED {
            rests_first(scene, token, square, seen, out);
        }
        rests(scene, token, square, seen, out);
        waits_for_another(scene, token, square, seen, out);
    } else if ply == 1 || !token.hands[1].is_idle() {
        lands_early(scene, token, ply, square, seen, out);
    }
}

/// The piece of the ply that is being made has come to a square of its move.
fn lands_first(scene: &Scene, token: &Token, square: u8, seen: Content, out: &mut Vec<Token>) {
    let gesture = token.hands[0];
    let touched = gesture.touched;
    let gone;
    let token = if let Stage::Rests(at, _) = gesture.stage {
        // It has left the square where it stood for a moment, and that is told later.
        let mut on = token.clone();
        let shown = on.holds(at);
        on.put(at, EMPTY);
        on.cost += scene.odds(Odds::LandsFirst);
        if !on.items.add(Cause::Debt, at, shown, scene.now) {
            return;
        }
        gone = on;
        &gone
    } else {
        token
    };
    let (mut halves, mut half) = (0, EMPTY);
    let mut unlifted = None;
    for (index, effect) in token.node.effects().iter().enumerate() {
        let fits = touched & !effect.set == 0;
        let Some(end) = effect.end(square).filter(|&end| fits && end != EMPTY) else {
            continue;
        };
        if !agrees(seen, end) {
            continue;
        }
        let mut placed = token.clone();
        placed.put(square, end);
        let missing = effect.missing(&placed.phys);
        let lifted = touched & bit(effect.origin(end)) != 0;
        let own = missing & !bit(effect.takes.unwrap_or(effect.from)) & !token.hands[1].touched;
        let rook_waits = effect.m.is_castle() && missing != 0;
        let victim_waits = effect.takes.is_some_and(|at| missing & bit(at) != 0);
        if lifted && (own != 0 || rook_waits || victim_waits) {
            halves |= effect.set;
            half = end;
            continue;
        }
        if rook_waits && missing.count_ones() > 1 {
            unlifted = Some((effect.origin(end), end));
            continue;
        }
        pays(scene, &mut placed, 0);
        if !lifted {
            placed.cost += scene.odds(Odds::LandsFirst);
        }
        if effect.takes == Some(square) {
            placed.hands[0].taken = effect_taken(token, square, gesture);
            if touched & bit(square) == 0 {
                placed.cost += scene.odds(Odds::Pushed);
            }
        }
        let mut room = true;
        for late in squares(missing & !token.hands[1].touched) {
            let shown = placed.holds(late);
            placed.put(late, effect.end(late).unwrap_or(EMPTY));
            room &= placed.items.add(Cause::Debt, late, shown, scene.now);
        }
        if room {
            placed.cost += scene.model.against(Odds::Way);
            placed.hands[0].last = scene.now;
            complete(scene, placed, index, true, out);
        }
    }
    if halves != 0 {
        halfway(scene, token, square, half, out);
    }
    if let Some((origin, end)) = unlifted {
        let mut up = token.clone();
        let shown = up.holds(origin);
        up.put(origin, EMPTY);
        up.cost += scene.odds(Odds::LandsFirst);
        up.hands[0].touched |= bit(origin);
        if up.items.add(Cause::Debt, origin, shown, scene.now) {
            halfway(scene, &up, square, end, out);
        }
    }
}

/// A piece stands on its way although nobody was told yet that it was lifted.
fn rests_first(scene: &Scene, token: &Token, square: u8, seen: Content, out: &mut Vec<Token>) {
    let mut known = 0;
    for effect in token.node.effects() {
        let held = token.holds(effect.from);
        let untouched = known & bit(effect.from) == 0 && !is_waiting(token, effect.from);
        if effect.to != square || effect.takes.is_some() || !untouched || !agrees(seen, held) {
            continue;
        }
        known |= bit(effect.from);
        let mut up = token.clone();
        up.cost += scene.odds(Odds::LandsFirst);
        pays(scene, &mut up, 0);
        up.put(effect.from, EMPTY);
        let touched = bit(effect.from);
        let Some(mass) = token.node.mass(|e| touched & !e.set == 0) else {
            continue;
        };
        up.cost += mass;
        let hand = &mut up.hands[0];
        (hand.stage, hand.touched, hand.mass) = (Stage::Active, touched, mass);
        (hand.first, hand.last, hand.held) = (scene.now, scene.now, Some((effect.from, held)));
        if up.items.add(Cause::Debt, effect.from, held, scene.now) {
            let from = out.len();
            rests(scene, &up, square, held, out);
            for rests in &mut out[from..] {
                // Lifting and landing are one event.
                rests.cost -= scene.model.ends(Clock::Hold, 0);
            }
        }
    }
}

fn effect_taken(token: &Token, square: u8, gesture: Gesture) -> Content {
    if gesture.taken == EMPTY {
        token.holds(square)
    } else {
        gesture.taken
    }
}

/// A part of a move stands: castling, or a pawn that is still to be taken off.
fn halfway(scene: &Scene, token: &Token, square: u8, end: Content, out: &mut Vec<Token>) {
    let gesture = token.hands[0];
    let touched = gesture.touched | bit(square);
    let mut placed = token.clone();
    placed.put(square, end);
    let phys = placed.phys;
    let Some(mass) = (token.node).mass(|e| touched & !e.set == 0 && e.missing(&phys) != 0) else {
        return;
    };
    pays(scene, &mut placed, 0);
    placed.cost += mass - gesture.mass;
    let hand = &mut placed.hands[0];
    (hand.stage, hand.touched, hand.mass) = (Stage::Active, touched, mass);
    (hand.last, hand.landed) = (scene.now, Some(scene.now));
    out.push(placed);
}

/// The carried piece stands on a square and will go on.
fn rests(scene: &Scene, token: &Token, square: u8, seen: Content, out: &mut Vec<Token>) {
    let gesture = token.hands[0];
    let Some((from, held)) = gesture.held.filter(|(_, held)| agrees(seen, *held)) else {
        return;
    };
    if token.holds(square) != EMPTY || gesture.stage != Stage::Active || gesture.landed.is_some() {
        return;
    }
    let fits = |e: &Effect| gesture.touched & !e.set == 0 && e.from == from;
    let effects = token.node.effects();
    let waits_for_piece = |e: &&Effect| fits(e) && e.to == square && e.m.is_promotion();
    let passes = |e: &Effect| e.to != square && between(from, e.to) & bit(square) != 0;
    let way = effects.iter().any(|e| fits(e) && passes(e));
    let pawn = effects.iter().any(|e| waits_for_piece(&e)) && scene.kinds;
    // Which square it stops on was a choice of its own, unless it lies on the way.
    let there = token.node.mass(|e| fits(e) && e.to == square);
    let choice = there.map_or(scene.odds(Odds::Beside), |there| there - gesture.mass);
    let hover = (
        Stage::Rests(square, Clock::Hover),
        scene.odds(Odds::Hovers) + choice,
    );
    let changed = (
        Stage::Rests(square, Clock::Changed),
        scene.odds(Odds::ChangesMind) + choice,
    );
    let rest = (Stage::Rests(square, Clock::Rest), scene.odds(Odds::Way));
    let stages = [
        pawn.then_some((Stage::Pawn(square), 0)),
        Some(if way { rest } else { hover }),
        there.map(|_| changed),
    ];
    for (stage, odds) in stages.into_iter().flatten() {
        let goal = |e: &Effect| match stage {
            Stage::Pawn(_) => e.to == square,
            Stage::Rests(_, Clock::Rest) => passes(e),
            _ => e.to != square,
        };
        let Some(mass) = token.node.mass(|e| fits(e) && goal(e)) else {
            continue;
        };
        let mut rests = token.clone();
        pays(scene, &mut rests, 0);
        rests.cost += odds + mass - gesture.mass;
        rests.put(square, held);
        let hand = &mut rests.hands[0];
        (hand.stage, hand.mass, hand.last) = (stage, mass, scene.now);
        out.push(rests);
    }
}

/// A piece was put down for the promoted pawn that will be exchanged for another one.
fn waits_for_another(
    scene: &Scene,
    token: &Token,
    square: u8,
    seen: Content,
    out: &mut Vec<Token>,
) {
    let gesture = token.hands[0];
    let own = color(seen) == Some(token.node.turn());
    let Some((from, held)) = gesture
        .held
        .filter(|_| own && gesture.stage == Stage::Active)
    else {
        return;
    };
    let promotes =
        |e: &Effect| gesture.touched & !e.set == 0 && e.to == square && e.m.is_promotion();
    if agrees(seen, held) {
        return;
    }
    let Some(mass) = token.node.mass(|e| e.from == from && promotes(e)) else {
        return;
    };
    let mut waits = token.clone();
    pays(scene, &mut waits, 0);
    waits.cost += scene.odds(Odds::ChangesMind) + mass - gesture.mass;
    let hand = &mut waits.hands[0];
    hand.taken = effect_taken(token, square, gesture);
    (hand.stage, hand.mass, hand.last) = (Stage::Pawn(square), mass, scene.now);
    waits.put(square, seen);
    out.push(waits);
}

fn between(from: u8, to: u8) -> u64 {
    shakmaty::attacks::between(Square::new(u32::from(from)), Square::new(u32::from(to))).0
}
