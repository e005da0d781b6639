//! What is kept over a restart: the public games of the newest rounds, one file for each board.
//!
//! Without it, a restart would forget the finished games before the current one. A board that is
//! slow to come back would leave a gap in the round.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use remisd_vocabulary::name::BoardId;
use serde::{Deserialize, Serialize};

use crate::{
    files::replace,
    round::{RoundGame, Rounds},
};

/// The directory with the state.
#[derive(Debug, Clone)]
pub struct StateDir(pub PathBuf);

/// A file of the state, and what it is to hold.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
    content: Option<Vec<u8>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredGames<Games> {
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

    /// The files that hold these boards' games of a round; `None` if a board has none.
    pub fn files(&self, rounds: &Rounds, round: u32, boards: &[BoardId]) -> Vec<StateFile> {
        let places = rounds.places(round).into_iter();
        let places = places.filter(|place| boards.contains(place.board));
        let files = places.map(|place| {
            let kept = StoredGames {
                round,
                board: place.board.clone(),
                games: place.games,
            };
            // Payload types are structs of plain fields, which always have a JSON form.
            let content = serde_json::to_vec(&kept).ok();
            StateFile {
                path: self.path(round, place.board),
                content: content.filter(|_| !place.games.is_empty()),
            }
        });
        files.collect()
    }

    /// Writes the files, and removes those of rounds before `oldest`.
    ///
    /// # Errors
    ///
    /// The error of the file system.
    pub fn write(&self, files: &[StateFile], oldest: u32) -> io::Result<()> {
        fs::create_dir_all(&self.0)?;
        for StateFile { path, content } in files {
            match content {
                Some(content) => {
                    replace(path, content)?;
                }
                None => match fs::remove_file(path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                },
            }
        }
        for file in fs::read_dir(&self.0)?.filter_map(Result::ok) {
            let name = file.file_name();
            let number = name
                .to_str()
                .and_then(|name| name.split('-').next()?.parse().ok());
            if number.is_some_and(|number: u32| number < oldest) {
                fs::remove_file(file.path())?;
            }
        }
        Ok(())
    }

    fn path(&self, round: u32, board: &BoardId) -> PathBuf {
        self.0.join(format!("{round}-{board}.json"))
    }
}

fn read(path: &Path) -> io::Result<StoredGames<Vec<RoundGame>>> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}
