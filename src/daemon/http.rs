//! What the daemon shows of itself on loopback: `/healthz` and `/metrics`.
//!
//! Whoever keeps watch over computers asks here, and from this computer only. There is no
//! move and no player in it, and nothing can be changed. However many ask, and however
//! slowly: only a few connections are held, and none for long.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
    serve::Listener,
};
use prometheus_client::metrics::histogram::Histogram;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
    time::{Sleep, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{metrics, pulse::BEAT};
use crate::{
    publish::payload::Health,
    time::{Clock, Millis},
};

/// Until a port that is taken is asked for again.
const AGAIN: Duration = Duration::from_secs(10);
/// Connections that are held at once, and how long each of them.
const CONNECTIONS: usize = 16;
const PATIENCE: Duration = Duration::from_secs(5);
/// A look that is so many beats old was the last one.
const BEATS: u32 = 4;
const METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The last look at the daemon; none before the first.
pub(super) type LastLook = watch::Receiver<Option<Arc<Health>>>;

#[derive(Clone)]
struct Shown {
    last_look: LastLook,
    journal: Histogram,
    clock: Arc<dyn Clock>,
}

/// Serves on `address` until `cancel`. A port that is taken stops no game: it is told, and
/// tried again.
pub(super) async fn run(
    address: SocketAddr,
    last_look: LastLook,
    journal: Histogram,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) {
    let Some(listener) = cancel.run_until_cancelled(bind(address)).await else {
        return;
    };
    let few = Few {
        listener,
        places: Arc::new(Semaphore::new(CONNECTIONS)),
    };
    let shown = Shown {
        last_look,
        journal,
        clock,
    };
    let served = axum::serve(few, router(shown)).with_graceful_shutdown({
        let cancel = cancel.clone();
        async move { cancel.cancelled().await }
    });
    // Whoever keeps a connection open does not keep the daemon from stopping.
    let stopped = async {
        cancel.cancelled().await;
        sleep(Duration::from_secs(1)).await;
    };
    tokio::select! {
        result = served => if let Err(error) = result {
            tracing::error!(%address, "http has ended: {error}");
        },
        () = stopped => {}
    }
}

async fn bind(address: SocketAddr) -> TcpListener {
    let mut told = false;
    loop {
        match TcpListener::bind(address).await {
            Ok(listener) => {
                tracing::info!("health and metrics are at http://{address}/healthz and /metrics");
                return listener;
            }
            Err(error) if !told => {
                tracing::error!(%address, "http.listen cannot be had, and is tried again: {error}");
                told = true;
            }
            Err(_) => {}
        }
        sleep(AGAIN).await;
    }
}

fn router(shown: Shown) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(text_of_metrics))
        .layer(middleware::from_fn(only_from_here))
        .with_state(shown)
}

/// Refuses what was meant for another name: a page of another site that has had its name
/// pointed at this computer.
async fn only_from_here(request: Request, next: Next) -> Response {
    if is_local(request.headers()) {
        next.run(request).await
    } else {
        answer(StatusCode::FORBIDDEN, "text/plain", Vec::new())
    }
}

fn is_local(headers: &HeaderMap) -> bool {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let Some(host) = host else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// 200 while every part answers, 503 when one does not or nobody has looked of late.
async fn healthz(State(shown): State<Shown>) -> Response {
    let health = shown.last_look.borrow().clone();
    let Some(health) = health else {
        return answer(
            StatusCode::SERVICE_UNAVAILABLE,
            "application/json",
            b"{}".to_vec(),
        );
    };
    let status = if health.alive && is_of_late(&health, shown.clock.monotonic_ms()) {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = serde_json::to_vec(&*health).unwrap_or_default();
    answer(status, "application/json", body)
}

fn is_of_late(health: &Health, now: Millis) -> bool {
    let most = u64::try_from((BEAT * BEATS).as_millis()).unwrap_or(u64::MAX);
    now.saturating_sub(health.up_ms) <= most
}

async fn text_of_metrics(State(shown): State<Shown>) -> Response {
    let health = shown.last_look.borrow().clone();
    match health {
        Some(health) => {
            let text = metrics::text(&health, &shown.journal);
            answer(StatusCode::OK, METRICS, text.into_bytes())
        }
        None => answer(StatusCode::SERVICE_UNAVAILABLE, "text/plain", Vec::new()),
    }
}

fn answer(status: StatusCode, kind: &'static str, body: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
        ),
    ];
    (status, headers, body).into_response()
}

/// Takes a few connections at a time.
struct Few {
    listener: TcpListener,
    places: Arc<Semaphore>,
}

impl Listener for Few {
    type Io = Brief;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Brief, SocketAddr) {
        loop {
            let place = Arc::clone(&self.places).acquire_owned().await;
            match (place, self.listener.accept().await) {
                (Ok(place), Ok((stream, from))) => return (Brief::new(stream, place), from),
                // Too many files are open, or the line was gone before we were there.
                _ => sleep(Duration::from_secs(1)).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection that ends after a while, whatever the other side does.
struct Brief {
    stream: TcpStream,
    until: Pin<Box<Sleep>>,
    _place: OwnedSemaphorePermit,
}

impl Brief {
    fn new(stream: TcpStream, place: OwnedSemaphorePermit) -> Self {
        Self {
            stream,
            until: Box::pin(sleep(PATIENCE)),
            _place: place,
        }
    }

    /// Ready with an error when the time is over.
    fn poll_over(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        ready!(self.until.as_mut().poll(context));
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }
}

impl AsyncRead for Brief {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Poll::Ready(over) = self.poll_over(context) {
            return Poll::Ready(Err(over));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Brief {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(over) = self.poll_over(context) {
            return Poll::Ready(Err(over));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_computer_are_answered() {
        for (host, local) in [
            ("localhost", true),
            ("localhost:9120", true),
            ("127.0.0.1:9120", true),
            ("[::1]:9120", true),
            ("[::1]", true),
            ("evil.example", false),
            ("127.0.0.1.evil.example:80", false),
            ("192.0.2.1", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static(host));
            assert_eq!(is_local(&headers), local, "{host}");
        }
        assert!(!is_local(&HeaderMap::new()));
    }
}
