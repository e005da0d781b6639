//! What leaves the daemon: the outbox, the delay line and the MQTT session.
//!
//! The house puts facts in and never waits: a [`Publisher`] only writes into the
//! [`outbox`], which knows what still has to go out. One session (in [`mqtt`], the
//! only module that knows the MQTT library) empties it whenever there is a
//! broker, and fills it again with everything unconfirmed when the broker is lost.
//!
//! ```text
//! Publisher ─▶ outbox ─▶ session ─▶ broker
//!     retained topics: the latest value wins
//!     events: per board in order, without gaps, from the journal if need be
//!     replies: in order, bounded
//! ```
//!
//! Not for deciding what is published to whom: here payloads are only bytes.

pub mod command;
pub mod delay;
mod handle;
pub mod home_assistant;
mod lanes;
pub mod mqtt;
pub mod numbering;
pub mod operator;
pub mod outbox;
pub mod payload;
pub mod status;
pub mod topic;
pub mod views;

pub use handle::{CommandMessage, Publisher};
pub use lanes::{CommandSender, Commands, Precedence, Room, commands};
pub use outbox::{EventStore, Outbox, StoredEvent};
pub use status::{BrokerIntrusion, BrokerStatus, Link};
