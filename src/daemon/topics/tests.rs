mod competition;
mod plies;

use super::*;
use crate::config::{Audience as AudienceSettings, Profile};
use remisd_game::{Cause, Input, Rules, Stamped};
use remisd_laws::Score;
use remisd_vocabulary::{reading::SettledBy, seq::EntrySeq};

const DELAY_MS: u64 = 900_000;
const DELAY: PublicDelay = PublicDelay {
    time: Span::from_millis(DELAY_MS),
    plies: 0,
};

fn new_game(start_fen: Option<&str>, cause: Cause) -> Input {
    Input::NewGame {
        start_fen: start_fen.map(str::to_owned),
        laws: "fide-2023".into(),
        rate: remisd_laws::Rate::Standard,
        headers: std::collections::BTreeMap::new(),
        cause,
    }
}

fn game(moves: &str) -> Game {
    let mut game = Game::new(Rules::default());
    let begins = new_game(None, Cause::Startup);
    let moves = moves.split_whitespace().map(|uci| Input::Move {
        uci: uci.into(),
        by: SettledBy::Clock,
        clock: None,
    });
    for (seq, input) in (1..)
        .map(EntrySeq::new)
        .zip(std::iter::once(begins).chain(moves))
    {
        let time = Timestamp::UNIX_EPOCH;
        game.apply(&Stamped { seq, time, input });
    }
    game
}

#[test]
fn what_the_public_sees_immediately_is_not_followed_by_what_was_shown_before() {
    let site: SiteId = "hall".parse().unwrap();
    let board: BoardId = "b1".parse().unwrap();
    let mut topics = TopicPublisher::new(
        site.clone(),
        board.clone(),
        "session".to_owned(),
        Views::under(Profile::Competition),
        Publisher::detached(&site),
        DELAY,
        DelayBoard::default(),
    );
    let line = BoardConnection::default();
    let moment = |at_ms, age_ms| EntryTime {
        seqs: Seqs::of(&game("")),
        time: Timestamp::UNIX_EPOCH,
        at: Moment::from_millis(at_ms),
        age: Span::from_millis(age_ms),
    };
    // The start without a disk, then the record: a game from the night before.
    topics.replay(&game(""), &line, &moment(0, 0));
    topics.replay(&game("f2f3 e7e5"), &line, &moment(60_000, 40_000_000));
    let mate = "f2f3 e7e5 g2g4 d8h4";
    topics.replay(&game(mate), &line, &moment(60_000, 39_000_000));
    let topic = topic::board(&site, Audience::Public, &board, Leaf::Game);
    let place = &topics.retained[&(Audience::Public, Leaf::Game)];
    assert_eq!(place.topic, topic);
    assert!(matches!(place.last, LastValue::Says(_)));
    let ready: Vec<&Option<Bytes>> = topics
        .ready
        .iter()
        .filter_map(|(of, payload)| (*of == topic).then_some(payload))
        .collect();
    let [Some(shown)] = ready[..] else {
        panic!("{ready:?}");
    };
    assert!(String::from_utf8_lossy(shown).contains("d8h4"));
    let waiting = topics.delayed.take_due(Moment::MAX);
    assert!(!waiting.iter().any(|(of, _)| **of == *topic));
}

/// What the broker shows the public: the plies of `game`, and whether there is a `result`.
fn seen(publisher: &Publisher) -> (Option<u64>, bool) {
    let messages = publisher.full_snapshot();
    let payload = |leaf: &str| {
        let topic = format!("chess/v1/hall/public/b1/{leaf}");
        let message = messages.iter().find(|message| *message.topic == *topic)?;
        (!message.payload.is_empty())
            .then(|| serde_json::from_slice::<serde_json::Value>(&message.payload).unwrap())
    };
    let game = payload("game");
    let plies = game.as_ref().and_then(|game| game["ply"].as_u64());
    let result = payload("result");
    let in_game = game.is_some_and(|game| !game["result"].is_null());
    assert_eq!(
        result.is_some(),
        in_game,
        "the result and its moves come together"
    );
    (plies, result.is_some())
}

fn hall(delay: PublicDelay) -> (TopicPublisher, Publisher) {
    let site: SiteId = "hall".parse().unwrap();
    let publisher = Publisher::detached(&site);
    let views = Views::under(Profile::Casual);
    let board = "b1".parse().unwrap();
    let topics = TopicPublisher::new(
        site,
        board,
        "session".into(),
        views,
        publisher.clone(),
        delay,
        DelayBoard::default(),
    );
    (topics, publisher)
}

