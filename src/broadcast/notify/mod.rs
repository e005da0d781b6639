//! Messages to the phones of arbiters: alerts, over ntfy or a webhook.
//!
//! ```text
//!  the arbiter's alerts ─▶ Outbox ─▶ run ─▶ Receiver ─▶ POST
//!        take()            newest     one request
//!                          state      at a time
//! ```
//!
//! Each receiver has an [`Outbox`] of its own. [`Outbox::take`] never waits, so a dead receiver
//! delays no board and no other receiver. The outbox holds the newest state of each alert: while a
//! receiver cannot be reached, an alert acknowledged in the meantime is not reported as open.
//!
//! If a receiver does not take the urgent messages about a board, [`SilentByBoard`] says so, and the
//! arbiter gets an alert there. That alert itself goes to no phone.
//!
//! In a competition the outbox holds no content of an alert, and counts the alerts itself: a phone
//! that lies about may be read by players (FIDE 11.3.1, 12.6).

mod bucket;
mod due;
mod receiver;
mod run;
mod silent;
#[cfg(test)]
mod tests;

pub use self::{
    due::{Due, Next, Notice, Rates, Scope, State},
    receiver::{Kind, Message, Receiver, SendError},
    run::{Outbox, Phrase, report_without_sending, run},
    silent::{SilentByBoard, SilentPhones},
};
