//! Reads smart chessboards: bytes from a port become sensor events.
//!
//! One actor owns each board's port. It opens the port, starts the board, listens, requests a dump
//! whenever the squares have stopped changing, and reopens the port after a loss. It knows nothing
//! of the rules of chess: an illegal placement is an event like any other.
//!
//! ```no_run
//! use std::sync::Arc;
//! use remisd_board::{BoardSettings, self as board};
//! use remisd_vocabulary::time::SystemClock;
//! use tokio::sync::mpsc;
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let (events, mut sensed) = mpsc::channel(256);
//! let settings = BoardSettings::new("b1".parse()?, "/dev/serial/by-id/usb-DGT_DGT_Chessboard-if00");
//! board::spawn(settings, Arc::new(SystemClock::new()), events, CancellationToken::new());
//! while let Some(event) = sensed.recv().await {
//!     println!("{event:?}");
//! }
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod actor;
pub mod dgt;
pub mod orientation;
pub mod places;
pub mod port;
pub mod ports;
mod tap;

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_util::sync::CancellationToken;

pub use self::{
    dgt::{ClockSide, DgtTiming},
    orientation::OrientationSetting,
    places::Places,
};
use remisd_vocabulary::{
    name::BoardId,
    sensor::{BoardEvent, Orientation},
    tap::Tap,
    time::Clock,
};

/// A family of boards with one protocol, which can be read and simulated.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// DGT boards on a line of their own (not on a tournament bus).
    #[default]
    Dgt,
}

impl Kind {
    /// All supported families.
    pub const ALL: [Self; 1] = [Self::Dgt];

    /// The name in the configuration and in events.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dgt => "dgt",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a name that is not a kind of board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{refused}\" is not a supported kind of board; kinds: dgt")]
pub struct KindError {
    /// The refused text, cut to a printable length.
    pub refused: String,
}

impl FromStr for Kind {
    type Err = KindError;

    fn from_str(text: &str) -> Result<Self, KindError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| KindError {
                refused: text.chars().take(64).collect(),
            })
    }
}

/// Which board to read, on which port, and how it is oriented.
#[derive(Debug, Clone)]
pub struct BoardSettings {
    /// The board's name, for the log.
    pub id: BoardId,
    /// The board's family.
    pub kind: Kind,
    /// The path of its port; a stable name below `/dev/serial/` is best.
    pub port: String,
    /// The serial number that the board must report; `None` accepts any board.
    pub serial: Option<String>,
    /// Where to search for the board when its port is missing.
    pub places: Places,
    /// How the board is oriented.
    pub orientation: OrientationSetting,
    /// The orientation found last, for [`OrientationSetting::Auto`].
    pub known_orientation: Option<Orientation>,
    /// The side of the clock that shows White's time.
    pub clock_white: ClockSide,
    /// The driver's time limits.
    pub timing: DgtTiming,
    /// Receives a copy of every byte on the line.
    pub tap: Option<Arc<dyn Tap>>,
}

impl BoardSettings {
    /// A DGT board with all other settings at their defaults.
    #[must_use]
    pub fn new(id: BoardId, port: impl Into<String>) -> Self {
        Self {
            id,
            kind: Kind::Dgt,
            port: port.into(),
            serial: None,
            places: Places::default(),
            orientation: OrientationSetting::default(),
            known_orientation: None,
            clock_white: ClockSide::default(),
            timing: DgtTiming::default(),
            tap: None,
        }
    }
}

/// Starts the actor that reads a board until `cancel` is cancelled or the receiver of `events` is
/// dropped. No failure of the port or the board ends it.
///
/// The actor waits when the channel is full; the channel's capacity is the bound.
///
/// # Panics
///
/// Panics outside a Tokio runtime.
pub fn spawn(
    settings: BoardSettings,
    clock: Arc<dyn Clock>,
    events: mpsc::Sender<BoardEvent>,
    cancel: CancellationToken,
) -> JoinHandle<()> {
    tokio::spawn(actor::Actor::new(settings, clock, events, cancel).run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_read_as_it_is_written() {
        for kind in Kind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
        let refused = "abacus".parse::<Kind>().unwrap_err();
        assert!(refused.to_string().contains("kinds: dgt"));
    }
}
