//! One event of one square, and all that a token can take it for.

use super::{
    completion,
    cost::Cost,
    landing, lift,
    model::{Chance, Duration, Model},
    token::{Cause, GONE, Gesture, Item, MAX_GESTURES, NOWHERE, Regime, Token},
    tree::{Content, EMPTY, agrees, color},
};

/// What is known of the moment of an event.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four facts that have nothing to do with each other"
)]
pub(crate) struct Context {
    pub(crate) model: &'static Model,
    pub(crate) now: u64,
    /// The board knows its pieces.
    pub(crate) identifies_pieces: bool,
    /// A lever is pressed after every ply.
    pub(crate) lever: bool,
    /// The clock has run, and stands.
    pub(crate) clock_stopped: bool,
    /// Whether completions that nobody saw are tried.
    pub(crate) deep: bool,
}

impl Context {
    pub(crate) fn cost(&self, odds: Chance) -> Cost {
        self.model.cost(odds)
    }
}

/// Everything that `token` can take it for that `square` shows `seen` now.
pub(crate) fn interpret(
    context: &Context,
    token: &Token,
    square: u8,
    seen: Content,
    out: &mut Vec<Token>,
) {
    debug_assert!(token.regime == Regime::Play);
    let mut token = token.clone();
    if let Some(index) = token.items.find_leaning(square)
        && (seen == EMPTY || agrees(seen, token.items.all()[index].piece))
    {
        let mut blinks = token.clone();
        let item = &mut blinks.items.all_mut()[index];
        let ends = item.end_cost(context.now, context.model);
        item.since = context.now;
        if item.square == square && item.home != square {
            item.contradicted = seen != EMPTY;
        }
        if item.home == GONE && seen == EMPTY {
            blinks.items.remove(index);
        }
        blinks.cost += ends;
        out.push(blinks);
        if agrees(seen, token.content_at(square)) {
            return;
        }
    }
    if agrees(seen, token.content_at(square)) {
        for cause in [Cause::Unreported, Cause::Misreading] {
            if let Some(index) = token.items.find(square, cause) {
                let item = token.items.remove(index);
                token.cost += item.end_cost(context.now, context.model);
            }
        }
        if !token.has_unreported() {
            // What was not seen was told now.
            token.pending_ends = 0;
        }
        out.push(token);
        return;
    }
    if context.deep && completion::is_overdue(&token) {
        let mut completed = Vec::new();
        completion::complete_overdue(context, &token, &mut completed);
        let shallow = Context {
            deep: false,
            ..*context
        };
        for token in &completed {
            interpret(&shallow, token, square, seen, out);
        }
    }
    // What was told wrongly is now told otherwise; what was not told will not be told any more.
    if let Some(index) = token.items.find(square, Cause::Misreading) {
        token.cost += token
            .items
            .remove(index)
            .survival_cost(context.now, context.model);
    }
    if let Some(index) = token.items.find(square, Cause::Unreported) {
        completion::drop_unreported(context, &mut token, index);
        token.unseen_ends |= std::mem::take(&mut token.pending_ends);
    }
    if seen == EMPTY {
        square_emptied(context, &token, square, out);
    } else {
        square_filled(context, &token, square, seen, out);
    }
    add_misreading(context, token, square, seen, out);
}

