//! What a win, a draw and the rest are worth: record 162 of TRF26.

use crate::Points;

/// What results are worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    /// `W`: a win, also by forfeit, and a full-point bye.
    pub win: Points,
    /// `D`: a draw, and a half-point bye.
    pub draw: Points,
    /// `L`: a loss over the board.
    pub loss: Points,
    /// `A`: a zero-point bye, and a loss by forfeit.
    pub absence: Points,
    /// `P`: a bye allocated by the pairing.
    pub pairing_bye: Points,
}

impl Default for Scoring {
    /// 1, ½, 0, and 1 for a bye allocated by the pairing.
    fn default() -> Self {
        Self {
            win: Points::hundredths(100),
            draw: Points::hundredths(50),
            loss: Points::ZERO,
            absence: Points::ZERO,
            pairing_bye: Points::hundredths(100),
        }
    }
}

/// The columns of the first code and of its points, and the distance to the next code.
const CODE: usize = 6;
const POINTS: (usize, usize) = (7, 10);
const STEP: usize = 9;
/// The number of codes that a record can have.
const CODES: usize = 16;

impl Scoring {
    /// Takes a record 162, and returns the columns that cannot be read. `P` follows `W` until the
    /// record gives it.
    pub(crate) fn take(&mut self, columns: impl Fn(usize, usize) -> String) -> Vec<usize> {
        let mut unread = Vec::new();
        let mut bye = None;
        for at in (0..CODES).map(|index| index * STEP) {
            let code = columns(CODE + at, CODE + at);
            let code = code.trim();
            let value = columns(POINTS.0 + at, POINTS.1 + at);
            if code.is_empty() && value.trim().is_empty() {
                continue;
            }
            let Ok(value) = value.parse::<Points>() else {
                unread.push(POINTS.0 + at);
                continue;
            };
            match code {
                "W" | "w" => self.win = value,
                "D" | "d" => self.draw = value,
                "L" | "l" => self.loss = value,
                "A" | "a" => self.absence = value,
                "P" | "p" => bye = Some(value),
                // An unknown result is not counted here: the player's line has no code for it.
                "X" | "x" => {}
                _ => unread.push(CODE + at),
            }
        }
        self.pairing_bye = bye.unwrap_or(self.win);
        unread
    }
}
