//! The Laws of Chess on draws, as data and pure functions.
//!
//! An [`Edition`] is a table of parameters: every difference between editions of the FIDE Laws is
//! one of its fields. Code asks the table, never the year. [`History`] holds the positions of one
//! game. For the position on the board it returns a [`DrawState`]: how often the position has
//! occurred, which claims would succeed, and whether the game is over.
//!
//! Pure functions judge the acts of players and arbiters under the event's [`Regulations`]:
//! [`examine`] a claim, [`agreement`] after an offer, the cost of an [`incorrect_claim`] or an
//! [`illegal_move`].
//!
//! Dead positions (5.2.2) need a search and live in `remisd_dead`.
//!
//! ```
//! use remisd_laws::{History, self as laws};
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
#![forbid(unsafe_code)]

mod articles;
mod claim;
mod draw;
mod edition;
mod editions;
mod history;
mod offer;
mod penalty;
mod rate;
mod regulations;

pub use articles::Articles;
pub use claim::{
    ClaimBasis, DrawClaim, Examination, Finding, Inadmissible, Remark, ShortOfTime, examine,
    increment_admissible, quickplay_admissible,
};
pub use draw::{AutomaticEnd, AutomaticKind, Basis, Claim, ClaimKind, DrawState, Intended};
pub use edition::{
    BothFlags, ClaimantLoses, Claims, Edition, Fivefold, FlagCall, ForcedKingMove, IllegalMoves,
    IncorrectClaim, LostBy, Offers, Parameter, Quickplay, Restriction, StopsClock, UnknownEdition,
    find, newest,
};
pub use editions::*;
pub use history::{History, Occurrences};
pub use offer::{Agreement, Decline, agreement, declines, is_regular, offer_is_restricted};
pub use penalty::{
    BothFlagsOutcome, IllegalMoveOutcome, QuickplayDecision, TimeChange, bonus, both_flags,
    illegal_move, incorrect_claim, lost_unless_unwinnable, quickplay,
};
pub use rate::{ByRate, Rate, UnknownRate};
pub use regulations::{AgreementRule, Overrides, Regulations, Score};

/// A number of halfmoves: 0 is the starting position, 1 is the position after the first move.
pub type Ply = u32;
