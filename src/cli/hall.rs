//! `remisd hall`: pages for a hall, on a computer with or without boards.

use std::{path::PathBuf, sync::Arc};

use anyhow::Context as _;
use axum::Router;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::Outcome;
use crate::{
    config::{Configuration, Environment, editions},
    hall::{self, Settings},
    time::SystemClock,
};

/// Serve the pages for arbiters, broadcasts, screens and players.
///
/// Reads [site], [mqtt], [http] and [audience] of the configuration and needs no board:
/// what it shows, of all daemons of the site, comes from the broker.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; without it `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Serves until SIGTERM or SIGINT.
///
/// # Errors
///
/// When a secret cannot be had. A missing broker is no error: it is waited for.
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
    let Some(listen) = read.config.http.listen else {
        anstream::eprintln!(
            "remisd: nothing says where pages are to be served: set http.listen, for this \
             computer alone as \"127.0.0.1:9120\""
        );
        return Ok(Outcome::Usage);
    };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be caught")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be caught")?;
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping");
        stop.cancel();
    });
    let settings = Settings::of(&read.config, listen, Arc::new(SystemClock::new()))?;
    hall::serve(settings, Router::new(), cancel).await;
    Ok(Outcome::Fine)
}
