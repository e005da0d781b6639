//! The command line: one file per subcommand.
//!
//! Exit codes: 0 success, 1 the work failed, 2 usage or configuration error. Machine-readable
//! output goes to stdout, everything else to stderr.

use std::{
    io::{self, IsTerminal as _},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::Context as _;
use clap::{CommandFactory as _, Parser, Subcommand};

use crate::config::Environment;

mod check;
mod dead;
pub mod demo;
#[cfg(test)]
mod documented;
mod evidence;
mod hall;
mod journal;
mod log;
mod man;
mod notify;
mod ports;
pub mod replay;
mod report;
mod results;
mod run;
mod screen;
mod service;
mod setup;
mod simulate;
mod watch;

pub(crate) use ports::Found as PortLine;

/// The outcome of a subcommand that ran to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was done.
    Fine,
    /// Some of the work failed; the reasons have been printed.
    Failed,
    /// The configuration or the arguments were wrong; the reasons have been printed.
    Usage,
}

impl Outcome {
    /// Returns `self`, or `other` if `self` is [`Outcome::Fine`].
    #[must_use]
    pub(crate) const fn or(self, other: Self) -> Self {
        match self {
            Self::Fine => other,
            wrong => wrong,
        }
    }
}

/// Watches a physical chessboard and applies the Laws of Chess on draws.
#[derive(Debug, Parser)]
#[command(name = "remisd", version, about, long_about = None)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// The format of the log on stderr.
    #[arg(long, global = true, value_enum, default_value_t = log::Format::Text)]
    log_format: log::Format,
    /// Log more: -v for decisions, -vv for every event. `$REMISD_LOG` takes a finer filter.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    verbose: u8,
}

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Arguments),
    Hall(hall::Arguments),
    Demo(demo::Arguments),
    /// Check a configuration and show the effective keys.
    Check {
        /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    Notify(notify::Arguments),
    Ports(ports::Args),
    Simulate(simulate::Args),
    Watch(watch::Arguments),
    Replay(replay::Arguments),
    Dead(dead::Arguments),
    Evidence(evidence::Arguments),
    Journal(journal::Arguments),
    Results(results::Arguments),
    Report(report::Arguments),
    Setup(setup::Arguments),
    /// Print the completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    Man(man::Arguments),
}

/// Parses the command line and runs the subcommand.
#[must_use]
pub fn main() -> ExitCode {
    // clap itself exits for --help, and with code 2 for a usage error.
    let arguments = Arguments::parse();
    let usual = match arguments.command {
        // They print their own events.
        Command::Demo(_) | Command::Watch(_) => "warn",
        _ => "info",
    };
    log::start(arguments.log_format, arguments.verbose, usual);
    match dispatch(arguments.command) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Ok(Outcome::Usage) => ExitCode::from(2),
        Err(error) if is_closed_stdout(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("remisd: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: Command) -> anyhow::Result<Outcome> {
    match command {
        Command::Run(arguments) => in_runtime(run::run(arguments)),
        Command::Hall(arguments) => in_runtime(hall::run(arguments)),
        Command::Demo(arguments) => in_runtime(demo::run(arguments)),
        Command::Check { config } => {
            let styled = io::stderr().is_terminal();
            let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
            let environment = Environment::of_process();
            let code = check::check(config.as_deref(), &environment, &mut out, &mut err, styled)?;
            Ok(if code == 0 {
                Outcome::Fine
            } else {
                Outcome::Usage
            })
        }
        Command::Notify(arguments) => in_runtime(notify::run(arguments)),
        Command::Ports(arguments) => {
            in_runtime(async { ports::run(arguments).await.map(|()| Outcome::Fine) })
        }
        Command::Simulate(arguments) => {
            in_runtime(async { simulate::run(arguments).await.map(|()| Outcome::Fine) })
        }
        Command::Watch(arguments) => in_runtime(watch::run(arguments)),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Dead(arguments) => dead::run(&arguments),
        Command::Evidence(arguments) => evidence::run(&arguments),
        Command::Journal(arguments) => journal::run(&arguments),
        Command::Results(arguments) => results::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Setup(arguments) => setup::run(&arguments),
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "remisd", &mut text);
            io::Write::write_all(&mut io::stdout().lock(), &text)?;
            Ok(Outcome::Fine)
        }
        Command::Man(arguments) => man::run(&arguments, Arguments::command()),
    }
}

fn in_runtime<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the asynchronous runtime cannot start")?
        .block_on(work)
}

/// Whether the reader of stdout has closed it, which is not a failure.
fn is_closed_stdout(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
            || cause
                .downcast_ref::<serde_json::Error>()
                .is_some_and(|error| error.io_error_kind() == Some(io::ErrorKind::BrokenPipe))
    })
}
