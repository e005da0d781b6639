//! The reader of DGT boards against the simulated board, over a real pseudo-terminal.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod support;

use std::{path::Path, sync::Arc, time::Duration};

use bytes::BytesMut;
use remisd::{
    board::{
        self, BoardSettings, DgtTiming,
        dgt::{clock::ClockWatch, codec::Codec, session::Session},
        event::{BoardEvent, Device, LinkReport, Orientation, Placement, Sensed},
        orientation::Turn,
        ports,
    },
    journal::{self, Journal},
    simulate::{Options, Progress, Simulation},
    time::SystemClock,
};
use shakmaty::{Color, Position};
use support::after;
use tokio::{sync::mpsc, time::timeout};
use tokio_util::{codec::Decoder as _, sync::CancellationToken};

const DEADLINE: Duration = Duration::from_secs(20);

const GAME: &str = "[White \"A\"]\n[TimeControl \"300\"]\n\n\
    1. e4 {[%clk 0:04:58]} d5 {[%clk 0:04:57]} 2. exd5 {[%clk 0:04:50]} c5 {[%clk 0:04:44]} \
    3. dxc6 {[%clk 0:04:40]} Qd5 {[%clk 0:04:33]} 4. cxb7 {[%clk 0:04:30]} Nf6 {[%clk 0:04:21]} \
    5. bxa8=Q {[%clk 0:04:20]} e5 {[%clk 0:04:11]} 6. Nf3 {[%clk 0:04:10]} Be7 {[%clk 0:04:01]} \
    7. Be2 {[%clk 0:04:00]} O-O {[%clk 0:03:51]} 8. O-O {[%clk 0:03:50]} 1-0\n\n";

/// A board read by an actor, and its events.
struct Bench {
    events: mpsc::Receiver<BoardEvent>,
    cancel: CancellationToken,
    actor: tokio::task::JoinHandle<()>,
}

impl Bench {
    fn read(port: &Path, adjust: impl FnOnce(&mut BoardSettings)) -> Self {
        let (events, receiver) = mpsc::channel(64);
        let cancel = CancellationToken::new();
        let mut settings = BoardSettings::new("b1".parse().unwrap(), port.to_str().unwrap());
        settings.timing = quick();
        adjust(&mut settings);
        let clock = Arc::new(SystemClock::new());
        Self {
            events: receiver,
            actor: board::spawn(settings, clock, events, cancel.clone()),
            cancel,
        }
    }

    /// Waits for the first event of which `wanted` makes something.
    async fn wait<T>(&mut self, what: &str, mut wanted: impl FnMut(&Sensed) -> Option<T>) -> T {
        let search = async {
            loop {
                let event = self.events.recv().await.expect("the actor lives");
                if let Some(found) = wanted(&event.sensed) {
                    return found;
                }
            }
        };
        timeout(DEADLINE, search)
            .await
            .unwrap_or_else(|_| panic!("no {what} came"))
    }

    async fn up(&mut self) -> Device {
        self.wait("board", |sensed| match sensed {
            Sensed::Link(LinkReport::Up(device)) => Some(device.clone()),
            _ => None,
        })
        .await
    }

    async fn down(&mut self) -> String {
        self.wait("loss", |sensed| match sensed {
            Sensed::Link(LinkReport::Down { reason, .. }) => Some(reason.clone()),
            _ => None,
        })
        .await
    }

    async fn placement(&mut self, wanted: &Placement) {
        self.wait("placement", |sensed| {
            matches!(sensed, Sensed::Placement(seen) if seen == wanted).then_some(())
        })
        .await;
    }
}

/// A tenth of the usual patience and less.
fn quick() -> DgtTiming {
    DgtTiming {
        command_gap_ms: 5,
        question_ms: 200,
        dump_ms: 400,
        quiet_ms: 15,
        burst_ms: 100,
        interval_ms: 200,
        reopen_min_ms: 20,
        reopen_max_ms: 100,
        counters_ms: 50,
        ..DgtTiming::default()
    }
}

