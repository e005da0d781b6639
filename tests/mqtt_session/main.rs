//! The MQTT session against real brokers: a Mosquitto, and one built to be hostile.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod nodes;

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use remisd::publish::{
    BrokerStatus, ConnectionState, Lane,
    mqtt::{ClientId, SessionSettings, Timing},
    outbox::Cursors,
};
use remisd_testkit::{
    gate::Gate,
    hostile::Hostile,
    mosquitto::Mosquitto,
    observer::Observer,
    session::{Daemon, Journal, LOST, OFFLINE, ONLINE, STATE, settings},
    witness::{Message, Witness},
};
use remisd_vocabulary::seq::EntrySeq;
use rumqttc::v5::mqttbytes::v5::PublishProperties;

/// Checks that every number up to `last` occurs; repetitions may only go back. Returns their count.
fn without_gaps(log: &[Bytes], last: u64) -> usize {
    let mut newest = 0;
    for payload in log {
        let seq: u64 = std::str::from_utf8(payload).unwrap().parse().unwrap();
        assert!(seq <= newest + 1, "a gap between {newest} and {seq}");
        newest = newest.max(seq);
    }
    assert_eq!(newest, last);
    log.len() - usize::try_from(last).unwrap()
}

async fn hostile(seed: u64) {
    let broker = Hostile::start(seed).await;
    let daemon = Daemon::start(&format!("mqtt://{}", broker.address));
    let mut random = fastrand::Rng::with_seed(seed + 100);
    for n in 1..=1000_u64 {
        daemon.event(["b1", "b2", "b3"][random.usize(..3)]);
        daemon.retain(&format!("t{}", random.u64(..5)), &n.to_string());
        if random.u64(..40) == 0 {
            daemon.wait_for(|status| status.outbox_depth < 40).await;
        }
    }
    for topic in 0..5 {
        daemon.retain(&format!("t{topic}"), "last");
    }
    let status = daemon.all_sent().await;
    let taken = broker.taken.lock().unwrap();
    let mut duplicates = 0;
    for (board, last) in daemon.journal.0.lock().unwrap().iter() {
        for audience in ["arbiter", "operator"] {
            let topic = format!("chess/v1/hall/{audience}/{board}/event");
            duplicates += without_gaps(&taken.events[&topic], last.get());
        }
    }
    for topic in 0..5 {
        assert_eq!(taken.retained[&format!("t{topic}")], "last");
    }
    assert_eq!(taken.retained[STATE], ONLINE);
    assert!(status.reconnects > 3, "{status:?}");
    println!(
        "seed {seed}: {} connections, {} publishes, {duplicates} events twice",
        taken.connections, taken.publishes
    );
}

#[tokio::test]
async fn a_hostile_broker_gets_every_event_in_order_1() {
    hostile(1).await;
}

#[tokio::test]
async fn a_hostile_broker_gets_every_event_in_order_2() {
    hostile(2).await;
}

#[tokio::test]
async fn a_hostile_broker_gets_every_event_in_order_3() {
    hostile(3).await;
}

#[tokio::test]
async fn a_late_subscriber_gets_the_retained_snapshot() {
    let broker = Mosquitto::start().await;
    let daemon = Daemon::start(&broker.url());
    daemon.retain("chess/v1/hall/public/b1/game", "old");
    daemon.all_sent().await;
    daemon.retain("chess/v1/hall/public/b1/game", "new");
    daemon.retain("chess/v1/hall/public/b1/offer", "gone");
    daemon
        .publisher
        .retain("chess/v1/hall/public/b1/offer", None)
        .unwrap();
    daemon.all_sent().await;
    let mut late = Observer::watch(broker.address(), "chess/v1/hall/#").await;
    let (first, second) = (late.message().await, late.message().await);
    let mut seen = [first, second].map(|message| {
        assert!(message.retain);
        (message.topic, message.payload)
    });
    seen.sort();
    assert_eq!(seen[0], (STATE.into(), ONLINE.into()));
    assert_eq!(seen[1].1, "new");
}

