//! The command line: one file for each subcommand.
//!
//! Exit codes: 0 fine, 1 the work failed, 2 usage or configuration error. Machine
//! output goes to stdout, everything else to stderr.

use std::{io, process::ExitCode};

use clap::{Parser, Subcommand};

pub mod check;
mod dead;
mod replay;

/// How a subcommand ended when it did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Everything was done.
    Fine,
    /// Some of the work failed; the reasons have been printed.
    Failed,
}

/// Stands beside a chessboard and knows the Laws of Chess on draws.
#[derive(Debug, Parser)]
#[command(name = "remisd", version, about, long_about = None)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Replay(replay::Arguments),
    Dead(dead::Arguments),
}

/// Parses the command line and runs the subcommand.
#[must_use]
pub fn main() -> ExitCode {
    // clap exits by itself for --help and with code 2 for a usage error.
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Dead(arguments) => dead::run(&arguments),
    };
    match result {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Err(error) if is_closed_stdout(&error) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("remisd: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whoever reads our output has seen enough.
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
