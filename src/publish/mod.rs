//! Everything that leaves the daemon: the outbox, the delay line and the MQTT session.
//!
//! The rest of the daemon publishes without waiting: a [`Publisher`] only writes into the
//! [`outbox`], which tracks what is still to be sent. One session, in [`mqtt`], drains the outbox
//! while the broker is reachable. When the connection is lost, the outbox queues everything
//! unacknowledged again.
//!
//! ```text
//! Publisher ─▶ outbox ─▶ session ─▶ broker
//!     retained topics: the latest value wins
//!     events: per board in order, without gaps, from the journal if necessary
//!     replies: in order, bounded
//! ```
//!
//! [`views`] decides what each audience sees. The outbox and the session treat payloads as opaque
//! bytes.

pub mod command;
pub mod delay;
mod handle;
pub mod home_assistant;
mod lanes;
pub mod mqtt;
pub mod node_command;
pub mod numbering;
pub mod operator;
pub mod outbox;
pub mod payload;
pub mod status;
pub mod tap;
pub mod views;

pub use handle::{CommandMessage, Publisher};
pub use lanes::{Capacity, CommandSender, Commands, Lane, commands};
pub use outbox::{EventStore, Outbox, StoredEvent};
pub use remisd_topics::topic;
pub use status::{BrokerConflict, BrokerStatus, ConnectionState};
