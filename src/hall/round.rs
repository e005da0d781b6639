//! The pairings of a round, read from a file or pasted text for the arbiter's page.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Query, State, rejection::BytesRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Hall, answer::Refusal, guard::is_from_our_page, role::Role};
use crate::pairings::{self, Round};

/// The largest file of a round, in bytes: enough for a large open with all its moves.
pub(super) const MAX_FILE: usize = 1 << 20;
/// The maximum number of boards in a request.
const BOARDS: usize = 1024;

/// The query of `POST api/pairings`.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    /// The names of the boards in order, separated by commas.
    #[serde(default)]
    boards: String,
}

/// The response.
#[derive(Debug, Serialize)]
struct PairingsResponse {
    schema: &'static str,
    /// The file as text, for the reader to check and correct.
    text: String,
    #[serde(flatten)]
    round: Round,
}

/// Handles `POST api/pairings?boards=b1,b2` for a signed-in arbiter.
pub(super) async fn pairings(
    State(hall): State<Arc<Hall>>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if !is_from_our_page(&headers) {
        return Refusal::ForeignOrigin.into_response();
    }
    let grants = hall.sessions.grants(&headers, hall.monotonic());
    if !grants.iter().any(|grant| grant.fits(Role::Arbiter, None)) {
        return Refusal::NotSignedIn.into_response();
    }
    let bytes = match body {
        Ok(bytes) => bytes,
        Err(error) => {
            let (status, why) = (error.status(), error.body_text());
            return Refusal::Unreadable(status, why).into_response();
        }
    };
    let read = tokio::task::spawn_blocking(move || {
        let boards: Vec<&str> = wish
            .boards
            .split(',')
            .filter(|name| !name.is_empty())
            .take(BOARDS)
            .collect();
        let text = pairings::text(&bytes);
        PairingsResponse {
            schema: "remisd/pairings/1",
            round: pairings::read(&bytes, &boards),
            text,
        }
    });
    match read.await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => Refusal::Internal(error.to_string()).into_response(),
    }
}
