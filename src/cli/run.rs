//! `remisd run`: the daemon.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

use super::{
    Outcome,
    service::{Ending, configured},
};
use crate::{
    config::{Config, Configuration, Environment, editions},
    daemon,
};
use remisd_vocabulary::time::SystemClock;

/// Run the daemon.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Reads the configuration and runs the daemon until SIGTERM or SIGINT.
///
/// # Errors
///
/// The journal cannot be opened or read, or a secret is not available. A missing broker or board is
/// not an error; the daemon waits for it.
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let environment = Environment::of_process();
    let Some(config) = configured(arguments.config.as_deref(), &environment) else {
        return Ok(Outcome::Usage);
    };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let mut ending = Ending::new()?;
    let mut hangup = signal(SignalKind::hangup()).context("SIGHUP cannot be caught")?;
    let (configurations, in_force) = watch::channel(config);
    let file = arguments.config;
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = ending.signalled() => break,
                _ = hangup.recv() => reload(file.as_deref(), &environment, &configurations),
            }
        }
        tracing::info!("stopping");
        stop.cancel();
    });
    daemon::run(in_force, Arc::new(SystemClock::new()), cancel).await?;
    Ok(Outcome::Fine)
}

/// Reloads the configuration. An invalid one changes nothing.
fn reload(file: Option<&Path>, environment: &Environment, to: &watch::Sender<Config>) {
    match Configuration::load(file, environment, &editions()) {
        Ok(read) => {
            tracing::info!("the configuration is read again");
            for warning in &read.warnings {
                tracing::warn!("{warning}");
            }
            to.send_replace(read.config);
        }
        Err(error) => tracing::error!("nothing is taken up: {}", error.render(false)),
    }
}
