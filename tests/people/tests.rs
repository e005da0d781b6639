//! Tests of whole streams.

use std::sync::OnceLock;

use crate::Millis;
use remisd_vocabulary::sensor::{Placement, Sensed};
use shakmaty::{Chess, Position as _, Square};

use crate::{
    board::placement_of,
    category::{Category, after, incidents},
    games::Library,
    plan::Gesture,
    script::Note,
    stream::{Sensing, Stream},
    truth::What,
    world::World,
};

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| Library::load().unwrap())
}

pub(crate) fn play(category: Category, clock: bool, seed: u64) -> Stream {
    Stream::play(library(), category, clock, Sensing::Identity, seed)
}

fn streams(category: Category, games: u64) -> impl Iterator<Item = Stream> {
    (0..games).map(move |seed| play(category, seed % 2 == 0, seed))
}

#[test]
fn the_same_seed_gives_the_same_stream() {
    for category in Category::ALL {
        let (a, b) = (play(category, true, 3), play(category, true, 3));
        assert!(a.events == b.events && a.truth == b.truth, "{category:?}");
        assert!(a.events != play(category, true, 4).events, "{category:?}");
    }
}

#[test]
fn old_seeds_give_the_same_streams() {
    // A changed number here means that old seeds name other games.
    let stream = play(Category::Blitz, true, 1);
    let sum = stream.events.iter().fold(0_u64, |sum, (at, sensed)| {
        let kind = match sensed {
            Sensed::Square(square, _) => u64::from(u32::from(*square)) + 1,
            Sensed::Placement(_) => 70,
            Sensed::Clock(reading) => reading.white_ms + 3 * reading.black_ms,
            Sensed::Orientation(_) | Sensed::Link(_) => 71,
        };
        sum.wrapping_mul(31).wrapping_add(at.wrapping_mul(7) + kind)
    });
    assert_eq!(sum, EXPECTED_SUM);
}

/// Of the stream above.
const EXPECTED_SUM: u64 = 14_897_891_590_238_356_401;

#[test]
fn every_truth_is_legal_and_events_are_in_order() {
    for category in Category::ALL {
        for stream in streams(category, 12) {
            assert_eq!(stream.truth.illegal(), None, "{category:?}");
            assert!(
                stream.events.is_sorted_by_key(|(at, _)| *at),
                "{category:?}"
            );
            assert!(stream.events.iter().all(|(at, _)| *at <= stream.end));
            assert!(
                stream
                    .truth
                    .happened
                    .iter()
                    .all(|happened| happened.at <= stream.end)
            );
            assert!(stream.truth.last().games[0].len() >= 10);
        }
    }
}

/// The physical board after everything up to `at`.
fn world_at(stream: &Stream, at: Millis) -> World {
    let mut world = World::of(Chess::default().board());
    for act in stream.script.acts.iter().take_while(|act| act.at <= at) {
        world.apply(act);
    }
    world
}

#[test]
fn the_board_shows_the_position_when_all_is_at_rest() {
    for category in Category::ALL {
        for stream in streams(category, 8) {
            let acts = &stream.script.acts;
            let mut shown = Placement::start();
            let mut events = stream.events.iter().peekable();
            let mut checked = 0;
            for pair in acts.windows(2) {
                // Every square is looked at again, and a dump comes: at its interval, if an update
                // was lost after the last one.
                let dump = if stream.board.lost > 0.0 {
                    6_000
                } else {
                    2_200
                };
                let rest = pair[0].at + 2 * stream.board.period + dump;
                if pair[1].at <= rest {
                    continue;
                }
                while let Some((_, sensed)) = events.next_if(|(at, _)| *at <= rest) {
                    match sensed {
                        Sensed::Square(square, seen) => {
                            shown.set(*square, *seen);
                        }
                        Sensed::Placement(placement) => shown = placement.clone(),
                        _ => {}
                    }
                }
                let world = world_at(&stream, rest);
                let faulty = stream
                    .board
                    .troubles
                    .iter()
                    .any(|trouble| trouble.from < rest && rest < trouble.until + 12_000);
                if faulty || world.flickers() {
                    continue;
                }
                let stands = placement_of(&world);
                let wrong: Vec<_> = stands.differing(&shown).collect();
                assert!(wrong.is_empty(), "{category:?} at {rest}: {wrong:?}");
                checked += 1;
            }
            assert!(checked >= 3, "{category:?}: {checked}");
        }
    }
}

#[test]
fn the_physical_board_is_the_position_at_the_end() {
    for category in [
        Category::Plain,
        Category::Scramble,
        Category::Incidents,
        Category::Rests,
    ] {
        for stream in streams(category, 12) {
            let mut position = Chess::default();
            for ply in &stream.truth.last().games[0] {
                position.play_unchecked(ply.m);
            }
            let world = world_at(&stream, stream.end);
            assert_eq!(world.differing(position.board()).count(), 0, "{category:?}");
        }
    }
}

