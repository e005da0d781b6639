use serde_json::{Value, json};

use super::*;

fn mirror(audience: Audience) -> Mirror {
    Mirror::new(&"hall".parse().unwrap(), audience)
}

fn publish(mirror: &Mirror, topic: &str, payload: &str) {
    mirror.take(
        &format!("chess/v1/hall/{topic}"),
        &Bytes::copy_from_slice(payload.as_bytes()),
        None,
    );
}

fn frames(mirror: &Mirror, since: Version, selection: &Selection) -> Vec<String> {
    let news = mirror.since(since, selection, true);
    news.frames.iter().map(ToString::to_string).collect()
}

/// A game of a run of the daemon, as of an entry.
fn game(session: &str, seq: u64) -> String {
    json!({
        "schema": "remisd/game/1", "site": "hall", "board": "b1", "session": session, "seq": seq,
        "time": "2026-11-22T12:00:00.000Z", "game": 1, "laws": "fide-2023", "rate": "standard",
        "headers": {"White": "A", "Event": "E"}, "start_fen": "f", "fen": "f", "ply": 1,
        "turn": "black", "moves": [{"uci": "e2e4", "san": "e4"}],
        "tracker": {"state": "following"}, "result": null,
    })
    .to_string()
}

fn event(seq: usize) -> String {
    json!({
        "schema": "remisd/event/1", "site": "hall", "board": "b1", "session": "s", "seq": seq,
        "time": "2026-11-22T12:00:00.000Z", "monotonic_ms": 1, "input": {"type": "link", "up": true},
        "facts": [],
    })
    .to_string()
}

