//! Reads legal moves from the sensors of a chessboard, by one generative model and one decoder.
//!
//! The model is a table (`model.rs`): the durations and chances of everything that hands, sensors
//! and clocks do. The board sends *reports*; the decoder *announces* plies to the game.
//!
//! - A *hypothesis* is one explanation of all reports: a *node* (a position of a legal line),
//!   *gestures* (plies being made) and *items* (squares on which something temporary must end).
//! - A hypothesis has a *cost*, its negative log-probability. Each report costs one density. Whatever
//!   is pending costs its survival, so waiting is evidence. The only timer that decides on a ply
//!   is [`Settings::mismatch_after`], after which a lower threshold applies.
//! - The *beam* merges hypotheses with equal futures and keeps the best.
//! - A ply is announced when the hypotheses that contain it hold nearly all of the weight, and
//!   withdrawn when another line wins.
//!
//! All probabilities are integers (1/1024 nat), so that a replay agrees on every machine.
//!
//! ```
//! use remisd_hand::{Reading, Settings, Tracker};
//! use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
//! use remisd_vocabulary::time::Moment;
//! use shakmaty::{Chess, Color, Role, Square};
//!
//! let mut tracker = Tracker::new(Settings::default(), Chess::default());
//! let at = Moment::from_millis;
//! let pawn = Seen::Piece(Role::Pawn.of(Color::White));
//! tracker.sense(&Sensed::Placement(Placement::start()), at(0));
//! tracker.sense(&Sensed::Square(Square::E2, Seen::Empty), at(1_000));
//! tracker.sense(&Sensed::Square(Square::E4, pawn), at(1_300));
//! tracker.sense(&Sensed::Square(Square::E7, Seen::Empty), at(3_000));
//! let readings = tracker.readings();
//! assert!(readings.iter().any(|reading| matches!(reading, Reading::Settled(_))));
//! ```
#![forbid(unsafe_code)]

mod announcements;
mod beam;
mod clock;
mod clock_orientation;
mod completion;
mod content;
mod cost;
mod decoder;
mod distribution;
mod early_reply;
mod gesture;
mod hypothesis;
mod inspect;
mod interpret;
mod item;
mod landing;
mod leaning;
mod lift;
mod line_search;
mod mismatch;
mod model;
mod next_start;
mod regime;
mod touched_pieces;
mod tracker;
mod tree;

pub use remisd_vocabulary::reading::*;
pub use tracker::Tracker;
