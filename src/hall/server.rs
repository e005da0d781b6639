//! The web server: its routes, and the headers of every response.

use std::{net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    extract::{ConnectInfo, DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Redirect, Response},
    routing::{MethodRouter, get, post},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    net::TcpListener,
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    Hall, NoRandomness, Settings,
    answer::Refusal,
    command, evidence, feed, guard,
    health_probe::{HealthProbe, ServerQuestion},
    html_errors,
    listener::{BoundedListener, KnownAddresses, Peer, Place},
    opening, pages,
    proxies::{Proxies, is_forwarded},
    public_reader, round, sign_in,
    sites::{self, Sites},
    standings,
};
use crate::publish::command::MAX_PAYLOAD;

/// The wait before retrying to bind an address in use.
const AGAIN: Duration = Duration::from_secs(10);
/// How long a connection may take to send the head of a request, and how long a response may take.
#[derive(Debug, Clone, Copy)]
struct Limits {
    head: Duration,
    answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            answer: Duration::from_mins(1),
        }
    }
}

/// The longest head of a request that is surely taken, in bytes; one twice as long is refused.
/// Browsers send every cookie of the host in it, also those of other servers.
const LONGEST_HEAD: usize = 32 * 1024;
/// How long connections may take to end when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// A page runs only our scripts and connects only to us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

/// Serves the pages, and `beside` them the routes reserved for this computer, until `cancel`.
///
/// An address in use must not stop a game: it is logged, and binding is retried.
pub async fn serve(settings: Settings, beside: Router, cancel: CancellationToken) {
    match Server::open(settings, beside, cancel).await {
        Ok(Some(server)) => server.run().await,
        Ok(None) => {}
        Err(error) => tracing::error!("no pages are served: {error}"),
    }
}

/// Like [`serve`], on a listener that is already bound.
pub async fn serve_at(
    listener: TcpListener,
    settings: Settings,
    beside: Router,
    cancel: CancellationToken,
) {
    match Server::open_at(listener, settings, beside, cancel) {
        Ok(server) => server.run().await,
        Err(error) => tracing::error!("no pages are served: {error}"),
    }
}

/// A server of pages that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    router: Router,
    sites: Sites,
    questions: mpsc::Sender<ServerQuestion>,
    asked: mpsc::Receiver<ServerQuestion>,
    cancel: CancellationToken,
}

impl Server {
    /// Waits for the address; `None` if `cancel` comes first.
    ///
    /// # Errors
    ///
    /// Fails if the system provides no randomness.
    pub async fn open(
        settings: Settings,
        beside: Router,
        cancel: CancellationToken,
    ) -> Result<Option<Self>, NoRandomness> {
        let bound = bind("http.listen", settings.listen);
        let listener = cancel.run_until_cancelled(bound).await;
        let server = listener.map(|at| Self::open_at(at, settings, beside, cancel.clone()));
        server.transpose()
    }

    fn open_at(
        listener: TcpListener,
        settings: Settings,
        beside: Router,
        cancel: CancellationToken,
    ) -> Result<Self, NoRandomness> {
        let listen = listener.local_addr().unwrap_or(settings.listen);
        tracing::info!("pages are at http://{listen}/");
        let sites = Sites::open(settings, &cancel)?;
        let (questions, asked) = mpsc::channel(1);
        Ok(Self {
            listener,
            router: router(&sites, beside),
            sites,
            questions,
            asked,
            cancel,
        })
    }

    /// What asks this server whether it makes progress.
    #[must_use]
    pub fn probe(&self) -> HealthProbe {
        HealthProbe {
            server: self.questions.clone(),
            sites: self.sites.clone(),
        }
    }

    /// Serves the pages until its token is triggered.
    pub async fn run(self) {
        let Self { sites, cancel, .. } = self;
        let known = KnownAddresses {
            attempts: Arc::clone(&sites.own.attempts),
            clock: Arc::clone(&sites.own.settings.broker.clock),
        };
        tokio::join!(
            serve_on(
                BoundedListener::new(self.listener, Some(known)),
                self.router,
                Limits::default(),
                self.asked,
                &cancel
            ),
            cancel.run_until_cancelled(public_reader::report(&sites.own)),
        );
    }
}