#[test]
fn the_newest_value_of_a_topic_is_kept_and_sent_once() {
    let mirror = mirror(Audience::Public);
    publish(&mirror, "public/b1/score", "1");
    publish(&mirror, "public/b1/score", "2");
    publish(&mirror, "public/b1/score", "2");
    let all = Selection::default();
    let news = mirror.since(Version::default(), &all, true);
    assert_eq!(
        news.frames,
        [r#"{"type":"value","topic":"b1/score","received":null,"payload":2}"#]
    );
    assert!(mirror.since(news.version, &all, true).frames.is_empty());
    publish(&mirror, "public/b1/score", "");
    assert_eq!(
        frames(&mirror, news.version, &all),
        [r#"{"type":"value","topic":"b1/score","received":null,"payload":null}"#]
    );
}

#[test]
fn other_audiences_and_sites_are_left_out() {
    let mirror = mirror(Audience::Public);
    for (topic, payload) in [
        ("public/B1/score", "1"),
        ("public/b1/a/b", "1"),
        ("public/b1/\"x", "1"),
        ("arbiter/b1/later", "1"),
    ] {
        publish(&mirror, topic, payload);
    }
    mirror.take(
        "chess/v1/other/public/b1/score",
        &Bytes::from_static(b"1"),
        None,
    );
    assert!(frames(&mirror, Version::default(), &Selection::default()).is_empty());
}

#[test]
fn a_page_of_some_boards_gets_those_and_the_nodes() {
    let mirror = mirror(Audience::Public);
    publish(&mirror, "public/b1/score", "1");
    publish(&mirror, "public/b2/score", "2");
    publish(&mirror, "node/n/later", "3");
    let only = Selection {
        boards: Some(["b2".parse().unwrap()].into()),
        tiles: false,
    };
    let got = frames(&mirror, Version::default(), &only);
    assert_eq!(got.len(), 2, "{got:?}");
    assert!(got[0].contains("b2/score") && got[1].contains("node/n/later"));
}

#[test]
fn events_do_not_replace_each_other_and_are_bounded() {
    let mirror = mirror(Audience::Arbiter);
    for number in 0..EVENTS + 10 {
        publish(&mirror, "arbiter/b1/event", &event(number));
    }
    let got = frames(&mirror, Version::default(), &Selection::default());
    assert_eq!(got.len(), EVENTS);
    assert!(got[0].contains("\"seq\":10,"), "{}", got[0]);
}

#[test]
fn a_topic_missing_on_a_new_connection_is_cleared() {
    let mirror = mirror(Audience::Public);
    mirror.begin();
    publish(&mirror, "public/b1/score", "1");
    publish(&mirror, "public/b1/later", "1");
    mirror.complete();
    let before = mirror.since(Version::default(), &Selection::default(), false);
    assert!(before.complete);
    mirror.begin();
    publish(&mirror, "public/b1/score", "1");
    mirror.complete();
    assert_eq!(
        frames(&mirror, before.version, &Selection::default()),
        [r#"{"type":"value","topic":"b1/later","received":null,"payload":null}"#]
    );
}

#[test]
fn tiles_stay_when_a_new_connection_brings_the_same_games() {
    let mirror = mirror(Audience::Arbiter);
    let game = &game("s", 3);
    mirror.begin();
    publish(&mirror, "arbiter/b1/game", game);
    mirror.complete();
    let tiles = Selection {
        boards: None,
        tiles: true,
    };
    let before = mirror.since(Version::default(), &tiles, false);
    assert_eq!(before.frames.len(), 1, "{before:?}");
    mirror.begin();
    publish(&mirror, "arbiter/b1/game", game);
    mirror.complete();
    assert!(frames(&mirror, before.version, &tiles).is_empty());
}

#[test]
fn a_game_of_the_arbiter_is_a_tile_in_an_overview() {
    let mirror = mirror(Audience::Arbiter);
    let game = &game("s", 3);
    publish(&mirror, "arbiter/b1/game", game);
    publish(&mirror, "arbiter/b1/later", "{}");
    let tiles = Selection {
        boards: None,
        tiles: true,
    };
    let got = frames(&mirror, Version::default(), &tiles);
    assert_eq!(got.len(), 1, "{got:?}");
    let frame: Value = serde_json::from_str(&got[0]).unwrap();
    assert_eq!(frame["topic"], "b1/tile");
    assert_eq!(frame["payload"]["last"]["san"], "e4");
    assert_eq!(frame["payload"]["headers"]["White"], "A");
    assert_eq!(frame["payload"]["headers"].get("Event"), None);
    let whole = frames(&mirror, Version::default(), &Selection::default());
    assert!(whole.iter().all(|frame| !frame.contains("b1/tile")));
}

#[test]
fn an_overview_hears_from_every_node_that_is_there() {
    let mirror = mirror(Audience::Arbiter);
    let state = json!({
        "schema": "remisd/state/1", "site": "hall", "node": "n", "session": "s",
        "time": "2026-11-22T12:00:00.000Z", "state": "online",
    });
    let health = json!({
        "schema": "remisd/health/1", "site": "hall", "node": "n", "session": "s",
        "time": "2026-11-22T12:00:00.000Z", "up_ms": 1, "alive": true, "journal_answers": true,
        "broker": {
            "up": true, "for_ms": 1, "waiting": 0, "published": 0, "refused": 0, "reconnects": 0,
            "commands_dropped": 0, "replies_dropped": 0,
        },
        "boards": [],
    });
    publish(&mirror, "node/n/state", &state.to_string());
    publish(&mirror, "node/n/health", &health.to_string());
    for leaf in ["info", "boards"] {
        publish(&mirror, &format!("node/n/{leaf}"), "{}");
    }
    let tiles = Selection {
        boards: None,
        tiles: true,
    };
    let got = frames(&mirror, Version::default(), &tiles);
    let heard = |leaf: &str| {
        got.iter()
            .any(|frame| frame.contains(&format!("node/n/{leaf}")))
    };
    assert!(heard("state") && heard("health"), "{got:?}");
    assert!(
        got.iter().all(|frame| !frame.contains("unreadable")),
        "{got:?}"
    );
    assert!(!heard("info") && !heard("boards"), "{got:?}");
}

#[test]
fn a_broker_that_comes_back_with_what_it_had_long_ago_takes_nothing_back() {
    let mirror = mirror(Audience::Arbiter);
    let game_at = |seq| Bytes::from(game("s", seq));
    let topic = "chess/v1/hall/arbiter/b1/game";
    mirror.begin();
    mirror.take(topic, &game_at(7), Some(Timestamp::UNIX_EPOCH));
    mirror.complete();
    let before = mirror
        .since(Version::default(), &Selection::default(), false)
        .version;
    let tiles = Selection {
        boards: None,
        tiles: true,
    };
    mirror.begin();
    publish(&mirror, "arbiter/b1/game", &game("s", 5));
    mirror.complete();
    assert!(frames(&mirror, before, &Selection::default()).is_empty());
    assert!(frames(&mirror, before, &tiles).is_empty());
    assert_eq!(
        mirror.payload(&"b1".parse().unwrap(), "game"),
        Some(game_at(7))
    );
    // A higher `seq` wins, and so does another run of the daemon.
    for (payload, received) in [
        (game("s", 8), None),
        (game("s", 9), Some(Timestamp::UNIX_EPOCH)),
        (game("t", 2), None),
        (game("u", 1), Some(Timestamp::UNIX_EPOCH)),
    ] {
        mirror.take(topic, &Bytes::from(payload.clone()), received);
        let stands = mirror.payload(&"b1".parse().unwrap(), "game");
        assert_eq!(stands, Some(Bytes::from(payload)));
    }
}

#[test]
fn a_live_message_that_was_overtaken_replaces_nothing_and_confirms_what_is_known() {
    let mirror = mirror(Audience::Arbiter);
    let topic = "chess/v1/hall/arbiter/b1/game";
    let take = |seq| {
        let payload = Bytes::from(game("s", seq));
        mirror.take(topic, &payload, Some(Timestamp::UNIX_EPOCH));
    };
    mirror.begin();
    take(7);
    mirror.complete();
    mirror.begin();
    let before = mirror.since(Version::default(), &Selection::default(), true);
    take(6);
    assert!(frames(&mirror, before.version, &Selection::default()).is_empty());
    // The topic was heard on this connection.
    mirror.complete();
    let stands = mirror.payload(&"b1".parse().unwrap(), "game");
    assert_eq!(stands, Some(Bytes::from(game("s", 7))));
    mirror.take(topic, &Bytes::new(), Some(Timestamp::UNIX_EPOCH));
    assert!(!has_value(&mirror, "game"), "it was cleared");
}

fn has_value(mirror: &Mirror, leaf: &str) -> bool {
    mirror.payload(&"b1".parse().unwrap(), leaf).is_some()
}

#[test]
fn what_cannot_be_read_is_named_and_replaces_what_was_known() {
    let mirror = mirror(Audience::Arbiter);
    let alert = json!({
        "id": "x-1", "level": "red", "code": "fivefold", "arguments": {}, "article": null,
        "text": {"en": "x"}, "since": "2026-11-22T12:00:00.000Z", "acknowledged_by": null,
    });
    let alerts = |alerts: Value| {
        json!({
            "schema": "remisd/alerts/1", "site": "hall", "board": "b1", "session": "s", "seq": 1,
            "time": "2026-11-22T12:00:00.000Z", "alerts": alerts,
        })
        .to_string()
    };
    let mut later = alert.clone();
    later["code"] = "of_a_later_version".into();
    let sound = alerts(json!([alert, later]));
    let mut purple = alert.clone();
    purple["level"] = "purple".into();
    let mut bare = alert.clone();
    bare.as_object_mut().unwrap().remove("arguments");
    for broken in [
        alerts("x".into()),
        alerts(json!([null])),
        alerts(json!([purple])),
        alerts(json!([alert, bare])),
        "{".to_owned(),
        "{}} extra".to_owned(),
        "null".to_owned(),
    ] {
        publish(&mirror, "arbiter/b1/alerts", &sound);
        assert!(has_value(&mirror, "alerts"), "{sound}");
        let before = mirror.since(Version::default(), &Selection::default(), true);
        publish(&mirror, "arbiter/b1/alerts", &broken);
        assert_eq!(
            frames(&mirror, before.version, &Selection::default()),
            [
                r#"{"type":"value","topic":"b1/alerts","received":null,"unreadable":true,"payload":null}"#
            ],
            "{broken}"
        );
        assert!(!has_value(&mirror, "alerts"), "{broken}");
    }
    publish(&mirror, "arbiter/b1/game", &game("s", 3));
    assert!(has_value(&mirror, "game") && has_value(&mirror, "tile"));
    publish(&mirror, "arbiter/b1/game", r#"{"seq":4,"moves":5}"#);
    assert!(!has_value(&mirror, "game") && !has_value(&mirror, "tile"));
    assert_eq!(mirror.boards().len(), 1, "the board is there all the same");
    let named = frames(&mirror, Version::default(), &Selection::default());
    assert_eq!(
        named
            .iter()
            .filter(|frame| frame.contains("unreadable"))
            .count(),
        2,
        "{named:?}"
    );
    let health = r#"{"schema":"remisd/health/1","boards":5}"#;
    publish(&mirror, "node/n/health", health);
    let named = frames(&mirror, Version::default(), &Selection::default());
    assert!(
        named
            .iter()
            .any(|frame| frame.contains("node/n/health") && frame.contains("unreadable"))
    );
}

#[test]
fn draws_and_events_need_what_pages_read_of_them() {
    let mirror = mirror(Audience::Arbiter);
    let draw = |more: Value| {
        let mut draw = json!({
            "schema": "remisd/draw/1", "site": "hall", "board": "b1", "session": "s", "seq": 1,
            "time": "2026-11-22T12:00:00.000Z", "game": 1, "ply": 0, "turn": "white", "fen": "f",
            "laws": "fide-2023",
        });
        (draw.as_object_mut().unwrap()).extend(more.as_object().unwrap().clone());
        draw.to_string()
    };
    publish(&mirror, "arbiter/b1/draw", &draw(json!({})));
    assert!(has_value(&mirror, "draw"));
    for broken in [
        json!({"repetition": 5}),
        json!({"touched": "e2"}),
        json!({"time": "noon"}),
    ] {
        publish(&mirror, "arbiter/b1/draw", &draw(broken.clone()));
        assert!(!has_value(&mirror, "draw"), "{broken}");
    }
    let unknown = json!({
        "seq": 1, "time": "2026-11-22T12:00:00.000Z", "input": {"type": "later"},
        "facts": [{"type": "of_a_later_version"}],
    });
    publish(&mirror, "arbiter/b1/event", &unknown.to_string());
    publish(&mirror, "arbiter/b1/event", r#"{"seq":2,"facts":[null]}"#);
    let events = frames(&mirror, Version::default(), &Selection::default());
    let events = events.iter().filter(|frame| frame.contains("b1/event"));
    assert_eq!(events.count(), 1);
}

#[test]
fn a_daemon_whose_health_cannot_be_read_is_heard_each_time() {
    let mirror = mirror(Audience::Arbiter);
    let topic = "chess/v1/hall/node/n/health";
    let heard = |second: i64| {
        let at = Timestamp::from_second(second).unwrap();
        mirror.take(topic, &Bytes::from_static(b"{}"), Some(at));
        mirror.since(Version::default(), &Selection::default(), true)
    };
    let first = heard(1);
    let second = heard(11);
    assert_eq!((first.frames.len(), second.frames.len()), (1, 1));
    assert_ne!(first.frames, second.frames);
}
