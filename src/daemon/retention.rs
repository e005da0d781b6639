//! Removes games that are older than the configured retention period.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::publish::Publisher;
use remisd_journal::{Expired, Journal};
use remisd_vocabulary::time::{Clock, Moment};

/// Interval between checks; a game may outlive its period by this much.
const LOOK: Duration = Duration::from_hours(1);
/// Delay before the first check: a computer whose clock has no battery sets its time meanwhile.
const FIRST_LOOK: Duration = Duration::from_mins(10);
/// The wall clock was set if it differs from the time that has passed by more than this.
const STEADY_MS: u64 = 60_000;

/// Checks until `cancel`, whenever the computer's clock has run steadily for a while. With `days` =
/// 0 nothing is ever removed.
pub async fn expire_games(
    days: u64,
    journal: Journal,
    publisher: Publisher,
    clock: Arc<dyn Clock>,
    cancel: CancellationToken,
) {
    let Some(age) = i64::try_from(days).ok().filter(|days| *days > 0) else {
        return;
    };
    let age = SignedDuration::from_hours(24 * age);
    let mut pause = FIRST_LOOK;
    loop {
        let before = ClockPair::of(&*clock);
        tokio::select! {
            () = cancel.cancelled() => return,
            () = sleep(pause) => {}
        }
        let now = ClockPair::of(&*clock);
        if !now.is_steady_since(&before) {
            tracing::warn!("the computer's clock was set: old games are looked for later");
            continue;
        }
        let (journal, publisher) = (journal.clone(), publisher.clone());
        let look = tokio::task::spawn_blocking(move || look(&journal, &publisher, age, now.wall));
        look.await.ok();
        pause = LOOK;
    }
}

/// What the clocks showed at one moment.
#[derive(Debug, Clone, Copy)]
struct ClockPair {
    wall: Timestamp,
    monotonic: Moment,
}

impl ClockPair {
    fn of(clock: &dyn Clock) -> Self {
        Self {
            wall: clock.now(),
            monotonic: clock.monotonic(),
        }
    }

    fn is_steady_since(&self, before: &Self) -> bool {
        let passed = (self.monotonic - before.monotonic).as_millis();
        let by_wall = self.wall.duration_since(before.wall).as_millis();
        (by_wall - i128::from(passed)).unsigned_abs() <= u128::from(STEADY_MS)
    }
}

fn look(journal: &Journal, publisher: &Publisher, age: SignedDuration, now: Timestamp) {
    let Ok(before) = now.checked_sub(age) else {
        return;
    };
    let boards = match journal.reader().boards() {
        Ok(boards) => boards,
        Err(error) => {
            tracing::warn!("cannot search for old games: {error}");
            return;
        }
    };
    for board in boards {
        let confirmed = match publisher.confirmed_seq(&board) {
            Ok(confirmed) => confirmed,
            Err(error) => {
                tracing::warn!(%board, "old games are kept: {error}");
                continue;
            }
        };
        match journal.remove_older(
            &board,
            &Expired {
                before,
                now,
                confirmed,
            },
        ) {
            Ok(retained) => {
                for file in retained.removed {
                    tracing::info!(%board, file = %file.display(), "removed: older than keep_days");
                }
                for (file, why) in retained.kept {
                    tracing::warn!(%board, file = %file.display(), "older than keep_days, but kept: {why}");
                }
            }
            Err(error) => tracing::warn!(%board, "old games cannot be removed: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_is_not_steady() {
        let reading = |wall, monotonic| ClockPair {
            wall: Timestamp::from_second(wall).unwrap(),
            monotonic: Moment::from_millis(monotonic),
        };
        let before = reading(1_000, 0);
        assert!(reading(1_600, 600_000).is_steady_since(&before));
        assert!(reading(1_650, 600_000).is_steady_since(&before));
        assert!(!reading(9_000_000, 600_000).is_steady_since(&before));
        assert!(!reading(900, 600_000).is_steady_since(&before));
    }
}
