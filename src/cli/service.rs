//! What the commands that run on have in common: a configuration, and signals that end them.

use std::path::Path;

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::{Config, Configuration, Environment, editions};

/// Reads the configuration and tells its warnings; `None` when it has mistakes, which are told.
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

/// The signals that end a service.
#[derive(Debug)]
pub struct Ending {
    terminate: Signal,
    interrupt: Signal,
}

impl Ending {
    /// Catches them from now on.
    ///
    /// # Errors
    ///
    /// When the system does not allow it.
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate()).context("SIGTERM cannot be caught")?,
            interrupt: signal(SignalKind::interrupt()).context("SIGINT cannot be caught")?,
        })
    }

    /// Waits for one of them. Safe to cancel.
    pub async fn told(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
