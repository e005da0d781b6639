//! `remisd` watches a physical chessboard and applies the Laws of Chess on draws.
//!
//! A byte from a board becomes a sensor event, a move, a fact of the game and a line in the
//! journal. Only then is it published:
//!
//! ```text
//! serial port ─▶ board ─▶ hand ─▶ game ─▶ journal ─▶ publish ─▶ MQTT
//! ```
//!
//! This library exists for the binary, its tests and its benchmarks. The stable interface of the
//! project consists of the binary's commands, JSON and topics.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod cli;
pub mod config;
pub mod daemon;
pub mod evidence;
pub mod hall;
pub mod pairings;
pub use remisd_pgn as pgn;
pub mod protocol;
pub mod publish;
pub mod simulate;
pub mod words;
