//! What the services share: a configuration that SIGHUP reloads, and the signals that stop them.

use std::path::PathBuf;

use anyhow::Context as _;
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::watch,
};
use tokio_util::sync::CancellationToken;

use crate::config::{Config, ConfigError, Configuration, Environment, Service, editions};

/// Where a service has its configuration from.
#[derive(Debug)]
pub struct ConfigSource {
    service: Service,
    file: Option<PathBuf>,
    environment: Environment,
}

impl ConfigSource {
    /// The file of the command line, if there is one, and the environment of the process.
    pub fn new(service: Service, file: Option<PathBuf>) -> Self {
        Self {
            service,
            file,
            environment: Environment::of_process(),
        }
    }

    /// Reads the configuration and logs its warnings. If it has errors, prints them and returns
    /// `None`.
    pub fn read(&self) -> Option<Config> {
        self.load()
            .inspect_err(|error| anstream::eprintln!("{}", error.render(true)))
            .ok()
    }

    /// Sends the configuration that is in force, and a new one at each SIGHUP, until SIGTERM or
    /// SIGINT triggers the token.
    ///
    /// # Errors
    ///
    /// The operating system refuses to install the signal handlers.
    pub fn follow_signals(
        self,
        config: Config,
    ) -> anyhow::Result<(watch::Receiver<Config>, CancellationToken)> {
        let mut ending = Ending::new()?;
        let mut hangup = signal(SignalKind::hangup()).context("SIGHUP cannot be caught")?;
        let (configurations, in_force) = watch::channel(config);
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = ending.signalled() => break,
                    _ = hangup.recv() => self.reload(&configurations),
                }
            }
            tracing::info!("stopping");
            stop.cancel();
        });
        Ok((in_force, cancel))
    }

    /// Reloads the configuration. An invalid one changes nothing.
    fn reload(&self, to: &watch::Sender<Config>) {
        match self.load() {
            Ok(config) => {
                tracing::info!("the configuration was reloaded");
                to.send_replace(config);
            }
            Err(error) => tracing::error!("nothing is applied: {}", error.render(false)),
        }
    }

    fn load(&self) -> Result<Config, ConfigError> {
        let file = self.file.as_deref();
        let read = Configuration::load(file, &self.environment, &editions())?;
        for warning in read.warnings_for(self.service) {
            tracing::warn!("{warning}");
        }
        Ok(read.config)
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
