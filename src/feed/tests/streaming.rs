//! The stream of a Lichess broadcast round.

use std::{sync::Arc, time::Duration};

use remisd_transport::Https;

use super::{
    super::{
        Failure, Identity, Location, Servers,
        choose::FoundGames,
        round_stream::{Pace, RoundStream},
        source::Found,
    },
    server::{Server, Stream, StreamServer, passes},
};

/// As fast as a test, with nothing that ends by itself.
pub(super) const QUICK: Pace = Pace {
    look: Duration::from_millis(10),
    quiet: Duration::from_millis(20),
    first: Duration::from_hours(1),
    silence: Duration::from_hours(1),
    renew: Duration::from_hours(1),
    ended: Duration::ZERO,
    lasting: Duration::ZERO,
    grace: Duration::from_hours(1),
    retry: (Duration::ZERO, Duration::ZERO),
    added: (Duration::ZERO, Duration::ZERO),
};

pub(super) fn stream(address: &str, pace: Pace) -> RoundStream {
    let Ok(Location::LichessRound(address)) = address.parse() else {
        panic!("{address}");
    };
    RoundStream::new(address, Servers::new(Https::new().unwrap()), pace)
}

pub(super) fn game(id: &str, white: &str, moves: &str) -> String {
    let url = format!("https://lichess.org/broadcast/open/round-1/AbCd1234/{id}");
    format!(
        "[Event \"Open\"]\n[Round \"1\"]\n[White \"{white}\"]\n[Black \"B\"]\n[GameURL \"{url}\"]\n\n\
         {moves} *\n\n\n"
    )
}

/// Reads on until the games have this many plies, in the order of the round.
pub(super) async fn until(round: &mut RoundStream, plies: &[usize]) -> Found {
    loop {
        let found = round.look().await.unwrap();
        let all = found.games.iter().map(|found| found.game.plies.len());
        if found.is_complete && all.eq(plies.iter().copied()) {
            return found;
        }
    }
}

/// A stream that has sent all games of its round.
pub(super) async fn begun(server: &mut StreamServer, pace: Pace) -> (RoundStream, Stream) {
    let mut round = stream(&server.address, pace);
    assert!(!round.look().await.unwrap().is_complete);
    let mut sent = server.next().await;
    sent.sends(&game("aaaaaaaa", "A", "1. e4")).await;
    sent.sends(&game("bbbbbbbb", "C", "1. d4 d5")).await;
    until(&mut round, &[1, 2]).await;
    (round, sent)
}

/// The player with White of the game that a board without a game takes.
fn white(found: &Found, number: u32) -> Option<String> {
    let games = FoundGames::new(found.games.clone());
    let game = games.of_board(number, &Identity::default())?;
    game.game.tag("White").map(str::to_owned)
}

/// Reads on for some looks. Returns the last one, or the first failure.
pub(super) async fn looks(round: &mut RoundStream, count: usize) -> Result<Found, Arc<Failure>> {
    for _ in 1..count {
        round.look().await?;
    }
    round.look().await
}

/// Reads on until there is another connection.
pub(super) async fn again(round: &mut RoundStream, server: &mut StreamServer) -> Stream {
    loop {
        round.look().await.ok();
        if let Some(sent) = server.newer() {
            return sent;
        }
    }
}

#[tokio::test]
async fn a_game_that_comes_alone_has_no_place_before_all_games_have_come() {
    let mut server = StreamServer::start().await;
    let pace = Pace {
        first: Duration::from_mins(10),
        ..QUICK
    };
    let mut round = stream(&server.address, pace);
    round.look().await.unwrap();
    let mut sent = server.next().await;
    // The round has no games yet.
    passes(pace.first).await;
    assert!(until(&mut round, &[]).await.games.is_empty());
    sent.sends(&game("bbbbbbbb", "C", "1. d4 d5")).await;
    let found = until(&mut round, &[2]).await;
    assert_eq!([white(&found, 1), white(&found, 2)], [None, None]);
    // A board that has this game keeps it.
    let games = FoundGames::new(found.games.clone());
    assert!(games.of_board(2, &found.games[0].identity()).is_some());
    let mut sent = again(&mut round, &mut server).await;
    sent.sends(&(game("aaaaaaaa", "A", "*") + &game("bbbbbbbb", "C", "1. d4 d5")))
        .await;
    let found = until(&mut round, &[0, 2]).await;
    assert_eq!(white(&found, 1).as_deref(), Some("A"));
    assert_eq!(white(&found, 2).as_deref(), Some("C"));
}

