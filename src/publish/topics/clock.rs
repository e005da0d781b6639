//! The payload on the topic `clock`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::board::Content;
use remisd_game::{Adjustment, Decided, Pause, Side};

/// `remisd/clock/1`: the state of the clock and what the Laws require of it now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Clock {
    /// White's remaining time in milliseconds; null if no clock reports it.
    pub white_ms: Option<u64>,
    /// Black's remaining time in milliseconds; null if no clock reports it.
    pub black_ms: Option<u64>,
    /// The side whose time is running; null while the clock is stopped.
    pub running: Option<Side>,
    /// When the clock reported these times; the running side has less since. Absent without a
    /// clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The side whose flag has fallen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flag: Option<Side>,
    /// Set while the clock must be stopped.
    pub paused: Option<Pause>,
    /// The oldest change of the times that the clock has not made yet. The clock confirms it with
    /// `adjusted` in `clock_state`.
    pub adjustment: Option<Adjustment>,
    /// The players; absent while neither name is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
    /// What the players have agreed, so that the clock must stop; absent while they play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decided: Option<Decided>,
}

/// The names of the players, from the tags `White` and `Black`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Players {
    /// White's name; null if unknown.
    pub white: Option<String>,
    /// Black's name; null if unknown.
    pub black: Option<String>,
}

impl Content for Clock {
    const SCHEMA: &'static str = "remisd/clock/1";
}
