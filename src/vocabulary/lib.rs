//! The words that every part of remisd speaks in: names, times, moves and positions as text,
//! and what a board's sensors show.
//!
//! Nothing here decides anything. A part that reads bytes and a part that knows the Laws share
//! these types, and neither knows the other.
#![forbid(unsafe_code)]

pub mod name;
pub mod notation;
pub mod retry;
pub mod sensor;
pub mod tap;
pub mod text;
pub mod time;