fn at(game: &Game, at_ms: u64, age_ms: u64) -> EntryTime {
    EntryTime {
        seqs: Seqs::of(game),
        time: Timestamp::UNIX_EPOCH,
        at: Moment::from_millis(at_ms),
        age: Span::from_millis(age_ms),
    }
}

/// A move every ten seconds up to a mate, which is confirmed a minute later.
const STEP_MS: u64 = 10_000;
const MATE: &str = "f2f3 e7e5 g2g4 d8h4";

fn mated(confirmed: bool) -> Game {
    let mut game = game(MATE);
    if confirmed {
        enter(&mut game, Score::BlackWins);
        assert!(game.result().is_some_and(|result| result.confirmed));
    }
    game
}

/// The arbiter enters a result, or withdraws it.
fn enter(game: &mut Game, score: Score) {
    order(game, remisd_game::Verb::Result { score, game: None });
}

/// The next game begins.
fn begin(game: &mut Game, start_fen: Option<&str>) {
    apply(game, new_game(start_fen, Cause::StartArray));
}

/// Applies a command of the arbiter.
fn order(game: &mut Game, verb: remisd_game::Verb) {
    let command = remisd_game::Command {
        id: game.seq().get().to_string(),
        role: remisd_game::Role::Arbiter,
        by: None,
        if_seq: None,
        unsettled: None,
        verb,
    };
    apply(game, Input::Command(command));
}

fn apply(game: &mut Game, input: Input) {
    let (seq, time) = (game.seq().next(), Timestamp::UNIX_EPOCH);
    game.apply(&Stamped { seq, time, input });
}

/// The states of that game with their times.
fn course() -> Vec<(u64, Game)> {
    let moves: Vec<&str> = MATE.split(' ').collect();
    let states = (0..=4).map(|ply| (STEP_MS * ply as u64, game(&moves[..ply].join(" "))));
    states.chain([(100_000, mated(true))]).collect()
}

#[test]
fn a_result_waits_for_the_delay_behind_its_moves() {
    let (mut topics, publisher) = hall(DELAY);
    for (time, game) in course() {
        topics.show(&game, &BoardConnection::default(), &at(&game, time, 0));
    }
    topics.release(Moment::from_millis(DELAY_MS + 99_999));
    assert_eq!(seen(&publisher), (Some(4), false));
    topics.release(Moment::from_millis(DELAY_MS + 100_000));
    assert_eq!(seen(&publisher), (Some(4), true));
}

#[test]
fn a_topic_without_delay_counts_no_entry_that_waits() {
    let (mut topics, publisher) = hall(DELAY);
    let availability = || {
        let messages = publisher.full_snapshot();
        let topic = "chess/v1/hall/public/b1/availability";
        let message = messages
            .iter()
            .find(|message| *message.topic == *topic)
            .unwrap();
        let message: serde_json::Value = serde_json::from_slice(&message.payload).unwrap();
        message["seq"].as_u64().unwrap()
    };
    let states = course();
    for (time, game) in &states {
        topics.replay(game, &BoardConnection::default(), &at(game, *time, 0));
    }
    let (newest, ended) = states.last().unwrap();
    let (_, before_it) = &states[4];
    let line = BoardConnection::default();
    topics.show(ended, &line, &at(ended, *newest, 0));
    assert_eq!(availability(), 0, "nothing is public yet");
    for (due, sees) in [
        (DELAY_MS + newest - 1, before_it),
        (DELAY_MS + newest, ended),
    ] {
        topics
            .retained
            .get_mut(&(Audience::Public, Leaf::Availability))
            .unwrap()
            .last = LastValue::Nothing;
        topics.show_leaves(
            &[Leaf::Availability],
            &BoardSnapshot::of(ended, &line),
            &at(ended, due, 0),
        );
        assert_eq!(availability(), Seqs::of(sees).seq(Audience::Public).get());
    }
}

