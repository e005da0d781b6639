//! The task that owns one board's port.
//!
//! Ports fail in many ways: the cable is pulled (reads return nothing, forever), the adapter resets
//! (EIO), the name moves to another device. Each of these ends the session. The port is closed
//! immediately, since a port kept open makes the board come back under another name, and is then
//! reopened by its path. If the port is gone, the board is searched for on other ports by its
//! serial number.

use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use futures_util::StreamExt;
use rustix::io::Errno;
use tokio::{
    io::{AsyncWriteExt, WriteHalf},
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};
use tokio_serial::SerialStream;
use tokio_util::{codec::FramedRead, sync::CancellationToken};

use super::{
    BoardSettings, Kind,
    dgt::{clock::ClockWatch, codec::Codec, session::DgtSession, table::Command},
    orientation::OrientationTracker,
    port::{self, OpenError},
    ports,
    tap::Tapped,
};
use remisd_vocabulary::sensor::{BoardEvent, Device, DownCode, LinkReport, Sensed};
use remisd_vocabulary::{retry::Backoff, tap::Speaker, time::Clock};

/// The longest sleep, because a deadline in the far future would overflow an `Instant`.
const A_DAY: Duration = Duration::from_hours(24);

/// How long a port is skipped after the board was not found on it.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// How long a board may take to report its serial number after a wrong board was refused on its
/// port. The port is then reopened. Longer than a session keeps asking.
const TELLS_NUMBER_IN: Duration = Duration::from_secs(30);

/// The actor must stop altogether: it was cancelled, or its channel has closed.
#[derive(Debug)]
struct Stop;

/// A board with another serial number than the configured one.
#[derive(Debug, Clone)]
struct OtherBoard {
    port: String,
    /// Why the board is not read.
    reason: String,
}

/// How a session on an opened port ended.
#[derive(Debug)]
enum Ended {
    /// The board is down.
    Down(DownCode, String),
    /// The board is the right one after all, but some of its events were held back: start afresh.
    Recognised,
}

pub(super) struct Actor {
    settings: BoardSettings,
    clock: Arc<dyn Clock>,
    events: mpsc::Sender<BoardEvent>,
    cancel: CancellationToken,
    turn: OrientationTracker,
    opened: u64,
    /// The waits between attempts to open the port.
    backoff: Backoff,
    reported_reason: Option<String>,
    /// The ports on which the board has answered.
    answered_at: HashSet<String>,
    /// Where the board was found, if not on its own port.
    found_at: Option<String>,
    /// The wrong board that answered on a port of this one.
    other: Option<OtherBoard>,
    /// The ports searched without success, and when.
    looked: HashMap<PathBuf, Instant>,
}

impl Actor {
    pub(super) fn new(
        settings: BoardSettings,
        clock: Arc<dyn Clock>,
        events: mpsc::Sender<BoardEvent>,
        cancel: CancellationToken,
    ) -> Self {
        settings.places.configure(&settings.id, &settings.port);
        Self {
            turn: OrientationTracker::new(settings.orientation, settings.known_orientation),
            backoff: backoff(&settings),
            settings,
            clock,
            events,
            cancel,
            opened: 0,
            reported_reason: None,
            answered_at: HashSet::new(),
            found_at: None,
            other: None,
            looked: HashMap::new(),
        }
    }

    pub(super) async fn run(mut self) {
        let Kind::Dgt = self.settings.kind;
        while self.one_opening().await.is_ok() {
            let wait = self.backoff.wait();
            tokio::select! {
                () = self.cancel.cancelled() => break,
                () = tokio::time::sleep(wait) => {}
            }
        }
        tracing::debug!(board = %self.settings.id, "board reader stopped");
    }

    /// Opens the port, reads until it is lost, and reports why.
    async fn one_opening(&mut self) -> Result<(), Stop> {
        let ended = match self.open().await? {
            Ok((port, stream)) => {
                self.opened += 1;
                self.read(port, stream).await?
            }
            Err(error) => Ended::Down(error.code(), error.to_string()),
        };
        self.settings.places.leave(&self.settings.id);
        let Ended::Down(code, reason) = ended else {
            self.backoff.reset();
            return Ok(());
        };
        if matches!(code, DownCode::Unplugged | DownCode::Missing) {
            self.other = None;
        }
        if self.reported_reason.as_ref() == Some(&reason) {
            return Ok(());
        }
        tracing::warn!(board = %self.settings.id, %reason, "board is down");
        self.reported_reason = Some(reason.clone());
        self.emit(Sensed::Link(LinkReport::Down { code, reason }))
            .await
    }

