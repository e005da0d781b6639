//! A PGN text at an address, from servers that lie, break off and restart.

use std::time::Duration;

use http::HeaderMap;
use remisd_transport::Https;
use tokio::net::TcpListener;

use super::{
    super::{
        Failure, Location, Servers,
        polled::PolledText,
        request::{get, read_whole},
        source::Found,
    },
    server::{Server, passes},
};

const TWO: &str = "[Round \"1.1\"]\n\n1. e4 e5 *\n\n[Round \"1.2\"]\n\n1. d4 d5 2. c4 *\n";

fn text(address: &str) -> PolledText {
    let Ok(Location::Text(address)) = address.parse() else {
        panic!("{address}");
    };
    PolledText::new(address, Servers::new(Https::new().unwrap()), Duration::ZERO)
}

fn plies(found: &Found) -> Vec<usize> {
    found
        .games
        .iter()
        .map(|found| found.game.plies.len())
        .collect()
}

fn is_current(found: &Found) -> bool {
    found.games.iter().all(|found| found.is_current)
}

#[tokio::test]
async fn a_text_is_requested_with_the_tag_that_came_with_it() {
    let server = Server::start().await;
    let mut polled = text(&server.at("/round.pgn?key=1"));
    server.serves(
        "\netag: \"a\"\nlast-modified: Sat, 28 Nov 2026 10:00:00 GMT",
        TWO,
    );
    let found = polled.look().await.unwrap();
    assert_eq!((plies(&found), is_current(&found)), (vec![2, 3], true));
    let asked = server.last_request();
    assert!(
        asked.starts_with("get /round.pgn?key=1 http/1.1\r\n"),
        "{asked}"
    );
    assert!(asked.contains("user-agent: remisd/"), "{asked}");
    assert!(!asked.contains("if-"), "{asked}");
    server.answers("304 Not Modified", "");
    let found = polled.look().await.unwrap();
    assert_eq!((plies(&found), is_current(&found)), (vec![2, 3], true));
    let asked = server.last_request();
    assert!(asked.contains("if-none-match: \"a\"\r\n"), "{asked}");
    assert!(!asked.contains("if-modified-since"), "{asked}");
    let time = "Sat, 28 Nov 2026 10:00:00 GMT";
    let recent = "\ndate: Sat, 28 Nov 2026 10:00:01 GMT";
    let older = "\ndate: Sat, 28 Nov 2026 10:00:02 GMT";
    // It may have changed again in the same second.
    for date in ["", recent] {
        server.serves(&format!("\nlast-modified: {time}{date}"), TWO);
        polled.look().await.unwrap();
        polled.look().await.unwrap();
        let asked = server.last_request();
        assert!(!asked.contains("if-"), "{asked}");
    }
    server.serves(&format!("\nlast-modified: {time}{older}"), TWO);
    polled.look().await.unwrap();
    polled.look().await.unwrap();
    let asked = server.last_request();
    assert!(
        asked.contains(&format!("if-modified-since: {}\r\n", time.to_lowercase())),
        "{asked}"
    );
}

#[tokio::test]
async fn a_tag_that_stays_although_the_text_has_changed_hides_it_only_for_some_requests() {
    let server = Server::start().await;
    let mut polled = text(&server.at("/round.pgn"));
    server.serves("\netag: \"a\"", "1. e4 *\n");
    polled.look().await.unwrap();
    server.answers("304 Not Modified", "");
    for _ in 2..12 {
        polled.look().await.unwrap();
        assert!(server.last_request().contains("if-none-match"));
    }
    server.serves("\netag: \"a\"", "1. d4 d5 *\n");
    let found = polled.look().await.unwrap();
    let asked = server.last_request();
    assert!(asked.contains("cache-control: no-cache"), "{asked}");
    assert!(!asked.contains("if-none-match"), "{asked}");
    assert_eq!(plies(&found), [2]);
}

