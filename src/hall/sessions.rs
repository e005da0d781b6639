//! Who is signed in, in which browser.
//!
//! A session is known by a random key in a cookie that scripts cannot read, and lives in
//! memory only: with the server it ends. Each of its grants holds the line of the broker user
//! who has signed in.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::http::{HeaderMap, HeaderValue, header};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::{role::Role, upstream::Upstream};
use crate::{name::BoardId, time::Millis};

/// The cookie's name.
const COOKIE: &str = "remisd";
/// Sessions that are kept; a further one ends the one that was used least of late.
const SESSIONS: usize = 1024;
/// Roles that one browser may have.
const GRANTS: usize = 16;
/// A session that nobody has used for so long is over.
const IDLE_MS: Millis = 16 * 60 * 60 * 1000;

/// What somebody may do.
#[derive(Debug, Clone, Serialize)]
pub struct Grant {
    /// As what.
    pub role: Role,
    /// At which board, for the roles of one board.
    pub board: Option<BoardId>,
    /// The broker's user; `None` where it asks for none.
    pub user: Option<String>,
    /// Who presses the buttons.
    pub name: Option<String>,
    /// The user's line.
    #[serde(skip)]
    pub upstream: Arc<Upstream>,
}

impl Grant {
    /// Whether it is for this role, and for this board if the role is of one.
    #[must_use]
    pub fn fits(&self, role: Role, board: Option<&BoardId>) -> bool {
        self.role == role && (!role.is_of_a_board() || self.board.as_ref() == board)
    }
}

/// The hash of a session's key: whoever reads our memory finds no key.
type KeyHash = [u8; 32];

#[derive(Debug)]
struct Session {
    grants: Vec<Grant>,
    used: Millis,
}

/// All sessions.
#[derive(Debug, Default)]
pub struct Sessions(Mutex<HashMap<KeyHash, Session>>);

/// There is no randomness to make a key of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system has no randomness for a session: {0}")]
pub struct NoRandomness(String);

impl Sessions {
    /// The grants of the browser that sent these headers.
    #[must_use]
    pub fn grants(&self, headers: &HeaderMap, now: Millis) -> Vec<Grant> {
        let Some(key) = key_in(headers) else {
            return Vec::new();
        };
        let mut sessions = self.lock();
        sessions.retain(|_, session| now.saturating_sub(session.used) < IDLE_MS);
        let session = sessions.get_mut(&hash(key));
        session.map_or_else(Vec::new, |session| {
            session.used = now;
            session.grants.clone()
        })
    }

    /// Adds a grant to the browser's session, or begins one. Returns its grants, and the
    /// cookie of one that has begun.
    ///
    /// # Errors
    ///
    /// [`NoRandomness`].
    pub fn add(
        &self,
        headers: &HeaderMap,
        grant: Grant,
        now: Millis,
    ) -> Result<(Vec<Grant>, Option<HeaderValue>), NoRandomness> {
        let mut sessions = self.lock();
        if let Some(session) = key_in(headers).and_then(|key| sessions.get_mut(&hash(key))) {
            session.used = now;
            (session.grants).retain(|old| !old.fits(grant.role, grant.board.as_ref()));
            if session.grants.len() >= GRANTS {
                session.grants.remove(0);
            }
            session.grants.push(grant);
            return Ok((session.grants.clone(), None));
        }
        if sessions.len() >= SESSIONS {
            let oldest = sessions.iter().min_by_key(|(_, session)| session.used);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                sessions.remove(&oldest);
            }
        }
        let key = random_word()?;
        let grants = vec![grant];
        let session = Session {
            grants: grants.clone(),
            used: now,
        };
        sessions.insert(hash(&key), session);
        Ok((grants, Some(cookie(&key, is_encrypted(headers)))))
    }

    /// Takes back the grants of a role, or all of them.
    pub fn remove(&self, headers: &HeaderMap, role: Option<Role>) {
        let Some(key) = key_in(headers).map(hash) else {
            return;
        };
        let mut sessions = self.lock();
        let Some(session) = sessions.get_mut(&key) else {
            return;
        };
        session
            .grants
            .retain(|grant| role.is_some_and(|role| grant.role != role));
        if session.grants.is_empty() {
            sessions.remove(&key);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<KeyHash, Session>> {
        // Every change is made at once: whoever failed has left it whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// 128 random bits in hexadecimal.
///
/// # Errors
///
/// [`NoRandomness`].
pub fn random_word() -> Result<String, NoRandomness> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(|error| NoRandomness(error.to_string()))?;
    Ok(format!("{:032x}", u128::from_be_bytes(random)))
}

fn hash(key: &str) -> KeyHash {
    Sha256::digest(key.as_bytes()).into()
}

fn key_in(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter();
    let mut pairs = cookies
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    pairs.find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == COOKIE && value.len() == 32).then_some(value)
    })
}

/// Whether the browser speaks to us, or to the proxy before us, by TLS.
fn is_encrypted(headers: &HeaderMap) -> bool {
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    origin.is_some_and(|origin| origin.starts_with("https://"))
}

fn cookie(key: &str, encrypted: bool) -> HeaderValue {
    let secure = if encrypted { "; Secure" } else { "" };
    let text = format!("{COOKIE}={key}; HttpOnly; SameSite=Strict; Path=/{secure}");
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}
