//! `remisd` stands beside a physical chessboard and knows the Laws of Chess on draws.
//!
//! A byte comes in from a board, becomes a sensor event, a move, a fact of the
//! game, a line in the journal, and only then something the world sees:
//!
//! ```text
//! serial port ─▶ board ─▶ hand ─▶ game ─▶ journal ─▶ publish ─▶ MQTT
//! ```
//!
//! This library exists for the binary, its tests and its benchmarks; the stable
//! interface of the project is the binary's commands, JSON and topics.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod cli;
pub mod config;
pub mod daemon;
pub mod evidence;
pub mod hall;
pub mod pairings;
pub mod pgn;
pub mod protocol;
pub mod publish;
pub mod simulate;
pub mod words;
