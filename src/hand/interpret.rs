//! All interpretations of one report of one square.

use remisd_vocabulary::time::Moment;

use super::{
    completion,
    content::{Content, EMPTY, agrees, color},
    cost::Cost,
    gesture::{Gesture, MAX_GESTURES},
    hypothesis::{Hypothesis, Regime},
    item::{Cause, GONE, Item, NOWHERE},
    landing, lift,
    model::{Chance, Model},
};

/// What is known at the moment of a report.
#[derive(Debug, Clone, Copy)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "four facts that have nothing to do with each other"
)]
pub(crate) struct Context {
    pub(crate) model: &'static Model,
    pub(crate) now: Moment,
    /// The board identifies pieces.
    pub(crate) identifies_pieces: bool,
    /// A lever is pressed after every ply.
    pub(crate) lever: bool,
    /// The clock has run, and is stopped.
    pub(crate) clock_stopped: bool,
    /// Whether to try completions without a report.
    pub(crate) deep: bool,
}

impl Context {
    pub(crate) fn cost(&self, chance: Chance) -> Cost {
        self.model.cost(chance)
    }
}

/// Every interpretation of the report that `square` shows `seen`.
pub(crate) fn interpret(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    debug_assert!(hypothesis.regime == Regime::Play);
    let mut hypothesis = hypothesis.clone();
    if let Some(index) = hypothesis.items.find_leaning(square)
        && (seen == EMPTY || agrees(seen, hypothesis.items.all()[index].piece))
    {
        let mut leaning = hypothesis.clone();
        let item = &mut leaning.items.all_mut()[index];
        let ends = item.end_cost(context.now, context.model);
        item.since = context.now;
        if item.square == square && item.home != square {
            item.contradicted = seen != EMPTY;
        }
        if item.home == GONE && seen == EMPTY {
            leaning.items.remove(index);
        }
        leaning.cost += ends;
        out.push(leaning);
        if agrees(seen, hypothesis.content_at(square)) {
            return;
        }
    }
    if agrees(seen, hypothesis.content_at(square)) {
        for cause in [Cause::Unreported, Cause::Misreading] {
            if let Some(index) = hypothesis.items.find(square, cause) {
                let item = hypothesis.items.remove(index);
                hypothesis.cost += item.end_cost(context.now, context.model);
            }
        }
        if !hypothesis.has_unreported() {
            // All expected reports have come.
            hypothesis.pending_ends = 0;
        }
        out.push(hypothesis);
        return;
    }
    if context.deep && completion::is_overdue(&hypothesis) {
        let mut completed = Vec::new();
        completion::complete_overdue(context, &hypothesis, &mut completed);
        let shallow = Context {
            deep: false,
            ..*context
        };
        for hypothesis in &completed {
            interpret(&shallow, hypothesis, square, seen, out);
        }
    }
    // A misreading was corrected, or an expected report will not come any more.
    if let Some(index) = hypothesis.items.find(square, Cause::Misreading) {
        hypothesis.cost += hypothesis
            .items
            .remove(index)
            .survival_cost(context.now, context.model);
    }
    if let Some(index) = hypothesis.items.find(square, Cause::Unreported) {
        completion::drop_unreported(context, &mut hypothesis, index);
        hypothesis.unseen_ends |= std::mem::take(&mut hypothesis.pending_ends);
    }
    if seen == EMPTY {
        square_emptied(context, &hypothesis, square, out);
    } else {
        square_filled(context, &hypothesis, square, seen, out);
    }
    add_misreading(context, hypothesis, square, seen, out);
}

