//! Sensor events → moves by one generative model and one decoder.
//!
//! The model is a table (`model.rs`): how long hands, scans and clocks take, and how often they
//! do what. A *token* is one account of all that was told: the legal line that was played, the
//! gestures under way, the squares that wait for something, and what all of it costs. Every
//! reported event costs one density; whatever is still running costs its survival, so that
//! waiting is evidence and no timer decides anything. Equal futures are merged, the best tokens
//! are kept, and what is announced is a read-out of their posterior: it is taken back when
//! another line wins.
//!
//! All probabilities are integers (1/1024 nat), so that a replay agrees on every machine.
//!
//! ```
//! use remisd_hand::{Reading, Settings, Tracker};
//! use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
//! use shakmaty::{Chess, Color, Role, Square};
//!
//! let mut tracker = Tracker::new(Settings::default(), Chess::default());
//! let pawn = Seen::Piece(Role::Pawn.of(Color::White));
//! tracker.sense(&Sensed::Placement(Placement::start()), 0);
//! tracker.sense(&Sensed::Square(Square::E2, Seen::Empty), 1_000);
//! tracker.sense(&Sensed::Square(Square::E4, pawn), 1_300);
//! tracker.sense(&Sensed::Square(Square::E7, Seen::Empty), 3_000);
//! let readings = tracker.readings();
//! assert!(readings.iter().any(|reading| matches!(reading, Reading::Settled(_))));
//! ```
#![forbid(unsafe_code)]

mod announcements;
mod beam;
mod clock;
mod clock_orientation;
mod completion;
mod cost;
mod decoder;
mod distribution;
mod early_reply;
mod inspect;
mod interpret;
mod landing;
mod lift;
mod line_search;
mod mismatch;
mod model;
mod regime;
mod token;
mod touched_pieces;
mod tracker;
mod tree;

pub use remisd_vocabulary::reading::*;
pub use tracker::Tracker;
