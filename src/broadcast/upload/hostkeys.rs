//! The host keys by which an SSH server is known.

use std::{fmt, fs, io, path::Path, str::FromStr};

use russh::keys::{Algorithm, HashAlg, PublicKey, known_hosts::known_host_keys_path};

use super::Address;

/// The SHA-256 fingerprint of a host key, as `ssh-keygen -l` prints it: `SHA256:…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint(russh::keys::ssh_key::Fingerprint);

/// The text is no fingerprint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint as `ssh-keygen -l` prints it: SHA256: and 43 characters")]
pub struct NoFingerprint;

impl FromStr for Fingerprint {
    type Err = NoFingerprint;

    fn from_str(text: &str) -> Result<Self, NoFingerprint> {
        if !text.starts_with("SHA256:") {
            return Err(NoFingerprint);
        }
        text.parse().map(Self).map_err(|_| NoFingerprint)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The keys of a server. It proves who it is with any of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostKeys {
    fingerprints: Vec<Fingerprint>,
    known: Vec<PublicKey>,
}

/// Why the keys of a server are not known.
#[derive(Debug, thiserror::Error)]
pub enum HostKeysError {
    /// The file cannot be read.
    #[error("cannot read {file}: {source}")]
    Unreadable {
        /// The file.
        file: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// A line with the server's name has no key.
    #[error("{file} has a line for {host} without a key that can be used: {reason}")]
    Malformed {
        /// The file.
        file: String,
        /// The server.
        host: String,
        /// What is wrong.
        reason: String,
    },
    /// The file does not name the server, or its keys are revoked.
    #[error(
        "{file} has no key of {host} that is not revoked (with another port than 22, it is named [{host}]:port)"
    )]
    Unnamed {
        /// The file.
        file: String,
        /// The server.
        host: String,
    },
}

impl HostKeys {
    /// The keys with these fingerprints.
    #[must_use]
    pub const fn with_fingerprints(fingerprints: Vec<Fingerprint>) -> Self {
        Self {
            fingerprints,
            known: Vec::new(),
        }
    }

    /// The keys of a server in a file in the form of `known_hosts`.
    ///
    /// # Errors
    ///
    /// [`HostKeysError`].
    pub fn in_file(file: &Path, address: &Address) -> Result<Self, HostKeysError> {
        let name = || file.display().to_string();
        let host = || address.host().to_owned();
        // The library takes an unreadable file for an empty one.
        let text = fs::read(file).map_err(|source| HostKeysError::Unreadable {
            file: name(),
            source,
        })?;
        let revoked = revoked(&String::from_utf8_lossy(&text));
        let known =
            known_host_keys_path(address.host(), address.port(), file).map_err(|error| {
                HostKeysError::Malformed {
                    file: name(),
                    host: host(),
                    reason: error.to_string(),
                }
            })?;
        let known = known.into_iter().map(|(_, key)| key);
        let is_revoked =
            |key: &PublicKey| revoked.iter().any(|old| old.key_data() == key.key_data());
        let known: Vec<PublicKey> = known.filter(|key| !is_revoked(key)).collect();
        if known.is_empty() {
            return Err(HostKeysError::Unnamed {
                file: name(),
                host: host(),
            });
        }
        Ok(Self {
            fingerprints: Vec::new(),
            known,
        })
    }

    /// Whether a key is one of them.
    pub(super) fn has(&self, key: &PublicKey) -> bool {
        let fingerprint = Fingerprint(key.fingerprint(HashAlg::Sha256));
        let mut known = self.known.iter();
        self.fingerprints.contains(&fingerprint)
            || known.any(|known| known.key_data() == key.key_data())
    }

    /// The kinds of keys to ask the server for, of those that the client would take: with another
    /// kind, the server would show a key that is not known here.
    pub(super) fn kinds(&self, taken: &[Algorithm]) -> Vec<Algorithm> {
        let is_asked = |kind: &&Algorithm| {
            let mut known = self.known.iter().map(PublicKey::algorithm);
            known.any(|known| is_same_kind(&known, kind))
        };
        if self.known.is_empty() {
            taken.to_vec()
        } else {
            taken.iter().filter(is_asked).cloned().collect()
        }
    }
}

/// Whether two algorithms are for the same kind of key.
pub(super) fn is_same_kind(one: &Algorithm, other: &Algorithm) -> bool {
    match (one, other) {
        // The hash belongs to the signature, not to the key.
        (Algorithm::Rsa { .. }, Algorithm::Rsa { .. }) => true,
        (one, other) => one == other,
    }
}

/// The keys of the lines with `@revoked`, whatever host they name: the library passes them over.
fn revoked(text: &str) -> Vec<PublicKey> {
    let lines = text.lines().filter_map(|line| {
        let mut fields = line
            .trim()
            .strip_prefix("@revoked")?
            .split_whitespace()
            .skip(1);
        let key = format!("{} {}", fields.next()?, fields.next()?);
        PublicKey::from_openssh(&key).ok()
    });
    lines.collect()
}

/// The fingerprint of a key, to name it.
pub(super) fn fingerprint(key: &PublicKey) -> Fingerprint {
    Fingerprint(key.fingerprint(HashAlg::Sha256))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

    #[test]
    fn a_server_is_known_by_its_name_and_port() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("known_hosts");
        fs::write(
            &file,
            format!("[h]:2222,h ssh-ed25519 {KEY}\nk ssh-ed25519 ???\n"),
        )
        .unwrap();
        let keys = |address: &str| HostKeys::in_file(&file, &address.parse().unwrap());
        for address in ["sftp://u@h", "sftp://u@h:2222/x"] {
            let keys = keys(address).unwrap();
            let key = russh::keys::parse_public_key_base64(KEY).unwrap();
            assert!(keys.has(&key), "{address}");
            let all = [Algorithm::Rsa { hash: None }, Algorithm::Ed25519];
            assert_eq!(keys.kinds(&all), [Algorithm::Ed25519]);
            let shown = fingerprint(&key).to_string().parse().unwrap();
            assert!(HostKeys::with_fingerprints(vec![shown]).has(&key));
        }
        let other = keys("sftp://u@h:23").unwrap_err();
        assert!(matches!(other, HostKeysError::Unnamed { .. }), "{other}");
        let broken = keys("sftp://u@k").unwrap_err();
        assert!(
            matches!(broken, HostKeysError::Malformed { .. }),
            "{broken}"
        );
        fs::remove_file(&file).unwrap();
        let gone = keys("sftp://u@h").unwrap_err();
        assert!(matches!(gone, HostKeysError::Unreadable { .. }), "{gone}");
    }

    #[test]
    fn a_revoked_key_is_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("known_hosts");
        let line = format!("h ssh-ed25519 {KEY}");
        fs::write(
            &file,
            format!("{line}\n@revoked *  ssh-ed25519   {KEY} stolen\n"),
        )
        .unwrap();
        let refused = HostKeys::in_file(&file, &"sftp://u@h".parse().unwrap()).unwrap_err();
        assert!(
            matches!(refused, HostKeysError::Unnamed { .. }),
            "{refused}"
        );
    }

    #[test]
    fn a_fingerprint_is_whole() {
        for wrong in ["", "SHA256:", "SHA256:abc", "MD5:00:11", KEY] {
            assert_eq!(wrong.parse::<Fingerprint>(), Err(NoFingerprint), "{wrong}");
        }
    }
}
