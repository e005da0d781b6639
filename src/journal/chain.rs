//! The chain that ties each line of a journal to all lines before it.
//!
//! A link is the SHA-256 (FIPS 180-4) of the previous link followed by the sealed bytes. Anyone who
//! knows one link can detect every later change, omission or addition before it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

const BYTES: usize = 32;
/// Hexadecimal digits of a link.
pub const DIGITS: usize = 2 * BYTES;

/// One link of the chain; in JSON, 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ChainLink([u8; BYTES]);

impl ChainLink {
    /// The predecessor of the very first link.
    pub const NONE: Self = Self([0; BYTES]);

    /// The first link of a segment. It seals the header, which names the previous link.
    #[must_use]
    pub fn of_header(header: &[u8]) -> Self {
        Self(Sha256::digest(header).into())
    }

    /// The next link, which seals `bytes`.
    #[must_use]
    pub fn then(self, bytes: &[u8]) -> Self {
        let hash = Sha256::new().chain_update(self.0).chain_update(bytes);
        Self(hash.finalize().into())
    }
}

impl fmt::Display for ChainLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<ChainLink> for String {
    fn from(link: ChainLink) -> Self {
        link.to_string()
    }
}

impl TryFrom<String> for ChainLink {
    type Error = InvalidChainLink;

    fn try_from(text: String) -> Result<Self, InvalidChainLink> {
        text.parse()
    }
}

/// The text is not a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a link of the chain has {DIGITS} lower-case hexadecimal digits")]
pub struct InvalidChainLink;

impl FromStr for ChainLink {
    type Err = InvalidChainLink;

    fn from_str(text: &str) -> Result<Self, InvalidChainLink> {
        let digits = text.as_bytes();
        if digits.len() != DIGITS {
            return Err(InvalidChainLink);
        }
        let mut link = [0; BYTES];
        for (byte, pair) in link.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Ok(Self(link))
    }
}

const fn digit(digit: u8) -> Result<u8, InvalidChainLink> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(InvalidChainLink),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_the_hash_of_the_one_before_and_of_what_it_seals() {
        // SHA-256 of 32 zero bytes followed by "{}", computed by another program.
        let link = ChainLink::NONE.then(b"{}");
        let text = link.to_string();
        assert_eq!(
            text,
            "fb1634c4e6cd4b1f1afe3ce2d6ef080f7ac5d1f357d723ad4dfca782733b62db"
        );
        assert_eq!(text.parse(), Ok(link));
    }

    #[test]
    fn what_is_no_link_is_refused() {
        let good = ChainLink::NONE.to_string();
        for bad in ["", &good[1..], &good.replace('0', "A"), &format!("{good}0")] {
            assert_eq!(bad.parse::<ChainLink>(), Err(InvalidChainLink), "{bad}");
        }
    }
}
