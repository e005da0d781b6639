//! What systemd is told: that a service is ready, alive and stopping.
//!
//! ```text
//! READY=1 ─▶ WATCHDOG=1, STATUS=…, while every part makes progress ─▶ STOPPING=1
//! ```
//!
//! Outside of systemd the service looks after its parts all the same, and says nothing.

use std::{future::Future, time::Duration};

use sd_notify::NotifyState;
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

/// How often the parts are asked, unless systemd's watchdog requires more.
pub(crate) const BEAT: Duration = Duration::from_secs(10);
/// How long a part may take to answer.
const ANSWER: Duration = Duration::from_secs(5);

/// A service whose parts can be asked whether they make progress.
pub(crate) trait Watched {
    /// Asks every part, and waits for an answer for so long at most. Returns a line for `systemctl
    /// status`, or `None` if a part makes no progress.
    fn look(&mut self, within: Duration) -> impl Future<Output = Option<String>> + Send;
}

/// Says that the service is ready, feeds the watchdog while its parts make progress, and says that
/// it stops, once `cancel` is triggered.
pub(crate) async fn watch(mut service: impl Watched, cancel: CancellationToken) {
    let watchdog = sd_notify::watchdog_enabled();
    let beat = watchdog.map_or(BEAT, |within| BEAT.min(within / 3));
    let mut beats = interval(beat);
    notify(&[NotifyState::Ready]);
    loop {
        tokio::select! {
            () = cancel.cancelled() => break,
            _ = beats.tick() => {}
        }
        if let Some(status) = service.look(beat.min(ANSWER)).await {
            notify(&[NotifyState::Watchdog, NotifyState::Status(&status)]);
        }
    }
    notify(&[NotifyState::Stopping]);
}

/// Notifies systemd; does nothing if systemd did not start the service.
fn notify(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!("systemd cannot be notified: {error}");
    }
}
