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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{role::Role, upstream::Upstream};
use remisd_vocabulary::{name::BoardId, time::Millis};

/// Sessions that are kept; a further one ends one of whoever has the most.
const SESSIONS: usize = 1024;
/// Roles that one browser may have.
const GRANTS: usize = 16;
/// Feeds that may be open at once in one browser: one for each of its roles.
const FEEDS: usize = GRANTS;
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
    held: Held,
    /// The broker's user who signed in last.
    user: Option<String>,
    used: Millis,
}

/// What a browser has, by whatever key it is known next.
#[derive(Debug, Clone)]
pub struct Held(Arc<Own>);

#[derive(Debug)]
struct Own {
    /// Whoever locks this and the sessions, locks the sessions first.
    grants: Mutex<Vec<Grant>>,
    /// Places for its feeds, which outlive the key that they were opened with.
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
        // Every change is made at once, as with the sessions.
        (self.0.grants.lock()).unwrap_or_else(PoisonError::into_inner)
    }

    fn is_of(&self, session: &Session) -> bool {
        Arc::ptr_eq(&self.0, &session.held.0)
    }
}

/// All sessions.
#[derive(Debug)]
pub struct Sessions {
    /// The cookie's name.
    cookie: String,
    by_key: Mutex<HashMap<KeyHash, Session>>,
}

/// There is no randomness to make a key of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system has no randomness for a session: {0}")]
pub struct NoRandomness(String);

impl From<getrandom::Error> for NoRandomness {
    fn from(error: getrandom::Error) -> Self {
        Self(error.to_string())
    }
}

impl Sessions {
    /// None yet. Their keys will be in a cookie of this name: another server of this computer needs
    /// another one, or a sign-in at one is a sign-out at the other.
    #[must_use]
    pub fn new(cookie: String) -> Self {
        Self {
            cookie,
            by_key: Mutex::default(),
        }
    }