#[tokio::test]
async fn a_game_with_another_name_takes_the_place_of_the_unconfirmed_one_with_its_number() {
    let mut server = StreamServer::start().await;
    let numbered = |id, number: u32, white, moves| {
        let round = format!("[Round \"1.{number}\"]");
        game(id, white, moves).replace("[Round \"1\"]", &round)
    };
    let mut round = stream(&server.address, QUICK);
    round.look().await.unwrap();
    let mut sent = server.next().await;
    sent.sends(&numbered("aaaaaaaa", 1, "A", "1. e4")).await;
    sent.sends(&numbered("bbbbbbbb", 2, "C", "1. d4 d5")).await;
    until(&mut round, &[1, 2]).await;
    drop(sent);
    let mut sent = again(&mut round, &mut server).await;
    sent.sends(&numbered("cccccccc", 1, "E", "1. c4 c5 2. g3"))
        .await;
    let found = until(&mut round, &[3, 2]).await;
    assert_eq!(white(&found, 1).as_deref(), Some("E"));
    assert_eq!(white(&found, 2).as_deref(), Some("C"));
}

#[tokio::test]
async fn a_game_that_becomes_unusable_leaves_with_the_reason_and_keeps_its_place() {
    let mut server = StreamServer::start().await;
    let (mut round, mut sent) = begun(&mut server, QUICK).await;
    let broken = game("aaaaaaaa", "A", "1. e4").replace("[White ", "[FEN \"nothing\"]\n[White ");
    sent.sends(&broken).await;
    let found = until(&mut round, &[2]).await;
    assert_eq!(white(&found, 1), None);
    assert_eq!(white(&found, 2).as_deref(), Some("C"));
    let trouble = found.trouble.unwrap();
    assert!(
        trouble.starts_with("game 1 cannot be followed: the FEN tag"),
        "{trouble}"
    );
    drop(sent);
    let mut sent = again(&mut round, &mut server).await;
    sent.sends(&(broken + &game("bbbbbbbb", "C", "1. d4 d5 2. c4")))
        .await;
    let found = until(&mut round, &[3]).await;
    assert_eq!(
        [white(&found, 1), white(&found, 2)],
        [None, Some("C".to_owned())]
    );
}

#[tokio::test]
async fn a_game_is_replaced_by_its_newer_text_whatever_its_parts() {
    let mut server = StreamServer::start().await;
    let (mut round, mut sent) = begun(&mut server, QUICK).await;
    for byte in game("aaaaaaaa", "A", "1. e4 e5 2. Nf3").chars() {
        sent.sends(&byte.to_string()).await;
        let found = round.look().await.unwrap();
        let plies = found.games[0].game.plies.len();
        assert!(matches!(plies, 1 | 3), "{plies}");
    }
    until(&mut round, &[3, 2]).await;
    sent.sends(" ").await;
    // A corrected name, and fewer moves.
    sent.sends(&game("bbbbbbbb", "D", "1. d4")).await;
    let found = until(&mut round, &[3, 1]).await;
    assert_eq!(found.games[1].game.tag("White"), Some("D"));
    assert!(found.games.iter().all(|found| found.is_current));
}

#[tokio::test]
async fn a_stream_that_ends_is_begun_anew_and_its_games_replace_the_old_ones() {
    let mut server = StreamServer::start().await;
    let (mut round, sent) = begun(&mut server, QUICK).await;
    drop(sent);
    loop {
        let found = round.look().await.unwrap();
        assert_eq!(found.games.len(), 2);
        if !found.games[0].is_current {
            break;
        }
    }
    let mut sent = loop {
        round.look().await.unwrap();
        if let Some(sent) = server.newer() {
            break sent;
        }
    };
    sent.sends(&game("bbbbbbbb", "C", "1. d4 d5 2. c4")).await;
    let found = until(&mut round, &[1, 3]).await;
    let current: Vec<bool> = found.games.iter().map(|found| found.is_current).collect();
    assert_eq!(current, [false, true]);
    // The same game again: every game has come.
    sent.sends(&game("bbbbbbbb", "C", "1. d4 d5 2. c4 e6"))
        .await;
    until(&mut round, &[4]).await;
}