#[test]
fn a_result_that_was_withdrawn_leaves_the_last_plies_hidden() {
    const ENTERED_MS: u64 = 100_000;
    const WITHDRAWN_MS: u64 = 110_000;
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6"];
    for delay_ms in [0, DELAY_MS] {
        let delay = PublicDelay {
            time: Span::from_millis(delay_ms),
            plies: 3,
        };
        let (mut topics, publisher) = hall(delay);
        let mut show = |game: &Game, time| {
            topics.release(Moment::from_millis(time));
            topics.show(game, &BoardConnection::default(), &at(game, time, 0));
            topics.release(Moment::from_millis(time));
        };
        let mut playing = game("");
        for ply in 0..=moves.len() {
            playing = game(&moves[..ply].join(" "));
            show(&playing, STEP_MS * ply as u64);
        }
        enter(&mut playing, Score::WhiteWins);
        show(&playing, ENTERED_MS);
        let entered = seen(&publisher);
        enter(&mut playing, Score::None);
        assert!(playing.result().is_none(), "{:?}", playing.result());
        show(&playing, WITHDRAWN_MS);
        if delay_ms == 0 {
            assert_eq!(
                (entered, seen(&publisher)),
                ((Some(4), true), (Some(1), false))
            );
            continue;
        }
        assert_eq!((entered, seen(&publisher)), ((None, false), (None, false)));
        for (time, expected) in [
            (ENTERED_MS, (Some(4), true)),
            (WITHDRAWN_MS, (Some(1), false)),
            (WITHDRAWN_MS + 3_600_000, (Some(1), false)),
        ] {
            topics.release(Moment::from_millis(DELAY_MS + time));
            assert_eq!(seen(&publisher), expected, "at {time}");
        }
    }
}

#[test]
fn a_corrected_line_is_not_shown_any_longer_than_it_stood() {
    let delay = PublicDelay {
        time: Span::ZERO,
        plies: 2,
    };
    let (mut topics, publisher) = hall(delay);
    for moves in [
        "e2e4",
        "e2e4 e7e5",
        "e2e4 e7e5 g1f3",
        "e2e4 c7c5 g1f3",
        "e2e4 c7c5 g1f3 d7d6",
    ] {
        let game = game(moves);
        topics.show(&game, &BoardConnection::default(), &at(&game, 0, 0));
        let messages = publisher.full_snapshot();
        let leaked = messages.iter().any(|message| {
            let public = message.topic.contains("/public/");
            public && String::from_utf8_lossy(&message.payload).contains("e7e5")
        });
        assert!(!leaked, "{moves}");
    }
    assert_eq!(seen(&publisher).0, Some(1), "the ply before was corrected");
}

#[test]
fn a_replay_publishes_its_last_value_and_none_before_it() {
    let (mut topics, publisher) = hall(PublicDelay::default());
    let topic = "chess/v1/hall/public/b1/game";
    let game_topic = || {
        let all = publisher.full_snapshot();
        let found = all.iter().find(|message| *message.topic == *topic);
        found.map(|message| String::from_utf8_lossy(&message.payload).into_owned())
    };
    for moves in ["e2e4", "e2e4 e7e5"] {
        let game = game(moves);
        topics.replay(&game, &BoardConnection::default(), &at(&game, 5_000, 0));
        assert_eq!(game_topic(), None, "{moves}");
    }
    assert_eq!(topics.next_due(), Some(Moment::START));
    topics.release(Moment::from_millis(5_000));
    assert!(game_topic().unwrap().contains("\"ply\":2"));
}

#[test]
fn the_last_state_of_a_game_is_seen_although_the_next_one_begins_immediately() {
    let (mut topics, publisher) = hall(DELAY);
    let line = BoardConnection::default();
    let mut game = game("e2e4");
    topics.show(&game, &line, &at(&game, 1_001, 0));
    let begins = Input::NewGame {
        start_fen: None,
        laws: "fide-2023".into(),
        rate: remisd_laws::Rate::Standard,
        headers: std::collections::BTreeMap::new(),
        cause: Cause::StartArray,
    };
    game.apply(&Stamped {
        seq: game.seq().next(),
        time: Timestamp::UNIX_EPOCH,
        input: begins,
    });
    topics.show(&game, &line, &at(&game, 1_002, 0));
    let mut seen_plies = Vec::new();
    for quarter in 0..12 {
        topics.release(Moment::from_millis(DELAY_MS + 250 * quarter));
        seen_plies.extend(seen(&publisher).0);
    }
    seen_plies.dedup();
    assert_eq!(seen_plies, [1, 0]);
}

/// The payload of a public topic; `None` if it was cleared or never set.
fn public(publisher: &Publisher, leaf: &str) -> Option<serde_json::Value> {
    let topic = format!("chess/v1/hall/public/b1/{leaf}");
    let messages = publisher.full_snapshot();
    let message = messages.iter().find(|message| *message.topic == *topic)?;
    serde_json::from_slice(&message.payload).ok()
}

