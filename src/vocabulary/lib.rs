//! The types shared by all parts of remisd: names, times, moves and positions as text, sensor
//! events, and the back-off between connection attempts.
//!
//! Code that reads bytes and code that applies the Laws share these types, so neither depends on
//! the other.
#![forbid(unsafe_code)]

pub mod name;
pub mod notation;
pub mod reading;
pub mod retry;
pub mod sensor;
pub mod seq;
pub mod tap;
pub mod text;
pub mod time;
pub mod written;
