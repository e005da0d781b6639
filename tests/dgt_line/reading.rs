//! A working board: found, read, turned round, distinguished from other devices.

use remisd::simulate::{Options, Progress, Simulation};
use remisd_board::ports;
use remisd_vocabulary::sensor::{ClockReading, Orientation, Placement, Sensed};
use shakmaty::{Color, Position};
use tokio::time::timeout;

use crate::bench::{Bench, DEADLINE, GAME, fast, quick};
use remisd_testkit::after;

#[tokio::test(flavor = "multi_thread")]
async fn a_board_starts_and_identifies_itself() {
    let (simulation, _progress) = Simulation::start(GAME, fast(20.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |settings| {
        settings.timing.question_ms = 2_000;
    });
    let device = bench.up().await;
    assert_eq!(device.kind, "dgt");
    assert_eq!(device.serial.as_deref(), Some("00042"));
    assert_eq!(device.version.as_deref(), Some("3.1"));
    assert_eq!(device.battery, Some(87));
    bench.placement(&Placement::start()).await;
    let clock = bench
        .wait("clock", |sensed| match sensed {
            Sensed::Clock(clock) => Some(*clock),
            _ => None,
        })
        .await;
    assert_eq!((clock.white_ms, clock.running), (300_000, None));
    bench.cancel.cancel();
    timeout(DEADLINE, bench.actor).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_played_game_arrives_as_squares_dumps_and_times() {
    let two = format!("{GAME}1. d4 *\n");
    let (simulation, mut progress) = Simulation::start(&two, fast(50.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |_| {});
    bench.up().await;

    let mut ucis = Vec::new();
    let mut squares = Placement::start();
    let mut dumps = 0;
    let mut clock = None;
    let finished = async {
        loop {
            tokio::select! {
                report = progress.recv() => match report.unwrap() {
                    Progress::Ply { game: 0, played, .. } => ucis.push(played.uci),
                    Progress::GameOver { game: 0, .. } => break,
                    _ => {}
                },
                event = bench.events.recv() => match event.unwrap().sensed {
                    Sensed::Square(square, seen) => { squares.set(square, seen); }
                    Sensed::Placement(placement) => {
                        assert_eq!(placement, squares, "squares and dumps agree on a clean line");
                        dumps += 1;
                    }
                    Sensed::Clock(reading) => clock = Some(reading),
                    _ => {}
                },
            }
        }
    };
    timeout(DEADLINE, finished).await.expect("the game ends");
    let ucis: Vec<&str> = ucis.iter().map(String::as_str).collect();
    assert_eq!(ucis.len(), 15);
    let end = after(&ucis);
    assert!(dumps > 2, "{dumps}");
    // What the board has sent last may still be on its way.
    let end = Placement::from(end.board());
    let is_last = |clock: ClockReading| {
        clock.white_ms <= 230_000 && clock.black_ms <= 231_000 && clock.lever == Some(Color::Black)
    };
    while squares != end || !clock.is_some_and(is_last) {
        let event = timeout(DEADLINE, bench.events.recv()).await;
        let what = format!("{clock:?} and {squares:?} are the last");
        match event.expect(&what).unwrap().sensed {
            Sensed::Square(square, seen) => {
                squares.set(square, seen);
            }
            Sensed::Placement(placement) => squares = placement,
            Sensed::Clock(reading) => clock = Some(reading),
            _ => {}
        }
    }

    // The pieces are set up again for the second game.
    bench.placement(&Placement::start()).await;
    bench
        .placement(&Placement::from(after(&["d2d4"]).board()))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turned_board_is_found_out() {
    let options = Options {
        rotated: true,
        ..fast(50.0)
    };
    let (simulation, _progress) = Simulation::start(GAME, options).unwrap();
    let mut bench = Bench::read(simulation.device(), |_| {});
    let orientation = bench
        .wait("orientation", |sensed| match sensed {
            Sensed::Orientation(orientation) => Some(*orientation),
            _ => None,
        })
        .await;
    assert_eq!(orientation, Orientation::Rotated);
    bench.placement(&Placement::start()).await;
    let white = bench
        .wait("a shorter time", |sensed| match sensed {
            Sensed::Clock(clock) if clock.lever == Some(Color::Black) => Some(clock.white_ms),
            _ => None,
        })
        .await;
    assert_eq!(white, 298_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_has_one_reader() {
    let (simulation, _progress) = Simulation::start(GAME, fast(20.0)).unwrap();
    let mut first = Bench::read(simulation.device(), |_| {});
    first.up().await;
    let mut second = Bench::read(simulation.device(), |_| {});
    let reason = second.down().await;
    assert!(reason.contains("in use by another program"), "{reason}");
    // When the first stops, the second takes over.
    first.cancel.cancel();
    timeout(DEADLINE, first.actor).await.unwrap().unwrap();
    second.up().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mute_line_is_no_board_and_the_actor_goes_on() {
    let pty = remisd::simulate::pty::Pty::open(None).unwrap();
    let mut bench = Bench::read(pty.path(), |settings| settings.timing.dump_ms = 50);
    let reason = bench.down().await;
    assert!(reason.contains("no chessboard answers"), "{reason}");
    bench.cancel.cancel();
    timeout(DEADLINE, bench.actor).await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_probe_names_the_board() {
    let (simulation, _progress) = Simulation::start(GAME, fast(20.0)).unwrap();
    let port = simulation.device().to_str().unwrap();
    let device = timeout(DEADLINE, ports::probe(port, &quick()))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (device.kind, device.serial.as_deref()),
        ("dgt", Some("00042"))
    );
    let mute = remisd::simulate::pty::Pty::open(None).unwrap();
    let port = mute.path().to_str().unwrap();
    let error = timeout(DEADLINE, ports::probe(port, &quick()))
        .await
        .unwrap()
        .unwrap_err();
    assert!(matches!(error, ports::ProbeError::Silent { .. }), "{error}");
}