#[tokio::test]
async fn an_answer_that_breaks_off_or_is_no_pgn_changes_nothing() {
    let server = Server::start().await;
    let mut polled = text(&server.at("/round.pgn"));
    server.serves("", TWO);
    polled.look().await.unwrap();
    let long = TWO.len() + 1;
    let cut = format!("200 OK\ncontent-length: {}", TWO.len());
    let bad: [(&str, &str); 10] = [
        // A whole game fewer than was announced.
        (&cut, "[Round \"1.1\"]\n\n1. e4 *\n"),
        (
            "200 OK\ntransfer-encoding: chunked",
            "17\r\n1. e4 e5 2. Nf3 Nf6 *\n\r\n",
        ),
        (&format!("200 OK\ncontent-length: {long}"), TWO),
        (
            "200 OK\ncontent-type: text/html; charset=utf-8",
            "1. e4 *\n",
        ),
        ("200 OK", "\u{feff}\n<!DOCTYPE html><title>1. e4 *</title>"),
        ("200 OK", "The server is being repaired."),
        ("200 OK\ncontent-encoding: gzip", "1. e4 *\n"),
        ("404 Not Found", ""),
        ("500 Oh", TWO),
        ("304 Not Modified", ""),
    ];
    for (head, body) in bad {
        server.answers(head, body);
        for _ in 0..4 {
            let found = polled.look().await.unwrap();
            assert_eq!(
                (plies(&found), is_current(&found)),
                (vec![2, 3], false),
                "{head}"
            );
        }
        // Before it has ever been read, the reason is reported.
        let mut other = text(&server.at("/round.pgn"));
        assert!(other.look().await.is_err(), "{head}");
    }
    server.serves("", TWO);
    assert!(is_current(&polled.look().await.unwrap()));
}

