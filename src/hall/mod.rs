//! The hall: pages for arbiters, broadcasts, screens and players, and what feeds them.
//!
//! ```text
//! broker ─▶ upstream, one per user ─▶ mirror ─▶ feed ─▶ page
//!       ◀── command, under the user who has signed in ◀── page
//! ```
//!
//! It is a consumer of the topics like any other: it knows nothing of daemons but what they
//! publish, and who may do what is known to the broker alone. A hall of many daemons is the
//! same to it as one. What is spoken between it and the pages is in `protocol/hall.md`.

mod answer;
mod command;
mod evidence;
mod feed;
mod guard;
mod listener;
pub mod mirror;
mod opening;
mod pages;
mod role;
mod sessions;
mod settings;
mod sign_in;
mod tile;
mod upstream;

use std::{
    collections::{BTreeSet, HashMap},
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use axum::{
    Router,
    extract::{ConnectInfo, DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio::{
    net::TcpListener,
    sync::Semaphore,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use self::{
    answer::Refused,
    guard::{Attempts, Names},
    listener::{Door, Peer},
    sessions::{Sessions, random_word},
    upstream::{Line, Upstream},
};
pub use self::{
    settings::{Settings, SettingsError},
    upstream::Broker,
};
use crate::{
    name::BoardId,
    publish::{
        command::MAX_PAYLOAD,
        mqtt::{Access, Credentials, client::AskError},
        topic::Audience,
    },
    time::Millis,
};

/// Until a port that is taken is asked for again.
const AGAIN: Duration = Duration::from_secs(10);
/// Pages that may be open at once: of the public, and of those who have signed in.
const PUBLIC_FEEDS: usize = 768;
const FEEDS: usize = 256;
/// How long it is remembered whom the broker lets in, and that this is not known.
const DOOR_FOR: Duration = Duration::from_secs(30);
const UNKNOWN_FOR: Duration = Duration::from_secs(3);
/// A page runs what comes from here and speaks to nobody else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

/// The hall.
#[derive(Debug)]
pub(crate) struct Hall {
    settings: Settings,
    /// What everybody may see.
    public: Arc<Upstream>,
    /// The lines of those who have signed in, by a hash of who they are.
    lines: Mutex<HashMap<[u8; 32], Weak<Upstream>>>,
    sessions: Sessions,
    attempts: Attempts,
    names: Names,
    /// Whom the broker lets in, and when that was asked.
    door: tokio::sync::Mutex<Option<(Instant, Option<BrokersDoor>)>>,
    public_feeds: Arc<Semaphore>,
    feeds: Arc<Semaphore>,
    cancel: CancellationToken,
}

/// Serves pages, and `beside` them what is for this computer alone, until `cancel`. A port
/// that is taken stops no game: it is told, and tried again.
pub async fn serve(settings: Settings, beside: Router, cancel: CancellationToken) {
    let listen = settings.listen;
    if let Some(listener) = cancel.run_until_cancelled(bind(listen)).await {
        serve_at(listener, settings, beside, cancel).await;
    }
}

/// The same on a port that we have already.
pub async fn serve_at(
    listener: TcpListener,
    settings: Settings,
    beside: Router,
    cancel: CancellationToken,
) {
    let listen = listener.local_addr().unwrap_or(settings.listen);
    tracing::info!("pages are at http://{listen}/");
    let hall = match Hall::new(settings, cancel.clone()) {
        Ok(hall) => Arc::new(hall),
        Err(error) => return tracing::error!("no pages are served: {}", error.message()),
    };
    serve_on(listener, router(hall, beside), &cancel).await;
}

/// Serves what is for this computer alone, and no pages, until `cancel`.
pub async fn serve_beside(listen: SocketAddr, beside: Router, cancel: CancellationToken) {
    let Some(listener) = cancel.run_until_cancelled(bind(listen)).await else {
        return;
    };
    serve_on(listener, for_this_computer(beside), &cancel).await;
}

async fn serve_on(listener: TcpListener, router: Router, cancel: &CancellationToken) {
    let service = router.into_make_service_with_connect_info::<Peer>();
    let ended = cancel.clone();
    let served = axum::serve(Door::new(listener), service)
        .with_graceful_shutdown(async move { ended.cancelled().await });
    // Whoever keeps a connection open does not keep us from stopping.
    let stopped = async {
        cancel.cancelled().await;
        sleep(Duration::from_secs(1)).await;
    };
    tokio::select! {
        result = served => if let Err(error) = result {
            tracing::error!("http has ended: {error}");
        },
        () = stopped => {}
    }
}

async fn bind(address: SocketAddr) -> TcpListener {
    let mut told = false;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return listener,
            Err(error) if !told => {
                tracing::error!(%address, "http.listen cannot be had, and is tried again: {error}");
                told = true;
            }
            Err(_) => {}
        }
        sleep(AGAIN).await;
    }
}

fn router(hall: Arc<Hall>, beside: Router) -> Router {
    let page =
        |name: &'static str| get(async move |headers: HeaderMap| pages::send(name, &headers));
    Router::new()
        .route("/", page("index.html"))
        .route("/overlay", page("overlay.html"))
        .route("/display", page("display.html"))
        .route("/clock", page("clock.html"))
        .route("/arbiter", page("arbiter.html"))
        .route("/assets/{name}", get(pages::asset))
        .route("/feed", get(feed::web_socket))
        .route("/api/events", get(feed::server_sent))
        .route("/api/site", get(feed::site))
        .route(
            "/api/session",
            get(sign_in::show)
                .post(sign_in::sign_in)
                .delete(sign_in::sign_out),
        )
        .route("/api/opening", get(opening::opening))
        .route("/evidence/{board}", get(evidence::sheet))
        .route("/api/command/{role}/{board}/{verb}", post(command::command))
        .layer(DefaultBodyLimit::max(MAX_PAYLOAD))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&hall),
            only_by_our_names,
        ))
        .with_state(hall)
        .merge(for_this_computer(beside))
        .fallback(async || Refused::NotFound)
        .layer(middleware::from_fn(with_rules))
}

