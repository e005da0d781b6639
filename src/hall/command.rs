//! A page's command: sent to the broker as the signed-in user, and answered.

use std::sync::Arc;

use axum::{
    Json,
    extract::{Path, State, rejection::JsonRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{Hall, answer::Refusal, guard::is_from_our_page, role::Role, upstream::NoAnswer};
use crate::publish::mqtt::client::SendError;
use remisd_vocabulary::name::BoardId;

/// Handles `POST api/command/<role>/<board>/<verb>`.
pub(super) async fn command(
    State(hall): State<Arc<Hall>>,
    headers: HeaderMap,
    Path((role, board, verb)): Path<(String, String, String)>,
    body: Result<Json<Map<String, Value>>, JsonRejection>,
) -> Response {
    if !is_from_our_page(&headers) {
        return Refusal::ForeignOrigin.into_response();
    }
    let body = match body {
        Ok(Json(body)) => body,
        Err(error) => {
            let (status, why) = (error.status(), error.body_text());
            return Refusal::Unreadable(status, why).into_response();
        }
    };
    match send(&hall, &headers, (&role, &board, &verb), body).await {
        Ok(answer) => {
            let status = if is_ok(&answer) {
                StatusCode::OK
            } else {
                StatusCode::CONFLICT
            };
            (status, [(header::CONTENT_TYPE, "application/json")], answer).into_response()
        }
        Err(refused) => refused.into_response(),
    }
}

async fn send(
    hall: &Hall,
    headers: &HeaderMap,
    (role, board, verb): (&str, &str, &str),
    mut body: Map<String, Value>,
) -> Result<Bytes, Refusal> {
    let bad = |what: &str| {
        Refusal::Bad(format!(
            "\"{}\" is no {what}",
            named_segment(what, role, board, verb)
        ))
    };
    let role: Role = role.parse().map_err(|()| bad("role"))?;
    let board: BoardId = board.parse().map_err(|_| bad("board"))?;
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    if !(1..=32).contains(&verb.len()) || !verb.bytes().all(is_word) {
        return Err(bad("verb"));
    }
    let grants = hall.sessions.grants(headers, hall.monotonic());
    let grant = grants
        .into_iter()
        .find(|grant| grant.fits(role, Some(&board)));
    let grant = grant.ok_or(Refusal::NotSignedIn)?;
    body.remove("reply_to");
    match grant.name {
        Some(name) => body.insert("by".to_owned(), Value::String(name)),
        None => body.remove("by"),
    };
    let payload =
        serde_json::to_vec(&body).map_err(|error| Refusal::Internal(error.to_string()))?;
    let answer = grant
        .upstream
        .command(role.as_str(), &board, verb, payload.into());
    answer.await.map_err(|error| match error {
        NoAnswer::Broker(SendError::NoBroker | SendError::TooMany) => Refusal::NoBroker,
        NoAnswer::Broker(SendError::Refused(why)) => Refusal::ByBroker(why),
        NoAnswer::Silent => Refusal::NoAnswer(error.to_string()),
    })
}

/// The part of the address that `what` names.
fn named_segment<'a>(what: &str, role: &'a str, board: &'a str, verb: &'a str) -> &'a str {
    match what {
        "role" => role,
        "board" => board,
        _ => verb,
    }
}

fn is_ok(answer: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct CommandReply {
        ok: bool,
    }
    serde_json::from_slice::<CommandReply>(answer).is_ok_and(|answer| answer.ok)
}
