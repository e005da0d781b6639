//! The games of a journal that have a round.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    later::{Gathered, gather, results_in},
    outline::Outline,
    played::{Played, played},
    selection::{Selection, in_order, report},
};
use crate::cli::Outcome;
use remisd_game::{Game, began};
use remisd_vocabulary::name::BoardId;

/// A game of the record.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// The board.
    pub board: BoardId,
    /// The game.
    pub game: Game,
    /// When it began.
    pub began: Option<Timestamp>,
    /// Whether entries are missing, or do not lead to what is written in them.
    pub is_doubted: bool,
}

/// The games of a journal.
#[derive(Debug)]
pub struct RecordedGames {
    /// The games, of each board in order.
    pub games: Vec<Recorded>,
    /// The boards that cannot be read to the end: games of theirs are missing.
    pub unread: Vec<BoardId>,
    /// Whether the boards that can be read are free of doubts.
    pub outcome: Outcome,
}

impl Selection {
    /// The games that `is_wanted` by their tags and their start. What cannot be read is reported.
    ///
    /// # Errors
    ///
    /// A board's record cannot be listed.
    pub fn recorded(
        &self,
        is_wanted: impl Fn(&BTreeMap<String, String>, Option<Timestamp>) -> bool + Sync,
    ) -> anyhow::Result<RecordedGames> {
        let mut found = RecordedGames {
            games: Vec::new(),
            unread: Vec::new(),
            outcome: Outcome::Fine,
        };
        self.each_board(&mut Vec::new(), |board, _| {
            let read = self.read_board(board, &is_wanted, &mut found);
            match &read {
                Ok(outcome) => found.outcome = found.outcome.or(*outcome),
                Err(_) => found.unread.push(board.clone()),
            }
            read
        })?;
        Ok(found)
    }

    /// Adds a board's games.
    fn read_board(
        &self,
        board: &BoardId,
        is_wanted: &(impl Fn(&BTreeMap<String, String>, Option<Timestamp>) -> bool + Sync),
        found: &mut RecordedGames,
    ) -> anyhow::Result<Outcome> {
        let mut outcome = self.is_cut_off(board)?;
        let segments = self.segments(board)?;
        let read = in_order(&segments, |segment| {
            let read = segment.read()?;
            let decided = results_in(&read);
            let Some(outline) = Outline::of(&read) else {
                return Ok((None, decided));
            };
            let began = began(read.entries.iter().map(|entry| &entry.body[..]));
            if !is_wanted(&outline.tags, began) {
                return Ok((None, decided));
            }
            let Played { game, doubts } = played(&read);
            Ok((game.map(|game| (game, began, doubts)), decided))
        });
        let Gathered { read, later, error } = gather(read);
        for (mut game, began, doubts) in read.into_iter().flatten() {
            later.decide(&mut game);
            outcome = outcome.or(report(board, &doubts));
            found.games.push(Recorded {
                board: board.clone(),
                game,
                began,
                is_doubted: !doubts.is_empty(),
            });
        }
        match error {
            Some(error) => Err(error.into()),
            None => Ok(outcome),
        }
    }
}
