mod queries;

use proptest::prelude::*;

use super::*;
use crate::{
    dgt::{ClockSide, table::START_DUMP},
    orientation::OrientationSetting,
};
use remisd_vocabulary::sensor::{Orientation, Seen};

/// A session with its own clock.
struct TestSession {
    session: DgtSession,
    now: Duration,
    out: Vec<Sensed>,
    sent: Vec<Command>,
}

impl TestSession {
    fn new() -> Self {
        Self {
            session: DgtSession::new(
                DgtTiming::default(),
                "/dev/ttyACM0",
                OrientationTracker::new(OrientationSetting::Auto, None),
                ClockWatch::new(ClockSide::Auto),
                0,
            ),
            now: Duration::ZERO,
            out: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// A board that has sent its first two dumps with the start position.
    fn started() -> Self {
        let mut bench = Self::new();
        bench.run(2_000).unwrap();
        bench.receive(Reply::Version(1, 7));
        bench.receive(Reply::SerialNumber("25431".into()));
        bench.receive(start());
        bench.sent.clear();
        bench.run(1_000).unwrap();
        assert_eq!(bench.dumps(), 1, "a single dump may be wrong");
        bench.receive(start());
        bench.out.clear();
        bench.sent.clear();
        bench
    }

    fn receive(&mut self, reply: Reply) {
        self.session
            .receive(Item::Reply(reply), self.now, &mut self.out);
    }

    /// Lets `milliseconds` pass without a reply from the board.
    fn run(&mut self, milliseconds: u64) -> Result<(), BoardLost> {
        let end = self.now + ms(milliseconds);
        let mut rounds = 0;
        loop {
            self.session.wake(self.now, &mut self.out)?;
            self.sent.extend(self.session.command(self.now));
            let next = self.session.next_wake();
            if next > end {
                self.now = end;
                return Ok(());
            }
            self.now = self.now.max(next);
            rounds += 1;
            assert!(rounds < 10_000, "the session spins at {:?}", self.now);
        }
    }

    fn dumps(&self) -> usize {
        self.sent
            .iter()
            .filter(|&&command| command == Command::Board)
            .count()
    }
}

fn start() -> Reply {
    let codes: Vec<u8> = START_DUMP
        .split_whitespace()
        .skip(3)
        .map(|hex| u8::from_str_radix(hex, 16).unwrap())
        .collect();
    Reply::BoardDump(Box::new(codes.try_into().unwrap()))
}

const LIFT: Reply = Reply::FieldUpdate {
    square: 0x34,
    piece: 0,
};

#[test]
fn a_quiet_line_after_changes_brings_a_dump() {
    let mut bench = TestSession::started();
    bench.receive(LIFT);
    assert!(matches!(bench.out[..], [Sensed::Square(_, Seen::Empty)]));
    bench.run(149).unwrap();
    assert_eq!(bench.dumps(), 0);
    bench.run(1).unwrap();
    assert_eq!(bench.dumps(), 1);
}

#[test]
fn a_hand_that_never_rests_still_brings_dumps() {
    let mut bench = TestSession::started();
    for round in 0..30u8 {
        bench.receive(Reply::FieldUpdate {
            square: 0x24,
            piece: round % 2,
        });
        bench.run(100).unwrap();
        if bench.session.dump_due.is_some() {
            bench.receive(start());
        }
    }
    assert!((2..=4).contains(&bench.dumps()), "{}", bench.dumps());
}

#[test]
fn a_repeated_report_is_passed_on_once() {
    let mut bench = TestSession::started();
    bench.receive(LIFT);
    bench.receive(LIFT);
    assert_eq!(bench.out.len(), 1);
}

#[test]
fn a_silent_board_is_queried_again_and_then_given_up() {
    let mut bench = TestSession::started();
    let lost = bench.run(20_000).unwrap_err();
    assert_eq!(
        lost,
        BoardLost::Silent {
            port: "/dev/ttyACM0".into()
        }
    );
    assert_eq!(
        bench.sent,
        [
            Command::Board,
            Command::Board,
            Command::UpdateNice,
            Command::Board
        ]
    );
    assert!(bench.now < ms(15_000));
}

#[test]
fn log_output_on_the_line_is_not_silence() {
    let mut bench = TestSession::started();
    bench.run(5_200).unwrap();
    assert!(bench.session.dump_due.is_some());
    for _ in 0..8 {
        bench.run(1_000).unwrap();
        bench
            .session
            .receive(Item::Log(960), bench.now, &mut bench.out);
    }
    assert_eq!(bench.session.missed, 0);
}

#[test]
fn a_draughts_board_is_reported_as_one() {
    let mut bench = TestSession::new();
    let refused = Item::Bad {
        id: 0x86,
        length: 103,
    };
    bench.session.receive(refused, bench.now, &mut bench.out);
    let lost = bench.run(20_000).unwrap_err();
    assert!(matches!(lost, BoardLost::Draughts { .. }));
}

#[test]
fn a_rotated_starting_position_rotates_squares_and_clock() {
    let mut bench = TestSession::started();
    bench.receive(Reply::Clock([0, 5, 9, 1, 0x23, 0x45, 0x11]));
    bench.out.clear();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    codes.reverse();
    bench.receive(Reply::BoardDump(codes));
    let [
        Sensed::Orientation(Orientation::Rotated),
        Sensed::Clock(clock),
        Sensed::Placement(placement),
    ] = &bench.out[..]
    else {
        panic!("{:?}", bench.out);
    };
    assert_eq!(clock.black_ms, 5_025_000);
    assert_eq!(*placement, Placement::start());
    bench.out.clear();
    bench.receive(Reply::FieldUpdate {
        square: 63 - 0x34,
        piece: 0,
    });
    assert_eq!(
        bench.out,
        [Sensed::Square(shakmaty::Square::E2, Seen::Empty)]
    );
}

#[test]
fn an_implausible_clock_reading_is_requested_again() {
    let mut bench = TestSession::started();
    bench.receive(Reply::Clock([0, 5, 0, 0, 5, 0, 0x10]));
    bench.out.clear();
    bench.receive(Reply::Clock([2, 0, 0, 2, 0, 0, 0x10]));
    bench.run(100).unwrap();
    assert!(
        !bench
            .out
            .iter()
            .any(|sensed| matches!(sensed, Sensed::Clock(_)))
    );
    assert_eq!(bench.sent, [Command::Clock]);
    bench.out.clear();
    bench.receive(Reply::Clock([2, 0, 0, 2, 0, 0, 0x10]));
    assert!(matches!(bench.out[..], [Sensed::Clock(_)]));
}

#[test]
fn counters_are_reported_when_they_change_and_not_often() {
    let mut bench = TestSession::started();
    bench
        .session
        .receive(Item::Noise(7), bench.now, &mut bench.out);
    bench.session.receive(
        Item::Unknown {
            id: 0xA3,
            length: 9,
        },
        bench.now,
        &mut bench.out,
    );
    bench.run(3_000).unwrap();
    let [Sensed::Link(LinkReport::Counters(counters))] = bench.out[..] else {
        panic!("{:?}", bench.out);
    };
    assert_eq!((counters.noise_bytes, counters.unknown_frames), (7, 1));
}

#[test]
fn an_unreported_change_sets_the_mode_again() {
    let mut bench = TestSession::started();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    codes[0x34] = 0;
    bench.receive(Reply::BoardDump(codes.clone()));
    bench.run(100).unwrap();
    assert_eq!(bench.sent, [Command::UpdateNice]);
    bench.receive(Reply::BoardDump(codes));
    bench.run(100).unwrap();
    assert_eq!(bench.sent, [Command::UpdateNice]);
}

#[test]
fn a_change_that_only_one_dump_shows_is_checked_by_another() {
    let mut bench = TestSession::started();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    bench.receive(Reply::BoardDump(codes.clone()));
    bench.run(1_000).unwrap();
    assert_eq!(bench.dumps(), 0, "a known placement is not checked");
    codes[0x34] = 0;
    bench.receive(Reply::BoardDump(codes));
    bench.run(1_000).unwrap();
    assert_eq!(bench.dumps(), 1);
}

#[test]
fn a_dump_that_comes_too_soon_is_no_second_check() {
    let mut bench = TestSession::started();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    codes[0x34] = 0;
    bench.receive(Reply::BoardDump(codes.clone()));
    bench.receive(Reply::FieldUpdate {
        square: 0x0c,
        piece: 0,
    });
    codes[0x0c] = 0;
    bench.run(300).unwrap();
    assert_eq!(bench.dumps(), 1, "the hand rested");
    bench.receive(Reply::BoardDump(codes));
    bench.run(700).unwrap();
    assert_eq!(bench.dumps(), 2);
}

fn any_item() -> impl Strategy<Value = Item> {
    prop_oneof![
        (0u8..64, 0u8..16).prop_map(|(square, piece)| Reply::FieldUpdate { square, piece }),
        prop::collection::vec(0u8..16, 64)
            .prop_map(|codes| Reply::BoardDump(Box::new(codes.try_into().unwrap()))),
        prop::array::uniform7(0u8..0x80).prop_map(Reply::Clock),
        (0u8..0x80).prop_map(|main| Reply::Version(main, 0)),
        "[0-9]{5}".prop_map(Reply::SerialNumber),
    ]
    .prop_map(Item::Reply)
    .boxed()
    .prop_union(
        prop_oneof![
            (1usize..100).prop_map(Item::Noise),
            (1usize..1000).prop_map(Item::Log),
            any::<u8>().prop_map(|id| Item::Bad { id, length: 3 }),
        ]
        .boxed(),
    )
}

proptest! {
    #[test]
    fn whatever_a_board_sends_the_session_neither_spins_nor_grows(
        items in prop::collection::vec((any_item(), 0u64..3_000), 0..60),
    ) {
        let mut bench = TestSession::new();
        for (item, pause) in items {
            bench.session.receive(item, bench.now, &mut bench.out);
            if bench.run(pause).is_err() {
                break;
            }
            prop_assert!(bench.session.queue.len() <= Command::ALL.len());
            prop_assert!(bench.out.len() < 100);
            bench.out.clear();
        }
    }
}
