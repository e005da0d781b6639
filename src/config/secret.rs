//! Passwords and keys: read from where they are kept, never printed or written.

use std::{
    borrow::Cow,
    fmt,
    fs::File,
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

/// A secret text. It cannot be printed or serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps `text`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Reveals the text, for the code that has to send it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    /// Accepts a string only. The error does not repeat any other value.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl de::Visitor<'_> for Text {
            type Value = Secret;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text in quotes")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Secret, E> {
                Ok(Secret::new(text))
            }

            fn visit_i64<E: de::Error>(self, _: i64) -> Result<Secret, E> {
                Err(E::custom("a secret is a text in quotes, not a number"))
            }

            fn visit_f64<E: de::Error>(self, _: f64) -> Result<Secret, E> {
                Err(E::custom("a secret is a text in quotes, not a number"))
            }
        }

        deserializer.deserialize_any(Text)
    }
}

impl JsonSchema for Secret {
    fn schema_name() -> Cow<'static, str> {
        "Secret".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "writeOnly": true })
    }
}

/// The place where a secret is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// In the configuration itself.
    Plain(Secret),
    /// In a file that only its owner may read.
    File(PathBuf),
    /// With the service manager, which provides it in a directory for this unit only.
    Credential {
        /// Its name in `LoadCredential=`.
        name: String,
        /// `$CREDENTIALS_DIRECTORY`; `None` outside a unit that loads credentials.
        directory: Option<PathBuf>,
    },
}

/// Why a secret could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The operating system refused to read the file.
    #[error("cannot read the secret in {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// Other users can read the file.
    #[error("{} can be read by others (mode {mode:03o}): chmod 600", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The file is empty.
    #[error("the secret in {} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// A credential was requested outside a unit that loads it.
    #[error(
        "credential \"{name}\" cannot be found: $CREDENTIALS_DIRECTORY is not set \
         (it is where a unit has LoadCredential={name}:…)"
    )]
    NoCredentials {
        /// The credential's name.
        name: String,
    },
}

impl SecretSource {
    /// Reads the secret, without one line feed at its end.
    ///
    /// # Errors
    ///
    /// [`SecretError`]; its text never contains the secret.
    pub fn read(&self) -> Result<Secret, SecretError> {
        match self {
            Self::Plain(secret) => Ok(secret.clone()),
            Self::File(path) => {
                let file = File::open(path).map_err(|source| unreadable(path, source))?;
                let metadata = file.metadata().map_err(|source| unreadable(path, source))?;
                let mode = metadata.permissions().mode() & 0o777;
                if mode & 0o077 != 0 {
                    return Err(SecretError::Exposed {
                        path: path.clone(),
                        mode,
                    });
                }
                read(path, file)
            }
            Self::Credential {
                name,
                directory: None,
            } => Err(SecretError::NoCredentials { name: name.clone() }),
            Self::Credential {
                name,
                directory: Some(directory),
            } => {
                let path = directory.join(name);
                let file = File::open(&path).map_err(|source| unreadable(&path, source))?;
                read(&path, file)
            }
        }
    }
}

fn unreadable(path: &Path, source: io::Error) -> SecretError {
    SecretError::Unreadable {
        path: path.to_owned(),
        source,
    }
}

fn read(path: &Path, file: File) -> Result<Secret, SecretError> {
    let text = io::read_to_string(file).map_err(|source| unreadable(path, source))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err(SecretError::Empty {
            path: path.to_owned(),
        });
    }
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_password_file_is_for_its_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("password");
        fs::write(&path, "hunter2\n").unwrap();
        let source = SecretSource::File(path.clone());
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            match source.read() {
                Ok(secret) => assert!(good && secret.reveal() == "hunter2"),
                Err(error) => assert!(!good && error.to_string().contains("chmod 600")),
            }
        }
    }

    #[test]
    fn a_credential_comes_from_the_service_manager() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("mqtt-password"), "hunter2").unwrap();
        let source = |directory| SecretSource::Credential {
            name: "mqtt-password".to_owned(),
            directory,
        };
        let found = source(Some(dir.path().to_owned())).read().unwrap();
        assert_eq!(found.reveal(), "hunter2");
        let error = source(None).read().unwrap_err().to_string();
        assert!(error.contains("CREDENTIALS_DIRECTORY"), "{error}");
    }

    #[test]
    fn a_secret_is_not_printed() {
        assert_eq!(format!("{:?}", Secret::new("hunter2")), "Secret(***)");
    }
}
