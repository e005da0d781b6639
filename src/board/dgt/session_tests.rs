use proptest::prelude::*;

use super::*;
use crate::{
    dgt::{ClockSide, table::START_DUMP},
    orientation::OrientationSetting,
};
use remisd_vocabulary::sensor::{Device, Orientation, Seen};

/// A session with its own clock.
struct Bench {
    session: Session,
    now: Duration,
    out: Vec<Sensed>,
    sent: Vec<Command>,
}

impl Bench {
    fn new() -> Self {
        Self {
            session: Session::new(
                DgtTiming::default(),
                "/dev/ttyACM0",
                Turn::new(OrientationSetting::Auto, None),
                ClockWatch::new(ClockSide::Auto),
                0,
            ),
            now: Duration::ZERO,
            out: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// A board that has answered its first two dumps with the start position.
    fn started() -> Self {
        let mut bench = Self::new();
        bench.run(2_000).unwrap();
        bench.hear(Reply::Version(1, 7));
        bench.hear(Reply::SerialNumber("25431".into()));
        bench.hear(start());
        bench.sent.clear();
        bench.run(1_000).unwrap();
        assert_eq!(bench.dumps(), 1, "one look may have been wrong");
        bench.hear(start());
        bench.out.clear();
        bench.sent.clear();
        bench
    }

    fn hear(&mut self, reply: Reply) {
        self.session
            .receive(Item::Reply(reply), self.now, &mut self.out);
    }

    /// Lets `milliseconds` pass without an answer from the board.
    fn run(&mut self, milliseconds: u64) -> Result<(), Lost> {
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
fn a_mute_peer_is_asked_everything_and_costs_only_deadlines() {
    let mut bench = Bench::new();
    bench.run(1_500).unwrap();
    assert_eq!(
        bench.sent,
        [
            Command::Reset,
            Command::Version,
            Command::SerialNumber,
            Command::Board,
            Command::UpdateNice,
            Command::Clock
        ]
    );
    bench.hear(start());
    assert!(matches!(
        bench.out[..],
        [.., Sensed::Link(LinkReport::Up(_)), Sensed::Placement(_)]
    ));
}

#[test]
fn a_board_that_answers_after_it_was_told_to_tell_is_told_again() {
    // The line came back in the middle of the questions, so the first ones were lost.
    let mut bench = Bench::new();
    bench.run(1_500).unwrap();
    bench.sent.clear();
    bench.hear(start());
    bench.run(300).unwrap();
    assert_eq!(
        bench.sent,
        [Command::UpdateNice, Command::Version, Command::SerialNumber]
    );
}

/// What the board reported about itself after the first report, the newest last.
fn told_later(out: &[Sensed]) -> Vec<Device> {
    let devices = out.iter().filter_map(|sensed| match sensed {
        Sensed::Link(LinkReport::Device(device)) => Some(device.clone()),
        _ => None,
    });
    devices.collect()
}

#[test]
fn what_a_silent_line_has_lost_of_the_questions_is_asked_again_and_told() {
    let mut bench = Bench::new();
    bench.run(1_500).unwrap();
    bench.hear(start());
    bench.out.clear();
    bench.sent.clear();
    bench.run(1_000).unwrap();
    bench.hear(start());
    // The answers to the repeated questions are lost as well.
    bench.run(5_500).unwrap();
    bench.hear(start());
    let asked = |bench: &Bench, wanted| bench.sent.iter().filter(|sent| **sent == wanted).count();
    assert_eq!(asked(&bench, Command::Version), 2);
    bench.hear(Reply::Version(3, 1));
    bench.hear(Reply::SerialNumber("00042".into()));
    bench.run(100).unwrap();
    assert_eq!(bench.sent.last(), Some(&Command::Battery));
    bench.hear(Reply::Battery(super::super::codec::Battery {
        percent: 87,
        charging: false,
        discharging: true,
    }));
    let told = told_later(&bench.out);
    assert_eq!(told.len(), 3);
    assert_eq!(told[2].version.as_deref(), Some("3.1"));
    assert_eq!(told[2].serial.as_deref(), Some("00042"));
    assert_eq!(told[2].battery, Some(87));
    // Known answers are not requested again.
    bench.sent.clear();
    for _ in 0..5 {
        bench.run(5_500).unwrap();
        bench.hear(start());
    }
    let quiet = |sent: &Command| *sent == Command::Board;
    assert!(bench.sent.iter().all(quiet), "{:?}", bench.sent);
}

#[test]
fn a_board_that_answers_no_questions_is_asked_six_times_and_kept_waiting_by_none() {
    let mut bench = Bench::new();
    bench.run(1_500).unwrap();
    bench.hear(start());
    for round in 0..20 {
        bench.run(5_100).unwrap();
        let dumps = bench.dumps();
        bench.hear(start());
        bench.hear(Reply::FieldUpdate {
            square: 0x24,
            piece: 1 - round % 2,
        });
        bench.run(360).unwrap();
        assert_eq!(bench.dumps(), dumps + 1, "the hand has rested");
        bench.hear(start());
    }
    for question in [Command::Version, Command::SerialNumber] {
        let asked = bench.sent.iter().filter(|sent| **sent == question).count();
        assert_eq!(asked, 6);
    }
    assert_eq!(told_later(&bench.out), []);
}

#[test]
fn what_a_board_says_of_itself_decides_what_it_is_asked() {
    let mut bench = Bench::new();
    bench.run(100).unwrap();
    bench.hear(Reply::Version(3, 10));
    bench.run(100).unwrap();
    bench.hear(Reply::Battery(super::super::codec::Battery {
        percent: 87,
        charging: false,
        discharging: true,
    }));
    bench.run(100).unwrap();
    bench.hear(Reply::SerialNumber("00000".into()));
    bench.run(100).unwrap();
    bench.hear(Reply::LongSerialNumber("3.25001000".into()));
    bench.run(200).unwrap();
    bench.hear(start());
    assert_eq!(
        bench.sent[1..5],
        [
            Command::Version,
            Command::Battery,
            Command::SerialNumber,
            Command::LongSerialNumber
        ]
    );
    let device = bench.out.iter().find_map(|sensed| match sensed {
        Sensed::Link(LinkReport::Up(device)) => Some(device.clone()),
        _ => None,
    });
    let device = device.unwrap();
    assert_eq!(device.version.as_deref(), Some("3.10"));
    assert_eq!(device.serial.as_deref(), Some("3.25001000"));
    assert_eq!(device.battery, Some(87));
}

#[test]
fn commands_keep_their_distance() {
    let mut bench = Bench::new();
    bench.session.command(ms(0)).unwrap();
    assert_eq!(bench.session.command(ms(99)), None);
    assert_eq!(bench.session.command(ms(100)), Some(Command::Version));
}

#[test]
fn a_rest_after_changes_brings_a_dump() {
    let mut bench = Bench::started();
    bench.hear(LIFT);
    assert!(matches!(bench.out[..], [Sensed::Square(_, Seen::Empty)]));
    bench.run(149).unwrap();
    assert_eq!(bench.dumps(), 0);
    bench.run(1).unwrap();
    assert_eq!(bench.dumps(), 1);
}

#[test]
fn a_hand_that_never_rests_still_brings_dumps() {
    let mut bench = Bench::started();
    for round in 0..30u8 {
        bench.hear(Reply::FieldUpdate {
            square: 0x24,
            piece: round % 2,
        });
        bench.run(100).unwrap();
        if bench.session.dump_due.is_some() {
            bench.hear(start());
        }
    }
    assert!((2..=4).contains(&bench.dumps()), "{}", bench.dumps());
}

#[test]
fn the_same_told_twice_is_told_on_once() {
    let mut bench = Bench::started();
    bench.hear(LIFT);
    bench.hear(LIFT);
    assert_eq!(bench.out.len(), 1);
}

#[test]
fn a_silent_board_is_woken_and_then_given_up() {
    let mut bench = Bench::started();
    let lost = bench.run(20_000).unwrap_err();
    assert_eq!(
        lost,
        Lost::Silent {
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
fn a_log_on_the_line_is_no_silence() {
    let mut bench = Bench::started();
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
fn a_draughts_board_is_called_so() {
    let mut bench = Bench::new();
    let refused = Item::Bad {
        id: 0x86,
        length: 103,
    };
    bench.session.receive(refused, bench.now, &mut bench.out);
    let lost = bench.run(20_000).unwrap_err();
    assert!(matches!(lost, Lost::Draughts { .. }));
}

#[test]
fn a_turned_start_array_turns_squares_and_clock() {
    let mut bench = Bench::started();
    bench.hear(Reply::Clock([0, 5, 9, 1, 0x23, 0x45, 0x11]));
    bench.out.clear();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    codes.reverse();
    bench.hear(Reply::BoardDump(codes));
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
    bench.hear(Reply::FieldUpdate {
        square: 63 - 0x34,
        piece: 0,
    });
    assert_eq!(
        bench.out,
        [Sensed::Square(shakmaty::Square::E2, Seen::Empty)]
    );
}

#[test]
fn a_doubted_clock_is_asked_again() {
    let mut bench = Bench::started();
    bench.hear(Reply::Clock([0, 5, 0, 0, 5, 0, 0x10]));
    bench.out.clear();
    bench.hear(Reply::Clock([2, 0, 0, 2, 0, 0, 0x10]));
    bench.run(100).unwrap();
    assert!(
        !bench
            .out
            .iter()
            .any(|sensed| matches!(sensed, Sensed::Clock(_)))
    );
    assert_eq!(bench.sent, [Command::Clock]);
    bench.out.clear();
    bench.hear(Reply::Clock([2, 0, 0, 2, 0, 0, 0x10]));
    assert!(matches!(bench.out[..], [Sensed::Clock(_)]));
}

#[test]
fn counters_are_told_when_they_change_and_not_often() {
    let mut bench = Bench::started();
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
fn a_change_that_was_not_told_sets_the_mode_again() {
    let mut bench = Bench::started();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    codes[0x34] = 0;
    bench.hear(Reply::BoardDump(codes.clone()));
    bench.run(100).unwrap();
    assert_eq!(bench.sent, [Command::UpdateNice]);
    bench.hear(Reply::BoardDump(codes));
    bench.run(100).unwrap();
    assert_eq!(bench.sent, [Command::UpdateNice]);
}

#[test]
fn a_change_that_only_one_look_shows_is_looked_at_again() {
    let mut bench = Bench::started();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    bench.hear(Reply::BoardDump(codes.clone()));
    bench.run(1_000).unwrap();
    assert_eq!(bench.dumps(), 0, "what is known already is not doubted");
    codes[0x34] = 0;
    bench.hear(Reply::BoardDump(codes));
    bench.run(1_000).unwrap();
    assert_eq!(bench.dumps(), 1);
}

#[test]
fn a_dump_that_comes_sooner_is_no_second_look() {
    let mut bench = Bench::started();
    let Reply::BoardDump(mut codes) = start() else {
        unreachable!()
    };
    codes[0x34] = 0;
    bench.hear(Reply::BoardDump(codes.clone()));
    bench.hear(Reply::FieldUpdate {
        square: 0x0c,
        piece: 0,
    });
    codes[0x0c] = 0;
    bench.run(300).unwrap();
    assert_eq!(bench.dumps(), 1, "the hand rested");
    bench.hear(Reply::BoardDump(codes));
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
    fn whatever_a_board_says_the_session_neither_spins_nor_grows(
        said in prop::collection::vec((any_item(), 0u64..3_000), 0..60),
    ) {
        let mut bench = Bench::new();
        for (item, pause) in said {
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
