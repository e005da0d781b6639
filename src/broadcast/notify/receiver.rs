//! A server that passes messages on to phones.

use std::time::Duration;

use axum::http::{Method, Request, StatusCode, header};
use bytes::Bytes;
use remisd_vocabulary::text::OneLine;
use serde_json::{Map, Value, json};

use crate::lichess::Token;
use remisd_transport::{Transport, TransportError};

/// The longest wait that a server may ask for.
const LONGEST_WAIT: Duration = Duration::from_hours(1);
/// How much of an answer is shown.
const SHOWN: usize = 200;

/// How a server takes messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// JSON to the root of an ntfy server.
    Ntfy {
        /// The topic. Anyone who knows it can read it.
        topic: String,
        /// The priority of alerts that require action, 1 to 5.
        priority: u8,
        /// The priority of anything else, 1 to 5.
        quiet_priority: u8,
        /// The tags of alerts that require action.
        tags: Vec<String>,
    },
    /// A JSON object of our own.
    Webhook,
}

/// Shorter parts of an address are no secrets: replacing them would garble an answer.
const SHORTEST_SECRET: usize = 4;

/// A server and how it is addressed. Its address may be a secret, so no error holds it.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// Its name in the log.
    pub name: String,
    /// The address.
    pub url: String,
    /// The kind of server.
    pub kind: Kind,
    /// The token for the header `Authorization: Bearer`.
    pub token: Option<Token>,
}

/// A message in the words of people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The first line.
    pub title: String,
    /// The rest.
    pub text: String,
    /// Somebody must act.
    pub urgent: bool,
    /// What a webhook gets besides.
    pub fields: Map<String, Value>,
}

/// Why a message was not taken.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// There was no answer.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The server asks for fewer messages.
    #[error("the server asks for fewer messages")]
    TooMany {
        /// For how long it wants none.
        wait: Duration,
    },
    /// The server will never take this message.
    #[error("the server refuses the message: {0}")]
    Refused(String),
    /// Any other answer.
    #[error("the server answers {0}")]
    Answer(String),
}

impl Receiver {
    /// Sends a message, and returns the answer in one line.
    ///
    /// # Errors
    ///
    /// A [`SendError`].
    pub async fn send(
        &self,
        transport: &impl Transport,
        message: &Message,
    ) -> Result<String, SendError> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(&self.url)
            .header(header::CONTENT_TYPE, "application/json")
            .header(
                header::USER_AGENT,
                concat!("remisd/", env!("CARGO_PKG_VERSION")),
            );
        if let Some(token) = &self.token {
            let bearer = format!("Bearer {}", token.reveal());
            request = request.header(header::AUTHORIZATION, bearer);
        }
        let body = Bytes::from(self.body(message).to_string());
        let request = request.body(body);
        // The error of the address would show it.
        let request =
            request.map_err(|_| SendError::Answer("nothing: its address is wrong".to_owned()))?;
        let answer = transport.send(request).await?;
        let status = answer.status();
        let text = self.without_secrets(&String::from_utf8_lossy(answer.body()));
        let text: String = OneLine::new(&text).as_str().chars().take(SHOWN).collect();
        let text = format!("{status}: {text}");
        match status {
            status if status.is_success() => Ok(text),
            StatusCode::TOO_MANY_REQUESTS => {
                let wait = answer.headers().get(header::RETRY_AFTER);
                let wait = wait.and_then(|wait| wait.to_str().ok()?.trim().parse().ok());
                let wait = wait.map_or(Duration::from_mins(1), Duration::from_secs);
                Err(SendError::TooMany {
                    wait: wait.min(LONGEST_WAIT),
                })
            }
            StatusCode::BAD_REQUEST
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNPROCESSABLE_ENTITY => Err(SendError::Refused(text)),
            _ => Err(SendError::Answer(text)),
        }
    }

    /// An answer without what it may repeat: the address, its path, the topic and the token.
    pub(super) fn without_secrets(&self, answer: &str) -> String {
        let path = self.url.splitn(4, '/').nth(3).unwrap_or_default();
        let topic = match &self.kind {
            Kind::Ntfy { topic, .. } => topic,
            Kind::Webhook => "",
        };
        let token = self.token.as_ref().map_or("", |token| token.reveal());
        let parts = path.split(['/', '?', '&', '=']);
        let mut secrets: Vec<&str> = ([self.url.as_str(), path, topic, token].into_iter())
            .chain(parts)
            .filter(|secret| secret.len() >= SHORTEST_SECRET)
            .collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        (secrets.into_iter()).fold(answer.to_owned(), |text, secret| text.replace(secret, "…"))
    }

    fn body(&self, message: &Message) -> Value {
        match &self.kind {
            Kind::Ntfy {
                topic,
                priority,
                quiet_priority,
                tags,
            } => {
                let mut body = json!({
                    "topic": topic,
                    "title": message.title,
                    "message": message.text,
                    "priority": if message.urgent { priority } else { quiet_priority },
                });
                if message.urgent && !tags.is_empty() {
                    body["tags"] = json!(tags);
                }
                body
            }
            Kind::Webhook => {
                let mut body = message.fields.clone();
                body.insert("schema".to_owned(), "remisd/notice/1".into());
                body.insert("title".to_owned(), message.title.clone().into());
                body.insert("text".to_owned(), message.text.clone().into());
                body.into()
            }
        }
    }
}
