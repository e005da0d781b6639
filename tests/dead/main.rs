//! The dead-position solver against known verdicts: every side that it decides must be
//! decided rightly. The long sets and the clock are in `benches/dead.rs`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod fuzz;
mod vectors;
