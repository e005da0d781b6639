//! What is done with the pieces when no game is played: signs, clearing, and what nobody knows.
//!
//! A sign and clearing are gestures with a goal: a step towards it costs little, any other much.

use std::sync::LazyLock;

use shakmaty::{Color, Role};

use super::{
    explain::Scene,
    gap,
    model::{Clock, Odds},
    token::{Gesture, HANDS, Items, Regime, Token},
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
pub(crate) fn takes_back(scene: &Scene, token: &Token, out: &mut Vec<Token>) {
    if let Some(node) = &token.node.parent {
        let mut back = Token::new(node.clone(), token.done);
        back.cost = token.cost + token.silence(scene.now, scene.model);
        back.cost += scene.odds(Odds::TakesBack);
        (back.regime, back.phys, back.tempo) = (Regime::Back, token.phys, token.tempo);
        out.push(back);
    }
}

/// From now on the pieces may be used for something else.
pub(crate) fn leaves_play(scene: &Scene, token: &Token, out: &mut Vec<Token>) {
    for (regime, odds) in [
        (Regime::Sign, Some(Odds::Over)),
        (Regime::Clear, Some(Odds::Over)),
        (Regime::Lost, Some(Odds::Loses)),
        (Regime::Paused, None),
    ] {
        if regime == Regime::Paused && !scene.stands {
            continue;
        }
        let mut other = token.clone();
        if !token.is_quiet() || matches!(regime, Regime::Lost | Regime::Paused) {
            other.cost += token.silence(scene.now, scene.model);
        }
        other.cost += odds.map_or(0, |odds| scene.odds(odds));
        other.regime = regime;
        other.hands = [Gesture::IDLE; HANDS];
        other.items = Items::NONE;
        other.awaited = [None; 2];
        other.pressed = [false; 2];
        out.push(other);
    }
}

/// What a token that plays no game makes of an event: a square, and what is seen there now.
/// The first step comes after a thought.
pub(crate) fn explain(
    scene: &Scene,
    token: &Token,
    first: bool,
    (square, seen): (u8, Content),
    out: &mut Vec<Token>,
) {
    let mut token = token.clone();
    let model = scene.model;
    let since = scene.now.saturating_sub(token.done);
    let before = token.holds(square);
    let home = if matches!(token.regime, Regime::Back | Regime::Lost) {
        token.node.board[usize::from(square)]
    } else {
        start()[usize::from(square)]
    };
    let mut now = seen;
    token.cost += match token.regime {
        // What went astray is put right: a piece is taken up from where it is wrong, or put home.
        Regime::Lost if agrees(seen, home) && !agrees(before, home) => {
            let odds = if seen == EMPTY {
                Odds::ClearStep
            } else {
                Odds::SignStep
            };
            model.ends(Clock::Step, since) + model.odds(odds)
        }
        Regime::Play | Regime::Lost => model.odds(Odds::Anything),
        Regime::Paused => model.ends(Clock::Step, since) + model.odds(Odds::ClearStep),
        Regime::Sign => {
            let in_centre = CENTER.contains(&square);
            let up = seen == EMPTY && (king(before).is_some() || in_centre);
            let missing = missing_king(&token.phys).filter(|_| in_centre && seen != EMPTY);
            let on = missing.filter(|&king| agrees(seen, king) || king_of(seen));
            now = if seen == OCCUPIED {
                on.unwrap_or(seen)
            } else {
                seen
            };
            let back = seen != EMPTY && agrees(seen, token.node.board[usize::from(square)]);
            let odds = if up || on.is_some() || back {
                Odds::SignStep
            } else {
                Odds::OtherStep
            };
            let clock = if first { Clock::Think } else { Clock::Sign };
            model.ends(clock, since) + model.odds(odds)
        }
        Regime::Clear | Regime::Back => {
            let up = seen == EMPTY && before != home;
            let on = seen != EMPTY && agrees(seen, home);
            now = if on { home } else { seen };
            let step = if token.regime == Regime::Back {
                Odds::SignStep
            } else {
                Odds::ClearStep
            };
            if token.regime == Regime::Back && !up && !on {
                return;
            }
            // Where a piece belongs that is in the hand is no choice.
            let odds = match (up, on) {
                (true, _) => step,
                (_, true) => Odds::SignStep,
                _ => Odds::OtherStep,
            };
            let clock = match token.regime {
                _ if !first => Clock::Step,
                Regime::Back => Clock::ThinkSlow,
                _ => Clock::Think,
            };
            model.ends(clock, since) + model.odds(odds)
        }
    };
    token.done = scene.now;
    token.put(square, now);
    if token.regime == Regime::Back && token.phys == token.node.board {
        // The ply before may follow it.
        if let Some(node) = token.node.parent.clone() {
            let mut further = token.clone();
            further.cost += model.odds(Odds::GapPly);
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
fn missing_king(phys: &Squares) -> Option<Content> {
    let kings = Color::ALL.map(|color| content(Role::King.of(color)));
    kings.into_iter().find(|king| !phys.contains(king))
}

/// The clock runs again: the game goes on from where it was, from where it was taken back to, or
/// from what was played meanwhile, or it is lost.
pub(crate) fn goes_on(scene: &Scene, token: &Token, shown: &Squares, out: &mut Vec<Token>) {
    if token.regime != Regime::Paused {
        out.push(token.clone());
        return;
    }
    let mut cost = token.cost;
    let line = std::iter::successors(Some(token.node.clone()), |node| node.parent.clone());
    for (plies, node) in line.take(1 + MOST_UNDONE).enumerate() {
        if shows(shown, &node.board) {
            let mut on = Token::new(node, scene.now);
            (on.cost, on.tempo) = (cost, token.tempo);
            out.push(on);
        }
        cost += scene.odds(if plies == 0 {
            Odds::Stops
        } else {
            Odds::GapPly
        });
    }
    let mut played = token.clone();
    played.cost += scene.odds(Odds::Stops);
    gap::lines(scene, &played, shown, out);
    let mut lost = token.clone();
    lost.regime = Regime::Lost;
    lost.cost += scene.odds(Odds::Loses);
    out.push(lost);
}

/// What went astray is put right: the game continues from the position that the board shows again,
/// or all these steps had no goal.
pub(crate) fn finds(scene: &Scene, shown: &Squares, out: &mut Vec<Token>) {
    let Some(lost) = out.last_mut() else { return };
    if lost.regime != Regime::Lost || !shows(shown, &lost.node.board) {
        return;
    }
    let mut found = Token::new(lost.node.clone(), scene.now);
    (found.cost, found.tempo) = (lost.cost, lost.tempo);
    lost.cost += scene.odds(Odds::OtherStep);
    out.push(found);
}

/// Whether every square that is shown may be as on a board.
pub(crate) fn shows(shown: &Squares, board: &Squares) -> bool {
    shown
        .iter()
        .zip(board)
        .all(|(&seen, &content)| agrees(seen, content))
}

/// A result that the kings show: the winner, or nobody.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown(pub(crate) Option<Color>);

/// The result that the kings show, if they show one.
pub(crate) fn kings_show(shown: &Squares) -> Option<Shown> {
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
    Some(Shown(match (light(white), light(black)) {
        (true, true) => Some(Color::White),
        (false, false) => Some(Color::Black),
        _ => None,
    }))
}
