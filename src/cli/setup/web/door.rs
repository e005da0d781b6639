//! Who may use the page: whoever types the code first, until it has not been used for a while.
//!
//! The code opens one session and is void afterwards. Neither it nor the key of the session is
//! kept, only a seal of each, which is compared in constant time.

use std::{
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::http::{HeaderMap, HeaderValue};
use remisd_vocabulary::time::{Moment, Span};
use ring::hmac;

use crate::{
    cli::setup::password,
    hall::{NoRandomness, SignInAttempts, cookie, cookie_named, is_encrypted, random_word},
};

/// The page ends when it has not been used for this long.
pub const IDLE: Span = Span::from_millis(30 * 60 * 1000);

/// A secret of which only a seal is kept.
#[derive(Debug)]
struct Sealed {
    key: hmac::Key,
    seal: hmac::Tag,
}

impl Sealed {
    fn new(secret: &str) -> Result<Self, NoRandomness> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, random_word()?.as_bytes());
        let seal = hmac::sign(&key, secret.as_bytes());
        Ok(Self { key, seal })
    }

    /// Whether this is the secret. The time that it takes does not depend on the difference.
    fn fits(&self, given: &str) -> bool {
        hmac::verify(&self.key, given.as_bytes(), self.seal.as_ref()).is_ok()
    }
}

/// Why a code does not open the door.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is wrong, or has been used.
    Wrong,
    /// Too many were wrong; the next attempt is allowed after this many seconds.
    TooMany(u64),
    /// The system has no random numbers.
    NoRandomness(NoRandomness),
}

/// The door of the page.
#[derive(Debug)]
pub struct Door {
    cookie: String,
    attempts: SignInAttempts,
    lock: Mutex<Lock>,
}

#[derive(Debug)]
struct Lock {
    /// The code; `None` once it has been used.
    code: Option<Sealed>,
    /// The key of the session; `None` before the code has been typed.
    session: Option<Sealed>,
    used: Moment,
}

impl Door {
    /// A door that this code opens. Browsers send a cookie to every port of a host, so its name
    /// has the port.
    ///
    /// # Errors
    ///
    /// Returns [`NoRandomness`].
    pub fn new(code: &str, port: u16, now: Moment) -> Result<Self, NoRandomness> {
        Ok(Self {
            cookie: format!("remisd-setup-{port}"),
            attempts: SignInAttempts::default(),
            lock: Mutex::new(Lock {
                code: Some(Sealed::new(&password::typed(code))?),
                session: None,
                used: now,
            }),
        })
    }

    /// Opens the door with a code, and returns the cookie of the session.
    ///
    /// # Errors
    ///
    /// Returns why it stays closed.
    pub fn open(
        &self,
        code: &str,
        from: IpAddr,
        headers: &HeaderMap,
        now: Moment,
    ) -> Result<HeaderValue, Refusal> {
        const USER: &str = "setup";
        (self.attempts.begin(from, USER, now)).map_err(Refusal::TooMany)?;
        let mut lock = self.lock();
        let typed = password::typed(code);
        if !lock.code.as_ref().is_some_and(|code| code.fits(&typed)) {
            return Err(Refusal::Wrong);
        }
        let key = random_word().map_err(Refusal::NoRandomness)?;
        let session = Sealed::new(&key).map_err(Refusal::NoRandomness)?;
        *lock = Lock {
            code: None,
            session: Some(session),
            used: now,
        };
        self.attempts.take_back(from, USER);
        Ok(cookie(&self.cookie, &key, is_encrypted(headers)))
    }

    /// Whether a request belongs to the session. If so, the door counts as used.
    pub fn admits(&self, headers: &HeaderMap, now: Moment) -> bool {
        let Some(key) = cookie_named(headers, &self.cookie) else {
            return false;
        };
        let mut lock = self.lock();
        let admitted = lock.session.as_ref().is_some_and(|own| own.fits(key));
        if admitted {
            lock.used = now;
        }
        admitted
    }

    /// When it closes, if it is not used again.
    pub fn closes(&self) -> Moment {
        self.lock().used + IDLE
    }

    fn lock(&self) -> MutexGuard<'_, Lock> {
        // Every change is atomic.
        self.lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn at(second: u64) -> Moment {
        Moment::from_millis(second * 1000)
    }

    fn door() -> Door {
        Door::new("abcd-efgh-2345", 8000, at(0)).unwrap()
    }

    fn open(door: &Door, code: &str, second: u64) -> Result<HeaderValue, Refusal> {
        door.open(code, HERE, &HeaderMap::new(), at(second))
    }

    fn sent_back(cookie: &HeaderValue) -> HeaderMap {
        let pair = cookie.to_str().unwrap().split(';').next().unwrap();
        HeaderMap::from_iter([(header::COOKIE, HeaderValue::from_str(pair).unwrap())])
    }

    #[test]
    fn the_code_opens_one_session() {
        let door = door();
        assert!(!door.admits(&HeaderMap::new(), at(0)));
        assert_eq!(open(&door, "abcd-efgh-2346", 1), Err(Refusal::Wrong));
        assert_eq!(open(&door, "", 1), Err(Refusal::Wrong));
        let cookie = open(&door, "ABCD EFGH 2345", 2).unwrap();
        let text = cookie.to_str().unwrap();
        assert!(text.starts_with("remisd-setup-8000="), "{text}");
        assert!(text.contains("HttpOnly; SameSite=Strict"), "{text}");
        assert!(!text.contains("abcd"), "{text}");
        assert!(door.admits(&sent_back(&cookie), at(3)));
        assert_eq!(open(&door, "abcd-efgh-2345", 4), Err(Refusal::Wrong));
        let forged = HeaderValue::from_static("remisd-setup-8000=00000000000000000000000000000000");
        assert!(!door.admits(&sent_back(&forged), at(4)));
        assert!(door.admits(&sent_back(&cookie), at(5)));
    }

    #[test]
    fn wrong_codes_are_limited() {
        let door = door();
        let wrong = (0..50).filter(|_| open(&door, "wrong", 1) == Err(Refusal::Wrong));
        assert_eq!(wrong.count(), 10);
        // Not even the right code is compared before the minute is over.
        assert_eq!(open(&door, "abcd-efgh-2345", 2), Err(Refusal::TooMany(59)));
        assert!(open(&door, "abcd-efgh-2345", 62).is_ok());
    }

    #[test]
    fn only_the_session_keeps_it_open() {
        let door = door();
        let closes = || door.closes();
        assert_eq!(closes(), at(0) + IDLE);
        assert_eq!(open(&door, "wrong", 10), Err(Refusal::Wrong));
        assert!(!door.admits(&HeaderMap::new(), at(20)));
        assert_eq!(closes(), at(0) + IDLE);
        let cookie = open(&door, "abcd-efgh-2345", 30).unwrap();
        assert_eq!(closes(), at(30) + IDLE);
        assert!(door.admits(&sent_back(&cookie), at(40)));
        assert_eq!(closes(), at(40) + IDLE);
    }
}
