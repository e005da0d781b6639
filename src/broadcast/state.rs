//! What is kept over a restart: the public games of the newest rounds, one file for each board.
//!
//! Without it, a restart would forget the finished games before the current one. A board that is
//! slow to come back would leave a gap in the round. The files also hold who has played each game,
//! which decides its `GameId`: an id may leave only once it is on the disk.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
};

use remisd_vocabulary::name::BoardId;
use serde::{Deserialize, Serialize};

use crate::{
    disk::StatePlace,
    round::{Age, RoundGame, Rounds},
    store::FileStore,
    text::RoundText,
};

/// A board's games of a round, as they are kept.
#[derive(Debug, Serialize, Deserialize)]
struct StoredGames<Games = Vec<RoundGame>> {
    round: u32,
    /// The age of the round when the file was written.
    #[serde(default)]
    age: Age,
    board: BoardId,
    games: Games,
}

/// Keeps the games.
#[derive(Debug)]
pub(crate) struct StateKeeper {
    store: FileStore<StoredGames>,
    /// The rounds of the files.
    files: BTreeMap<String, u32>,
    /// The ids that are on the disk.
    durable: BTreeSet<String>,
}

impl StateKeeper {
    pub(crate) fn new(place: StatePlace) -> Self {
        Self {
            store: FileStore::new(place),
            files: BTreeMap::new(),
            durable: BTreeSet::new(),
        }
    }

    /// Puts back what an earlier run has kept, if that was not done yet. Returns whether it was
    /// done now.
    ///
    /// # Errors
    ///
    /// The disk is not there or does not answer: the next call goes on.
    pub(crate) async fn restore(&mut self, rounds: &mut Rounds) -> io::Result<bool> {
        let Some(files) = self.store.read().await? else {
            return Ok(false);
        };
        for (name, stored) in files {
            self.files.insert(name, stored.round);
            rounds.restore(stored.round, stored.age, &stored.board, stored.games);
        }
        rounds.forget_old();
        Ok(true)
    }

    /// Notes that these boards' games of a round are to be kept, and no round that `rounds` has
    /// forgotten.
    pub(crate) fn note(&mut self, rounds: &Rounds, round: u32, boards: &[BoardId]) {
        for place in rounds.places(round) {
            if !boards.contains(place.board) {
                continue;
            }
            let kept = StoredGames {
                round,
                age: rounds.age(round),
                board: place.board.clone(),
                games: place.games,
            };
            // Payload types are structs of plain fields, which always have a JSON form.
            let content = serde_json::to_vec(&kept).ok();
            let name = format!("{round}-{}.json", place.board);
            self.files.insert(name.clone(), round);
            let content = content.filter(|_| !place.games.is_empty());
            self.store.put(name, content);
        }
        let kept: BTreeSet<u32> = rounds.numbers().collect();
        let is_old = |_: &String, round: &mut u32| !kept.contains(round);
        for (name, _) in self.files.extract_if(.., is_old) {
            self.store.put(name, None);
        }
    }

    /// Writes what was noted. With the ids of `texts`, it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The disk does not take it or does not answer: the next call goes on.
    pub(crate) async fn write(
        &mut self,
        texts: impl Iterator<Item = &Arc<RoundText>> + Send,
    ) -> io::Result<()> {
        self.store.write().await?;
        self.durable = texts.flat_map(|text| ids(text)).collect();
        Ok(())
    }

    /// Whether all ids of a round are on the disk.
    pub(crate) fn has_ids_of(&self, text: &RoundText) -> bool {
        ids(text).all(|id| self.durable.contains(&id))
    }
}

fn ids(text: &RoundText) -> impl Iterator<Item = String> {
    let lines = text.games.iter().flat_map(|game| &game.lines);
    lines.map(|line| line.id.clone())
}
