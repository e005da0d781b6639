//! `remisd run`: the daemon.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context as _;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Outcome;
use crate::{
    config::{Configuration, Environment, editions},
    daemon,
    time::SystemClock,
};

/// What to keep out of the log: the demo's broker talks to itself.
pub const QUIET: &str = "mqtt5=error,mqtt5_protocol=error";

/// Run the daemon.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; without it `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Reads the configuration and runs until SIGTERM or SIGINT.
///
/// # Errors
///
/// When the journal cannot be opened or read, or a secret cannot be had. A missing
/// broker or board is no error: the daemon waits for it.
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let environment = Environment::of_process();
    let read = match Configuration::load(arguments.config.as_deref(), &environment, &editions()) {
        Ok(read) => read,
        Err(error) => {
            anstream::eprintln!("{}", error.render(true));
            return Ok(Outcome::Usage);
        }
    };
    for warning in &read.warnings {
        tracing::warn!("{warning}");
    }
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be caught")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be caught")?;
    let mut hangup = signal(SignalKind::hangup()).context("SIGHUP cannot be caught")?;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => break,
                _ = interrupt.recv() => break,
                _ = hangup.recv() => tracing::warn!(
                    "nothing of the configuration can be reloaded yet: restart to take it up"
                ),
            }
        }
        tracing::info!("stopping");
        stop.cancel();
    });
    daemon::run(read.config, Arc::new(SystemClock::new()), cancel).await?;
    Ok(Outcome::Fine)
}
