//! The pairings of a round, read from a file or pasted text for the arbiter's page.

use std::sync::Arc;

use axum::{
    Json,
    extract::{FromRequestParts, Query},
    http::request::Parts,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

use super::{
    Hall,
    answer::Refusal,
    body::{FromOurPage, WholeBody},
    role::Role,
};
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

/// The browser is signed in as an arbiter.
#[derive(Debug, Clone, Copy)]
pub(super) struct SignedInArbiter;

impl FromRequestParts<Arc<Hall>> for SignedInArbiter {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, hall: &Arc<Hall>) -> Result<Self, Refusal> {
        let grants = hall.sessions.grants(&parts.headers, hall.monotonic());
        let is_arbiter = grants.iter().any(|grant| grant.fits(Role::Arbiter, None));
        is_arbiter.then_some(Self).ok_or(Refusal::NotSignedIn)
    }
}

/// Handles `POST api/pairings?boards=b1,b2` for a signed-in arbiter.
pub(super) async fn pairings(
    _: FromOurPage,
    _: SignedInArbiter,
    Query(wish): Query<Wish>,
    WholeBody(bytes): WholeBody,
) -> Response {
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
