//! Rights at a broker with the shipped configuration and access list, and what users achieve who
//! try to exceed them.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod client;
mod expected;
mod hostile;
mod lists;
mod page;

use expected::{NOBODY, USERS};
use remisd_testkit::mosquitto::Mosquitto;

const PASSWORD: &str = "secret";

/// May read and write everything, so that every topic has content and every message is seen. Not
/// part of the shipped list.
const PUPPETEER: &str = "puppeteer";
const MAY_ALL: &str = "\nuser puppeteer\ntopic readwrite #\ntopic read $SYS/#\n";

/// A broker with this access list, all listed users and one more.
async fn broker(acl: &str) -> Mosquitto {
    let mut users: Vec<&str> = USERS.into_iter().filter(|user| *user != NOBODY).collect();
    users.push(PUPPETEER);
    Mosquitto::start_guarded_by(&format!("{acl}{MAY_ALL}"), &users, PASSWORD).await
}
