//! The disk work of a session: reading lagging events and saving the cursors.

use std::{io, sync::Arc, time::Duration};

use tokio::{task::JoinError, time::Instant};

use super::BrokerSession;
use crate::publish::outbox::{Cursors, ReadRequest, StoredEvent};

/// The wait before retrying a failed read of the store.
const READ_AGAIN: Duration = Duration::from_secs(1);

/// The result of a blocking task.
pub(super) enum TaskResult {
    Read(ReadRequest, io::Result<Vec<StoredEvent>>),
    Saved(io::Result<()>),
}

impl BrokerSession {
    /// Starts reading what a lagging board needs next from the store.
    pub(super) fn read_store(&mut self) {
        if self.read_from > Instant::now() {
            return;
        }
        let Some(request) = self.shared.outbox().next_read() else {
            return;
        };
        let store = Arc::clone(&self.store);
        self.tasks.spawn_blocking(move || {
            let read = store.read_after(&request.board, request.after, request.limit);
            TaskResult::Read(request, read)
        });
    }

    /// Starts saving the cursors if they changed and no save is running.
    pub(super) fn save(&mut self) {
        let Some(path) = self.settings.cursor_file.clone() else {
            return;
        };
        if self.saving {
            return;
        }
        let cursors: Option<Cursors> = self.shared.outbox().changed_cursors();
        if let Some(cursors) = cursors {
            self.saving = true;
            self.save_from = Instant::now() + self.settings.timing.save;
            self.tasks
                .spawn_blocking(move || TaskResult::Saved(cursors.save(&path)));
        }
    }

    pub(super) fn finish(&mut self, done: Result<TaskResult, JoinError>) {
        match done {
            Ok(TaskResult::Read(request, Ok(events))) => {
                self.shared.outbox().refill(&request, events);
            }
            Ok(TaskResult::Read(request, Err(error))) => {
                tracing::error!(board = %request.board, %error, "cannot read the journal again");
                self.read_from = Instant::now() + READ_AGAIN;
                self.shared.outbox().read_failed();
            }
            Ok(TaskResult::Saved(saved)) => {
                self.saving = false;
                let failed_before = std::mem::replace(&mut self.save_failed, saved.is_err());
                if let Err(error) = saved {
                    self.shared.outbox().cursors_not_saved();
                    if !failed_before {
                        let path = self.settings.cursor_file.as_deref();
                        let path = path.map(|path| path.display().to_string());
                        tracing::error!(path, %error, "cannot save how far events are published");
                    }
                }
            }
            Err(error) => {
                self.saving = false;
                let mut outbox = self.shared.outbox();
                outbox.cursors_not_saved();
                outbox.read_failed();
                tracing::error!(%error, "a task of the session has failed");
            }
        }
    }
}
