//! A folder of PGN files for each round, as users of `LiveChess` and of the Lichess Broadcaster
//! know them.
//!
//! ```text
//! <folder>/round-3/game-1.pgn
//!                  game-2.pgn      the number of the board
//!                  games.pgn       all of them
//! ```

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use remisd_vocabulary::time::Clock;
use tokio::{sync::watch, task::spawn_blocking, time::timeout};

use crate::{
    ExitReport,
    disk::RETRY,
    files::replace,
    http::Published,
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
    pub fn of(self, texts: &Texts) -> &Arc<str> {
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

    /// Writes what changes until the sender of `texts` is gone. What cannot be written is tried
    /// again, and holds back no other exit.
    pub(crate) async fn run(
        self,
        mut texts: watch::Receiver<Published>,
        report: watch::Sender<ExitReport>,
        clock: Arc<dyn Clock>,
    ) {
        let mut written = BTreeMap::new();
        let mut logged = None;
        loop {
            let published = texts.borrow_and_update().clone();
            let mut failed = None;
            if *published != written {
                failed = self.write_changed(&published, &mut written).await;
                if let Some(error) = failed.as_ref().filter(|_| logged != failed) {
                    tracing::error!("a PGN file cannot be written: {error}");
                }
                logged.clone_from(&failed);
                ExitReport::note(&report, &*clock, failed.clone());
            }
            let changed = texts.changed();
            let gone = match failed {
                None => changed.await.is_err(),
                Some(_) => timeout(RETRY, changed)
                    .await
                    .is_ok_and(|done| done.is_err()),
            };
            if gone {
                return;
            }
        }
    }

    /// Writes the rounds that differ from those in `written`. Returns why one is not there.
    async fn write_changed(
        &self,
        published: &Published,
        written: &mut BTreeMap<u32, Arc<RoundText>>,
    ) -> Option<String> {
        written.retain(|number, _| published.contains_key(number));
        let mut failed = None;
        for round in published.values() {
            if written.get(&round.number) == Some(round) {
                continue;
            }
            let (folder, text) = (self.clone(), Arc::clone(round));
            let done = spawn_blocking(move || folder.write(&text)).await;
            match done.map_err(io::Error::other).and_then(|done| done) {
                Ok(_) => _ = written.insert(round.number, Arc::clone(round)),
                Err(error) => failed = Some(error.to_string()),
            }
        }
        failed
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
