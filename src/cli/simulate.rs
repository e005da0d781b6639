//! `remisd simulate`: a simulated board, for trials without hardware.

use std::{
    io::{self, Write},
    num::NonZeroUsize,
    path::PathBuf,
};

use anyhow::Context;
use serde::Serialize;

use super::service::Ending;
use crate::simulate::{Options, Profile, Progress, Simulation};
use remisd_board::Kind;

/// Simulate a board on a pseudo-terminal, moved by a simulated hand.
///
/// The first line on stdout names the device to open; then follows one JSON object per event. The
/// games begin when a host reads the board. The board stays after the last game, until Ctrl-C.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The kind of board: dgt.
    kind: Kind,
    /// The games to play.
    #[arg(long, value_name = "FILE")]
    pgn: PathBuf,
    /// The game of the file to play, from 1; default: all games.
    #[arg(long, value_name = "N")]
    game: Option<NonZeroUsize>,
    /// Where to create a symbolic link to the device.
    #[arg(long, value_name = "PATH")]
    link: Option<PathBuf>,
    /// Speed, as a multiple of real time.
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    speed: f64,
    /// How the hand behaves: plain, tournament, scramble, faulty or endings.
    #[arg(long, value_name = "PROFILE", default_value_t = Profile::Plain)]
    hand: Profile,
    /// The same seed gives the same movements.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Turn the clock round, so that White's time is where Black's is expected.
    #[arg(long)]
    clock_reversed: bool,
}

/// A line on stdout.
#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    #[serde(flatten)]
    progress: &'a Progress,
}

/// Runs the simulation until it is interrupted or the reader of stdout goes away.
///
/// # Errors
///
/// The games cannot be read, or the pseudo-terminal cannot be created.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let pgn = tokio::fs::read(&args.pgn)
        .await
        .with_context(|| format!("cannot read {}", args.pgn.display()))?;
    let Kind::Dgt = args.kind;
    let options = Options {
        speed: args.speed,
        games: args
            .game
            .map(|number| number.get() - 1)
            .into_iter()
            .collect(),
        seed: args.seed,
        profile: args.hand,
        link: args.link.clone(),
        clock_reversed: args.clock_reversed,
        ..Options::default()
    };
    let (simulation, mut progress) = Simulation::start(&pgn, options)
        .with_context(|| format!("cannot simulate {}", args.pgn.display()))?;
    let mut ending = Ending::new()?;

    let device = args.link.as_deref().unwrap_or(simulation.device());
    let mut written = print(&device.display().to_string());
    while written? {
        written = tokio::select! {
            Some(progress) = progress.recv() => {
                let line = Line { schema: "remisd/simulate/1", progress: &progress };
                print(&serde_json::to_string(&line)?)
            }
            () = ending.signalled() => break,
        };
    }
    Ok(())
}

/// Writes one line; returns `false` if the reader has gone.
fn print(line: &str) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    match writeln!(out, "{line}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        written => written.map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::simulate::play::Played;

    #[derive(clap::Parser)]
    struct Command {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn unknown_kinds_and_hands_are_refused_with_what_there_is() {
        let refuse = |words: &[&str]| Command::try_parse_from(words).err().unwrap().to_string();
        let kind = refuse(&["simulate", "sentio", "--pgn", "x.pgn"]);
        assert!(kind.contains("kinds: dgt"), "{kind}");
        let hand = refuse(&["simulate", "dgt", "--pgn", "x.pgn", "--hand", "sloppy"]);
        assert!(hand.contains("profiles: plain, tournament"), "{hand}");
        let fine = Command::try_parse_from(["simulate", "dgt", "--pgn", "x.pgn"]).unwrap();
        assert_eq!(fine.args.seed, 1);
    }

    #[test]
    fn a_line_is_flat_and_names_its_schema() {
        let progress = Progress::Ply {
            game: 0,
            ply: 1,
            played: Played {
                uci: "e2e4".into(),
                san: "e4".into(),
            },
        };
        let line = Line {
            schema: "remisd/simulate/1",
            progress: &progress,
        };
        assert_eq!(
            serde_json::to_string(&line).unwrap(),
            r#"{"schema":"remisd/simulate/1","event":"ply","game":0,"ply":1,"move":{"uci":"e2e4","san":"e4"}}"#
        );
    }
}
