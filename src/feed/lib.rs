//! Reads boards through other programs: the games that they write as PGN, and the boards that
//! `LiveChess` reads ([`livechess`]).
//!
//! ```text
//! files ─▶ Place ─▶ games ─▶ choose ─▶ SourceGame ─▶ Follower ─▶ Input
//!          polled   parsed   one per board            compared with the record
//! ```
//!
//! The moves arrive decided: they are as certain as the program that wrote them. A [`Follower`]
//! compares the source's game with the record and returns the next input. It remembers nothing of
//! what it has passed on, so a restart continues from the record alone.
//!
//! Nothing that a source changes is taken over silently. A game that grew is followed at once.
//! Moves that were changed or taken back leave the record in doubt, until the source has said the
//! same for some seconds. Then the record follows, and an alert shows both versions.
#![forbid(unsafe_code)]

mod choose;
mod follower;
mod game;
pub mod livechess;
mod place;
#[cfg(test)]
mod tests;
mod watch;

pub use self::{
    choose::Identity,
    follower::Follower,
    game::{SourceGame, SourcePly, UnusableGame},
    place::{Place, PlaceError},
    watch::{Feed, FeedBoard, LostSource, Sighting, watch},
};
