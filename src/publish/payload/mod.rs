//! The published JSON objects, as documented in `protocol/`.
//!
//! These types are the published form of the types in [`remisd_laws`] and [`remisd_game`]: strings
//! instead of squares and moves, in the terms of the interface. Fields may be added; names and
//! meanings change only with a new schema version.

mod board;
mod daemon;
mod dead;
mod draw;

pub use board::{
    AlertText, Alerts, AutomaticIn, Availability, AvailabilityState, Clock, Content, Dealings,
    DrawNow, DrawPosition, DrawTopic, Envelope, FirstEnd, Game, GameMove, GameResult, Link,
    LostClaim, Offer, OfferMark, Players, Tracker, TrackerState, Uncertain,
};
pub use daemon::{
    BoardHealth, BrokerHealth, ConfiguredBoard, Event, Health, NodeBoards, NodeInfo, NodeState,
    Reply,
};
pub use dead::{Dead, Helpmates, SideVerdict};
pub use draw::{Automatic, Claim, Draw, Error, Repetition};