#[tokio::test]
async fn the_reason_of_a_loss_is_named() {
    let server = Server::start().await;
    for (head, body, reason) in [
        ("200 OK\ncontent-type: text/html", "", "a web page, not PGN"),
        ("200 OK", "nobody is here", "the response is not PGN"),
        ("404 Not Found", "", "the server answered 404 Not Found"),
        (
            "401 Unauthorized",
            "",
            "the server answered 401 Unauthorized",
        ),
        ("200 OK\ncontent-encoding: br", "", "compressed (\"br\")"),
        (
            "302 Found\nlocation: ftp://example.org/secret?b=secret",
            "",
            "redirects to \"ftp://example.org\"",
        ),
        (
            "302 Found\nlocation: https://me:secret@example.org/a",
            "",
            "redirects to \"https://example.org\"",
        ),
        (
            "302 Found\nlocation: http://[secret",
            "",
            "redirects to \"…\"",
        ),
        ("302 Found\nlocation: /round.pgn", "", "too many redirects"),
    ] {
        server.answers(head, body);
        let lost = text(&server.at("/round.pgn")).look().await.unwrap_err();
        let lost = lost.to_string();
        assert!(lost.contains(reason) && !lost.contains("secret"), "{lost}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/round.pgn", closed.local_addr().unwrap());
    drop(closed);
    let lost = text(&address).look().await.unwrap_err();
    assert!(matches!(*lost, Failure::Transport(_)), "{lost}");
}

#[tokio::test]
async fn a_redirect_is_followed_and_the_tag_belongs_to_where_it_leads() {
    let (first, second) = (Server::start().await, Server::start().await);
    let mut polled = text(&first.at("/old/round.pgn"));
    first.answers("302 Found\nlocation: new.pgn", "");
    polled.look().await.unwrap_err();
    assert!(first.last_request().starts_with("get /old/new.pgn "));
    first.answers(
        &format!("301 Moved\nlocation: {}", second.at("/round.pgn")),
        "",
    );
    second.serves("\netag: \"a\"", TWO);
    assert_eq!(plies(&polled.look().await.unwrap()), [2, 3]);
    second.answers("304 Not Modified", "");
    assert!(is_current(&polled.look().await.unwrap()));
    assert!(!first.last_request().contains("if-none-match"));
    assert!(second.last_request().contains("if-none-match: \"a\""));
}

#[tokio::test]
async fn a_text_that_may_be_half_written_is_used_when_it_is_found_again() {
    let server = Server::start().await;
    let mut polled = text(&server.at("/round.pgn"));
    server.serves("", "1. e4 e5 2. Nf");
    assert!(!polled.look().await.unwrap().is_complete);
    assert!(!polled.look().await.unwrap().is_complete);
    let found = polled.look().await.unwrap();
    assert_eq!((plies(&found), is_current(&found)), (vec![2], true));
    // A terminated text is used immediately, if it has all games.
    server.serves("", TWO);
    assert_eq!(plies(&polled.look().await.unwrap()), [2, 3]);
    server.serves("", "[Round \"1.1\"]\n\n1. e4 e5 2. d4 *\n");
    let found = polled.look().await.unwrap();
    assert_eq!((plies(&found), is_current(&found)), (vec![2, 3], false));
    assert_eq!(plies(&polled.look().await.unwrap()), [3]);
    // Without a length, it may have been cut off.
    server.answers("200 OK", "1. e4 e5 2. Nf3 Nc6 3. B");
    for _ in 0..4 {
        assert_eq!(plies(&polled.look().await.unwrap()), [3]);
    }
    server.answers("200 OK", "1. e4 e5 2. Nf3 Nc6 *");
    assert_eq!(plies(&polled.look().await.unwrap()), [4]);
}

#[tokio::test]
async fn a_text_that_may_be_half_written_is_requested_whole_each_time() {
    let server = Server::start().await;
    let mut polled = text(&server.at("/round.pgn"));
    server.serves("\netag: \"a\"", "1. e4 e5 2. Nf");
    polled.look().await.unwrap();
    polled.look().await.unwrap();
    assert!(!server.last_request().contains("if-none-match"));
    // A cache that has kept the half of it proves nothing.
    server.answers("304 Not Modified", "");
    for _ in 0..4 {
        assert!(!polled.look().await.unwrap().is_complete);
    }
}

/// A text of three games. The first has so many plies, and the last so many and no end.
fn three(first: usize, last: usize) -> String {
    let moves = |plies| "Nf3 Nf6 Ng1 Ng8 ".repeat(9)[..4 * plies].to_owned();
    format!(
        "[White \"A\"]\n[Black \"B\"]\n\n{} *\n\n[White \"C\"]\n[Black \"D\"]\n\n1. e4 e5\n\n\
         [White \"E\"]\n[Black \"F\"]\n\n{}\n",
        moves(first),
        moves(last)
    )
}

#[tokio::test]
async fn a_game_without_an_end_holds_back_only_itself_and_only_if_it_is_the_last() {
    let server = Server::start().await;
    let mut polled = text(&server.at("/round.pgn"));
    let current =
        |found: &Found| -> Vec<bool> { found.games.iter().map(|found| found.is_current).collect() };
    // The other games change in every answer.
    for first in 1..3 {
        server.serves("", &three(first, 2));
        assert!(!polled.look().await.unwrap().is_complete);
    }
    server.serves("", &three(3, 2));
    let found = polled.look().await.unwrap();
    assert_eq!(plies(&found), [3, 2, 2]);
    assert_eq!((current(&found), found.trouble), (vec![true; 3], None));
    // The last game changes as well, and may be cut off.
    for last in 3..7 {
        server.serves("", &three(last + 1, last));
        let found = polled.look().await.unwrap();
        assert_eq!(plies(&found), [last + 1, 2, 2]);
        assert_eq!(current(&found), [true, true, false]);
    }
    for first in [8, 9] {
        server.serves("", &three(first, 6));
        assert_eq!(polled.look().await.unwrap().games.len(), 3);
    }
    let found = polled.look().await.unwrap();
    assert_eq!((plies(&found), is_current(&found)), (vec![9, 2, 6], true));
    // If it never stands still, its board is lost with the reason.
    server.serves("", &three(9, 7));
    assert_eq!(plies(&polled.look().await.unwrap()), [9, 2, 6]);
    passes(Duration::from_secs(31)).await;
    server.serves("", &three(9, 8));
    let found = polled.look().await.unwrap();
    assert_eq!((plies(&found), is_current(&found)), (vec![9, 2], true));
    assert!(found.trouble.unwrap().contains("may be half written"));
    server.serves("", &(three(9, 9) + "*\n"));
    assert_eq!(plies(&polled.look().await.unwrap()), [9, 2, 9]);
}

#[tokio::test]
async fn a_server_that_is_busy_is_given_time() {
    let server = Server::start().await;
    for (head, least, most) in [
        ("429 Too Many Requests", 60, 120),
        ("503 Service Unavailable\nretry-after: 120", 120, 120),
        ("429 Too Many Requests\nretry-after: 99999999", 600, 600),
        (
            "503 Service Unavailable\nretry-after: Sat, 28 Nov 2026 10:00:00 GMT",
            60,
            120,
        ),
    ] {
        let mut polled = text(&server.at("/round.pgn"));
        server.answers(head, "");
        polled.look().await.unwrap_err();
        let wait = polled.wait().as_secs_f64().ceil();
        assert!(
            (f64::from(least)..=f64::from(most)).contains(&wait),
            "{head}: {wait}"
        );
    }
}

#[tokio::test]
async fn boards_are_lost_when_the_good_answer_is_too_old_and_not_before() {
    let server = Server::start().await;
    let mut polled = text(&server.at("/round.pgn"));
    server.serves("", TWO);
    polled.look().await.unwrap();
    server.answers("404 Not Found", "");
    passes(Duration::from_secs(29)).await;
    assert!(polled.look().await.is_ok());
    passes(Duration::from_secs(2)).await;
    polled.look().await.unwrap_err();
    server.serves("", TWO);
    polled.look().await.unwrap();
    // A wait that the server asks for does not put off the loss.
    server.answers("503 Service Unavailable\nretry-after: 500", "");
    assert!(polled.look().await.is_ok());
    passes(Duration::from_secs(31)).await;
    let lost = polled.look().await.unwrap_err();
    assert!(matches!(*lost, Failure::Busy { .. }), "{lost}");
    server.serves("", TWO);
    passes(Duration::from_secs(470)).await;
    polled.look().await.unwrap();
}

#[test]
fn a_text_is_read_on_a_thread_of_its_own() {
    let mut one = tokio::runtime::Builder::new_current_thread();
    let runtime = one.enable_all().max_blocking_threads(1).build().unwrap();
    let (release, released) = std::sync::mpsc::channel::<()>();
    runtime.block_on(async {
        let server = Server::start().await;
        let mut polled = text(&server.at("/round.pgn"));
        server.serves("", TWO);
        // The only such thread does something else.
        tokio::task::spawn_blocking(move || released.recv());
        let others = async {
            while server.requests() == 0 {
                tokio::task::yield_now().await;
            }
            // The answer is there as well after some more.
            for _ in 0..5 {
                let uri = server.at("/").parse().unwrap();
                let other = get(&Https::new().unwrap(), &uri, HeaderMap::new()).await;
                read_whole(other.unwrap()).await.unwrap();
            }
        };
        tokio::select! {
            biased;
            found = polled.look() => panic!("{found:?}"),
            () = others => release.send(()).unwrap(),
        }
        assert_eq!(plies(&polled.look().await.unwrap()), [2, 3]);
    });
}

#[tokio::test]
async fn a_text_that_is_too_long_is_not_read_to_its_end() {
    let server = Server::start().await;
    let long = "1. e4 *\n\n".repeat(2_000_000);
    server.answers("200 OK", &long);
    let lost = text(&server.at("/round.pgn")).look().await.unwrap_err();
    assert!(matches!(*lost, Failure::TooLong), "{lost}");
    server.serves("", &long[..9 * 9_000]);
    let lost = text(&server.at("/round.pgn")).look().await.unwrap_err();
    assert!(matches!(*lost, Failure::TooManyGames), "{lost}");
}
