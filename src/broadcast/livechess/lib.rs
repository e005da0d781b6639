//! An API on which programs that were written for `LiveChess` find the boards of remisd.
//!
//! `LiveChess` is the desktop program of a board maker. Web pages and programs read boards through
//! it on port 1982: a WebSocket for what happens on a board, and HTTP for pairings and games. This
//! crate answers in the same form. A new program should not use it: the topics
//! ([`remisd_topics`]) say more, and say it better.
//!
//! ```text
//! topics ─▶ Hub ─▶ Board, one for each ─┬─▶ session ─▶ feeds    (WebSocket)
//!                                       └─▶ records             (HTTP)
//! ```
//!
//! It consumes the topics of one audience, as any client of the broker does. So it knows nothing
//! that this audience may not know: the live squares from the operator's topics or the arbiter's,
//! or the delayed game from the public's. Every client that may connect may read everything, because the
//! protocol has no sign-in; `guard` keeps the pages of other sites out.
//!
//! `protocol/livechess.md` describes the protocol. Clients refuse objects with an additional or a
//! missing key, so every object here has exactly the keys of that page.
#![forbid(unsafe_code)]

mod board;
mod feed;
mod guard;
mod hub;
mod names;
mod reconstruction;
mod records;
mod refused;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod wire;

pub use guard::{Origin, OriginError, PAGES};
pub use hub::{BoardSettings, Hub, Settings};
