//! What happens to the pieces outside play: result signs, clearing, taking back, analysis, and what
//! no one understands.
//!
//! A result sign and clearing have a goal. A step towards it costs little, any other step much.

use std::sync::LazyLock;

use shakmaty::{Color, Role};

use super::{
    content::{Content, EMPTY, OCCUPIED, Squares, agrees, content, piece},
    gesture::{Gesture, MAX_GESTURES},
    hypothesis::{Hypothesis, Regime},
    interpret::Context,
    item::Items,
    line_search,
    model::{Chance, Duration},
};

/// The central squares on which kings show a result.
const CENTER: [u8; 4] = [27, 28, 35, 36];

/// The starting position.
pub(crate) fn start() -> &'static Squares {
    static START: LazyLock<Squares> = LazyLock::new(|| {
        let mut start = [EMPTY; 64];
        for (square, piece) in shakmaty::Board::new() {
            start[square as usize] = content(piece);
        }
        start
    });
    &START
}

/// The most plies that are taken back while the clock is stopped: a bound on time.
const MAX_UNDONE: usize = 8;

/// The last ply may be taken back: its pieces return.
pub(crate) fn take_back(context: &Context, hypothesis: &Hypothesis, out: &mut Vec<Hypothesis>) {
    if let Some(node) = &hypothesis.node.parent {
        let mut back = Hypothesis::new(node.clone(), hypothesis.completed_at);
        back.cost = hypothesis.cost + hypothesis.survival_cost(context.now, context.model);
        back.cost += context.cost(Chance::TakesBack);
        (back.regime, back.physical, back.tempo) =
            (Regime::TakeBack, hypothesis.physical, hypothesis.tempo);
        out.push(back);
    }
}

/// From now on, the pieces may be used for something else than play.
pub(crate) fn leave_play(context: &Context, hypothesis: &Hypothesis, out: &mut Vec<Hypothesis>) {
    for (regime, chance) in [
        (Regime::ResultSign, Some(Chance::LeavesPlay)),
        (Regime::Clearing, Some(Chance::LeavesPlay)),
        (Regime::Lost, Some(Chance::BecomesLost)),
        (Regime::Paused, None),
    ] {
        if regime == Regime::Paused && !context.clock_stopped {
            continue;
        }
        let mut other = hypothesis.clone();
        if !hypothesis.is_quiet() || matches!(regime, Regime::Lost | Regime::Paused) {
            other.cost += hypothesis.survival_cost(context.now, context.model);
        }
        other.cost += chance.map_or(0, |chance| context.cost(chance));
        other.regime = regime;
        other.gestures = [Gesture::IDLE; MAX_GESTURES];
        other.items = Items::NONE;
        other.awaited_press = [None; 2];
        other.early_press = [false; 2];
        out.push(other);
    }
}

/// Interprets the report of a square for a hypothesis outside play. Before the `first` step there
/// is a thought.
pub(crate) fn interpret(
    context: &Context,
    hypothesis: &Hypothesis,
    first: bool,
    (square, seen): (u8, Content),
    out: &mut Vec<Hypothesis>,
) {
    let mut hypothesis = hypothesis.clone();
    let model = context.model;
    let since = context.now - hypothesis.completed_at;
    let before = hypothesis.content_at(square);
    let home = if matches!(hypothesis.regime, Regime::TakeBack | Regime::Lost) {
        hypothesis.node.board[usize::from(square)]
    } else {
        start()[usize::from(square)]
    };
    let mut now = seen;
    hypothesis.cost += match hypothesis.regime {
        // The board is put in order: a misplaced piece is lifted, or put back.
        Regime::Lost if agrees(seen, home) && !agrees(before, home) => {
            let chance = if seen == EMPTY {
                Chance::ClearingStep
            } else {
                Chance::SignStep
            };
            model.density(Duration::ClearingStep, since) + model.cost(chance)
        }
        Regime::Play | Regime::Lost => model.cost(Chance::LostEventRate),
        Regime::Paused => {
            hypothesis.pay_thought(context.now, model);
            model.cost(Chance::ClearingStep)
        }
        Regime::ResultSign => {
            let in_centre = CENTER.contains(&square);
            let up = seen == EMPTY && (king(before).is_some() || in_centre);
            let missing = missing_king(&hypothesis.physical).filter(|_| in_centre && seen != EMPTY);
            let on = missing.filter(|&king| agrees(seen, king) || king_of(seen));
            now = if seen == OCCUPIED {
                on.unwrap_or(seen)
            } else {
                seen
            };
            let back = seen != EMPTY && agrees(seen, hypothesis.node.board[usize::from(square)]);
            let chance = if up || on.is_some() || back {
                Chance::SignStep
            } else {
                Chance::AimlessStep
            };
            let duration = if first {
                Duration::Think
            } else {
                Duration::SignStep
            };
            model.density(duration, since) + model.cost(chance)
        }
        Regime::Clearing | Regime::TakeBack => {
            let up = seen == EMPTY && before != home;
            let on = seen != EMPTY && agrees(seen, home);
            now = if on { home } else { seen };
            let step = if hypothesis.regime == Regime::TakeBack {
                Chance::SignStep
            } else {
                Chance::ClearingStep
            };
            if hypothesis.regime == Regime::TakeBack && !up && !on {
                return;
            }
            // A piece that belongs on one square only leaves no choice.
            let chance = match (up, on) {
                (true, _) => step,
                (_, true) => Chance::SignStep,
                _ => Chance::AimlessStep,
            };
            let duration = match hypothesis.regime {
                _ if !first => Duration::ClearingStep,
                Regime::TakeBack => Duration::ThinkSlow,
                _ => Duration::Think,
            };
            model.density(duration, since) + model.cost(chance)
        }
    };
    hypothesis.completed_at = context.now;
    hypothesis.set_content(square, now);
    if hypothesis.regime == Regime::TakeBack && hypothesis.physical == hypothesis.node.board {
        // The ply before may be taken back as well.
        if let Some(node) = hypothesis.node.parent.clone() {
            let mut further = hypothesis.clone();
            further.cost += model.cost(Chance::MissedPly);
            further.node = node;
            out.push(further);
        }
        hypothesis.regime = Regime::Play;
    }
    out.push(hypothesis);
}

