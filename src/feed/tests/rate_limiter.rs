//! One rate limiter per server: addresses wait for each other, and rest together.

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
        Failure, Location, Servers,
        polled::PolledText,
        rate_limiter::{RateLimiter, Requester},
        round_stream::{Pace, RoundStream},
    },
    server::{Server, StreamServer, passes},
    streaming::{QUICK, again, game, looks, until},
};

const EVERY: Duration = Duration::from_secs(5);

fn servers() -> Servers {
    Servers::new(Https::new().unwrap())
}

fn uri(text: &str) -> Uri {
    text.parse().unwrap()
}

/// Refuses a request. Returns for how long the rate limiter is closed.
fn refuse(limiter: &RateLimiter, wait: Option<u64>) -> Duration {
    let refused = Failure::Busy {
        status: StatusCode::TOO_MANY_REQUESTS,
        wait: wait.map(Duration::from_secs),
    };
    match limiter.failed(refused, Instant::now()) {
        Failure::Busy {
            wait: Some(wait), ..
        } => wait,
        other => panic!("{other}"),
    }
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

fn stream(address: &str, servers: &Servers, pace: Pace) -> RoundStream {
    let Ok(Location::LichessRound(address)) = address.parse() else {
        panic!("{address}");
    };
    RoundStream::new(address, servers.clone(), pace)
}

#[tokio::test(start_paused = true)]
async fn thirty_addresses_of_a_server_are_spread_and_few_are_under_way() {
    let limiter = servers()
        .limiter(&uri("https://example.org/1.pgn"))
        .unwrap();
    let starts = Arc::new(Mutex::new(Vec::new()));
    let (under_way, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let begin = Instant::now();
    let mut addresses = JoinSet::new();
    for id in 0..30 {
        let (limiter, starts) = (limiter.clone(), starts.clone());
        let (under_way, most) = (under_way.clone(), most.clone());
        addresses.spawn(async move {
            for _ in 0..3 {
                limiter.pass(requester(id)).await.unwrap();
                starts.lock().unwrap().push(Instant::now());
                let now = under_way.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                // A slow answer.
                sleep(Duration::from_millis(300)).await;
                under_way.fetch_sub(1, Ordering::SeqCst);
                sleep(EVERY).await;
            }
        });
    }
    addresses.join_all().await;
    let starts = starts.lock().unwrap();
    assert_eq!(starts.len(), 90);
    assert_eq!(most.load(Ordering::SeqCst), 4);
    let pauses = starts.windows(2).map(|pair| pair[1] - pair[0]);
    let least = pauses.min().unwrap();
    assert!(least >= Duration::from_millis(80), "{least:?}");
    // Nobody waits much longer than the interval.
    let whole = starts[89] - begin;
    assert!(whole < EVERY * 4, "{whole:?}");
}

#[tokio::test(start_paused = true)]
async fn addresses_that_hang_hold_up_no_other_address() {
    let limiter = servers()
        .limiter(&uri("https://example.org/1.pgn"))
        .unwrap();
    let mut hanging = JoinSet::new();
    for id in 0..8 {
        let limiter = limiter.clone();
        hanging.spawn(async move {
            loop {
                limiter.pass(requester(id)).await.unwrap();
                sleep(Duration::from_secs(25)).await;
                sleep(EVERY).await;
            }
        });
    }
    let mut others = JoinSet::new();
    for id in 8..30 {
        let limiter = limiter.clone();
        others.spawn(async move {
            let mut longest = Duration::ZERO;
            // At first, the rate limiter does not know how many there are.
            limiter.pass(requester(id)).await.unwrap();
            sleep(EVERY).await;
            for _ in 0..30 {
                let begin = Instant::now();
                limiter.pass(requester(id)).await.unwrap();
                longest = longest.max(begin.elapsed());
                sleep(Duration::from_millis(50)).await;
                sleep(EVERY).await;
            }
            longest
        });
    }
    let longest = others.join_all().await.into_iter().max().unwrap();
    assert!(longest <= EVERY, "{longest:?}");
}

#[tokio::test]
async fn a_request_that_hangs_does_not_put_off_the_loss() {
    let server = Server::start().await;
    let mut polled = text(&server, "/1.pgn", &servers());
    server.serves("", "1. e4 e5 *\n");
    polled.look().await.unwrap();
    server.hangs();
    passes(Duration::from_secs(20)).await;
    let hanging = async {
        while server.requests() < 2 {
            tokio::task::yield_now().await;
        }
        passes(Duration::from_secs(11)).await;
    };
    let (looked, ()) = tokio::join!(polled.look(), hanging);
    let lost = looked.unwrap_err();
    assert!(matches!(*lost, Failure::Slow(_)), "{lost}");
}

#[tokio::test(start_paused = true)]
async fn a_server_is_a_scheme_a_host_and_a_port() {
    let servers = servers();
    let limiter = |text: &str| servers.limiter(&uri(text)).unwrap();
    let first = limiter("https://example.org/1.pgn");
    for same in [
        "https://example.org/2.pgn?key=1",
        "https://EXAMPLE.org:443/",
    ] {
        assert!(Arc::ptr_eq(&first, &limiter(same)), "{same}");
    }
    for other in [
        "http://example.org/1.pgn",
        "https://example.org:8443/1.pgn",
        "https://www.example.org/1.pgn",
    ] {
        assert!(!Arc::ptr_eq(&first, &limiter(other)), "{other}");
    }
    // Redirects to ever other servers are forgotten, and a server in use is not.
    for number in 0..2_000 {
        limiter(&format!("https://{number}.example.org/"));
    }
    assert!(Arc::ptr_eq(&first, &limiter("https://example.org/3.pgn")));
}

#[tokio::test(start_paused = true)]
async fn a_rate_limiter_is_kept_as_long_as_an_address_or_a_round_needs_it() {
    let servers = servers();
    let Ok(Location::Text(address)) = "https://example.org/1.pgn".parse() else {
        panic!();
    };
    let _polled = PolledText::new(address, servers.clone(), EVERY);
    let path = "https://chess.example/api/stream/broadcast/round/AbCd1234.pgn";
    let _round = stream(path, &servers, QUICK);
    let limiters = ["https://example.org/", "https://chess.example/"];
    let limiters = limiters.map(|text| Arc::downgrade(&servers.limiter(&uri(text)).unwrap()));
    for number in 0..2_000 {
        servers
            .limiter(&uri(&format!("https://{number}.example.org/")))
            .unwrap();
    }
    assert!(limiters.iter().all(|limiter| limiter.upgrade().is_some()));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_closes_the_gate_for_all_and_counts_once() {
    let limiter = servers()
        .limiter(&uri("https://example.org/1.pgn"))
        .unwrap();
    let fail = |wait| refuse(&limiter, wait);
    // One that waits in the line when the answer comes does not go.
    for id in 0..4 {
        limiter.pass(requester(id)).await.unwrap();
    }
    let line = tokio::spawn({
        let limiter = limiter.clone();
        async move { limiter.pass(requester(4)).await }
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
    assert!(matches!(line.await.unwrap(), Err(Failure::Busy { .. })));
    // A longer wait that one of them asks for counts.
    assert_eq!(fail(Some(300)).as_secs(), 300);
    // A good answer to an old request opens nothing.
    limiter.good(Instant::now());
    sleep(Duration::from_secs(299)).await;
    let still = limiter.pass(requester(5)).await;
    assert!(matches!(still, Err(Failure::Busy { .. })));
    sleep(Duration::from_secs(1)).await;
    limiter.pass(requester(5)).await.unwrap();
    // The next refusal is a second one, and the next after a good answer a first one.
    assert!(fail(None).as_secs() >= 120);
    sleep(Duration::from_mins(5)).await;
    limiter.good(Instant::now());
    assert!(fail(None).as_secs() <= 120);
}

#[tokio::test(start_paused = true)]
async fn good_answers_just_after_a_refusal_and_old_streams_make_no_wait_short() {
    let limiter = servers()
        .limiter(&uri("https://example.org/1.pgn"))
        .unwrap();
    let old = Instant::now();
    for least in [60, 120, 240, 300] {
        let wait = refuse(&limiter, None);
        assert!(wait.as_secs() >= least, "{wait:?}");
        sleep(wait).await;
        // The first requests are answered, and a stream that was there before goes on.
        limiter.good(Instant::now());
        sleep(Duration::from_mins(2)).await;
        limiter.good(old);
    }
    limiter.good(Instant::now());
    assert!(refuse(&limiter, None).as_secs() <= 120);
}

#[tokio::test]
async fn a_redirect_is_a_good_answer_of_its_server() {
    let (first, second) = (Server::start().await, Server::start().await);
    let servers = servers();
    let limiter = servers.limiter(&uri(&first.at("/"))).unwrap();
    let mut polled = text(&first, "/1.pgn", &servers);
    first.answers(&format!("302 Found\nlocation: {}", second.at("/")), "");
    second.serves("", "1. e4 e5 *\n");
    refuse(&limiter, None);
    passes(Duration::from_mins(5)).await;
    polled.look().await.unwrap();
    assert!(refuse(&limiter, None).as_secs() <= 120);
}

#[tokio::test]
async fn an_address_that_fails_for_itself_closes_no_rate_limiter() {
    let server = Server::start().await;
    let servers = servers();
    let mut broken = text(&server, "/7.pgn", &servers);
    let mut sound = text(&server, "/1.pgn", &servers);
    server.answers("503 Service Unavailable", "");
    let lost = broken.look().await.unwrap_err();
    assert!(matches!(*lost, Failure::Status(_)), "{lost}");
    server.serves("", "1. e4 e5 *\n");
    assert!(sound.look().await.unwrap().games[0].is_current);
}

#[tokio::test]
async fn a_living_stream_is_kept_while_its_server_wants_fewer_requests() {
    let mut server = StreamServer::start().await;
    let servers = servers();
    let pace = Pace {
        renew: Duration::from_mins(10),
        grace: Duration::from_secs(30),
        ..QUICK
    };
    let mut round = stream(&server.address, &servers, pace);
    round.look().await.unwrap();
    let mut sent = server.next().await;
    sent.sends(&game("aaaaaaaa", "A", "1. e4").repeat(2)).await;
    until(&mut round, &[1]).await;
    // Another round is refused just before it is time to begin anew.
    passes(Duration::from_secs(590)).await;
    let limiter = servers.limiter(&uri(&server.address)).unwrap();
    let wait = refuse(&limiter, None);
    passes(Duration::from_secs(20)).await;
    looks(&mut round, 5).await.unwrap();
    passes(Duration::from_secs(25)).await;
    looks(&mut round, 5).await.unwrap();
    assert!(server.newer().is_none());
    sent.sends(&game("aaaaaaaa", "A", "1. e4 e5")).await;
    assert!(until(&mut round, &[2]).await.games[0].is_current);
    passes(wait).await;
    again(&mut round, &mut server).await;
}

#[tokio::test]
async fn an_answer_to_one_address_holds_the_others_and_the_streams_of_the_server() {
    let (server, other) = (Server::start().await, Server::start().await);
    let servers = servers();
    let mut first = text(&server, "/1.pgn", &servers);
    let mut second = text(&server, "/2.pgn", &servers);
    let round = server.at("/api/stream/broadcast/round/AbCd1234.pgn");
    let mut round = stream(&round, &servers, QUICK);
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
