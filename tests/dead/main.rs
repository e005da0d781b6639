//! Compares the dead-position solver with known verdicts: every side that it decides must be
//! correct. The long sets and the timings are in `benches/dead.rs`.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod vectors;
