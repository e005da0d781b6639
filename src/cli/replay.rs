//! `remisd replay`: runs games through the daemon's draw logic.

use std::{
    borrow::Cow,
    fs::File,
    io::{self, BufWriter, Read, Write},
    path::PathBuf,
    sync::atomic::AtomicBool,
};

use anyhow::Context as _;
use shakmaty::{Chess, Position as _};

use super::Outcome;
use crate::{
    pgn::{self, Games},
    publish::payload,
};
use remisd_dead::{self as dead, Budget, Verdict};
use remisd_laws::{self as laws, AutomaticKind, Edition, History, Ply, Rate};
use remisd_vocabulary::notation::MoveText;

/// Run games from PGN files and print the draw state after every ply.
///
/// Prints one JSON object per ply, beginning with ply 0. A game that cannot be read to its end gets
/// an error object as its last line; the other games are not affected.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The edition of the Laws to apply.
    #[arg(long, value_name = "EDITION", default_value = laws::newest().id)]
    laws: &'static Edition,
    /// The rate of play: standard, rapid or blitz.
    #[arg(long, default_value = "standard")]
    rate: Rate,
    /// Also decide for every position whether either side can still mate (slower).
    #[arg(long)]
    dead: bool,
    /// PGN files; with `-` or none, reads standard input.
    #[arg(value_name = "FILE.pgn")]
    files: Vec<PathBuf>,
}

/// Replays every game of every file.
///
/// # Errors
///
/// A file cannot be read, or stdout cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<Outcome> {
    let out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let mut replay = Replay::new(arguments.laws, arguments.dead, out);
    if arguments.files.is_empty() {
        replay.file(io::stdin().lock(), "standard input")?;
    }
    for path in &arguments.files {
        if path.as_os_str() == "-" {
            replay.file(io::stdin().lock(), "standard input")?;
        } else {
            let name = path.display().to_string();
            let file = File::open(path).with_context(|| name.clone())?;
            replay.file(file, &name)?;
        }
    }
    replay.out.flush()?;
    Ok(replay.outcome)
}

/// A run over all games, writing to `out`. Games are numbered from 0 across all files.
#[derive(Debug)]
pub struct Replay<W> {
    edition: &'static Edition,
    dead: bool,
    out: W,
    game: u64,
    outcome: Outcome,
}

impl<W: Write> Replay<W> {
    /// A run that has not read anything yet. With `dead`, it also decides for every position
    /// whether either side can still mate.
    pub fn new(edition: &'static Edition, dead: bool, out: W) -> Self {
        Self {
            edition,
            dead,
            out,
            game: 0,
            outcome: Outcome::Fine,
        }
    }

    /// Replays every game of a PGN text.
    ///
    /// # Errors
    ///
    /// The text cannot be read, or the output cannot be written. A game that cannot be played is
    /// not such an error; it gets a line of its own.
    pub fn text(&mut self, read: impl Read) -> anyhow::Result<()> {
        for game in Games::new(read) {
            self.game(&game?)?;
            self.game += 1;
        }
        Ok(())
    }

    /// Replays a file; a file without games is reported.
    fn file(&mut self, read: impl Read, name: &str) -> anyhow::Result<()> {
        let before = self.game;
        self.text(read).with_context(|| name.to_owned())?;
        if self.game == before {
            self.outcome = Outcome::Failed;
            anstream::eprintln!("remisd: {name}: there is no game in it");
        }
        Ok(())
    }

    fn game(&mut self, game: &pgn::Game) -> anyhow::Result<()> {
        let start = match game.start() {
            Ok(start) => start,
            Err(error) => return self.error(0, error.to_string()),
        };
        let verdicts = if self.dead {
            course(&start, game)
        } else {
            Vec::new()
        };
        let mut verdicts = verdicts.into_iter();
        let mut history = History::new(start);
        let mut ended = false;
        self.ply(&history, None, verdicts.next(), &mut ended)?;
        for written in &game.moves {
            let ply = history.ply() + 1;
            let m = match written.to_move(history.position()) {
                Ok(m) => m,
                Err(error) => return self.error(ply, error.to_string()),
            };
            let text = MoveText::new(m, history.position());
            if let Err(error) = history.play(m) {
                return self.error(ply, format!("\"{}\": {error}", written.text));
            }
            self.ply(&history, Some(text), verdicts.next(), &mut ended)?;
        }
        match &game.unreadable {
            Some(word) => self.error(history.ply() + 1, word.to_string()),
            None => Ok(()),
        }
    }

    fn ply(
        &mut self,
        history: &History,
        text: Option<MoveText>,
        dead: Option<Verdict>,
        ended: &mut bool,
    ) -> anyhow::Result<()> {
        let position = history.position();
        let state = history.draw_state(self.edition);
        let mut draw = payload::Draw::new(
            self.game,
            history.ply(),
            position,
            text,
            &state,
            self.edition,
        );
        draw.dead = dead;
        let over = state.automatic.map(|end| end.kind);
        let natural = matches!(
            over,
            Some(AutomaticKind::Checkmate | AutomaticKind::Stalemate)
        );
        // After the same ply, a dead position takes precedence over repetition and 75 moves.
        if dead == Some(Verdict::Dead) && !natural {
            draw.automatic = Some(AutomaticKind::DeadPosition.under(self.edition).into());
        }
        draw.after_end = *ended;
        if *ended {
            draw.automatic = None;
        }
        *ended |= draw.automatic.is_some();
        serde_json::to_writer(&mut self.out, &draw)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    fn error(&mut self, ply: Ply, error: String) -> anyhow::Result<()> {
        self.outcome = Outcome::Failed;
        let error = payload::Error {
            schema: Cow::Borrowed(payload::Error::SCHEMA),
            game: Some(self.game),
            ply: Some(ply),
            fen: None,
            error,
        };
        serde_json::to_writer(&mut self.out, &error)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }
}

/// The verdicts after every ply of a game, up to the first move that cannot be played.
fn course(start: &Chess, game: &pgn::Game) -> Vec<Verdict> {
    let mut position = start.clone();
    let mut moves = Vec::with_capacity(game.moves.len());
    for written in &game.moves {
        let Ok(m) = written.to_move(&position) else {
            break;
        };
        position.play_unchecked(m);
        moves.push(m);
    }
    let never = AtomicBool::new(false);
    dead::course(start, &moves, Budget::INTERACTIVE, &never)
}
