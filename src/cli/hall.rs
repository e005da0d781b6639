//! `remisd hall`: the web pages for a hall, on a computer with or without boards.

use std::{path::PathBuf, sync::Arc};

use axum::Router;
use tokio_util::sync::CancellationToken;

use super::{
    Outcome,
    service::{Ending, configured},
};
use crate::{
    config::Environment,
    hall::{self, Settings},
};
use remisd_vocabulary::time::SystemClock;

/// Serve the pages for arbiters, broadcasts, screens and players.
///
/// Reads [site], [mqtt], [http] and [audience] of the configuration and needs no board: it shows
/// all daemons of the site, with data from the broker.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The configuration; default: `$REMISD_CONFIG`, then /etc/remisd/remisd.toml.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// Serves the pages until SIGTERM or SIGINT.
///
/// # Errors
///
/// A secret is not available. A missing broker is not an error; the server waits for it.
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let environment = Environment::of_process();
    let Some(config) = configured(arguments.config.as_deref(), &environment) else {
        return Ok(Outcome::Usage);
    };
    let Some(listen) = config.http.listen else {
        anstream::eprintln!(
            "remisd: nothing says where pages are to be served: set http.listen, for this \
             computer alone as \"127.0.0.1:9120\""
        );
        return Ok(Outcome::Usage);
    };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let mut ending = Ending::new()?;
    tokio::spawn(async move {
        ending.signalled().await;
        tracing::info!("stopping");
        stop.cancel();
    });
    let settings = Settings::of(&config, listen, Arc::new(SystemClock::new()))?;
    hall::serve(settings, Router::new(), cancel).await;
    Ok(Outcome::Fine)
}
