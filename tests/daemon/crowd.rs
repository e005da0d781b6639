//! A client fills the broker's listener for the hall: the daemon has one of its own.

use std::ffi::OsStr;

use tokio::{io::AsyncReadExt, net::TcpStream, time::timeout};

use super::QUICK;
use remisd_testkit::{DEADLINE, mosquitto::Mosquitto, remisd::Home, witness::Witness};

/// As `max_connections` of the shipped configuration says.
const MOST: usize = 256;
const PASSWORD: &str = "secret";

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_fills_the_hall_listener_does_not_keep_the_daemon_out() {
    let users = ["remisd", "arbiter"];
    let (mut broker, hall) = Mosquitto::start_guarded_in_a_hall(&users, PASSWORD).await;
    let home = Home::new(&broker.url(), "", &["b1"], QUICK);
    let _daemon = home.start_with(&[
        ("REMISD_MQTT_USERNAME", OsStr::new("remisd")),
        ("REMISD_MQTT_PASSWORD", OsStr::new(PASSWORD)),
    ]);
    let filters = ["chess/v1/hall/arbiter/#", "chess/v1/hall/node/#"];
    let arbiter = Some(("arbiter", PASSWORD));
    let witness = Witness::watch_as(broker.address(), arbiter, &filters).await;
    let state = "chess/v1/hall/node/remisd/state";
    let online = |state: &serde_json::Value| (state["state"] == "online").then_some(());
    witness.retained(state, online).await;
    witness.take();
    // A broker that comes back finds the crowd before the daemon does.
    broker.restart().await;
    let mut crowd = Vec::new();
    for _ in 0..MOST + 44 {
        crowd.push(TcpStream::connect(hall).await.unwrap());
    }
    // It closes those that are too many, and keeps the others waiting for a word of theirs.
    let mut byte = [0];
    for late in &mut crowd[MOST..] {
        let read = timeout(DEADLINE, late.read(&mut byte)).await;
        assert!(matches!(read.expect("it is closed"), Ok(0) | Err(_)));
    }
    let first = crowd[0].try_read(&mut byte).map_err(|error| error.kind());
    assert_eq!(first, Err(std::io::ErrorKind::WouldBlock), "it is open");
    witness.connected(2).await;
    witness.retained(state, online).await;
}
