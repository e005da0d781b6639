//! The faults of a simulated board of any family.

use super::{
    dgt::SCAN_SQUARE_US,
    hand::{Dice, Profile},
};

/// The faults of a board and its line, and its scan rate.
#[derive(Debug, Clone)]
pub struct Quirks {
    pub(super) dice: Dice,
    /// The time between two squares of the scan, in microseconds.
    pub square_us: u64,
    /// Updates of squares that are never sent, out of 10,000.
    pub lost: u16,
    /// Bytes to the host of which one bit is flipped, out of 1,000,000.
    pub flipped_per_million: u32,
}

impl Default for Quirks {
    /// Returns a board without faults.
    fn default() -> Self {
        Self::of(Profile::Plain, 0)
    }
}

impl Quirks {
    /// Returns the faults of the board that a profile plays on.
    #[must_use]
    pub const fn of(profile: Profile, seed: u64) -> Self {
        let faults = &profile.habits().faults;
        Self {
            dice: Dice::new(seed ^ 0xB0A2D),
            square_us: SCAN_SQUARE_US,
            lost: faults.lost,
            flipped_per_million: faults.flipped_per_million,
        }
    }

    /// Returns the duration of one scan of all squares, in microseconds.
    pub(super) const fn scan_us(&self) -> u64 {
        self.square_us * 64
    }

    /// Flips bits of what the line carries.
    pub(super) fn flip(&mut self, bytes: &mut [u8]) {
        if self.flipped_per_million == 0 {
            return;
        }
        for byte in bytes {
            if self.dice.next() % 1_000_000 < u64::from(self.flipped_per_million) {
                *byte ^= 1 << (self.dice.next() % 8);
            }
        }
    }
}
