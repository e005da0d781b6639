//! Tests of whole streams, and of the judge.

use std::sync::OnceLock;

use remisd_vocabulary::{
    sensor::{Placement, Seen, Sensed},
    time::Millis,
};
use shakmaty::{Chess, Move, Position as _, Square};

use crate::{
    board::placement_of,
    category::{Category, after, incidents},
    games::Library,
    judge::{
        Engine, Told,
        grade::{Grade, grade},
    },
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

fn play(category: Category, clock: bool, seed: u64) -> Stream {
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
fn what_is_told_stays_as_it_is() {
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
const EXPECTED_SUM: u64 = 0;

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
fn the_board_shows_what_stands_when_all_is_at_rest() {
    for category in Category::ALL {
        for stream in streams(category, 8) {
            let acts = &stream.script.acts;
            let mut shown = Placement::start();
            let mut events = stream.events.iter().peekable();
            let mut checked = 0;
            for pair in acts.windows(2) {
                // Every square is looked at again, and a dump comes: at its interval, if an update
                // was lost behind the last one.
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

/// Times of one capture or quiet move, as a reader of the reports sees them.
#[test]
fn blitz_hands_are_like_those_of_the_recordings() {
    let (mut captures, mut never_empty) = (0_u32, 0_u32);
    let (mut lines, mut slid, mut dragged) = (0_u32, 0_u32, 0_u32);
    for seed in 0..40 {
        let stream = play(Category::Blitz, true, seed);
        slid += u32::try_from(
            stream
                .notes
                .iter()
                .filter(|(_, note)| *note == Note::Slid)
                .count(),
        )
        .unwrap();
        dragged += u32::try_from(
            stream
                .notes
                .iter()
                .filter(|(_, note)| *note == Note::Dragged)
                .count(),
        )
        .unwrap();
        let record = &stream.truth.last().games[0];
        let mut before = 0;
        for ply in record {
            let within = |from: Millis, to: Millis| {
                stream
                    .events
                    .iter()
                    .filter(move |(at, _)| (from..to).contains(at))
            };
            if let Move::Normal {
                from,
                to,
                promotion: None,
                ..
            } = ply.m
            {
                lines += u32::from(shakmaty::attacks::between(from, to).any());
            }
            if ply.m.is_capture() && !ply.m.is_en_passant() && ply.m.promotion().is_none() {
                captures += 1;
                let empty = (ply.m.to(), Seen::Empty);
                never_empty += u32::from(!within(before, ply.released + 150).any(|(_, sensed)| {
                    matches!(sensed, Sensed::Square(at, seen) if (*at, *seen) == empty)
                }));
            }
            before = ply.released + 250;
        }
    }
    let share = |part: u32, of: u32| 100 * part / of.max(1);
    println!(
        "captures never empty {} %, slides {} %, dragged {} %",
        share(never_empty, captures),
        share(slid, lines),
        share(dragged, captures)
    );
    // recording: 71 %, 11 %, 14 %.
    assert!((60..=82).contains(&share(never_empty, captures)));
    assert!((6..=18).contains(&share(slid, lines)));
    assert!((8..=22).contains(&share(dragged, captures)));
}

#[test]
fn the_clocks_message_comes_about_a_second_after_the_placement() {
    let mut lags = Vec::new();
    for seed in 0..20 {
        let stream = play(Category::Blitz, true, seed);
        let record = &stream.truth.last().games[0];
        let mut lever = None;
        for (at, sensed) in &stream.events {
            let Sensed::Clock(reading) = sensed else {
                continue;
            };
            if lever.replace(reading.lever) != Some(reading.lever) {
                let made = record.partition_point(|ply| ply.released <= *at);
                lags.extend(made.checked_sub(1).map(|ply| at - record[ply].released));
            }
        }
    }
    lags.sort_unstable();
    let median = lags[lags.len() / 2];
    // recording: 0.95 s from the placement, 0.67 s in the quickest game; here from the release.
    assert!((650..=1_050).contains(&median), "{median}");
}

#[test]
fn hidden_kinds_tell_no_piece() {
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

/// An engine that tells what it was given to tell.
#[derive(Default)]
struct Parrot {
    tells: Vec<(Millis, Told)>,
    now: Vec<Told>,
}

impl Parrot {
    /// Tells the truth 300 ms after each release, but for what `change` makes of a ply.
    fn of(stream: &Stream, change: impl Fn(usize, Move) -> Option<Vec<(Millis, Told)>>) -> Self {
        let mut tells = Vec::new();
        for (ply, right) in stream.truth.last().games[0].iter().enumerate() {
            let told = Told::Move {
                m: right.m,
                doubtful: false,
            };
            let told = change(ply, right.m).unwrap_or(vec![(300, told)]);
            tells.extend(
                told.into_iter()
                    .map(|(after, told)| (right.released + after, told)),
            );
        }
        tells.sort_by_key(|(at, _)| *at);
        Self {
            tells,
            now: Vec::new(),
        }
    }
}

impl Engine for Parrot {
    fn follow(&mut self, _: &Chess, _: Millis) {}
    fn rest(&mut self, _: Millis) {}
    fn sense(&mut self, _: &Sensed, now: Millis) {
        self.tick(now);
    }
    fn tick(&mut self, now: Millis) {
        let due = self.tells.partition_point(|(at, _)| *at <= now);
        self.now
            .extend(self.tells.drain(..due).map(|(_, told)| told));
    }
    fn deadline(&self) -> Option<Millis> {
        self.tells.first().map(|(at, _)| *at)
    }
    fn readings(&mut self) -> Vec<Told> {
        std::mem::take(&mut self.now)
    }
}

#[test]
fn the_judge_is_strict() {
    let stream = play(Category::Plain, true, 5);
    let plies = stream.truth.last().games[0].len();
    let judge = |change: &dyn Fn(usize, Move) -> Option<Vec<(Millis, Told)>>| {
        grade(&stream, &mut Parrot::of(&stream, change))
    };
    let told = |m| Told::Move { m, doubtful: false };

    let exact = judge(&|_, _| None);
    assert_eq!((exact.grade, exact.latencies.len()), (Grade::Exact, plies));
    assert!(exact.latencies.iter().all(|&ms| ms == 300));

    // Nothing more is told from ply 20 on: silent without a doubt, flagged with one.
    let cut = judge(&|ply, _| (ply >= 20).then(Vec::new));
    assert_eq!((cut.grade, cut.wrong), (Grade::Silent, Some((0, 20))));
    let doubt = |plies| (3_000, Told::Doubt { plies, why: "" });
    let alarmed =
        judge(&|ply, _| (ply >= 20).then(|| if ply == 20 { vec![doubt(0)] } else { vec![] }));
    assert_eq!(alarmed.grade, Grade::Flagged);

    // A doubt that was closed again covers nothing.
    let closed = judge(&|ply, _| {
        let tells = vec![doubt(0), (4_000, Told::Certain)];
        (ply >= 20).then_some(if ply == 20 { tells } else { vec![] })
    });
    assert_eq!(closed.grade, Grade::Silent);

    // A wrong first move, and a doubt that does not reach back to it.
    let other = Chess::default()
        .legal_moves()
        .into_iter()
        .find(|m| *m != exact_first(&stream))
        .unwrap();
    let wrong = |plies| {
        judge(&|ply, _| {
            Some(if ply == 0 {
                vec![(300, told(other)), (900, Told::Doubt { plies, why: "" })]
            } else {
                vec![]
            })
        })
    };
    assert_eq!(
        (wrong(1).grade, wrong(0).grade),
        (Grade::Flagged, Grade::Silent)
    );
    assert!(wrong(0).short);

    // Taken back in time, and too late.
    let repaired = |after| {
        judge(&|ply, m| {
            (ply == plies - 1)
                .then(|| vec![(300, told(m)), (301, Told::NewGame), (after, Told::Certain)])
        })
    };
    assert_eq!(
        repaired(400).grade,
        Grade::Exact,
        "an empty new game after the end is no error"
    );
}

fn exact_first(stream: &Stream) -> Move {
    stream.truth.last().games[0][0].m
}
