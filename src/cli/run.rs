//! `remisd run`: the daemon.

use std::{path::PathBuf, sync::Arc};

use super::{Outcome, service::ConfigSource};
use crate::{config::Service, daemon};
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
    let source = ConfigSource::new(Service::Run, arguments.config);
    let Some(config) = source.read() else {
        return Ok(Outcome::Usage);
    };
    let (configurations, cancel) = source.follow_signals(config)?;
    daemon::run(configurations, Arc::new(SystemClock::new()), cancel).await?;
    Ok(Outcome::Fine)
}
