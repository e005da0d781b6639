//! What the server has, and which files it refuses.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use remisd_vocabulary::retry::Backoff;
use tokio::time::Instant;

use super::{Missed, RemoteFile, UploadError, WAITS};
use crate::ExitError;

/// What a file is to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Games.
    Games(Arc<str>),
    /// The tags of a board that has no game.
    Blank(Arc<str>),
    /// Nothing: its board has another number now.
    Gone,
}

/// What is known of the server. It holds no more files than the rounds have.
#[derive(Debug)]
pub(super) struct Memory {
    sent: BTreeMap<RemoteFile, Wanted>,
    /// The files that are there because this run has put them there, as the server has answered.
    /// All others may be foreign, and are never removed.
    put: BTreeSet<RemoteFile>,
    refused: BTreeMap<RemoteFile, UploadError>,
    /// Files with which a connection was lost. They go last, so that they hold back no others.
    suspect: BTreeSet<RemoteFile>,
    /// When the refused files are tried again.
    again: Option<Instant>,
    backoff: Backoff,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            sent: BTreeMap::new(),
            put: BTreeSet::new(),
            refused: BTreeMap::new(),
            suspect: BTreeSet::new(),
            again: None,
            backoff: Backoff::new(WAITS.0, WAITS.1, 5),
        }
    }
}

impl Memory {
    /// The files that differ from those on the server. Refused ones wait for their time.
    pub(super) fn due(
        &mut self,
        mut files: Vec<(RemoteFile, Wanted)>,
        now: Instant,
    ) -> Vec<(RemoteFile, Wanted)> {
        if self.again.is_some_and(|again| again <= now) {
            self.again = None;
        }
        let refused_wait = self.again.is_some();
        files.retain(|(file, wanted)| {
            let waits = refused_wait && self.refused.contains_key(file);
            !waits && self.sent.get(file) != Some(wanted)
        });
        files.sort_by_key(|(file, _)| self.suspect.contains(file));
        files
    }

    /// The files that this run has put into the rounds of `files`, and that no board has now.
    pub(super) fn left_over(&self, files: &[(RemoteFile, Wanted)]) -> Vec<(RemoteFile, Wanted)> {
        let kept: BTreeSet<_> = files.iter().map(|(file, _)| file).collect();
        let rounds: BTreeSet<_> = files.iter().map(|(file, _)| file.round).collect();
        let left =
            (self.put.iter()).filter(|file| rounds.contains(&file.round) && !kept.contains(file));
        left.map(|file| (file.clone(), Wanted::Gone)).collect()
    }

    /// Whether this run has put a file there.
    pub(super) fn has_put(&self, file: &RemoteFile) -> bool {
        self.put.contains(file)
    }

    /// Forgets the files of earlier rounds.
    pub(super) fn forget_all_but(&mut self, files: &[(RemoteFile, Wanted)]) {
        let kept: BTreeSet<_> = files.iter().map(|(file, _)| file).collect();
        self.sent.retain(|file, _| kept.contains(file));
        self.put.retain(|file| kept.contains(file));
        self.refused.retain(|file, _| kept.contains(file));
        self.suspect.retain(|file| kept.contains(file));
    }

    /// A file is sent: until the server has answered, it may have the old text or the new one.
    pub(super) fn note_attempt(&mut self, file: &RemoteFile) {
        self.sent.remove(file);
    }

    /// The server has answered. A file that is not as wanted was there before, and stays.
    pub(super) fn note_sent(&mut self, file: RemoteFile, wanted: Wanted, is_as_wanted: bool) {
        self.suspect.remove(&file);
        if self.refused.remove(&file).is_some() {
            tracing::info!("the server takes {file} now");
        }
        if wanted == Wanted::Gone {
            self.put.remove(&file);
        } else if is_as_wanted {
            self.put.insert(file.clone());
        }
        self.sent.insert(file, wanted);
    }

    pub(super) fn note_refused(&mut self, missed: Missed) {
        if self.refused.get(&missed.file) != Some(&missed.error) {
            tracing::warn!("a PGN file is not uploaded: {missed}");
        }
        self.refused.insert(missed.file, missed.error);
    }

    pub(super) fn note_suspect(&mut self, file: RemoteFile) {
        self.suspect.insert(file);
    }

    /// All files that were due were tried: says when the refused ones are tried again.
    pub(super) fn end_pass(&mut self, now: Instant) {
        if self.refused.is_empty() {
            self.again = None;
            self.backoff.reset();
        } else if self.again.is_none() {
            self.again = Some(now + self.backoff.wait());
        }
    }

    /// When the refused files are tried again; none if there are none.
    pub(super) const fn again(&self) -> Option<Instant> {
        self.again
    }

    /// The refused files: the first with its reason, and how many there are besides.
    pub(super) fn refused(&self) -> Option<ExitError> {
        let (file, error) = self.refused.first_key_value()?;
        let more = match self.refused.len() - 1 {
            0 => String::new(),
            1 => " (and 1 more file)".to_owned(),
            more => format!(" (and {more} more files)"),
        };
        let reason = format!("{file}: {error}{more}");
        Some(ExitError::new(error.cause(), &reason))
    }
}
