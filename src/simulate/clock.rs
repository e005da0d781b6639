//! A simulated chess clock beside the simulated board.
//!
//! ```text
//!   b0 right hours   b1 b2 right minutes, seconds (BCD)   b3 b4 b5 left   b6 status
//!   status: 01 running, 02 lever up on the right, 08 right to move, 10 left to move
//! ```

use shakmaty::Color;

/// The most that a clock with one digit for the hours can show, in milliseconds.
const MOST_MS: u64 = 36_000_000 - 1;

/// A clock with two times, a lever and a switch.
#[derive(Debug, Clone)]
pub struct SimulatedClock {
    white_left: bool,
    white_us: u64,
    black_us: u64,
    to_move: Color,
    running: bool,
    at_us: u64,
}

impl SimulatedClock {
    /// Creates a stopped clock with White to move.
    #[must_use]
    pub const fn new(white_left: bool, time_ms: u64) -> Self {
        Self {
            white_left,
            white_us: time_ms * 1000,
            black_us: time_ms * 1000,
            to_move: Color::White,
            running: false,
            at_us: 0,
        }
    }

    /// Sets both times and the lever, and stops the clock.
    pub const fn set(&mut self, time_ms: u64, to_move: Color) {
        self.white_us = time_ms * 1000;
        self.black_us = time_ms * 1000;
        self.to_move = to_move;
        self.running = false;
    }

    /// Starts the clock of the player to move.
    pub fn start(&mut self, now_us: u64) {
        self.count(now_us);
        self.running = true;
    }

    /// Stops both clocks.
    pub fn stop(&mut self, now_us: u64) {
        self.count(now_us);
        self.running = false;
    }

    /// Lets `by` press the lever, with `time_ms` left if that is known.
    pub fn press(&mut self, by: Color, time_ms: Option<u64>, now_us: u64) {
        self.count(now_us);
        if let Some(time_ms) = time_ms {
            *self.half(by) = time_ms * 1000;
        }
        self.to_move = !by;
    }

    /// Advances the running time to `now_us`.
    pub fn count(&mut self, now_us: u64) {
        let passed = now_us.saturating_sub(self.at_us);
        self.at_us = now_us;
        if self.running {
            let half = self.half(self.to_move);
            *half = half.saturating_sub(passed);
        }
    }

    const fn half(&mut self, color: Color) -> &mut u64 {
        match color {
            Color::White => &mut self.white_us,
            Color::Black => &mut self.black_us,
        }
    }

    /// Returns the seven bytes of a clock message.
    #[must_use]
    pub fn bytes(&self) -> [u8; 7] {
        let (left, right) = if self.white_left {
            (self.white_us, self.black_us)
        } else {
            (self.black_us, self.white_us)
        };
        let right_to_move = (self.to_move == Color::White) != self.white_left;
        let side = if right_to_move { 0x02 | 0x08 } else { 0x10 };
        let [b0, b1, b2] = digits(right);
        let [b3, b4, b5] = digits(left);
        [b0, b1, b2, b3, b4, b5, side | u8::from(self.running)]
    }
}

fn digits(microseconds: u64) -> [u8; 3] {
    // A clock shows 0:01 until the last second is over.
    let seconds = (microseconds / 1000)
        .min(MOST_MS)
        .div_ceil(1000)
        .min(35_999);
    [seconds / 3600, seconds / 60 % 60, seconds % 60].map(|number| {
        let bcd = number / 10 * 16 + number % 10;
        u8::try_from(bcd).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_on_the_side_that_is_up() {
        let mut clock = SimulatedClock::new(true, 5_025_000);
        assert_eq!(clock.bytes(), [1, 0x23, 0x45, 1, 0x23, 0x45, 0x10]);
        clock.start(0);
        clock.count(10_000_000);
        assert_eq!(clock.bytes(), [1, 0x23, 0x45, 1, 0x23, 0x35, 0x11]);
        clock.press(Color::White, Some(309_000), 10_000_000);
        assert_eq!(clock.bytes(), [1, 0x23, 0x45, 0, 0x05, 0x09, 0x0B]);
        clock.stop(11_000_000);
        assert_eq!(clock.bytes(), [1, 0x23, 0x44, 0, 0x05, 0x09, 0x0A]);
    }

    #[test]
    fn on_a_turned_board_white_is_right() {
        let mut clock = SimulatedClock::new(false, 60_000);
        clock.start(0);
        clock.press(Color::White, Some(50_000), 0);
        assert_eq!(clock.bytes(), [0, 0, 0x50, 0, 0x01, 0, 0x11]);
    }

    #[test]
    fn more_than_ten_hours_cannot_be_shown() {
        let clock = SimulatedClock::new(true, 99_000_000);
        assert_eq!(clock.bytes()[..3], [9, 0x59, 0x59]);
    }
}