#[tokio::test]
async fn a_broker_that_comes_back_without_memory_gets_everything() {
    let mut broker = Mosquitto::start().await;
    let gate = Gate::before(broker.address()).await;
    let daemon = Daemon::start(&gate.url());
    let mut arbiter = Observer::watch(broker.address(), "chess/v1/hall/#").await;
    daemon.retain("chess/v1/hall/arbiter/b1/game", "1. e4");
    for _ in 0..100 {
        daemon.event("b1");
    }
    let mut log = Vec::new();
    while log.len() < 40 {
        let message = arbiter.message().await;
        log.extend((message.topic == "chess/v1/hall/arbiter/b1/event").then_some(message.payload));
    }
    gate.set_open(false);
    broker.kill().await;
    daemon.wait_for(|status| !status.is_up()).await;
    for _ in 0..200 {
        daemon.event("b1");
    }
    broker.restart().await;
    arbiter.subscribed().await;
    gate.set_open(true);
    let mut retained = Vec::new();
    // A message that the first broker could not deliver is lost to this subscriber only if it was
    // acknowledged. So the log may restart later, but not earlier.
    let mut after = Vec::new();
    while after.last().is_none_or(|last| last != "300") {
        let message = arbiter.message().await;
        match message.topic.as_ref() {
            b"chess/v1/hall/arbiter/b1/event" => after.push(message.payload),
            b"chess/v1/hall/operator/b1/event" => {}
            topic => retained.push(String::from_utf8(topic.to_vec()).unwrap()),
        }
    }
    let numbers: Vec<u64> = after
        .iter()
        .map(|seq| std::str::from_utf8(seq).unwrap().parse().unwrap())
        .collect();
    assert!(numbers.is_sorted_by(|a, b| a + 1 == *b), "{numbers:?}");
    assert!(numbers[0] <= 101, "{numbers:?}");
    assert_eq!(retained, [STATE, "chess/v1/hall/arbiter/b1/game"]);
    assert!(daemon.all_sent().await.reconnects >= 1);
}

#[tokio::test]
async fn the_will_speaks_for_a_killed_daemon() {
    let broker = Mosquitto::start().await;
    let mut watcher = Observer::watch(broker.address(), STATE).await;
    let url = broker.url();
    let runtime = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async { Daemon::start(&url).all_sent().await });
        runtime
    });
    watcher.payload(ONLINE.as_bytes()).await;
    runtime.join().unwrap().shutdown_background();
    watcher.payload(LOST.as_bytes()).await;
}

#[tokio::test]
async fn a_clean_stop_publishes_offline_and_no_will_follows() {
    let broker = Mosquitto::start().await;
    let mut watcher = Observer::watch(broker.address(), "#").await;
    let daemon = Daemon::start(&broker.url());
    daemon.wait_for(BrokerStatus::is_up).await;
    daemon.retain("last", "word");
    daemon.stop().await;
    watcher.payload(b"word").await;
    watcher.payload(OFFLINE.as_bytes()).await;
    let again = Daemon::start(&broker.url());
    again.all_sent().await;
    assert_eq!(watcher.message().await.payload, ONLINE, "and no will");
}

#[tokio::test]
async fn a_state_that_is_not_ours_is_put_right() {
    let broker = Mosquitto::start().await;
    let mut watcher = Observer::watch(broker.address(), STATE).await;
    let daemon = Daemon::start(&broker.url());
    daemon.all_sent().await;
    watcher.publish(STATE, LOST, true).await;
    watcher.payload(LOST.as_bytes()).await;
    watcher.payload(ONLINE.as_bytes()).await;
}

#[tokio::test]
async fn a_command_is_answered_where_and_how_its_sender_wants() {
    let broker = Mosquitto::start().await;
    let mut daemon = Daemon::start(&broker.url());
    daemon.all_sent().await;
    let topic = "chess/v1/hall/cmd/arbiter/b1/ruling";
    let reply = "chess/v1/hall/reply/arbiter/7";
    let mut arbiter = Observer::watch(broker.address(), reply).await;
    let properties = PublishProperties {
        response_topic: Some(reply.to_owned()),
        correlation_data: Some(Bytes::from_static(b"\x00\xff7")),
        ..PublishProperties::default()
    };
    arbiter.publish_with(topic, "{}", false, properties).await;
    let command = daemon.command().await;
    assert_eq!((command.topic.as_str(), command.retain), (topic, false));
    let to = command.response_topic.unwrap();
    let sent = daemon
        .publisher
        .reply(&to, "ok".into(), command.correlation, Lane::Others);
    sent.unwrap();
    let answer = arbiter.message().await;
    assert_eq!(answer.payload, "ok");
    let correlation = answer.properties.unwrap().correlation_data;
    assert_eq!(correlation, Some(Bytes::from_static(b"\x00\xff7")));
}

