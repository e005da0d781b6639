//! The MQTT topics of a board: their names, their audiences and their payloads.
//!
//! The payloads are the JSON objects that `protocol/` documents. They are the published form of the
//! types in [`remisd_laws`] and [`remisd_game`], in the terms of the interface. Fields may be
//! added; names and meanings change only with a new schema version. Whoever consumes the topics
//! needs this crate and no other part of the daemon.
#![forbid(unsafe_code)]

mod board;
mod clock;
mod compared;
mod dead;
mod draw;
mod earlier;
mod entry;
pub mod topic;

pub use board::{
    AlertText, Alerts, AutomaticIn, Availability, AvailabilityState, Content, Dealings, DrawNow,
    DrawPosition, DrawTopic, EarlierResult, Envelope, FirstEnd, Game, GameMove, GameResult, Link,
    LostClaim, Offer, OfferMark, Squares, Tracker, TrackerState, Uncertain,
};
pub use clock::{Clock, Players};
pub use compared::{ComparedAccount, ComparedState};
pub use dead::{Dead, Helpmates, SideVerdict};
pub use draw::{Automatic, Claim, Draw, Error, Repetition};
pub use earlier::Earlier;
pub use entry::EntryRef;
