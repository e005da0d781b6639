//! Tests the access list itself: every kind of topic with every user.

use std::{collections::BTreeMap, net::SocketAddr};

use rumqttc::v5::mqttbytes::v5::ConnectReturnCode;

use crate::{
    PASSWORD, PUPPETEER, broker,
    client::Client,
    expected::{NOBODY, Row, USERS, VERBS, rows},
    page::{self, Seen},
};
use remisd_testkit::mosquitto::shipped;

/// All filters with which a user may try to receive everything.
const EVERYTHING: [&str; 4] = ["#", "$SYS/#", "+/+/+/+/+/+", "$share/thieves/#"];

async fn user(broker: SocketAddr, name: &str) -> Client {
    let connected = Client::connect(broker, Some((name, PASSWORD)), None).await;
    connected.unwrap_or_else(|code| panic!("{name} is not let in: {code:?}"))
}

/// What each user could write and read, by topic.
async fn look(broker: SocketAddr, rows: &[Row]) -> BTreeMap<String, Seen> {
    let topics: Vec<String> = rows.iter().map(|row| row.topic.clone()).collect();
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for topic in &topics {
        let nothing = Seen {
            topic: topic.clone(),
            reads: vec![false; USERS.len()],
            writes: vec![false; USERS.len()],
        };
        assert!(
            seen.insert(topic.clone(), nothing).is_none(),
            "{topic} twice"
        );
    }
    let named = || {
        USERS
            .iter()
            .enumerate()
            .filter(|(_, name)| **name != NOBODY)
    };
    for (column, name) in named() {
        let mut writer = user(broker, name).await;
        let taken = writer.publish_all(&topics, false).await;
        for (topic, taken) in topics.iter().zip(taken) {
            seen.get_mut(topic).unwrap().writes[column] = taken;
        }
    }
    // Readers connected at the time of publishing, and readers that come later for retained
    // messages.
    let mut live = Vec::new();
    for (column, name) in named() {
        let mut reader = user(broker, name).await;
        reader.subscribe(&EVERYTHING).await;
        live.push((column, reader));
    }
    let mut puppeteer = user(broker, PUPPETEER).await;
    puppeteer.subscribe(&EVERYTHING[..2]).await;
    puppeteer.publish_all(&topics, true).await;
    let all = puppeteer.received().await;
    for topic in &topics {
        assert!(all.contains(topic), "there was nothing to read on {topic}");
    }
    for (column, mut reader) in live {
        let name = USERS[column];
        let mut late = user(broker, name).await;
        late.subscribe(&EVERYTHING[..3]).await;
        let (live, kept) = (reader.received().await, late.received().await);
        for topic in &topics {
            // The broker publishes its own topics at any time.
            let is_of_broker = topic.starts_with("$SYS/");
            assert!(
                is_of_broker || live.contains(topic) == kept.contains(topic),
                "{name}: {topic}"
            );
            let reads = live.contains(topic) || kept.contains(topic);
            seen.get_mut(topic).unwrap().reads[column] = reads;
        }
        for topic in live.iter().chain(&kept) {
            assert!(
                seen.contains_key(topic),
                "{name} reads {topic}, which is not expected"
            );
        }
    }
    seen
}

/// The differences between observation and expectation.
fn differences(rows: &[Row], seen: &BTreeMap<String, Seen>) -> Vec<String> {
    let mut differences = Vec::new();
    for row in rows {
        let seen = &seen[&row.topic];
        for (column, name) in USERS.iter().enumerate() {
            let mut compare = |does: &str, may: bool, can: bool| {
                if may != can {
                    let word = if can { "can" } else { "cannot" };
                    differences.push(format!("{name} {word} {does} {}", row.topic));
                }
            };
            compare("read", row.readers.contains(name), seen.reads[column]);
            compare("write", row.writers.contains(name), seen.writes[column]);
        }
    }
    differences
}

#[tokio::test]
async fn everybody_reads_and_writes_his_own_and_nothing_else() {
    let broker = broker(&shipped("acl")).await;
    let rows = rows();
    let mut seen = look(broker.address(), &rows).await;
    let wrong = differences(&rows, &seen);
    let in_order = rows.iter().filter_map(|row| seen.remove(&row.topic));
    // The other site must have the same rights.
    let here: Vec<Seen> = in_order
        .filter(|seen| !seen.topic.starts_with("chess/v1/elsewhere/"))
        .collect();
    let page = page::page(&here);
    println!("{page}");
    assert!(wrong.is_empty(), "{wrong:#?}");
    page::is_current(&page);
}

