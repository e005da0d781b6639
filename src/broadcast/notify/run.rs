//! Sends what is due to one receiver, one request at a time.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use remisd_game::Alert;
use remisd_vocabulary::{name::BoardId, retry::Backoff};
use tokio::{
    sync::Notify,
    task::spawn_blocking,
    time::{Instant, sleep_until, timeout},
};

use super::{
    Due, Message, Next, Notice, Receiver, SendError, SilentByBoard,
    due::{Known, MOST_OPEN},
    silent::Reach,
};
use crate::{
    disk::{RETRY, StatePlace},
    files::{read_json, replace_durably},
};
use remisd_transport::Transport;

/// The first and the longest wait after an error. A wait is at least half of these.
const WAITS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(5));

/// Puts a notice into words.
pub type Phrase = Arc<dyn Fn(&Notice) -> Message + Send + Sync>;

/// How long the first message waits for what an earlier run has sent.
const PATIENCE: Duration = Duration::from_secs(2);

/// The messages for one receiver; a handle.
#[derive(Debug, Clone)]
pub struct Outbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    alerts: Mutex<Alerts>,
    changed: Notify,
    sent: Notify,
    /// Where the states that were sent are kept.
    file: Option<StatePlace>,
}

#[derive(Debug)]
struct Alerts {
    due: Due,
    /// The open alerts of each board, while it is not known what an earlier run has sent.
    early: Option<BTreeMap<BoardId, Vec<Alert>>>,
}

impl Outbox {
    /// An outbox that remembers in `file` what it has sent. [`run`] reads it.
    #[must_use]
    pub fn new(due: Due, file: Option<StatePlace>) -> Self {
        let early = file.is_some().then(BTreeMap::new);
        Self(Arc::new(Inner {
            alerts: Mutex::new(Alerts { due, early }),
            changed: Notify::new(),
            sent: Notify::new(),
            file,
        }))
    }

    /// Takes all open alerts of a board. Never waits.
    pub fn take(&self, board: &BoardId, open: &[Alert]) {
        let mut alerts = self.alerts();
        alerts.due.take(board, open);
        if let Some(early) = &mut alerts.early {
            let kept = open.iter().take(MOST_OPEN).cloned().collect();
            early.insert(board.clone(), kept);
        }
        drop(alerts);
        self.0.changed.notify_one();
    }

    fn alerts(&self) -> MutexGuard<'_, Alerts> {
        let alerts = self.0.alerts.lock();
        alerts.unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows the boards about which the receiver lacks an urgent message.
    fn report(&self, reach: &Reach) {
        reach.show(&self.alerts().due.lacking(reach.is_down(Instant::now())));
    }

    /// Takes up what an earlier run has sent, and then the alerts that came before it was known.
    fn restore(&self, known: Vec<Known>) {
        let mut alerts = self.alerts();
        alerts.due.restore(known);
        for (board, open) in alerts.early.take().unwrap_or_default() {
            alerts.due.take(&board, &open);
        }
        drop(alerts);
        self.0.changed.notify_one();
    }

    /// Reads what an earlier run has sent, if that was not done yet.
    ///
    /// # Errors
    ///
    /// The disk is not there: it is to be tried again.
    async fn load(&self) -> io::Result<()> {
        let Some(file) = self
            .0
            .file
            .clone()
            .filter(|_| self.alerts().early.is_some())
        else {
            return Ok(());
        };
        let read = move || Ok::<_, io::Error>(read_json(file.path()?));
        let read = spawn_blocking(read).await.map_err(io::Error::other)?;
        let known = read?.unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(
                    "what was sent to phones is not known, and open alerts are sent again: {error}"
                );
            }
            Vec::new()
        });
        self.restore(known);
        Ok(())
    }

    /// Keeps in the file what the receiver knows, for ever. A disk that hangs or is away holds up no
    /// message.
    async fn keep(&self) {
        let mut logged = None;
        let mut kept = Ok(());
        loop {
            let sent = self.0.sent.notified();
            match kept {
                Ok(()) => sent.await,
                Err(_) => _ = timeout(RETRY, sent).await,
            }
            kept = self.save().await;
            let error = kept.as_ref().err().map(ToString::to_string);
            if let Some(error) = error.as_ref().filter(|_| logged != error) {
                tracing::warn!("what was sent to phones is not kept: {error}");
            }
            logged = error;
        }
    }

    async fn save(&self) -> io::Result<()> {
        self.load().await?;
        let Some(file) = self.0.file.clone() else {
            return Ok(());
        };
        let known = self.alerts().due.known();
        let text = serde_json::to_vec(&known)?;
        // A slow disk must not hold up the tasks of the boards.
        let written = spawn_blocking(move || replace_durably(file.path()?, &text)).await;
        written.map_err(io::Error::other)?
    }
}

