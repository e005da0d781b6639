//! The DGT electronic board on its own line ("single-board mode").
//!
//! [`table`] has the bytes, [`codec`] reads them, [`clock`] understands the
//! clock, and [`session`] knows what to say when. `protocol/dgt.md` tells the
//! whole story. Nothing here touches a port.

pub mod clock;
pub mod codec;
mod identity;
pub mod session;
pub mod table;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// On which side of the clock White's time is, as the board's connector is on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockSide {
    /// Left, or right if the board lies turned by 180 degrees, until who moves shows otherwise.
    #[default]
    Auto,
    /// Always left.
    Left,
    /// Always right.
    Right,
}

/// How patient the driver is; all values in milliseconds.
///
/// The defaults suit boards on a cable. Boards on Bluetooth scan at about half
/// the speed: there, double `quiet_ms`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DgtTiming {
    /// Between two commands: a board can hold ten bytes of them.
    pub command_gap_ms: u64,
    /// How long a question at the start (version, serial number, battery) may
    /// remain without answer before the next one is put.
    pub question_ms: u64,
    /// How long a dump of the board may take to arrive.
    pub dump_ms: u64,
    /// The hand rests when no square has changed for so long; then a dump is asked for.
    pub quiet_ms: u64,
    /// The longest time between a change and the dump after it, if the hand never rests.
    pub burst_ms: u64,
    /// Between two dumps when nothing happens; this is also how a lost board is noticed.
    pub interval_ms: u64,
    /// How long writing one byte may take.
    pub write_ms: u64,
    /// The first wait before a lost port is opened again. Jitter takes off up to half of each wait.
    pub reopen_min_ms: u64,
    /// The longest such wait, after many failures: what is played until then, nobody sees.
    pub reopen_max_ms: u64,
    /// The least time between two reports of the line's counters.
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
