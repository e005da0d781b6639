//! Secrets as they are used, and those that cannot be: each is named by its key.

use remisd_broadcast::{lichess::Token, upload::PrivateKey};

use super::{
    secret::{Secret, SecretError, SecretSource},
    valid::{Config, SshLogin, Upload},
};

/// A key of the configuration that names something that cannot be used. No text of it contains a
/// secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {reason}")]
pub struct Unusable {
    key: String,
    reason: String,
    is_absent: bool,
}

impl Unusable {
    /// A key, and why what it names cannot be used.
    #[must_use]
    pub fn new(key: impl Into<String>, reason: &dyn std::fmt::Display) -> Self {
        Self {
            key: key.into(),
            reason: reason.to_string(),
            is_absent: false,
        }
    }

    fn of(base: &str, source: &SecretSource, error: &SecretError) -> Self {
        Self {
            is_absent: matches!(error, SecretError::NoCredentials { .. }),
            ..Self::new(key(base, source), error)
        }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether it is a credential, which only the systemd unit has.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        self.is_absent
    }
}

/// The key that names a secret: `mqtt.password_file` for a file of `mqtt.password`.
fn key(base: &str, source: &SecretSource) -> String {
    match source {
        SecretSource::Plain(_) => base.to_owned(),
        SecretSource::File(_) => format!("{base}_file"),
        SecretSource::Credential { .. } => format!("{base}_credential"),
    }
}

impl SecretSource {
    /// Reads the secret of the key `base`.
    ///
    /// # Errors
    ///
    /// [`Unusable`] with the whole key.
    pub fn read_of(&self, base: &str) -> Result<Secret, Unusable> {
        let read = self.read();
        read.map_err(|error| Unusable::of(base, self, &error))
    }

    /// Reads a secret that goes into a header.
    ///
    /// # Errors
    ///
    /// [`Unusable`] with the whole key.
    pub fn token_of(&self, base: &str) -> Result<Token, Unusable> {
        let secret = self.read_of(base)?;
        Token::new(secret.reveal()).map_err(|error| Unusable::new(key(base, self), &error))
    }

    /// Reads a private key for SSH.
    ///
    /// # Errors
    ///
    /// [`Unusable`] with the whole key.
    pub fn ssh_key_of(&self, base: &str) -> Result<PrivateKey, Unusable> {
        let secret = self.read_of(base)?;
        PrivateKey::new(secret.reveal()).map_err(|error| Unusable::new(key(base, self), &error))
    }
}

impl Config {
    /// Reads all secrets, and returns those that cannot be used.
    #[must_use]
    pub fn unusable_secrets(&self) -> Vec<Unusable> {
        let mut found = Vec::new();
        let mut note = |error: Option<Unusable>| found.extend(error);
        let text = |base: &str, source: Option<&SecretSource>| source?.read_of(base).err();
        let token = |base: &str, source: Option<&SecretSource>| source?.token_of(base).err();
        let mqtt = &self.mqtt;
        let identity = mqtt.tls.as_ref().and_then(|tls| tls.identity.as_ref());
        note(text("mqtt.password", mqtt.password.as_ref()));
        note(text("mqtt.key", identity.map(|identity| &identity.key)));
        note(text(
            "http.public_password",
            self.http.public_password.as_ref(),
        ));
        note(text("livechess.password", self.livechess.password.as_ref()));
        for (number, notify) in self.notify.iter().enumerate() {
            let base = format!("notify.{number}.token");
            note(token(&base, notify.token.as_ref()));
        }
        let lichess = self.broadcast.lichess.as_ref();
        note(token(
            LICHESS_TOKEN,
            lichess.and_then(|lichess| lichess.token.as_ref()),
        ));
        let rounds = self.private_rounds.as_ref();
        note(token(ROUNDS_TOKEN, rounds.map(|rounds| &rounds.token)));
        note(match &self.broadcast.upload {
            None => None,
            Some(Upload::Http { authorization, .. }) => {
                token(UPLOAD_AUTHORIZATION, authorization.as_ref())
            }
            Some(
                Upload::Ftps { password, .. }
                | Upload::Sftp {
                    login: SshLogin::Password(password),
                    ..
                },
            ) => text(UPLOAD_PASSWORD, Some(password)),
            Some(Upload::Sftp {
                login: SshLogin::Key(key),
                ..
            }) => key.ssh_key_of(UPLOAD_KEY).err(),
        });
        found
    }
}

/// The key of the token for Lichess, without the end that names its place; so are those below.
pub const LICHESS_TOKEN: &str = "broadcast.lichess.token";
/// The key of the token for private rounds.
pub const ROUNDS_TOKEN: &str = "private_rounds.token";
/// The key of the header for an upload by HTTP.
pub const UPLOAD_AUTHORIZATION: &str = "broadcast.upload_authorization";
/// The key of the password for an upload.
pub const UPLOAD_PASSWORD: &str = "broadcast.upload_password";
/// The key of the private key for an upload.
pub const UPLOAD_KEY: &str = "broadcast.upload_key";
