//! What is done with the pieces when no game is played: signs, clearing, and what nobody knows.
//!
//! A sign and clearing are gestures with a goal: a step towards it costs little, any other much.

use std::sync::LazyLock;

use shakmaty::{Color, Role};

use super::{
    interpret::Context,
    line_search,
    model::{Chance, Duration},
    token::{Gesture, Items, MAX_GESTURES, Regime, Token},
    tree::{Content, EMPTY, OCCUPIED, Squares, agrees, content, piece},
};

/// The squares in the centre on which kings show a result.
const CENTER: [u8; 4] = [27, 28, 35, 36];

/// The array at the start of a game.
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

/// Plies that are taken back at most while the clock stands.
const MOST_UNDONE: usize = 8;

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

/// From now on the pieces may be used for something else.
pub(crate) fn leave_play(context: &Context, token: &Token, out: &mut Vec<Token>) {
    for (regime, odds) in [
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
        other.cost += odds.map_or(0, |odds| context.cost(odds));
        other.regime = regime;
        other.gestures = [Gesture::IDLE; MAX_GESTURES];
        other.items = Items::NONE;
        other.awaited_press = [None; 2];
        other.early_press = [false; 2];
        out.push(other);
    }
}

/// What a token that plays no game makes of an event: a square, and what is seen there now.
/// The first step comes after a thought.
pub(crate) fn interpret(
    context: &Context,
    token: &Token,
    first: bool,
    (square, seen): (u8, Content),
    out: &mut Vec<Token>,
) {
    let mut token = token.clone();
    let model = context.model;
    let since = context.now.saturating_sub(token.completed_at);
    let before = token.content_at(square);
    let home = if matches!(token.regime, Regime::TakeBack | Regime::Lost) {
        token.node.board[usize::from(square)]
    } else {
        start()[usize::from(square)]
    };
    let mut now = seen;
    token.cost += match token.regime {
        // What went astray is put right: a piece is taken up from where it is wrong, or put home.
        Regime::Lost if agrees(seen, home) && !agrees(before, home) => {
            let odds = if seen == EMPTY {
                Chance::ClearingStep
            } else {
                Chance::SignStep
            };
            model.density(Duration::ClearingStep, since) + model.cost(odds)
        }
        Regime::Play | Regime::Lost => model.cost(Chance::LostEventRate),
        Regime::Paused => {
            model.density(Duration::ClearingStep, since) + model.cost(Chance::ClearingStep)
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
            let odds = if up || on.is_some() || back {
                Chance::SignStep
            } else {
                Chance::AimlessStep
            };
            let clock = if first {
                Duration::Think
            } else {
                Duration::SignStep
            };
            model.density(clock, since) + model.cost(odds)
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
            // Where a piece belongs that is in the hand is no choice.
            let odds = match (up, on) {
                (true, _) => step,
                (_, true) => Chance::SignStep,
                _ => Chance::AimlessStep,
            };
            let clock = match token.regime {
                _ if !first => Duration::ClearingStep,
                Regime::TakeBack => Duration::ThinkSlow,
                _ => Duration::Think,
            };
            model.density(clock, since) + model.cost(odds)
        }
    };
    token.completed_at = context.now;
    token.set_content(square, now);
    if token.regime == Regime::TakeBack && token.physical == token.node.board {
        // The ply before may follow it.
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

/// A king that is in a hand.
fn missing_king(physical: &Squares) -> Option<Content> {
    let kings = Color::ALL.map(|color| content(Role::King.of(color)));
    kings.into_iter().find(|king| !physical.contains(king))
}

/// The clock runs again: the game goes on from where it was, from where it was taken back to, or
/// from what was played meanwhile, or it is lost.
pub(crate) fn resume(context: &Context, token: &Token, shown: &Squares, out: &mut Vec<Token>) {
    if token.regime != Regime::Paused {
        out.push(token.clone());
        return;
    }
    let mut cost = token.cost;
    let line = std::iter::successors(Some(token.node.clone()), |node| node.parent.clone());
    for (plies, node) in line.take(1 + MOST_UNDONE).enumerate() {
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
    let mut played = token.clone();
    played.cost += context.cost(Chance::ClockStop);
    line_search::search(context, &played, shown, out);
    let mut lost = token.clone();
    lost.regime = Regime::Lost;
    lost.cost += context.cost(Chance::BecomesLost);
    out.push(lost);
}

/// What went astray is put right: the game continues from the position that the board shows again,
/// or all these steps had no goal.
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

/// Whether every square that is shown may be as on a board.
pub(crate) fn matches(shown: &Squares, board: &Squares) -> bool {
    shown
        .iter()
        .zip(board)
        .all(|(&seen, &content)| agrees(seen, content))
}

/// A result that the kings show: the winner, or nobody.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KingSign(pub(crate) Option<Color>);

/// The result that the kings show, if they show one.
pub(crate) fn king_sign(shown: &Squares) -> Option<KingSign> {
    let at = |color: Color| {
        let king = content(Role::King.of(color));
        let mut squares = (0..64_u8).filter(|&square| shown[usize::from(square)] == king);
        squares
            .next()
            .filter(|square| CENTER.contains(square) && squares.next().is_none())
    };
    // d4 and e5 are dark.
    let light = |square: u8| square == 28 || square == 35;
    let [white, black] = [at(Color::White)?, at(Color::Black)?];
    Some(KingSign(match (light(white), light(black)) {
        (true, true) => Some(Color::White),
        (false, false) => Some(Color::Black),
        _ => None,
    }))
}
