//! The results that games got after they were left. The current game of their board names them.

use std::collections::BTreeMap;

use remisd_laws::Ply;
use remisd_topics::{EarlierResult, Game, GameResult, Uncertain};
use remisd_vocabulary::{name::BoardId, seq::AudienceSeq};

/// The results of the earlier games of each board.
#[derive(Debug, Clone)]
pub(super) struct EarlierResults {
    boards: BTreeMap<BoardId, Vec<EarlierResult>>,
}

impl EarlierResults {
    pub(super) const fn new() -> Self {
        Self {
            boards: BTreeMap::new(),
        }
    }

    /// Takes the results that the current game of a board names. Returns the games that have a new
    /// one.
    pub(super) fn take(
        &mut self,
        board: &BoardId,
        results: Vec<EarlierResult>,
    ) -> Vec<AudienceSeq> {
        let known = self.boards.entry(board.clone()).or_default();
        let new = results.iter().filter(|result| !known.contains(result));
        let new = new.map(|result| result.game).collect();
        *known = results;
        new
    }

    /// Gives a game the result that it got after it was left. Returns whether it got one.
    pub(super) fn decide(&self, board: &BoardId, game: &mut Game) -> bool {
        let mut results = self.boards.get(board).into_iter().flatten();
        let Some(later) = results.find(|later| later.game == game.game) else {
            return false;
        };
        give_result(game, &later.result);
        true
    }
}

/// Gives a game a result that it got after it was left.
pub(super) fn give_result(game: &mut Game, later: &GameResult) {
    game.uncertain = end_of(game, later.ply);
    game.result = Some(later.clone());
}

/// The end of a game that ended at this ply: uncertain after the moves that the public has, if it
/// lacks some.
fn end_of(game: &Game, ended: Option<Ply>) -> Option<Uncertain> {
    let moves = Ply::try_from(game.moves.len()).unwrap_or(Ply::MAX);
    if ended.is_none_or(|ended| ended <= moves) {
        return game.uncertain;
    }
    let since = moves.saturating_add(1);
    let known = game.uncertain.and_then(|uncertain| uncertain.since_ply);
    let since_ply = Some(known.map_or(since, |known| known.min(since)));
    Some(Uncertain { since_ply })
}
