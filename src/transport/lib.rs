//! Requests to servers of the world: HTTP/1.1 with TLS.
#![forbid(unsafe_code)]

use std::{future::Future, io, time::Duration};

use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::time::timeout;

/// How long connecting to one address of a server may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a server may take to answer, with connecting.
pub const ANSWER: Duration = Duration::from_secs(30);
/// The longest answer that is read, in bytes.
const LONGEST: usize = 4 * 1024 * 1024;

/// A request had no answer.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The server cannot be reached: the request was not sent.
    #[error("{0}")]
    Unreachable(String),
    /// The server's certificate is not trusted: the request was not sent.
    #[error("{0}")]
    Certificate(String),
    /// The connection was lost: the server may have the request.
    #[error("{0}")]
    Connection(String),
    /// There was no answer in time.
    #[error("no answer within {} s", ANSWER.as_secs())]
    Timeout,
}

/// Sends requests. Tests have one without a network.
pub trait Transport: Send + Sync + 'static {
    /// Sends a request and returns the whole answer.
    fn send(
        &self,
        request: Request<Bytes>,
    ) -> impl Future<Output = Result<Response<Bytes>, TransportError>> + Send;
}

/// The real network.
#[derive(Debug, Clone)]
pub struct Https(Client<HttpsConnector<HttpConnector>, Full<Bytes>>);

impl Https {
    /// A client that trusts the certificates of the operating system.
    ///
    /// # Errors
    ///
    /// Fails if there are none.
    pub fn new() -> io::Result<Self> {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT));
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(tokio_rustls::rustls::crypto::ring::default_provider())?
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(Self(Client::builder(TokioExecutor::new()).build(connector)))
    }

    /// Sends a request and returns the head of the answer, whose body is read afterwards. The caller
    /// bounds the wait, and the length of the body.
    ///
    /// # Errors
    ///
    /// [`TransportError::Unreachable`], [`TransportError::Certificate`] or
    /// [`TransportError::Connection`].
    pub async fn open(&self, request: Request<Bytes>) -> Result<Response<Body>, TransportError> {
        let response = self.0.request(request.map(Full::new)).await;
        let response = response.map_err(|error| {
            if is_of_certificate(&error) {
                TransportError::Certificate(with_causes(&error))
            } else if error.is_connect() {
                TransportError::Unreachable(with_causes(&error))
            } else {
                TransportError::Connection(with_causes(&error))
            }
        })?;
        Ok(response.map(Body))
    }

    async fn answer(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        let (head, body) = self.open(request).await?.into_parts();
        Ok(Response::from_parts(head, body.whole().await?))
    }
}

/// The body of an answer, as it arrives.
#[derive(Debug)]
pub struct Body(Incoming);

impl Body {
    /// Waits for the next part of the body; `None` at its end. The wait may be abandoned without
    /// losing anything.
    ///
    /// # Errors
    ///
    /// [`TransportError::Connection`] if the connection breaks before the end.
    pub async fn part(&mut self) -> Result<Option<Bytes>, TransportError> {
        while let Some(frame) = self.0.frame().await {
            let frame = frame.map_err(|error| TransportError::Connection(with_causes(&error)))?;
            // Trailers say nothing about the content.
            if let Ok(part) = frame.into_data() {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    /// Reads all of it into one buffer: a server may send single bytes, and each part that is kept
    /// takes over thirty times as much.
    async fn whole(mut self) -> Result<Bytes, TransportError> {
        let mut content = BytesMut::new();
        while let Some(part) = self.part().await? {
            if content.len() + part.len() > LONGEST {
                let why = format!("the answer has more than {} MiB", LONGEST >> 20);
                return Err(TransportError::Connection(why));
            }
            content.extend_from_slice(&part);
        }
        Ok(content.freeze())
    }
}

/// An error with everything that led to it.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Whether an error began with a certificate that is not trusted.
fn is_of_certificate(error: &(dyn std::error::Error + 'static)) -> bool {
    let causes = std::iter::successors(Some(error), |error| error.source());
    // An I/O error does not name the error in it as its source.
    let mut tls = causes.filter_map(|error| {
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        let inner = inner.map_or(error, |inner| inner as &(dyn std::error::Error + 'static));
        inner.downcast_ref::<tokio_rustls::rustls::Error>()
    });
    tls.any(|error| matches!(error, tokio_rustls::rustls::Error::InvalidCertificate(_)))
}

impl Transport for Https {
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, TransportError> {
        timeout(ANSWER, self.answer(request))
            .await
            .unwrap_or(Err(TransportError::Timeout))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, net::SocketAddr};

    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _},
        net::TcpListener,
    };

    use super::*;

    /// How many bytes of an answer are sent in chunks of their own.
    const SINGLE: usize = 1 << 18;

    /// A server whose one answer has [`SINGLE`] bytes, each in a chunk of its own, and `rest` bytes
    /// in a last one.
    async fn in_single_bytes(rest: usize) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            assert!(stream.read(&mut request).await.unwrap() > 0);
            let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
            stream.write_all(head).await.unwrap();
            for _ in 0..SINGLE / 1024 {
                let chunks = b"1\r\nx\r\n".repeat(1024);
                stream.write_all(&chunks).await.unwrap();
            }
            let last = format!("{rest:x}\r\n{}\r\n0\r\n\r\n", "x".repeat(rest));
            // A client that has read enough hangs up.
            stream.write_all(last.as_bytes()).await.ok();
        });
        address
    }

    async fn answer(rest: usize) -> Result<Response<Bytes>, TransportError> {
        let server = in_single_bytes(rest).await;
        let request = Request::get(format!("http://{server}/"));
        let request = request.body(Bytes::new()).unwrap();
        Https::new().unwrap().send(request).await
    }

    /// The most memory that this process has had, in KiB.
    fn peak_kib() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let peak = status.split_once("VmHWM:").unwrap().1;
        peak.split_whitespace().next().unwrap().parse().unwrap()
    }

    #[tokio::test]
    async fn an_answer_in_single_bytes_takes_little_more_memory_than_its_length() {
        // What the trusted certificates take is not counted.
        let _first = Https::new().unwrap();
        let before = peak_kib();
        let content = answer(1).await.unwrap().into_body();
        assert_eq!(content, "x".repeat(SINGLE + 1));
        // Kept apart, the bytes would take 8 MiB, and 4 MiB more while their list grows.
        let grown = peak_kib() - before;
        assert!(grown < 6 * 1024, "{grown} KiB");
        let refused = answer(LONGEST).await.unwrap_err().to_string();
        assert!(refused.contains("more than 4 MiB"), "{refused}");
    }
}
