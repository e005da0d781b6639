//! The dry run: what would be sent is written.

use std::{fs, path::Path, process::Command, sync::mpsc, thread};

use tokio::sync::oneshot;

use super::*;

const FILE: &str = "lichess-aaaaaaaa.pgn";

/// A pusher that writes into a folder, and what it reports.
fn start(hall: &Hall, folder: &Path) -> (Fake, OrderIntake, watch::Receiver<Report>) {
    let fake = Fake::with_rounds(&["aaaaaaaa"]);
    let client = Client::new(fake.clone(), "https://lichess.example", secret("none"), "");
    let settings = Settings {
        dry_run: Some(folder.to_owned()),
        ..settings(&["aaaaaaaa".to_owned()])
    };
    let (report, reported) = watch::channel(Report::default());
    let wiring = Wiring {
        client,
        orders: OrderStore::in_memory(),
        report,
        clock: Arc::new(SystemClock::new()),
    };
    let (texts, clock) = (hall.texts.subscribe(), Arc::new(SystemClock::new()));
    let intake = OrderIntake::new(
        settings.clone(),
        wiring.orders.clone(),
        texts.clone(),
        clock,
    );
    tokio::spawn(run(settings, wiring, texts));
    (fake, intake, reported)
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_writes_what_would_be_sent() {
    let folder = tempfile::tempdir().unwrap();
    let mut hall = Hall::open(1, &["aaaaaaaa"]);
    hall.show(&board(1), sheet(1, 4));
    let (fake, intake, reported) = start(&hall, folder.path());
    let refused = intake
        .take(Role::Operator, "1", None, Request::Reset { round: Some(1) })
        .await;
    assert_eq!(refused.unwrap_err().code, RefusalCode::WrongState);
    pass(2).await;
    let written = fs::read_to_string(folder.path().join(FILE)).unwrap();
    assert!(written.contains("1. e4 {[%clk 1:29:53]} e5"), "{written}");
    assert_eq!(fake.pushes(), 0);
    assert!(reported.borrow().taken.contains_key("aaaaaaaa"));
}

#[tokio::test]
async fn a_folder_that_hangs_blocks_no_thread_of_the_runtime() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join(FILE);
    // Reading a pipe hangs until another process has written to it.
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let (to_hung, hung) = oneshot::channel();
    let (to_end, end) = mpsc::channel();
    let writer = thread::spawn(move || {
        let pipe = fs::File::options().write(true).open(pipe).unwrap();
        to_hung.send(()).unwrap();
        let ended = end.recv_timeout(Duration::from_secs(10));
        drop(pipe);
        ended
    });
    let mut hall = Hall::open(1, &["aaaaaaaa"]);
    hall.show(&board(1), sheet(1, 4));
    let _running = start(&hall, folder.path());
    hung.await.unwrap();
    // This runs while the read hangs, on the only thread of the runtime.
    to_end.send(()).unwrap();
    assert!(writer.join().unwrap().is_ok(), "the runtime was blocked");
}
