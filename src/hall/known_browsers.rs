//! Known browsers, in which a user has signed in before. Wrong passwords entered elsewhere do not
//! delay them.
//!
//! Each sign-in sets a cookie with an authenticated token. It proves that this browser once knew
//! the user's password. The token grants no access; it only gives the browser its own attempts. So
//! guessing a user's password from elsewhere does not lock the user out.

use std::{fs, io, os::unix::fs::OpenOptionsExt as _, path::Path};

use axum::http::{HeaderMap, HeaderValue};
use jiff::Timestamp;
use ring::hmac;

use super::sessions::{NoRandomness, cookie_named, random_word};

/// The lifetime of a token: half a year.
const LIFETIME_S: i64 = 180 * 24 * 60 * 60;
/// The number of users remembered per browser.
const USERS: usize = 4;
/// The length of the key, in bytes.
const KEY: usize = 32;

/// Issues and verifies the tokens.
#[derive(Debug)]
pub struct KnownBrowsers {
    key: hmac::Key,
    cookie: String,
}

/// The id of a known browser, for one user.
pub type Device = String;

impl KnownBrowsers {
    /// Uses the key in `file`, which is created if necessary, and a cookie of this name.
    ///
    /// If the file is not available, the key is lost with the process.
    ///
    /// # Errors
    ///
    /// Returns [`NoRandomness`].
    pub fn open(file: Option<&Path>, cookie: String) -> Result<Self, NoRandomness> {
        let kept = file.and_then(|file| fs::read(file).ok());
        let key = if let Some(key) = kept.filter(|key| key.len() == KEY) {
            key
        } else {
            let mut key = vec![0; KEY];
            getrandom::fill(&mut key).map_err(NoRandomness::from)?;
            if let Some(Err(error)) = file.map(|file| keep(file, &key)) {
                tracing::debug!("browsers are known until the next start only: {error}");
            }
            key
        };
        Ok(Self {
            key: hmac::Key::new(hmac::HMAC_SHA256, &key),
            cookie,
        })
    }

    /// The browser that sent these headers, if `user` has signed in there before.
    #[must_use]
    pub fn known(&self, headers: &HeaderMap, user: &str, now: Timestamp) -> Option<Device> {
        self.tokens(headers).find_map(|token| {
            let (text, seal) = token.rsplit_once('.')?;
            let (number, issued) = text.split_once('.')?;
            let issued: i64 = issued.parse().ok()?;
            let age = now.as_second().saturating_sub(issued);
            let seal = u128::from_str_radix(seal, 16)
                .ok()
                .filter(|_| seal.len() == 32)?;
            let good = age < LIFETIME_S && self.seal(text, user) == seal;
            good.then(|| number.to_owned())
        })
    }

    /// The cookie for a browser in which `user` has just signed in.
    ///
    /// # Errors
    ///
    /// Returns [`NoRandomness`].
    pub fn cookie(
        &self,
        headers: &HeaderMap,
        user: &str,
        now: Timestamp,
        encrypted: bool,
    ) -> Result<HeaderValue, NoRandomness> {
        let text = format!("{}.{}", random_word()?, now.as_second());
        let token = format!("{text}.{:032x}", self.seal(&text, user));
        // Tokens of other users are kept; they do not reveal whose they are.
        let others = self.tokens(headers).take(USERS - 1).map(str::to_owned);
        let tokens: Vec<String> = std::iter::once(token).chain(others).collect();
        let value = tokens.join("~");
        let secure = if encrypted { "; Secure" } else { "" };
        let text = format!(
            "{}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={LIFETIME_S}{secure}",
            self.cookie
        );
        Ok(HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("")))
    }

    fn tokens<'a>(&self, headers: &'a HeaderMap) -> impl Iterator<Item = &'a str> + use<'a> {
        let tokens = cookie_named(headers, &self.cookie);
        let tokens = tokens.into_iter().flat_map(|tokens| tokens.split('~'));
        tokens.filter(|token| token.len() < 128).take(USERS)
    }

    /// The authentication code of a token, truncated to 128 bits.
    fn seal(&self, text: &str, user: &str) -> u128 {
        let tag = hmac::sign(&self.key, format!("{text} {user}").as_bytes());
        let half = tag.as_ref().iter().take(16);
        half.fold(0, |seal, byte| seal << 8 | u128::from(*byte))
    }
}

fn keep(file: &Path, key: &[u8]) -> io::Result<()> {
    use io::Write as _;
    let mut options = fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(file)?;
    file.write_all(key)
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn sent_back(cookie: &HeaderValue) -> HeaderMap {
        let pair = cookie.to_str().unwrap().split(';').next().unwrap();
        HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(pair).unwrap())])
    }

    #[test]
    fn a_browser_is_known_for_its_users_until_it_is_too_old() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("devices.key");
        let open = || KnownBrowsers::open(Some(&file), "known".to_owned()).unwrap();
        let devices = open();
        let new_browser = HeaderMap::new();
        assert_eq!(devices.known(&new_browser, "arbiter", at(0)), None);
        let one = sent_back(
            &devices
                .cookie(&new_browser, "arbiter", at(0), false)
                .unwrap(),
        );
        let both = sent_back(&devices.cookie(&one, "b1-white", at(5), true).unwrap());
        // Also after a restart of the server.
        for devices in [&devices, &open()] {
            assert!(devices.known(&both, "arbiter", at(10)).is_some());
            assert!(devices.known(&both, "b1-white", at(10)).is_some());
            assert_eq!(devices.known(&both, "operator", at(10)), None);
            assert_eq!(devices.known(&both, "arbiter", at(LIFETIME_S)), None);
        }
        let elsewhere = KnownBrowsers::open(None, "known".to_owned()).unwrap();
        assert_eq!(
            elsewhere.known(&both, "arbiter", at(10)),
            None,
            "another key"
        );
        let other_name = KnownBrowsers::open(Some(&file), "other".to_owned()).unwrap();
        assert_eq!(
            other_name.known(&both, "arbiter", at(10)),
            None,
            "another server's"
        );
    }
}
