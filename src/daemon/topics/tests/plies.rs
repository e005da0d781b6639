//! The delay in plies.

use super::*;

const THREE_PLIES: PublicDelay = PublicDelay {
    time: Span::ZERO,
    plies: 3,
};

#[test]
fn the_last_plies_wait_for_further_ones_or_the_confirmed_result() {
    let (mut topics, publisher) = hall(THREE_PLIES);
    let expected = [Some(0), Some(0), Some(0), Some(0), Some(1), Some(4)];
    for ((time, game), plies) in course().into_iter().zip(expected) {
        let plies = plies.filter(|_| time > 0 || game.ply() > 0).or(plies);
        topics.show(&game, &BoardConnection::default(), &at(&game, time, 0));
        assert_eq!(seen(&publisher).0, plies, "after {} plies", game.ply());
    }
    assert!(seen(&publisher).1);
}

#[test]
fn a_game_that_is_left_comes_out_whole_with_its_result_if_it_has_one() {
    let moves: Vec<&str> = MATE.split(' ').collect();
    for confirmed in [false, true] {
        let (mut topics, publisher) = hall(THREE_PLIES);
        let mut show = |game: &Game| {
            topics.show(game, &BoardConnection::default(), &at(game, 0, 0));
        };
        for ply in 0..=moves.len() {
            show(&game(&moves[..ply].join(" ")));
        }
        let mut left = mated(confirmed);
        show(&left);
        let shown = if confirmed { 4 } else { 1 };
        assert_eq!(seen(&publisher), (Some(shown), confirmed));
        begin(&mut left, None);
        show(&left);
        assert_eq!(seen(&publisher), (Some(0), false), "the next game");
        let messages = publisher.full_snapshot();
        let mut messages = messages.iter();
        let earlier = messages.find(|message| message.topic.ends_with("public/b1/earlier"));
        let earlier = &earlier.unwrap().payload;
        let earlier: serde_json::Value = serde_json::from_slice(earlier).unwrap();
        let earlier = &earlier["games"][0];
        assert_eq!(earlier["ply"], 4);
        assert_eq!(!earlier["result"].is_null(), confirmed);
    }
}

#[test]
fn a_game_that_is_entered_anew_in_the_middle_shows_nothing_new() {
    let (mut topics, publisher) = hall(THREE_PLIES);
    let mut playing = game("e2e4 e7e5 g1f3 b8c6");
    for moves in [
        "",
        "e2e4",
        "e2e4 e7e5",
        "e2e4 e7e5 g1f3",
        "e2e4 e7e5 g1f3 b8c6",
    ] {
        playing = game(moves);
        topics.show(&playing, &BoardConnection::default(), &at(&playing, 0, 0));
    }
    let public = || -> Vec<_> {
        let delayed = ["game", "position", "earlier"].map(|leaf| format!("public/b1/{leaf}"));
        let messages = publisher.full_snapshot().into_iter();
        let content = messages.map(|message| (message.topic, message.payload));
        content
            .filter(|(topic, _)| delayed.iter().any(|delayed| topic.ends_with(delayed)))
            .collect()
    };
    let before = public();
    assert!(!before.is_empty());
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    begin(&mut playing, Some(fen));
    topics.show(&playing, &BoardConnection::default(), &at(&playing, 0, 0));
    assert_eq!(public(), before);
}

#[test]
fn a_position_that_is_set_up_waits_for_further_plies() {
    let (mut topics, publisher) = hall(THREE_PLIES);
    let mut show = |game: &Game| {
        topics.show(game, &BoardConnection::default(), &at(game, 0, 0));
        seen(&publisher)
    };
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6"];
    for ply in 0..=moves.len() {
        show(&game(&moves[..ply].join(" ")));
    }
    let mut set_up = game(&moves.join(" "));
    let shown = show(&set_up);
    assert_eq!(shown.0, Some(1));
    let fen = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3".to_owned();
    order(&mut set_up, remisd_game::Verb::Setup { fen });
    for uci in ["g8f6", "e1g1", "f6e4"] {
        assert_eq!(show(&set_up), shown, "before {uci}");
        let (by, clock) = (SettledBy::Clock, None);
        let input = Input::Move {
            uci: uci.into(),
            by,
            clock,
        };
        apply(&mut set_up, input);
    }
    assert_eq!(show(&set_up).0, Some(0), "the position that was set up");
}
