//! Whatever comes in from outside, the pure parts go on: property tests over PGN text,
//! FENs and the inputs of a game, and every reader of `fuzz/targets` over its seeds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpus;
mod game;
mod generators;
#[path = "../../fuzz/targets/mod.rs"]
mod targets;
mod texts;
