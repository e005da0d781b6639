//! The task that owns one board's port.
//!
//! Ports fail in many ways: the cable is pulled (reading gives nothing, for
//! ever), the adapter resets (EIO), the name moves to another device. All of them
//! end the session, the port is closed at once (a port that is kept open makes
//! the board come back under another name) and opened again by its path.

use std::{sync::Arc, time::Duration};

use futures_util::StreamExt;
use tokio::{
    io::{AsyncWriteExt, WriteHalf},
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};
use tokio_serial::SerialStream;
use tokio_util::{codec::FramedRead, sync::CancellationToken};

use super::{
    BoardSettings, Kind,
    dgt::{clock::ClockWatch, codec::Codec, session::Session, table::Command},
    event::{BoardEvent, DownCode, LinkReport, Sensed},
    orientation::Turn,
    port::{self, OpenError},
};
use crate::time::Clock;

/// The longest sleep: the far future overflows an instant.
const A_DAY: Duration = Duration::from_hours(24);

/// Why the actor must stop altogether.
#[derive(Debug)]
struct Stop;

pub(super) struct Actor {
    settings: BoardSettings,
    clock: Arc<dyn Clock>,
    events: mpsc::Sender<BoardEvent>,
    cancel: CancellationToken,
    turn: Turn,
    opened: u64,
    failures: u32,
    told_reason: Option<String>,
}

impl Actor {
    pub(super) fn new(
        settings: BoardSettings,
        clock: Arc<dyn Clock>,
        events: mpsc::Sender<BoardEvent>,
        cancel: CancellationToken,
    ) -> Self {
        Self {
            turn: Turn::new(settings.orientation, settings.known_orientation),
            settings,
            clock,
            events,
            cancel,
            opened: 0,
            failures: 0,
            told_reason: None,
        }
    }

    pub(super) async fn run(mut self) {
        let Kind::Dgt = self.settings.kind;
        while self.one_opening().await.is_ok() {
            let wait = self.backoff();
            tokio::select! {
                () = self.cancel.cancelled() => break,
                () = tokio::time::sleep(wait) => {}
            }
        }
        tracing::debug!(board = %self.settings.id, "board reader stopped");
    }

    /// Opens the port, reads until it is lost, and says why.
    async fn one_opening(&mut self) -> Result<(), Stop> {
        let (code, reason) = match self.open().await? {
            Ok(stream) => {
                self.opened += 1;
                self.read(stream).await?
            }
            Err(error) => (error.code(), error.to_string()),
        };
        self.failures = self.failures.saturating_add(1);
        if self.told_reason.as_ref() == Some(&reason) {
            return Ok(());
        }
        tracing::warn!(board = %self.settings.id, %reason, "board is down");
        self.told_reason = Some(reason.clone());
        self.tell(Sensed::Link(LinkReport::Down { code, reason }))
            .await
    }

    /// Opening a Bluetooth port may take seconds: it is done aside.
    async fn open(&self) -> Result<Result<SerialStream, OpenError>, Stop> {
        let path = self.settings.port.clone();
        let opening = tokio::task::spawn_blocking(move || port::open(&path));
        tokio::select! {
            () = self.cancel.cancelled() => Err(Stop),
            opened = opening => opened.map_err(|_| Stop),
        }
    }

    /// Reads one opened port to its end and returns why it ended.
    async fn read(&mut self, stream: SerialStream) -> Result<(DownCode, String), Stop> {
        let port = self.settings.port.clone();
        let lost =
            |error: std::io::Error| (DownCode::LineLost, format!("{port} was lost: {error}"));
        let started = Instant::now();
        let (read, mut write) = tokio::io::split(stream);
        let mut line = FramedRead::with_capacity(read, Codec::default(), 1024);
        let mut session = Session::new(
            self.settings.timing.clone(),
            &self.settings.port,
            self.turn.clone(),
            ClockWatch::new(self.settings.clock_white),
            self.opened - 1,
        );
        let mut sensed = Vec::new();
        loop {
            if let Some(command) = session.command(started.elapsed())
                && let Err(error) = self.send(&mut write, command).await
            {
                return Ok(lost(error));
            }
            let wake = started + session.next_wake().min(A_DAY);
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(Stop),
                item = line.next() => match item {
                    Some(Ok(item)) => session.receive(item, started.elapsed(), &mut sensed),
                    Some(Err(error)) => return Ok(lost(error)),
                    None => return Ok((DownCode::Unplugged, format!("{port} was unplugged"))),
                },
                () = sleep_until(wake) => {}
            }
            let verdict = session.wake(started.elapsed(), &mut sensed);
            for one in sensed.drain(..) {
                self.tell(one).await?;
            }
            self.turn.clone_from(session.turn());
            if session.is_up() {
                self.failures = 0;
                self.told_reason = None;
            }
            if let Err(lost) = verdict {
                return Ok((lost.code(), lost.to_string()));
            }
        }
    }

    async fn send(
        &self,
        write: &mut WriteHalf<SerialStream>,
        command: Command,
    ) -> std::io::Result<()> {
        tracing::trace!(board = %self.settings.id, ?command, "send");
        let patience = Duration::from_millis(self.settings.timing.write_ms);
        timeout(patience, write.write_all(&[command.byte()])).await?
    }

    /// Hands an event on; waits while the reader of events is busy.
    async fn tell(&self, sensed: Sensed) -> Result<(), Stop> {
        if let Sensed::Link(LinkReport::Up(device)) = &sensed {
            tracing::info!(board = %self.settings.id, ?device, "board is up");
        }
        let event = BoardEvent {
            at: self.clock.monotonic_ms(),
            sensed,
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Stop),
            sent = self.events.send(event) => sent.map_err(|_| Stop),
        }
    }

    /// How long to wait before the port is opened again.
    fn backoff(&self) -> Duration {
        let timing = &self.settings.timing;
        let doubled = timing
            .reopen_min_ms
            .saturating_mul(1 << self.failures.saturating_sub(1).min(16));
        let whole = doubled.min(timing.reopen_max_ms).max(1);
        Duration::from_millis(jittered(
            whole,
            self.settings.id.as_str(),
            self.opened + u64::from(self.failures),
        ))
    }
}

/// Between three and five quarters of `whole`: the boards of a hall that lost
/// their hub together do not all come back in the same moment. The same board
/// and attempt always give the same wait.
fn jittered(whole: u64, board: &str, attempt: u64) -> u64 {
    let mut seed = crc32fast::Hasher::new();
    seed.update(board.as_bytes());
    seed.update(&attempt.to_le_bytes());
    let spread = whole / 2;
    whole - whole / 4 + u64::from(seed.finalize()) % (spread + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_spread_by_a_quarter() {
        let waits: Vec<u64> = (0..100)
            .map(|attempt| jittered(1000, "b1", attempt))
            .collect();
        assert!(waits.iter().all(|wait| (750..=1250).contains(wait)));
        assert!(waits.iter().max() > waits.iter().min());
        assert_ne!(jittered(1000, "b1", 0), jittered(1000, "b2", 0));
    }
}
