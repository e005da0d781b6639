//! The delay in plies: the last plies of a running game are not for the public.
//!
//! Each ply's views wait until the game is the configured number of plies further, or has its
//! confirmed result. The delay in time comes on top: a view keeps the due time of the moment at which
//! it became so. An entry that changes nothing for the public leaves no trace in these times, because
//! operators see them, and the public sees when a view comes out.

use std::{
    collections::VecDeque,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use shakmaty::{Bitboard, Chess, Position as _, Rank};

use super::{delay_board::Step, topics::EntryTime};
use crate::publish::{topic::Leaf, views::View};
use remisd_game::Game;
use remisd_laws::Ply;
use remisd_vocabulary::{seq::EntrySeq, time::Moment};

/// What the public may see of a moment.
#[derive(Debug, Clone)]
pub(super) struct PublicViews {
    /// The moment, for the envelope.
    pub(super) moment: EntryTime,
    /// When the delay in time has passed.
    pub(super) due: Moment,
    /// The game and the ply that they show.
    pub(super) step: Step,
    /// The leaves that the public gets after the delay.
    pub(super) leaves: [(Leaf, Option<View>); 4],
}

impl PublicViews {
    /// Takes newer views of the same ply. If they show the same, they keep their moment.
    fn update(&mut self, newer: Self) {
        if self.leaves != newer.leaves {
            *self = newer;
        }
    }
}

/// The views that wait for further plies.
#[derive(Debug)]
pub(super) struct PlyDelay {
    plies: Ply,
    game: EntrySeq,
    /// Whether the last views had a confirmed result, which nothing holds.
    had_result: bool,
    /// The last views of each ply, with a hash of the moves that led there; the first ones are
    /// those that the public sees.
    kept: VecDeque<(Ply, u64, PublicViews)>,
}

impl PlyDelay {
    pub(super) const fn new(plies: Ply) -> Self {
        Self {
            plies,
            game: EntrySeq::ZERO,
            had_result: false,
            kept: VecDeque::new(),
        }
    }

    /// Takes the views of now, and returns those that no longer wait for plies. The last ones of a
    /// game that is left come before those of the game on the board.
    pub(super) fn pass(&mut self, game: &Game, now: PublicViews) -> Vec<PublicViews> {
        if self.plies == 0 {
            return vec![now];
        }
        let mut passed = Vec::new();
        if self.game != game.number() {
            self.game = game.number();
            let last = self.kept.drain(..).next_back();
            let was_shown = std::mem::take(&mut self.had_result);
            // A game that begins in the middle may be the one that is left, entered anew.
            let is_left = !was_shown && is_array(game.start());
            passed.extend(last.filter(|_| is_left).map(|(_, _, views)| views));
        }
        passed.extend(self.pass_of_game(game, now));
        passed
    }

    fn pass_of_game(&mut self, game: &Game, now: PublicViews) -> Option<PublicViews> {
        let has_result = game.result().is_some_and(|result| result.confirmed);
        let is_withdrawn = std::mem::replace(&mut self.had_result, has_result) && !has_result;
        let lines = lines(game);
        let before = self.kept.len();
        self.kept
            .retain(|(ply, line, _)| lines.get(*ply as usize) == Some(line));
        if self.kept.len() < before || is_withdrawn {
            // The record was corrected or a result withdrawn: what is shown next is news of this
            // moment.
            for (_, _, views) in &mut self.kept {
                (views.moment, views.due) = (now.moment.clone(), now.due);
            }
        }
        // Nothing with a result is kept: it may be withdrawn.
        if has_result {
            return Some(now);
        }
        let ply = game.ply();
        // Later plies were taken back, so this one is the last.
        match self.kept.back_mut() {
            Some((kept, _, views)) if *kept == ply => views.update(now),
            _ => self.kept.push_back((ply, *lines.last()?, now)),
        }
        let newest = match ply.checked_sub(self.plies) {
            Some(newest) => newest,
            None if is_array(game.start()) => 0,
            // The position may be that on the board: a setup in the middle of a game, or a game that
            // was entered late.
            None => return None,
        };
        while self.kept.get(1).is_some_and(|(ply, _, _)| *ply <= newest) {
            self.kept.pop_front();
        }
        let shown = self.kept.front().filter(|(ply, _, _)| *ply <= newest);
        shown.map(|(_, _, views)| views.clone())
    }
}

/// Whether no man has left the ranks on which games begin, also those of Chess960.
fn is_array(position: &Chess) -> bool {
    let board = position.board();
    let pawns = Bitboard::from(Rank::Second) | Rank::Seventh;
    board.pawns() == pawns && board.occupied() == pawns | Rank::First | Rank::Eighth
}

/// A hash of the start and the moves up to each ply, from ply 0.
fn lines(game: &Game) -> Vec<u64> {
    let mut hasher = DefaultHasher::new();
    game.start().hash(&mut hasher);
    let mut lines = vec![hasher.finish()];
    for made in game.moves() {
        made.text.uci.hash(&mut hasher);
        lines.push(hasher.finish());
    }
    lines
}
