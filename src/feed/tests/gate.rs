//! One gate per server: addresses wait for each other, and rest together.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use http::{StatusCode, Uri};
use remisd_transport::Https;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

use super::{
    super::{
        Failure, Location, NoAccess, Servers,
        gate::{AT_ONCE, Requester},
        polled::PolledText,
        round_stream::{Pace, RoundStream},
    },
    server::{Server, passes},
    streaming::QUICK,
};

const EVERY: Duration = Duration::from_secs(5);

fn servers() -> Servers {
    Servers::new(Https::new().unwrap())
}

fn uri(text: &str) -> Uri {
    text.parse().unwrap()
}

fn far() -> Instant {
    Instant::now() + Duration::from_hours(1)
}

fn requester(id: u64) -> Requester {
    Requester { id, every: EVERY }
}

fn text(server: &Server, path: &str, servers: &Servers) -> PolledText {
    let Ok(Location::Text(address)) = server.at(path).parse() else {
        panic!("{path}");
    };
    PolledText::new(address, servers.clone(), Duration::ZERO)
}

fn stream(server: &Server, servers: &Servers) -> RoundStream {
    let path = "/api/stream/broadcast/round/AbCd1234.pgn";
    let Ok(Location::LichessRound(address)) = server.at(path).parse() else {
        panic!("{path}");
    };
    let pace = Pace {
        grace: Duration::ZERO,
        ..QUICK
    };
    RoundStream::new(address, servers.clone(), pace)
}

