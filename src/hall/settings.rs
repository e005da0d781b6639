//! The settings of the hall, and how they follow from the configuration.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use axum::Router;

use super::{proxies::Proxies, upstream::Broker};
use crate::{
    config::{Config, SecretError, SecretSource, TlsProblem, Tournament},
    publish::mqtt::{Access, Credentials, CurrentAccess, Timing},
};
use remisd_vocabulary::{name::SiteId, time::Clock};

/// The settings of the hall.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The broker and the site.
    pub broker: Broker,
    /// Further sites at the same broker, whose pages are below `/site/<id>/`.
    pub sites: Vec<SiteId>,
    /// TLS to the broker, and the credentials for reading the public's topics.
    pub access: CurrentAccess,
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

/// Why the access of the public cannot be read from a configuration.
#[derive(Debug, thiserror::Error)]
pub enum PublicAccessError {
    /// The password of the public's user cannot be read.
    #[error("http.public_username has no password: {0}")]
    Password(#[from] SecretError),
    /// TLS to the broker cannot be set up.
    #[error("TLS to the broker: {0}")]
    Tls(#[from] TlsProblem),
}

/// Reads what those who read the public's topics present to the broker: `http.public_username`, or
/// nobody without it.
///
/// # Errors
///
/// Returns a [`PublicAccessError`]; its text contains no secret.
pub fn public_access(config: &Config) -> Result<Access, PublicAccessError> {
    let password = config.http.public_password.as_ref();
    let password = password.map(SecretSource::read).transpose()?;
    let public = config.http.public_username.as_ref();
    let credentials = public.map(|username| Credentials {
        username: username.clone(),
        password: password.map_or_else(String::new, |secret| secret.reveal().to_owned()),
    });
    let tls = config.mqtt.read_tls()?;
    Ok(Access { credentials, tls })
}

impl Settings {
    /// The settings from a configuration, for a listening address.
    #[must_use]
    pub fn of(
        config: &Config,
        access: CurrentAccess,
        listen: SocketAddr,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let languages = config.audience.languages.iter();
        Self {
            broker: Broker {
                brokers: config.mqtt.brokers.clone(),
                site: config.site.id.clone(),
                timing: Timing::default(),
                clock,
            },
            sites: config.http.sites.clone(),
            access,
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
        }
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

#[cfg(test)]
impl Settings {
    /// Settings for a broker that is unreachable.
    pub(super) fn without_broker() -> Self {
        Self {
            broker: Broker::unreachable(),
            sites: Vec::new(),
            access: CurrentAccess::fixed(Access::default()),
            listen: "127.0.0.1:0".parse().unwrap(),
            proxies: Proxies::default(),
            device_key: None,
            names: Vec::new(),
            delay_ms: 0,
            languages: Vec::new(),
            tournaments: Vec::new(),
            pgn: Router::new(),
        }
    }
}
