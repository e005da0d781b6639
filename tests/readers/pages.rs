//! Requests from browsers to the page server.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{Arc, OnceLock},
    time::Duration,
};

use remisd::{
    config::{Configuration, Environment, editions},
    hall::{self, Settings},
    publish::mqtt::{Access, CurrentAccess},
};
use remisd_vocabulary::time::SystemClock;
use tokio_util::sync::CancellationToken;

/// There is no broker at this address, so no request gets beyond the server.
const CONFIG: &str = "[mqtt]\nurl = \"mqtt://127.0.0.1:9\"\n[http]\nlisten = \"127.0.0.1:9120\"\n";
/// A server silent for this long has hung.
const PATIENCE: Duration = Duration::from_secs(20);
/// The size limit of a response, in bytes.
const LONGEST: u64 = 8 * 1024 * 1024;

/// The server, started once.
fn server() -> SocketAddr {
    static SERVER: OnceLock<SocketAddr> = OnceLock::new();
    *SERVER.get_or_init(|| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        listener.set_nonblocking(true).expect("it is a socket");
        let address = listener.local_addr().expect("it is bound");
        std::thread::spawn(move || {
            let environment = Environment::new([]);
            let read = Configuration::parse(CONFIG, "remisd.toml", &environment, &editions());
            let config = read.expect("it is right").config;
            let clock = Arc::new(SystemClock::new());
            let access = CurrentAccess::fixed(Access::default());
            let settings = Settings::of(&config, access, address, clock);
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.expect("a runtime can be made").block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).expect("it is bound");
                let never = CancellationToken::new();
                hall::serve_at(listener, settings, axum::Router::new(), never).await;
            });
        });
        address
    })
}

/// The bytes of a connection. After a `!` they are sent as they are; otherwise they give method,
/// path and body of a well-formed request.
pub fn hall(data: &[u8]) -> usize {
    let mut line = TcpStream::connect(server()).expect("the server lives");
    line.set_read_timeout(Some(PATIENCE))
        .expect("it is a socket");
    let (request, is_raw) = match data.split_first() {
        Some((b'!', raw)) => (raw.to_vec(), true),
        _ => (request(data), false),
    };
    // The server may disconnect before everything is sent.
    line.write_all(&request).ok();
    if is_raw {
        // An incomplete request ends here. A client that disconnects after a request may get no
        // response.
        line.shutdown(Shutdown::Write).ok();
    }
    let mut answer = Vec::new();
    match line.take(LONGEST).read_to_end(&mut answer) {
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            panic!(
                "the server hangs on {:?}",
                String::from_utf8_lossy(&request)
            )
        }
        _ => {}
    }
    let length = u64::try_from(answer.len()).expect("it is small");
    assert!(length < LONGEST, "the answer does not end");
    usize::from(answer.starts_with(b"HTTP/1.1 200"))
}

/// A request with method and path from the first line and the rest as its body.
fn request(data: &[u8]) -> Vec<u8> {
    let (first, body) = crate::line(data);
    let first = crate::text(first);
    let (method, path) = first.split_once(' ').unwrap_or(("GET", &first));
    let method: String = method.chars().filter(char::is_ascii_uppercase).collect();
    let method = if method.is_empty() { "GET" } else { &method };
    let path: String = path.chars().filter(char::is_ascii_graphic).collect();
    let head = format!(
        "{method} /{} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
         sec-fetch-site: same-origin\r\norigin: http://localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        path.trim_start_matches('/'),
        body.len()
    );
    [head.as_bytes(), body].concat()
}
