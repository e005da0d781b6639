//! The web server: which page and which answer stands where, and what every answer carries.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{ConnectInfo, DefaultBodyLimit, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use tokio::{net::TcpListener, time::sleep};
use tokio_util::sync::CancellationToken;

use super::{
    Hall, Settings,
    answer::Refused,
    command, evidence, feed, for_people, guard,
    listener::{BoundedListener, Peer},
    opening, pages, round, sign_in,
};
use crate::publish::command::MAX_PAYLOAD;

/// Until a port that is taken is asked for again.
const AGAIN: Duration = Duration::from_secs(10);
/// A page runs what comes from here and speaks to nobody else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
    frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'";

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
    let served = axum::serve(BoundedListener::new(listener), service)
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
        .route("/overlay", get(overlay))
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
        .route(
            "/api/pairings",
            post(round::pairings).layer(DefaultBodyLimit::max(round::MAX_FILE)),
        )
        .layer(middleware::from_fn_with_state(
            Arc::clone(&hall),
            only_by_our_names,
        ))
        .with_state(hall)
        .merge(for_this_computer(beside))
        .fallback(async || Refused::NotFound)
        .layer(middleware::from_fn(for_people::refused))
        .layer(middleware::from_fn(with_rules))
}

/// The overlay. A broadcast's own style sheet may be put into it, as OBS does with its "Custom
/// CSS"; nothing else of the rules is different.
async fn overlay(headers: HeaderMap) -> Response {
    let mut response = pages::send("overlay.html", &headers);
    let policy = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");
    if let Ok(policy) = HeaderValue::try_from(policy) {
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
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
