//! What the black-box tests share: brokers, file servers, boards, browsers and witnesses.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by a panic"
)]

pub mod browser;
pub mod by_hand;
pub mod claims;
pub mod file_server;
pub mod gate;
pub mod hostile;
pub mod mosquitto;
pub mod observer;
pub mod poll;
pub mod port;
pub mod received;
pub mod recorded;
pub mod remisd;
pub mod schemas;
pub mod session;
pub mod systemd;
pub mod table;
pub mod witness;

use std::time::Duration;

use shakmaty::{Chess, Position as _, uci::UciMove};

/// How long a test waits for an event before it fails, even on a busy machine.
pub const DEADLINE: Duration = Duration::from_mins(1);

/// The same for tests with the whole daemon and its back-off.
pub const PATIENCE: Duration = Duration::from_mins(3);

/// The position after these moves.
pub fn after(ucis: &[&str]) -> Chess {
    ucis.iter().fold(Chess::default(), |position, uci| {
        let played = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play(played).unwrap()
    })
}
