//! What the clock at the board shows, as inputs.

use super::Table;
use remisd_game::{ClockState, Input, Side};
use remisd_vocabulary::{sensor::ClockReading, time::Millis};

/// A clock may differ from its running time by this much without having been set.
const CLOCK_TOLERANCE_MS: u64 = 3_000;

impl Table {
    /// A reading of the board's clock by the colours of its players, as far as is known.
    fn by_colours(&self, reading: ClockReading) -> ClockReading {
        if self.tracker.clock_is_reversed() {
            reading.reversed()
        } else {
            reading
        }
    }

    /// What the board's clock showed last.
    pub(super) fn board_clock(&self) -> Option<ClockState> {
        let (reading, _) = self.reading?;
        Some(self.by_colours(reading).into())
    }

    /// Takes note of how the hand's reader has found the clock to stand; tells whether that is news.
    pub(super) fn note_clock_way(&mut self) -> bool {
        let reversed = self.tracker.clock_is_reversed();
        let before = std::mem::replace(&mut self.line.clock_reversed, reversed);
        if before != reversed {
            let ply = self.record.game().ply();
            tracing::info!(
                board = %self.board,
                ply,
                reversed,
                "who moves has shown how the clock stands"
            );
        }
        before != reversed
    }

    /// Shows how the clock stands, and writes down the times by it that no move has brought.
    pub(super) async fn tell_clock_way(&mut self) {
        let clock = self.board_clock();
        if clock.is_some() && self.record.game().clock() != clock {
            self.write(Input::Clock { clock }).await;
        } else {
            self.show();
        }
    }

    /// A running clock is not news; one that was started, stopped or set is, unless
    /// the move that came with it has told so already.
    pub(super) async fn clock_read(&mut self, before: Option<(ClockReading, Millis)>, at: Millis) {
        let Some((reading, _)) = self.reading else {
            return;
        };
        let reading = self.by_colours(reading);
        let before = before.map(|(before, then)| (self.by_colours(before), then));
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

    /// Whether this is what the game has taken in from a clock of its own.
    pub(super) fn game_shows(&self, told: Option<ClockState>) -> bool {
        told.is_some() && self.record.game().clock() == told
    }

    /// Writes down what the clock shows now: a claim is judged by the time that is left. A
    /// clock runs on since it was last heard of, be it the board's or one of its own.
    pub(super) async fn take_the_time(&mut self) {
        let board = self.reading.map(|(_, at)| at);
        let board = self.board_clock().zip(board);
        let newest = [self.told_clock, board].into_iter().flatten();
        let Some((mut state, at)) = newest.max_by_key(|(_, at)| *at) else {
            return;
        };
        let ran = self.clock.monotonic_ms().saturating_sub(at);
        match state.running {
            Some(Side::White) => state.white_ms = state.white_ms.saturating_sub(ran),
            Some(Side::Black) => state.black_ms = state.black_ms.saturating_sub(ran),
            None => {}
        }
        let clock = Some(state);
        if self.record.game().clock() != clock {
            self.write(Input::Clock { clock }).await;
        }
    }
}