/// Sends what is due, and keeps what was sent, for ever. In `silent` it shows the boards of which
/// the receiver takes no message. `seed` is that of the back-off's jitter.
pub async fn run(
    receiver: Receiver,
    outbox: Outbox,
    phrase: Phrase,
    transport: impl Transport,
    silent: SilentByBoard,
    seed: u64,
) {
    let reach = Reach::new(receiver.name.clone(), silent);
    let loaded = timeout(PATIENCE, outbox.load()).await;
    if !matches!(loaded, Ok(Ok(()))) {
        tracing::warn!("what was sent to phones is not known yet: the disk is not there");
        // The alerts of a disk that is away must not wait for it.
        outbox.0.sent.notify_one();
    }
    tokio::join!(
        outbox.keep(),
        send(receiver, &outbox, phrase, transport, reach, seed)
    );
}

/// Reports a receiver to which nothing can be sent, for this reason. In `silent` it shows the boards
/// about which the receiver lacks an urgent message, for ever.
pub async fn report_without_sending(
    name: String,
    outbox: Outbox,
    silent: SilentByBoard,
    reason: String,
) {
    let reach = Reach::never(name, silent, &reason);
    loop {
        outbox.report(&reach);
        outbox.0.changed.notified().await;
    }
}

/// Waits, and reports what changes meanwhile.
async fn pause(until: Instant, outbox: &Outbox, reach: &Reach) {
    loop {
        outbox.report(reach);
        tokio::select! {
            () = sleep_until(until) => return,
            () = outbox.0.changed.notified() => {}
        }
    }
}

async fn send(
    receiver: Receiver,
    outbox: &Outbox,
    phrase: Phrase,
    transport: impl Transport,
    mut reach: Reach,
    seed: u64,
) {
    let mut backoff = Backoff::new(WAITS.0, WAITS.1, seed);
    let mut reported = false;
    loop {
        outbox.report(&reach);
        let next = outbox.alerts().due.next(Instant::now());
        let notice = match next {
            Next::Nothing => {
                outbox.0.changed.notified().await;
                continue;
            }
            Next::Wait(until) => {
                tokio::select! {
                    () = sleep_until(until) => {}
                    () = outbox.0.changed.notified() => {}
                }
                continue;
            }
            Next::Send(notice) => notice,
        };
        let name = &receiver.name;
        let began = Instant::now();
        match receiver.send(&transport, &phrase(&notice)).await {
            Ok(_) => {
                outbox.alerts().due.sent(&notice);
                reach.answered();
                if reported {
                    tracing::info!("{name} takes messages again");
                }
                reported = false;
                backoff.reset();
            }
            Err(SendError::Refused(why)) => {
                tracing::warn!("{name} refuses a message about {}: {why}", notice.board);
                outbox.alerts().due.refused(&notice);
                reach.answered();
                reach.note_reason(&why);
            }
            Err(error) => {
                if !reported {
                    tracing::warn!("{name} takes no message: {error}");
                    reported = true;
                }
                outbox.alerts().due.failed(&notice);
                let least = match error {
                    SendError::TooMany { wait } => wait,
                    _ => Duration::ZERO,
                };
                let wait = backoff.wait().max(least);
                reach.failed(&error.to_string(), began, wait);
                pause(Instant::now() + wait, outbox, &reach).await;
                continue;
            }
        }
        outbox.0.sent.notify_one();
    }
}
