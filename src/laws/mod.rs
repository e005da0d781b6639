//! The Laws of Chess on draws, as data and pure functions.
//!
//! An [`Edition`] is a table of parameters: everything in which one edition of
//! the FIDE Laws differs from another is a field of it, and code asks the table,
//! never the year. [`History`] holds the positions of one game and answers, for
//! the position on the board, what [`DrawState`] lists: how often it has
//! occurred, which claims would succeed now, and whether the game is over.
//!
//! Dead positions (5.2.2) need a search and stand in [`crate::dead`].
//!
//! ```
//! use remisd::laws::{self, History};
//! use shakmaty::{Chess, uci::UciMove};
//!
//! let mut history = History::new(Chess::default());
//! for uci in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
//!     let uci: UciMove = uci.parse()?;
//!     history.play(uci.to_move(history.position())?)?;
//! }
//! // Black could claim with 9.2.1: Ng8 makes the starting position for the third time.
//! let state = history.draw_state(laws::newest());
//! assert_eq!(state.repetition.count(), 2);
//! assert_eq!(state.claims[0].article, "9.2.1");
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```

mod draw;
mod edition;
mod history;
mod position;

pub use draw::{AutomaticEnd, AutomaticKind, Basis, Claim, ClaimKind, DrawState, Intended};
pub use edition::{
    Articles, EDITIONS, Edition, Fivefold, Rate, UnknownEdition, UnknownRate, find, newest,
};
pub use history::{History, Occurrences};
pub use position::{PositionTextError, parse_position};

/// A count of halfmoves of a game: 0 is the starting position, 1 stands after the first move.
pub type Ply = u32;
