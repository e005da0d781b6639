//! What the public of a competition sees of draws, live and after a restart.

use super::*;

/// A board in a competition whose public gets counters after the delay.
fn competition() -> (TopicPublisher, Publisher) {
    let site: SiteId = "hall".parse().unwrap();
    let publisher = Publisher::detached(&site);
    let views = Views::new(AudienceSettings {
        profile: Profile::Competition,
        delay_ms: DELAY_MS,
        delay_plies: 0,
        public_draw_after_ms: DELAY_MS,
        operator_draw: false,
        open: std::collections::BTreeSet::new(),
        languages: Vec::new(),
    });
    let topics = TopicPublisher::new(
        site,
        "b1".parse().unwrap(),
        "session".to_owned(),
        views,
        publisher.clone(),
        DELAY,
        DelayBoard::default(),
    );
    (topics, publisher)
}

/// What a daemon publishes that starts at `now` after these states, each with its time.
fn restarted(states: &[(u64, Game)], now: u64) -> Publisher {
    let (mut topics, publisher) = competition();
    for (time, game) in states {
        let moment = at(game, now, now - time);
        topics.replay(game, &BoardConnection::default(), &moment);
    }
    topics.release(Moment::from_millis(now));
    publisher
}

/// What the broker has for the public.
fn public_value(publisher: &Publisher, leaf: Leaf) -> Option<serde_json::Value> {
    let (site, board) = ("hall".parse().unwrap(), "b1".parse().unwrap());
    let topic = topic::board(&site, Audience::Public, &board, leaf);
    let messages = publisher.full_snapshot();
    let message = messages
        .into_iter()
        .find(|message| *message.topic == *topic)?;
    (!message.payload.is_empty()).then(|| serde_json::from_slice(&message.payload).unwrap())
}

#[test]
fn after_a_restart_the_public_of_a_competition_has_the_draw_state_that_it_had() {
    const STEP_MS: u64 = 10_000;
    // Moves that a claim could announce are played, so draw states are left out.
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(3);
    let (mut steady, shown) = competition();
    let mut states = Vec::new();
    let (mut left_out, mut shown_now) = (0, 0);
    for ply in 0..=shuffle.len() {
        let game = game(&shuffle[..ply].join(" "));
        // Slower than the delay: what is before the move on the board is due.
        let now = (DELAY_MS + STEP_MS) * ply as u64;
        steady.release(Moment::from_millis(now));
        steady.show(&game, &BoardConnection::default(), &at(&game, now, 0));
        steady.release(Moment::from_millis(now + DELAY_MS + 1_000));
        states.push((now, game));
        let restored = restarted(&states, now + DELAY_MS + 1_000);
        for leaf in [Leaf::Game, Leaf::Draw] {
            let expected = public_value(&shown, leaf);
            assert_eq!(public_value(&restored, leaf), expected, "{leaf:?} at {ply}");
        }
        let draw = public_value(&shown, Leaf::Draw);
        let is_newest = draw.is_some_and(|draw| draw["ply"] == ply.saturating_sub(1));
        left_out += u32::from(!is_newest);
        shown_now += u32::from(is_newest);
    }
    assert!(
        left_out > 1 && shown_now > 1,
        "{left_out} left out, {shown_now} shown"
    );
}

#[test]
fn what_the_public_gets_depends_on_the_delayed_moves_alone() {
    const STEP_MS: u64 = 10_000;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(3);
    // The games part long before the public sees it: one goes on in circles, and the other does not.
    let parts = shuffle.len() - 3;
    let elsewhere = ["e2e4", "e7e5", "d2d4"];
    let parts_at = STEP_MS * (parts as u64 + 1);
    let seen_by_the_public = |moves: &[&str]| {
        let (mut topics, publisher) = competition();
        let mut next = 0;
        let mut seen = Vec::new();
        for now in (0..parts_at + DELAY_MS).step_by(1_000) {
            if now == STEP_MS * next as u64 && next <= moves.len() {
                let game = game(&moves[..next].join(" "));
                topics.show(&game, &BoardConnection::default(), &at(&game, now, 0));
                next += 1;
            }
            topics.release(Moment::from_millis(now));
            let draw = public_value(&publisher, Leaf::Draw);
            seen.push((now, public_value(&publisher, Leaf::Game), draw));
        }
        seen
    };
    let in_circles = seen_by_the_public(&shuffle);
    let away = seen_by_the_public(&[&shuffle[..parts], &elsewhere].concat());
    assert!(in_circles.iter().any(|(_, _, draw)| draw.is_some()));
    assert_eq!(in_circles, away);
}

#[test]
fn no_claim_of_a_public_draw_state_can_be_made_in_the_position_after_it() {
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
    // Now and then a move is played that no claim could announce.
    let moves = [&shuffle[..], &["e2e4", "e7e5"], &shuffle, &["d2d4"]].concat();
    let states: Vec<_> = (0..=moves.len())
        .map(|ply| (DELAY_MS * ply as u64, game(&moves[..ply].join(" "))))
        .collect();
    let mut claims = 0;
    for shown in 1..=states.len() {
        let restored = restarted(&states[..shown], DELAY_MS * shown as u64 + 1_000);
        let Some(draw) = public_value(&restored, Leaf::Draw) else {
            continue;
        };
        let game = public_value(&restored, Leaf::Game).unwrap();
        let (ply, played) = (draw["ply"].as_u64().unwrap(), game["ply"].as_u64().unwrap());
        assert!(ply < played, "{draw}");
        let next = &game["moves"][usize::try_from(ply).unwrap()]["uci"];
        for claim in draw["claims"].as_array().unwrap() {
            claims += 1;
            assert_ne!(&claim["move"]["uci"], next, "{draw}");
        }
    }
    assert!(claims > 0);
}

#[test]
fn the_public_of_a_competition_gets_counters_when_a_long_delay_has_passed() {
    const STEP_MS: u64 = 10_000;
    let (mut topics, publisher) = competition();
    // The starting position for the third time after ply 8; then it is left.
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves = [&shuffle[..], &shuffle[..], &["e2e4", "e7e5"]].concat();
    for ply in 0..=moves.len() {
        let game = game(&moves[..ply].join(" "));
        let moment = EntryTime {
            seqs: Seqs::of(&game),
            time: Timestamp::UNIX_EPOCH,
            at: Moment::from_millis(STEP_MS * ply as u64),
            age: Span::ZERO,
        };
        topics.show(&game, &BoardConnection::default(), &moment);
    }
    let seen = |leaf: Leaf| public_value(&publisher, leaf);
    topics.release(Moment::from_millis(DELAY_MS - 1));
    assert_eq!((seen(Leaf::Game), seen(Leaf::Draw)), (None, None));
    // A draw state comes when its player's turn has passed: with the ninth ply. The seventh is left
    // out, since it lists the move that was played.
    let ninth = DELAY_MS + 9 * STEP_MS;
    topics.release(Moment::from_millis(ninth - 1));
    assert_eq!(seen(Leaf::Draw).unwrap()["halfmove_clock"], 6);
    topics.release(Moment::from_millis(ninth) + STEP);
    let draw = seen(Leaf::Draw).unwrap();
    assert_eq!(
        (&draw["ply"], &draw["halfmove_clock"]),
        (&8.into(), &8.into())
    );
    assert_eq!(draw["repetition"]["count"], 3, "{draw}");
    assert_eq!(draw["fen"].as_str().unwrap().split(' ').count(), 6);
    let game = seen(Leaf::Game).unwrap();
    assert_eq!(game["ply"], 9);
    assert_eq!(game["fen"].as_str().unwrap().split(' ').count(), 6);
}