fn king(content: Content) -> Option<Color> {
    piece(content)
        .filter(|piece| piece.role == Role::King)
        .map(|piece| piece.color)
}

fn king_of(seen: Content) -> bool {
    king(seen).is_some()
}

/// A king that is lifted.
fn missing_king(physical: &Squares) -> Option<Content> {
    let kings = Color::ALL.map(|color| content(Role::King.of(color)));
    kings.into_iter().find(|king| !physical.contains(king))
}

/// The clock runs again. The game continues from where it was, from an earlier node, or after plies
/// that were made meanwhile; or it is lost. Only if it `searches`, it looks for such plies.
pub(crate) fn resume(
    context: &Context,
    hypothesis: &Hypothesis,
    shown: &Squares,
    searches: bool,
    out: &mut Vec<Hypothesis>,
) {
    if hypothesis.regime != Regime::Paused {
        let mut other = hypothesis.clone();
        if matches!(hypothesis.regime, Regime::ResultSign | Regime::Clearing) {
            // The clock of a finished game is not started.
            other.cost += context.cost(Chance::WrongPress);
        }
        out.push(other);
        return;
    }
    let mut cost = hypothesis.cost;
    let line = std::iter::successors(Some(hypothesis.node.clone()), |node| node.parent.clone());
    for (plies, node) in line.take(1 + MAX_UNDONE).enumerate() {
        if matches(shown, &node.board) {
            let mut on = Hypothesis::new(node, context.now);
            (on.cost, on.tempo) = (cost, hypothesis.tempo);
            out.push(on);
        }
        cost += context.cost(if plies == 0 {
            Chance::ClockStop
        } else {
            Chance::MissedPly
        });
    }
    if searches {
        let mut played = hypothesis.clone();
        played.cost += context.cost(Chance::ClockStop);
        line_search::search(context, &played, shown, out);
    }
    let mut lost = hypothesis.clone();
    lost.regime = Regime::Lost;
    lost.cost += context.cost(Chance::BecomesLost);
    out.push(lost);
}

/// The board is in order again. Either the game continues from there, or all those steps had no
/// goal.
pub(crate) fn find_again(context: &Context, shown: &Squares, out: &mut Vec<Hypothesis>) {
    let Some(lost) = out.last_mut() else { return };
    if lost.regime != Regime::Lost || !matches(shown, &lost.node.board) {
        return;
    }
    let mut found = Hypothesis::new(lost.node.clone(), context.now);
    (found.cost, found.tempo) = (lost.cost, lost.tempo);
    lost.cost += context.cost(Chance::AimlessStep);
    out.push(found);
}

/// Whether every square shows what the board holds.
pub(crate) fn matches(shown: &Squares, board: &Squares) -> bool {
    shown
        .iter()
        .zip(board)
        .all(|(&seen, &content)| agrees(seen, content))
}

/// The result that the kings show: the winner, or `None` for a draw.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KingSign(pub(crate) Option<Color>);

/// The result that the kings show, if any.
pub(crate) fn king_sign(shown: &Squares) -> Option<KingSign> {
    let at = |color: Color| {
        let king = content(Role::King.of(color));
        let mut squares = (0..64_u8).filter(|&square| shown[usize::from(square)] == king);
        squares
            .next()
            .filter(|square| CENTER.contains(square) && squares.next().is_none())
    };
    // The squares d4 and e5 are dark.
    let light = |square: u8| square == 28 || square == 35;
    let [white, black] = [at(Color::White)?, at(Color::Black)?];
    Some(KingSign(match (light(white), light(black)) {
        (true, true) => Some(Color::White),
        (false, false) => Some(Color::Black),
        _ => None,
    }))
}
