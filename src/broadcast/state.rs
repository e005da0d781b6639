//! What is kept over a restart: the public games of the newest rounds, one file for each board.
//!
//! Without it, a restart would forget the finished games that stand before the current one, and a
//! board that is slow to come back would leave a gap in the round.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use remisd_topics::Game;
use remisd_vocabulary::name::BoardId;
use serde::{Deserialize, Serialize};

use crate::{files::replace, round::Rounds};

/// The directory with the state.
#[derive(Debug, Clone)]
pub struct StateDir(pub PathBuf);

#[derive(Debug, Serialize, Deserialize)]
struct Kept<Games> {
    round: u32,
    board: BoardId,
    games: Games,
}

impl StateDir {
    /// Puts back what an earlier run has kept. A file that cannot be read is logged and left out.
    pub fn restore(&self, rounds: &mut Rounds) {
        let Ok(files) = fs::read_dir(&self.0) else {
            return;
        };
        for file in files.filter_map(Result::ok) {
            let path = file.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            match read(&path) {
                Ok(kept) => rounds.restore(kept.round, kept.board, kept.games),
                Err(error) => tracing::warn!(path = %path.display(), "not restored: {error}"),
            }
        }
    }

    /// Keeps a board's games of a round, and removes the files of rounds that are no longer kept.
    ///
    /// # Errors
    ///
    /// The error of the file system, with the path.
    pub fn keep(&self, rounds: &Rounds, round: u32, boards: &[BoardId]) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        for place in rounds.places(round) {
            if !boards.contains(place.board) {
                continue;
            }
            let path = self.path(round, place.board);
            if place.games.is_empty() {
                fs::remove_file(&path).or_else(|error| match error.kind() {
                    io::ErrorKind::NotFound => Ok(()),
                    _ => Err(error),
                })?;
                continue;
            }
            let kept = Kept {
                round,
                board: place.board.clone(),
                games: place.games,
            };
            replace(&path, &serde_json::to_vec(&kept)?)?;
        }
        let oldest = rounds.numbers().next().unwrap_or(0);
        for file in fs::read_dir(&self.0)?.filter_map(Result::ok) {
            let name = file.file_name();
            let number = name
                .to_str()
                .and_then(|name| name.split('-').next()?.parse().ok());
            if number.is_some_and(|number: u32| number < oldest) {
                fs::remove_file(file.path()).ok();
            }
        }
        Ok(())
    }

    fn path(&self, round: u32, board: &BoardId) -> PathBuf {
        self.0.join(format!("{round}-{board}.json"))
    }
}

fn read(path: &Path) -> io::Result<Kept<Vec<Game>>> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}
