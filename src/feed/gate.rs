//! One gate for each server. The requests of all its addresses pass it.
//!
//! ```text
//! address of b1 ─┐
//! address of b2 ─┼▶ gate of https example.org 443 ─▶ at most 4 at once, spread over the interval
//! round of b3   ─┘            429, 503: closed for all of them
//! ```

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use http::{HeaderMap, HeaderValue, Response, StatusCode, Uri};
use remisd_transport::{Body, Https};
use remisd_vocabulary::retry::Backoff;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep_until, timeout_at},
};

use super::request::{Failure, get};

/// How many requests to a server are under way at once. The text of a round takes a second or two.
pub(crate) const AT_ONCE: usize = 4;
/// The longest pause between the starts of two requests to a server.
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// The waits after an answer that asks for fewer requests.
///
/// Each is between half and the whole of such a time, so the first is at least a minute.
const BUSY: (Duration, Duration) = (Duration::from_mins(2), Duration::from_mins(10));
/// How many servers are remembered. Redirects may lead to any number of them.
const SERVERS: usize = 256;

/// The servers that have the games of this daemon's boards. Clones share the gates.
#[derive(Debug, Clone)]
pub struct Servers {
    https: Https,
    access: Option<Access>,
    gates: Arc<Mutex<HashMap<Server, Arc<Gate>>>>,
}

/// Access to private rounds.
#[derive(Debug, Clone)]
struct Access {
    server: Server,
    /// The value of `Authorization`, which is never printed.
    authorization: HeaderValue,
}

/// Why a token cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAccess {
    /// The server is not one with TLS.
    #[error("a token is only sent to a server with https://")]
    Server,
    /// The token has characters that a header cannot have.
    #[error("the token cannot be a header")]
    Token,
}

/// What one gate is for.
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
    /// Its interval; zero if it waits for nothing.
    pub every: Duration,
}

/// The gate of a server.
#[derive(Debug)]
pub(crate) struct Gate {
    places: Arc<Semaphore>,
    state: Mutex<State>,
}

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
        Some(Self {
            host: uri.host()?.to_ascii_lowercase(),
            port: uri.port_u16().unwrap_or(usual),
            scheme,
        })
    }
}

impl Servers {
    /// Servers that are requested with `https`.
    #[must_use]
    pub fn new(https: Https) -> Self {
        Self {
            https,
            access: None,
            gates: Arc::default(),
        }
    }

    /// Sends `token` with requests for rounds of broadcasts on `server`, and with no others.
    ///
    /// # Errors
    ///
    /// [`NoAccess`] if the server has no TLS, or the token does not fit into a header.
    pub fn with_token(mut self, server: &str, token: &str) -> Result<Self, NoAccess> {
        let server = server.parse().ok().and_then(|uri| Server::of(&uri));
        let server = server.filter(|server| server.scheme == "https");
        let server = server.ok_or(NoAccess::Server)?;
        let authorization = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut authorization = authorization.map_err(|_| NoAccess::Token)?;
        authorization.set_sensitive(true);
        self.access = Some(Access {
            server,
            authorization,
        });
        Ok(self)
    }

    /// The value of `Authorization` for a round at an address.
    pub(crate) fn authorization(&self, uri: &Uri) -> Option<HeaderValue> {
        let access = self.access.as_ref()?;
        let server = Server::of(uri).filter(|server| *server == access.server);
        server.map(|_| access.authorization.clone())
    }

    /// The gate of an address's server.
    pub(crate) fn gate(&self, uri: &Uri) -> Result<Arc<Gate>, Failure> {
        let server = Server::of(uri).ok_or(Failure::NoAddress)?;
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(gate) = gates.get(&server) {
            return Ok(gate.clone());
        }
        if gates.len() >= SERVERS {
            let now = Instant::now();
            gates.retain(|_, gate| Arc::strong_count(gate) > 1 || gate.closed(now).is_some());
        }
        let gate = Arc::new(Gate::new(gates.len() as u64));
        if gates.len() < SERVERS {
            gates.insert(server, gate.clone());
        }
        Ok(gate)
    }

    /// Requests an address. The gate of its server must have let it pass.
    pub(crate) async fn get(
        &self,
        uri: &Uri,
        headers: HeaderMap,
    ) -> Result<Response<Body>, Failure> {
        get(&self.https, uri, headers).await
    }
}

impl Gate {
    fn new(seed: u64) -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            state: Mutex::new(State {
                every: HashMap::new(),
                next: Instant::now(),
                closed: None,
                busy: Backoff::new(BUSY.0, BUSY.1, seed),
            }),
        }
    }

    /// Waits until a request may start, at most until `deadline`. It is under way until the permit
    /// is dropped.
    ///
    /// # Errors
    ///
    /// [`Failure::Busy`] while the server wants no requests, [`Failure::Queued`] after the deadline.
    pub(crate) async fn pass(
        &self,
        requester: Requester,
        deadline: Instant,
    ) -> Result<OwnedSemaphorePermit, Failure> {
        let passing = async {
            self.is_open()?;
            let place = self.places.clone().acquire_owned().await;
            // Nothing closes it.
            let place = place.map_err(|_| Failure::Queued)?;
            let start = self.state().start(requester, Instant::now());
            sleep_until(start).await;
            self.is_open()?;
            Ok(place)
        };
        timeout_at(deadline, passing)
            .await
            .unwrap_or(Err(Failure::Queued))
    }

    /// Takes in a bad answer. The gate is closed if the server wants fewer requests: the failure then
    /// says for how long.
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

    /// The server has answered well.
    pub(crate) fn good(&self, now: Instant) {
        let mut state = self.state();
        if state.closed.is_none_or(|closed| closed.until <= now) {
            state.closed = None;
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

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
