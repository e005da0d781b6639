//! A folder of PGN files for each round, as users of `LiveChess` and of the Lichess Broadcaster
//! know them.
//!
//! ```text
//! <folder>/round-3/game-1.pgn
//!                  game-2.pgn      the number of the board
//!                  games.pgn       all of them
//! ```

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    files::replace,
    text::{RoundText, Texts},
};

/// Which dialect is written or sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DialectChoice {
    /// Everything that the public may know.
    Archive,
    /// What receivers take.
    #[default]
    Feed,
}

impl DialectChoice {
    /// The text in this dialect.
    #[must_use]
    pub fn of(self, texts: &Texts) -> &std::sync::Arc<str> {
        match self {
            Self::Archive => &texts.archive,
            Self::Feed => &texts.feed,
        }
    }
}

/// A folder of PGN files.
#[derive(Debug, Clone)]
pub struct Folder {
    /// Its path.
    pub path: PathBuf,
    /// The dialect of its files.
    pub dialect: DialectChoice,
}

impl Folder {
    /// Writes the files of a round that have changed, and returns how many.
    ///
    /// The file of a board without a game is written once, so that the order of the boards stays; a
    /// game that is there already stays there.
    ///
    /// # Errors
    ///
    /// The error of the file system, with the path.
    pub fn write(&self, round: &RoundText) -> io::Result<usize> {
        let folder = self.round(round.number);
        fs::create_dir_all(&folder).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        })?;
        let mut written = 0;
        for game in &round.games {
            let path = folder.join(file_name(game.number));
            if game.count > 0 || !path.exists() {
                let text = self.dialect.of(&game.texts);
                written += usize::from(replace(&path, text.as_bytes())?);
            }
        }
        let all = round.joined(|texts| self.dialect.of(texts));
        written += usize::from(replace(&folder.join("games.pgn"), all.as_bytes())?);
        Ok(written)
    }

    fn round(&self, number: u32) -> PathBuf {
        Path::new(&self.path).join(format!("round-{number}"))
    }
}

/// The name of a board's file. Programs take the last number in it for the board.
#[must_use]
pub fn file_name(board: u32) -> String {
    format!("game-{board}.pgn")
}
