//! What the long-running commands share: a configuration, and the signals that stop them.

use std::path::Path;

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::{Config, Configuration, Environment, editions};

/// Reads the configuration and logs its warnings. If it has errors, prints them and returns `None`.
pub fn configured(file: Option<&Path>, environment: &Environment) -> Option<Config> {
    match Configuration::load(file, environment, &editions()) {
        Ok(read) => {
            for warning in &read.warnings {
                tracing::warn!("{warning}");
            }
            Some(read.config)
        }
        Err(error) => {
            anstream::eprintln!("{}", error.render(true));
            None
        }
    }
}

/// The signals that stop a service.
#[derive(Debug)]
pub struct Ending {
    terminate: Signal,
    interrupt: Signal,
}

impl Ending {
    /// Installs the signal handlers.
    ///
    /// # Errors
    ///
    /// The operating system refuses.
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("SIGTERM cannot be caught")?,
            interrupt: signal(SignalKind::interrupt()).context("SIGINT cannot be caught")?,
        })
    }

    /// Waits for one of the signals. Cancel-safe.
    pub async fn signalled(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
