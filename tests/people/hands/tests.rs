//! Blitz hands agree with the recordings.

use crate::Millis;
use remisd_vocabulary::sensor::{Seen, Sensed};
use shakmaty::Move;

use crate::{category::Category, script::Note, tests::play};

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

/// From the first to the last report of a move, in ms: quiet moves, captures, castling.
fn durations(seeds: std::ops::Range<u64>) -> [Vec<Millis>; 3] {
    let mut all = [const { Vec::new() }; 3];
    for seed in seeds {
        let stream = play(Category::Blitz, true, seed);
        let mut before = 0;
        for ply in &stream.truth.last().games[0] {
            let reports: Vec<Millis> = (stream.events.iter())
                .filter(|(at, sensed)| {
                    (before..ply.released + 450).contains(at)
                        && matches!(sensed, Sensed::Square(..))
                })
                .map(|(at, _)| *at)
                .collect();
            before = ply.released + 450;
            let kind = match ply.m {
                Move::Castle { .. } => 2,
                Move::Normal {
                    promotion: None,
                    capture,
                    ..
                } => usize::from(capture.is_some()),
                _ => continue,
            };
            if let (Some(first), Some(last)) = (reports.first(), reports.last()) {
                // Hesitating, putting right and long rests are left out, as none was recorded.
                all[kind].extend(Some(last - first).filter(|&lasts| lasts < 2_500));
            }
        }
    }
    all
}

#[test]
fn moves_last_as_long_as_in_the_recordings() {
    let mean = |all: &[Millis]| all.iter().sum::<Millis>() / all.len() as Millis;
    let [quiet, captures, castling] = durations(0..30);
    // recording: 0.24 s (0.17 to 0.32), 0.91 s (0.74 to 1.09), 1.17 s (0.67 to 1.67).
    assert!((170..=320).contains(&mean(&quiet)), "{}", mean(&quiet));
    assert!(
        (740..=1_090).contains(&mean(&captures)),
        "{}",
        mean(&captures)
    );
    assert!(
        (670..=1_670).contains(&mean(&castling)),
        "{}",
        mean(&castling)
    );
}