fn for_this_computer(beside: Router) -> Router {
    beside.layer(middleware::from_fn(only_from_here))
}

async fn only_by_our_names(
    State(hall): State<Arc<Hall>>,
    request: Request,
    next: Next,
) -> Response {
    if hall.names.are_ours(request.headers()) {
        next.run(request).await
    } else {
        Refused::ForeignHost.into_response()
    }
}

async fn only_from_here(
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    if guard::is_local(peer, request.headers()) {
        next.run(request).await
    } else {
        Refused::ForeignHost.into_response()
    }
}

/// Adds the rules for browsers to every answer.
async fn with_rules(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "SAMEORIGIN"),
    ] {
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

impl Hall {
    fn new(settings: Settings, cancel: CancellationToken) -> Result<Self, Refused> {
        let access = Access {
            credentials: settings.public.clone(),
            tls: settings.tls.clone(),
        };
        let name = line_name()?;
        Ok(Self {
            public: Upstream::open(&settings.broker, access, Audience::Public, None, &name),
            lines: Mutex::default(),
            sessions: Sessions::default(),
            attempts: Attempts::default(),
            names: Names::new(&settings.names),
            door: tokio::sync::Mutex::default(),
            public_feeds: Arc::new(Semaphore::new(PUBLIC_FEEDS)),
            feeds: Arc::new(Semaphore::new(FEEDS)),
            settings,
            cancel,
        })
    }

    fn now(&self) -> Timestamp {
        self.settings.broker.clock.now()
    }

    fn monotonic_ms(&self) -> Millis {
        self.settings.broker.clock.monotonic_ms()
    }

    /// Whether other computers can reach us: by our address, or by the name of a web server
    /// that stands before us.
    fn is_remote(&self) -> bool {
        !self.settings.listen.ip().is_loopback() || !self.settings.names.is_empty()
    }

    /// The line that a browser may read an audience from, if it may.
    fn upstream(
        &self,
        headers: &HeaderMap,
        audience: Audience,
        boards: Option<&BTreeSet<BoardId>>,
    ) -> Option<Arc<Upstream>> {
        if audience == Audience::Public {
            return Some(Arc::clone(&self.public));
        }
        let grants = self.sessions.grants(headers, self.monotonic_ms());
        let fitting = grants.into_iter().find(|grant| {
            let its_board = grant.board.as_ref();
            grant.role.audience() == audience
                && its_board.is_none_or(|board| {
                    boards.is_some_and(|boards| boards.len() == 1 && boards.contains(board))
                })
        });
        let upstream = fitting.map(|grant| grant.upstream);
        upstream.filter(|upstream| !upstream.is_refused())
    }

    /// The line of a user, which all who are this user share.
    fn pool(
        &self,
        credentials: Option<Credentials>,
        audience: Audience,
        board: Option<&BoardId>,
    ) -> Result<Arc<Upstream>, Refused> {
        let who = credentials.as_ref().map(|c| (&c.username, &c.password));
        let who = format!("{who:?} {} {board:?}", audience.as_str());
        let key: [u8; 32] = Sha256::digest(who.as_bytes()).into();
        let name = line_name()?;
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.retain(|_, line| line.strong_count() > 0);
        // One that is lost waits before it tries again; whoever signs in now should not.
        if let Some(line) = lines.get(&key).and_then(Weak::upgrade)
            && line.is_up_or_new()
        {
            return Ok(line);
        }
        let access = Access {
            credentials,
            tls: self.settings.tls.clone(),
        };
        let line = Upstream::open(&self.settings.broker, access, audience, board, &name);
        lines.insert(key, Arc::downgrade(&line));
        Ok(line)
    }

    /// Whom the broker lets in; `None` if that cannot be known now.
    async fn door(&self) -> Option<BrokersDoor> {
        let mut door = self.door.lock().await;
        if let Some((asked, answer)) = *door {
            let lasts = answer.map_or(UNKNOWN_FOR, |_| DOOR_FOR);
            if asked.elapsed() < lasts {
                return answer;
            }
        }
        let answer = self.try_door().await;
        *door = Some((Instant::now(), answer));
        answer
    }

    async fn try_door(&self) -> Option<BrokersDoor> {
        let nobody = self.pool(None, Audience::Player, None).ok()?;
        match nobody.welcome().await {
            Line::Up => match nobody.may_command("arbiter", None).await {
                Ok(()) => return Some(BrokersDoor::Open),
                Err(AskError::Refused(_)) => {}
                Err(AskError::NoBroker | AskError::TooMany) => return None,
            },
            Line::Refused(_) => {}
            Line::Connecting | Line::Lost(_) => return None,
        }
        // Whoever lets in a user that nobody has ever named checks no password.
        let stranger = Credentials {
            username: line_name().ok()?,
            password: line_name().ok()?,
        };
        let stranger = self.pool(Some(stranger), Audience::Player, None).ok()?;
        match stranger.welcome().await {
            Line::Up => Some(BrokersDoor::AnyPassword),
            Line::Refused(_) => Some(BrokersDoor::Guarded),
            Line::Connecting | Line::Lost(_) => None,
        }
    }
}

/// Whom the broker lets in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BrokersDoor {
    /// Anybody, to do anything.
    Open,
    /// Anybody who gives himself a name.
    AnyPassword,
    /// Those whom it knows.
    Guarded,
}

/// A name for one more line to the broker.
fn line_name() -> Result<String, Refused> {
    let word = random_word().map_err(|error| Refused::Internal(error.to_string()))?;
    Ok(word.chars().take(12).collect())
}
