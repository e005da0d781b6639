//! The pure parts survive any input: property tests over PGN text, FENs and the inputs of a game,
//! and every reader of `tests/readers` with its seeds.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod accounts;
mod corpus;
mod game;
mod generators;
mod texts;
