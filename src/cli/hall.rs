//! `remisd hall`: the web pages for a hall, on a computer with or without boards.

use std::{path::PathBuf, sync::Arc, time::Duration};

use axum::Router;

use super::{Outcome, service::ConfigSource};
use crate::{
    config::Service,
    daemon::{
        reload::{self, Renewal},
        systemd::{self, Watched},
    },
    hall::{HealthProbe, Server, ServerHealth, Settings},
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
    let source = ConfigSource::new(Service::Hall, arguments.config);
    let Some(config) = source.read() else {
        return Ok(Outcome::Usage);
    };
    let Some(listen) = config.http.listen else {
        anstream::eprintln!(
            "remisd: nothing says where pages are to be served: set http.listen, for this \
             computer alone as \"127.0.0.1:9120\""
        );
        return Ok(Outcome::Usage);
    };
    let (public, access) = reload::public(&config);
    let access = access.map_err(anyhow::Error::msg)?;
    let settings = Settings::of(&config, access, listen, Arc::new(SystemClock::new()));
    let (configurations, cancel) = source.follow_signals(config.clone())?;
    let renewal = Renewal {
        session: None,
        public,
    };
    tokio::spawn(renewal.follow(config, configurations, Service::Hall));
    let Some(server) = Server::open(settings, Router::new(), cancel.clone()).await? else {
        return Ok(Outcome::Fine);
    };
    let watchdog = systemd::watch(Watchdog(server.probe()), cancel);
    tokio::join!(server.run(), watchdog);
    Ok(Outcome::Fine)
}

/// Looks after the server and its connections to the broker.
struct Watchdog(HealthProbe);

impl Watched for Watchdog {
    async fn look(&mut self, within: Duration) -> Option<String> {
        let health = self.0.look(within).await;
        if !health.server_answers {
            tracing::error!("the server of the pages accepts no connections");
        }
        for user in &health.silent {
            tracing::error!("the connection to the broker makes no progress: {user}");
        }
        health.is_alive().then(|| status_line(&health))
    }
}

/// Formats one line for `systemctl status`.
fn status_line(health: &ServerHealth) -> String {
    match health.sites {
        1 if health.connected == 1 => "broker up".to_owned(),
        1 => "broker down".to_owned(),
        sites => format!("broker up for {} of {sites} sites", health.connected),
    }
}
