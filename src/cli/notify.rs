//! `remisd notify`: whether messages reach the phones.

use std::{
    io::{self, Write as _},
    path::PathBuf,
};

use super::{Outcome, service::ConfigSource};
use crate::{config::Service, daemon};

/// Send a test message to every [[notify]] receiver and print the answers.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Send the test message.
    #[arg(long, required = true)]
    test: bool,
    /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Sends one message to each receiver, one after the other. The answers go to stdout.
///
/// # Errors
///
/// The operating system's error on stdout.
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let source = ConfigSource::new(Service::Run, arguments.config);
    let Some(config) = source.read() else {
        return Ok(Outcome::Usage);
    };
    if config.notify.is_empty() {
        anstream::eprintln!("remisd: there is no [[notify]] section, so no receiver");
        return Ok(Outcome::Usage);
    }
    let mut outcome = Outcome::Fine;
    for number in 0..config.notify.len() {
        match daemon::send_test(&config, number).await {
            Ok(answer) => writeln!(io::stdout().lock(), "notify.{number}: {answer}")?,
            Err(error) => {
                anstream::eprintln!("remisd: notify.{number}: {error:#}");
                outcome = Outcome::Failed;
            }
        }
    }
    Ok(outcome)
}
