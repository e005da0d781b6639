//! Three daemons on three computers share one broker, and games are played on all of them while one
//! is cut off. The others are unaffected, the topics say which boards to trust, and nothing is
//! lost.
//!
//! The computers are network namespaces in a network of the test's own, so that this computer's
//! network stays untouched. This requires root or permission to create user namespaces.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod hall;
mod network;

use std::{
    process::{Command, Stdio},
    sync::Arc,
};

use hall::Hall;
use network::{BROKER, switch};
use remisd_testkit::{mosquitto::Mosquitto, port::free_port, witness::Witness};

/// Declares that the network may be changed because it belongs to the test alone.
const OWN: &str = "REMISD_TEST_OWN_NETWORK";
const MISSING: &str = "a network of its own cannot be made: run this test as root, or allow user namespaces \
    (sysctl kernel.unprivileged_userns_clone=1), or leave it out (cargo nextest run -E 'not binary(namespaces)')";

/// A command that runs in a network of its own.
fn private() -> Command {
    let mut unshare = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare.args(["--net", "--fork", "--kill-child", "--"]);
    unshare.stdin(Stdio::null());
    unshare
}

#[test]
fn a_node_that_is_cut_off_is_reported_and_loses_nothing() {
    let may = private().arg("true").output().expect(MISSING);
    let errors = String::from_utf8_lossy(&may.stderr);
    assert!(may.status.success(), "{MISSING}: {errors}");
    let mut again = private();
    again.arg(std::env::current_exe().unwrap());
    again.args([
        "--exact",
        "in_a_network_of_its_own",
        "--ignored",
        "--nocapture",
    ]);
    let done = again.env(OWN, "1").output().unwrap();
    let output = String::from_utf8_lossy(&done.stdout);
    let errors = String::from_utf8_lossy(&done.stderr);
    println!("{output}{errors}");
    assert!(done.status.success() && output.contains("1 passed"));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "the other test runs it in a network of its own"]
async fn in_a_network_of_its_own() {
    assert!(
        std::env::var_os(OWN).is_some(),
        "it would change this computer's network"
    );
    switch().await;
    let port = free_port();
    let lines = format!(
        "allow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\nlistener {port} {BROKER}\n"
    );
    let broker = Mosquitto::start_with(&lines, None).await;
    let witness = Arc::new(Witness::watch(broker.address(), &["chess/v1/hall/arbiter/#"]).await);
    let filters = [
        "chess/v1/hall/node/+/state",
        "chess/v1/hall/arbiter/+/availability",
    ];
    let presence = Witness::watch(broker.address(), &filters).await;
    let mut hall = Hall::open(port, witness, presence).await;
    for _ in 0..4 {
        hall.round(None).await;
    }

    // First the cable is pulled and plugged in again. Then packets are lost, which only the
    // keep-alive notices.
    for (node, silently) in [(0, false), (1, true)] {
        cut(&hall, node, silently, true).await;
        let mut rounds = 0;
        // Until the will is published the outage is unknown; the others keep playing, and so does
        // the node itself.
        while !is_lost(&hall, node) {
            hall.round(Some(node)).await;
            rounds += 1;
        }
        assert!(rounds > 0, "the will has come before its time");
        hall.is_trusted(node, false).await;
        for other in (0..3).filter(|other| *other != node) {
            hall.is_trusted(other, true).await;
        }
        hall.round(Some(node)).await;
        cut(&hall, node, silently, false).await;
        hall.is_trusted(node, true).await;
        hall.round(None).await;
        println!("node {node}: the will came after {rounds} rounds");
    }

    let entries = hall.check_complete().await;
    println!("{entries} entries, each received once");
    let once = ["online", "lost", "online"];
    assert_eq!(hall.states("n1").split_first().unwrap().1, &once[1..]);
    assert_eq!(hall.states("n2").split_first().unwrap().1, &once[1..]);
    assert_eq!(hall.states("n3"), ["online"]);
    for node in &hall.nodes {
        for board in node.boards() {
            assert_eq!(hall.availabilities(board), ["online"], "{board}");
        }
    }
    hall.close().await;
}

async fn cut(hall: &Hall, node: usize, silently: bool, off: bool) {
    let computer = &hall.nodes[node].computer;
    if silently {
        computer.passed_on(!off).await;
    } else {
        computer.cable(!off).await;
    }
}

fn is_lost(hall: &Hall, node: usize) -> bool {
    let states = hall.states(&hall.nodes[node].name);
    states.last().is_some_and(|state| state == "lost")
}
