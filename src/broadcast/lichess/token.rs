//! The access token: read from a file that only its owner can read, and never shown.

use std::{
    fmt, fs, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

/// A secret for the header `Authorization`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Others can read the file.
    #[error("{}: others can read it (mode {mode:o}); use chmod 600", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file holds no token.
    #[error("{}: a token has only letters, digits and _", path.display())]
    Form {
        /// The file.
        path: PathBuf,
    },
}

impl Token {
    /// A secret that the caller has read.
    #[must_use]
    pub const fn new(secret: String) -> Self {
        Self(secret)
    }

    /// Reads the token in a file, which must have the mode 0600 or stricter.
    ///
    /// # Errors
    ///
    /// A [`TokenError`]; it never holds the token.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let failed = |error| TokenError::Io {
            path: path.to_owned(),
            error,
        };
        let mode = fs::metadata(path).map_err(failed)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(TokenError::Open {
                path: path.to_owned(),
                mode,
            });
        }
        let text = fs::read_to_string(path).map_err(failed)?;
        let text = text.trim();
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if text.is_empty() || !text.chars().all(allowed) {
            return Err(TokenError::Form {
                path: path.to_owned(),
            });
        }
        Ok(Self(text.to_owned()))
    }

    /// The secret itself.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_only_from_a_file_of_ones_own_and_never_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        assert!(matches!(Token::read(&path), Err(TokenError::Io { .. })));
        fs::write(&path, "lip_Abc123\n").unwrap();
        for (mode, fits) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(Token::read(&path).is_ok(), fits, "{mode:o}");
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let token = Token::read(&path).unwrap();
        assert_eq!(token.reveal(), "lip_Abc123");
        assert!(!format!("{token:?}").contains("Abc"));
        for bad in ["", "two words", "a-b"] {
            fs::write(&path, bad).unwrap();
            let error = Token::read(&path).unwrap_err();
            assert!(matches!(error, TokenError::Form { .. }), "{bad}");
            assert!(bad.is_empty() || !error.to_string().contains(bad));
        }
    }
}