    /// Opens the port where the board was last found, else its own, else one found by a search.
    async fn open(&mut self) -> Result<Result<(String, SerialStream), OpenError>, Stop> {
        let found_at = self.found_at.take();
        if let Some(port) = found_at.filter(|port| self.other_at(port).is_none())
            && let Ok(stream) = self.open_at(&port).await?
        {
            self.found_at = Some(port.clone());
            return Ok(Ok((port, stream)));
        }
        let own = self.settings.port.clone();
        // If the wrong board answered on our own port last, search elsewhere first.
        if self.other_at(&own).is_none() {
            match self.open_at(&own).await? {
                Ok(stream) => return Ok(Ok((own, stream))),
                Err(OpenError::Missing { .. }) => {}
                Err(refused) => return Ok(Err(refused)),
            }
        }
        if let Some(port) = self.search().await?
            && let Ok(stream) = self.open_at(&port).await?
        {
            tracing::warn!(board = %self.settings.id, %port, "found at another port");
            self.found_at = Some(port.clone());
            return Ok(Ok((port, stream)));
        }
        Ok(self.open_at(&own).await?.map(|stream| (own, stream)))
    }

    /// Probes the free ports for a board with the wanted serial number.
    async fn search(&mut self) -> Result<Option<String>, Stop> {
        let BoardSettings { id, places, .. } = &self.settings;
        let Some(wanted) = self.settings.serial.clone().or_else(|| places.serial(id)) else {
            return Ok(None);
        };
        let others = places.others(id);
        self.looked
            .retain(|port, at| others.contains(port) && at.elapsed() < LOOK_AGAIN);
        for port in others {
            if self.looked.contains_key(&port) || !places.take(id, &port) {
                continue;
            }
            let name = port.to_string_lossy().into_owned();
            let answer = tokio::select! {
                () = self.cancel.cancelled() => return Err(Stop),
                answer = ports::probe(&name, &self.settings.timing) => answer,
            };
            if answer.is_ok_and(|device| device.serial.as_ref() == Some(&wanted)) {
                return Ok(Some(name));
            }
            places.leave(id);
            self.looked.insert(port, Instant::now());
        }
        Ok(None)
    }

    /// Returns the wrong board that last answered on `port`. It stays on record until its port
    /// disappears or the right board reports its serial number there.
    fn other_at(&self, port: &str) -> Option<&OtherBoard> {
        (self.other.as_ref()).filter(|other| other.port == port)
    }

    /// Records the serial number of the board that answered, if this board may be read.
    ///
    /// # Errors
    ///
    /// Returns the board that must not be read.
    fn recognise(&mut self, device: &Device) -> Result<(), OtherBoard> {
        let BoardSettings { id, places, .. } = &self.settings;
        let Some(serial) = &device.serial else {
            return Ok(());
        };
        let wanted = self.settings.serial.as_ref();
        let is_other = wanted.is_some_and(|wanted| wanted != serial);
        places.is_elsewhere(id, is_other || device.port != self.settings.port);
        if let Some(wanted) = wanted.filter(|_| is_other) {
            let port = device.port.clone();
            let reason =
                format!("the board on {port} has the serial number {serial}, and not {wanted}");
            return Err(OtherBoard { port, reason });
        }
        self.other.take_if(|other| other.port == device.port);
        if places.remember(id, serial) {
            tracing::warn!(board = %id, serial, "another board has taken its place");
        }
        Ok(())
    }

    /// Opens a port on a blocking thread, since opening a Bluetooth port may take seconds.
    async fn open_at(&self, port: &str) -> Result<Result<SerialStream, OpenError>, Stop> {
        let path = port.to_owned();
        let BoardSettings { id, places, .. } = &self.settings;
        if !places.take(id, port.as_ref()) {
            return Ok(Err(OpenError::Busy { port: path }));
        }
        let opening = tokio::task::spawn_blocking(move || port::open(&path));
        tokio::select! {
            () = self.cancel.cancelled() => Err(Stop),
            opened = opening => opened.map_err(|_| Stop),
        }
    }

