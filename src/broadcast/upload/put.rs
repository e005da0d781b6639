//! Files sent by HTTP PUT.

use axum::http::{Method, Request, StatusCode, header};
use bytes::Bytes;

use super::{Reason, RemoteFile, UploadError, Uploader};
use crate::lichess::Token;
use remisd_transport::{Transport, TransportError};

/// A folder on a web server.
#[derive(Debug, Clone)]
pub struct HttpPut<T> {
    /// Sends the requests.
    pub transport: T,
    /// The address of the folder, without a slash at its end.
    pub url: String,
    /// The value of the header `Authorization`, if the server wants one. It is never logged.
    pub authorization: Option<Token>,
}

impl<T: Transport> Uploader for HttpPut<T> {
    async fn send(&mut self, file: &RemoteFile, content: &[u8]) -> Result<(), UploadError> {
        let mut request = Request::builder()
            .method(Method::PUT)
            .uri(format!("{}/{file}", self.url))
            .header(header::CONTENT_TYPE, "application/vnd.chess-pgn");
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization.reveal());
        }
        let body = Bytes::copy_from_slice(content);
        let request = request
            .body(body)
            .map_err(|error| UploadError::Closed(Reason::new(error)))?;
        let answer = self.transport.send(request).await;
        let status = answer.map_err(UploadError::from)?.status();
        let reason = Reason::new(format_args!("it answers {status}"));
        match status {
            status if status.is_success() => Ok(()),
            StatusCode::UNAUTHORIZED => Err(UploadError::Login(reason)),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                Err(UploadError::Closed(reason))
            }
            _ => Err(UploadError::Refused(reason)),
        }
    }
}

impl From<TransportError> for UploadError {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Unreachable(reason) => Self::Unreachable(Reason::new(reason)),
            TransportError::Connection(reason) => Self::Lost(Reason::new(reason)),
            TransportError::Timeout => Self::Timeout(remisd_transport::ANSWER.as_secs()),
        }
    }
}
