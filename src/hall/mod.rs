//! The hall: pages for arbiters, broadcasts, screens and players, and what feeds them.
//!
//! ```text
//! broker ─▶ upstream, one per user ─▶ mirror ─▶ feed ─▶ page
//!       ◀── command, under the user who has signed in ◀── page
//! ```
//!
//! The hall consumes the topics like any other client. It knows nothing about daemons beyond what
//! they publish, and only the broker knows who may do what. Several daemons look the same to it as
//! one. Several sites are several halls in one server. The protocol between the hall and its pages is
//! in `protocol/hall.md`.

mod access_probe;
mod alert_texts;
mod answer;
mod body;
mod command;
mod evidence;
mod feed;
mod guard;
mod health_probe;
mod html_errors;
mod known_browsers;
mod listener;
pub mod mirror;
mod opening;
mod pages;
mod proxies;
mod public_reader;
mod role;
mod round;
mod server;
mod sessions;
mod settings;
mod sign_in;
mod sites;
mod standings;
mod tile;
mod upstream;

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError, Weak},
};

use axum::http::HeaderMap;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use self::{
    access_probe::{AccessProbe, BrokerAccess},
    answer::Refusal,
    guard::{Attempts, Names},
    known_browsers::KnownBrowsers,
    sessions::Sessions,
    standings::Tournaments,
    upstream::Upstream,
};
pub use self::{
    health_probe::{HealthProbe, ServerHealth},
    proxies::Proxies,
    server::{Server, serve, serve_at, serve_beside, serve_router},
    settings::{PublicAccessError, Settings, public_access},
    upstream::Broker,
};
// What `remisd setup --web` serves its own page with.
pub(crate) use self::{
    answer::Refusal as RequestRefusal,
    body::JsonBody,
    guard::{Attempts as SignInAttempts, Names as HostNames, is_from_our_page},
    listener::Peer,
    pages::{asset, send as send_asset},
    server::{security_headers, serve_router_at},
    sessions::{NoRandomness, cookie, cookie_named, is_encrypted, random_word},
};
use crate::publish::{mqtt::Credentials, topic::Audience};
use remisd_vocabulary::{name::BoardId, time::Moment};

/// The maximum numbers of open feeds: for the public, for screens and players, and for arbiters and
/// operators.
const PUBLIC_FEEDS: usize = 768;
const FEEDS: usize = 256;
const ARBITERS_FEEDS: usize = 256;

/// The pages of one site.
#[derive(Debug)]
pub(crate) struct Hall {
    settings: Settings,
    /// The connection for everything public.
    public: Arc<Upstream>,
    /// The connections of signed-in users, by a hash of the user.
    lines: Mutex<HashMap<[u8; 32], Weak<Upstream>>>,
    sessions: Sessions,
    attempts: Arc<Attempts>,
    devices: Arc<KnownBrowsers>,
    names: Names,
    admission: AccessProbe,
    tournaments: Tournaments,
    public_feeds: Arc<Semaphore>,
    feeds: Arc<Semaphore>,
    arbiters_feeds: Arc<Semaphore>,
    cancel: CancellationToken,
}

/// What the halls of all sites share: their users are the same, and so is their server.
#[derive(Debug)]
struct Shared {
    attempts: Arc<Attempts>,
    devices: Arc<KnownBrowsers>,
    public_feeds: Arc<Semaphore>,
    feeds: Arc<Semaphore>,
    arbiters_feeds: Arc<Semaphore>,
}

impl Shared {
    fn open(settings: &Settings) -> Result<Self, NoRandomness> {
        let key = settings.device_key.as_deref();
        // The dot tells it from the cookie of any site's sessions.
        let cookie = format!("remisd.known-{}", settings.cookie_scope());
        let devices = KnownBrowsers::open(key, cookie)?;
        Ok(Self {
            attempts: Arc::default(),
            devices: Arc::new(devices),
            public_feeds: Arc::new(Semaphore::new(PUBLIC_FEEDS)),
            feeds: Arc::new(Semaphore::new(FEEDS)),
            arbiters_feeds: Arc::new(Semaphore::new(ARBITERS_FEEDS)),
        })
    }
}

