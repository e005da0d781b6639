//! A page's command: sent to the broker as the signed-in user, and answered.

use std::sync::Arc;

use axum::{
    extract::{FromRequestParts, Path},
    http::{StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    Hall,
    answer::Refusal,
    body::{FromOurPage, JsonBody},
    role::Role,
    sessions::Grant,
    upstream::NoAnswer,
};
use crate::publish::mqtt::client::SendError;
use remisd_vocabulary::name::BoardId;

/// What the address of a command says, and the grant of the browser for it.
#[derive(Debug)]
pub(super) struct CommandTarget {
    role: Role,
    board: BoardId,
    verb: String,
    grant: Grant,
}

impl FromRequestParts<Arc<Hall>> for CommandTarget {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, hall: &Arc<Hall>) -> Result<Self, Refusal> {
        let path = Path::<(String, String, String)>::from_request_parts(parts, hall).await;
        let path = path.map_err(|error| Refusal::Unreadable(error.status(), error.body_text()));
        let Path((role, board, verb)) = path?;
        let bad = |what: &str, segment: &str| Refusal::Bad(format!("\"{segment}\" is no {what}"));
        let role: Role = role.parse().map_err(|()| bad("role", &role))?;
        let board: BoardId = board.parse().map_err(|_| bad("board", &board))?;
        let is_word = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        if !(1..=32).contains(&verb.len()) || !verb.bytes().all(is_word) {
            return Err(bad("verb", &verb));
        }
        let grants = hall.sessions.grants(&parts.headers, hall.monotonic());
        let mut grants = grants.into_iter();
        let grant = grants.find(|grant| grant.fits(role, Some(&board)));
        Ok(Self {
            role,
            board,
            verb,
            grant: grant.ok_or(Refusal::NotSignedIn)?,
        })
    }
}

/// Handles `POST api/command/<role>/<board>/<verb>`.
pub(super) async fn command(
    _: FromOurPage,
    target: CommandTarget,
    JsonBody(body): JsonBody<Map<String, Value>>,
) -> Response {
    match send(target, body).await {
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

async fn send(target: CommandTarget, mut body: Map<String, Value>) -> Result<Bytes, Refusal> {
    let CommandTarget {
        role,
        board,
        verb,
        grant,
    } = target;
    body.remove("reply_to");
    match grant.name {
        Some(name) => body.insert("by".to_owned(), Value::String(name)),
        None => body.remove("by"),
    };
    let payload =
        serde_json::to_vec(&body).map_err(|error| Refusal::Internal(error.to_string()))?;
    // It takes many times the memory of its text, and the answer may be a while.
    drop(body);
    let answer = grant
        .upstream
        .command(role.as_str(), &board, &verb, payload.into());
    answer.await.map_err(|error| match error {
        NoAnswer::Broker(SendError::NoBroker | SendError::TooMany) => Refusal::NoBroker,
        NoAnswer::Broker(SendError::Refused(why)) => Refusal::ByBroker(why),
        NoAnswer::Silent => Refusal::NoAnswer(error.to_string()),
    })
}

fn is_ok(answer: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct CommandReply {
        ok: bool,
    }
    serde_json::from_slice::<CommandReply>(answer).is_ok_and(|answer| answer.ok)
}
