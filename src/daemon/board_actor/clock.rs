//! The readings of the board's clock, as inputs.

use super::BoardActor;
use remisd_game::{ClockState, Input, Side};
use remisd_vocabulary::{sensor::ClockReading, time::Moment};

/// A clock that differs from its expected time by more than this was set.
const CLOCK_TOLERANCE_MS: u64 = 3_000;

impl BoardActor {
    /// Assigns a reading of the board's clock to the players' colours, as far as they are known.
    fn by_colours(&self, reading: ClockReading) -> ClockReading {
        if self.tracker.clock_is_reversed() {
            reading.reversed()
        } else {
            reading
        }
    }

    /// Returns the latest reading of the board's clock.
    pub(super) fn board_clock(&self) -> Option<ClockState> {
        let (reading, _) = self.reading?;
        Some(self.by_colours(reading).into())
    }

    /// Records which way round the tracker has found the clock to be. Returns whether that has
    /// changed.
    pub(super) async fn note_clock_side(&mut self) -> bool {
        let reversed = self.tracker.clock_is_reversed();
        self.line.clock_reversed = reversed;
        let game = self.record.game();
        if game.clock_is_reversed() == reversed {
            return false;
        }
        tracing::info!(
            board = %self.board,
            ply = game.ply(),
            reversed,
            "the moves have shown which side of the clock is White's"
        );
        self.write(Input::Orientation {
            orientation: game.orientation().unwrap_or_default(),
            clock_reversed: reversed,
        })
        .await;
        true
    }

    /// Takes the clock as it was found to be before the daemon started.
    pub(super) fn recall_clock_side(&mut self) {
        if self.record.game().clock_is_reversed() {
            self.tracker.reverse_clock();
        }
    }

    /// Publishes which way round the clock is, and records the corrected times if no move has
    /// brought them.
    pub(super) async fn publish_clock_side(&mut self) {
        let clock = self.board_clock();
        if clock.is_some() && self.record.game().clock() != clock {
            self.write(Input::Clock { clock }).await;
        } else {
            self.show();
        }
    }

    /// Records a reading if the clock was started, stopped or set, unless the move that came with
    /// it has recorded that already. A running clock alone is not recorded.
    pub(super) async fn clock_read(&mut self, before: Option<(ClockReading, Moment)>, at: Moment) {
        let Some((reading, _)) = self.reading else {
            return;
        };
        let reading = self.by_colours(reading);
        let before = before.map(|(before, then)| (self.by_colours(before), then));
        let state = ClockState::from(reading);
        let recorded = self.record.game().clock();
        let turned = recorded.is_none_or(|recorded| {
            (recorded.running, recorded.flag) != (state.running, state.flag)
        });
        let set = before.is_some_and(|(before, then)| {
            let ran = (at - then).as_millis();
            let differs = |ms: u64, now_ms: u64, side| {
                let ran = if before.running == Some(side) { ran } else { 0 };
                ms.saturating_sub(ran).abs_diff(now_ms) > CLOCK_TOLERANCE_MS
            };
            differs(before.white_ms, reading.white_ms, shakmaty::Color::White)
                || differs(before.black_ms, reading.black_ms, shakmaty::Color::Black)
        });
        if recorded != Some(state) && (turned || set) {
            let clock = Some(state);
            self.write(Input::Clock { clock }).await;
        }
    }

    /// Returns whether the game's clock state is this one, as received from a separate clock.
    pub(super) fn game_shows(&self, received: Option<ClockState>) -> bool {
        received.is_some() && self.record.game().clock() == received
    }

    /// Records the current clock times, since a claim is judged by the time left. A running clock
    /// has run on since its last report, whether it is the board's or a separate one.
    pub(super) async fn record_clock(&mut self) {
        let board = self.reading.map(|(_, at)| at);
        let board = self.board_clock().zip(board);
        let newest = [self.external_clock, board].into_iter().flatten();
        let Some((mut state, at)) = newest.max_by_key(|(_, at)| *at) else {
            return;
        };
        let ran = (self.clock.monotonic() - at).as_millis();
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