#[tokio::test]
async fn an_oversized_command_does_not_wedge_the_session() {
    let broker = Mosquitto::start().await;
    let mut daemon = Daemon::start(&broker.url());
    daemon.all_sent().await;
    let topic = "chess/v1/hall/cmd/arbiter/b1/ruling";
    let mut arbiter = Observer::watch(broker.address(), topic).await;
    arbiter.publish(topic, vec![b' '; 300_000], true).await;
    assert_eq!(arbiter.message().await.payload.len(), 300_000);
    arbiter.publish(topic, "small", false).await;
    assert_eq!(daemon.command().await.payload, "small");
    daemon.event("b1");
    assert_eq!(daemon.all_sent().await.reconnects, 0);
    let again = {
        daemon.stop().await;
        Daemon::start(&broker.url()) // the large message is now retained there
    };
    again.event("b1");
    assert_eq!(again.all_sent().await.reconnects, 0);
}

#[tokio::test]
async fn a_message_too_large_for_the_broker_is_given_up() {
    let lines = "allow_anonymous true\nmax_packet_size 1000\n";
    let broker = Mosquitto::start_with(lines, None).await;
    let daemon = Daemon::start(&broker.url());
    daemon.retain("big", &"x".repeat(1_000));
    daemon.retain("small", "fits");
    let status = daemon.all_sent().await;
    assert_eq!((status.refused, status.reconnects), (1, 0));
    let mut watcher = Observer::watch(broker.address(), "small").await;
    assert_eq!(watcher.message().await.payload, "fits");
}

#[tokio::test]
async fn a_refused_message_is_counted_and_holds_up_no_other() {
    let acl = "topic readwrite chess/v1/hall/#\n";
    let broker = Mosquitto::start_with("allow_anonymous true\n", Some(acl)).await;
    let mut watcher = Observer::watch(broker.address(), "chess/v1/hall/#").await;
    let daemon = Daemon::start(&broker.url());
    daemon.retain("chess/v1/elsewhere/public/b1/game", "refused");
    daemon.retain("chess/v1/hall/public/b1/game", "taken");
    let status = daemon.all_sent().await;
    assert_eq!((status.refused, status.published), (1, 2));
    watcher.payload(b"taken").await;
}

#[tokio::test]
async fn what_a_broker_refuses_reaches_it_once_its_access_list_is_mended() {
    let some = "topic readwrite chess/v1/hall/node/#\ntopic readwrite chess/v1/hall/arbiter/#\n";
    let broker = Mosquitto::start_with("allow_anonymous true\n", Some(some)).await;
    let witness = Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let folder = tempfile::tempdir().unwrap();
    let mut settings = settings(&broker.url());
    settings.cursor_file = Some(folder.path().join("cursors.json"));
    settings.timing.refused_again = Duration::from_millis(20);
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    daemon.retain("chess/v1/hall/public/b1/game", "1. e4");
    daemon.retain("chess/v1/hall/arbiter/b1/game", "1. e4");
    for _ in 0..100 {
        daemon.event("b1");
    }
    let events = |audience: &str, messages: &[Message]| -> Vec<Bytes> {
        let topic = format!("chess/v1/hall/{audience}/b1/event");
        let of_it = messages.iter().filter(|message| message.topic == topic);
        of_it.map(|message| message.payload.clone()).collect()
    };
    let all: Vec<Bytes> = (1..=100).map(|seq| seq.to_string().into()).collect();
    let arbiters = |messages: &[Message]| (events("arbiter", messages).len() >= 100).then_some(());
    witness.until("the events of the arbiter", arbiters).await;
    // Each of the two topics is tried again and again.
    let before = daemon.wait_for(|status| status.refused > 0).await.refused;
    // While the retained topic is tried, it counts, too.
    let tried = daemon
        .wait_for(|status| status.refused > before + 200 && status.outbox_depth == 100)
        .await;
    assert_eq!(tried.reconnects, 0);
    broker
        .reload_with(&format!("{some}topic readwrite chess/v1/hall/#\n"))
        .await;
    let status = daemon.all_sent().await;
    assert_eq!(status.reconnects, 0);
    let game = |messages: &[Message]| {
        let mut games = messages.iter().filter(|message| {
            message.topic == "chess/v1/hall/public/b1/game" && message.payload == "1. e4"
        });
        let has_all = events("operator", messages).len() >= 100;
        (has_all && games.next().is_some()).then_some(())
    };
    witness.until("what was refused", game).await;
    for audience in ["arbiter", "operator"] {
        assert_eq!(events(audience, &witness.messages()), all, "{audience}");
    }
}

