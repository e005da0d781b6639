//! Ends and tags of games that were missed: the broker, or the connection to it, was away when they
//! came.
//!
//! How a game was left is newer than what is kept of it, with two exceptions. A result may have come
//! after the game was left. And where the journal masks names, the tags lack them.

use std::collections::BTreeSet;

use remisd_topics::{EntryRef, Game, GameResult};
use remisd_vocabulary::{name::BoardId, seq::AudienceSeq};

use super::{
    PublicGame, RoundGame, Rounds, earlier_results::give_result, forgotten::KEPT, round_number,
};
use crate::person::Person;

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

    /// Gives the games of a board the ends and tags that were missed. Returns the rounds that have changed.
    pub(super) fn catch_up(&mut self, board: &BoardId) -> BTreeSet<u32> {
        let mut changed = BTreeSet::new();
        for mut left in self.earlier.get(board).cloned().unwrap_or_default() {
            let number = left.game.game;
            if self.has_newer(board, number, &left.entry) {
                continue;
            }
            let mut is_decided_later = self.earlier_results.decide(board, &mut left.game);
            if let Some((round, kept)) = self.kept(board, number) {
                // After a restart, only the kept game may have the result that came later.
                if !is_decided_later && let Some(later) = kept.later_result(&left.game) {
                    give_result(&mut left.game, later);
                    is_decided_later = true;
                }
                // On a disk where names are masked, the tags have none.
                if names_nobody(&left.game) {
                    left.game.headers.clone_from(&kept.shown.headers);
                }
                if kept.shown == left.game {
                    continue;
                }
                tracing::info!(%board, game = %number, "what was kept of an earlier game is out of date, and the game is broadcast as it was left");
                if kept.shown.headers == left.game.headers {
                    (kept.shown, kept.entry) = (left.game, left.entry);
                    changed.insert(round);
                } else {
                    // The tags may name other people, or another round.
                    let round = self.round_by_tags(board, &left.game, round);
                    changed.extend(self.put_in(round, board, left));
                }
            } else if self.is_missed(board, &left.game) {
                tracing::info!(%board, game = %number, "an earlier game was missed and is broadcast now");
                changed.extend(self.put(board, left));
            }
            if let Some((_, kept)) = self.kept(board, number) {
                kept.is_decided_later = Some(is_decided_later);
            }
        }
        changed
    }

    /// The round that the tags of an earlier game name. It stays in its own `round` if that one is not
    /// kept: the game would be forgotten with it, or another round for it.
    fn round_by_tags(&self, board: &BoardId, game: &Game, round: u32) -> u32 {
        let Some(tagged) = round_number(game) else {
            return round;
        };
        let has_room = || {
            let is_forgotten = self.forgotten.has(tagged, board, game.game);
            !self.is_starting && self.games.len() < KEPT && !is_forgotten
        };
        if self.games.contains_key(&tagged) || has_room() {
            return tagged;
        }
        tracing::warn!(%board, game = %game.game, round, tagged, "the tags of an earlier game name a round that is not kept, so it stays in its round");
        round
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

impl RoundGame {
    /// The result that it got after it was left in this state.
    fn later_result(&self, left: &Game) -> Option<&GameResult> {
        // Of an earlier version, a result counts as later if the game was left without one.
        let is_later = self.is_decided_later.unwrap_or(left.result.is_none());
        self.shown.result.as_ref().filter(|_| is_later)
    }
}

/// Whether the tags of a game name no player.
fn names_nobody(game: &Game) -> bool {
    let mut sides = ["White", "Black"].into_iter();
    sides.all(|side| Person::of(&game.headers, side).is_unknown())
}

#[cfg(test)]
mod tests;
