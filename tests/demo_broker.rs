//! The demo's own broker, with our session and with an ordinary client.
#![cfg(feature = "embedded-broker")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use remisd::cli::demo::broker::DemoBroker;
use remisd_testkit::{
    observer::Observer,
    session::{Daemon, OFFLINE, ONLINE, STATE},
};

const ANY: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

#[tokio::test]
async fn the_session_works_end_to_end_with_the_demos_own_broker() {
    let folder = std::env::current_dir().unwrap();
    let broker = DemoBroker::start(ANY).await.unwrap();
    assert!(broker.address().ip().is_loopback());
    let mut daemon = Daemon::start(&broker.url());
    daemon.retain("chess/v1/hall/public/b1/game", "1. e4");
    let status = daemon.all_sent().await;
    assert_eq!((status.refused, status.reconnects), (0, 0));
    let mut viewer = Observer::watch(broker.address(), "chess/v1/hall/#").await;
    let mut seen = [viewer.message().await, viewer.message().await].map(|m| (m.topic, m.payload));
    seen.sort();
    assert_eq!(seen[0], (STATE.into(), ONLINE.into()));
    assert_eq!(seen[1].1, "1. e4");
    for seq in 1..=200_u64 {
        daemon.event("b1");
        if seq % 20 == 0 {
            daemon.all_sent().await;
        }
    }
    viewer.payload(b"200").await;
    let topic = "chess/v1/hall/cmd/arbiter/b1/ruling";
    viewer.publish(topic, "{}", false).await;
    assert_eq!(daemon.command().await.topic, topic);
    daemon.stop().await;
    viewer.payload(OFFLINE.as_bytes()).await;
    let address = broker.address();
    broker.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    assert!(!folder.join("mqtt_storage").exists(), "nothing on disk");
}

#[tokio::test]
async fn a_taken_port_is_an_error_in_words() {
    let first = DemoBroker::start(ANY).await.unwrap();
    let error = DemoBroker::start(first.address()).await.unwrap_err();
    assert!(error.to_string().contains("demo's own broker"), "{error}");
}
