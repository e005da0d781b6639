//! The DGT driver against the simulated board, over a real pseudo-terminal.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod bench;
mod failing;
mod raw;
mod reading;
