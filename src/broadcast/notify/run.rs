//! Sends what is due to one receiver, one request at a time.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use remisd_game::Alert;
use remisd_vocabulary::{name::BoardId, retry::Backoff};
use tokio::{
    sync::Notify,
    task::spawn_blocking,
    time::{Instant, sleep, sleep_until},
};

use super::{Due, Message, Next, Notice, Receiver, SendError};
use crate::{files::replace, transport::Transport};

/// The first and the longest wait after an error. A wait is at least half of these.
const WAITS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_mins(5));

/// Puts a notice into words.
pub type Phrase = Arc<dyn Fn(&Notice) -> Message + Send + Sync>;

/// The messages for one receiver; a handle.
#[derive(Debug, Clone)]
pub struct Outbox(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    due: Mutex<Due>,
    changed: Notify,
    sent: Notify,
    /// Where the states that were sent are kept.
    file: Option<PathBuf>,
}

impl Outbox {
    /// An outbox that remembers in `file` what it has sent.
    #[must_use]
    pub fn new(mut due: Due, file: Option<PathBuf>) -> Self {
        if let Some(file) = &file {
            match read(file) {
                Ok(known) => due.restore(known),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => tracing::warn!(
                    "what was sent to phones is not known, and open alerts are sent again: {error}"
                ),
            }
        }
        Self(Arc::new(Inner {
            due: Mutex::new(due),
            changed: Notify::new(),
            sent: Notify::new(),
            file,
        }))
    }

    /// Takes all open alerts of a board. Never waits.
    pub fn take(&self, board: &BoardId, open: &[Alert]) {
        self.due().take(board, open);
        self.0.changed.notify_one();
    }

    fn due(&self) -> MutexGuard<'_, Due> {
        self.0.due.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps in the file what the receiver knows, for ever. A disk that hangs holds up no message.
    async fn keep(&self) {
        let Some(file) = &self.0.file else { return };
        loop {
            self.0.sent.notified().await;
            self.save(file.clone()).await;
        }
    }

    async fn save(&self, file: PathBuf) {
        let known = self.due().known();
        // A list of plain fields always has a JSON form.
        let text = serde_json::to_vec(&known).unwrap_or_default();
        // A slow disk must not hold up the tasks of the boards.
        let written = spawn_blocking(move || replace(&file, &text)).await;
        if let Ok(Err(error)) = written {
            tracing::warn!("what was sent to phones is not kept: {error}");
        }
    }
}

fn read(file: &Path) -> io::Result<Vec<super::due::Known>> {
    Ok(serde_json::from_slice(&fs::read(file)?)?)
}

/// Sends what is due, and keeps what was sent, for ever. `seed` is that of the back-off's jitter.
pub async fn run(
    receiver: Receiver,
    outbox: Outbox,
    phrase: Phrase,
    transport: impl Transport,
    seed: u64,
) {
    tokio::join!(
        outbox.keep(),
        send(receiver, &outbox, phrase, transport, seed)
    );
}

async fn send(
    receiver: Receiver,
    outbox: &Outbox,
    phrase: Phrase,
    transport: impl Transport,
    seed: u64,
) {
    let mut backoff = Backoff::new(WAITS.0, WAITS.1, seed);
    let mut reported = false;
    loop {
        let next = outbox.due().next(Instant::now());
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
        match receiver.send(&transport, &phrase(&notice)).await {
            Ok(_) => {
                outbox.due().sent(&notice);
                if reported {
                    tracing::info!("{name} takes messages again");
                }
                reported = false;
                backoff.reset();
            }
            Err(SendError::Refused(why)) => {
                tracing::warn!("{name} refuses a message about {}: {why}", notice.board);
                outbox.due().refused(&notice);
            }
            Err(error) => {
                if !reported {
                    tracing::warn!("{name} takes no message: {error}");
                    reported = true;
                }
                outbox.due().failed(&notice);
                let least = match error {
                    SendError::TooMany { wait } => wait,
                    _ => Duration::ZERO,
                };
                sleep(backoff.wait().max(least)).await;
                continue;
            }
        }
        outbox.0.sent.notify_one();
    }
}
