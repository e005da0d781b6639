//! One rate limiter for each server. The requests of all its addresses pass it.
//!
//! ```text
//! address of b1 ─┐
//! address of b2 ─┼─▶ rate limiter of one server ─▶ requests
//! round of b3   ─┘
//! ```
//!
//! The rate limiter spreads the starts of requests over the interval. A slow answer holds up no
//! other address. A 429, or a 503 with `Retry-After`, closes the rate limiter for all of them.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use remisd_transport::{Body, Https};
use remisd_vocabulary::retry::Backoff;
use tokio::time::{Instant, sleep_until};

use super::request::{Failure, get};

/// The longest pause between the starts of two requests to a server.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// The waits after an answer that asks for fewer requests.
///
/// Each is between half and the whole of such a time, so the first is at least a minute.
const BUSY: (Duration, Duration) = (Duration::from_mins(2), Duration::from_mins(10));
/// How long the rate limiter must be open again before a good answer makes the next wait short.
/// Before that a server may not have counted enough requests to refuse one.
const STEADY: Duration = Duration::from_mins(1);
/// How many servers are remembered. Redirects may lead to any number of them.
const SERVERS: usize = 256;

/// The servers that have the games of this daemon's boards. Clones share the rate limiters.
#[derive(Debug, Clone)]
pub struct Servers {
    https: Https,
    access: Option<Access>,
    limiters: Arc<Mutex<HashMap<Server, Arc<RateLimiter>>>>,
    /// Daemons behind one IP address must not all return together.
    seeds: RandomState,
}

/// Access to private rounds.
#[derive(Debug, Clone)]
struct Access {
    server: Server,
    token: RoundsToken,
}

/// What a server gets for its private rounds.
#[derive(Debug, Clone)]
pub(crate) enum RoundsToken {
    /// The value of `Authorization`, which is never printed.
    Authorization(HeaderValue),
    /// Why there is none although one is configured.
    Unusable(Arc<str>),
}

/// Why a token cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAccess {
    /// The server is not one with TLS.
    #[error("a token is only sent to a server with https://")]
    Server,
    /// The token has characters that a header cannot have.
    #[error("the token contains characters that an HTTP header cannot carry")]
    Token,
}

/// What one rate limiter is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Server {
    scheme: String,
    host: String,
    port: u16,
}

/// Who requests something, and how often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requester {
    /// A number of its own.
    pub id: u64,
    /// Its interval. With zero, as in tests, no starts are spread.
    pub every: Duration,
}

/// The rate limiter of a server.
#[derive(Debug)]
pub(crate) struct RateLimiter(Mutex<State>);

#[derive(Debug)]
struct State {
    /// The intervals of those that request something here.
    every: HashMap<u64, Duration>,
    /// When the next request may start.
    next: Instant,
    closed: Option<Closed>,
    busy: Backoff,
}

/// The server has asked for fewer requests.
#[derive(Debug, Clone, Copy)]
struct Closed {
    status: StatusCode,
    until: Instant,
}

impl Server {
    /// The server of an address; `None` if the address names none.
    pub(crate) fn of(uri: &Uri) -> Option<Self> {
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let usual = if scheme == "http" { 80 } else { 443 };
        let host = uri.host()?;
        let is_bare = uri.authority()?.as_str() == host;
        Some(Self {
            host: host.to_ascii_lowercase(),
            // A port that is no number is no usual one.
            port: if is_bare { usual } else { uri.port_u16()? },
            scheme,
        })
    }

    /// The server `https://HOST[:PORT]`.
    fn with_tls(text: &str) -> Option<Self> {
        let uri: Uri = text.parse().ok()?;
        let is_bare = uri.path_and_query().is_none_or(|path| path == "/");
        Self::of(&uri).filter(|server| server.scheme == "https" && is_bare)
    }
}

impl Servers {
    /// Servers that are requested with `https`.
    #[must_use]
    pub fn new(https: Https) -> Self {
        Self {
            https,
            access: None,
            limiters: Arc::default(),
            seeds: RandomState::new(),
        }
    }

    /// Whether a token can be sent to a server: `https://HOST[:PORT]`.
    #[must_use]
    pub fn takes_token(server: &str) -> bool {
        Server::with_tls(server).is_some()
    }

    /// Sends `token` with requests for rounds of broadcasts on `server`, and with no others.
    ///
    /// # Errors
    ///
    /// [`NoAccess`] if the server has no TLS, or the token does not fit into a header.
    pub fn with_token(self, server: &str, token: &str) -> Result<Self, NoAccess> {
        let server = Server::with_tls(server).ok_or(NoAccess::Server)?;
        let authorization = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut authorization = authorization.map_err(|_| NoAccess::Token)?;
        authorization.set_sensitive(true);
        Ok(self.with_access(server, RoundsToken::Authorization(authorization)))
    }

