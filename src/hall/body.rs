//! What is checked before the body of a request is read, and how a body is read.
//!
//! A body comes in pieces as small as its sender likes. `axum`'s `Bytes` and `Json` keep every piece
//! until the last one has come, and a piece of one byte takes over thirty in memory. Here each piece
//! is copied into one buffer. Handlers take [`FromOurPage`] and what else they require before the
//! body, because extractors run in their order: a request that is refused costs no body.

use axum::{
    Json,
    extract::{FromRequest, FromRequestParts, Request, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use bytes::BytesMut;
use serde::de::DeserializeOwned;

use super::{answer::Refusal, guard::is_from_our_page};

/// The request comes from one of our pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct FromOurPage;

impl<S: Sync> FromRequestParts<S> for FromOurPage {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let is_ours = is_from_our_page(&parts.headers);
        is_ours.then_some(Self).ok_or(Refusal::ForeignOrigin)
    }
}

/// A body as it is, in one buffer.
#[derive(Debug)]
pub(super) struct WholeBody(pub(super) BytesMut);

impl<S: Send + Sync> FromRequest<S> for WholeBody {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        let read = BytesMut::from_request(request, state).await;
        read.map(Self)
            .map_err(|error: BytesRejection| Refusal::Unreadable(error.status(), error.body_text()))
    }
}

/// A body in JSON, as [`Json`] reads it.
#[derive(Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refusal> {
        // The page of another site cannot send this type unasked.
        if !is_json(request.headers()) {
            let why = "the body must have the type application/json".to_owned();
            return Err(Refusal::Unreadable(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
        }
        let WholeBody(bytes) = WholeBody::from_request(request, state).await?;
        match Json::from_bytes(&bytes) {
            Ok(Json(content)) => Ok(Self(content)),
            Err(error) => Err(Refusal::Unreadable(error.status(), error.body_text())),
        }
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    let json = kind.strip_prefix("application/");
    json.is_some_and(|kind| kind == "json" || kind.ends_with("+json"))
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, http::HeaderValue};
    use serde_json::{Value, json};

    use super::*;

    async fn read(kind: &'static str, body: &'static str) -> Result<Value, StatusCode> {
        let mut request = Request::new(Body::from(body));
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        match JsonBody::from_request(request, &()).await {
            Ok(JsonBody(value)) => Ok(value),
            Err(Refusal::Unreadable(status, _)) => Err(status),
            Err(refused) => panic!("{refused:?}"),
        }
    }

    #[tokio::test]
    async fn a_body_is_read_as_json_only_if_it_is_sent_as_json() {
        for kind in [
            "application/json",
            "Application/JSON",
            "application/json; charset=utf-8",
            "application/cloudevents+json",
        ] {
            assert_eq!(
                read(kind, r#"{"a":1}"#).await,
                Ok(json!({"a": 1})),
                "{kind}"
            );
        }
        for kind in ["text/plain", "text/json", "application/jsonp", "", "json"] {
            let refused = Err(StatusCode::UNSUPPORTED_MEDIA_TYPE);
            assert_eq!(read(kind, "{}").await, refused, "{kind}");
        }
        let json = "application/json";
        assert_eq!(read(json, "{").await, Err(StatusCode::BAD_REQUEST));
        assert_eq!(read(json, "{} {}").await, Err(StatusCode::BAD_REQUEST));
    }
}
