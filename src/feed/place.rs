//! The place where another program writes its games: a file, or a folder of files.
//!
//! A folder has PGN files, or folders `round-1`, `round-2`, … with PGN files. `game-12.pgn` is the
//! game of board 12. If a folder has such files, others are not read: `games.pgn` repeats them.

use std::{
    collections::{HashMap, HashSet},
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::SystemTime,
};

use super::{
    choose::FoundGame,
    game::SourceGame,
    source::Found,
    text::{GameText, LONGEST, LONGEST_SHOWN, MOST_GAMES, MOST_GAMES_SHOWN, TextError},
};

/// The most files that are read.
const FILES: usize = 2_048;
/// How often a text that does not end with a result must be found unchanged before it is used: its
/// last word may be half a move.
const UNTERMINATED: u32 = 3;
/// After how many looks a file is read although nothing shows a change: some file systems note
/// times in whole seconds only.
const LOOK_AGAIN: u32 = 8;
/// After how many looks a file that never stands still is read all the same, and after how many it
/// counts as unreadable.
const RESTLESS: u32 = 3;
const GIVEN_UP: u32 = 20;

/// Why a place cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// It does not exist.
    #[error("{0} does not exist")]
    Missing(PathBuf),
    /// The user lacks permission.
    #[error("{0}: permission denied")]
    Denied(PathBuf),
    /// It is neither a file nor a folder.
    #[error("{0} is neither a file nor a folder")]
    NoFile(PathBuf),
    /// Reading fails for another reason.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// It has more than can be read.
    #[error("{0} has more than {1}")]
    TooMuch(PathBuf, &'static str),
}

impl PlaceError {
    fn new(path: &Path, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Missing(path.to_owned()),
            io::ErrorKind::PermissionDenied => Self::Denied(path.to_owned()),
            _ => Self::Io(path.to_owned(), error),
        }
    }
}

/// A file or folder that another program writes.
#[derive(Debug)]
pub(crate) struct Place {
    path: PathBuf,
    files: HashMap<PathBuf, KnownFile>,
}

/// What shows that a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

/// A file, as it was read last.
#[derive(Debug, Default)]
struct KnownFile {
    stamp: Option<Stamp>,
    /// In how many looks in a row it had this stamp.
    times: u32,
    /// How often it has changed again before it was read.
    restless: u32,
    /// The stamp at which its games were read.
    read: Option<Stamp>,
    games: Vec<(u32, Arc<SourceGame>)>,
    /// Why it cannot be read.
    trouble: Option<String>,
}

impl Place {
    /// A place at a path, which need not exist yet.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            files: HashMap::new(),
        }
    }

    /// Looks for changes and returns all games.
    ///
    /// A file is read when it has stood still for two looks. A file that never does is read between
    /// two changes.
    ///
    /// # Errors
    ///
    /// [`PlaceError`] if the place cannot be read. A single file that cannot be read has no games.
    pub(crate) fn poll(&mut self) -> Result<Found, PlaceError> {
        let files = self.list()?;
        let listed: HashSet<&PathBuf> = files.iter().map(|file| &file.path).collect();
        self.files.retain(|path, _| listed.contains(path));
        let mut found = Found {
            games: Vec::new(),
            is_complete: true,
            trouble: None,
        };
        // Files without a number are one text, in the order of their names.
        let mut places: HashMap<Option<u32>, u32> = HashMap::new();
        for file in &files {
            let known = self.files.entry(file.path.clone()).or_default();
            known.look(file);
            let next = places.entry(file.round).or_default();
            let before = if file.number.is_none() { *next } else { 0 };
            // A file that is not read yet keeps a place for its game.
            *next += u32::try_from(known.games.len()).unwrap_or(u32::MAX).max(1);
            if let Some(trouble) = &known.trouble {
                found.trouble.get_or_insert_with(|| trouble.clone());
                continue;
            }
            let is_current = known.read == Some(file.stamp);
            found.is_complete &= known.read.is_some();
            for (nth, game) in &known.games {
                if found.games.len() == MOST_GAMES {
                    return Err(PlaceError::TooMuch(self.path.clone(), MOST_GAMES_SHOWN));
                }
                found.games.push(FoundGame {
                    folder_round: file.round,
                    file_number: file.number,
                    nth: Some(before + *nth),
                    is_current,
                    game: game.clone(),
                });
            }
        }
        Ok(found)
    }

    fn list(&self) -> Result<Vec<File>, PlaceError> {
        let error = |error| PlaceError::new(&self.path, error);
        let about = fs::metadata(&self.path).map_err(error)?;
        if !about.is_dir() {
            if !about.is_file() {
                return Err(PlaceError::NoFile(self.path.clone()));
            }
            let file = File::new(self.path.clone(), None, &about);
            return Ok(vec![file]);
        }
        let mut files = games_in(&self.path, round_of(&self.path))?;
        for entry in entries(&self.path)? {
            let round = round_of(&entry);
            if round.is_some() && entry.is_dir() {
                files.extend(games_in(&entry, round)?);
            }
        }
        if files.len() > FILES {
            return Err(PlaceError::TooMuch(self.path.clone(), "2,048 files"));
        }
        Ok(files)
    }
}