#[test]
fn the_end_of_a_game_stays_public_with_the_next_one_and_after_a_restart() {
    let line = BoardConnection::default();
    let ended = mated(true);
    let mut next = ended.clone();
    next.apply(&Stamped {
        seq: next.seq().next(),
        time: Timestamp::UNIX_EPOCH,
        input: Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: remisd_laws::Rate::Standard,
            headers: std::collections::BTreeMap::new(),
            cause: Cause::StartArray,
        },
    });
    let number = Seqs::of(&next).seq(Audience::Public).get();
    for is_restarted in [false, true] {
        let (mut topics, publisher) = hall(DELAY);
        for (state, at_ms) in [(&ended, 1_001), (&next, 1_002)] {
            if is_restarted {
                topics.replay(state, &line, &at(state, 1_002, 1_002 - at_ms));
            } else {
                topics.show(state, &line, &at(state, at_ms, 0));
            }
        }
        let mut last = None;
        let mut changes = 0;
        for quarter in 0..12 {
            topics.release(Moment::from_millis(DELAY_MS + 250 * quarter));
            let game = public(&publisher, "game");
            let earlier = public(&publisher, "earlier");
            let is_next = (game.as_ref()).is_some_and(|game| game["game"] == number);
            assert_eq!(earlier.is_some(), is_next, "{game:?}");
            if let Some(earlier) = earlier {
                // It is what the public has seen last.
                assert_eq!(
                    earlier["games"].as_array(),
                    last.clone().map(|one| vec![one]).as_ref()
                );
                changes += 1;
            } else {
                last = game;
            }
        }
        assert!(changes > 0, "the next game was never public");
        assert_eq!(last.unwrap()["result"]["score"], "0-1");
    }
}

#[test]
fn a_restart_releases_nothing_early() {
    for plies in [0, 3] {
        let delay = PublicDelay {
            time: Span::from_millis(DELAY_MS),
            plies,
        };
        // What a daemon that never stops shows, second by second.
        let shown = |stops: Option<u64>| {
            let (mut topics, publisher) = hall(delay);
            let line = BoardConnection::default();
            let states = course();
            let mut since = 0;
            let mut seconds = Vec::new();
            let mut publisher = publisher;
            for second in 0..1_100 {
                let now = second * 1_000;
                if stops == Some(now) {
                    // Its clock begins anew; the journal has the least age of each entry.
                    (topics, publisher) = hall(delay);
                    since = now;
                    let last = states.iter().rfind(|(time, _)| *time < now).unwrap().0;
                    for (time, game) in states.iter().filter(|(time, _)| *time < now) {
                        topics.replay(game, &line, &at(game, 0, last - time));
                    }
                }
                for (_, game) in states.iter().filter(|(time, _)| *time == now) {
                    topics.show(game, &line, &at(game, now - since, 0));
                }
                topics.release(Moment::from_millis(now - since));
                seconds.push(seen(&publisher));
            }
            seconds
        };
        let steady = shown(None);
        assert_eq!(steady.last(), Some(&(Some(4), true)));
        for stops in [15_000, 45_000, 101_000, 910_000, 990_000] {
            let restarted = shown(Some(stops));
            for (second, (late, steady)) in restarted.iter().zip(&steady).enumerate() {
                assert!(
                    late.0 <= steady.0 && late.1 <= steady.1,
                    "{plies} plies, stopped at {stops}: {late:?} at second {second}"
                );
            }
        }
    }
}

#[test]
fn an_entry_that_changes_nothing_for_the_public_has_no_time_in_the_queue() {
    let site: SiteId = "hall".parse().unwrap();
    let board: BoardId = "b1".parse().unwrap();
    let delays = DelayBoard::default();
    let mut topics = TopicPublisher::new(
        site.clone(),
        board.clone(),
        "session".to_owned(),
        Views::under(Profile::Competition),
        Publisher::detached(&site),
        PublicDelay { plies: 1, ..DELAY },
        delays.clone(),
    );
    let mut show = |moves, at_ms| {
        let game = game(moves);
        topics.show(&game, &BoardConnection::default(), &at(&game, at_ms, 0));
    };
    show("", 0);
    show("e2e4", 10_000);
    // The arbiter does something that the public does not see.
    show("e2e4", 17_123);
    show("e2e4 e7e5", 20_000);
    topics.release(Moment::from_millis(DELAY_MS) + STEP);
    let behind = delays.borrow()[&board];
    assert_eq!(behind.next, Some(Moment::from_millis(10_000 + DELAY_MS)));
}