/// Serves only the routes reserved for this computer, and no pages, until `cancel`.
pub async fn serve_beside(listen: SocketAddr, beside: Router, cancel: CancellationToken) {
    let router = for_this_computer(beside, Proxies::default());
    serve_router("http.listen", listen, router, &cancel).await;
}

/// Serves other routes than those of the pages, until `cancel`. `key` is the key of the
/// configuration that has the address.
pub async fn serve_router(
    key: &'static str,
    listen: SocketAddr,
    router: Router,
    cancel: &CancellationToken,
) {
    if let Some(listener) = cancel.run_until_cancelled(bind(key, listen)).await {
        serve_router_at(listener, router, cancel).await;
    }
}

/// Like [`serve_router`], on a listener that is already bound.
pub async fn serve_router_at(listener: TcpListener, router: Router, cancel: &CancellationToken) {
    let (_, nobody_asks) = mpsc::channel(1);
    let listener = BoundedListener::new(listener, None);
    serve_on(listener, router, Limits::default(), nobody_asks, cancel).await;
}

async fn serve_on(
    listener: BoundedListener,
    router: Router,
    limits: Limits,
    mut asked: mpsc::Receiver<ServerQuestion>,
    cancel: &CancellationToken,
) {
    let mut visits = JoinSet::new();
    loop {
        let (visit, peer, place) = tokio::select! {
            () = cancel.cancelled() => break,
            accepted = listener.accept() => accepted,
            Some(question) = asked.recv() => {
                question.send(()).ok();
                continue;
            }
            // Reap connections that have ended.
            Some(_) = visits.join_next() => continue,
        };
        let router = router
            .clone()
            .layer(middleware::from_fn(move |request: Request, next: Next| {
                answer_in_time(limits.answer, request, next)
            }))
            .layer(middleware::from_fn(
                move |request: Request, next: Next| async move {
                    if !may_use(place, request.headers()) {
                        return no_room();
                    }
                    next.run(request).await
                },
            ))
            .layer(Extension(ConnectInfo(peer)))
            .layer(Extension(ConnectInfo(peer.0)));
        let cancel = cancel.clone();
        visits.spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.head)
                .max_buf_size(LONGEST_HEAD)
                .serve_connection(TokioIo::new(visit), TowerToHyperService::new(router))
                .with_upgrades();
            let mut connection = pin!(connection);
            tokio::select! {
                // The client hung up or was too slow, so there is nothing to report.
                _ = connection.as_mut() => return,
                () = cancel.cancelled() => connection.as_mut().graceful_shutdown(),
            }
            connection.await.ok();
        });
    }
    // Open connections must not delay the stop.
    let all = async { while visits.join_next().await.is_some() {} };
    timeout(SHUTDOWN_TIMEOUT, all).await.ok();
}

/// Gives up a request whose response takes too long, because the body may trickle in. A feed counts
/// as answered when it begins.
async fn answer_in_time(limit: Duration, request: Request, next: Next) -> Response {
    match timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}

/// Whether a request may come over a place: not over one kept for this computer, if a proxy sends it
/// for a client elsewhere.
fn may_use(place: Place, headers: &HeaderMap) -> bool {
    place != Place::Kept || !is_forwarded(headers)
}

/// Refuses a request that came over a place kept for this computer, and frees the place.
fn no_room() -> Response {
    let close = [(header::CONNECTION, "close")];
    (StatusCode::SERVICE_UNAVAILABLE, close).into_response()
}

async fn bind(key: &str, address: SocketAddr) -> TcpListener {
    let mut is_logged = false;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => return listener,
            Err(error) if !is_logged => {
                tracing::error!("cannot listen on {address} ({key}), trying again: {error}");
                is_logged = true;
            }
            Err(_) => {}
        }
        sleep(AGAIN).await;
    }
}