impl Hall {
    fn new(
        settings: Settings,
        shared: &Shared,
        cancel: CancellationToken,
    ) -> Result<Self, NoRandomness> {
        let access = settings.access.clone();
        let name = connection_name()?;
        let cookie = format!("remisd-{}", settings.cookie_scope());
        Ok(Self {
            public: Upstream::open(&settings.broker, access, Audience::Public, None, &name),
            lines: Mutex::default(),
            sessions: Sessions::new(cookie),
            attempts: Arc::clone(&shared.attempts),
            devices: Arc::clone(&shared.devices),
            names: Names::new(&settings.names),
            admission: AccessProbe::default(),
            tournaments: Tournaments::new(&settings.tournaments),
            public_feeds: Arc::clone(&shared.public_feeds),
            feeds: Arc::clone(&shared.feeds),
            arbiters_feeds: Arc::clone(&shared.arbiters_feeds),
            settings,
            cancel,
        })
    }

    fn now(&self) -> Timestamp {
        self.settings.broker.clock.now()
    }

    fn monotonic(&self) -> Moment {
        self.settings.broker.clock.monotonic()
    }

    /// Whether other computers can reach the hall, either by its address or through a web server in
    /// front of it, which has a name or only an address.
    fn is_remote(&self) -> bool {
        let settings = &self.settings;
        let has_web_server = !settings.names.is_empty() || !settings.proxies.is_empty();
        has_web_server || !settings.listen.ip().is_loopback()
    }

    /// The connection through which a browser may read an audience, if any.
    fn upstream(
        &self,
        headers: &HeaderMap,
        audience: Audience,
        boards: Option<&BTreeSet<BoardId>>,
    ) -> Option<Arc<Upstream>> {
        if audience == Audience::Public {
            return Some(Arc::clone(&self.public));
        }
        let grants = self.sessions.grants(headers, self.monotonic());
        let fitting = grants.into_iter().find(|grant| {
            let its_board = grant.board.as_ref();
            grant.role.audience() == audience
                && its_board.is_none_or(|board| {
                    boards.is_some_and(|boards| boards.len() == 1 && boards.contains(board))
                })
        });
        fitting.map(|grant| grant.upstream)
    }

    /// The connections to the broker that are in use.
    fn upstreams(&self) -> Vec<Arc<Upstream>> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let own = std::iter::once(Arc::clone(&self.public));
        own.chain(lines.values().filter_map(Weak::upgrade))
            .collect()
    }

    /// Whom the broker admits; `None` if that is unknown at the moment.
    async fn admits(&self) -> Option<BrokerAccess> {
        self.admission.admits(self).await
    }

    /// The connection of a user, shared by all sessions of that user.
    fn pool(
        &self,
        credentials: Option<Credentials>,
        audience: Audience,
        board: Option<&BoardId>,
    ) -> Result<Arc<Upstream>, Refusal> {
        let who = credentials.as_ref().map(|c| (&c.username, &c.password));
        let who = format!("{who:?} {} {board:?}", audience.as_str());
        let key: [u8; 32] = Sha256::digest(who.as_bytes()).into();
        let name = connection_name().map_err(|error| Refusal::Internal(error.to_string()))?;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|_, line| line.strong_count() > 0);
        // A lost connection is in back-off. A user who signs in now should not wait for it.
        if let Some(line) = lines.get(&key).and_then(Weak::upgrade)
            && line.is_up_or_new()
        {
            return Ok(line);
        }
        let access = self.settings.access.of_user(credentials);
        let line = Upstream::open(&self.settings.broker, access, audience, board, &name);
        lines.insert(key, Arc::downgrade(&line));
        Ok(line)
    }
}

/// A unique name for a new connection to the broker.
fn connection_name() -> Result<String, NoRandomness> {
    let word = random_word()?;
    Ok(word.chars().take(12).collect())
}
