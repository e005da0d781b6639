//! When a stream of a round counts as dead, whole or due again.

use std::time::Duration;

use super::{
    super::round_stream::Pace,
    server::{Server, StreamServer, passes},
    streaming::{QUICK, again, begun, game, looks, stream, until},
};

#[tokio::test]
async fn a_stream_is_dead_after_90_seconds_and_its_boards_are_lost_then() {
    let mut server = StreamServer::start().await;
    let pace = Pace {
        silence: Duration::from_secs(90),
        grace: Duration::from_secs(30),
        ..QUICK
    };
    let (mut round, mut sent) = begun(&mut server, pace).await;
    passes(Duration::from_secs(80)).await;
    looks(&mut round, 3).await.unwrap();
    sent.sends(" ").await;
    looks(&mut round, 3).await.unwrap();
    passes(Duration::from_secs(80)).await;
    looks(&mut round, 3).await.unwrap();
    passes(Duration::from_secs(11)).await;
    let lost = round.look().await.unwrap_err();
    assert!(
        lost.to_string()
            .contains("the server has been silent for 90 s"),
        "{lost}"
    );
}

#[tokio::test]
async fn a_game_that_trickles_in_is_given_up_and_one_after_a_calm_is_not() {
    let mut server = StreamServer::start().await;
    let pace = Pace {
        silence: Duration::from_secs(90),
        grace: Duration::ZERO,
        ..QUICK
    };
    let (mut round, mut sent) = begun(&mut server, pace).await;
    for _ in 0..3 {
        sent.sends(" ").await;
        looks(&mut round, 3).await.unwrap();
        passes(Duration::from_mins(1)).await;
    }
    // The first part of a game.
    sent.sends("[White \"A\"]\n\n1. e4 ").await;
    looks(&mut round, 5).await.unwrap();
    passes(Duration::from_mins(1)).await;
    sent.sends("e5 ").await;
    looks(&mut round, 5).await.unwrap();
    passes(Duration::from_mins(1)).await;
    sent.sends("2. Nf3 ").await;
    let lost = looks(&mut round, 5).await.unwrap_err();
    assert!(lost.to_string().contains("without an end"), "{lost}");
}

#[tokio::test]
async fn a_server_that_ends_every_stream_is_asked_every_five_seconds_and_loses_no_board() {
    let server = Server::start().await;
    let address = server.at("/api/stream/broadcast/round/AbCd1234.pgn");
    let pace = Pace {
        ended: Pace::LICHESS.ended,
        lasting: Pace::LICHESS.lasting,
        grace: Pace::LICHESS.grace,
        retry: Pace::LICHESS.retry,
        ..QUICK
    };
    let mut round = stream(&address, pace);
    server.serves("", &game("aaaaaaaa", "A", "1. e4"));
    until(&mut round, &[1]).await;
    let mut current = 0;
    for _ in 0..120 {
        let found = round.look().await.unwrap();
        assert_eq!(found.games.len(), 1);
        current += usize::from(found.games[0].is_current);
        passes(Duration::from_secs(1)).await;
    }
    let asked = server.requests();
    assert!((10..=27).contains(&asked), "{asked}");
    assert!(current >= 10, "{current}");
}

#[tokio::test]
async fn a_server_whose_streams_break_after_some_games_is_asked_less_and_less() {
    let server = Server::start().await;
    let address = server.at("/api/stream/broadcast/round/AbCd1234.pgn");
    let pace = Pace {
        lasting: Pace::LICHESS.lasting,
        retry: (Duration::from_secs(1), Duration::from_mins(2)),
        ..QUICK
    };
    let mut round = stream(&address, pace);
    let text = game("aaaaaaaa", "A", "1. e4") + &game("bbbbbbbb", "C", "1. d4");
    server.answers(
        &format!("200 OK\ncontent-length: {}", text.len() + 1),
        &text,
    );
    for _ in 0..120 {
        round.look().await.ok();
        passes(Duration::from_secs(1)).await;
    }
    let asked = server.requests();
    assert!((3..=12).contains(&asked), "{asked}");
}

#[tokio::test]
async fn the_first_part_is_not_over_while_its_games_still_come() {
    let mut server = StreamServer::start().await;
    let pace = Pace {
        quiet: Duration::from_mins(1),
        first: Duration::from_mins(5),
        ..QUICK
    };
    let three = [("aaaaaaaa", "A"), ("bbbbbbbb", "C"), ("cccccccc", "E")];
    let mut round = stream(&server.address, pace);
    round.look().await.unwrap();
    let mut sent = server.next().await;
    for (id, white) in three {
        sent.sends(&game(id, white, "1. e4")).await;
    }
    looks(&mut round, 5).await.unwrap();
    passes(pace.quiet).await;
    until(&mut round, &[1, 1, 1]).await;
    drop(sent);
    let mut sent = again(&mut round, &mut server).await;
    looks(&mut round, 3).await.unwrap();
    for (id, white) in three {
        passes(Duration::from_secs(140)).await;
        sent.sends(&game(id, white, "1. e4 e5")).await;
        // The last of them comes after seven minutes.
        looks(&mut round, 5).await.unwrap();
        passes(Duration::from_secs(30)).await;
        let found = looks(&mut round, 1).await.unwrap();
        assert_eq!(found.games.len(), 3);
    }
    passes(Duration::from_secs(31)).await;
    until(&mut round, &[2, 2, 2]).await;
}

#[tokio::test]
async fn games_that_are_added_one_by_one_begin_the_stream_anew_only_now_and_then() {
    let mut server = StreamServer::start().await;
    let pace = Pace {
        added: Pace::LICHESS.added,
        ..QUICK
    };
    let (mut round, mut sent) = begun(&mut server, pace).await;
    sent.sends(&game("cccccccc", "E", "1. e4 c5")).await;
    let mut sent = again(&mut round, &mut server).await;
    for (id, white) in [("aaaaaaaa", "A"), ("bbbbbbbb", "C"), ("cccccccc", "E")] {
        sent.sends(&game(id, white, "1. e4")).await;
    }
    until(&mut round, &[1, 1, 1]).await;
    looks(&mut round, 10).await.unwrap();
    sent.sends(&game("dddddddd", "G", "1. e4 c5")).await;
    until(&mut round, &[1, 1, 1, 2]).await;
    passes(Duration::from_secs(50)).await;
    looks(&mut round, 20).await.unwrap();
    assert!(server.newer().is_none());
    passes(Duration::from_mins(2)).await;
    again(&mut round, &mut server).await;
}
