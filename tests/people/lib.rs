//! People at chessboards, to judge programs that read the boards.
//!
//! This crate emulates two players at a board of the DGT kind: continuous time, hands with habits,
//! off-centre pieces, a scan that sees some of it, a clock whose messages come late. It was
//! written from recordings of real boards, the wire's facts and what arbiters see in halls, and
//! shares nothing with the programs that it judges. It is for development only.
//!
//! ```text
//! games ─▶ category ─▶ plan ─▶ hands ─▶ script ─▶ board ─┐
//!                      person ┘          │        clock ─┴▶ events ─▶ engine ─▶ judge ─▶ table
//!                                        └─▶ truth ──────────────────────────────┘
//! ```
//!
//! # How engines are judged
//!
//! An engine receives every event at its time, and is woken at its own deadline. Its reports add up
//! to a record of moves. Time is the stream's; nothing waits.
//!
//! * **exact**: the record is right at the end, and was never wrong for more than 60 s.
//! * **flagged**: an open doubt covers the first wrong ply. The record is wrong or incomplete at
//!   the end, or it was wrong for more than 60 s, all the while under such a doubt.
//! * **silently wrong**: everything else. A wrong ply that no open doubt covers at the end counts.
//!   So does one that was wrong for more than 60 s without a doubt, even if it was corrected later.
//!
//! A doubt covers a ply if it is open, and reaches back to that ply or further, or if the ply
//! itself was marked doubtful. A doubt that was closed again covers nothing. A move that is
//! reported before its release is right if it is the one that is released. Moves after the end of
//! the game are wrong plies. A new game that did not begin is wrong while the old one is in
//! progress. An array that was set up, but not played from, may be reported or not. A move that was
//! taken back is right until its piece is back where it came from.
//!
//! A silent error whose first wrong ply no reader could know (see [`knowable`]) counts as silent
//! all the same, because the engine should have flagged it. It has a column of its own.
//!
//! Latency runs from the release of a piece to the first time that the ply is right in the record;
//! a ply reported before its release has none.
#![forbid(unsafe_code)]

/// Milliseconds of a stream: a time since its start, or a duration.
pub type Millis = u64;

pub mod board;
pub mod category;
pub mod chance;
pub mod clock;
pub mod engines;
pub mod games;
pub mod hands;
pub mod judge;
pub mod knowable;
pub mod line;
pub mod person;
pub mod plan;
pub mod script;
pub mod stream;
pub mod truth;
pub mod world;

#[cfg(test)]
mod tests;
