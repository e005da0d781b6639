//! What is done with the pieces when no game is played: signs, clearing, and what nobody knows.
//!
//! A sign and clearing are gestures with a goal: a step towards it costs little, any other much.

use std::sync::Arc;

use shakmaty::{Color, Role};

use super::{
    explain::Scene,
    model::{Clock, Odds},
    token::{Gesture, HANDS, Items, Regime, Token},
    tree::{Content, EMPTY, Node, OCCUPIED, Squares, agrees, content, piece},
};

/// The squares in the centre on which kings show a result.
const CENTER: [u8; 4] = [27, 28, 35, 36];
/// Plies that are taken back at once.
const MOST_BACK: usize = 8;

/// The array at the start of a game.
pub(crate) fn start() -> Squares {
    let mut start = [EMPTY; 64];
    for (square, piece) in shakmaty::Board::new() {
        start[square as usize] = content(piece);
    }
    start
}

/// From now on the pieces may be used for something else.
pub(crate) fn leaves_play(scene: &Scene, token: &Token, out: &mut Vec<Token>) {
    for (regime, odds) in [
        (Regime::Sign, Some(Odds::Over)),
        (Regime::Clear, Some(Odds::Over)),
        (Regime::Back, Some(Odds::TakesBack)),
        (Regime::Lost, Some(Odds::Loses)),
        (Regime::Paused, None),
    ] {
        let may = match regime {
            Regime::Paused => scene.stands,
            Regime::Back => token.node.parent.is_some(),
            _ => true,
        };
        if !may {
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
    let home = start()[usize::from(square)];
    let mut now = seen;
    token.cost += match token.regime {
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
            let odds = if up || on.is_some() {
                Odds::SignStep
            } else {
                Odds::OtherStep
            };
            let clock = if first { Clock::Think } else { Clock::Sign };
            model.ends(clock, since) + model.odds(odds)
        }
        Regime::Clear => {
            let up = seen == EMPTY && before != home;
            let on = seen != EMPTY && agrees(seen, home);
            now = if on { home } else { seen };
            let odds = if up || on {
                Odds::ClearStep
            } else {
                Odds::OtherStep
            };
            let clock = if first { Clock::Think } else { Clock::Step };
            model.ends(clock, since) + model.odds(odds)
        }
        Regime::Back => {
            let was = before_it(&token.node).map(|node| node.board[usize::from(square)]);
            let mut others = was.filter(|&was| was != before);
            let up = seen == EMPTY && others.next().is_some();
            let back = others.find(|&was| was != EMPTY && agrees(seen, was));
            now = back.unwrap_or(seen);
            let odds = if up || back.is_some() {
                Odds::SignStep
            } else {
                Odds::OtherStep
            };
            let clock = if first { Clock::Think } else { Clock::Away };
            model.ends(clock, since) + model.odds(odds)
        }
    };
    token.done = scene.now;
    token.put(square, now);
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

/// The last positions of the game before one.
fn before_it(node: &Arc<Node>) -> impl Iterator<Item = &Arc<Node>> {
    std::iter::successors(node.parent.as_ref(), |node| node.parent.as_ref()).take(MOST_BACK)
}

/// Whether a position of the game stands again.
pub(crate) fn stands_back(token: &Token) -> bool {
    std::iter::once(&token.node)
        .chain(before_it(&token.node))
        .any(|node| node.board == token.phys)
}

/// The game goes on from where it was lost, since the board shows it again; or from an earlier
/// position that was taken back to.
pub(crate) fn finds(scene: &Scene, token: &Token, shown: &Squares, out: &mut Vec<Token>) {
    let most = match token.regime {
        Regime::Lost => 0,
        Regime::Back => MOST_BACK,
        Regime::Play | Regime::Sign | Regime::Clear | Regime::Paused => return,
    };
    let nodes = std::iter::once(&token.node).chain(before_it(&token.node).take(most));
    for node in nodes.filter(|node| shows(shown, &node.board)) {
        let mut found = Token::new(node.clone(), scene.now);
        found.cost = token.cost + scene.odds(Odds::Finds);
        found.tempo = token.tempo;
        out.push(found);
    }
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
