//! The feeds of pages: retained messages and changes, but nothing for other audiences.

use serde_json::Value;

use super::{PASSWORD, Stage, game};

const START: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

/// An entry of the journal of b1.
fn event(seq: u64) -> String {
    serde_json::json!({
        "schema": "remisd/event/1", "site": "hall", "board": "b1", "session": "s", "seq": seq,
        "time": "2026-11-22T12:00:00.000Z", "monotonic_ms": 1, "facts": [],
        "input": {"type": "link", "up": true},
    })
    .to_string()
}

fn is_value(frame: &Value, topic: &str) -> bool {
    frame["type"] == "value" && frame["topic"] == topic
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_begins_with_what_is_retained_and_goes_on_with_what_changes() {
    let stage = Stage::set().await;
    stage.publish("public/b1/game", &game(1, START), true).await;
    stage
        .publish("node/n/state", r#"{"state":"online"}"#, true)
        .await;
    let browser = stage.browser().await;
    let mut feed = browser.feed("audience=public").await.unwrap();
    let frames = feed.snapshot().await;
    assert_eq!(frames[0]["type"], "hello");
    assert_eq!(frames[0]["site"], "hall");
    let first = frames
        .iter()
        .find(|frame| is_value(frame, "b1/game"))
        .unwrap();
    assert_eq!(first["payload"]["fen"], START);
    assert!(frames.iter().any(|frame| is_value(frame, "node/n/state")));

    feed.send("anything").await;
    stage.publish("public/b1/game", &game(2, START), true).await;
    let next = feed.until(|frame| is_value(frame, "b1/game")).await;
    assert_eq!(next["payload"]["seq"], 2);
    assert!(next["received"].is_string(), "{next}");
    stage.publish("public/b1/game", "", true).await;
    let cleared = feed.until(|frame| is_value(frame, "b1/game")).await;
    assert_eq!(cleared["payload"], Value::Null);
    let beat = feed.until(|frame| frame["type"] == "beat").await;
    assert_eq!(beat["broker"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_three_hundred_boards_every_topic_comes() {
    let stage = Stage::set().await;
    let leaves = [
        "game",
        "draw",
        "clock",
        "offer",
        "result",
        "alerts",
        "link",
        "availability",
    ];
    let topics: Vec<String> = (1..=300)
        .flat_map(|board| leaves.map(|leaf| format!("b{board}/{leaf}")))
        .collect();
    let message = |topic: &String| (format!("arbiter/{topic}"), r#"{"seq":1}"#.to_owned());
    stage
        .publish_all(topics.iter().map(message).collect())
        .await;
    let arbiter = stage.signed_in("arbiter", None).await;
    let mut feed = arbiter.feed("audience=arbiter").await.unwrap();
    let frames = feed.snapshot().await;
    let missing: Vec<&String> = topics
        .iter()
        .filter(|topic| !frames.iter().any(|frame| is_value(frame, topic)))
        .collect();
    assert!(missing.is_empty(), "{} of {}", missing.len(), topics.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_public_requires_a_role_that_may_see_it() {
    let stage = Stage::set().await;
    let stranger = stage.browser().await;
    let white = stage.signed_in("white", Some("b1")).await;
    let screen = stage.signed_in("hall", None).await;
    let arbiter = stage.signed_in("arbiter", None).await;
    for (browser, query, may) in [
        (&stranger, "audience=public", Ok(())),
        (&stranger, "audience=hall", Err(401)),
        (&stranger, "audience=player&boards=b1", Err(401)),
        (&stranger, "audience=arbiter", Err(401)),
        (&stranger, "audience=anything", Err(400)),
        (&stranger, "audience=public&boards=B1", Err(400)),
        (&stranger, "audience=public&view=tiles", Err(400)),
        (&white, "audience=player&boards=b1", Ok(())),
        (&white, "audience=player&boards=b2", Err(401)),
        (&white, "audience=player", Err(401)),
        (&white, "audience=hall", Err(401)),
        (&white, "audience=arbiter", Err(401)),
        (&screen, "audience=hall", Ok(())),
        (&screen, "audience=arbiter", Err(401)),
        (&arbiter, "audience=arbiter", Ok(())),
        (&arbiter, "audience=arbiter&view=tiles", Ok(())),
    ] {
        let feed = browser.feed(query).await.map(|_| ());
        assert_eq!(feed, may, "{query}");
    }
    let mut foreign = arbiter.clone();
    foreign.origin = Some("http://evil.example".to_owned());
    assert_eq!(foreign.feed("audience=arbiter").await.map(|_| ()), Err(403));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_another_audience_or_board_ever_comes() {
    let stage = Stage::set().await;
    for audience in ["arbiter", "operator", "public", "hall", "player"] {
        for board in ["b1", "b2"] {
            let payload = format!("{{\"of\":\"{audience} {board}\"}}");
            stage
                .publish(&format!("{audience}/{board}/later"), &payload, true)
                .await;
        }
    }
    let white = stage.signed_in("white", Some("b1")).await;
    let screen = stage.signed_in("hall", None).await;
    for (browser, query, expected) in [
        (&white, "audience=player&boards=b1", vec!["player b1"]),
        (&white, "audience=public&boards=b2", vec!["public b2"]),
        (&screen, "audience=hall", vec!["hall b1", "hall b2"]),
    ] {
        let frames = browser.feed(query).await.unwrap().snapshot().await;
        let mut of: Vec<&str> = frames
            .iter()
            .filter_map(|f| f["payload"]["of"].as_str())
            .collect();
        of.sort_unstable();
        assert_eq!(of, expected, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_sees_tiles_and_of_an_open_board_everything() {
    let stage = Stage::set().await;
    stage
        .publish("arbiter/b1/game", &game(1, START), true)
        .await;
    stage.publish("arbiter/b1/draw", "{}", true).await;
    let arbiter = stage.signed_in("arbiter", None).await;
    let mut tiles = arbiter.feed("audience=arbiter&view=tiles").await.unwrap();
    let frames = tiles.snapshot().await;
    let tile = frames
        .iter()
        .find(|frame| is_value(frame, "b1/tile"))
        .unwrap();
    assert_eq!(tile["payload"]["last"]["san"], "e4");
    assert!(
        !frames
            .iter()
            .any(|f| is_value(f, "b1/game") || is_value(f, "b1/draw"))
    );

    let mut open = arbiter.feed("audience=arbiter&boards=b1").await.unwrap();
    let frames = open.snapshot().await;
    assert!(frames.iter().any(|frame| is_value(frame, "b1/game")));
    stage.publish("arbiter/b1/event", &event(7), false).await;
    let event = open.until(|frame| is_value(frame, "b1/event")).await;
    assert_eq!(event["payload"]["seq"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_returns_empty_clears_the_retained_values() {
    let mut stage = Stage::set().await;
    stage.publish("public/b1/game", &game(1, START), true).await;
    stage.publish("public/b2/game", &game(1, START), true).await;
    let browser = stage.browser().await;
    let mut feed = browser.feed("audience=public").await.unwrap();
    feed.snapshot().await;
    stage.broker.kill().await;
    feed.until(|frame| frame["type"] == "beat" && frame["broker"] == false)
        .await;
    stage.broker.restart().await;
    stage.publish("public/b1/game", &game(1, START), true).await;
    let cleared = feed.until(|frame| is_value(frame, "b2/game")).await;
    assert_eq!(cleared["payload"], Value::Null);
    feed.until(|frame| frame["type"] == "beat" && frame["broker"] == true)
        .await;
    // A new connection receives the current state.
    let again = browser
        .feed("audience=public")
        .await
        .unwrap()
        .snapshot()
        .await;
    assert!(
        again
            .iter()
            .any(|f| is_value(f, "b1/game") && !f["payload"].is_null())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_that_signed_out_receives_nothing_more() {
    let stage = Stage::set().await;
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let mut feed = arbiter.feed("audience=arbiter").await.unwrap();
    feed.snapshot().await;
    arbiter.ask("DELETE", "/api/session", "", b"").await;
    let ended = feed.until(|frame| frame["type"] == "ended").await;
    assert_eq!(ended["code"], "signed_out");
    assert_eq!(feed.next().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_refused_later_is_not_shown_as_signed_in_and_hides_no_other() {
    let mut stage = Stage::set().await;
    let mut tablet = stage.signed_in("white", Some("b1")).await;
    let query = "audience=player&boards=b1";
    let mut feed = tablet.feed(query).await.unwrap();
    feed.snapshot().await;
    tablet.sign_in("black", Some("b1"), PASSWORD).await;
    let ended = feed.until(|frame| frame["type"] == "ended").await;
    assert_eq!(ended["code"], "signed_out");
    let mut feed = tablet.feed(query).await.unwrap();
    feed.snapshot().await;
    stage.broker.dismiss("b1-white");
    stage.broker.kill().await;
    stage.broker.restart().await;
    let ended = feed.until(|frame| frame["type"] == "ended").await;
    assert_eq!(ended["code"], "refused");
    let grants = tablet.get("/api/session").await.json()["grants"].clone();
    assert_eq!(grants.as_array().map(Vec::len), Some(1), "{grants}");
    assert_eq!(grants[0]["role"], "black");
    assert!(tablet.feed(query).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_player_takes_the_places_of_others_with_any_number_of_browsers() {
    const PLACES: usize = 16;
    let stage = Stage::set().await;
    let query = "audience=player&boards=b1";
    let mut open = Vec::new();
    for user in ["white", "black"] {
        let first = stage.signed_in(user, Some("b1")).await;
        let second = stage.signed_in(user, Some("b1")).await;
        for n in 0..PLACES {
            let browser = if n % 2 == 0 { &first } else { &second };
            open.push(browser.feed(query).await.unwrap());
        }
        let third = stage.signed_in(user, Some("b1")).await;
        for browser in [&first, &second, &third] {
            assert_eq!(browser.feed(query).await.map(|_| ()), Err(503), "{user}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_a_browser_nor_screens_take_the_arbiters_places() {
    const OF_ONE_BROWSER: usize = 16;
    const OF_SCREENS: usize = 256;
    let stage = Stage::set().await;
    let arbiter = stage.signed_in("arbiter", None).await;
    let mut open = Vec::new();
    while open.len() < OF_SCREENS {
        let screen = stage.signed_in("hall", None).await;
        for _ in 0..OF_ONE_BROWSER {
            open.push(screen.feed("audience=hall").await.unwrap());
        }
        assert_eq!(screen.feed("audience=hall").await.map(|_| ()), Err(503));
    }
    let player = stage.signed_in("black", Some("b1")).await;
    let query = "audience=player&boards=b1";
    assert_eq!(player.feed(query).await.map(|_| ()), Err(503));
    for _ in 0..OF_ONE_BROWSER {
        open.push(arbiter.feed("audience=arbiter").await.unwrap());
    }
    assert_eq!(arbiter.feed("audience=arbiter").await.map(|_| ()), Err(503));
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_get_the_same_as_server_sent_events() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    let stage = Stage::set().await;
    stage.publish("public/b1/game", &game(1, START), true).await;
    let mut stream = tokio::net::TcpStream::connect(stage.server).await;
    if stream.is_err() {
        stage.browser().await;
        stream = tokio::net::TcpStream::connect(stage.server).await;
    }
    let mut stream = stream.unwrap();
    let request = "GET /api/events?audience=public HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let read = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if let Some(data) = line.strip_prefix("data: ") {
                let frame: Value = serde_json::from_str(data).unwrap();
                if is_value(&frame, "b1/game") {
                    return frame;
                }
            }
        }
        panic!("the events have ended");
    };
    let frame = tokio::time::timeout(super::DEADLINE, read)
        .await
        .expect("silence");
    assert_eq!(frame["payload"]["fen"], START);
}