#[tokio::test(start_paused = true)]
async fn thirty_addresses_of_a_server_are_spread_and_at_most_four_are_under_way() {
    let gate = servers().gate(&uri("https://example.org/1.pgn")).unwrap();
    let starts = Arc::new(Mutex::new(Vec::new()));
    let (under_way, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let begin = Instant::now();
    let mut addresses = JoinSet::new();
    for id in 0..30 {
        let (gate, starts) = (gate.clone(), starts.clone());
        let (under_way, most) = (under_way.clone(), most.clone());
        addresses.spawn(async move {
            for _ in 0..3 {
                let place = gate.pass(requester(id), far()).await.unwrap();
                starts.lock().unwrap().push(Instant::now());
                let now = under_way.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                // A slow answer.
                sleep(Duration::from_millis(300)).await;
                under_way.fetch_sub(1, Ordering::SeqCst);
                drop(place);
                sleep(EVERY).await;
            }
        });
    }
    addresses.join_all().await;
    let starts = starts.lock().unwrap();
    assert_eq!(starts.len(), 90);
    assert_eq!(most.load(Ordering::SeqCst), AT_ONCE);
    let pauses = starts.windows(2).map(|pair| pair[1] - pair[0]);
    let least = pauses.min().unwrap();
    assert!(least >= Duration::from_millis(80), "{least:?}");
    // Nobody waits much longer than the interval.
    let whole = starts[89] - begin;
    assert!(whole < EVERY * 4, "{whole:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_is_a_scheme_a_host_and_a_port() {
    let servers = servers();
    let gate = |text: &str| servers.gate(&uri(text)).unwrap();
    let first = gate("https://example.org/1.pgn");
    for same in [
        "https://example.org/2.pgn?key=1",
        "https://EXAMPLE.org:443/",
    ] {
        assert!(Arc::ptr_eq(&first, &gate(same)), "{same}");
    }
    for other in [
        "http://example.org/1.pgn",
        "https://example.org:8443/1.pgn",
        "https://www.example.org/1.pgn",
    ] {
        assert!(!Arc::ptr_eq(&first, &gate(other)), "{other}");
    }
    // Redirects to ever other servers are forgotten, and a server in use is not.
    for number in 0..2_000 {
        gate(&format!("https://{number}.example.org/"));
    }
    assert!(Arc::ptr_eq(&first, &gate("https://example.org/3.pgn")));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_closes_the_gate_for_all_and_counts_once() {
    let gate = servers().gate(&uri("https://example.org/1.pgn")).unwrap();
    let refused = |wait: Option<u64>| Failure::Busy {
        status: StatusCode::TOO_MANY_REQUESTS,
        wait: wait.map(Duration::from_secs),
    };
    let fail = |wait| match gate.failed(refused(wait), Instant::now()) {
        Failure::Busy {
            wait: Some(wait), ..
        } => wait,
        other => panic!("{other}"),
    };
    // One that waits in the line when the answer comes does not go.
    let places = [0, 1, 2, 3].map(|id| gate.pass(requester(id), far()));
    let mut held = Vec::new();
    for place in places {
        held.push(place.await.unwrap());
    }
    let line = tokio::spawn({
        let gate = gate.clone();
        async move { gate.pass(requester(4), far()).await.map(drop) }
    });
    tokio::task::yield_now().await;
    let first = fail(None);
    assert!((60..=120).contains(&first.as_secs()), "{first:?}");
    // Answers to the other three come a moment later.
    sleep(Duration::from_secs(1)).await;
    for _ in 0..3 {
        let wait = fail(None);
        assert!(wait <= first, "{wait:?}");
    }
    drop(held);
    assert!(matches!(line.await.unwrap(), Err(Failure::Busy { .. })));
    // A longer wait that one of them asks for counts.
    assert_eq!(fail(Some(300)).as_secs(), 300);
    // A good answer to an old request opens nothing.
    gate.good(Instant::now());
    sleep(Duration::from_secs(299)).await;
    let still = gate.pass(requester(5), far()).await;
    assert!(matches!(still, Err(Failure::Busy { .. })));
    sleep(Duration::from_secs(1)).await;
    drop(gate.pass(requester(5), far()).await.unwrap());
    // The next refusal is a second one, and the next after a good answer a first one.
    assert!(fail(None).as_secs() >= 120);
    sleep(Duration::from_mins(5)).await;
    gate.good(Instant::now());
    assert!(fail(None).as_secs() <= 120);
}

#[tokio::test]
async fn an_answer_to_one_address_holds_the_others_and_the_streams_of_the_server() {
    let (server, other) = (Server::start().await, Server::start().await);
    let servers = servers();
    let mut first = text(&server, "/1.pgn", &servers);
    let mut second = text(&server, "/2.pgn", &servers);
    let mut round = stream(&server, &servers);
    let mut elsewhere = text(&other, "/1.pgn", &servers);
    for server in [&server, &other] {
        server.serves("", "1. e4 e5 *\n");
    }
    second.look().await.unwrap();
    server.answers("429 Too Many Requests\nretry-after: 120", "");
    first.look().await.unwrap_err();
    let asked = server.requests();
    // The games stay, and are not current.
    let found = second.look().await.unwrap();
    assert!(found.games.len() == 1 && !found.games[0].is_current);
    let lost = round.look().await.unwrap_err();
    assert!(lost.to_string().contains("429 Too Many Requests"), "{lost}");
    assert_eq!(server.requests(), asked, "nothing was requested");
    elsewhere.look().await.unwrap();
    // Without a good answer the boards are lost, although they requested nothing.
    passes(Duration::from_secs(31)).await;
    let lost = second.look().await.unwrap_err();
    assert!(matches!(*lost, Failure::Busy { .. }), "{lost}");
    passes(Duration::from_secs(90)).await;
    server.serves("", "1. e4 e5 *\n");
    for text in [&mut first, &mut second] {
        assert!(text.look().await.unwrap().games[0].is_current);
    }
    assert_eq!(server.requests(), asked + 2);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_gets_its_turn_is_a_loss() {
    let gate = servers().gate(&uri("https://example.org/1.pgn")).unwrap();
    let mut held = Vec::new();
    for id in 0..4 {
        held.push(gate.pass(requester(id), far()).await.unwrap());
    }
    let deadline = Instant::now() + Duration::from_secs(30);
    let lost = gate.pass(requester(4), deadline).await.unwrap_err();
    assert!(matches!(lost, Failure::Queued), "{lost}");
    assert!(Instant::now() >= deadline);
    // Its place in the line is free again.
    drop(held);
    drop(gate.pass(requester(5), far()).await.unwrap());
}

#[tokio::test]
async fn a_token_goes_to_rounds_of_its_server_with_tls_and_nowhere_else() {
    let token = "lip_hunter2";
    let given = servers()
        .with_token("https://chess.example", token)
        .unwrap();
    let sent = |address: &str| given.authorization(&uri(address));
    for its in [
        "https://chess.example/api/stream/broadcast/round/AbCd1234.pgn",
        "https://CHESS.example:443/api/stream/broadcast/round/AbCd1234.pgn",
    ] {
        let value = sent(its).unwrap();
        assert_eq!(value.as_bytes(), b"Bearer lip_hunter2", "{its}");
        assert!(value.is_sensitive());
    }
    for other in [
        "http://chess.example/round",
        "http://chess.example:443/round",
        "https://chess.example:8443/round",
        "https://www.chess.example/round",
        "https://chess.example.evil/round",
        "https://lichess.org/round",
    ] {
        assert_eq!(sent(other), None, "{other}");
    }
    assert!(!format!("{given:?}").contains("hunter2"));
    for (server, token, wrong) in [
        ("http://chess.example", token, NoAccess::Server),
        ("http://127.0.0.1", token, NoAccess::Server),
        ("chess.example", token, NoAccess::Server),
        ("https://chess.example", "a\nb", NoAccess::Token),
    ] {
        let refused = servers().with_token(server, token).unwrap_err();
        assert_eq!(refused, wrong, "{server}");
        assert!(!refused.to_string().contains(token));
    }
    // The same host and port without TLS, and a text at an address.
    let server = Server::start().await;
    let tls = server.at("").replace("http://", "https://");
    let given = servers().with_token(&tls, token).unwrap();
    server.answers("401 Unauthorized", "");
    stream(&server, &given).look().await.unwrap_err();
    assert!(!server.last_request().contains("authorization"));
    text(&server, "/1.pgn", &given).look().await.unwrap_err();
    assert!(!server.last_request().contains("authorization"));
    assert_eq!(server.requests(), 2);
}
