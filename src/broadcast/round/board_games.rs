//! The games of one board in a round, oldest first: which one is current, which one is stray, and
//! which ones are dropped.

use remisd_laws::Score;
use remisd_topics::Game;

use super::RoundGame;

/// The most unfinished games that are kept for each board of a round, the current one included.
pub(super) const UNFINISHED: usize = 16;

/// The game that is played at a board of a round, or was played last: the newest one. One without a
/// move does not replace an unfinished one before it, unless its tags name other players.
pub(super) fn current(games: &[RoundGame]) -> Option<&RoundGame> {
    let (newest, before) = games.split_last()?;
    let has_begun = |game: &RoundGame| is_finished(&game.shown) || !game.shown.moves.is_empty();
    if has_begun(newest) {
        return Some(newest);
    }
    let begun = before.iter().rposition(has_begun);
    let stays = |at: &usize| {
        let left = &games[*at];
        let mut later = games[at + 1..].iter();
        !is_finished(&left.shown)
            && later.all(|game| game.opponents.may_be(&left.opponents))
            && !is_stray(games, left)
    };
    Some(begun.filter(stays).map_or(newest, |at| &games[at]))
}

/// Whether a game is without names, and after a finished one with names: people try moves when a
/// round is over.
pub(super) fn is_stray(games: &[RoundGame], game: &RoundGame) -> bool {
    let is_earlier = |other: &&RoundGame| other.shown.game < game.shown.game;
    let mut earlier = games.iter().take_while(is_earlier);
    !game.opponents.are_named()
        && earlier.any(|other| is_finished(&other.shown) && other.opponents.are_named())
}

/// Whether the current game is stray and not finished.
pub(super) fn has_stray_end(games: &[RoundGame]) -> bool {
    current(games).is_some_and(|game| !is_finished(&game.shown) && is_stray(games, game))
}

/// Bounds the unfinished games: the oldest ones without a move go first, then the oldest ones. The
/// newest game and the current one stay.
pub(super) fn bound_unfinished(games: &mut Vec<RoundGame>) {
    let is_unfinished = |game: &RoundGame| !is_finished(&game.shown);
    while games.iter().filter(|game| is_unfinished(game)).count() > UNFINISHED {
        let stay = [games.last(), current(games)].map(|game| game.map(|game| game.shown.game));
        let may_go =
            |game: &RoundGame| is_unfinished(game) && !stay.contains(&Some(game.shown.game));
        let is_empty = |game: &RoundGame| may_go(game) && game.shown.moves.is_empty();
        let Some(at) = (games.iter().position(is_empty)).or_else(|| games.iter().position(may_go))
        else {
            return;
        };
        games.remove(at);
    }
}

/// Whether a game has a result.
pub(super) fn is_finished(game: &Game) -> bool {
    let result = game.result.as_ref();
    result.is_some_and(|result| result.score != Score::None)
}
