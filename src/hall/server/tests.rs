use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::interval,
};

use super::*;

const PATIENCE: Duration = Duration::from_mins(1);

/// Writes a request byte by byte for ever; returns the response once the server hangs up.
async fn drip(address: SocketAddr, head: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reader, mut writer) = stream.into_split();
    let dripping = tokio::spawn(async move {
        let mut drops = interval(Duration::from_millis(10));
        loop {
            drops.tick().await;
            if writer.write_all(b"x").await.is_err() {
                return;
            }
        }
    });
    let mut answer = Vec::new();
    // A reset also counts as hanging up.
    let ended = timeout(PATIENCE, reader.read_to_end(&mut answer)).await;
    dripping.abort();
    assert!(ended.is_ok(), "it is still held");
    String::from_utf8_lossy(&answer).into_owned()
}

async fn get(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request).await.unwrap();
    let mut answer = String::new();
    let read = timeout(PATIENCE, stream.read_to_string(&mut answer)).await;
    read.expect("the server is silent").unwrap();
    answer
}

#[test]
fn a_proxy_may_not_use_the_places_of_this_computer_for_others() {
    let own = HeaderMap::new();
    for name in ["x-forwarded-for", "forwarded"] {
        let mut forwarded = HeaderMap::new();
        forwarded.insert(name, HeaderValue::from_static("for=198.51.100.9"));
        assert!(may_use(Place::Ordinary, &forwarded));
        assert!(may_use(Place::Known, &forwarded));
        assert!(!may_use(Place::Kept, &forwarded), "{name}");
    }
    assert!(may_use(Place::Kept, &own));
    assert_eq!(no_room().status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_server_that_accepts_nothing_is_noticed() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (settings, cancel) = (Settings::without_broker(), CancellationToken::new());
    let server = Server::open_at(listener, settings, Router::new(), cancel.clone()).unwrap();
    let probe = server.probe();
    let health = probe.look(Duration::from_millis(10)).await;
    assert!(!health.server_answers && !health.is_alive(), "{health:?}");
    let serving = tokio::spawn(server.run());
    // The first question waits in the queue until the server answers it.
    while !probe.look(PATIENCE).await.is_alive() {}
    let health = probe.look(PATIENCE).await;
    assert_eq!((health.sites, health.connected), (1, 0), "{health:?}");
    cancel.cancel();
    serving.await.unwrap();
    assert!(!probe.look(PATIENCE).await.server_answers);
}

#[tokio::test]
async fn a_client_that_sends_too_slowly_is_disconnected_and_others_are_served() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new()
        .route("/", axum::routing::get(async || "here"))
        .route("/", post(async |body: String| body));
    let limits = Limits {
        head: Duration::from_secs(2),
        answer: Duration::from_secs(2),
    };
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let server = tokio::spawn(async move {
        let (_, nobody_asks) = mpsc::channel(1);
        let listener = BoundedListener::new(listener, None);
        serve_on(listener, router, limits, nobody_asks, &stop).await;
    });
    let mut dripping = JoinSet::new();
    for _ in 0..50 {
        dripping.spawn(drip(address, "GET / HTTP/1.1\r\nHost: localhost\r\nX: "));
        let body = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n";
        dripping.spawn(drip(address, body));
    }
    while let Some(answer) = dripping.join_next().await {
        let answer = answer.unwrap();
        assert!(!answer.contains("200 OK"), "{answer}");
        let page = get(address).await;
        assert!(page.starts_with("HTTP/1.1 200 OK"), "{page}");
    }
    cancel.cancel();
    server.await.unwrap();
}