    /// Sends no token. Rounds of `server` that need one are lost with this reason.
    #[must_use]
    pub fn without_token(self, server: &str, reason: &str) -> Self {
        match Server::with_tls(server) {
            Some(server) => self.with_access(server, RoundsToken::Unusable(reason.into())),
            None => self,
        }
    }

    pub(crate) fn with_access(mut self, server: Server, token: RoundsToken) -> Self {
        self.access = Some(Access { server, token });
        self
    }

    /// What the server of an address gets for its private rounds; `None` if nothing is configured.
    pub(crate) fn token(&self, uri: &Uri) -> Option<&RoundsToken> {
        let access = self.access.as_ref()?;
        let is_its = Server::of(uri).is_some_and(|server| server == access.server);
        is_its.then_some(&access.token)
    }

    /// The rate limiter of an address's server.
    pub(crate) fn limiter(&self, uri: &Uri) -> Result<Arc<RateLimiter>, Failure> {
        let server = Server::of(uri).ok_or(Failure::NoAddress)?;
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(limiter) = limiters.get(&server) {
            return Ok(limiter.clone());
        }
        if limiters.len() >= SERVERS {
            let now = Instant::now();
            limiters.retain(|_, limiter| {
                Arc::strong_count(limiter) > 1 || limiter.closed(now).is_some()
            });
        }
        let limiter = Arc::new(RateLimiter::new(self.seeds.hash_one(&server)));
        if limiters.len() < SERVERS {
            limiters.insert(server, limiter.clone());
        }
        Ok(limiter)
    }

    /// Requests an address. The rate limiter of its server must have let it pass.
    pub(crate) async fn get(
        &self,
        uri: &Uri,
        headers: HeaderMap,
    ) -> Result<Response<Body>, Failure> {
        get(&self.https, uri, headers).await
    }
}

impl RateLimiter {
    fn new(seed: u64) -> Self {
        Self(Mutex::new(State {
            every: HashMap::new(),
            next: Instant::now(),
            closed: None,
            busy: Backoff::new(BUSY.0, BUSY.1, seed),
        }))
    }

    /// Waits until a request may start. Everybody in the line has a start of its own, so that it
    /// comes within about half of the interval.
    ///
    /// # Errors
    ///
    /// [`Failure::Busy`] while the server wants no requests.
    pub(crate) async fn pass(&self, requester: Requester) -> Result<(), Failure> {
        self.is_open()?;
        let start = self.state().start(requester, Instant::now());
        sleep_until(start).await;
        self.is_open()
    }

    /// Takes in a bad answer. The rate limiter is closed if the server wants fewer requests: the
    /// failure then says for how long.
    pub(crate) fn failed(&self, failure: Failure, now: Instant) -> Failure {
        let Failure::Busy { status, wait } = failure else {
            return failure;
        };
        let wait = Some(self.close(status, wait, now));
        Failure::Busy { status, wait }
    }

    fn close(&self, status: StatusCode, asked: Option<Duration>, now: Instant) -> Duration {
        let mut state = self.state();
        let asked = asked.unwrap_or_default().min(BUSY.1);
        // Answers to requests that were under way then are one refusal.
        let wait = match state.closed.filter(|closed| closed.until > now) {
            Some(closed) => asked.max(closed.until - now),
            None => asked.max(state.busy.wait()),
        };
        let until = now + wait;
        state.closed = Some(Closed { status, until });
        wait
    }

    /// The server has answered well to a request that began at `began`.
    ///
    /// An answer to an older request, or to one of the first after a refusal, says nothing of how
    /// many requests the server takes.
    pub(crate) fn good(&self, began: Instant) {
        let mut state = self.state();
        let steady = state.closed.map(|closed| closed.until + STEADY);
        if steady.is_none_or(|steady| steady <= began) {
            state.busy.reset();
        }
    }

    fn closed(&self, now: Instant) -> Option<Closed> {
        self.state().closed.filter(|closed| closed.until > now)
    }

    fn is_open(&self) -> Result<(), Failure> {
        let now = Instant::now();
        self.closed(now).map_or(Ok(()), |closed| {
            Err(Failure::Busy {
                status: closed.status,
                wait: Some(closed.until - now),
            })
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Takes the next start, and leaves a pause after it.
    fn start(&mut self, requester: Requester, now: Instant) -> Instant {
        self.every.insert(requester.id, requester.every);
        let start = self.next.max(now);
        self.next = start + self.pause();
        start
    }

    /// Half of the pause with which all requests would be spread evenly: they catch up after one
    /// that was slow.
    fn pause(&self) -> Duration {
        let rates = self.every.values().map(|every| every.as_secs_f64().recip());
        let rate: f64 = rates.sum();
        LONGEST_PAUSE.min(Duration::from_secs_f64((2.0 * rate).recip().min(1.0)))
    }
}
