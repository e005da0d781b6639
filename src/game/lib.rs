//! The game at one board, as an event-sourced state machine.
//!
//! Everything that can change a game is an [`Input`]: a settled move, a mismatch, a
//! clock reading, a verdict on a dead position, a command. [`Game::apply`] takes one
//! input with its number and time and returns the [`Fact`]s that follow from it.
//! There is no clock and no I/O inside: the same inputs always make the same game,
//! which is how a restart takes it up again from the journal.
//!
//! ```
//! use remisd_game::{Fact, Game, Input, Rules, SettledBy, Stamped};
//! use remisd_vocabulary::seq::EntrySeq;
//!
//! let mut game = Game::new(Rules::default());
//! let input = Input::Move { uci: "e2e4".into(), by: SettledBy::Clock, clock: None };
//! let facts = game.apply(&Stamped { seq: EntrySeq::new(1), time: jiff::Timestamp::UNIX_EPOCH, input });
//! assert!(matches!(&facts[0], Fact::MoveMade { ply: 1, san, .. } if san == "e4"));
//! ```
#![forbid(unsafe_code)]

mod account;
mod after_end;
mod alert;
mod announced;
mod answers;
mod apply;
mod backlog;
mod began;
mod begin;
mod changes;
mod claim;
mod claim_book;
mod claim_first;
mod claim_shift;
mod clock;
mod clock_record;
mod command;
mod condition;
mod correct;
mod dead;
mod earlier;
mod ending;
mod ends;
mod examined;
mod execute;
mod fact;
mod headers;
mod illegal;
mod input;
mod judgement;
mod losses;
mod missing;
mod numbered;
mod numbers;
mod offer;
mod other_record;
mod outcome;
mod pairing;
mod proposal;
mod read;
mod record;
mod refusal;
mod replay;
mod resignation;
mod rules;
mod ruling;
mod sensors;
mod sequence;
mod source;
mod state;
mod status;
#[cfg(test)]
mod tests;
mod touch;
mod unresolved;
mod unsettled;
mod withdrawn;

pub use account::{
    Account, AccountDifference, AccountKind, AccountReport, AccountStanding, AccountVersion,
    AccountWatch, Changed, Comparison, KeptRecord, OtherGame, Version, compare,
};
pub use after_end::{Decided, DecidedAfterEnd};
pub use alert::{Alert, AlertCode, Alerts, Level};
pub use announced::{AnnouncedMove, BrokenAnnouncement, MustPlay};
pub use began::began;
pub use claim::{BasisKind, ClaimRecord, Claimed};
pub use clock::{Adjustment, AdjustmentReason, Pause, PauseReason};
pub use command::{Answer, Command, RefusalCode, Role, RoleAnswer, Ruling, Verb, VerbName};
pub use earlier::{LaterResult, LeftGame};
pub use ending::{CanMate, LossBy, PendingLoss};
pub use execute::Trial;
pub use fact::{Fact, GameResult, ResultReason, SeenSquare};
pub use input::{
    BrokerConflict, Cause, ClockState, Input, JournalDown, JournalFault, Side, SilentPhone, Stamped,
};
pub use judgement::Judgement;
pub use losses::{
    EARLIER_LOSSES, EarlierGame, EarlierLoss, Loss, LostEntries, Remains, merged, not_yet_reported,
};
pub use numbers::Numbers;
pub use offer::{AgreementPending, OfferEnd, StandingOffer};
pub use other_record::{OTHER_RECORD_FILES, OtherRecordFile, names_others, newest_of_other_record};
pub use outcome::Status;
pub use pairing::TakenPairing;
pub use proposal::ProposedResult;
pub use record::Played;
use refusal::Refusal;
pub use replay::{Likeness, Remembered, Replayed, WrittenFacts};
pub use resignation::{HeldResignation, WaitsFor};
pub use rules::{Carried, CarriedLink, Confirm, Rules};
pub use ruling::{ClaimDecision, ClaimRuling};
pub use source::{
    CarriedSource, Correction, Difference, Rewriting, RewrittenPly, SetAside, SourceReport,
    UnreadablePly,
};
pub use state::{Game, LinkDown, LostClaims, Mismatch, Tracking};
pub use touch::Touched;
pub use unresolved::{
    LeftOut, LeftVersions, Unconfirmed, Unresolved, UnresolvedGame, UnresolvedKind,
};

pub use remisd_laws::Score;
pub use remisd_vocabulary::reading::{MismatchReason, SettledBy, Sign};
