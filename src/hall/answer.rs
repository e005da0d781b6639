//! How a request is refused: a status, a code for programs and a sentence for people.

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Why a request is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The request cannot be understood.
    Bad(String),
    /// The body of the request cannot be read.
    Unreadable(StatusCode, String),
    /// The request requires a sign-in.
    NotSignedIn,
    /// The broker rejects the user.
    SignIn,
    /// The broker admits the user, who lacks this right. People are not told the difference.
    NoRight,
    /// The broker grants the role, but the user's name belongs to another role and gets no answers.
    NameOfAnotherRole(String),
    /// The broker grants everyone every right.
    OpenBroker,
    /// The request does not come from one of our pages.
    ForeignOrigin,
    /// The request was meant for another host.
    ForeignHost,
    /// Too many attempts have failed; the next one is allowed after this many seconds.
    TooMany(u64),
    /// The maximum number of feeds is open.
    TooManyFeeds,
    /// There is no connection to the broker.
    NoBroker,
    /// The broker refuses the command from this user.
    ByBroker(String),
    /// The daemon of the board does not answer.
    NoAnswer(String),
    /// An internal error.
    Internal(String),
    /// There is no such page.
    NotFound,
}

impl Refusal {
    fn parts(&self) -> (StatusCode, &'static str, &str) {
        match self {
            Self::Bad(why) => (StatusCode::BAD_REQUEST, "bad_request", why),
            Self::Unreadable(StatusCode::PAYLOAD_TOO_LARGE, why) => {
                (StatusCode::PAYLOAD_TOO_LARGE, "oversized", why)
            }
            Self::Unreadable(status, why) => (*status, "bad_request", why),
            Self::NotSignedIn => (
                StatusCode::UNAUTHORIZED,
                "not_signed_in",
                "sign in for this first",
            ),
            Self::SignIn | Self::NoRight => (
                StatusCode::UNAUTHORIZED,
                "refused",
                "the broker does not admit this user, or does not allow this",
            ),
            Self::NameOfAnotherRole(why) => (StatusCode::FORBIDDEN, "name_of_another_role", why),
            Self::OpenBroker => (
                StatusCode::FORBIDDEN,
                "open_broker",
                "the broker asks for no password, and this server can be reached from other \
                 computers: give the broker its access rules, or let http.listen be an address \
                 of this computer, and http.names and http.trusted_proxies be empty",
            ),
            Self::ForeignOrigin => (
                StatusCode::FORBIDDEN,
                "foreign_origin",
                "this may only come from a page of this server",
            ),
            Self::ForeignHost => (
                StatusCode::MISDIRECTED_REQUEST,
                "foreign_host",
                "this server is not known by that name: see http.names",
            ),
            Self::TooMany(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "too_many",
                "too many attempts have failed",
            ),
            Self::TooManyFeeds => (
                StatusCode::SERVICE_UNAVAILABLE,
                "too_many_feeds",
                "too many pages are open",
            ),
            Self::NoBroker => (
                StatusCode::SERVICE_UNAVAILABLE,
                "no_broker",
                "there is no connection to the broker",
            ),
            Self::ByBroker(why) => (StatusCode::FORBIDDEN, "refused_by_broker", why),
            Self::NoAnswer(why) => (StatusCode::GATEWAY_TIMEOUT, "no_answer", why),
            Self::Internal(why) => (StatusCode::INTERNAL_SERVER_ERROR, "internal", why),
            Self::NotFound => (StatusCode::NOT_FOUND, "not_found", "there is nothing here"),
        }
    }
}

/// The code of a refusal, attached to the response so that a page can replace it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RefusedWith(pub(super) &'static str);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, message) = self.parts();
        let body = json!({ "ok": false, "code": code, "message": message });
        let mut response = (status, Json(body)).into_response();
        response.extensions_mut().insert(RefusedWith(code));
        if let Self::TooMany(seconds) = self {
            let seconds = HeaderValue::from(seconds);
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response
    }
}
