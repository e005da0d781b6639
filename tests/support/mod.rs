//! What black-box tests share. Each test binary uses only a part of it.
#![allow(dead_code)]

pub mod gate;
pub mod hostile;
pub mod mosquitto;
pub mod observer;
pub mod session;

use std::time::Duration;

/// How long a test waits for an event before it fails.
pub const DEADLINE: Duration = Duration::from_secs(20);
