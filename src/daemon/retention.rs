//! Removes the games that are older than the configuration wants them kept.

use std::{sync::Arc, time::Duration};

use jiff::SignedDuration;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{journal::Journal, time::Clock};

/// How often it is looked: a game goes at most so much later than it may.
const LOOK: Duration = Duration::from_hours(1);

/// Looks at once and again until `cancel`. Nothing is ever removed with `days` = 0.
pub async fn keep_for(
    days: u64,
    journal: Journal,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) {
    let Some(age) = i64::try_from(days).ok().filter(|days| *days > 0) else {
        return;
    };
    let age = SignedDuration::from_hours(24 * age);
    loop {
        let (journal, clock) = (journal.clone(), clock.clone());
        let look = tokio::task::spawn_blocking(move || look(&journal, age, &*clock));
        look.await.ok();
        tokio::select! {
            () = cancel.cancelled() => return,
            () = sleep(LOOK) => {}
        }
    }
}

fn look(journal: &Journal, age: SignedDuration, clock: &dyn Clock) {
    let now = clock.now();
    let Ok(before) = now.checked_sub(age) else {
        return;
    };
    let boards = match journal.reader().boards() {
        Ok(boards) => boards,
        Err(error) => {
            tracing::warn!("old games cannot be looked for: {error}");
            return;
        }
    };
    for board in boards {
        match journal.remove_older(&board, before, now) {
            Ok(retained) => {
                for file in retained.removed {
                    tracing::info!(%board, file = %file.display(), "removed: keep_days is over");
                }
                for (file, why) in retained.kept {
                    tracing::warn!(%board, file = %file.display(), "is older than keep_days and stays: {why}");
                }
            }
            Err(error) => tracing::warn!(%board, "old games cannot be removed: {error}"),
        }
    }
}
