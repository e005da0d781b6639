//! The rounds that were forgotten: only the newest ones are kept.

use std::collections::BTreeMap;

use remisd_vocabulary::{name::BoardId, seq::AudienceSeq};

use super::{Boards, ages::Ages};

/// The rounds that are kept: the current one, and the one before it while its last games are
/// played.
pub(super) const KEPT: usize = 2;

/// What is known of the rounds that were forgotten.
#[derive(Debug, Clone)]
pub(super) struct Forgotten {
    /// The newest game of each board that was forgotten, with its round.
    newest: BTreeMap<BoardId, (u32, AudienceSeq)>,
}

impl Forgotten {
    pub(super) const fn new() -> Self {
        Self {
            newest: BTreeMap::new(),
        }
    }

    /// Whether a game was forgotten with its round. A newer game of a round with the same number is
    /// one of the next event.
    pub(super) fn has(&self, round: u32, board: &BoardId, game: AudienceSeq) -> bool {
        let is_old = |(of, newest): &(u32, AudienceSeq)| *of == round && game <= *newest;
        self.newest.get(board).is_some_and(is_old)
    }

    /// Forgets all rounds but the newest ones: first those without a game, then those whose last
    /// change is longest ago.
    pub(super) fn forget_old(&mut self, rounds: &mut BTreeMap<u32, Boards>, ages: &Ages) {
        while rounds.len() > KEPT {
            let age = |(round, boards): &(&u32, &Boards)| {
                (!boards.is_empty(), ages.of(**round).changed(), **round)
            };
            let oldest = rounds.iter().min_by_key(age).map(|(round, _)| *round);
            let Some(oldest) = oldest else {
                return;
            };
            let boards = rounds.remove(&oldest).unwrap_or_default();
            for (board, games) in boards {
                if let Some(newest) = games.last() {
                    self.newest.insert(board, (oldest, newest.shown.game));
                }
            }
        }
    }
}