#[test]
fn no_king_stands_on_two_squares() {
    for category in Category::ALL {
        for stream in streams(category, 12) {
            let mut world = World::of(Chess::default().board());
            for act in &stream.script.acts {
                world.apply(act);
                for color in shakmaty::Color::ALL {
                    let king = shakmaty::Role::King.of(color);
                    let kings = Square::ALL
                        .into_iter()
                        .filter(|&square| world.get(square).is_some_and(|s| s.piece == king));
                    assert!(
                        kings.count() <= 1,
                        "{category:?} at {} {}",
                        act.at,
                        act.square
                    );
                }
                let men = Square::ALL
                    .into_iter()
                    .filter(|&square| world.get(square).is_some());
                assert!(men.count() <= 32, "{category:?} at {}", act.at);
            }
        }
    }
}

#[test]
fn each_category_has_its_gestures() {
    let has = |category, games, notes: &[Note]| {
        let streams: Vec<_> = streams(category, games).collect();
        for &note in notes {
            assert!(
                streams.iter().any(|stream| stream.has(note)),
                "{category:?} {note:?}"
            );
        }
    };
    has(Category::Plain, 6, &[Note::Capture]);
    has(
        Category::Tournament,
        24,
        &[
            Note::ClockStopped,
            Note::Slid,
            Note::Adjusted,
            Note::PressedLate,
        ],
    );
    has(
        Category::Scramble,
        16,
        &[Note::PressedEarly, Note::PressedTwice, Note::Bumped],
    );
    has(
        Category::Faulty,
        16,
        &[
            Note::Outage,
            Note::DeadSquare,
            Note::Misread,
            Note::LostUpdate,
        ],
    );
    has(
        Category::Ordinary,
        40,
        &[
            Note::PressForgotten,
            Note::Hesitated,
            Note::Adjusted,
            Note::Illegal,
            Note::PressedFromHabit,
        ],
    );
    has(
        Category::Blitz,
        16,
        &[Note::Dragged, Note::Slid, Note::NextArray],
    );
    has(
        Category::Incidents,
        40,
        &[
            Note::Illegal,
            Note::TakenBack,
            Note::KnockedOver,
            Note::Dispute,
            Note::ClockStopped,
        ],
    );
    has(
        Category::Promotion,
        24,
        &[
            Note::InvertedRook,
            Note::InvertedRookExchanged,
            Note::QueenFetched,
            Note::WrongPromotion,
        ],
    );
    has(Category::Rests, 4, &[Note::LongRest]);
    has(
        Category::After,
        60,
        &[
            Note::Analysis,
            Note::KingsSign,
            Note::KingTipped,
            Note::PushedTogether,
            Note::Cleared,
            Note::NextArray,
            Note::SecondGame,
        ],
    );
    has(
        Category::Leaning,
        6,
        &[Note::Leaned, Note::Dragged, Note::Bumped],
    );
}

#[test]
fn plain_games_have_nothing_out_of_the_ordinary() {
    let odd = [
        Note::LongRest,
        Note::Bumped,
        Note::Illegal,
        Note::TakenBack,
        Note::Outage,
    ];
    for stream in streams(Category::Plain, 10) {
        assert!(!odd.into_iter().any(|note| stream.has(note)));
    }
}

#[test]
fn moves_taken_back_change_the_record_for_a_while() {
    let seed = (0..200).find(|&seed| play(Category::Incidents, true, seed).has(Note::TakenBack));
    let stream = play(Category::Incidents, true, seed.unwrap());
    let back = stream
        .truth
        .happened
        .iter()
        .position(|h| h.what == What::TakenBack)
        .unwrap();
    let [made, taken] = [back - 1, back].map(|index| stream.truth.happened[index]);
    let What::Played { m, .. } = made.what else {
        panic!("{made:?}")
    };
    let last = |at| stream.truth.at(at).games[0].last().map(|ply| ply.m);
    assert_eq!(last(taken.at - 1), Some(m));
    assert_ne!(
        stream.truth.at(taken.at).games[0].len(),
        stream.truth.at(made.at).games[0].len()
    );
}

#[test]
fn occupancy_boards_report_no_piece() {
    let stream = Stream::play(library(), Category::Blitz, false, Sensing::Occupancy, 2);
    for (_, sensed) in &stream.events {
        match sensed {
            Sensed::Square(_, seen) => assert!(seen.piece().is_none()),
            Sensed::Placement(placement) => {
                assert!(
                    Square::ALL
                        .into_iter()
                        .all(|square| placement.get(square).piece().is_none())
                );
            }
            _ => {}
        }
    }
}

#[test]
fn shares_of_gestures_and_ends_are_whole() {
    let gestures: f64 = incidents::GESTURES.iter().map(|(_, share)| share).sum();
    let ends: f64 = after::ENDINGS.iter().map(|(_, share)| share).sum();
    assert!((gestures - 1.0).abs() < 1e-9 && (ends - 1.0).abs() < 1e-9);
    assert!(
        incidents::GESTURES
            .iter()
            .all(|(gesture, _)| *gesture != Gesture::LongRest)
    );
}
