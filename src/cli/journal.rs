//! `remisd journal`: lists, shows and verifies the durable record, and exports its games as PGN.

mod export;
mod later;
mod list;
mod outline;
mod played;
mod round;
mod selection;
mod show;
#[cfg(test)]
mod tests;
mod verify;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;

use self::show::Form;
pub(super) use self::{
    export::{Pgn, replace},
    round::{Recorded, RecordedGames},
    selection::Selection,
};
use super::Outcome;
use crate::{
    config::{Configuration, Environment, editions},
    publish::outbox::{CURSORS, Cursors},
};
use remisd_journal::Reader;
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};

/// Read the durable record: list, show, verify and export its games.
///
/// The journal is only read, so the daemon may be writing to it.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The journal's directory; default: the one in the configuration.
    #[arg(long, global = true, value_name = "DIR")]
    journal: Option<PathBuf>,
    /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "journal")]
    config: Option<PathBuf>,
    /// Only this board.
    #[arg(long, global = true, value_name = "ID")]
    board: Option<BoardId>,
    /// Leave out the players' names, numbers, titles, ratings and clubs.
    #[arg(long, global = true)]
    mask_names: bool,
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, clap::Subcommand)]
enum Task {
    /// One line per game: its number, start time, players, plies, result.
    List,
    /// The entries of a game, one per line: number, time, input, facts.
    Show {
        /// The game's number, as shown by `list`; default: the newest game of each board.
        #[arg(long, value_name = "N")]
        game: Option<EntrySeq>,
        /// Show the entries as stored, one JSON object per line.
        #[arg(long)]
        json: bool,
        /// Show the raw data on the board's line instead, as far as it was kept: time, sender,
        /// bytes.
        #[arg(long, conflicts_with = "json")]
        raw: bool,
    },
    /// Recompute the chain and name the first broken link. Exit code 1 if one is broken or entries
    /// are lost.
    Verify,
    /// Write games as PGN.
    Export {
        /// The game's number, as shown by `list`; default: all games with moves.
        #[arg(long, value_name = "N")]
        game: Option<EntrySeq>,
        /// The output file; default: standard output.
        #[arg(short, long, value_name = "FILE.pgn")]
        output: Option<PathBuf>,
    },
}

/// Runs the subcommand.
///
/// # Errors
///
/// The journal cannot be read, or the output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let (journal, config) = (arguments.journal.as_deref(), arguments.config.as_deref());
    let Some(mut selection) = select(journal, config)? else {
        return Ok(Outcome::Usage);
    };
    selection.masks_names = arguments.mask_names;
    if let Some(board) = &arguments.board {
        if !selection.boards.contains(board) {
            anstream::eprintln!("remisd: the journal has no board {board}");
            return Ok(Outcome::Usage);
        }
        selection.boards.retain(|found| found == board);
    }
    let mut out = io::stdout().lock();
    match &arguments.task {
        Task::List => selection.list(&mut out),
        Task::Show { game, json, raw } => {
            let form = match (json, raw) {
                (_, true) => Form::Raw,
                (true, false) => Form::Json,
                (false, false) => Form::Words,
            };
            selection.show(*game, form, &mut out)
        }
        Task::Verify => selection.verify(&mut out),
        Task::Export { game, output } => selection.export(*game, output.as_deref(), &mut out),
    }
}

/// Selects all boards of the journal in a directory, or else in the one of the configuration.
/// Returns `None` if the configuration is wrong, which is reported.
///
/// # Errors
///
/// The journal cannot be read.
pub(super) fn select(
    journal: Option<&Path>,
    config: Option<&Path>,
) -> anyhow::Result<Option<Selection>> {
    let (directory, configured) = if let Some(directory) = journal {
        (directory.to_owned(), Vec::new())
    } else {
        let environment = Environment::of_process();
        match Configuration::load(config, &environment, &editions()) {
            Ok(read) => {
                let boards = read.config.boards.into_iter().map(|board| board.id);
                (read.config.journal.dir, boards.collect())
            }
            Err(error) => {
                anstream::eprintln!("{}", error.render(true));
                anstream::eprintln!("remisd: no directory: --journal DIR names one");
                return Ok(None);
            }
        }
    };
    let name = || format!("the journal {}", directory.display());
    let reader = open(&directory)?;
    let mut boards = reader.boards().with_context(name)?;
    add_configured(&mut boards, &directory, configured);
    Ok(Some(Selection {
        reader,
        cursors: cursors(&directory),
        boards,
        masks_names: false,
    }))
}

/// Returns a reader of the journal in `directory`, which must hold one.
///
/// # Errors
///
/// The directory cannot be read, or no journal is there.
pub(super) fn open(directory: &Path) -> anyhow::Result<Reader> {
    let name = || format!("the journal {}", directory.display());
    let reader = Reader::new(directory);
    if reader.is_journal().with_context(name)? {
        Ok(reader)
    } else {
        anyhow::bail!("there is no journal in {}", directory.display())
    }
}

/// Adds the configured boards in whose place something else than a directory is. Reading it fails.
fn add_configured(boards: &mut Vec<BoardId>, directory: &Path, configured: Vec<BoardId>) {
    let is_there = |board: &BoardId| directory.join(board.as_str()).symlink_metadata().is_ok();
    boards.extend(configured.into_iter().filter(is_there));
    boards.sort();
    boards.dedup();
}

/// Reports for each board whether its record is intact.
///
/// # Errors
///
/// The directory cannot be read, or the output cannot be written.
pub(super) fn verify(directory: &Path, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let reader = open(directory)?;
    let boards = reader.boards()?;
    let selection = Selection {
        reader,
        cursors: cursors(directory),
        boards,
        masks_names: false,
    };
    selection.verify(out)
}

/// Loads the cursors stored beside the journal: what the broker has confirmed. A file that cannot
/// be read is reported.
pub(super) fn cursors(directory: &Path) -> Option<Cursors> {
    let read = Cursors::load(&directory.join(CURSORS));
    read.inspect_err(|error| {
        anstream::eprintln!(
            "remisd: whether the end of the record is missing is not known: {error}"
        );
    })
    .ok()
}
