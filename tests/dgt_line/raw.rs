//! Replays the raw data of a journal.

use std::{sync::Arc, time::Duration};

use bytes::BytesMut;
use remisd::simulate::{Progress, Simulation};
use remisd_board::{
    self as board,
    dgt::{clock::ClockWatch, codec::Codec, session::DgtSession},
    orientation::OrientationTracker,
};
use remisd_journal::{self as journal, Journal};
use remisd_vocabulary::{sensor::Sensed, seq::EntrySeq, time::SystemClock};
use tokio::time::timeout;
use tokio_util::codec::Decoder as _;

use crate::bench::{Bench, DEADLINE, GAME, fast, quick};

/// Replays the bytes of a board from the journal's raw data. Codec and session produce the same
/// events, to the last square and clock.
#[tokio::test(flavor = "multi_thread")]
async fn the_raw_data_of_a_journal_gives_the_same_events_again() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(SystemClock::new());
    let session = journal::DaemonSession::begin().unwrap();
    let (journal, writer) = Journal::open(folder.path(), session.clone(), clock.clone()).unwrap();
    let board: remisd_vocabulary::name::BoardId = "b1".parse().unwrap();
    journal.recover(&board).await.unwrap();
    let begins = journal::Append {
        board: board.clone(),
        seq: EntrySeq::new(1),
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

    let text = journal::Reader::new(folder.path())
        .raw(&board, EntrySeq::new(1))
        .unwrap();
    assert!(text.contains(" host > "), "{text}");
    let again = replayed(&text);
    assert!(live.len() > 100, "{}", live.len());
    assert_eq!(again[..live.len()], live);
    let packed = std::fs::metadata(folder.path().join("b1/000000000001-1.raw")).unwrap();
    assert!(packed.len() * 3 < text.len() as u64, "it is packed");
}

/// Keeps the events of the board and drops those of the link.
fn of_the_board(sensed: Sensed) -> Option<Sensed> {
    let sensed_it = matches!(
        sensed,
        Sensed::Square(..) | Sensed::Placement(_) | Sensed::Clock(_)
    );
    sensed_it.then_some(sensed)
}

/// Reads a capture with a separate codec and session.
fn replayed(text: &str) -> Vec<Sensed> {
    let turn = OrientationTracker::new(board::OrientationSetting::Normal, None);
    let watch = ClockWatch::new(board::ClockSide::default());
    let mut session = DgtSession::new(quick(), "capture", turn, watch, 0);
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