    /// The grants of the browser that sent these headers, without those that the broker takes
    /// for good no more.
    #[must_use]
    pub fn grants(&self, headers: &HeaderMap, now: Millis) -> Vec<Grant> {
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

    /// What the browser that sent these headers has: to be asked for before the broker is.
    #[must_use]
    pub fn held(&self, headers: &HeaderMap, now: Millis) -> Option<Held> {
        let key = hash(self.key_in(headers)?);
        let sessions = self.lock_used(now);
        sessions.get(&key).map(|session| session.held.clone())
    }

    /// A place for one more feed of the browser that sent these headers; `None` if it has as
    /// many as it may have.
    #[must_use]
    pub fn place(&self, headers: &HeaderMap) -> Option<OwnedSemaphorePermit> {
        let places = Arc::clone(&self.lock().get(&hash(self.key_in(headers)?))?.held.0.feeds);
        places.try_acquire_owned().ok()
    }

    /// Adds a grant to the browser's session, or begins one. Returns its grants, and the
    /// cookie: the key is another one each time, so that one that was known before somebody
    /// signed in opens nothing.
    ///
    /// `held` is what the browser had before the broker was asked. Where another sign-in has
    /// renewed the key meanwhile, both keys have the same from now on, until the browser shows
    /// which one it has got; and where somebody has signed out meanwhile, nothing is left of it.
    /// What remains: whoever gets the cookie of his own session into somebody else's browser, and
    /// is signing in with it at the very moment when that one does, has his grants too.
    ///
    /// # Errors
    ///
    /// [`NoRandomness`].
    pub fn add(
        &self,
        headers: &HeaderMap,
        held: Option<Held>,
        grant: Grant,
        now: Millis,
    ) -> Result<(Vec<Grant>, HeaderValue), NoRandomness> {
        let key = random_word()?;
        let mut sessions = self.lock();
        let before = self
            .key_in(headers)
            .and_then(|key| sessions.remove(&hash(key)));
        let held = match before {
            Some(before) => {
                // A key beside this one never came to the browser, or not from this sign-in.
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
            crowd_out(&mut sessions);
        }
        let session = Session {
            held,
            user,
            used: now,
        };
        sessions.insert(hash(&key), session);
        Ok((grants, cookie(&self.cookie, &key, is_encrypted(headers))))
    }

    /// Takes back the grants of a role, or all of them, by whatever key they are known.
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

    /// Those that are not over.
    fn lock_used(&self, now: Millis) -> MutexGuard<'_, HashMap<KeyHash, Session>> {
        let mut sessions = self.lock();
        sessions.retain(|_, session| now.saturating_sub(session.used) < IDLE_MS);
        sessions
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<KeyHash, Session>> {
        // Every change is made at once: whoever failed has left it whole.
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key_in<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        cookie_named(headers, &self.cookie).filter(|key| key.len() == 32)
    }
}

/// Ends one session: of the user who has the most, the one that was used least of late.
/// Nobody is pushed out by another's sessions as long as he has fewer.
fn crowd_out(sessions: &mut HashMap<KeyHash, Session>) {
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
/// [`NoRandomness`].
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

/// Whether the browser speaks to us, or to the proxy before us, by TLS.
pub fn is_encrypted(headers: &HeaderMap) -> bool {
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    origin.is_some_and(|origin| origin.starts_with("https://"))
}

fn cookie(name: &str, key: &str, encrypted: bool) -> HeaderValue {
    let secure = if encrypted { "; Secure" } else { "" };
    let text = format!("{name}={key}; HttpOnly; SameSite=Strict; Path=/{secure}");
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        hall::upstream::Broker,
        publish::mqtt::{Access, Timing},
    };
    use remisd_vocabulary::time::SystemClock;

    #[test]
    fn who_has_the_most_sessions_makes_room() {
        let session = |user: &str, used| Session {
            held: Held::nothing(),
            user: Some(user.to_owned()),
            used,
        };
        let mut sessions = HashMap::new();
        sessions.insert(hash("arbiter"), session("arbiter", 1));
        for used in 2..6 {
            sessions.insert(hash(&used.to_string()), session("b1-white", used));
        }
        for gone in ["2", "3", "4"] {
            crowd_out(&mut sessions);
            assert!(!sessions.contains_key(&hash(gone)), "{gone}");
        }
        assert!(sessions.contains_key(&hash("arbiter")));
        assert_eq!(sessions.len(), 2);
    }

    /// A grant of a user whose broker is not there.
    fn grant(role: Role) -> Grant {
        let broker = Broker {
            url: "mqtt://127.0.0.1:9".parse().unwrap(),
            site: "hall".parse().unwrap(),
            timing: Timing::default(),
            clock: Arc::new(SystemClock::new()),
        };
        let access = Access {
            credentials: None,
            tls: None,
        };
        Grant {
            role,
            board: None,
            user: None,
            name: None,
            upstream: Upstream::open(&broker, access, role.audience(), None, "test"),
        }
    }

    fn with_cookie(cookie: &HeaderValue) -> HeaderMap {
        let pair = cookie.to_str().unwrap().split(';').next().unwrap();
        let pair = HeaderValue::from_str(pair).unwrap();
        HeaderMap::from_iter([(header::COOKIE, pair)])
    }

    /// Signs in, and gives what the browser sends from then on.
    fn sign_in(
        sessions: &Sessions,
        browser: &HeaderMap,
        held: Option<Held>,
        role: Role,
    ) -> HeaderMap {
        with_cookie(&sessions.add(browser, held, grant(role), 0).unwrap().1)
    }

    fn roles(sessions: &Sessions, browser: &HeaderMap) -> Vec<Role> {
        let grants = sessions.grants(browser, 0);
        grants.iter().map(|grant| grant.role).collect()
    }

    #[tokio::test]
    async fn two_servers_of_one_computer_do_not_sign_each_others_browsers_out() {
        let one = Sessions::new("remisd-hall-9120".to_owned());
        let other = Sessions::new("remisd-hall-9121".to_owned());
        let of = |sessions: &Sessions| sign_in(sessions, &HeaderMap::new(), None, Role::Arbiter);
        let (mut browser, theirs) = (of(&one), of(&other));
        browser.append(header::COOKIE, theirs[header::COOKIE].clone());
        let cookies = browser.get_all(header::COOKIE).iter();
        let cookies: Vec<&str> = cookies.map(|cookie| cookie.to_str().unwrap()).collect();
        let both = HeaderValue::from_str(&cookies.join("; ")).unwrap();
        let both = HeaderMap::from_iter([(header::COOKIE, both)]);
        for sessions in [&one, &other] {
            assert_eq!(roles(sessions, &both), [Role::Arbiter]);
        }
    }

    #[tokio::test]
    async fn two_sign_ins_at_once_lose_nothing() {
        let sessions = Sessions::new("remisd-hall-9120".to_owned());
        let browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Hall);
        let held = sessions.held(&browser, 0);
        let one = sign_in(&sessions, &browser, held.clone(), Role::Arbiter);
        let other = sign_in(&sessions, &browser, held, Role::Operator);
        // Whichever key the browser has now; that of before opens nothing.
        for browser in [&one, &other] {
            let roles = roles(&sessions, browser);
            assert_eq!(roles, [Role::Hall, Role::Arbiter, Role::Operator]);
        }
        assert!(roles(&sessions, &browser).is_empty());
        // The next sign-in tells which it is.
        let next = sign_in(&sessions, &one, None, Role::White);
        assert_eq!(roles(&sessions, &next).len(), 4);
        assert!(roles(&sessions, &other).is_empty());
    }

    #[tokio::test]
    async fn a_sign_out_while_somebody_signs_in_stands() {
        for role in [None, Some(Role::Arbiter)] {
            let sessions = Sessions::new("remisd-hall-9120".to_owned());
            let browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Arbiter);
            let held = sessions.held(&browser, 0);
            sessions.remove(&browser, role);
            let browser = sign_in(&sessions, &browser, held, Role::Hall);
            assert_eq!(roles(&sessions, &browser), [Role::Hall], "{role:?}");
        }
    }

    #[tokio::test]
    async fn a_sign_out_is_one_by_both_keys() {
        let sessions = Sessions::new("remisd-hall-9120".to_owned());
        let browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Hall);
        let held = sessions.held(&browser, 0);
        let one = sign_in(&sessions, &browser, held.clone(), Role::Arbiter);
        let other = sign_in(&sessions, &browser, held, Role::Operator);
        sessions.remove(&one, Some(Role::Arbiter));
        assert_eq!(roles(&sessions, &other), [Role::Hall, Role::Operator]);
        sessions.remove(&one, None);
        assert!(roles(&sessions, &other).is_empty());
    }

    #[tokio::test]
    async fn feeds_keep_their_places_over_a_sign_in() {
        let sessions = Sessions::new("remisd-hall-9120".to_owned());
        let mut browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Hall);
        let places = (0..FEEDS).map(|_| sessions.place(&browser).unwrap());
        let places: Vec<_> = places.collect();
        browser = sign_in(&sessions, &browser, None, Role::Arbiter);
        assert!(sessions.place(&browser).is_none());
        drop(places);
        assert!(sessions.place(&browser).is_some());
    }
}
