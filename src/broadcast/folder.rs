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
    time::Duration,
};

use remisd_vocabulary::{name::BoardId, time::Clock};
use tokio::{sync::watch, task::spawn_blocking, time::timeout};

use crate::{
    ExitCause, ExitError, ExitReport,
    disk::RETRY,
    files::{read_text, remove, replace},
    http::Published,
    text::{RoundText, Texts},
};

/// How long the files of a round may take before the folder counts as not answering.
const PATIENCE: Duration = Duration::from_secs(10);

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
    /// Writes the files of a round that have changed, removes those of boards that have another
    /// number now, and returns how many.
    ///
    /// The file of a board without a game is written once, so that the order of the boards stays. A
    /// game of this board, round and event that is there already stays there, also in `games.pgn`,
    /// unless the round has it in another file now.
    ///
    /// A file that fails holds back no other.
    ///
    /// # Errors
    ///
    /// The first error of the file system, with the path.
    pub fn write(&self, round: &RoundText) -> io::Result<usize> {
        let folder = self.round(round.number);
        fs::create_dir_all(&folder).map_err(|error| {
            io::Error::new(error.kind(), format!("{}: {error}", folder.display()))
        })?;
        let mut written = 0;
        let mut failed = Ok(());
        let mut note = |done: io::Result<bool>| match done {
            Ok(is_written) => written += usize::from(is_written),
            Err(error) if failed.is_ok() => failed = Err(error),
            Err(_) => {}
        };
        let mut all = String::new();
        for game in &round.games {
            let path = folder.join(file_name(game.number));
            let text = self.dialect.of(&game.texts);
            let there = match game.count {
                0 => read_text(&path),
                _ => Ok(None),
            };
            let is_kept = |there: &String| {
                !is_elsewhere(there, round) && is_of_the_board(there, round, &game.board, text)
            };
            match there.map(|there| there.filter(is_kept)) {
                Ok(Some(there)) => all.push_str(&there),
                Ok(None) => {
                    note(replace(&path, text.as_bytes()));
                    all.push_str(text);
                }
                // It may hold a game, so it stays.
                Err(error) => {
                    note(Err(error));
                    all.push_str(text);
                }
            }
        }
        note(replace(&folder.join("games.pgn"), all.as_bytes()));
        match left_over(&folder, round) {
            Ok(files) => {
                for found in files {
                    note(found.and_then(|path| remove(&path)).map(|()| true));
                }
            }
            Err(error) => note(Err(error)),
        }
        failed.map(|()| written)
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
                let failing = |reason: &str| ExitError::new(ExitCause::Disk, reason);
                let note = |reason: &str| ExitReport::note(&report, &*clock, Some(failing(reason)));
                failed = self.write_changed(&published, &mut written, note).await;
                if let Some(error) = failed.as_ref().filter(|_| logged != failed) {
                    tracing::error!("a PGN file cannot be written: {error}");
                }
                logged.clone_from(&failed);
                ExitReport::note(&report, &*clock, failed.as_deref().map(failing));
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

    /// Writes the rounds that differ from those in `written`. Returns why one is not there. `slow`
    /// is called with a reason while there is no answer.
    async fn write_changed(
        &self,
        published: &Published,
        written: &mut BTreeMap<u32, Arc<RoundText>>,
        slow: impl Fn(&str),
    ) -> Option<String> {
        written.retain(|number, _| published.contains_key(number));
        let mut failed = None;
        for round in published.values() {
            if written.get(&round.number) == Some(round) {
                continue;
            }
            let (folder, text) = (self.clone(), Arc::clone(round));
            let mut writing = spawn_blocking(move || folder.write(&text));
            // A folder that does not answer gets no second request.
            let done = loop {
                if let Ok(done) = timeout(PATIENCE, &mut writing).await {
                    break done;
                }
                slow("the folder does not answer");
            };
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

/// The files of numbers that no board has now: their games are in other files, or they have none.
fn left_over(folder: &Path, round: &RoundText) -> io::Result<Vec<io::Result<PathBuf>>> {
    let mut found = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| {
            let number = name.strip_prefix("game-")?.strip_suffix(".pgn")?;
            number.parse::<u32>().ok()
        });
        let Some(number) = number.filter(|number| round.games.iter().all(|g| g.number != *number))
        else {
            continue;
        };
        let there = match read_text(&path) {
            Ok(Some(there)) => there,
            Ok(None) => continue,
            Err(error) => {
                found.push(Err(error));
                continue;
            }
        };
        let tag = format!("[Round \"{}.{number}\"]\n", round.number);
        let is_blank = ids_in(&there).next().is_none()
            && there.contains(&tag)
            && there.trim_end().ends_with("\n\n*");
        if is_blank || is_elsewhere(&there, round) {
            found.push(Ok(path));
        }
    }
    Ok(found)
}

/// Whether a file has games, and the round has all of them, perhaps with another pairing.
fn is_elsewhere(there: &str, round: &RoundText) -> bool {
    let lines = || round.games.iter().flat_map(|game| &game.lines);
    let is_there = |id| lines().any(|line| unpaired(&line.id) == unpaired(id));
    ids_in(there).next().is_some() && ids_in(there).all(is_there)
}

/// Whether a file has no games but those of a board in this round and event. `blank` is the text of
/// the board without a game.
fn is_of_the_board(there: &str, round: &RoundText, board: &BoardId, blank: &str) -> bool {
    let start = format!("remisd-{}-{}-{board}-", round.site, round.number);
    let is_of_board = |id: &str| {
        let game = unpaired(id).strip_prefix(&start);
        game.is_some_and(|game| game.parse::<u64>().is_ok())
    };
    let event = tags_in(blank, "Event").find(|event| *event != "?");
    let is_of_event = |event: &str| tags_in(there, "Event").all(|other| other == event);
    ids_in(there).all(is_of_board) && event.is_none_or(is_of_event)
}

/// An id without the number of the pairing.
fn unpaired(id: &str) -> &str {
    id.split_once('.').map_or(id, |(id, _)| id)
}

/// The tags `GameId` of a text.
fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    tags_in(text, "GameId")
}

/// The values of a tag in a text.
fn tags_in<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let tags = text.lines();
    tags.filter_map(move |line| {
        let value = line.strip_prefix('[')?.strip_prefix(name)?;
        value.strip_prefix(" \"")?.strip_suffix("\"]")
    })
}
