//! The messages of `LiveChess`, as far as they are read.

use serde::Deserialize;
use serde_json::Value;
use shakmaty::Color;

use remisd_vocabulary::sensor::ClockReading;

/// An answer or a message of a subscription.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub response: String,
    /// An error may have the id `null` or 0.
    #[serde(default)]
    pub id: Value,
    #[serde(default)]
    pub param: Value,
}

/// A board in the list.
#[derive(Debug, Deserialize)]
pub(super) struct ListedBoard {
    pub serialnr: String,
    pub state: Option<String>,
}

/// What a subscription brings: only what has changed.
#[derive(Debug, Deserialize)]
pub(super) struct BoardMessage {
    pub serialnr: String,
    pub board: Option<String>,
    /// One that cannot be read takes no squares with it.
    #[serde(default)]
    clock: Value,
    /// The FEN of the position from which `LiveChess` lists its moves.
    #[serde(default)]
    start: Value,
    /// All moves since that position, in SAN.
    #[serde(default)]
    san: Value,
}

impl BoardMessage {
    pub(super) fn clock(&self) -> Option<BoardClock> {
        BoardClock::deserialize(&self.clock).ok()
    }

    /// The FEN of the position from which the moves begin.
    pub(super) fn start(&self) -> Option<&str> {
        self.start.as_str()
    }

    /// The moves, in SAN; `None` if the message has none, or they are not a list of texts.
    pub(super) fn moves(&self) -> Option<Vec<&str>> {
        self.san.as_array()?.iter().map(Value::as_str).collect()
    }
}

/// A clock: remaining times in seconds, and whose time runs.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct BoardClock {
    white: f64,
    black: f64,
    /// Whether White's time runs; `null` if the clock is stopped.
    run: Option<bool>,
}

impl BoardClock {
    pub(super) fn reading(self) -> ClockReading {
        let running = self.run.map(Color::from_white);
        ClockReading {
            white_ms: milliseconds(self.white),
            black_ms: milliseconds(self.black),
            running,
            lever: running,
            flag: None,
            low_battery: false,
        }
    }
}

/// Seconds as milliseconds, from 0 to a day.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is in range"
)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds.clamp(0.0, 86_400.0) * 1000.0) as u64
}