fn router(sites: &Sites, beside: Router) -> Router {
    let own = &sites.own;
    let of_all = Router::new()
        .route("/chief", page("chief.html"))
        .route("/api/sites", get(sites::show))
        .layer(middleware::from_fn_with_state(
            Arc::clone(own),
            require_known_host,
        ))
        .with_state(sites.clone());
    let mut router = of_site("", own).merge(of_all);
    for hall in sites.all() {
        let folder = sites::folder(hall);
        let start = format!("{}/", hall.settings.broker.site);
        // Links in pages are relative to this folder. So is this one, for a web server in front.
        let start = get(async move || Redirect::permanent(&start));
        router = (router.route(&folder, start)).merge(of_site(&folder, hall));
    }
    router
        .merge(for_this_computer(beside, own.settings.proxies.clone()))
        .merge(own.settings.pgn.clone())
        .fallback(async || Refusal::NotFound)
        .layer(middleware::from_fn(html_errors::refused))
        .layer(middleware::from_fn(security_headers))
}

/// The routes of one site, below a folder.
fn of_site(folder: &str, hall: &Arc<Hall>) -> Router {
    let at = |path: &str| format!("{folder}{path}");
    Router::new()
        .route(&at("/"), page("index.html"))
        .route(&at("/overlay"), get(overlay))
        .route(&at("/display"), page("display.html"))
        .route(&at("/clock"), page("clock.html"))
        .route(&at("/arbiter"), page("arbiter.html"))
        .route(&at("/operator"), page("operator.html"))
        .route(&at("/assets/{name}"), get(pages::asset))
        .route(&at("/feed"), get(feed::web_socket))
        .route(&at("/api/events"), get(feed::server_sent))
        .route(&at("/api/site"), get(feed::site))
        .route(
            &at("/api/session"),
            get(sign_in::show)
                .post(sign_in::sign_in)
                .delete(sign_in::sign_out),
        )
        .route(&at("/api/opening"), get(opening::opening))
        .route(&at("/api/standings"), get(standings::show))
        .route(&at("/evidence/{board}"), get(evidence::sheet))
        .route(
            &at("/api/command/{role}/{board}/{verb}"),
            post(command::command),
        )
        .layer(DefaultBodyLimit::max(MAX_PAYLOAD))
        .route(
            &at("/api/pairings"),
            post(round::pairings).layer(DefaultBodyLimit::max(round::MAX_FILE)),
        )
        .layer(middleware::from_fn_with_state(
            Arc::clone(hall),
            require_known_host,
        ))
        .with_state(Arc::clone(hall))
}

fn page<S: Clone + Send + Sync + 'static>(name: &'static str) -> MethodRouter<S> {
    get(async move |headers: HeaderMap| pages::send(name, &headers))
}

/// The overlay. Broadcasts may inject their own style sheet, as with "Custom CSS" in OBS; all other
/// rules stay the same.
async fn overlay(headers: HeaderMap) -> Response {
    let mut response = pages::send("overlay.html", &headers);
    let policy = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
    if let Ok(policy) = HeaderValue::try_from(policy) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

fn for_this_computer(beside: Router, proxies: Proxies) -> Router {
    beside.layer(middleware::from_fn_with_state(
        Arc::new(proxies),
        require_local,
    ))
}

async fn require_known_host(
    State(hall): State<Arc<Hall>>,
    request: Request,
    next: Next,
) -> Response {
    if hall.names.are_ours(request.headers()) {
        next.run(request).await
    } else {
        Refusal::ForeignHost.into_response()
    }
}

async fn require_local(
    State(proxies): State<Arc<Proxies>>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let client = proxies.client(peer, headers);
    if proxies.know_client(peer, headers) && guard::is_local(client, headers) {
        next.run(request).await
    } else {
        Refusal::ForeignHost.into_response()
    }
}

/// Adds the security headers to every response.
pub(crate) async fn security_headers(request: Request, next: Next) -> Response {
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

#[cfg(test)]
mod tests;