#[tokio::test]
async fn a_game_that_is_added_begins_the_stream_anew() {
    let mut server = StreamServer::start().await;
    let (mut round, mut sent) = begun(&mut server, QUICK).await;
    sent.sends(&game("cccccccc", "A", "1. e4 c5")).await;
    until(&mut round, &[1, 2, 2]).await;
    let mut sent = loop {
        round.look().await.unwrap();
        if let Some(sent) = server.newer() {
            break sent;
        }
    };
    // The round was reset: its games have other addresses.
    for (id, white) in [("cccccccc", "A"), ("dddddddd", "C"), ("dddddddd", "C")] {
        sent.sends(&game(id, white, "1. c4 c5 2. g3")).await;
    }
    let found = until(&mut round, &[3, 3]).await;
    assert!(found.games.iter().all(|found| found.is_current));
}

#[tokio::test]
async fn a_server_that_ends_every_stream_is_asked_again_and_again() {
    let server = Server::start().await;
    let address = server.at("/api/stream/broadcast/round/AbCd1234.pgn");
    let mut round = stream(&address, QUICK);
    let both = |second: &str| game("aaaaaaaa", "A", "1. e4") + &game("bbbbbbbb", "C", second);
    server.serves("", &both("1. d4"));
    until(&mut round, &[1, 1]).await;
    server.serves("", &both("1. d4 d5"));
    until(&mut round, &[1, 2]).await;
    // An answer that breaks off takes no game away.
    let text = both("1. d4 d5 2. c4");
    server.answers(
        &format!("200 OK\ncontent-length: {}", text.len()),
        &text[..text.len() / 2],
    );
    for _ in 0..8 {
        assert_eq!(round.look().await.unwrap().games.len(), 2);
    }
    server.serves("", &text);
    until(&mut round, &[1, 3]).await;
}

#[tokio::test]
async fn a_stream_without_a_sign_of_life_is_lost_and_comes_back() {
    let mut server = StreamServer::start().await;
    let pace = Pace {
        silence: Duration::from_secs(20),
        grace: Duration::ZERO,
        ..QUICK
    };
    let (mut round, old) = begun(&mut server, pace).await;
    passes(Duration::from_secs(21)).await;
    let lost = loop {
        if let Err(lost) = round.look().await {
            break lost;
        }
    };
    assert!(
        lost.to_string().contains("the server has been silent"),
        "{lost}"
    );
    drop(old);
    let mut sent = again(&mut round, &mut server).await;
    // An answer alone brings no old game back, and neither does a part of the games.
    looks(&mut round, 5).await.unwrap_err();
    sent.sends(&game("aaaaaaaa", "A", "1. Nf3 Nf6 2. g3 g6"))
        .await;
    looks(&mut round, 5).await.unwrap_err();
    sent.sends(&game("bbbbbbbb", "C", "1. Nf3 Nf6 2. g3 g6"))
        .await;
    let found = loop {
        if let Ok(found) = round.look().await {
            break found;
        }
    };
    let plies: Vec<usize> = (found.games.iter())
        .map(|found| found.game.plies.len())
        .collect();
    assert_eq!(plies, [4, 4]);
    assert!(found.games.iter().all(|found| found.is_current));
}

#[tokio::test]
async fn what_is_no_stream_of_games_is_named() {
    let server = Server::start().await;
    let path = "/api/stream/broadcast/round/AbCd1234.pgn";
    for (head, reason) in [
        ("404 Not Found", "the server answered 404 Not Found"),
        (
            "429 Too Many Requests",
            "the server answered 429 Too Many Requests",
        ),
        ("200 OK\ncontent-type: text/html", "a web page"),
    ] {
        server.answers(head, "");
        let lost = stream(&server.at(path), QUICK).look().await.unwrap_err();
        assert!(lost.to_string().contains(reason), "{lost}");
    }
}

#[tokio::test]
async fn a_game_without_an_end_is_refused() {
    let mut server = StreamServer::start().await;
    let pace = Pace {
        grace: Duration::ZERO,
        ..QUICK
    };
    let (mut round, mut sent) = begun(&mut server, pace).await;
    let sending = tokio::spawn(async move {
        for _ in 0..40 {
            sent.sends(&"Nf3 ".repeat(10_000)).await;
        }
        sent
    });
    let lost = loop {
        if let Err(lost) = round.look().await {
            break lost;
        }
    };
    assert!(lost.to_string().contains("without an end"), "{lost}");
    sending.abort();
}