/// A table that finds no differences must be able to find one.
#[tokio::test]
async fn a_list_with_a_hole_in_it_is_noticed() {
    let hole = "\nuser hall\ntopic read chess/v1/+/player/#\nuser b1-white\ntopic write chess/v1/hall/cmd/black/b1/+\n";
    let broker = broker(&format!("{}{hole}", shipped("acl"))).await;
    let rows = rows();
    let seen = look(broker.address(), &rows).await;
    let wrong = differences(&rows, &seen);
    assert!(wrong.contains(&"hall can read chess/v1/hall/player/b1/clock".to_owned()));
    assert!(wrong.contains(&"b1-white can write chess/v1/hall/cmd/black/b1/resign".to_owned()));
    let holes =
        |line: &String| line.starts_with("hall can read") || line.contains("/cmd/black/b1/");
    assert!(wrong.iter().all(holes), "{wrong:#?}");
}

/// Limits what one user can leave at the broker as retained messages: only their verbs, at their
/// boards, on one site.
#[tokio::test]
async fn a_user_of_a_board_cannot_fill_the_broker_with_retained_rubbish() {
    let broker = broker(&shipped("acl")).await;
    let own = |verb: &str| format!("chess/v1/hall/cmd/white/b1/{verb}");
    let names: Vec<String> = (0..200).map(|number| format!("rubbish-{number}")).collect();
    let mut topics: Vec<String> = names.iter().map(|name| own(name)).collect();
    for name in &names {
        topics.extend([
            format!("chess/v1/{name}/cmd/white/b1/offer"),
            format!("chess/v1/hall/cmd/white/{name}/offer"),
            format!("chess/v1/hall/cmd/{name}/b1/offer"),
            format!("chess/v1/hall/cmd/white/b1/offer/{name}"),
            format!("chess/v1/hall/reply/b1-white/{name}"),
            format!("chess/v1/hall/{name}/b1/game"),
            name.clone(),
        ]);
    }
    let mut white = user(broker.address(), "b1-white").await;
    let taken = white.publish_all(&topics, true).await;
    assert!(taken.iter().all(|taken| !taken), "nothing of it is taken");
    let verbs: Vec<String> = VERBS.iter().map(|verb| own(verb)).collect();
    let taken = white.publish_all(&verbs, true).await;
    let taken = taken.into_iter().filter(|taken| *taken).count();

    let mut puppeteer = user(broker.address(), PUPPETEER).await;
    puppeteer.subscribe(&EVERYTHING[..1]).await;
    let kept = puppeteer.received().await;
    assert_eq!(kept.len(), taken, "{kept:?}");
    let all_own = kept.iter().all(|topic| topic.starts_with(&own("")));
    assert!(all_own && (1..VERBS.len()).contains(&taken), "{kept:?}");
}

#[tokio::test]
async fn home_assistant_topics_need_their_access_rule() {
    let line = "# topic write homeassistant/device/#";
    let acl = shipped("acl");
    assert!(acl.contains(line));
    let broker = broker(&acl.replace(line, line.trim_start_matches("# "))).await;
    let mut rows = rows();
    let topic = "homeassistant/device/remisd-hall-b1/config";
    let row = rows.iter_mut().find(|row| row.topic == topic).unwrap();
    row.writers.push("remisd");
    let wrong = differences(&rows, &look(broker.address(), &rows).await);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn clients_without_a_name_and_a_password_are_refused() {
    let broker = broker(&shipped("acl")).await;
    for who in [
        None,
        Some(("arbiter", "")),
        Some(("arbiter", "guessed")),
        Some(("", PASSWORD)),
        Some(("nobody", PASSWORD)),
        Some(("+", PASSWORD)),
        Some(("#", PASSWORD)),
    ] {
        let refused = Client::connect(broker.address(), who, None).await;
        let codes = [
            ConnectReturnCode::NotAuthorized,
            ConnectReturnCode::BadUserNamePassword,
        ];
        let code = refused.err().unwrap_or_else(|| panic!("{who:?} is let in"));
        assert!(codes.contains(&code), "{who:?}: {code:?}");
    }
}