async fn run_until_killed(url: &str, cursors: &Path, journal: &Arc<Journal>) {
    let settings = SessionSettings {
        cursor_file: Some(cursors.to_owned()),
        ..settings(url)
    };
    let saved = Cursors::load(cursors).unwrap();
    let daemon = Daemon::start_with(settings, saved, Arc::clone(journal));
    let last = journal.0.lock().unwrap().values().copied().max();
    let board = "b1".parse().unwrap();
    daemon
        .publisher
        .board(board, EntrySeq::ZERO, last.unwrap_or_default(), Vec::new());
    for _ in 0..150 {
        daemon.event("b1");
    }
    daemon.wait_for(|status| status.published > 120).await;
    daemon.task.abort();
}

#[tokio::test]
async fn events_survive_the_death_of_the_daemon() {
    let broker = Mosquitto::start().await;
    let mut operator = Observer::watch(broker.address(), "chess/v1/hall/operator/#").await;
    let folder = tempfile::tempdir().unwrap();
    let cursors = folder.path().join("cursors.json");
    let journal = Arc::default();
    for _ in 0..3 {
        run_until_killed(&broker.url(), &cursors, &journal).await;
    }
    let settings = SessionSettings {
        cursor_file: Some(cursors.clone()),
        ..settings(&broker.url())
    };
    let saved = Cursors::load(&cursors).unwrap();
    let daemon = Daemon::start_with(settings, saved, Arc::clone(&journal));
    let board = "b1".parse().unwrap();
    daemon
        .publisher
        .board(board, EntrySeq::ZERO, EntrySeq::new(450), Vec::new());
    daemon.all_sent().await;
    daemon.stop().await;
    let mut log = Vec::new();
    while log.last().is_none_or(|last| last != "450") {
        log.push(operator.message().await.payload);
    }
    println!("{} events twice", without_gaps(&log, 450));
    let board = "b1".parse().unwrap();
    assert_eq!(
        Cursors::load(&cursors).unwrap().get(&board),
        Some(EntrySeq::new(450))
    );
}

static DRAWN: AtomicU64 = AtomicU64::new(0);

#[tokio::test]
async fn a_session_that_is_taken_over_comes_back_under_another_name() {
    let broker = Mosquitto::start().await;
    let settings = SessionSettings {
        client_id: ClientId::Random {
            prefix: "remisd-hall-n1".to_owned(),
            draw: || Ok(DRAWN.fetch_add(1, Ordering::Relaxed)),
        },
        ..settings(&broker.url())
    };
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    daemon.retain("chess/v1/hall/public/b1/game", "1. e4");
    daemon.all_sent().await;
    // The daemon's client id, which an intruder could not guess in practice.
    let name = "remisd-hall-n1-0000000000000000";
    let mut intruder = Observer::watch_as(name, broker.address(), "chess/v1/hall/#").await;
    let back = |status: &BrokerStatus| status.is_up() && status.reconnects == 1;
    daemon.wait_for(back).await;
    daemon.retain("chess/v1/hall/public/b1/game", "1. d4");
    intruder.payload(b"1. d4").await;
    let status = daemon.all_sent().await;
    assert_eq!(status.reconnects, 1, "no other client disconnects it again");
}

#[tokio::test]
async fn a_session_whose_fixed_name_is_taken_over_reports_it() {
    let broker = Mosquitto::start().await;
    let settings = SessionSettings {
        client_id: ClientId::Fixed("known".to_owned()),
        ..settings(&broker.url())
    };
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    daemon.all_sent().await;
    let _intruder = Observer::watch_as("known", broker.address(), STATE).await;
    // Each disconnects the other. A broker may report it; Mosquitto 2.0.11 does not.
    daemon.wait_for(|status| status.taken_over > 0).await;
}

