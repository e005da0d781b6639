//! The section `[mqtt]`: the broker, our identity towards it, and the authorities we trust.

use std::path::PathBuf;

use super::{
    problem::Problem,
    raw,
    secret::{SecretError, SecretSource},
    valid,
    validate::{Check, span},
    value::{Key, Origin},
};
use crate::publish::mqtt::{Brokers, Identity, Tls, TlsError};

/// The allowed broker URLs, as an error message lists them.
const ALLOWED: &str = "allowed: mqtt://HOST[:PORT], or mqtts:// for TLS; an IPv6 address in \
                       brackets; several addresses with commas between them";

impl Check<'_> {
    pub(super) fn mqtt(&mut self, mqtt: &raw::Mqtt) -> Option<valid::Mqtt> {
        let text = self.text("mqtt.url", &mqtt.url);
        let brokers = text.and_then(|text| match text.parse::<Brokers>() {
            Ok(brokers) => Some(brokers),
            Err(wrong) => self.refuse("mqtt.url", &mqtt.url, wrong.to_string(), ALLOWED),
        });
        let client_id = self.text("mqtt.client_id", &mqtt.client_id);
        let username = self.text("mqtt.username", &mqtt.username);
        let password = self.broker_password(mqtt);
        let tls = self.tls(mqtt);
        let home_assistant = self.name("mqtt.home_assistant", &mqtt.home_assistant);
        let brokers = brokers?;
        if !brokers.is_tls()
            && let Some((key, origin)) = first_of_tls(mqtt)
        {
            self.problems.push(Problem {
                key: key.to_owned(),
                origin: origin.clone(),
                message: format!("{} is a broker without TLS", brokers.first()),
                allowed: "write mqtts:// in mqtt.url, or leave this key out".to_owned(),
                beside: span(&mqtt.url.origin).map(|span| (span, "given here")),
            });
        }
        let tls = brokers.is_tls().then_some(tls);
        Some(valid::Mqtt {
            brokers,
            client_id: client_id.map(str::to_owned),
            username: username.map(str::to_owned),
            password,
            tls,
            home_assistant,
        })
    }

    fn broker_password(&mut self, mqtt: &raw::Mqtt) -> Option<SecretSource> {
        let plain = mqtt.password.value.clone().map(SecretSource::Plain);
        let file = self.text("mqtt.password_file", &mqtt.password_file);
        let file = file.map(|file| SecretSource::File(file.into()));
        let credential = self.credential("mqtt.password_credential", &mqtt.password_credential);
        let (key, origin, source) = self.one_of(
            "the password",
            [
                ("mqtt.password", &mqtt.password.origin, plain),
                ("mqtt.password_file", &mqtt.password_file.origin, file),
                (
                    "mqtt.password_credential",
                    &mqtt.password_credential.origin,
                    credential,
                ),
            ],
        )?;
        self.needs_user(key, origin, ("mqtt.username", &mqtt.username));
        source
    }

    fn tls(&mut self, mqtt: &raw::Mqtt) -> valid::Tls {
        let ca_file = self.path("mqtt.ca_file", &mqtt.ca_file).map(PathBuf::from);
        let certificates = self.path("mqtt.cert_file", &mqtt.cert_file);
        let certificates = certificates.map(PathBuf::from);
        let file = self.path("mqtt.key_file", &mqtt.key_file);
        let file = file.map(|file| SecretSource::File(file.into()));
        let credential = self.credential("mqtt.key_credential", &mqtt.key_credential);
        let key = self.one_of(
            "the private key",
            [
                ("mqtt.key_file", &mqtt.key_file.origin, file),
                (
                    "mqtt.key_credential",
                    &mqtt.key_credential.origin,
                    credential,
                ),
            ],
        );
        let half = match (&mqtt.cert_file.value, &key) {
            (Some(_), None) => Some((
                "mqtt.cert_file",
                &mqtt.cert_file.origin,
                "there is a certificate but no private key",
                "set mqtt.key_file or mqtt.key_credential as well",
            )),
            (None, Some((name, origin, _))) => Some((
                *name,
                *origin,
                "there is a private key but no certificate",
                "set mqtt.cert_file as well",
            )),
            _ => None,
        };
        if let Some((name, origin, message, allowed)) = half {
            self.problems.push(Problem {
                key: name.to_owned(),
                origin: origin.clone(),
                message: message.to_owned(),
                allowed: allowed.to_owned(),
                beside: None,
            });
        }
        let identity = certificates.zip(key.and_then(|(_, _, source)| source));
        valid::Tls {
            ca_file,
            identity: identity.map(|(certificates, key)| valid::Identity { certificates, key }),
            runtime_dir: self.environment.runtime_dir(),
        }
    }

    /// A secret kept by the service manager.
    pub(super) fn credential(&mut self, path: &str, key: &Key<String>) -> Option<SecretSource> {
        let name = self.text(path, key)?;
        if name.contains('/') || name.starts_with('.') {
            let message = format!("\"{name}\" is not a credential's name");
            let allowed = "allowed: the name in LoadCredential=, without a path";
            return self.refuse(path, key, message, allowed);
        }
        Some(SecretSource::Credential {
            name: name.to_owned(),
            directory: self.environment.credentials.clone().map(PathBuf::from),
        })
    }
}

/// Why TLS to the broker cannot be set up.
#[derive(Debug, thiserror::Error)]
pub enum TlsProblem {
    /// The private key cannot be read.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The certificates or the key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl valid::Mqtt {
    /// Reads certificates and key for TLS; `None` for a broker without TLS.
    ///
    /// # Errors
    ///
    /// [`TlsProblem`]; its text never contains the key.
    pub fn read_tls(&self) -> Result<Option<Tls>, TlsProblem> {
        let Some(tls) = &self.tls else {
            return Ok(None);
        };
        let key = tls.identity.as_ref().map(|identity| identity.key.read());
        let key = key.transpose()?;
        let identity = tls.identity.as_ref().zip(key.as_ref());
        let identity = identity.map(|(identity, key)| Identity {
            certificates: &identity.certificates,
            key: key.reveal(),
        });
        let ca_file = tls.ca_file.as_deref();
        let tls = Tls::new(ca_file, identity.as_ref(), tls.runtime_dir.clone())?;
        Ok(Some(tls))
    }
}

/// The first key that concerns TLS.
fn first_of_tls(mqtt: &raw::Mqtt) -> Option<(&'static str, &Origin)> {
    let keys = [
        ("mqtt.ca_file", &mqtt.ca_file),
        ("mqtt.cert_file", &mqtt.cert_file),
        ("mqtt.key_file", &mqtt.key_file),
        ("mqtt.key_credential", &mqtt.key_credential),
    ];
    let mut given = keys.into_iter().filter(|(_, key)| key.value.is_some());
    given.next().map(|(name, key)| (name, &key.origin))
}
