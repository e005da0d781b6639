//! The pairings of a round, read for the arbiter's page out of a file or pasted text.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Query, State, rejection::BytesRejection},
    http::HeaderMap,
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::{Hall, answer::Refused, guard::is_from_our_page, role::Role};
use crate::pairings::{self, Round};

/// The largest file of a round, in bytes: a large open with all its moves.
pub(super) const MAX_FILE: usize = 1 << 20;
/// More boards than this are not asked for.
const BOARDS: usize = 1024;

/// For which boards.
#[derive(Debug, Deserialize)]
pub(super) struct Wish {
    /// Their names in their order, parted by commas.
    #[serde(default)]
    boards: String,
}

/// What is answered.
#[derive(Debug, Serialize)]
struct Answer {
    schema: &'static str,
    /// The file as text, for the reader to look at and mend.
    text: String,
    #[serde(flatten)]
    round: Round,
}

/// `POST api/pairings?boards=b1,b2`, for an arbiter who has signed in.
pub(super) async fn pairings(
    State(hall): State<Arc<Hall>>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    if !is_from_our_page(&headers) {
        return Refused::ForeignOrigin.into_response();
    }
    let grants = hall.sessions.grants(&headers, hall.monotonic_ms());
    if !grants.iter().any(|grant| grant.fits(Role::Arbiter, None)) {
        return Refused::NotSignedIn.into_response();
    }
    let bytes = match body {
        Ok(bytes) => bytes,
        Err(error) => {
            let (status, why) = (error.status(), error.body_text());
            return Refused::Unreadable(status, why).into_response();
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
        Answer {
            schema: "remisd/pairings/1",
            round: pairings::read(&bytes, &boards),
            text,
        }
    });
    match read.await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => Refused::Internal(error.to_string()).into_response(),
    }
}