    /// Reads an opened port until it ends and returns why it ended.
    async fn read(&mut self, port: String, stream: SerialStream) -> Result<Ended, Stop> {
        let unplugged = || Ended::Down(DownCode::Unplugged, format!("{port} was unplugged"));
        let lost = |error: std::io::Error| match Errno::from_io_error(&error) {
            // A write to a port that has gone; a read sees the end instead.
            Some(Errno::IO | Errno::NODEV | Errno::NXIO) => unplugged(),
            _ => Ended::Down(DownCode::LineLost, format!("{port} was lost: {error}")),
        };
        let started = Instant::now();
        let (line, mut write) = tokio::io::split(stream);
        let tap = self.settings.tap.clone();
        if let Some(tap) = &tap {
            tap.opened(&port);
        }
        let read = Tapped { line, tap };
        let mut line = FramedRead::with_capacity(read, Codec::default(), 1024);
        let mut session = DgtSession::new(
            self.settings.timing.clone(),
            &port,
            self.turn.clone(),
            ClockWatch::new(self.settings.clock_white),
            self.opened - 1,
        );
        let mut sensed = Vec::new();
        let mut kept_back = false;
        loop {
            if let Some(command) = session.command(started.elapsed())
                && let Err(error) = self.send(&mut write, command).await
            {
                return Ok(lost(error));
            }
            let longest = self.other_at(&port).map_or(A_DAY, |_| TELLS_NUMBER_IN);
            let wake = started + session.next_wake().min(longest);
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => return Err(Stop),
                item = line.next() => match item {
                    Some(Ok(item)) => session.receive(item, started.elapsed(), &mut sensed),
                    Some(Err(error)) => return Ok(lost(error)),
                    None => return Ok(unplugged()),
                },
                () = sleep_until(wake) => {}
            }
            let verdict = session.wake(started.elapsed(), &mut sensed);
            if let Some(ended) = self.hand_on(&port, &mut sensed, &mut kept_back).await? {
                return Ok(ended);
            }
            if let Some(OtherBoard { reason, .. }) = self.other_at(&port) {
                if started.elapsed() >= TELLS_NUMBER_IN {
                    return Ok(Ended::Down(DownCode::OtherBoard, reason.clone()));
                }
            } else {
                self.turn.clone_from(session.turn());
                self.note_up(&port, session.is_up());
            }
            if let Err(lost) = verdict {
                let lost = if self.answered_at.contains(&port) {
                    lost.where_it_answered()
                } else {
                    lost
                };
                return Ok(Ended::Down(lost.code(), lost.to_string()));
            }
        }
    }

    /// Records that the board answers on this port, and forgets the reported outage.
    fn note_up(&mut self, port: &str, is_up: bool) {
        if is_up {
            self.backoff.reset();
            self.reported_reason = None;
            if !self.answered_at.contains(port) {
                self.answered_at.insert(port.to_owned());
            }
        }
    }

    /// Sends events on, or holds them back while the board may be the wrong one.
    async fn hand_on(
        &mut self,
        port: &str,
        sensed: &mut Vec<Sensed>,
        kept_back: &mut bool,
    ) -> Result<Option<Ended>, Stop> {
        for one in sensed.drain(..) {
            if let Sensed::Link(LinkReport::Up(device) | LinkReport::Device(device)) = &one
                && let Err(other) = self.recognise(device)
            {
                let reason = self.other.insert(other).reason.clone();
                return Ok(Some(Ended::Down(DownCode::OtherBoard, reason)));
            }
            if self.other_at(port).is_some() {
                *kept_back |= !matches!(one, Sensed::Link(LinkReport::Counters(_)));
            } else if *kept_back {
                return Ok(Some(Ended::Recognised));
            } else {
                self.emit(one).await?;
            }
        }
        Ok(None)
    }

    async fn send(
        &self,
        write: &mut WriteHalf<SerialStream>,
        command: Command,
    ) -> std::io::Result<()> {
        tracing::trace!(board = %self.settings.id, command = command.byte(), "send");
        let patience = Duration::from_millis(self.settings.timing.write_ms);
        timeout(patience, write.write_all(&[command.byte()])).await??;
        if let Some(tap) = &self.settings.tap {
            tap.heard(Speaker::Host, &[command.byte()]);
        }
        Ok(())
    }

    /// Sends an event, waiting while the channel is full.
    async fn emit(&self, sensed: Sensed) -> Result<(), Stop> {
        if let Sensed::Link(LinkReport::Up(device)) = &sensed {
            self.log_device(device, "board is up");
        } else if let Sensed::Link(LinkReport::Device(device)) = &sensed {
            self.log_device(device, "board has reported more about itself");
        }
        let event = BoardEvent {
            at: self.clock.monotonic(),
            sensed,
        };
        tokio::select! {
            biased;
            () = self.cancel.cancelled() => Err(Stop),
            sent = self.events.send(event) => sent.map_err(|_| Stop),
        }
    }

    fn log_device(&self, device: &Device, what: &str) {
        let board = &self.settings.id;
        let Device { kind, port, .. } = device;
        let (serial, version) = (device.serial.as_deref(), device.version.as_deref());
        tracing::info!(%board, kind, port, serial, version, "{what}");
    }
}

/// The back-off of this board. The board's name seeds the jitter, so that the boards of an
/// unplugged hub do not all come back at the same moment.
fn backoff(settings: &BoardSettings) -> Backoff {
    let timing = &settings.timing;
    let shortest = Duration::from_millis(timing.reopen_min_ms.max(1));
    let longest = Duration::from_millis(timing.reopen_max_ms.max(1));
    let seed = crc32fast::hash(settings.id.as_str().as_bytes());
    Backoff::new(shortest, longest, seed.into())
}
