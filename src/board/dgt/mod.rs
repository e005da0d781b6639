//! The DGT electronic board on its own line ("single-board mode").
//!
//! [`table`] holds the bytes, [`codec`] decodes them, [`clock`] interprets the clock, and
//! [`session`] decides what to send when. `protocol/dgt.md` describes the whole protocol. Nothing
//! here touches a port.

pub mod clock;
pub mod codec;
mod identity;
pub mod session;
pub mod table;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The side of the clock that shows White's time, seen with the board's connector on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockSide {
    /// Left, or right if the board is turned by 180 degrees, until presses show otherwise.
    #[default]
    Auto,
    /// The left side, always.
    Left,
    /// The right side, always.
    Right,
}

/// The driver's time limits; all values in milliseconds.
///
/// The defaults suit boards on a cable. Boards on Bluetooth scan at about half that speed: double
/// `quiet_ms` for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DgtTiming {
    /// The gap between two commands. A board can buffer ten bytes of commands.
    pub command_gap_ms: u64,
    /// How long to wait for the answer to a question at the start (version, serial number, battery)
    /// before the next one is sent.
    pub question_ms: u64,
    /// How long a dump may take to arrive.
    pub dump_ms: u64,
    /// The hand counts as at rest when no square has changed for this long; then a dump is
    /// requested.
    pub quiet_ms: u64,
    /// The longest time from a change to the next dump, if the hand never rests.
    pub burst_ms: u64,
    /// The time between two dumps when nothing happens; this is also how a lost board is noticed.
    pub interval_ms: u64,
    /// How long writing one byte may take.
    pub write_ms: u64,
    /// The first wait before a lost port is reopened. Jitter shortens each wait by up to half.
    pub reopen_min_ms: u64,
    /// The longest such wait, after many failures. Moves played during it go unseen.
    pub reopen_max_ms: u64,
    /// The minimum time between two reports of the line's counters.
    pub counters_ms: u64,
}

impl Default for DgtTiming {
    fn default() -> Self {
        Self {
            command_gap_ms: 100,
            question_ms: 500,
            dump_ms: 1_500,
            quiet_ms: 150,
            burst_ms: 1_000,
            interval_ms: 5_000,
            write_ms: 1_000,
            reopen_min_ms: 500,
            reopen_max_ms: 2_000,
            counters_ms: 1_000,
        }
    }
}

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timing_refuses_unknown_keys_and_fills_in_the_rest() {
        let timing: DgtTiming = toml::from_str("quiet_ms = 300").unwrap();
        assert_eq!((timing.quiet_ms, timing.dump_ms), (300, 1_500));
        assert!(toml::from_str::<DgtTiming>("quite_ms = 300").is_err());
    }
}
