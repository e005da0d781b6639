//! What the hall must be told, and how it stands in the configuration.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use super::{proxies::Proxies, upstream::Broker};
use crate::{
    config::{Config, SecretError, SecretSource, TlsProblem},
    publish::mqtt::{Credentials, Timing, Tls},
};
use remisd_vocabulary::time::Clock;

/// What the hall must be told.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The broker and the site.
    pub broker: Broker,
    /// How TLS is spoken to the broker.
    pub tls: Option<Tls>,
    /// Who reads the topics of the public; `None` for nobody in particular.
    pub public: Option<Credentials>,
    /// Where pages are served.
    pub listen: SocketAddr,
    /// Names under which browsers may ask for them, beside this computer's own.
    pub names: Vec<String>,
    /// The web servers whose word is taken for where a request comes from.
    pub proxies: Proxies,
    /// Where the key is kept by which browsers are known again; `None` for nowhere.
    pub device_key: Option<PathBuf>,
    /// How long the public waits, in milliseconds.
    pub delay_ms: u64,
    /// The languages of texts in payloads.
    pub languages: Vec<String>,
}

/// Why there are no settings.
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
    /// Those of a configuration, for an address.
    ///
    /// # Errors
    ///
    /// [`SettingsError`]; its text holds no secret.
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
                url: config.mqtt.url.clone(),
                site: config.site.id.clone(),
                timing: Timing::default(),
                clock,
            },
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
        })
    }
}
