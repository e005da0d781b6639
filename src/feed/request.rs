//! Requests for games, and what can be wrong with the answers.

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode, Uri, header};
use remisd_transport::{Body, Https, TransportError};
use remisd_vocabulary::text::OneLine;

use super::text::{LONGEST, LONGEST_SHOWN, MOST_GAMES_SHOWN, TextError};

/// How this program names itself to servers.
const USER_AGENT: &str = concat!("remisd/", env!("CARGO_PKG_VERSION"));

/// Why the games of an address cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no answer, or it breaks off.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The answer takes too long.
    #[error("no answer within {} s", .0.as_secs())]
    Slow(Duration),
    /// The server answers that it has no games there, or does not give them.
    #[error("the server answered {0}")]
    Status(StatusCode),
    /// The server asks for fewer requests.
    #[error("the server answered {status}")]
    Busy {
        /// The answer.
        status: StatusCode,
        /// How long to wait, if the answer says so.
        wait: Option<Duration>,
    },
    /// The server refuses the token for private rounds, and the round without it.
    #[error("the server refuses the token for private rounds ({status}); without it, {without}")]
    TokenRefused {
        /// The answer to the token.
        status: StatusCode,
        /// What is wrong without it.
        without: Box<Self>,
    },
    /// The server has no such round for everybody, and the token for private ones cannot be used.
    #[error("the server answered {status}; the token for private rounds cannot be used: {reason}")]
    NoToken {
        /// The answer.
        status: StatusCode,
        /// Why the token cannot be used.
        reason: Arc<str>,
    },
    /// The address cannot be requested.
    #[error("not a valid address")]
    NoAddress,
    /// It leads from one address to the next.
    #[error("too many redirects")]
    Redirects,
    /// It leads to an address that is not followed.
    #[error("the server redirects to \"{0}\", which is not followed")]
    Redirect(OneLine),
    /// The answer is a web page.
    #[error("the response is a web page, not PGN")]
    Page,
    /// The answer is another kind of text.
    #[error("the response is not PGN")]
    NoPgn,
    /// The answer is compressed although that was not asked for.
    #[error("the response is compressed (\"{0}\")")]
    Compressed(OneLine),
    /// The answer is too long.
    #[error("the response has more than {LONGEST_SHOWN}")]
    TooLong,
    /// The text has too many games.
    #[error("the response has more than {MOST_GAMES_SHOWN}")]
    TooManyGames,
    /// The text does not end with a result, or has lost games, and was not found so again yet.
    #[error("the text does not end with a result and may be half written")]
    Unfinished,
    /// A stream has ended.
    #[error("the server ended the stream")]
    Ended,
    /// A stream sends nothing, not even signs of life.
    #[error("the server has been silent for {} s", .0.as_secs())]
    Silent(Duration),
    /// A game of a stream never ends.
    #[error("the server sends a game without an end")]
    EndlessGame,
}

impl Failure {
    /// What an answer other than 200 means.
    pub(crate) fn status(status: StatusCode, headers: &HeaderMap) -> Self {
        let wait = headers.get(header::RETRY_AFTER);
        // Without a time, 503 mostly speaks of one address.
        let is_busy = status == StatusCode::TOO_MANY_REQUESTS
            || (status == StatusCode::SERVICE_UNAVAILABLE && wait.is_some());
        if !is_busy {
            return Self::Status(status);
        }
        // A date in place of seconds is rare; the back-off waits as well.
        let seconds = wait.and_then(|wait| wait.to_str().ok()?.trim().parse().ok());
        let wait = seconds.map(Duration::from_secs);
        Self::Busy { status, wait }
    }
}

impl From<TextError> for Failure {
    fn from(error: TextError) -> Self {
        match error {
            TextError::TooManyGames => Self::TooManyGames,
            TextError::Io(_) => Self::NoPgn,
        }
    }
}

/// Requests an address, and returns the head of the answer.
pub(crate) async fn get(
    https: &Https,
    uri: &Uri,
    headers: HeaderMap,
) -> Result<Response<Body>, Failure> {
    let mut request = Request::new(Bytes::new());
    *request.uri_mut() = uri.clone();
    *request.headers_mut() = headers;
    let accept = HeaderValue::from_static("application/x-chess-pgn, text/plain, */*");
    let headers = request.headers_mut();
    headers.insert(header::ACCEPT, accept);
    headers.insert(
        header::ACCEPT_ENCODING,
        HeaderValue::from_static("identity"),
    );
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    Ok(https.open(request).await?)
}

/// Refuses an answer that cannot be a PGN text.
pub(crate) fn is_text(headers: &HeaderMap) -> Result<(), Failure> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
    };
    let encoding = text(header::CONTENT_ENCODING).unwrap_or_default();
    if !matches!(encoding, "" | "identity") {
        // Any other text may be the token, which a server can repeat.
        let known = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress"];
        let is_known = |name: &&str| name.eq_ignore_ascii_case(encoding);
        let name = known.into_iter().find(is_known).unwrap_or("…");
        return Err(Failure::Compressed(OneLine::new(name)));
    }
    let kind = text(header::CONTENT_TYPE).unwrap_or_default();
    let kind = kind.to_ascii_lowercase();
    if kind.starts_with("text/html") || kind.starts_with("application/xhtml") {
        return Err(Failure::Page);
    }
    Ok(())
}

/// Reads a whole answer. Returns its text, and whether it cannot have been cut off.
pub(crate) async fn read_whole(response: Response<Body>) -> Result<(Bytes, bool), Failure> {
    let (head, mut body) = response.into_parts();
    is_text(&head.headers)?;
    // With either, the transport refuses a body that breaks off.
    let length = head.headers.get(header::CONTENT_LENGTH);
    let is_whole = length.is_some() || head.headers.contains_key(header::TRANSFER_ENCODING);
    let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length| length > LONGEST) {
        return Err(Failure::TooLong);
    }
    let mut text = BytesMut::new();
    while let Some(part) = body.part().await? {
        if (text.len() + part.len()) as u64 > LONGEST {
            return Err(Failure::TooLong);
        }
        text.extend_from_slice(&part);
    }
    let begin = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    if begin.trim_ascii_start().starts_with(b"<") {
        return Err(Failure::Page);
    }
    Ok((text.freeze(), is_whole))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_compressed_is_named_without_what_a_server_repeats() {
        for (encoding, shown) in [("gzip", "\"gzip\""), ("Bearer lip_hunter2", "\"…\"")] {
            let value = HeaderValue::from_static(encoding);
            let headers = HeaderMap::from_iter([(header::CONTENT_ENCODING, value)]);
            let refused = is_text(&headers).unwrap_err().to_string();
            assert!(refused.contains(shown), "{refused}");
            assert!(!refused.contains("hunter2"), "{refused}");
        }
    }
}
