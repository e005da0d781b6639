//! Pulled cables, noise on the line, hosts that disappear and boards that fail.

use remisd::simulate::{Options, Progress, Simulation, pty::Pty};
use remisd_board as board;
use remisd_vocabulary::sensor::{DownCode, LinkReport, Placement, Sensed};
use shakmaty::Position;
use tokio::time::timeout;

use crate::bench::{Bench, DEADLINE, GAME, fast};
use remisd_testkit::after;

#[tokio::test(flavor = "multi_thread")]
async fn a_pulled_cable_is_reported_and_reconnected() {
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
    // The moves made during the outage are seen, and so are the following ones.
    let game = async {
        let mut ucis = Vec::new();
        while let Some(report) = progress.recv().await {
            match report {
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
async fn a_board_that_has_answered_is_silent_and_not_unknown_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("board");
    // A device that sends nothing.
    let mute = Pty::open(Some(&link)).unwrap();
    let mut bench = Bench::read(&link, |_| {});
    let down = |sensed: &Sensed| match sensed {
        Sensed::Link(LinkReport::Down { code, .. }) => Some(*code),
        _ => None,
    };
    assert_eq!(bench.wait("loss", down).await, DownCode::NeverAnswered);
    drop(mute);
    let options = Options {
        link: Some(link.clone()),
        ..fast(50.0)
    };
    let (simulation, _progress) = Simulation::start(GAME, options).unwrap();
    bench.up().await;
    simulation.unplug().await.unwrap();
    let _mute = Pty::open(Some(&link)).unwrap();
    let (code, reason) = bench
        .wait("loss", |sensed| match sensed {
            Sensed::Link(LinkReport::Down {
                code: code @ (DownCode::Silent | DownCode::NeverAnswered),
                reason,
            }) => Some((*code, reason.clone())),
            _ => None,
        })
        .await;
    assert_eq!(code, DownCode::Silent);
    assert!(reason.ends_with("no longer answers"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn noise_on_the_line_is_counted_and_survived() {
    let (simulation, _progress) = Simulation::start(GAME, fast(1.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |settings| {
        // The board sends at its true speed here.
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
        while let Some(report) = progress.recv().await {
            match report {
                // The host no longer reads, and more data is sent than the terminal can buffer.
                Progress::GameStarted { game: 0, .. } => {
                    simulation.noise(vec![0; 200_000]).await.unwrap();
                }
                Progress::Finished => return,
                _ => {}
            }
        }
    };
    timeout(DEADLINE, finished).await.expect("the games end");
    // A later host sees the board as it is now, not the old data.
    drop(port);
    let mut bench = Bench::read(simulation.device(), |_| {});
    bench.up().await;
    bench.placement(&Placement::start()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hand_rests_until_its_account_is_read() {
    let (simulation, mut progress) =
        Simulation::start(knights_out_and_home(80), fast(1000.0)).unwrap();
    let mut bench = Bench::read(simulation.device(), |_| {});
    bench.up().await;
    // More than the progress channel holds: the hand stops, but the board still answers.
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
        while let Some(report) = progress.recv().await {
            match report {
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
                Some(report) = progress.recv() => if report == Progress::Finished { break },
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
