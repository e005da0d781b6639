//! A clock that runs for the player who does not have the move.
//!
//! For a while that is no news: he has moved and not pressed it yet, or his move is not
//! settled. After that a press was missed, or the board and the clock do not lie alike.

use jiff::Timestamp;
use serde_json::json;

use super::{AlertCode, Game, Side, alert::Condition};

impl Game {
    /// Notes since when the clock has run for the wrong player.
    pub(super) fn note_wrong_clock(&mut self, now: Timestamp) {
        let wrong = self.wrongly_running().is_some();
        self.wrong_clock_since = match self.wrong_clock_since {
            since @ Some(_) if wrong => since,
            _ => wrong.then_some(now),
        };
    }

    /// Whose clock runs although the other player has the move; `None` where no clock does,
    /// or the game is not on.
    fn wrongly_running(&self) -> Option<Side> {
        let on = self.status().is_in_progress() && self.pause.is_none();
        let running = self.clock?.running.filter(|_| on)?;
        (running != Side::from(self.turn())).then_some(running)
    }

    /// When that has lasted long enough to be told; `None` when it is not so, or never is.
    fn wrong_clock_due(&self) -> Option<Timestamp> {
        let after = i64::try_from(self.rules.clock_mismatch_ms).ok();
        let after = after.filter(|ms| *ms > 0)?;
        let at = self
            .wrong_clock_since?
            .as_millisecond()
            .checked_add(after)?;
        Timestamp::from_millisecond(at).ok()
    }

    pub(super) fn clock_mismatch(&self, now: Timestamp) -> Option<Condition> {
        self.wrong_clock_due().filter(|due| *due <= now)?;
        let arguments = [
            ("running", json!(self.wrongly_running()?)),
            ("turn", json!(Side::from(self.turn()))),
        ];
        Some(Condition::new(AlertCode::ClockMismatch, None, arguments))
    }

    /// When an alert is due that no input brings: a red one has stood unacknowledged for too
    /// long, or the clock has run for the wrong player.
    #[must_use]
    pub fn alert_due_at(&self) -> Option<Timestamp> {
        let overdue = self.alerts.overdue_at(self.rules.escalate_ms);
        let told = |alert: &super::Alert| alert.code == AlertCode::ClockMismatch;
        let wrong = self.wrong_clock_due();
        let wrong = wrong.filter(|_| !self.alerts.open().iter().any(told));
        overdue.into_iter().chain(wrong).min()
    }
}
