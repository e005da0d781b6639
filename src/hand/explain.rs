//! One event of one square, and all that a token can take it for.

use super::{
    complete,
    fixed::Cost,
    hand, land,
    model::{Clock, Model, Odds},
    token::{Cause, GONE, Gesture, HANDS, Item, NOWHERE, Regime, Token},
    tree::{Content, EMPTY, agrees, color},
};

/// What is known of the moment of an event.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four facts that have nothing to do with each other"
)]
pub(crate) struct Scene {
    pub(crate) model: &'static Model,
    pub(crate) now: u64,
    /// The board knows its pieces.
    pub(crate) kinds: bool,
    /// A lever is pressed after every ply.
    pub(crate) lever: bool,
    /// The clock has run, and stands.
    pub(crate) stands: bool,
    /// Whether completions that nobody saw are tried.
    pub(crate) deep: bool,
}

impl Scene {
    pub(crate) fn odds(&self, odds: Odds) -> Cost {
        self.model.odds(odds)
    }
}

/// Everything that `token` can take it for that `square` shows `seen` now.
pub(crate) fn explain(
    scene: &Scene,
    token: &Token,
    square: u8,
    seen: Content,
    out: &mut Vec<Token>,
) {
    debug_assert!(token.regime == Regime::Play);
    let mut token = token.clone();
    if let Some(index) = token.items.leaning(square)
        && (seen == EMPTY || agrees(seen, token.items.all()[index].piece))
    {
        let mut blinks = token.clone();
        let item = &mut blinks.items.all_mut()[index];
        let ends = item.ends(scene.now, scene.model);
        item.since = scene.now;
        if item.square == square && item.home != square {
            item.contradicted = seen != EMPTY;
        }
        if item.home == GONE && seen == EMPTY {
            blinks.items.remove(index);
        }
        blinks.cost += ends;
        out.push(blinks);
        if agrees(seen, token.holds(square)) {
            return;
        }
    }
    if agrees(seen, token.holds(square)) {
        for cause in [Cause::Debt, Cause::Noise] {
            if let Some(index) = token.items.on(square, cause) {
                let item = token.items.remove(index);
                token.cost += item.ends(scene.now, scene.model);
            }
        }
        if !token.owes() {
            // What was not seen was told now.
            token.owed = 0;
        }
        out.push(token);
        return;
    }
    if scene.deep && complete::is_overdue(&token) {
        let mut completed = Vec::new();
        complete::complete_overdue(scene, &token, &mut completed);
        let shallow = Scene {
            deep: false,
            ..*scene
        };
        for token in &completed {
            explain(&shallow, token, square, seen, out);
        }
    }
    // What was told wrongly is now told otherwise; what was not told will not be told any more.
    if let Some(index) = token.items.on(square, Cause::Noise) {
        token.cost += token.items.remove(index).silence(scene.now, scene.model);
    }
    if let Some(index) = token.items.on(square, Cause::Debt) {
        complete::overwrites(scene, &mut token, index);
        token.blind |= std::mem::take(&mut token.owed);
    }
    if seen == EMPTY {
        leaves(scene, &token, square, out);
    } else {
        comes(scene, &token, square, seen, out);
    }
    misreads(scene, token, square, seen, out);
}

/// What is told is not so: once, or since a piece stands badly.
fn misreads(scene: &Scene, token: Token, square: u8, seen: Content, out: &mut Vec<Token>) {
    let stands = |at: &u8| is_beside(*at, square) && agrees(seen, token.holds(*at));
    let held = |hand: &Gesture| hand.held.is_some_and(|(_, held)| agrees(seen, held));
    let home = if seen == EMPTY {
        Some(square)
    } else if token.hands.iter().any(held) {
        // It is about to be put down there.
        Some(NOWHERE)
    } else {
        // The one that was put down last is the likeliest.
        let last = token.node.m.map(|m| m.to() as u8);
        last.into_iter().chain(0..64).find(stands)
    };
    let leans = scene.kinds && scene.deep && token.items.leaning(square).is_none();
    if let Some(home) = home.filter(|_| leans) {
        let mut leans = token.clone();
        let piece = if seen == EMPTY {
            token.holds(square)
        } else {
            seen
        };
        if leans.items.add(Cause::Lean, square, piece, scene.now) {
            leans.items.last_leans_from(home);
            leans.cost += scene.odds(Odds::NoiseRate) + scene.odds(Odds::Misread);
            out.push(leans);
        }
    }
    let mut noise = token;
    if noise.items.add(Cause::Noise, square, seen, scene.now) {
        noise.cost += scene.odds(Odds::NoiseRate);
        if color(seen).is_some() && home.is_none() {
            noise.cost += scene.odds(Odds::Beside);
        }
        out.push(noise);
    }
}

/// A piece has left a square.
fn leaves(scene: &Scene, token: &Token, square: u8, out: &mut Vec<Token>) {
    if let Some(index) = token.items.on(square, Cause::Aside) {
        let mut gone = token.clone();
        gone.cost += gone.items.remove(index).ends(scene.now, scene.model);
        gone.put(square, EMPTY);
        out.push(gone);
        return;
    }
    for ply in 0..HANDS {
        hand::lifts(scene, token, ply, square, out);
    }
    let mut away = token.clone();
    let content = away.holds(square);
    if away.items.add(Cause::Away, square, content, scene.now) {
        away.cost += scene.odds(Odds::AwayRate);
        away.put(square, EMPTY);
        out.push(away);
    }
}

/// A piece has come to a square.
fn comes(scene: &Scene, token: &Token, square: u8, seen: Content, out: &mut Vec<Token>) {
    if let Some(index) = token.items.on(square, Cause::Away)
        && agrees(seen, token.items.all()[index].piece)
    {
        let mut back = token.clone();
        let item = back.items.remove(index);
        back.cost += item.ends(scene.now, scene.model);
        back.put(square, item.piece);
        out.push(back);
    }
    for ply in 0..HANDS {
        land::lands(scene, token, ply, square, seen, out);
    }
    if token.holds(square) == EMPTY {
        sets_aside(scene, token, square, seen, out);
    }
}

pub(crate) fn is_beside(a: u8, b: u8) -> bool {
    (a % 8).abs_diff(b % 8) <= 1 && (a / 8).abs_diff(b / 8) <= 1
}

/// A captured piece is dragged or set aside, or a knocked one stands beside its square.
fn sets_aside(scene: &Scene, token: &Token, square: u8, seen: Content, out: &mut Vec<Token>) {
    let captured = [token.taken, token.hands[0].taken];
    let parked = captured
        .into_iter()
        .find(|&t| t != EMPTY && agrees(seen, t));
    let away = |item: &&Item| item.cause == Cause::Away && agrees(seen, item.piece);
    let mut away = token.items.all().iter().filter(away);
    let fallen = away.clone().find(|item| is_beside(item.square, square));
    let (piece, odds) = match (parked, fallen, away.next()) {
        (Some(piece), ..) => (piece, Odds::Parked),
        (None, Some(item), _) => (item.piece, Odds::Parked),
        (None, None, Some(item)) => (item.piece, Odds::TakesBack),
        (None, None, None) => return,
    };
    debug_assert!(color(piece).is_some());
    let mut aside = token.clone();
    if aside.items.add(Cause::Aside, square, piece, scene.now) {
        aside.cost +=
            scene.odds(odds) + scene.odds(Odds::Beside) + scene.model.ends(Clock::Early, 100);
        aside.put(square, piece);
        out.push(aside);
    }
}
