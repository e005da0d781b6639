//! The types that every part of remisd shares: names, times, moves and positions as text, what a
//! board's sensors show, and the waits between two attempts to connect.
//!
//! A part that reads bytes and a part that knows the Laws share these types, and neither knows the
//! other.
#![forbid(unsafe_code)]

pub mod name;
pub mod notation;
pub mod retry;
pub mod sensor;
pub mod tap;
pub mod text;
pub mod time;
