//! Boards that come back on another port are recognised by their serial numbers.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{path::PathBuf, sync::Arc, time::Duration};

use remisd_board::{self as board, BoardSettings, DgtTiming, Places};
use remisd_testkit::{DEADLINE, by_hand::ByHand};
use remisd_vocabulary::{
    sensor::{BoardEvent, Device, DownCode, LinkReport, Sensed},
    time::SystemClock,
};
use tempfile::TempDir;
use tokio::{sync::mpsc, time::timeout};
use tokio_util::sync::CancellationToken;

/// A table with three sockets, all of which are searched for a missing board.
struct Room {
    folder: TempDir,
    places: Places,
    /// How long a board may take to answer a question.
    question_ms: u64,
    cancel: CancellationToken,
}

impl Room {
    fn new() -> Self {
        Self::with_patience(1_000)
    }

    /// A room for boards that answer too late.
    fn impatient() -> Self {
        Self::with_patience(100)
    }

    fn with_patience(question_ms: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let places = Places::among(move || {
            let sockets = ["a", "b", "c"].map(|socket| root.join(socket));
            sockets.into_iter().filter(|port| port.exists()).collect()
        });
        Self {
            folder,
            places,
            question_ms,
            cancel: CancellationToken::new(),
        }
    }

    fn port(&self, socket: &str) -> PathBuf {
        self.folder.path().join(socket)
    }

    fn read(&self, id: &str, socket: &str, serial: Option<&str>) -> Reader {
        let port = self.port(socket).into_os_string().into_string().unwrap();
        let mut settings = BoardSettings::new(id.parse().unwrap(), port);
        settings.serial = serial.map(str::to_owned);
        settings.places = self.places.clone();
        settings.timing = DgtTiming {
            command_gap_ms: 5,
            question_ms: self.question_ms,
            reopen_min_ms: 20,
            reopen_max_ms: 50,
            ..DgtTiming::default()
        };
        let (events, received) = mpsc::channel(256);
        let clock = Arc::new(SystemClock::new());
        board::spawn(settings, clock, events, self.cancel.clone());
        Reader { received }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

struct Reader {
    received: mpsc::Receiver<BoardEvent>,
}

impl Reader {
    async fn link(&mut self) -> LinkReport {
        let next = async {
            loop {
                match self.received.recv().await.unwrap().sensed {
                    Sensed::Link(LinkReport::Device(_) | LinkReport::Counters(_)) => {}
                    Sensed::Link(report) => return report,
                    _ => {}
                }
            }
        };
        timeout(DEADLINE, next).await.expect("nothing is reported")
    }

    async fn up(&mut self) -> Device {
        loop {
            if let LinkReport::Up(device) = self.link().await {
                return device;
            }
        }
    }

    async fn down(&mut self) -> DownCode {
        loop {
            if let LinkReport::Down { code, .. } = self.link().await {
                return code;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_that_is_plugged_in_elsewhere_is_found_by_its_number() {
    let room = Room::new();
    let _stranger = ByHand::start_numbered(&room.port("b"), *b"00077");
    let board = ByHand::start_numbered(&room.port("a"), *b"00041");
    let mut reader = room.read("b1", "a", None);
    let device = reader.up().await;
    assert_eq!(device.port, room.port("a").to_str().unwrap());

    board.cable().unplug();
    board.cable().plug_in_at(&room.port("c"));
    let found = reader.up().await;
    assert_eq!(found.port, room.port("c").to_str().unwrap());
    assert_eq!(found.serial.as_deref(), Some("00041"));

    // And back again.
    board.cable().plug_in_at(&room.port("a"));
    let device = reader.up().await;
    assert_eq!(device.port, room.port("a").to_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_board_is_not_read_in_the_place_of_the_configured_one() {
    let room = Room::new();
    let _other = ByHand::start_numbered(&room.port("a"), *b"00077");
    let mut reader = room.read("b1", "a", Some("00041"));
    assert_eq!(reader.down().await, DownCode::OtherBoard);
    let _own = ByHand::start_numbered(&room.port("b"), *b"00041");
    let found = reader.up().await;
    assert_eq!(found.port, room.port("b").to_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_board_that_reports_its_number_late_is_refused_once() {
    let room = Room::impatient();
    let other = ByHand::start_reluctant(&room.port("a"), *b"00077");
    let mut reader = room.read("b1", "a", Some("00041"));
    assert!(matches!(reader.link().await, LinkReport::Up(_)));
    assert_eq!(reader.down().await, DownCode::OtherBoard);
    // The board is queried repeatedly, and each time it reports its number late.
    let quiet = Duration::from_secs(1);
    let report = timeout(quiet, reader.link()).await;
    assert!(report.is_err(), "reported {report:?}");

    // The right board at the same adapter reports its number late, too, and is then read.
    other.swap(*b"00041");
    reader.up().await;
    let report = timeout(quiet, reader.link()).await;
    assert!(report.is_err(), "reported {report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_plugged_in_where_another_was_removed_is_read_immediately() {
    let room = Room::impatient();
    let other = ByHand::start_numbered(&room.port("a"), *b"00077");
    let mut reader = room.read("b1", "a", Some("00041"));
    assert_eq!(reader.down().await, DownCode::OtherBoard);
    other.cable().unplug();
    while reader.down().await != DownCode::Missing {}
    // Its number is still unknown, and nothing rules it out.
    let _own = ByHand::start_reluctant(&room.port("a"), *b"00041");
    assert_eq!(reader.up().await.serial, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_is_looked_for_again_where_another_one_has_taken_the_place_at_which_it_was_found() {
    let room = Room::new();
    let own = ByHand::start_numbered(&room.port("b"), *b"00041");
    let mut reader = room.read("b1", "a", Some("00041"));
    assert_eq!(reader.up().await.port, room.port("b").to_str().unwrap());
    let _other = ByHand::start_numbered(&room.port("b"), *b"00077");
    own.cable().unplug();
    assert_eq!(reader.down().await, DownCode::Unplugged);
    assert_eq!(reader.down().await, DownCode::OtherBoard);
    own.cable().plug_in_at(&room.port("c"));
    assert_eq!(reader.up().await.port, room.port("c").to_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_boards_whose_cables_were_swapped_find_their_games() {
    let room = Room::new();
    let _first = ByHand::start_numbered(&room.port("b"), *b"00041");
    let _second = ByHand::start_numbered(&room.port("a"), *b"00042");
    let mut first = room.read("b1", "a", Some("00041"));
    let mut second = room.read("b2", "b", Some("00042"));
    let (first, second) = tokio::join!(first.up(), second.up());
    assert_eq!(first.port, room.port("b").to_str().unwrap());
    assert_eq!(second.port, room.port("a").to_str().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_that_another_board_has_is_left_alone() {
    let room = Room::new();
    let board = ByHand::start_numbered(&room.port("a"), *b"00041");
    let _double = ByHand::start_numbered(&room.port("b"), *b"00041");
    let (mut first, mut second) = (room.read("b1", "a", None), room.read("b2", "b", None));
    first.up().await;
    second.up().await;
    board.cable().unplug();
    assert_eq!(first.down().await, DownCode::Unplugged);
    assert_eq!(first.down().await, DownCode::Missing);
    board.cable().plug_in();
    let again = first.up().await;
    assert_eq!(again.port, room.port("a").to_str().unwrap());
    let disturbed = timeout(Duration::from_millis(1), second.down()).await;
    assert!(disturbed.is_err());
}
