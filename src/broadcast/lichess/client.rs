//! The calls of Lichess's API (version 2.0.165) that a broadcast needs.

use std::io;

use axum::http::{Method, Request, StatusCode, header};
use bytes::Bytes;
use serde::Deserialize;

use super::{server_text::ServerText, token::Token};
use remisd_transport::{Transport, TransportError};

/// Why a push was not taken.
#[derive(Debug, thiserror::Error)]
pub enum PushError {
    /// There was no answer.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The token is unknown or has expired.
    #[error("Lichess does not know the token: it may have expired")]
    Unauthorized,
    /// The token's user may not push to this round.
    #[error("the token's user may not push to this round: make them a contributor")]
    Forbidden,
    /// There is no such round.
    #[error("Lichess knows no such round")]
    NoRound,
    /// Too many requests.
    #[error("Lichess asks for fewer requests")]
    TooMany,
    /// Lichess has not done it, for the reason given.
    #[error("Lichess answers {0}")]
    Rejected(ServerText),
    /// Any other answer.
    #[error("Lichess answers {0}")]
    Answer(ServerText),
    /// A dry run could not write.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl PushError {
    /// Whether the same request would get the same answer again.
    #[must_use]
    pub const fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Unauthorized | Self::Forbidden | Self::NoRound | Self::Rejected(_)
        )
    }

    /// Whether every other request would fail for the same reason.
    #[must_use]
    pub const fn concerns_all(&self) -> bool {
        matches!(
            self,
            Self::TooMany
                | Self::Transport(TransportError::Unreachable(_) | TransportError::Certificate(_))
        )
    }

    /// Whether Lichess has certainly done nothing.
    #[must_use]
    pub const fn is_undone(&self) -> bool {
        let unsent = matches!(
            self,
            Self::TooMany
                | Self::Io(_)
                | Self::Transport(TransportError::Unreachable(_) | TransportError::Certificate(_))
        );
        unsent || self.is_final()
    }
}

/// A round to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundForm {
    /// Its name, 3 to 80 characters.
    pub name: String,
    /// Whether its games are rated for FIDE; Lichess's description and code differ in the default.
    pub rated: bool,
    /// Lichess's own delay, in seconds. It adds to ours.
    pub delay_s: u32,
}

/// A client with the user's token.
#[derive(Debug, Clone)]
pub struct Client<T> {
    transport: T,
    /// `https://lichess.org`, without a slash at its end.
    host: String,
    token: Token,
    user_agent: String,
}

#[derive(Deserialize)]
struct Created {
    round: CreatedRound,
}

#[derive(Deserialize)]
struct CreatedRound {
    id: String,
}

impl<T: Transport> Client<T> {
    /// A client for a host. `contact` says to Lichess who this is: a user name or an address.
    #[must_use]
    pub fn new(transport: T, host: &str, token: Token, contact: &str) -> Self {
        let contact: String = contact.chars().filter(char::is_ascii_graphic).collect();
        Self {
            transport,
            host: host.trim_end_matches('/').to_owned(),
            token,
            user_agent: format!("remisd/{} as:{contact}", env!("CARGO_PKG_VERSION")),
        }
    }

    /// Pushes games, and returns the answer's body.
    pub(super) async fn push(&self, round: &str, games: String) -> Result<Bytes, PushError> {
        let path = format!("/api/broadcast/round/{round}/push");
        self.post(&path, "text/plain; charset=utf-8", games).await
    }

    /// Removes every game of a round.
    pub(super) async fn reset(&self, round: &str) -> Result<(), PushError> {
        let path = format!("/api/broadcast/round/{round}/reset");
        self.post(&path, "text/plain", String::new()).await?;
        Ok(())
    }

    /// Creates a round of a tournament and returns its id.
    ///
    /// # Errors
    ///
    /// A [`PushError`].
    pub async fn create_round(
        &self,
        tournament: &str,
        form: &RoundForm,
    ) -> Result<String, PushError> {
        let path = format!("/broadcast/{tournament}/new");
        let body = format!(
            "name={}&syncSource=push&rated={}&delay={}",
            encoded(&form.name),
            form.rated,
            form.delay_s
        );
        let answer = self.post(&path, FORM, body).await?;
        let created: Created = serde_json::from_slice(&answer)
            .map_err(|error| self.not_understood(&format!("it is not understood: {error}")))?;
        Ok(created.round.id)
    }

    /// Closes a round; its other fields stay.
    ///
    /// # Errors
    ///
    /// A [`PushError`].
    pub async fn close_round(&self, round: &str) -> Result<(), PushError> {
        let path = format!("/broadcast/round/{round}/edit?patch=1");
        self.post(&path, FORM, "status=finished".to_owned()).await?;
        Ok(())
    }

    /// The token, which no text of the server may show.
    pub(super) const fn token(&self) -> &Token {
        &self.token
    }

    /// The failure after an answer that cannot be used.
    pub(super) fn not_understood(&self, why: &str) -> PushError {
        PushError::Answer(ServerText::new(why, &self.token))
    }

    async fn post(&self, path: &str, kind: &str, body: String) -> Result<Bytes, PushError> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(format!("{}{path}", self.host))
            .header(
                header::AUTHORIZATION,
                format!("Bearer {}", self.token.reveal()),
            )
            .header(header::USER_AGENT, &self.user_agent)
            .header(header::CONTENT_TYPE, kind)
            .body(Bytes::from(body))
            .map_err(|error| self.not_understood(&error.to_string()))?;
        let answer = self.transport.send(request).await?;
        match answer.status() {
            status if status.is_success() => Ok(answer.into_body()),
            StatusCode::UNAUTHORIZED => Err(PushError::Unauthorized),
            StatusCode::FORBIDDEN => Err(PushError::Forbidden),
            StatusCode::NOT_FOUND => Err(PushError::NoRound),
            StatusCode::TOO_MANY_REQUESTS => Err(PushError::TooMany),
            status => {
                let text = String::from_utf8_lossy(answer.body());
                let text = ServerText::new(&format!("{status}: {text}"), &self.token);
                Err(if status.is_client_error() {
                    PushError::Rejected(text)
                } else {
                    PushError::Answer(text)
                })
            }
        }
    }
}

const FORM: &str = "application/x-www-form-urlencoded";

/// A value of a form.
fn encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    });
    bytes.collect()
}
