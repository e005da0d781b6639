//! The routes.

use std::net::SocketAddr;

use axum::{
    Router,
    extract::{ConnectInfo, Path, Request, State, WebSocketUpgrade},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::get,
};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::{
    guard::{Refusal, permission, preflight},
    hub::Hub,
    session,
    wire::LONGEST,
};

/// What the handlers share.
#[derive(Debug, Clone)]
struct Shared {
    hub: Hub,
    cancel: CancellationToken,
}

impl Hub {
    /// The routes below `/api/v1.0`. Sockets are closed at `cancel`. The server adds a client's
    /// address to each request, as [`ConnectInfo`].
    pub fn router(&self, cancel: CancellationToken) -> Router {
        Router::new()
            .route("/api/v1.0", get(socket))
            .route("/api/v1.0/", get(socket))
            .route("/api/v1.0/eboards", get(eboards))
            .route("/api/v1.0/tournaments", get(tournaments))
            .route("/api/v1.0/tournament/{uuid}", get(tournament))
            .route("/api/v1.0/round/{uuid}/{index}", get(round))
            .route("/api/v1.0/game/{uuid}", get(game))
            .layer(middleware::from_fn_with_state(self.clone(), admit))
            .with_state(Shared {
                hub: self.clone(),
                cancel,
            })
    }
}

/// Refuses strangers, and lets the pages that are admitted read the answers.
async fn admit(State(hub): State<Hub>, request: Request, next: Next) -> Response {
    let page = match hub.guard().check(request.headers()) {
        Ok(page) => page,
        Err(refused) => return refuse(&hub, refused, request.headers()),
    };
    let Some(origin) = page else {
        return next.run(request).await;
    };
    if request.method() == Method::OPTIONS {
        let headers = (permission(origin), preflight());
        return (StatusCode::NO_CONTENT, headers.0, headers.1).into_response();
    }
    let mut response = next.run(request).await;
    response.headers_mut().extend(permission(origin));
    response
}

fn refuse(hub: &Hub, refused: Refusal, headers: &HeaderMap) -> Response {
    let sent = |name| headers.get(name).map_or(&[][..], HeaderValue::as_bytes);
    let answer = match refused {
        Refusal::Page => {
            if let Some(page) = hub.refused(refused, sent(header::ORIGIN)) {
                tracing::warn!("a page that livechess.origins does not list is refused: {page}");
            }
            "this page is not admitted\n"
        }
        Refusal::Host => {
            if let Some(host) = hub.refused(refused, sent(header::HOST)) {
                tracing::warn!(
                    "a request for a host that http.names does not list is refused: {host}"
                );
            }
            "ask for localhost or an address\n"
        }
    };
    (StatusCode::FORBIDDEN, answer).into_response()
}

async fn socket(
    State(shared): State<Shared>,
    ConnectInfo(client): ConnectInfo<SocketAddr>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(place) = shared.hub.place(client.ip()) else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    upgrade
        .max_message_size(LONGEST)
        .max_frame_size(LONGEST)
        .on_upgrade(async move |socket| {
            session::serve(socket, shared.hub, shared.cancel).await;
            drop(place);
        })
}

async fn eboards(State(shared): State<Shared>) -> Response {
    json(Some(shared.hub.settled_eboards()))
}

async fn tournaments(State(shared): State<Shared>) -> Response {
    json(Some(shared.hub.tournaments()))
}

async fn tournament(State(shared): State<Shared>, Path(id): Path<String>) -> Response {
    shared.hub.look();
    json(shared.hub.records(|records| records.tournament(&id)))
}

async fn round(State(shared): State<Shared>, Path((id, index)): Path<(String, u32)>) -> Response {
    json(shared.hub.records(|records| records.round(&id, index)))
}

async fn game(State(shared): State<Shared>, Path(id): Path<String>) -> Response {
    json(shared.hub.records(|records| records.game(&id)))
}

/// An answer in JSON, indented as the original does it.
fn json<T: Serialize>(record: Option<T>) -> Response {
    let Some(record) = record else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // Structs of texts and numbers always have a JSON form.
    let body = serde_json::to_string_pretty(&record).unwrap_or_default();
    let headers = [
        (
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        ),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (headers, body).into_response()
}
