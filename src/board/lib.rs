//! Smart chessboards: bytes from a port into events of sensors.
//!
//! One actor owns each board's port. It opens it, starts the board up, listens,
//! asks for a dump of all squares whenever the hand rests, and opens the port
//! again when it is lost. It knows nothing of the rules of chess: an illegal
//! placement is as good an event as any.
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

/// A family of boards that speak one protocol: those that can be read and simulated.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// DGT boards, on their own line (not on a tournament bus).
    #[default]
    Dgt,
}

impl Kind {
    /// Every family that can be read.
    pub const ALL: [Self; 1] = [Self::Dgt];

    /// The name in configuration and events.
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

/// A name that is no kind of board.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{refused}\" is not a supported kind of board; kinds: dgt")]
pub struct KindError {
    /// What was refused, cut to a printable length.
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

/// Which board to read, where, and how it lies.
#[derive(Debug, Clone)]
pub struct BoardSettings {
    /// Its name, for the log.
    pub id: BoardId,
    /// Its family.
    pub kind: Kind,
    /// The path of its port; a stable name below `/dev/serial/` is best.
    pub port: String,
    /// The serial number that it tells, if no other board is to be read in its place.
    pub serial: Option<String>,
    /// Where it is looked for when it is not there.
    pub places: Places,
    /// How it lies.
    pub orientation: OrientationSetting,
    /// How it was last found to lie, for [`OrientationSetting::Auto`].
    pub known_orientation: Option<Orientation>,
    /// On which side of the clock White's time is.
    pub clock_white: ClockSide,
    /// How patient the driver is.
    pub timing: DgtTiming,
    /// Who else listens to its line.
    pub tap: Option<Arc<dyn Tap>>,
}

impl BoardSettings {
    /// A DGT board with everything else left at its default.
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

/// Starts the actor that reads a board until `cancel` is cancelled or the
/// receiver of `events` is dropped. No failure of the port or the board ends it.
///
/// The actor waits when the channel is full; the channel's capacity is the bound.
///
/// # Panics
///
/// Outside a Tokio runtime.
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
