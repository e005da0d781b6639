//! What leaves for the world: PGN files, PGN over HTTP, uploads, Lichess broadcasts.
//!
//! The crate is fed with the *public* topics of all boards, which the daemon has already delayed.
//! It knows nothing younger than what the public sees, and nothing of the daemon.
//!
//! ```text
//!  public topics        ┌▶ folder    round-N/game-M.pgn, games.pgn
//!  ─────────────▶ Rounds ┼▶ http      /pgn/round.pgn, /pgn/game-M.pgn
//!   Update         │     ├▶ upload    PUT, SFTP, FTPS
//!                  ▼     └▶ lichess   push
//!               state directory
//! ```
//!
//! [`Rounds`] keeps the games of a round in one constant order, and over restarts. Every exit takes
//! the newest [`RoundText`]s from a watch channel at its own pace, so a slow one delays no other.
#![forbid(unsafe_code)]

mod actor;
pub mod disk;
mod files;
pub mod folder;
pub mod http;
pub mod lichess;
pub mod notify;
mod opponents;
mod person;
mod round;
mod state;
mod store;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
pub mod upload;

pub use self::{
    actor::{ExitCause, ExitError, ExitReport, Settings, Update, actor},
    round::{PublicGame, RoundGame, Rounds},
    text::{GameText, Line, RoundText, Texts},
};
