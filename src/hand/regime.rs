//! What happens to the pieces outside play: result signs, clearing, taking back, analysis, and what
//! no one understands.
//!
//! A result sign and clearing have a goal. A step towards it costs little, any other step much.

use std::sync::LazyLock;

use shakmaty::{Color, Role};

use super::{
    content::{Content, EMPTY, OCCUPIED, Squares, agrees, content, piece},
    gesture::{Gesture, MAX_GESTURES},
    interpret::Context,
    item::Items,
    line_search,
    model::{Chance, Duration},
    token::{Regime, Token},
};

/// The central squares on which kings show a result.
const CENTER: [u8; 4] = [27, 28, 35, 36];

/// The start array.
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
pub(crate) fn take_back(context: &Context, token: &Token, out: &mut Vec<Token>) {
    if let Some(node) = &token.node.parent {
        let mut back = Token::new(node.clone(), token.completed_at);
        back.cost = token.cost + token.survival_cost(context.now, context.model);
        back.cost += context.cost(Chance::TakesBack);
        (back.regime, back.physical, back.tempo) = (Regime::TakeBack, token.physical, token.tempo);
        out.push(back);
    }
}

/// From now on, the pieces may be used for something else than play.
pub(crate) fn leave_play(context: &Context, token: &Token, out: &mut Vec<Token>) {
    for (regime, chance) in [
        (Regime::ResultSign, Some(Chance::LeavesPlay)),
        (Regime::Clearing, Some(Chance::LeavesPlay)),
        (Regime::Lost, Some(Chance::BecomesLost)),
        (Regime::Paused, None),
    ] {
        if regime == Regime::Paused && !context.clock_stopped {
            continue;
        }
        let mut other = token.clone();
        if !token.is_quiet() || matches!(regime, Regime::Lost | Regime::Paused) {
            other.cost += token.survival_cost(context.now, context.model);
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

/// Interprets the report of a square for a token outside play. Before the `first` step there is a
/// thought.
pub(crate) fn interpret(
    context: &Context,
    token: &Token,
    first: bool,
    (square, seen): (u8, Content),
    out: &mut Vec<Token>,
) {
    let mut token = token.clone();
    let model = context.model;
    let since = context.now - token.completed_at;
    let before = token.content_at(square);
    let home = if matches!(token.regime, Regime::TakeBack | Regime::Lost) {
        token.node.board[usize::from(square)]
    } else {
        start()[usize::from(square)]
    };
    let mut now = seen;
    token.cost += match token.regime {
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
            token.pay_thought(context.now, model);
            model.cost(Chance::ClearingStep)
        }
        Regime::ResultSign => {
            let in_centre = CENTER.contains(&square);
            let up = seen == EMPTY && (king(before).is_some() || in_centre);
            let missing = missing_king(&token.physical).filter(|_| in_centre && seen != EMPTY);
            let on = missing.filter(|&king| agrees(seen, king) || king_of(seen));
            now = if seen == OCCUPIED {
                on.unwrap_or(seen)
            } else {
                seen
            };
            let back = seen != EMPTY && agrees(seen, token.node.board[usize::from(square)]);
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
            let step = if token.regime == Regime::TakeBack {
                Chance::SignStep
            } else {
                Chance::ClearingStep
            };
            if token.regime == Regime::TakeBack && !up && !on {
                return;
            }
            // A piece that belongs on one square only leaves no choice.
            let chance = match (up, on) {
                (true, _) => step,
                (_, true) => Chance::SignStep,
                _ => Chance::AimlessStep,
            };
            let duration = match token.regime {
                _ if !first => Duration::ClearingStep,
                Regime::TakeBack => Duration::ThinkSlow,
                _ => Duration::Think,
            };
            model.density(duration, since) + model.cost(chance)
        }
    };
    token.completed_at = context.now;
    token.set_content(square, now);
    if token.regime == Regime::TakeBack && token.physical == token.node.board {
        // The ply before may be taken back as well.
        if let Some(node) = token.node.parent.clone() {
            let mut further = token.clone();
            further.cost += model.cost(Chance::MissedPly);
            further.node = node;
            out.push(further);
        }
        token.regime = Regime::Play;
    }
    out.push(token);
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
    token: &Token,
    shown: &Squares,
    searches: bool,
    out: &mut Vec<Token>,
) {
    if token.regime != Regime::Paused {
        let mut other = token.clone();
        if matches!(token.regime, Regime::ResultSign | Regime::Clearing) {
            // The clock of a finished game is not started.
            other.cost += context.cost(Chance::WrongPress);
        }
        out.push(other);
        return;
    }
    let mut cost = token.cost;
    let line = std::iter::successors(Some(token.node.clone()), |node| node.parent.clone());
    for (plies, node) in line.take(1 + MAX_UNDONE).enumerate() {
        if matches(shown, &node.board) {
            let mut on = Token::new(node, context.now);
            (on.cost, on.tempo) = (cost, token.tempo);
            out.push(on);
        }
        cost += context.cost(if plies == 0 {
            Chance::ClockStop
        } else {
            Chance::MissedPly
        });
    }
    if searches {
        let mut played = token.clone();
        played.cost += context.cost(Chance::ClockStop);
        line_search::search(context, &played, shown, out);
    }
    let mut lost = token.clone();
    lost.regime = Regime::Lost;
    lost.cost += context.cost(Chance::BecomesLost);
    out.push(lost);
}

/// The board is in order again. Either the game continues from there, or all those steps had no
/// goal.
pub(crate) fn find_again(context: &Context, shown: &Squares, out: &mut Vec<Token>) {
    let Some(lost) = out.last_mut() else { return };
    if lost.regime != Regime::Lost || !matches(shown, &lost.node.board) {
        return;
    }
    let mut found = Token::new(lost.node.clone(), context.now);
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
