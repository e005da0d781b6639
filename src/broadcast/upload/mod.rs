//! PGN files pushed to a server, in the layout of the folder.
//!
//! The loop here decides what is sent and when. An [`Uploader`] is one way to a server:
//!
//! | address | uploader | the server proves who it is by |
//! |---|---|---|
//! | `https://`, `http://` | [`HttpPut`] | its certificate |
//! | `sftp://` | [`Session`] of [`Sftp`] | its host key |
//! | `ftps://` | [`Session`] of [`Ftps`] | its certificate |
//!
//! A file that the server refuses waits alone. Whatever concerns all files, such as a lost
//! connection or a wrong password, stops all of them until the next attempt.

mod address;
mod authorities;
mod error;
mod exchange;
mod ftps;
mod hostkeys;
mod login;
mod memory;
mod put;
mod session;
mod sftp;
#[cfg(test)]
mod tests;

use std::{fmt, future::Future, sync::Arc, time::Duration};

use remisd_vocabulary::{retry::Backoff, time::Clock};
use tokio::{
    sync::watch,
    time::{Instant, sleep, sleep_until},
};

use self::memory::{Memory, Wanted};
pub use self::{
    address::{Address, AddressError, Protocol},
    authorities::Authorities,
    error::{Reason, UploadError},
    ftps::Ftps,
    hostkeys::{Fingerprint, HostKeys, HostKeysError, NoFingerprint},
    login::{Login, NoPrivateKey, PrivateKey},
    put::HttpPut,
    session::{Connection, Server, Session},
    sftp::Sftp,
};
use crate::{
    ExitError, ExitReport,
    folder::{DialectChoice, file_name},
    http::Published,
};

/// The first and the longest wait after an error.
const WAITS: (Duration, Duration) = (Duration::from_secs(10), Duration::from_mins(10));

/// What becomes of a file on the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// It gets this content.
    Content(&'a [u8]),
    /// It gets this content if it is not there.
    IfAbsent(&'a [u8]),
    /// It is removed.
    Gone,
}

/// A way to a server.
pub trait Uploader: Send + 'static {
    /// Changes a file on the server. Returns whether it is as wanted: a file that was there already
    /// stays as it is with [`Change::IfAbsent`].
    fn send(
        &mut self,
        file: &RemoteFile,
        change: Change<'_>,
    ) -> impl Future<Output = Result<bool, UploadError>> + Send;
}

/// A file below the configured folder: `round-3/game-1.pgn`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemoteFile {
    round: u32,
    name: String,
}

impl RemoteFile {
    /// A file of a round.
    #[must_use]
    pub const fn new(round: u32, name: String) -> Self {
        Self { round, name }
    }

    /// The folder that the file is in.
    #[must_use]
    pub fn folder(&self) -> String {
        format!("round-{}", self.round)
    }
}

impl fmt::Display for RemoteFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "round-{}/{}", self.round, self.name)
    }
}

/// A file that is not on the server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {error}")]
pub struct Missed {
    /// The file.
    pub file: RemoteFile,
    /// Why it is not there.
    pub error: UploadError,
}

/// Pushes every file that changes, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Upload {
    /// The dialect of the files.
    pub dialect: DialectChoice,
}

impl Upload {
    /// Pushes until the sender of `rounds` is gone.
    pub async fn run(
        self,
        mut uploader: impl Uploader,
        mut rounds: watch::Receiver<Published>,
        report: watch::Sender<ExitReport>,
        clock: Arc<dyn Clock>,
    ) {
        let mut memory = Memory::default();
        let mut backoff = Backoff::new(WAITS.0, WAITS.1, 3);
        let mut stopped = false;
        let far = Duration::from_hours(24);
        loop {
            let texts = rounds.borrow_and_update().clone();
            let files = self.files(&texts);
            let now = Instant::now();
            if let Err(missed) = send_changed(&mut uploader, &mut memory, files, now).await {
                let error = ExitError::new(missed.error.cause(), &missed.to_string());
                ExitReport::note(&report, &*clock, Some(error));
                if !stopped {
                    tracing::warn!("PGN files cannot be uploaded: {missed}");
                    stopped = true;
                }
                sleep(backoff.wait()).await;
                if rounds.has_changed().is_err() {
                    return;
                }
                continue;
            }
            backoff.reset();
            stopped = false;
            if !texts.is_empty() {
                ExitReport::note(&report, &*clock, memory.refused());
            }
            let again = memory.again().unwrap_or_else(|| Instant::now() + far);
            tokio::select! {
                changed = rounds.changed() => if changed.is_err() { return },
                () = sleep_until(again) => {}
            }
        }
    }

    /// All files of the rounds, those of single boards first.
    fn files(self, texts: &Published) -> Vec<(RemoteFile, Wanted)> {
        let mut files = Vec::new();
        for (number, round) in &**texts {
            for game in &round.games {
                let file = RemoteFile::new(*number, file_name(game.number));
                let text = Arc::clone(self.dialect.of(&game.texts));
                let wanted = match game.count {
                    0 => Wanted::Blank(text),
                    _ => Wanted::Games(text),
                };
                files.push((file, wanted));
            }
            let all = round.joined(|texts| self.dialect.of(texts));
            let file = RemoteFile::new(*number, "games.pgn".to_owned());
            let wanted = if round.has_games() {
                Wanted::Games(Arc::from(all))
            } else {
                Wanted::Blank(Arc::from(all))
            };
            files.push((file, wanted));
        }
        files
    }
}

/// Sends what has changed. Files that the server refuses are noted, and the others go on.
///
/// # Errors
///
/// What stops all files.
async fn send_changed(
    uploader: &mut impl Uploader,
    memory: &mut Memory,
    mut files: Vec<(RemoteFile, Wanted)>,
    now: Instant,
) -> Result<(), Missed> {
    files.extend(memory.left_over(&files));
    memory.forget_all_but(&files);
    for (file, wanted) in memory.due(files, now) {
        let change = match &wanted {
            Wanted::Games(text) => Change::Content(text.as_bytes()),
            // What this run has put there may be replaced by nothing, and nothing else.
            Wanted::Blank(text) if memory.has_put(&file) => Change::Content(text.as_bytes()),
            Wanted::Blank(text) => Change::IfAbsent(text.as_bytes()),
            Wanted::Gone => Change::Gone,
        };
        memory.note_attempt(&file);
        match uploader.send(&file, change).await {
            Ok(is_as_wanted) => memory.note_sent(file, wanted, is_as_wanted),
            Err(error) if error.is_of_the_file() => memory.note_refused(Missed { file, error }),
            Err(error) => {
                if error.may_be_of_the_file() {
                    memory.note_suspect(file.clone());
                }
                return Err(Missed { file, error });
            }
        }
    }
    memory.end_pass(Instant::now());
    Ok(())
}
