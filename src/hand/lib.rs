//! Sensor events → moves: what the hand did, and how sure we are.
//!
//! A [`Tracker`] stands at the last settled position of a game and is told what
//! the sensors see. It keeps every short line of legal moves that could explain
//! the squares ([`Hypothesis`]), and says [`Reading::Settled`] only when one of
//! them is beyond doubt: the opponent has lifted a piece, the clock lever has
//! turned, the opponent's reply stands on the board, or nothing has moved for a
//! while. What no legal line explains is a [`Reading::Mismatch`] with the squares,
//! never a guess; the tracker goes on when the board agrees again.
//!
//! It is a pure state machine: times come in with the events, and
//! [`Tracker::deadline`] says when [`Tracker::tick`] wants to be called.
//!
//! ```
//! use remisd_hand::{Reading, Settings, Tracker};
//! use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
//! use shakmaty::{Chess, Color, Role, Square};
//!
//! let mut tracker = Tracker::new(Settings::default(), Chess::default());
//! let pawn = Seen::Piece(Role::Pawn.of(Color::White));
//! tracker.sense(&Sensed::Placement(Placement::start()), 0);
//! tracker.sense(&Sensed::Square(Square::E2, Seen::Empty), 100);
//! tracker.sense(&Sensed::Square(Square::E4, pawn), 400);
//! // He has touched it; the pawn may still slide on.
//! assert!(matches!(tracker.readings()[..], [Reading::Touched { .. }]));
//! tracker.sense(&Sensed::Square(Square::E7, Seen::Empty), 900);
//! // Black has lifted: White's move is made, and Black has touched his pawn.
//! let readings = tracker.readings();
//! let settled = readings.iter().position(|reading| matches!(reading, Reading::Settled(_)));
//! let touched = readings.iter().rposition(|reading| matches!(reading, Reading::Touched { .. }));
//! assert!(settled.is_some() && settled < touched);
//! ```
#![forbid(unsafe_code)]

mod before_sign;
mod castling;
mod changes;
mod choice;
mod clock_way;
mod contested;
mod course;
mod decide;
mod doubt;
mod due;
mod evidence;
mod explain;
mod fallen;
mod faulty;
mod gap;
mod hypothesis;
mod keep;
mod lead;
mod lever;
mod mismatch;
mod new_game;
mod order;
mod origins;
mod paused;
mod present;
mod pressed;
mod promotion;
mod reconsider;
mod result;
mod search;
mod sensing;
mod settle;
mod sight;
mod stands;
mod story;
mod touch;
mod tracker;

pub use hypothesis::Hypothesis;
pub use remisd_vocabulary::reading::*;
pub use sight::Difference;
pub use tracker::Tracker;
