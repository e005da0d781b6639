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
    text::{GameText, RoundText},
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
    /// The ids that are on the disk, by file.
    durable: BTreeMap<String, BTreeSet<String>>,
}

impl StateKeeper {
    pub(crate) fn new(place: StatePlace) -> Self {
        Self {
            store: FileStore::new(place),
            files: BTreeMap::new(),
            durable: BTreeMap::new(),
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
            let id = |game| rounds.id(stored.round, &stored.board, game);
            // They are there, even if the disk takes nothing any more.
            let ids = self.durable.entry(name.clone()).or_default();
            ids.extend(stored.games.iter().map(id));
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
            let name = file_name(round, place.board);
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

    /// Whether all files of an earlier run were read.
    ///
    /// # Errors
    ///
    /// Why one could not be read.
    pub(crate) fn check_read(&self) -> io::Result<()> {
        self.store.check_read()
    }

    /// Whether the files of an earlier run were read, perhaps without some of them.
    pub(crate) const fn is_read(&self) -> bool {
        self.store.is_read()
    }

    /// Writes what was noted. With the ids of `texts`, it is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// The disk does not take all of it or does not answer: the next call goes on.
    pub(crate) async fn write(
        &mut self,
        texts: impl Iterator<Item = &Arc<RoundText>> + Send,
    ) -> io::Result<()> {
        let written = self.store.write().await;
        let mut durable = BTreeMap::new();
        for text in texts {
            for game in &text.games {
                let name = file_name(text.number, &game.board);
                let ids = if self.store.is_written(&name) {
                    game.lines.iter().map(|line| line.id.clone()).collect()
                } else {
                    self.durable.remove(&name).unwrap_or_default()
                };
                durable.insert(name, ids);
            }
        }
        self.durable = durable;
        written
    }

    /// Whether all ids of a board's games in a round are on the disk.
    pub(crate) fn has_ids_of(&self, round: u32, game: &GameText) -> bool {
        let durable = self.durable.get(&file_name(round, &game.board));
        let has = |id| durable.is_some_and(|durable| durable.contains(id));
        game.lines.iter().all(|line| has(&line.id))
    }
}

fn file_name(round: u32, board: &BoardId) -> String {
    format!("{round}-{board}.json")
}
