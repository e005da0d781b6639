//! Reads boards through other programs: the games that they write as PGN, and the boards that
//! `LiveChess` reads ([`livechess`]).
//!
//! ```text
//! files         ─▶ Place      ┐
//! address       ─▶ PolledText ┼▶ games ─▶ choose ─▶ SourceGame ─▶ Follower ─▶ Input
//! Lichess round ─▶ RoundStream┘  parsed   one per board            compared with the record
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

mod address;
mod choose;
mod cutter;
mod follower;
mod game;
mod grace;
pub mod livechess;
mod place;
mod polled;
mod rate_limiter;
mod request;
mod round_stream;
mod source;
mod streamed;
#[cfg(test)]
mod tests;
mod text;
mod watch;

pub use self::{
    address::{Address, AddressError, LICHESS_STREAMS, Location},
    choose::Identity,
    follower::Follower,
    game::{SourceGame, SourcePly, UnusableGame},
    place::PlaceError,
    rate_limiter::{NoAccess, Servers},
    request::Failure,
    source::SourceError,
    watch::{Feed, FeedBoard, LostSource, Sighting, watch},
};