/// What is told is not so: once, or since a piece stands badly.
fn add_misreading(
    context: &Context,
    token: Token,
    square: u8,
    seen: Content,
    out: &mut Vec<Token>,
) {
    let stands = |at: &u8| is_adjacent(*at, square) && agrees(seen, token.content_at(*at));
    let carried = |hand: &Gesture| {
        hand.carried
            .is_some_and(|(_, carried)| agrees(seen, carried))
    };
    let home = if seen == EMPTY {
        Some(square)
    } else if token.gestures.iter().any(carried) {
        // It is about to be put down there.
        Some(NOWHERE)
    } else {
        // The one that was put down last is the likeliest.
        let last = token.node.m.map(|m| m.to() as u8);
        last.into_iter().chain(0..64).find(stands)
    };
    let leans =
        context.identifies_pieces && context.deep && token.items.find_leaning(square).is_none();
    if let Some(home) = home.filter(|_| leans) {
        let mut leans = token.clone();
        let piece = if seen == EMPTY {
            token.content_at(square)
        } else {
            seen
        };
        if leans.items.add(Cause::Leaning, square, piece, context.now) {
            leans.items.set_last_home(home);
            leans.cost += context.cost(Chance::MisreadingRate) + context.cost(Chance::MisreadAgain);
            out.push(leans);
        }
    }
    let mut noise = token;
    if noise
        .items
        .add(Cause::Misreading, square, seen, context.now)
    {
        noise.cost += context.cost(Chance::MisreadingRate);
        if color(seen).is_some() && home.is_none() {
            noise.cost += context.cost(Chance::AdjacentSquare);
        }
        out.push(noise);
    }
}

/// A piece has left a square.
fn square_emptied(context: &Context, token: &Token, square: u8, out: &mut Vec<Token>) {
    if let Some(index) = token.items.find(square, Cause::Aside) {
        let mut gone = token.clone();
        gone.cost += gone
            .items
            .remove(index)
            .end_cost(context.now, context.model);
        gone.set_content(square, EMPTY);
        out.push(gone);
        return;
    }
    for ply in 0..MAX_GESTURES {
        lift::lift(context, token, ply, square, out);
    }
    let mut away = token.clone();
    let content = away.content_at(square);
    if away.items.add(Cause::Away, square, content, context.now) {
        away.cost += context.cost(Chance::PieceAwayRate);
        away.set_content(square, EMPTY);
        out.push(away);
    }
}

/// A piece has come to a square.
fn square_filled(
    context: &Context,
    token: &Token,
    square: u8,
    seen: Content,
    out: &mut Vec<Token>,
) {
    if let Some(index) = token.items.find(square, Cause::Away)
        && agrees(seen, token.items.all()[index].piece)
    {
        let mut back = token.clone();
        let item = back.items.remove(index);
        back.cost += item.end_cost(context.now, context.model);
        back.set_content(square, item.piece);
        out.push(back);
    }
    for ply in 0..MAX_GESTURES {
        landing::place(context, token, ply, square, seen, out);
    }
    if token.content_at(square) == EMPTY {
        set_aside(context, token, square, seen, out);
    }
}

pub(crate) fn is_adjacent(a: u8, b: u8) -> bool {
    (a % 8).abs_diff(b % 8) <= 1 && (a / 8).abs_diff(b / 8) <= 1
}

/// A captured piece is dragged or set aside, or a knocked one stands beside its square.
fn set_aside(context: &Context, token: &Token, square: u8, seen: Content, out: &mut Vec<Token>) {
    let captured = [token.captured, token.gestures[0].captured];
    let parked = captured
        .into_iter()
        .find(|&t| t != EMPTY && agrees(seen, t));
    let away = |item: &&Item| item.cause == Cause::Away && agrees(seen, item.piece);
    let mut away = token.items.all().iter().filter(away);
    let fallen = away.clone().find(|item| is_adjacent(item.square, square));
    let (piece, odds) = match (parked, fallen, away.next()) {
        (Some(piece), ..) => (piece, Chance::SetAside),
        (None, Some(item), _) => (item.piece, Chance::SetAside),
        (None, None, Some(item)) => (item.piece, Chance::TakesBack),
        (None, None, None) => return,
    };
    debug_assert!(color(piece).is_some());
    let mut aside = token.clone();
    if aside.items.add(Cause::Aside, square, piece, context.now) {
        aside.cost += context.cost(odds)
            + context.cost(Chance::AdjacentSquare)
            + context.model.density(Duration::EarlyReply, 100);
        aside.set_content(square, piece);
        out.push(aside);
    }
}
