//! How a user logs in to an SSH server.

use std::{fmt, sync::Arc};

use russh::keys::decode_secret_key;

/// How a user logs in.
#[derive(Clone)]
pub enum Login {
    /// With a password.
    Password(String),
    /// With a private key.
    Key(PrivateKey),
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Password(_) => "Password(…)",
            Self::Key(_) => "Key(…)",
        })
    }
}

/// A private key without a passphrase. It is never shown.
#[derive(Clone)]
pub struct PrivateKey(Arc<russh::keys::PrivateKey>);

/// The text is no private key that can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoPrivateKey {
    /// It is another thing.
    #[error("not a private key in the format of OpenSSH or in PEM")]
    Malformed,
    /// It needs a passphrase.
    #[error("the private key has a passphrase: ssh-keygen -p removes it")]
    Locked,
}

impl PrivateKey {
    /// The key in a text.
    ///
    /// # Errors
    ///
    /// [`NoPrivateKey`]; it does not hold the text.
    pub fn new(text: &str) -> Result<Self, NoPrivateKey> {
        // The line feed at the end belongs to the form.
        let text = format!("{}\n", text.trim_end());
        match decode_secret_key(&text, None) {
            Ok(key) if key.is_encrypted() => Err(NoPrivateKey::Locked),
            Ok(key) => Ok(Self(Arc::new(key))),
            Err(russh::keys::Error::KeyIsEncrypted) => Err(NoPrivateKey::Locked),
            Err(_) => Err(NoPrivateKey::Malformed),
        }
    }

    /// The key for the library.
    pub(super) fn shared(&self) -> Arc<russh::keys::PrivateKey> {
        Arc::clone(&self.0)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_key_is_never_shown() {
        for text in ["", "hunter2", "-----BEGIN OPENSSH PRIVATE KEY-----\nx\n"] {
            let error = PrivateKey::new(text).unwrap_err();
            assert_eq!(error, NoPrivateKey::Malformed, "{text}");
        }
        let login = Login::Password("hunter2".to_owned());
        assert!(!format!("{login:?}").contains("hunter2"));
    }
}
