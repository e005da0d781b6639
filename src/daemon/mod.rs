//! The daemon: the one place that wires the actors together.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::{config::Config, time::Clock};

/// Runs every configured board until `cancel`.
///
/// # Errors
///
/// When the journal cannot be opened or read, or a secret cannot be had.
pub async fn run(
    config: Config,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) -> anyhow::Result<()> {
    let _ = (config, clock);
    cancel.cancelled().await;
    Ok(())
}
