//! The sessions: which browser is signed in as whom.
//!
//! A session is identified by a random key in a cookie that scripts cannot read. Sessions exist
//! only in memory and end with the server. Each grant of a session holds the connection of the
//! broker user who signed in.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::http::{HeaderMap, HeaderValue, header};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{role::Role, upstream::Upstream};
use remisd_vocabulary::{
    name::BoardId,
    time::{Moment, Span},
};

/// The maximum number of sessions. One more ends a session of the user who has the most.
const SESSIONS: usize = 1024;
/// The maximum number of roles per browser.
const GRANTS: usize = 16;
/// The maximum number of open feeds per browser: one for each of its roles.
const FEEDS: usize = GRANTS;
/// A session unused for this long ends.
const IDLE: Span = Span::from_millis(16 * 60 * 60 * 1000);

/// A role granted to a browser.
#[derive(Debug, Clone, Serialize)]
pub struct Grant {
    /// The role.
    pub role: Role,
    /// The board, for the roles of a single board.
    pub board: Option<BoardId>,
    /// The broker's user; `None` if the broker requires none.
    pub user: Option<String>,
    /// The person who presses the buttons.
    pub name: Option<String>,
    /// The user's connection.
    #[serde(skip)]
    pub upstream: Arc<Upstream>,
}

impl Grant {
    /// Whether the grant is for this role and, for a role of a single board, for this board.
    #[must_use]
    pub fn fits(&self, role: Role, board: Option<&BoardId>) -> bool {
        self.role == role && (!role.is_of_a_board() || self.board.as_ref() == board)
    }
}

/// The hash of a session key: the keys themselves are not kept in memory.
type KeyHash = [u8; 32];

#[derive(Debug)]
struct BrowserSession {
    held: Held,
    /// The broker user who signed in last.
    user: Option<String>,
    used: Moment,
}

/// The state of a browser, independent of its current key.
#[derive(Debug, Clone)]
pub struct Held(Arc<Own>);

#[derive(Debug)]
struct Own {
    /// Lock order: the sessions before this.
    grants: Mutex<Vec<Grant>>,
    /// The slots for the browser's feeds, which outlive the key with which they were opened.
    feeds: Arc<Semaphore>,
}

impl Held {
    fn nothing() -> Self {
        Self(Arc::new(Own {
            grants: Mutex::default(),
            feeds: Arc::new(Semaphore::new(FEEDS)),
        }))
    }

    fn grants(&self) -> MutexGuard<'_, Vec<Grant>> {
        // Every change is atomic, as for the sessions.
        (self.0.grants.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_of(&self, session: &BrowserSession) -> bool {
        Arc::ptr_eq(&self.0, &session.held.0)
    }
}

/// All sessions.
#[derive(Debug)]
pub struct Sessions {
    /// The name of the cookie.
    cookie: String,
    by_key: Mutex<HashMap<KeyHash, BrowserSession>>,
}

/// The system provides no randomness for a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system's random number generator failed: {0}")]
pub struct NoRandomness(String);

impl From<getrandom::Error> for NoRandomness {
    fn from(error: getrandom::Error) -> Self {
        Self(error.to_string())
    }
}

impl Sessions {
    /// An empty set of sessions with their keys in a cookie of this name.
    ///
    /// Another server on the same host needs another name; otherwise a sign-in at one would sign
    /// the browser out at the other.
    #[must_use]
    pub fn new(cookie: String) -> Self {
        Self {
            cookie,
            by_key: Mutex::default(),
        }
    }

    /// The grants of the browser that sent these headers, except those that the broker has revoked.
    #[must_use]
    pub fn grants(&self, headers: &HeaderMap, now: Moment) -> Vec<Grant> {
        let Some(key) = self.key_in(headers) else {
            return Vec::new();
        };
        let mut sessions = self.lock_used(now);
        let session = sessions.get_mut(&hash(key));
        session.map_or_else(Vec::new, |session| {
            session.used = now;
            let grants = session.held.grants();
            let good = grants.iter();
            let good = good.filter(|grant| !grant.upstream.is_refused());
            good.cloned().collect()
        })
    }

    /// The state of the browser that sent these headers, to be read before the broker checks the password.
    #[must_use]
    pub fn held(&self, headers: &HeaderMap, now: Moment) -> Option<Held> {
        let key = hash(self.key_in(headers)?);
        let sessions = self.lock_used(now);
        sessions.get(&key).map(|session| session.held.clone())
    }

    /// Reserves a slot for a feed of the browser that sent these headers; `None` if all are taken.
    #[must_use]
    pub fn place(&self, headers: &HeaderMap) -> Option<OwnedSemaphorePermit> {
        let places = Arc::clone(&self.lock().get(&hash(self.key_in(headers)?))?.held.0.feeds);
        places.try_acquire_owned().ok()
    }