fn fast(speed: f64) -> Options {
    Options {
        speed,
        ..Options::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_starts_up_and_says_what_it_is() {
    let (simulation, _progress) = Simulation::start(GAME, fast(20.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |_| {});
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
                told = progress.recv() => match told.unwrap() {
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
    if squares != Placement::from(end.board()) {
        bench.placement(&Placement::from(end.board())).await;
    }
    let clock = clock.unwrap();
    assert!(
        clock.white_ms <= 230_000 && clock.black_ms <= 231_000,
        "{clock:?}"
    );
    assert_eq!(clock.lever, Some(Color::Black));

    // The pieces are set up again for the second game.
    bench.placement(&Placement::start()).await;
    bench
        .placement(&Placement::from(after(&["d2d4"]).board()))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pulled_cable_is_told_and_mended() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("board");
    let options = Options {
        link: Some(link.clone()),
        ..fast(50.0)
    };
    let (simulation, mut progress) = Simulation::start(GAME, options).unwrap();
    let mut bench = Bench::read(&link, |_| {});
    bench.up().await;
    simulation.unplug().await.unwrap();
    let reason = bench.down().await;
    assert!(reason.contains(link.to_str().unwrap()), "{reason}");
    let reason = bench.down().await;
    assert!(reason.contains("does not exist"), "{reason}");
    simulation.plug_in().await.unwrap();
    bench.up().await;
    let reconnects = bench
        .wait("counters", |sensed| match sensed {
            Sensed::Link(LinkReport::Counters(counters)) => Some(counters.reconnects),
            _ => None,
        })
        .await;
    assert_eq!(reconnects, 1);
    // What was played meanwhile is seen, and what follows.
    let game = async {
        let mut ucis = Vec::new();
        while let Some(told) = progress.recv().await {
            match told {
                Progress::Ply { played, .. } => ucis.push(played.uci),
                Progress::Finished => break,
                _ => {}
            }
        }
        ucis
    };
    let drain = async { while bench.events.recv().await.is_some() {} };
    let ucis = tokio::select! {
        ucis = timeout(DEADLINE, game) => ucis.expect("the game ends"),
        () = drain => unreachable!("the actor lives"),
    };
    let ucis: Vec<&str> = ucis.iter().map(String::as_str).collect();
    bench
        .placement(&Placement::from(after(&ucis).board()))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_on_the_line_is_counted_and_survived() {
    let (simulation, _progress) = Simulation::start(GAME, fast(1.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |settings| {
        // The board speaks at its true speed here.
        settings.timing.dump_ms = 1_500;
        settings.timing.question_ms = 500;
    });
    bench.up().await;
    let mut noise = vec![0x00, 0x55, 0xFF, 0xFF, 0x86, 0x00];
    noise.extend([0xC1, 0x00, 0x06, 0x01, 0x02, 0x03]);
    noise.extend([0x8E, 0x00, 0x06, 0x01, 0x02, 0x03]);
    simulation.noise(noise).await.unwrap();
    let counters = bench
        .wait("counters", |sensed| match sensed {
            Sensed::Link(LinkReport::Counters(counters)) if counters.bad_frames > 0 => {
                Some(*counters)
            }
            _ => None,
        })
        .await;
    assert_eq!((counters.unknown_frames, counters.bad_frames), (1, 1));
    assert!(counters.noise_bytes >= 5, "{counters:?}");
    bench.placement(&Placement::start()).await;
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
    // When the first goes, the second takes over.
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

/// `rounds` short games of four plies.
fn knights_out_and_home(rounds: usize) -> String {
    "1. Nf3 Nf6 2. Ng1 Ng8 1/2-1/2\n\n".repeat(rounds)
}

#[tokio::test(flavor = "multi_thread")]
async fn games_go_on_when_the_host_has_gone() {
    use tokio::io::AsyncWriteExt;
    let pgn = knights_out_and_home(60);
    let (simulation, mut progress) = Simulation::start(&pgn, fast(1000.0)).unwrap();
    let mut port = board::port::open(simulation.device().to_str().unwrap()).unwrap();
    port.write_all(&[0x42, 0x43]).await.unwrap();
    port.flush().await.unwrap();
    let finished = async {
        while let Some(told) = progress.recv().await {
            match told {
                // Nobody reads any more, and more is said than the terminal can hold.
                Progress::GameStarted { game: 0, .. } => {
                    simulation.noise(vec![0; 200_000]).await.unwrap();
                }
                Progress::Finished => return,
                _ => {}
            }
        }
    };
    timeout(DEADLINE, finished).await.expect("the games end");
    // A host that comes later finds the board as it is, not what was said long ago.
    drop(port);
    let mut bench = Bench::read(simulation.device(), |_| {});
    bench.up().await;
    bench.placement(&Placement::start()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hand_rests_until_its_account_is_read() {
    let (simulation, mut progress) =
        Simulation::start(&knights_out_and_home(80), fast(1000.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |_| {});
    bench.up().await;
    // More than the channel of progress holds: the hand stops, the board still answers.
    let mut last = (Placement::empty(), 0);
    bench
        .wait("rest", |sensed| {
            if let Sensed::Placement(placement) = sensed {
                let same = *placement == last.0;
                last = (placement.clone(), if same { last.1 + 1 } else { 0 });
            } else if matches!(sensed, Sensed::Square(..)) {
                last.1 = 0;
            }
            (last.1 == 3).then_some(())
        })
        .await;
    let account = async {
        let mut plies = 0;
        while let Some(told) = progress.recv().await {
            match told {
                Progress::Ply { .. } => plies += 1,
                Progress::Finished => break,
                _ => {}
            }
        }
        plies
    };
    let drain = async { while bench.events.recv().await.is_some() {} };
    let plies = tokio::select! {
        plies = timeout(DEADLINE, account) => plies.expect("the games end"),
        () = drain => unreachable!("the actor lives"),
    };
    assert_eq!(plies, 320);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_board_is_lost_and_found_and_ends_at_the_truth() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("board");
    let options = Options {
        profile: "faulty".parse().unwrap(),
        link: Some(link.clone()),
        ..fast(400.0)
    };
    let pgn = knights_out_and_home(100);
    let (_simulation, mut progress) = Simulation::start(&pgn, options).unwrap();
    let mut bench = Bench::read(&link, |_| {});
    let (mut lost, mut found) = (0, 0);
    let over = async {
        loop {
            tokio::select! {
                Some(told) = progress.recv() => if told == Progress::Finished { break },
                Some(event) = bench.events.recv() => match event.sensed {
                    Sensed::Link(LinkReport::Down { .. }) => lost += 1,
                    Sensed::Link(LinkReport::Up(_)) => found += 1,
                    _ => {}
                },
            }
        }
    };
    timeout(DEADLINE * 3, over).await.expect("the games end");
    bench.placement(&Placement::start()).await;
    assert!(
        lost > 0 && found > 1,
        "{lost} times lost, {found} times found"
    );
}

/// What a board says is replayed from the journal's raw data: the codec and the session make
/// the same of it, to the last square and clock.
#[tokio::test(flavor = "multi_thread")]
async fn the_raw_data_of_a_journal_gives_the_same_events_again() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(SystemClock::new());
    let session = journal::Session::begin().unwrap();
    let (journal, writer) = Journal::open(folder.path(), session.clone(), clock.clone()).unwrap();
    let board: remisd::name::BoardId = "b1".parse().unwrap();
    journal.recover(&board).await.unwrap();
    let begins = journal::Append {
        board: board.clone(),
        seq: 1,
        body: "{}".into(),
        begins_segment: true,
    };
    journal.append(begins).await.unwrap();
    let limits = journal::RawLimits {
        game: 1 << 20,
        board: 1 << 20,
    };
    let (raw, raw_writer) = journal.raw_log(limits, session, clock).unwrap();

    let (simulation, mut progress) = Simulation::start(GAME, fast(50.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |settings| {
        settings.orientation = board::OrientationSetting::Normal;
        settings.tap = Some(raw.recorder(&board));
    });
    let mut live = Vec::new();
    while !matches!(progress.try_recv(), Ok(Progress::GameOver { .. })) {
        let event = timeout(DEADLINE, bench.events.recv())
            .await
            .unwrap()
            .unwrap();
        live.extend(of_the_board(event.sensed));
    }
    bench.cancel.cancel();
    timeout(DEADLINE, bench.actor).await.unwrap().unwrap();
    drop((raw, journal));
    raw_writer.join().unwrap();
    writer.join().unwrap();

    let text = journal::Reader::new(folder.path()).raw(&board, 1).unwrap();
    assert!(text.contains(" host > "), "{text}");
    let again = replayed(&text);
    assert!(live.len() > 100, "{}", live.len());
    assert_eq!(again[..live.len()], live);
    let packed = std::fs::metadata(folder.path().join("b1/000000000001-1.raw")).unwrap();
    assert!(packed.len() * 3 < text.len() as u64, "it is packed");
}

/// What a board has sensed; not how its line is.
fn of_the_board(sensed: Sensed) -> Option<Sensed> {
    let sensed_it = matches!(
        sensed,
        Sensed::Square(..) | Sensed::Placement(_) | Sensed::Clock(_)
    );
    sensed_it.then_some(sensed)
}

/// Reads a capture with the codec and a session of their own.
fn replayed(text: &str) -> Vec<Sensed> {
    let turn = Turn::new(board::OrientationSetting::Normal, None);
    let watch = ClockWatch::new(board::ClockSide::default());
    let mut session = Session::new(quick(), "capture", turn, watch, 0);
    let mut codec = Codec::default();
    let mut line = BytesMut::new();
    let mut sensed = Vec::new();
    for (at, bytes) in text.lines().filter_map(|line| line.split_once(" board> ")) {
        let at = Duration::from_secs_f64(at.trim().parse().unwrap());
        for byte in bytes.split(' ') {
            line.extend_from_slice(&[u8::from_str_radix(byte, 16).unwrap()]);
        }
        while let Some(item) = codec.decode(&mut line).unwrap() {
            session.receive(item, at, &mut sensed);
        }
    }
    sensed.into_iter().filter_map(of_the_board).collect()
}
