//! Who may do what at a broker with the shipped configuration and access list, and what
//! somebody achieves who tries more.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod client;
mod expected;
mod hostile;
mod lists;
mod page;
#[path = "../support/mod.rs"]
mod support;

use expected::{NOBODY, USERS};
use support::mosquitto::Mosquitto;

const PASSWORD: &str = "secret";

/// Sees and says everything, so that each topic has something to be read and everything that
/// is told is heard. It is no part of what is shipped.
const PUPPETEER: &str = "puppeteer";
const MAY_ALL: &str = "\nuser puppeteer\ntopic readwrite #\ntopic read $SYS/#\n";

/// A broker with this access list, which knows all users and one more.
async fn broker(acl: &str) -> Mosquitto {
    let mut users: Vec<&str> = USERS.into_iter().filter(|user| *user != NOBODY).collect();
    users.push(PUPPETEER);
    Mosquitto::start_guarded_by(&format!("{acl}{MAY_ALL}"), &users, PASSWORD).await
}