    /// Adds a grant to the browser's session, or starts one, and returns all its grants and the
    /// cookie.
    ///
    /// The key changes each time, so a key from before the sign-in opens nothing.
    ///
    /// `held` is the state of the browser from before the broker checked the password. If another sign-in
    /// has since renewed the key, both keys share their grants until the browser shows which one it
    /// received. If the browser has since signed out, the sign-out counts.
    ///
    /// One gap remains: an attacker may plant their own session's cookie in a victim's browser. If
    /// both sign in with it at the same moment, the attacker also gets the victim's grants.
    ///
    /// # Errors
    ///
    /// Returns [`NoRandomness`].
    pub fn add(
        &self,
        headers: &HeaderMap,
        held: Option<Held>,
        grant: Grant,
        now: Moment,
    ) -> Result<(Vec<Grant>, HeaderValue), NoRandomness> {
        let key = random_word()?;
        let mut sessions = self.lock();
        let before = self
            .key_in(headers)
            .and_then(|key| sessions.remove(&hash(key)));
        let held = match before {
            Some(before) => {
                // The browser has shown which key it received; its other keys are obsolete.
                sessions.retain(|_, session| !before.held.is_of(session));
                before.held
            }
            None => held.unwrap_or_else(Held::nothing),
        };
        let user = grant.user.clone();
        let grants = {
            let mut grants = held.grants();
            grants.retain(|old| !old.fits(grant.role, grant.board.as_ref()));
            if grants.len() >= GRANTS {
                grants.remove(0);
            }
            grants.push(grant);
            grants.clone()
        };
        if sessions.len() >= SESSIONS {
            evict(&mut sessions);
        }
        let session = BrowserSession {
            held,
            user,
            used: now,
        };
        sessions.insert(hash(&key), session);
        Ok((grants, cookie(&self.cookie, &key, is_encrypted(headers))))
    }

    /// Revokes the grants of a role, or all grants, under every key of the browser.
    pub fn remove(&self, headers: &HeaderMap, role: Option<Role>) {
        let Some(key) = self.key_in(headers).map(hash) else {
            return;
        };
        let mut sessions = self.lock();
        let Some(held) = sessions.get(&key).map(|session| session.held.clone()) else {
            return;
        };
        let is_over = {
            let mut grants = held.grants();
            grants.retain(|grant| role.is_some_and(|role| grant.role != role));
            grants.is_empty()
        };
        if is_over {
            sessions.retain(|_, session| !held.is_of(session));
        }
    }

    /// Locks the sessions after removing those that have expired.
    fn lock_used(&self, now: Moment) -> MutexGuard<'_, HashMap<KeyHash, BrowserSession>> {
        let mut sessions = self.lock();
        sessions.retain(|_, session| now - session.used < IDLE);
        sessions
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<KeyHash, BrowserSession>> {
        // Every change is atomic, so a panic leaves the map consistent.
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key_in<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        cookie_named(headers, &self.cookie).filter(|key| key.len() == 32)
    }
}

/// Ends one session: the least recently used one of the user who has the most sessions. A user is
/// therefore never displaced by another who has more.
fn evict(sessions: &mut HashMap<KeyHash, BrowserSession>) {
    let mut counts: HashMap<Option<&str>, usize> = HashMap::new();
    for session in sessions.values() {
        *counts.entry(session.user.as_deref()).or_default() += 1;
    }
    let most = counts.values().copied().max();
    let crowded = |user| counts.get(&user).copied() == most;
    let his = sessions
        .iter()
        .filter(|(_, session)| crowded(session.user.as_deref()));
    let oldest = his.min_by_key(|(_, session)| session.used);
    if let Some(key) = oldest.map(|(key, _)| *key) {
        sessions.remove(&key);
    }
}

/// 128 random bits in hexadecimal.
///
/// # Errors
///
/// Returns [`NoRandomness`].
pub fn random_word() -> Result<String, NoRandomness> {
    let mut random = [0; 16];
    getrandom::fill(&mut random)?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}

fn hash(key: &str) -> KeyHash {
    Sha256::digest(key.as_bytes()).into()
}

/// The value of a cookie.
pub fn cookie_named<'a>(headers: &'a HeaderMap, cookie: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut pairs = cookies
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    pairs.find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == cookie).then_some(value)
    })
}

/// Whether the browser's connection, to us or to a proxy in front of us, uses TLS.
pub fn is_encrypted(headers: &HeaderMap) -> bool {
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    origin.is_some_and(|origin| origin.starts_with("https://"))
}

/// A session's cookie, which ends with the browser.
pub fn cookie(name: &str, key: &str, encrypted: bool) -> HeaderValue {
    let secure = if encrypted { "; Secure" } else { "" };
    let text = format!("{name}={key}; HttpOnly; SameSite=Strict; Path=/{secure}");
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests;
