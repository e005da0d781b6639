//! Ends of games that were missed: the broker, or the connection to it, was away when they came.

use std::collections::BTreeSet;

use remisd_topics::{EntryRef, Game};
use remisd_vocabulary::{name::BoardId, seq::AudienceSeq};

use super::{PublicGame, RoundGame, Rounds};

impl Rounds {
    /// Takes how the games before the current one of a board were left, and returns the rounds that
    /// have changed.
    pub fn take_earlier(&mut self, board: &BoardId, mut earlier: Vec<PublicGame>) -> BTreeSet<u32> {
        if !self.order.contains(board) {
            return BTreeSet::new();
        }
        for left in &mut earlier {
            // What the current game says is newer.
            left.game.earlier_results.clear();
        }
        self.earlier.insert(board.clone(), earlier);
        self.catch_up(board)
    }

    /// Gives the games of a board the ends that were missed. Returns the rounds that have changed.
    pub(super) fn catch_up(&mut self, board: &BoardId) -> BTreeSet<u32> {
        let mut changed = BTreeSet::new();
        for mut left in self.earlier.get(board).cloned().unwrap_or_default() {
            let number = left.game.game;
            if self.has_newer(board, number, &left.entry) {
                continue;
            }
            self.earlier_results.decide(board, &mut left.game);
            if let Some((round, kept)) = self.kept(board, number) {
                if is_news(&kept.shown, &left.game) {
                    tracing::info!(%board, game = %number, "the end of an earlier game was missed and is broadcast now");
                    // On a disk where names are masked, the tags have none.
                    let headers = std::mem::take(&mut kept.shown.headers);
                    (kept.shown, kept.entry) = (left.game, left.entry);
                    kept.shown.headers = headers;
                    changed.insert(round);
                }
            } else if self.is_missed(board, &left.game) {
                tracing::info!(%board, game = %number, "an earlier game was missed and is broadcast now");
                changed.extend(self.put(board, left));
            }
        }
        changed
    }

    /// Whether a newer state of a game is kept.
    pub(super) fn has_newer(
        &mut self,
        board: &BoardId,
        game: AudienceSeq,
        entry: &EntryRef,
    ) -> bool {
        let kept = self.kept(board, game);
        kept.is_some_and(|(_, kept)| entry.is_older_than(&kept.entry))
    }

    /// A game that is kept, and its round.
    pub(super) fn kept(
        &mut self,
        board: &BoardId,
        game: AudienceSeq,
    ) -> Option<(u32, &mut RoundGame)> {
        self.games.iter_mut().find_map(|(round, boards)| {
            let mut games = boards.get_mut(board)?.iter_mut();
            let kept = games.find(|kept| kept.shown.game == game)?;
            Some((*round, kept))
        })
    }

    /// Whether a game that is not kept belongs to the rounds that are: the topic also has games of
    /// rounds that are forgotten.
    fn is_missed(&self, board: &BoardId, game: &Game) -> bool {
        let known = || {
            let games = self.games.values().filter_map(|boards| boards.get(board));
            games.flatten().map(|kept| kept.shown.game)
        };
        let round = self.round_of(board, game);
        known().any(|other| other < game.game)
            && (self.games.contains_key(&round) || known().all(|other| other < game.game))
    }
}

/// Whether an earlier game was left otherwise than it is kept. A result that is kept may have come
/// after that.
fn is_news(kept: &Game, left: &Game) -> bool {
    let is_undone = left.result.is_none() && kept.result.is_some();
    !is_undone && (kept.moves != left.moves || kept.result != left.result)
}

#[cfg(test)]
mod tests;
