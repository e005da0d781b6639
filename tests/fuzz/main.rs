//! Whatever comes in from outside, the pure parts go on: property tests over PGN text,
//! FENs and the inputs of a game.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod game;
mod generators;
mod texts;
