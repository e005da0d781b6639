//! Generated passwords, and how Mosquitto keeps them.
//!
//! A line of Mosquitto's password file, as `mosquitto_passwd` of version 2.0 writes it:
//!
//! ```text
//! name:$7$101$<salt, 12 bytes in Base64>$<PBKDF2 with HMAC-SHA-512, 64 bytes in Base64>
//! ```

use std::num::NonZeroU32;

use anyhow::Context as _;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::pbkdf2;

/// Rounds of the derivation. Mosquitto's own number: the broker does them in its only
/// thread at each sign-in, and generated passwords cannot be guessed anyway.
const ROUNDS: NonZeroU32 = NonZeroU32::new(101).expect("101 is not zero");
/// Bytes of salt.
const SALT: usize = 12;
/// Letters of a password: none that looks like another one. 32 of them, five bits each.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Letters of a password, in groups of four: 100 bits.
const LENGTH: usize = 20;

/// A new password: `k7ms-x2qd-…`.
///
/// # Errors
///
/// When the system has no random numbers.
pub fn generate() -> anyhow::Result<String> {
    let mut bytes = [0; LENGTH];
    fill(&mut bytes)?;
    let groups = bytes.chunks(4).map(|group| {
        let letters = group.iter().map(|byte| LETTERS[usize::from(byte % 32)]);
        letters.map(char::from).collect::<String>()
    });
    Ok(groups.collect::<Vec<_>>().join("-"))
}

/// The line of Mosquitto's password file for a user.
///
/// # Errors
///
/// When the system has no random numbers.
pub fn line(user: &str, password: &str) -> anyhow::Result<String> {
    let mut salt = [0; SALT];
    fill(&mut salt)?;
    Ok(format!("{user}:{}\n", hash(password, &salt)))
}

fn hash(password: &str, salt: &[u8]) -> String {
    let mut key = [0; 64];
    let algorithm = pbkdf2::PBKDF2_HMAC_SHA512;
    pbkdf2::derive(algorithm, ROUNDS, salt, password.as_bytes(), &mut key);
    format!(
        "$7${ROUNDS}${}${}",
        STANDARD.encode(salt),
        STANDARD.encode(key)
    )
}

fn fill(bytes: &mut [u8]) -> anyhow::Result<()> {
    getrandom::fill(bytes).context("this computer has no random numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_differ_and_have_letters_that_cannot_be_confused() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), LENGTH + 4);
        for letter in one.bytes().filter(|letter| *letter != b'-') {
            assert!(LETTERS.contains(&letter) && !b"lo01".contains(&letter));
        }
    }

    #[test]
    fn a_hash_is_mosquittos() {
        // Made by mosquitto_passwd 2.0.11.
        let salt = STANDARD.decode("EbNzls7YZkRB1o+q").unwrap();
        assert_eq!(
            hash("secret", &salt),
            "$7$101$EbNzls7YZkRB1o+q$GRzNH9o9jqGRV6ssOogYnisILW9WvsT1zjllD6Zt0lrpm5NzageskD2JpLA/bB2ge7JnMPG1pN7qyUEpPkNqrA=="
        );
        assert_ne!(line("a", "x").unwrap(), line("a", "x").unwrap());
    }
}
