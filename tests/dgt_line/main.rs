//! The DGT driver against the simulated board, over a real pseudo-terminal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../support/mod.rs"]
mod support;

mod bench;
mod failing;
mod raw;
mod reading;
