//! A Lichess for tests. It does with a push what Lichess does, and counts what a client should not
//! do.
//!
//! It is written from what is known of Lichess's API and code, and reads PGN by itself: a fault of
//! our reader or writer cannot hide in it.

mod chapter;
mod server;

pub use self::{
    chapter::Chapter,
    server::{Breaches, Fake, Fault, TOKEN},
};
