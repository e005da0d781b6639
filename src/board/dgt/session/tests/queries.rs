//! Which queries a board receives, and when they are repeated.

use remisd_vocabulary::sensor::Device;

use super::*;

#[test]
fn a_silent_peer_gets_every_query_and_costs_only_deadlines() {
    let mut bench = TestSession::new();
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
    bench.receive(start());
    assert!(matches!(
        bench.out[..],
        [.., Sensed::Link(LinkReport::Up(_)), Sensed::Placement(_)]
    ));
}

#[test]
fn a_board_that_first_replies_after_the_mode_was_set_gets_the_mode_again() {
    // The line came back in the middle of the queries, so the first queries were lost.
    let mut bench = TestSession::new();
    bench.run(1_500).unwrap();
    bench.sent.clear();
    bench.receive(start());
    bench.run(300).unwrap();
    assert_eq!(
        bench.sent,
        [Command::UpdateNice, Command::Version, Command::SerialNumber]
    );
}

/// What the board reported about itself after the first report, the newest last.
fn later_reports(out: &[Sensed]) -> Vec<Device> {
    let devices = out.iter().filter_map(|sensed| match sensed {
        Sensed::Link(LinkReport::Device(device)) => Some(device.clone()),
        _ => None,
    });
    devices.collect()
}

#[test]
fn queries_lost_on_a_silent_line_are_repeated_and_reported() {
    let mut bench = TestSession::new();
    bench.run(1_500).unwrap();
    bench.receive(start());
    bench.out.clear();
    bench.sent.clear();
    bench.run(1_000).unwrap();
    bench.receive(start());
    // The replies to the repeated queries are lost as well.
    bench.run(5_500).unwrap();
    bench.receive(start());
    let count =
        |bench: &TestSession, wanted| bench.sent.iter().filter(|sent| **sent == wanted).count();
    assert_eq!(count(&bench, Command::Version), 2);
    bench.receive(Reply::Version(3, 1));
    bench.receive(Reply::SerialNumber("00042".into()));
    bench.run(100).unwrap();
    assert_eq!(bench.sent.last(), Some(&Command::Battery));
    bench.receive(Reply::Battery(crate::dgt::codec::Battery {
        percent: 87,
        charging: false,
        discharging: true,
    }));
    let reports = later_reports(&bench.out);
    assert_eq!(reports.len(), 3);
    assert_eq!(reports[2].version.as_deref(), Some("3.1"));
    assert_eq!(reports[2].serial.as_deref(), Some("00042"));
    assert_eq!(reports[2].battery, Some(87));
    // What is known is not requested again.
    bench.sent.clear();
    for _ in 0..5 {
        bench.run(5_500).unwrap();
        bench.receive(start());
    }
    let quiet = |sent: &Command| *sent == Command::Board;
    assert!(bench.sent.iter().all(quiet), "{:?}", bench.sent);
}

#[test]
fn a_board_without_replies_gets_each_query_six_times_and_none_delays_it() {
    let mut bench = TestSession::new();
    bench.run(1_500).unwrap();
    bench.receive(start());
    for round in 0..20 {
        bench.run(5_100).unwrap();
        let dumps = bench.dumps();
        bench.receive(start());
        bench.receive(Reply::FieldUpdate {
            square: 0x24,
            piece: 1 - round % 2,
        });
        bench.run(360).unwrap();
        assert_eq!(bench.dumps(), dumps + 1, "the hand has rested");
        bench.receive(start());
    }
    for query in [Command::Version, Command::SerialNumber] {
        let queries = bench.sent.iter().filter(|sent| **sent == query).count();
        assert_eq!(queries, 6);
    }
    assert_eq!(later_reports(&bench.out), []);
}

#[test]
fn the_version_of_a_board_decides_which_queries_it_gets() {
    let mut bench = TestSession::new();
    bench.run(100).unwrap();
    bench.receive(Reply::Version(3, 10));
    bench.run(100).unwrap();
    bench.receive(Reply::Battery(crate::dgt::codec::Battery {
        percent: 87,
        charging: false,
        discharging: true,
    }));
    bench.run(100).unwrap();
    bench.receive(Reply::SerialNumber("00000".into()));
    bench.run(100).unwrap();
    bench.receive(Reply::LongSerialNumber("3.25001000".into()));
    bench.run(200).unwrap();
    bench.receive(start());
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
fn commands_are_spaced() {
    let mut bench = TestSession::new();
    bench.session.command(ms(0)).unwrap();
    assert_eq!(bench.session.command(ms(99)), None);
    assert_eq!(bench.session.command(ms(100)), Some(Command::Version));
}
