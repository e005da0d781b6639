//! What the daemon shows of itself on loopback: `/healthz` and `/metrics`.
//!
//! Whoever keeps watch over computers asks here. There is nothing of a game in it, and
//! nothing can be changed.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use prometheus_client::metrics::histogram::Histogram;
use tokio::{net::TcpListener, sync::watch, time::sleep};
use tokio_util::sync::CancellationToken;

use super::metrics;
use crate::publish::payload::Health;

/// Until a port that is taken is asked for again.
const AGAIN: Duration = Duration::from_secs(10);
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The last look at the daemon; none before the first.
pub(super) type LastLook = watch::Receiver<Option<Arc<Health>>>;

#[derive(Clone)]
struct Shown {
    last_look: LastLook,
    journal: Histogram,
}

/// Serves on `address` until `cancel`. A port that is taken stops no game: it is told, and
/// tried again.
pub(super) async fn run(
    address: SocketAddr,
    last_look: LastLook,
    journal: Histogram,
    cancel: CancellationToken,
) {
    let Some(Some(listener)) = cancel.run_until_cancelled(bind(address)).await.map(Some) else {
        return;
    };
    let shown = Shown { last_look, journal };
    let served = axum::serve(listener, router(shown)).with_graceful_shutdown({
        let cancel = cancel.clone();
        async move { cancel.cancelled().await }
    });
    // Whoever keeps a connection open does not keep the daemon from stopping.
    let stopped = async {
        cancel.cancelled().await;
        sleep(Duration::from_secs(1)).await;
    };
    tokio::select! {
        result = served => if let Err(error) = result {
            tracing::error!(%address, "http has ended: {error}");
        },
        () = stopped => {}
    }
}

async fn bind(address: SocketAddr) -> TcpListener {
    let mut told = false;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => {
                tracing::info!("health and metrics are at http://{address}/healthz and /metrics");
                return listener;
            }
            Err(error) if !told => {
                tracing::error!(%address, "http.listen cannot be had, and is tried again: {error}");
                told = true;
            }
            Err(_) => {}
        }
        sleep(AGAIN).await;
    }
}

fn router(shown: Shown) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(text_of_metrics))
        .with_state(shown)
}

/// 200 while every part answers, 503 when one does not or nobody has looked yet.
async fn healthz(State(shown): State<Shown>) -> Response {
    let health = shown.last_look.borrow().clone();
    let (status, body) = match health {
        Some(health) => {
            let status = if health.alive {
                StatusCode::OK
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            };
            (status, serde_json::to_vec(&*health).unwrap_or_default())
        }
        None => (StatusCode::SERVICE_UNAVAILABLE, b"{}".to_vec()),
    };
    answer(status, "application/json", body)
}

async fn text_of_metrics(State(shown): State<Shown>) -> Response {
    let health = shown.last_look.borrow().clone();
    match health {
        Some(health) => {
            let text = metrics::text(&health, &shown.journal);
            answer(StatusCode::OK, METRICS, text.into_bytes())
        }
        None => answer(StatusCode::SERVICE_UNAVAILABLE, "text/plain", Vec::new()),
    }
}

fn answer(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
        ),
    ];
    (status, headers, body).into_response()
}