/// The report is a misreading: a single one, or one by a leaning piece.
fn add_misreading(
    context: &Context,
    hypothesis: Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let may_lean = |at: &u8| is_adjacent(*at, square) && agrees(seen, hypothesis.content_at(*at));
    let carried = |gesture: &Gesture| {
        gesture
            .carried
            .is_some_and(|(_, carried)| agrees(seen, carried))
    };
    let home = if seen == EMPTY {
        Some(square)
    } else if hypothesis.gestures.iter().any(carried) {
        // The carried piece is about to be placed there.
        Some(NOWHERE)
    } else {
        // The last piece that was placed is the likeliest to lean.
        let last = hypothesis.node.m.map(|m| m.to() as u8);
        last.into_iter().chain(0..64).find(may_lean)
    };
    let leans = context.identifies_pieces
        && context.deep
        && hypothesis.items.find_leaning(square).is_none();
    if let Some(home) = home.filter(|_| leans) {
        let mut leans = hypothesis.clone();
        let piece = if seen == EMPTY {
            hypothesis.content_at(square)
        } else {
            seen
        };
        if leans.items.add(Cause::Leaning, square, piece, context.now) {
            leans.items.set_last_home(home);
            leans.cost += context.cost(Chance::MisreadingRate) + context.cost(Chance::MisreadAgain);
            out.push(leans);
        }
    }
    let mut misread = hypothesis;
    if misread
        .items
        .add(Cause::Misreading, square, seen, context.now)
    {
        misread.cost += context.cost(Chance::MisreadingRate);
        if color(seen).is_some() && home.is_none() {
            misread.cost += context.cost(Chance::AdjacentSquare);
        }
        out.push(misread);
    }
}

/// The square has become empty.
fn square_emptied(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    out: &mut Vec<Hypothesis>,
) {
    if let Some(index) = hypothesis.items.find(square, Cause::Aside) {
        let mut gone = hypothesis.clone();
        gone.cost += gone
            .items
            .remove(index)
            .end_cost(context.now, context.model);
        gone.set_content(square, EMPTY);
        out.push(gone);
        return;
    }
    for ply in 0..MAX_GESTURES {
        lift::lift(context, hypothesis, ply, square, out);
    }
    let mut away = hypothesis.clone();
    let piece = away.content_at(square);
    if away.items.add(Cause::Away, square, piece, context.now) {
        away.cost += context.cost(Chance::PieceAwayRate);
        away.set_content(square, EMPTY);
        out.push(away);
    }
}

/// A piece has come to the square.
fn square_filled(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    if let Some(index) = hypothesis.items.find(square, Cause::Away)
        && agrees(seen, hypothesis.items.all()[index].piece)
    {
        let mut back = hypothesis.clone();
        let item = back.items.remove(index);
        back.cost += item.end_cost(context.now, context.model);
        back.set_content(square, item.piece);
        out.push(back);
    }
    for ply in 0..MAX_GESTURES {
        landing::place(context, hypothesis, ply, square, seen, out);
    }
    if hypothesis.content_at(square) == EMPTY {
        set_aside(context, hypothesis, square, seen, out);
    }
}

pub(crate) fn is_adjacent(a: u8, b: u8) -> bool {
    (a % 8).abs_diff(b % 8) <= 1 && (a / 8).abs_diff(b / 8) <= 1
}

/// A captured piece is set aside, or one that was knocked over is put on a neighbouring square.
fn set_aside(
    context: &Context,
    hypothesis: &Hypothesis,
    square: u8,
    seen: Content,
    out: &mut Vec<Hypothesis>,
) {
    let captured = [hypothesis.captured, hypothesis.gestures[0].captured];
    let captured_here = captured
        .into_iter()
        .find(|&t| t != EMPTY && agrees(seen, t));
    let away = |item: &&Item| item.cause == Cause::Away && agrees(seen, item.piece);
    let mut away = hypothesis.items.all().iter().filter(away);
    let fallen = away.clone().find(|item| is_adjacent(item.square, square));
    let (piece, chance) = match (captured_here, fallen, away.next()) {
        (Some(piece), ..) => (piece, Chance::SetAside),
        (None, Some(item), _) => (item.piece, Chance::SetAside),
        (None, None, Some(item)) => (item.piece, Chance::TakesBack),
        (None, None, None) => return,
    };
    debug_assert!(color(piece).is_some());
    let mut aside = hypothesis.clone();
    if aside.items.add(Cause::Aside, square, piece, context.now) {
        aside.cost += context.cost(chance)
            + context.cost(Chance::AdjacentSquare)
            + context.cost(Chance::UntimedRate);
        aside.set_content(square, piece);
        out.push(aside);
    }
}
