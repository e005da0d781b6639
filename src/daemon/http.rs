//! The daemon's health endpoints on loopback: `/healthz` and `/metrics`.
//!
//! They serve monitoring on this computer only. They contain no moves and no players, and change
//! nothing.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use tokio::sync::watch;

use super::{
    metrics::{self, Metrics},
    systemd::BEAT,
};
use crate::publish::payload::Health;
use remisd_vocabulary::time::{Clock, Moment};

/// The age, in beats, beyond which a health result is stale.
const STALE_BEATS: u32 = 4;
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The latest health result; `None` before the first.
pub(super) type LatestHealth = watch::Receiver<Option<Arc<Health>>>;

#[derive(Clone)]
struct HealthState {
    last_look: LatestHealth,
    metrics: Metrics,
    clock: Arc<dyn Clock>,
}

/// Returns the two routes. The server must accept connections from this computer only.
pub(super) fn router(last_look: LatestHealth, metrics: Metrics, clock: Arc<dyn Clock>) -> Router {
    let shown = HealthState {
        last_look,
        metrics,
        clock,
    };
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(show_metrics))
        .with_state(shown)
}

/// Answers 200 while the daemon is alive, and 503 if a part has failed or the result is stale.
async fn healthz(State(shown): State<HealthState>) -> Response {
    let health = shown.last_look.borrow().clone();
    let Some(health) = health else {
        return answer(
            StatusCode::SERVICE_UNAVAILABLE,
            "application/json",
            b"{}".to_vec(),
        );
    };
    let status = if health.alive && is_of_late(&health, shown.clock.monotonic()) {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = serde_json::to_vec(&*health).unwrap_or_default();
    answer(status, "application/json", body)
}

fn is_of_late(health: &Health, now: Moment) -> bool {
    let most = u64::try_from((BEAT * STALE_BEATS).as_millis()).unwrap_or(u64::MAX);
    now.as_millis().saturating_sub(health.up_ms) <= most
}

async fn show_metrics(State(shown): State<HealthState>) -> Response {
    let health = shown.last_look.borrow().clone();
    match health {
        Some(health) => {
            let text = metrics::text(&health, &shown.metrics);
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
