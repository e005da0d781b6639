//! Signing in and out; the broker decides.

use std::sync::Arc;

use axum::{
    Json,
    extract::{ConnectInfo, Query, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;

use super::{
    Hall,
    access_probe::BrokerAccess,
    answer::Refusal,
    body::{FromOurPage, JsonBody},
    listener::Peer,
    role::Role,
    sessions::{Grant, is_encrypted},
    upstream::{ConnectionState, Upstream},
};
use crate::publish::mqtt::{Credentials, client::SendError};
use remisd_vocabulary::name::BoardId;

/// The maximum length of a person's name and of a password, in bytes.
const LONGEST: usize = 256;
/// The maximum length of a user name, in bytes: a reply topic holds it together with the name of a
/// connection.
const LONGEST_USER: usize = 240;

/// The body of a sign-in request.
#[derive(Deserialize)]
pub(super) struct SignIn {
    role: Role,
    board: Option<BoardId>,
    user: Option<String>,
    password: Option<String>,
    name: Option<String>,
}

/// Handles `GET api/session`.
pub(super) async fn show(State(hall): State<Arc<Hall>>, headers: HeaderMap) -> Response {
    let grants = hall.sessions.grants(&headers, hall.monotonic());
    session(&hall, &grants).await
}

async fn session(hall: &Arc<Hall>, grants: &[Grant]) -> Response {
    let open = !hall.is_remote() && hall.admits().await == Some(BrokerAccess::Open);
    let open: &[Role] = if open { &Role::ALL } else { &[] };
    Json(json!({ "schema": "remisd/session/1", "grants": grants, "open": open })).into_response()
}

/// Handles `POST api/session`.
pub(super) async fn sign_in(
    State(hall): State<Arc<Hall>>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    _: FromOurPage,
    headers: HeaderMap,
    JsonBody(sign_in): JsonBody<SignIn>,
) -> Response {
    let user = sign_in.user.clone().unwrap_or_default();
    let from = hall.settings.proxies.client(peer, &headers);
    let known = hall.devices.known(&headers, &user, hall.now());
    let allowed = match &known {
        Some(device) => hall.attempts.begin_for_device(device, hall.monotonic()),
        None => hall.attempts.begin(from, &user, hall.monotonic()),
    };
    if let Err(seconds) = allowed {
        return Refusal::TooMany(seconds).into_response();
    }
    // A concurrent sign-in may renew the key while the broker checks the password.
    let held = hall.sessions.held(&headers, hall.monotonic());
    let granted = grant(&hall, sign_in).await;
    if !matches!(granted, Err(Refusal::SignIn)) {
        match &known {
            Some(device) => hall.attempts.take_back_known(device),
            None => hall.attempts.take_back(from, &user),
        }
    }
    let added = granted.and_then(|grant| {
        let now = hall.monotonic();
        hall.attempts.succeeded(from, now);
        let added = hall.sessions.add(&headers, held, grant, now);
        let device = |added| {
            let encrypted = is_encrypted(&headers);
            let device = hall
                .devices
                .cookie(&headers, &user, hall.now(), encrypted)?;
            Ok((added, device))
        };
        let added = added.and_then(device);
        added.map_err(|error| Refusal::Internal(error.to_string()))
    });
    match added {
        Ok(((grants, cookie), device)) => {
            let mut response = session(&hall, &grants).await;
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response.headers_mut().append(header::SET_COOKIE, device);
            response
        }
        Err(refused) => refused.into_response(),
    }
}

/// The query of a sign-out request.
#[derive(Deserialize)]
pub(super) struct SignOut {
    role: Option<Role>,
}

/// Handles `DELETE api/session`.
pub(super) async fn sign_out(
    State(hall): State<Arc<Hall>>,
    _: FromOurPage,
    headers: HeaderMap,
    Query(sign_out): Query<SignOut>,
) -> Response {
    hall.sessions.remove(&headers, sign_out.role);
    StatusCode::NO_CONTENT.into_response()
}

async fn grant(hall: &Arc<Hall>, sign_in: SignIn) -> Result<Grant, Refusal> {
    let SignIn {
        role,
        board,
        user,
        password,
        name,
    } = sign_in;
    if role.is_of_a_board() != board.is_some() {
        let why = "white, black and clock are roles of one board, the others are of none";
        return Err(Refusal::Bad(why.to_owned()));
    }
    let user = user.filter(|user| !user.is_empty());
    let name = name
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty());
    let texts = [password.as_deref(), name.as_deref()];
    if (texts.into_iter().flatten()).any(|text| text.len() > LONGEST || text.contains('\0')) {
        let why = format!("password and name have at most {LONGEST} bytes, and no NUL");
        return Err(Refusal::Bad(why));
    }
    if (user.as_deref()).is_some_and(|user| user.len() > LONGEST_USER || user.contains('\0')) {
        let why = format!("a user's name has at most {LONGEST_USER} bytes, and no NUL");
        return Err(Refusal::Bad(why));
    }
    // A broker ends a connection whose user name holds one of these, without checking the password.
    if (user.as_deref()).is_some_and(|user| user.contains(is_forbidden_in_mqtt)) {
        return Err(Refusal::Bad(
            "a user's name has no control characters".to_owned(),
        ));
    }
    // The user name becomes a level of a topic.
    if (user.as_deref()).is_some_and(|user| user.contains(['/', '+', '#', '%'])) {
        return Err(Refusal::Bad("a user's name has no /, +, # or %".to_owned()));
    }
    if hall.is_remote() {
        match hall.admits().await {
            Some(BrokerAccess::Open | BrokerAccess::AnyPassword) => {
                return Err(Refusal::OpenBroker);
            }
            Some(BrokerAccess::Guarded) if user.is_none() => return Err(Refusal::SignIn),
            Some(BrokerAccess::Guarded) => {}
            None => return Err(Refusal::NoBroker),
        }
    }
    let credentials = user.clone().map(|username| Credentials {
        username,
        password: password.unwrap_or_default(),
    });
    let upstream = hall.pool(credentials, role.audience(), board.as_ref())?;
    prove(&upstream, role, board.as_ref()).await?;
    // Otherwise this user's commands would be executed, but time out on the page.
    if role.has_commands() && !upstream.is_answered(role.as_str(), board.as_ref()) {
        return Err(Refusal::NameOfAnotherRole(no_answers(
            user.as_deref(),
            role,
        )));
    }
    Ok(Grant {
        role,
        board,
        user,
        name,
        upstream,
    })
}

/// Control characters and noncharacters: MQTT has brokers close the connection for these.
fn is_forbidden_in_mqtt(c: char) -> bool {
    let code = u32::from(c);
    c.is_control() || code & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&code)
}

/// Explains why a user does not get a role that the broker grants.
fn no_answers(user: Option<&str>, role: Role) -> String {
    format!(
        "commands of {} as {} would get no answer: arbiter, operator, public and hall, and names \
         that end in -white, -black, -clock or -board, belong to roles; give the broker a user of \
         another name for this one",
        user.unwrap_or_default(),
        role.as_str()
    )
}

/// Asks the broker whether its user has this role.
async fn prove(upstream: &Upstream, role: Role, board: Option<&BoardId>) -> Result<(), Refusal> {
    match upstream.welcome().await {
        ConnectionState::Up => {}
        ConnectionState::Refused(_) => return Err(Refusal::SignIn),
        ConnectionState::Connecting | ConnectionState::Lost(_) => return Err(Refusal::NoBroker),
    }
    if !role.has_commands() {
        return Ok(());
    }
    match upstream.may_command(role.as_str(), board).await {
        Ok(()) => Ok(()),
        Err(SendError::Refused(_)) => Err(Refusal::NoRight),
        Err(SendError::NoBroker | SendError::TooMany) => Err(Refusal::NoBroker),
    }
}
