//! A clock that is stopped: what is done on the board meanwhile is no play.
//!
//! Players stop the clock when the game is over, and then clear the board, or try other moves.
//! What stands when the clock stops was played; what comes after it is told, and settled only when
//! the clock runs again, or somebody has said what stands on the board. A clock that never ran says
//! nothing, nor does one whose flag has fallen: it may have stopped by itself.

use shakmaty::{Move, Position as _};

use super::{
    Hypothesis, SettledBy, course::Course, due::is_king_to_centre, hypothesis::Stood,
    tracker::Tracker,
};
use remisd_vocabulary::{sensor::ClockReading, time::Millis};

/// Whether the clock runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Running {
    /// It has not run yet, or nobody knows.
    #[default]
    Unknown,
    /// It runs.
    Yes,
    /// It was stopped then.
    StoppedAt(Millis),
}

impl Tracker {
    /// The clock has told whether it runs.
    pub(super) fn hear_running(&mut self, reading: &ClockReading, now: Millis) {
        if reading.lever.is_none() {
            // There is no clock any more.
            self.running = Running::Unknown;
            if self.sight.is_some() {
                self.explain(now);
            }
        } else if reading.running.is_some() || reading.flag.is_some() {
            let stood = std::mem::replace(&mut self.running, Running::Yes);
            if matches!(stood, Running::StoppedAt(_)) && self.sight.is_some() {
                self.explain(now);
            }
        } else if self.running == Running::Yes {
            // Before anything is settled it is set, and may not have been started for this game.
            self.running = if self.past.is_empty() {
                Running::Unknown
            } else {
                Running::StoppedAt(now)
            };
            self.settle_stopped(now);
        }
    }

    /// What stands on the board when the clock is stopped has been played, and so has what stood when
    /// it was pressed, although the first pieces may have been taken up since.
    fn settle_stopped(&mut self, now: Millis) {
        let choice = self.choose(now);
        let hypothesis = &self.hypotheses[choice.best];
        let last = hypothesis.line.last();
        let shows_result = last.is_none_or(|last| is_king_to_centre(*last));
        let shown = now >= self.shown_at(choice.best);
        let whole = self.hold(choice.best) == self.settle_ms();
        if self.gap || !choice.clear || shows_result || !shown || !whole {
            return;
        }
        let long = |stood: Stood| now >= stood.from + self.settings.lift_ms;
        let stands = hypothesis.is_exact() && hypothesis.stood.is_some_and(long);
        if stands || self.stood_when_pressed(hypothesis) {
            self.agree();
            self.settle_all(choice.best, SettledBy::Clock, false);
        }
    }

    /// Whether the board showed a line, and nothing else, when its player pressed.
    fn stood_when_pressed(&self, hypothesis: &Hypothesis) -> bool {
        let (Some(stood), Some(turned)) = (hypothesis.stood, self.presses.last) else {
            return false;
        };
        stood.clear_ms >= self.settings.lift_ms
            && stood.from <= turned.at
            && turned.at <= stood.until + self.settings.scan_ms
            && turned.to == hypothesis.after.turn()
    }

    /// Whether the squares have last changed while the clock stood.
    pub(super) fn changed_in_pause(&self) -> bool {
        self.is_in_pause(self.changed_at)
    }

    /// The first plies of a line that were played while the clock ran.
    fn before_pause(&self, line: &[Move]) -> usize {
        let Running::StoppedAt(_) = self.running else {
            return line.len();
        };
        let paused = |m: &Move| {
            // When all squares are told at once, it may have stood there before.
            let at_once = self.changes.was_told_at_once(m.to());
            let to = self.changes.at(m.to()).filter(|_| !at_once);
            let from = m.from().and_then(|from| self.changes.at(from));
            to.max(from).is_some_and(|at| self.is_in_pause(at))
        };
        line.iter().position(paused).unwrap_or(line.len())
    }

    /// How many plies of a hypothesis were play: those made while the clock ran, of which the board may
    /// have shown the last one before it stood; none while pieces go back in the game.
    pub(super) fn was_played(&self, hypothesis: &Hypothesis) -> usize {
        if self.course == Course::Back {
            return 0;
        }
        let stood = hypothesis
            .stood
            .is_some_and(|stood| !self.is_in_pause(stood.from));
        if stood {
            hypothesis.line.len()
        } else {
            self.before_pause(&hypothesis.line)
        }
    }

    /// Whether a change that was told then was made while the clock stood.
    fn is_in_pause(&self, at: Millis) -> bool {
        match self.running {
            Running::StoppedAt(stopped) => at > stopped + self.settings.scan_ms,
            Running::Yes | Running::Unknown => false,
        }
    }
}
