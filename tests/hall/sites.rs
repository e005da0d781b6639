//! Several sites in one server: each has its own pages, feeds and sessions.

use std::net::Ipv4Addr;

use serde_json::json;

use super::{PASSWORD, Stage, USERS};
use remisd_testkit::mosquitto::Mosquitto;

/// The access list lets the arbiter write at `hall` alone.
async fn two_sites() -> Stage {
    let broker = Mosquitto::start_guarded(&USERS, PASSWORD).await;
    let lines = "public_username = \"public\"\nsites = [\"club-b\"]";
    Stage::at(broker, Ipv4Addr::LOCALHOST, lines)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_site_has_its_pages_and_the_server_names_them() {
    let stage = two_sites().await;
    let mut browser = stage.browser().await;
    let sites = browser.get("/api/sites").await.json();
    let found = sites["sites"].as_array().unwrap();
    let found = found.iter().map(|site| (&site["site"], &site["path"]));
    let expected = [
        (&json!("hall"), &json!("site/hall/")),
        (&json!("club-b"), &json!("site/club-b/")),
    ];
    assert_eq!(found.collect::<Vec<_>>(), expected);
    for (folder, site) in [
        ("", "hall"),
        ("/site/hall", "hall"),
        ("/site/club-b", "club-b"),
    ] {
        let about = browser.get(&format!("{folder}/api/site")).await.json();
        assert_eq!(about["site"], site);
        for page in [
            "/",
            "/arbiter",
            "/operator",
            "/display",
            "/clock",
            "/overlay",
        ] {
            let answer = browser.get(&format!("{folder}{page}")).await;
            assert_eq!(answer.status, 200, "{folder}{page}");
            let text = String::from_utf8(answer.body).unwrap();
            for named in text.split('"').filter(|part| part.starts_with("assets/")) {
                let asset = browser.get(&format!("{folder}/{named}")).await;
                assert_eq!(asset.status, 200, "{folder}{page} names {named}");
            }
        }
    }
    assert_eq!(browser.get("/chief").await.status, 200);
    // Relative, for a web server that serves the pages below a path of its own.
    let moved = browser.get("/site/club-b").await;
    assert_eq!(
        (moved.status, moved.header("location")),
        (308, Some("club-b/"))
    );
    for path in [
        "/site/club-c/",
        "/site/",
        "/site/club-b/chief",
        "/site/club-b/api/sites",
    ] {
        assert_eq!(browser.get(path).await.status, 404, "{path}");
    }
    browser.host = "evil.example".to_owned();
    for path in [
        "/chief",
        "/api/sites",
        "/site/club-b/",
        "/site/club-b/api/site",
    ] {
        assert_eq!(browser.get(path).await.status, 421, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_has_the_values_of_its_own_site() {
    let stage = two_sites().await;
    for (site, state) in [("hall", "online"), ("club-b", "fault")] {
        let value = json!({
            "schema": "remisd/availability/1", "site": site, "board": "b1", "session": "s",
            "seq": 1, "time": "2026-11-22T12:00:00.000Z", "state": state,
        })
        .to_string();
        let topic = "public/b1/availability";
        stage.publish_at(site, topic, &value, true).await;
    }
    let browser = stage.browser().await;
    for (folder, site, state) in [("", "hall", "online"), ("/site/club-b", "club-b", "fault")] {
        let mut feed = browser.feed_at(folder, "audience=public").await.unwrap();
        let frames = feed.snapshot().await;
        assert_eq!(frames[0]["site"], site);
        let values = frames.iter().filter(|frame| frame["type"] == "value");
        let values: Vec<_> = values.map(|frame| &frame["payload"]["state"]).collect();
        assert_eq!(values, [&json!(state)]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_at_one_site_opens_nothing_at_another() {
    let stage = two_sites().await;
    let mut browser = stage.signed_in("arbiter", None).await;
    assert!(browser.feed("audience=arbiter").await.is_ok());
    // The pages of the own site are in two places.
    let here = browser.feed_at("/site/hall", "audience=arbiter").await;
    assert!(here.is_ok());
    let there = browser.feed_at("/site/club-b", "audience=arbiter").await;
    assert_eq!(there.err(), Some(401));
    let command = browser
        .post("/site/club-b/api/command/arbiter/b1/ack", &json!({}))
        .await;
    assert_eq!(command.status, 401);
    // Nor does the broker give this user the role there.
    let who = json!({
        "role": "arbiter", "user": "arbiter", "password": PASSWORD, "name": "Anna",
    });
    let refused = browser.post("/site/club-b/api/session", &who).await;
    assert_eq!(refused.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn passwords_are_not_guessed_faster_at_several_sites() {
    let stage = two_sites().await;
    let mut browser = stage.browser().await;
    let who = json!({ "role": "arbiter", "user": "arbiter", "password": "guess" });
    for attempt in 0..10 {
        let folder = ["", "/site/club-b"][attempt % 2];
        let answer = browser.post(&format!("{folder}/api/session"), &who).await;
        assert_eq!(answer.status, 401);
    }
    for folder in ["", "/site/club-b"] {
        let answer = browser.post(&format!("{folder}/api/session"), &who).await;
        assert_eq!(answer.status, 429);
    }
}
