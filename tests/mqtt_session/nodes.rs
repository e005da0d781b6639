//! A session with the addresses of several nodes, which fail one after the other.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use remisd::publish::{
    ConnectionState,
    mqtt::{
        Access, CurrentAccess, SessionSettings, Timing,
        client::{self, ClientEvent, ClientSettings},
    },
    outbox::Cursors,
};
use remisd_testkit::{
    mosquitto::Mosquitto,
    observer::Observer,
    session::{Daemon, ONLINE, STATE, settings},
    witness::{Message, Witness},
};
use remisd_vocabulary::{name::BoardId, seq::EntrySeq};
use tokio_util::sync::CancellationToken;

/// The numbers of the arbiter's events of a board, in the order in which a node has delivered them.
fn event_numbers(messages: &[Message]) -> Vec<u64> {
    let topic = "chess/v1/hall/arbiter/b1/event";
    let events = messages.iter().filter(|message| message.topic == topic);
    let number = |payload: &[u8]| std::str::from_utf8(payload).unwrap().parse().unwrap();
    events.map(|message| number(&message.payload)).collect()
}

/// The nodes share nothing, which is the worst case of a cluster.
#[tokio::test(flavor = "multi_thread")]
async fn no_event_is_lost_or_out_of_order_while_nodes_fail_one_after_the_other() {
    const KILLS: usize = 6;
    let mut nodes = Vec::new();
    let mut witnesses = Vec::new();
    for _ in 0..3 {
        let node = Mosquitto::start().await;
        witnesses.push(Witness::watch(node.address(), &["chess/v1/#"]).await);
        nodes.push(node);
    }
    let urls: Vec<String> = nodes.iter().map(Mosquitto::url).collect();
    let daemon = Daemon::start(&urls.join(", "));
    daemon
        .wait_for(|status| matches!(status.link, ConnectionState::Up { .. }))
        .await;
    for kill in 0..KILLS {
        for n in 0..40 {
            daemon.event("b1");
            daemon.retain("chess/v1/hall/arbiter/b1/game", &format!("{kill}-{n}"));
        }
        // The daemon stays with a node while it works, so this is the one in use.
        nodes[kill % 3].kill().await;
        let reconnects = kill as u64 + 1;
        daemon
            .wait_for(|status| status.reconnects >= reconnects)
            .await;
        nodes[kill % 3].restart().await;
        witnesses[kill % 3].connected(kill as u64 / 3 + 2).await;
    }
    daemon.event("b1");
    let status = daemon.all_sent().await;
    assert_eq!(status.reconnects, KILLS as u64, "one for each kill");
    let conflict = daemon.publisher.conflict().borrow().clone();
    assert_eq!(conflict.taken_over, 0, "a restart of nodes is no takeover");
    let last = daemon.journal.0.lock().unwrap()[&"b1".parse().unwrap()].get();
    let mut seen = BTreeSet::new();
    for (node, witness) in witnesses.iter().enumerate() {
        let newest = |messages: &[Message]| {
            let numbers = event_numbers(messages);
            (node != KILLS % 3 || numbers.last() == Some(&last)).then_some(numbers)
        };
        let mut numbers = witness.until("the newest event", newest).await;
        // What another node had acknowledged comes again. A reader knows it by its number.
        let mut known = BTreeSet::new();
        numbers.retain(|number| known.insert(*number));
        assert!(numbers.is_sorted(), "node {node}: {numbers:?}");
        seen.extend(numbers);
    }
    assert_eq!(seen, (1..=last).collect(), "every event was delivered");
    let mut late = Observer::watch(nodes[KILLS % 3].address(), "chess/v1/hall/#").await;
    let mut retained = Vec::new();
    while retained.len() < 2 {
        let message = late.message().await;
        if message.retain {
            retained.push((message.topic, message.payload));
        }
    }
    retained.sort();
    let newest = format!("{}-39", KILLS - 1);
    assert_eq!(
        retained[0],
        ("chess/v1/hall/arbiter/b1/game".into(), newest.into())
    );
    assert_eq!(retained[1], (STATE.into(), ONLINE.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_only_the_lost_node_had_reach_the_next_one() {
    let (mut first, second) = (Mosquitto::start().await, Mosquitto::start().await);
    let witness = Witness::watch(second.address(), &["chess/v1/#"]).await;
    let daemon = Daemon::start(&format!("{}, {}", first.url(), second.url()));
    for _ in 0..5 {
        daemon.event("b1");
    }
    daemon.all_sent().await;
    assert!(
        event_numbers(&witness.messages()).is_empty(),
        "only the first node has them"
    );
    first.kill().await;
    let all = |messages: &[Message]| {
        let numbers = event_numbers(messages);
        (numbers == [1, 2, 3, 4, 5]).then_some(())
    };
    witness.until("the events at the second node", all).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_that_only_the_lost_node_had_are_sent_again_after_a_restart_of_the_daemon() {
    let (mut first, second) = (Mosquitto::start().await, Mosquitto::start().await);
    let witness = Witness::watch(second.address(), &["chess/v1/#"]).await;
    let folder = tempfile::tempdir().unwrap();
    let cursors = folder.path().join("cursors.json");
    let settings = || SessionSettings {
        cursor_file: Some(cursors.clone()),
        ..settings(&format!("{}, {}", first.url(), second.url()))
    };
    let daemon = Daemon::start_with(settings(), Cursors::default(), Arc::default());
    for _ in 0..5 {
        daemon.event("b1");
    }
    daemon.all_sent().await;
    let journal = Arc::clone(&daemon.journal);
    daemon.stop().await;
    let saved = Cursors::load(&cursors).unwrap();
    let board: BoardId = "b1".parse().unwrap();
    assert_eq!(saved.get(&board), Some(EntrySeq::new(5)), "for a lost end");
    let again = settings();
    first.kill().await;
    let daemon = Daemon::start_with(again, saved, journal);
    daemon
        .publisher
        .board(board, EntrySeq::ZERO, EntrySeq::new(5), Vec::new());
    let all = |messages: &[Message]| {
        let numbers = event_numbers(messages);
        (numbers == [1, 2, 3, 4, 5]).then_some(())
    };
    witness.until("the events at the second node", all).await;
}

/// A node that has just started may not have the retained messages yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_of_a_cluster_is_given_what_is_retained_once_more() {
    let (first, second) = (Mosquitto::start().await, Mosquitto::start().await);
    let urls = format!("{}, {}", first.url(), second.url());
    let daemon = Daemon::start(&urls);
    daemon.retain("chess/v1/hall/arbiter/b1/game", "1. e4");
    daemon.all_sent().await;
    let settings = ClientSettings {
        brokers: urls.parse().unwrap(),
        access: CurrentAccess::fixed(Access::default()),
        client_id: "reader".to_owned(),
        filters: vec!["chess/v1/hall/arbiter/+/+".to_owned()],
        jitter_seed: 1,
        timing: Timing {
            subscribe_again: Duration::from_millis(10),
            ..Timing::default()
        },
    };
    let cancel = CancellationToken::new();
    let (_client, mut events) = client::spawn(settings, cancel.clone());
    let (mut given, mut ups) = (0, 0);
    while given < 2 {
        match events.recv().await.unwrap() {
            ClientEvent::Up => ups += 1,
            ClientEvent::Message(message) => given += usize::from(message.retained),
            ClientEvent::Pong(_) => {}
            ClientEvent::SubscriptionsRefused { why, .. }
            | ClientEvent::ConnectionLost { why, .. } => panic!("{why}"),
        }
    }
    assert_eq!(ups, 1, "the second subscription is no new connection");
    cancel.cancel();
}

#[tokio::test]
async fn a_value_that_a_node_has_missed_is_sent_again() {
    let nodes = [Mosquitto::start().await, Mosquitto::start().await];
    let urls = nodes.each_ref().map(Mosquitto::url);
    let mut settings = settings(&urls.join(", "));
    settings.timing.age = Duration::from_millis(50);
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    let topic = "chess/v1/hall/arbiter/b1/game";
    daemon.retain(topic, "right");
    daemon.all_sent().await;
    let mut reader = Observer::watch(nodes[0].address(), topic).await;
    reader.publish(topic, "old", true).await;
    reader.payload(b"old").await;
    reader.payload(b"right").await;
}
