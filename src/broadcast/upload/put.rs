//! Files sent by HTTP PUT.

use axum::http::{HeaderName, Method, Request, StatusCode, header};
use bytes::Bytes;

use super::{Change, Reason, RemoteFile, UploadError, Uploader};
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

impl<T: Transport> HttpPut<T> {
    /// Sends a request, and returns the status that it is answered with.
    async fn ask(
        &self,
        method: Method,
        file: &RemoteFile,
        headers: &[(HeaderName, &str)],
        content: &[u8],
    ) -> Result<StatusCode, UploadError> {
        let uri = format!("{}/{file}", self.url);
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization.reveal());
        }
        let request = request
            .body(Bytes::copy_from_slice(content))
            .map_err(|error| UploadError::Closed(Reason::new(error)))?;
        let answer = self.transport.send(request).await;
        let status = answer.map_err(UploadError::from)?.status();
        let reason = || Reason::new(format_args!("answer {status}"));
        match status {
            StatusCode::UNAUTHORIZED => Err(UploadError::Login(reason())),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
                Err(UploadError::Closed(reason()))
            }
            status => Ok(status),
        }
    }

    async fn put(&self, file: &RemoteFile, content: &[u8]) -> Result<bool, UploadError> {
        let status = self.ask(Method::PUT, file, &[PGN], content).await?;
        done(status).map(|()| true)
    }
}

const PGN: (HeaderName, &str) = (header::CONTENT_TYPE, "application/vnd.chess-pgn");
/// Not every server respects it (RFC 9110, 13.1.2), so the file is sought first.
const IF_ABSENT: (HeaderName, &str) = (header::IF_NONE_MATCH, "*");

/// Whether an answer says that the file is not there.
const fn is_absent(status: StatusCode) -> bool {
    matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE)
}

fn done(status: StatusCode) -> Result<(), UploadError> {
    if status.is_success() {
        return Ok(());
    }
    let reason = Reason::new(format_args!("answer {status}"));
    Err(UploadError::Refused(reason))
}

impl<T: Transport> Uploader for HttpPut<T> {
    async fn send(&mut self, file: &RemoteFile, change: Change<'_>) -> Result<bool, UploadError> {
        match change {
            Change::Content(content) => self.put(file, content).await,
            Change::IfAbsent(content) => {
                let found = self.ask(Method::HEAD, file, &[], &[]).await?;
                if found.is_success() {
                    return Ok(false);
                }
                // Any other answer does not say whether a game is there.
                if !is_absent(found) {
                    done(found)?;
                }
                let headers = [PGN, IF_ABSENT];
                match self.ask(Method::PUT, file, &headers, content).await? {
                    StatusCode::PRECONDITION_FAILED => Ok(false),
                    status => done(status).map(|()| true),
                }
            }
            Change::Gone => match self.ask(Method::DELETE, file, &[], &[]).await? {
                status if is_absent(status) => Ok(true),
                status if status.is_success() => Ok(true),
                // A server that lets nothing be removed gets a file without games.
                _ => self.put(file, &[]).await,
            },
        }
    }
}

impl From<TransportError> for UploadError {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Unreachable(reason) => Self::Unreachable(Reason::new(reason)),
            TransportError::Certificate(reason) => Self::Certificate(Reason::new(reason)),
            TransportError::Connection(reason) => Self::Lost(Reason::new(reason)),
            TransportError::Timeout => Self::Timeout(remisd_transport::ANSWER.as_secs()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use axum::http::Response;

    use super::*;

    /// Answers `HEAD` with a status and all else with success, and notes the methods.
    struct Web(StatusCode, Mutex<Vec<Method>>);

    impl Transport for Web {
        async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
            let mut answer = Response::new(Bytes::new());
            if request.method() == Method::HEAD {
                *answer.status_mut() = self.0;
            }
            self.1.lock().unwrap().push(request.method().clone());
            Ok(answer)
        }
    }

    async fn asked(status: u16) -> (Result<bool, UploadError>, usize) {
        let status = StatusCode::from_u16(status).unwrap();
        let mut put = HttpPut {
            transport: Web(status, Mutex::default()),
            url: "https://x.example".to_owned(),
            authorization: None,
        };
        let file = RemoteFile::new(3, "game-1.pgn".to_owned());
        let sent = put.send(&file, Change::IfAbsent(b"*")).await;
        let methods = put.transport.1.into_inner().unwrap();
        let puts = methods.iter().filter(|method| **method == Method::PUT);
        (sent, puts.count())
    }

    #[tokio::test]
    async fn only_a_file_that_is_certainly_absent_is_put_without_games() {
        for status in [404, 410] {
            assert_eq!(asked(status).await, (Ok(true), 1), "{status}");
        }
        assert_eq!(asked(200).await, (Ok(false), 0));
        for status in [302, 400, 403, 405, 500, 501, 502, 504] {
            let (sent, puts) = asked(status).await;
            assert!(matches!(sent, Err(UploadError::Refused(_))), "{status}");
            assert_eq!(puts, 0, "{status}");
        }
    }
}
