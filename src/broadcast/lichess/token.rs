//! The access token, never shown.

use std::fmt;

/// A secret for the header `Authorization`.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// The text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret is empty or contains characters that an HTTP header cannot carry")]
pub struct NoToken;

impl Token {
    /// A secret that the caller has read.
    ///
    /// # Errors
    ///
    /// [`NoToken`] if it cannot stand in a header; the error does not hold it.
    pub fn new(secret: &str) -> Result<Self, NoToken> {
        let secret = secret.trim();
        let fits = !secret.is_empty() && secret.chars().all(|c| c == ' ' || c.is_ascii_graphic());
        fits.then(|| Self(secret.to_owned())).ok_or(NoToken)
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
    fn a_token_is_in_a_header_and_nowhere_else() {
        let token = Token::new("lip_Abc123\n").unwrap();
        assert_eq!(token.reveal(), "lip_Abc123");
        assert!(!format!("{token:?}").contains("Abc"));
        for bad in ["", "\n", "a\r\nHost: x", "ü"] {
            assert_eq!(Token::new(bad), Err(NoToken), "{bad:?}");
        }
    }
}