impl KnownFile {
    /// Reads the file if it has changed and can be read.
    fn look(&mut self, file: &File) {
        if self.stamp == Some(file.stamp) {
            self.times = self.times.saturating_add(1);
        } else {
            if self.stamp.is_some() && self.read != self.stamp {
                self.restless = self.restless.saturating_add(1);
            }
            self.stamp = Some(file.stamp);
            self.times = 1;
        }
        if self.read == Some(file.stamp) && !self.times.is_multiple_of(LOOK_AGAIN) {
            return;
        }
        let rests = self.times >= 2;
        if !rests && self.restless < RESTLESS {
            return;
        }
        match read_games(file) {
            Ok(Some(read)) => {
                let enough = if rests {
                    read.is_terminated || self.times >= UNTERMINATED
                } else {
                    // The file is being written, so part of it may be missing.
                    read.is_terminated && read.games.len() >= self.games.len()
                };
                if enough {
                    self.games = read.games;
                    self.read = Some(file.stamp);
                    self.restless = 0;
                    self.trouble = None;
                }
            }
            // It has changed meanwhile, or is gone.
            Ok(None) => {}
            // It was read before, as it is now.
            Err(_) if self.read == Some(file.stamp) => {}
            Err(error) => self.trouble = Some(error.to_string()),
        }
        if self.restless > GIVEN_UP {
            let path = file.path.display();
            self.trouble = Some(format!("{path} is written all the time and cannot be read"));
        }
    }
}

/// Reads a file; `None` if it has changed since it was listed.
fn read_games(file: &File) -> Result<Option<GameText>, PlaceError> {
    let error = |error| PlaceError::new(&file.path, error);
    let too_long = || PlaceError::TooMuch(file.path.clone(), LONGEST_SHOWN);
    if file.stamp.length > LONGEST {
        return Err(too_long());
    }
    let mut text = Vec::new();
    let open = match fs::File::open(&file.path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        open => open.map_err(error)?,
    };
    let read = open
        .take(LONGEST + 1)
        .read_to_end(&mut text)
        .map_err(error)?;
    if read as u64 > LONGEST {
        return Err(too_long());
    }
    match fs::metadata(&file.path) {
        Ok(about) if Stamp::of(&about) == file.stamp => {}
        _ => return Ok(None),
    }
    let place = file.path.display().to_string();
    match GameText::read(&text, file.round, &place) {
        Ok(read) => Ok(Some(read)),
        Err(TextError::Io(cause)) => Err(error(cause)),
        Err(TextError::TooManyGames) => {
            Err(PlaceError::TooMuch(file.path.clone(), MOST_GAMES_SHOWN))
        }
    }
}

/// A file of games.
#[derive(Debug)]
struct File {
    path: PathBuf,
    round: Option<u32>,
    number: Option<u32>,
    stamp: Stamp,
}

impl File {
    fn new(path: PathBuf, round: Option<u32>, about: &fs::Metadata) -> Self {
        Self {
            number: number_of(&path),
            stamp: Stamp::of(about),
            round,
            path,
        }
    }
}

impl Stamp {
    fn of(about: &fs::Metadata) -> Self {
        Self {
            length: about.len(),
            modified: about.modified().ok(),
        }
    }
}

/// The PGN files of a folder: `game-*.pgn` if there are any, otherwise all.
fn games_in(folder: &Path, round: Option<u32>) -> Result<Vec<File>, PlaceError> {
    let mut files = Vec::new();
    for path in entries(folder)? {
        let is_pgn = path
            .extension()
            .is_some_and(|ext| ext.eq_ignore_ascii_case("pgn"));
        if !is_pgn {
            continue;
        }
        match fs::metadata(&path) {
            Ok(about) if about.is_file() => files.push(File::new(path, round, &about)),
            Ok(_) => {}
            // It was renamed meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(PlaceError::new(&path, error)),
        }
    }
    if files.iter().any(|file| file.number.is_some()) {
        files.retain(|file| file.number.is_some());
    }
    Ok(files)
}

/// The paths in a folder, in order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, PlaceError> {
    let error = |error| PlaceError::new(folder, error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(error)? {
        paths.push(entry.map_err(error)?.path());
        if paths.len() > 2 * FILES {
            return Err(PlaceError::TooMuch(folder.to_owned(), "4,096 entries"));
        }
    }
    paths.sort();
    Ok(paths)
}

/// The number of a folder `round-3`.
fn round_of(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("round-")?.parse().ok()
}

/// The number of a file `game-12.pgn`.
fn number_of(path: &Path) -> Option<u32> {
    let name = path.file_stem()?.to_str()?;
    name.strip_prefix("game-")?.parse().ok()
}
