//! Waits for conditions without notifications: a file, a port, another process. All tests that must
//! poll do it here; everything else waits for an event.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    net::TcpStream,
    time::{Instant, sleep},
};

/// The time between two checks.
const INTERVAL: Duration = Duration::from_millis(20);

/// Checks repeatedly until `check` returns a value. Panics with the text of `describe` if it has
/// none within `limit`.
pub async fn poll<T>(
    limit: Duration,
    describe: impl Fn() -> String,
    mut check: impl AsyncFnMut() -> Option<T>,
) -> T {
    let end = Instant::now() + limit;
    loop {
        if let Some(found) = check().await {
            return found;
        }
        assert!(Instant::now() < end, "{}", describe());
        sleep(INTERVAL).await;
    }
}

/// The same for a condition.
pub async fn poll_until(limit: Duration, describe: impl Fn() -> String, holds: impl Fn() -> bool) {
    poll(limit, describe, async || holds().then_some(())).await;
}

/// Waits until something listens on a port.
pub async fn poll_port(limit: Duration, describe: impl Fn() -> String, address: SocketAddr) {
    let connected = async || TcpStream::connect(address).await.ok().map(drop);
    poll(limit, describe, connected).await;
}
