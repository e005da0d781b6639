//! What black-box tests share. Each test binary uses only a part of it.
#![allow(dead_code)]

pub mod by_hand;
pub mod gate;
pub mod hostile;
pub mod mosquitto;
pub mod observer;
pub mod remisd;
pub mod session;
pub mod table;
pub mod witness;

use std::time::Duration;

/// How long a test waits for an event before it fails.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// The same where the whole daemon and its waits between two tries are in play.
pub const PATIENCE: Duration = Duration::from_secs(90);
