//! The hand of a ply: it lifts, lands, rests on its way, and completes a legal move.

use shakmaty::{Role, Square};

use super::{
    explain::Scene,
    model::{Clock, Odds},
    token::{Cause, Gesture, Stage, Token},
    tree::{
        Content, EMPTY, Effect, OCCUPIED, Squares, agrees, bit, color, content, piece, squares,
    },
};

/// Castling changes four squares, and no move more.
const MOST_SQUARES: u32 = 4;

/// Whether a ply waits for an end that should have been told.
pub(crate) fn is_overdue(token: &Token) -> bool {
    token.hands[0].held.is_some()
        && token.hands[0].stage == Stage::Active
        && token.hands[1].stage == Stage::Stands
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
        let mut room = true;
        for square in squares(effect.missing(&token.phys)) {
            if token.hands[1].touched & bit(square) == 0 {
                let end = effect.end(square).unwrap_or(EMPTY);
                let shown = done.holds(square);
                done.put(square, end);
                if let Some(index) = done.items.on(square, Cause::Debt) {
                    if done.items.all()[index].piece == end {
                        // It looks as it did before: nothing will be told of it.
                        done.items.remove(index);
                        done.cost += scene.odds(Odds::Overwritten);
                    }
                } else {
                    room &= done
                        .items
                        .add(Cause::Debt, square, shown, token.hands[0].last);
                }
            }
        }
        if room {
            done.cost += done.hands[0].silence(scene.now, scene.model);
            done.cost += odds.map_or(0, |odds| scene.odds(odds));
            done.blind |= 1;
            complete(scene, done, index, out);
        }
    }
}

/// The hand of this ply begins, or goes on.
fn pays(scene: &Scene, token: &mut Token, ply: usize) {
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
    out.push(up);
}

/// On a board without kinds a piece that is pushed off its square by the one that takes it is
/// never told.
fn take_silently(scene: &Scene, token: &Token, out: &mut Vec<Token>) {
    let touched = token.hands[0].touched;
    for (index, effect) in token.node.effects().iter().enumerate() {
        if effect.takes != Some(effect.to) || touched != bit(effect.from) {
            continue;
        }
        let mut silent = token.clone();
        silent.cost += scene.odds(Odds::Pushed);
        silent.hands[0].taken = silent.holds(effect.to);
        silent.put(effect.to, effect.end(effect.to).unwrap_or(EMPTY));
        complete(scene, silent, index, out);
    }
}

fn may_castle(gesture: Gesture, second: Content) -> bool {
    let role = |content| piece(content).map(|piece| piece.role);
    let first = gesture.held.and_then(|(_, held)| role(held));
    matches!(
        (first, role(second)),
        (Some(Role::King), Some(Role::Rook)) | (Some(Role::Rook), Some(Role::King))
    )
}

/// Whether something else is expected of a square.
fn is_waiting(token: &Token, square: u8) -> bool {
    (token.items.all().iter()).any(|item| item.square == square && item.cause != Cause::Noise)
}

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
            complete(scene, placed, index, out);
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

fn between(from: u8, to: u8) -> u64 {
    shakmaty::attacks::between(Square::new(u32::from(from)), Square::new(u32::from(to))).0
}

/// A reply lands before the ply that it answers was told to stand.
fn lands_early(
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
    if let Some((_, held)) = gesture.held {
        if promotes(held) && seen != OCCUPIED {
            lands(None, seen, token);
        } else if agrees(seen, held) {
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
            lands(Some(from), seen, token);
        }
    }
}

/// From where a piece of this kind may have come to a square.
fn origins(phys: &Squares, square: u8, content: Content) -> impl Iterator<Item = u8> {
    let target = Square::new(u32::from(square));
    let occupied = (0..64).filter(|&at| phys[usize::from(at)] != EMPTY);
    let occupied = occupied.fold(0, |set, at| set | bit(at));
    let reach = piece(content).map_or(0, |piece| {
        if piece.role == Role::Pawn {
            let back = shakmaty::attacks::pawn_attacks(piece.color.other(), target).0;
            let file = shakmaty::Bitboard::from_file(target.file()).0;
            let steps = if piece.color.is_white() {
                (target as u64, -1_i32)
            } else {
                (target as u64, 1)
            };
            let step = |n: i32| {
                let at = i32::try_from(steps.0).unwrap_or(0) + steps.1 * 8 * n;
                u8::try_from(at).ok().filter(|at| *at < 64).map_or(0, bit)
            };
            back | ((step(1) | step(2)) & file)
        } else {
            shakmaty::attacks::attacks(target, piece, occupied.into()).0
        }
    });
    let phys = *phys;
    squares(reach).filter(move |&from| phys[usize::from(from)] == content)
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
        complete(scene, done, index, out);
    }
}

/// The ply being made stands: the game goes on after it.
fn complete(scene: &Scene, mut token: Token, index: usize, out: &mut Vec<Token>) {
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
        }
        if std::mem::take(&mut token.pressed[side]) {
            // It was told before.
        } else {
            token.cost += model.against(Odds::PressedFirst);
            token.awaited[side] = Some(scene.now);
        }
    }
    let next = token.hands[1];
    if let Some(landed) = next.landed {
        // Nobody answers what does not stand yet: it was done before, and told later.
        token.cost += model.lasts(Clock::Told, scene.now.saturating_sub(landed));
    }
    let child = token.node.child(index);
    token.node = child;
    token.done = scene.now;
    token.blind <<= 1;
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

/// The last rank of a side.
trait LastRank {
    fn backrank_other(self) -> shakmaty::Rank;
}

impl LastRank for shakmaty::Color {
    fn backrank_other(self) -> shakmaty::Rank {
        self.fold_wb(shakmaty::Rank::Eighth, shakmaty::Rank::First)
    }
}
