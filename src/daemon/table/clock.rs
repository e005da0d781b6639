//! What the clock at the board shows, as inputs.

use super::Table;
use crate::{
    board::event::ClockReading,
    game::{ClockState, Input},
    time::Millis,
};

/// A clock may differ from its running time by this much without having been set.
const CLOCK_TOLERANCE_MS: u64 = 3_000;

impl Table {
    /// A running clock is not news; one that was started, stopped or set is, unless
    /// the move that came with it has told so already.
    pub(super) async fn clock_read(&mut self, before: Option<(ClockReading, Millis)>, at: Millis) {
        let Some((reading, _)) = self.reading else {
            return;
        };
        let state = ClockState::from(reading);
        let told = self.record.game().clock();
        let turned =
            told.is_none_or(|told| (told.running, told.flag) != (state.running, state.flag));
        let set = before.is_some_and(|(before, then)| {
            let ran = at.saturating_sub(then);
            let differs = |ms: u64, now_ms: u64, side| {
                let ran = if before.running == Some(side) { ran } else { 0 };
                ms.saturating_sub(ran).abs_diff(now_ms) > CLOCK_TOLERANCE_MS
            };
            differs(before.white_ms, reading.white_ms, shakmaty::Color::White)
                || differs(before.black_ms, reading.black_ms, shakmaty::Color::Black)
        });
        if told != Some(state) && (turned || set) {
            let clock = Some(state);
            self.write(Input::Clock { clock }).await;
        }
    }

    /// Writes down what the clock shows now: a claim is judged by the time that is left.
    pub(super) async fn take_the_time(&mut self) {
        let Some((mut reading, at)) = self.reading else {
            return;
        };
        let ran = self.clock.monotonic_ms().saturating_sub(at);
        match reading.running {
            Some(shakmaty::Color::White) => reading.white_ms = reading.white_ms.saturating_sub(ran),
            Some(shakmaty::Color::Black) => reading.black_ms = reading.black_ms.saturating_sub(ran),
            None => {}
        }
        let clock = Some(ClockState::from(reading));
        if self.record.game().clock() != clock {
            self.write(Input::Clock { clock }).await;
        }
    }
}
