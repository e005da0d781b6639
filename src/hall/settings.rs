//! The settings of the hall, and how they follow from the configuration.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use axum::Router;

use super::{proxies::Proxies, upstream::Broker};
use crate::{
    config::{Config, SecretError, SecretSource, TlsProblem, Tournament},
    publish::mqtt::{Credentials, Timing, Tls},
};
use remisd_vocabulary::{name::SiteId, time::Clock};

/// The settings of the hall.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The broker and the site.
    pub broker: Broker,
    /// Further sites at the same broker, whose pages are below `/site/<id>/`.
    pub sites: Vec<SiteId>,
    /// The TLS settings for the broker.
    pub tls: Option<Tls>,
    /// The credentials for reading the public's topics; `None` to connect without a user.
    pub public: Option<Credentials>,
    /// The address on which pages are served.
    pub listen: SocketAddr,
    /// Host names under which browsers may request pages, besides this computer's own.
    pub names: Vec<String>,
    /// The web servers that are trusted to report a request's origin.
    pub proxies: Proxies,
    /// The file with the key that authenticates known browsers; `None` to keep no file.
    pub device_key: Option<PathBuf>,
    /// The broadcast delay for the public, in milliseconds.
    pub delay_ms: u64,
    /// The languages of texts in payloads.
    pub languages: Vec<String>,
    /// The tournaments whose standings the overlay shows.
    pub tournaments: Vec<Tournament>,
    /// The routes of the games as PGN, which are for everyone.
    pub pgn: Router,
}

/// Why settings cannot be derived from a configuration.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// The password of the public's user cannot be read.
    #[error("http.public_username has no password: {0}")]
    Password(#[from] SecretError),
    /// TLS to the broker cannot be set up.
    #[error("TLS to the broker: {0}")]
    Tls(#[from] TlsProblem),
}

impl Settings {
    /// The settings from a configuration, for a listening address.
    ///
    /// # Errors
    ///
    /// Returns a [`SettingsError`]; its text contains no secret.
    pub fn of(
        config: &Config,
        listen: SocketAddr,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, SettingsError> {
        let password = config.http.public_password.as_ref();
        let password = password.map(SecretSource::read).transpose()?;
        let public = config.http.public_username.as_ref();
        let public = public.map(|username| Credentials {
            username: username.clone(),
            password: password.map_or_else(String::new, |secret| secret.reveal().to_owned()),
        });
        let languages = config.audience.languages.iter();
        Ok(Self {
            broker: Broker {
                brokers: config.mqtt.brokers.clone(),
                site: config.site.id.clone(),
                timing: Timing::default(),
                clock,
            },
            sites: config.http.sites.clone(),
            tls: config.mqtt.read_tls()?,
            public,
            listen,
            names: config.http.names.clone(),
            proxies: Proxies::new(&config.http.trusted_proxies),
            device_key: Some(config.journal.dir.join("devices.key")),
            delay_ms: config.audience.delay_ms,
            languages: languages
                .map(|language| language.code().to_owned())
                .collect(),
            tournaments: config.tournaments.clone(),
            pgn: Router::new(),
        })
    }

    /// The same settings for one of the further sites. The tournaments of the configuration are
    /// those of its own site.
    #[must_use]
    pub(super) fn at_site(&self, site: &SiteId) -> Self {
        Self {
            broker: Broker {
                site: site.clone(),
                ..self.broker.clone()
            },
            sites: Vec::new(),
            tournaments: Vec::new(),
            pgn: Router::new(),
            ..self.clone()
        }
    }

    /// The part of a cookie's name that tells it from those of other servers and sites: browsers
    /// send a cookie to every server on a host, whatever its port.
    pub(super) fn cookie_scope(&self) -> String {
        format!("{}-{}", self.broker.site, self.listen.port())
    }
}