async fn why_down(settings: SessionSettings, wanted: &str) {
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    daemon.event("b1");
    let is_reported = |status: &BrokerStatus| matches!(&status.link, ConnectionState::Down { why, .. } if why.contains(wanted));
    assert_eq!(daemon.wait_for(is_reported).await.published, 0);
    daemon.stop().await;
}

#[tokio::test]
async fn the_status_gives_the_reason_why_there_is_no_broker() {
    let mut broker = Mosquitto::start_with("allow_anonymous false\n", None).await;
    why_down(settings(&broker.url()), "not authorized (0x87)").await;
    broker.kill().await;
    why_down(settings(&broker.url()), "refused").await;
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = settings(&format!("mqtt://{}", silent.local_addr().unwrap()));
    settings.timing.connect = Duration::from_secs(1);
    why_down(settings, "does not answer").await;
}

#[tokio::test]
async fn a_broker_that_never_acknowledges_is_left() {
    let broker = Hostile::deaf().await;
    let mut settings = settings(&format!("mqtt://{}", broker.address));
    settings.timing = Timing {
        acknowledge: Duration::from_millis(300),
        ..settings.timing
    };
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    daemon.event("b1");
    let status = daemon.wait_for(|status| status.reconnects >= 2).await;
    assert_eq!(status.published, 0);
}

#[tokio::test]
async fn a_broker_that_freezes_and_thaws_gets_everything() {
    let broker = Mosquitto::start().await;
    let mut operator = Observer::watch(broker.address(), "chess/v1/hall/operator/#").await;
    let mut settings = settings(&broker.url());
    settings.timing.acknowledge = Duration::from_millis(200);
    settings.timing.connect = Duration::from_secs(1);
    let daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    daemon.event("b1");
    daemon.all_sent().await;
    broker.freeze(true).await;
    for _ in 0..100 {
        daemon.event("b1");
    }
    let is_reported = |status: &BrokerStatus| matches!(&status.link, ConnectionState::Down { why, .. } if why.contains("stopped answering"));
    daemon.wait_for(is_reported).await;
    broker.freeze(false).await;
    let mut log = Vec::new();
    while log.last().is_none_or(|last| last != "101") {
        log.push(operator.message().await.payload);
    }
    without_gaps(&log, 101);
    assert!(daemon.all_sent().await.reconnects >= 1);
}

#[tokio::test]
async fn commands_of_two_thousand_boards_come_through() {
    let broker = Mosquitto::start().await;
    let mut settings = settings(&broker.url());
    settings.command_filters = (0..2000)
        .map(|n| format!("chess/v1/hall/cmd/+/b{n}/+"))
        .collect();
    let mut daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    daemon.retain("chess/v1/hall/public/b1/game", "1. e4");
    assert_eq!(daemon.all_sent().await.reconnects, 0);
    let arbiter = Observer::watch(broker.address(), STATE).await;
    for board in ["b0", "b999", "b1999"] {
        let topic = format!("chess/v1/hall/cmd/arbiter/{board}/ruling");
        arbiter.publish(&topic, "{}", false).await;
        assert_eq!(daemon.command().await.topic, topic);
    }
}

#[tokio::test]
async fn of_all_commands_of_a_site_only_the_own_are_kept() {
    let broker = Mosquitto::start().await;
    let mut settings = settings(&broker.url());
    settings.command_filters = vec!["chess/v1/hall/cmd/+/+/+".to_owned()];
    settings.commanded = Some(["b1", "n1"].map(str::to_owned).into());
    let mut daemon = Daemon::start_with(settings, Cursors::default(), Arc::default());
    assert_eq!(daemon.all_sent().await.reconnects, 0);
    let arbiter = Observer::watch(broker.address(), STATE).await;
    let topic = |name: &str| format!("chess/v1/hall/cmd/arbiter/{name}/ack");
    for name in ["b2", "b1", "n2", "n1"] {
        arbiter.publish(&topic(name), "{}", false).await;
    }
    for name in ["b1", "n1"] {
        assert_eq!(daemon.command().await.topic, topic(name));
    }
}
