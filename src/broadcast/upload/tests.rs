//! What is sent, when, and what is reported, with a server that is a function.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use remisd_vocabulary::time::SystemClock;
use tokio::{
    sync::watch,
    time::{sleep, timeout},
};

use super::{Change, Reason, RemoteFile, Upload, UploadError, Uploader};
use crate::{
    ExitCause, ExitError, ExitReport, RoundText, Rounds,
    folder::DialectChoice,
    http::Published,
    testing::{Sheet, board},
};

type Answer = Box<dyn Fn(&str) -> Result<(), UploadError> + Send>;

/// A server that answers by a function of the file's name, and remembers every request.
#[derive(Clone)]
struct Server(Arc<Mutex<(Vec<String>, Answer)>>);

impl Server {
    fn answering(answer: impl Fn(&str) -> Result<(), UploadError> + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new((Vec::new(), Box::new(answer)))))
    }

    fn now(&self, answer: impl Fn(&str) -> Result<(), UploadError> + Send + 'static) {
        self.0.lock().unwrap().1 = Box::new(answer);
    }

    /// The names since the last call, with `?` for a file that is put if it is absent, and `-` for
    /// one that is removed.
    fn changed(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().0)
    }

    /// The names since the last call, without their folder.
    fn taken(&self) -> Vec<String> {
        let changed = self.changed().into_iter();
        let names = changed.map(|name| name.trim_start_matches(['?', '-']).to_owned());
        names.collect()
    }
}

impl Uploader for Server {
    async fn send(&mut self, file: &RemoteFile, change: Change<'_>) -> Result<bool, UploadError> {
        let mut server = self.0.lock().unwrap();
        let name = file.name.clone();
        let answer = (server.1)(&name);
        let kind = match change {
            Change::Content(_) => "",
            Change::IfAbsent(_) => "?",
            Change::Gone => "-",
        };
        server.0.push(format!("{kind}{name}"));
        answer.map(|()| true)
    }
}

struct Running {
    rounds: Rounds,
    texts: watch::Sender<Published>,
    report: watch::Receiver<ExitReport>,
}

impl Running {
    fn start(server: &Server) -> Self {
        let rounds = Rounds::new("open".parse().unwrap(), vec![board(1), board(2)]);
        let (texts, seen) = watch::channel(Published::default());
        let (to_report, report) = watch::channel(ExitReport::default());
        let upload = Upload {
            dialect: DialectChoice::Feed,
        };
        let clock = Arc::new(SystemClock::new());
        tokio::spawn(upload.run(server.clone(), seen, to_report, clock));
        Self {
            rounds,
            texts,
            report,
        }
    }

    fn show(&mut self, round: u32, number: u32, moves: &str) {
        let sheet = Sheet::new(u64::from(round)).paired(round, "White, A", "Black, B");
        self.show_sheet(round, number, sheet.moves(moves));
    }

    fn show_sheet(&mut self, round: u32, number: u32, sheet: Sheet) {
        self.rounds.take(&board(number), sheet.game());
        let changed = [board(1), board(2)];
        let text = RoundText::of(&self.rounds, round, None, &changed);
        self.texts
            .send_replace(Arc::new(BTreeMap::from([(round, Arc::new(text))])));
    }

    async fn error(&mut self) -> ExitError {
        let found = self.report.wait_for(|report| report.error.is_some());
        let found = timeout(Duration::from_hours(1), found).await;
        found.unwrap().unwrap().error.clone().unwrap()
    }

    async fn no_error(&mut self) {
        let found = self.report.wait_for(|report| report.error.is_none());
        timeout(Duration::from_hours(1), found)
            .await
            .unwrap()
            .unwrap();
    }
}

fn refuses(name: &str) -> Result<(), UploadError> {
    if name == "game-1.pgn" {
        return Err(UploadError::Refused(Reason::new("a directory\r\nis there")));
    }
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_refused_file_waits_alone_and_is_reported() {
    let server = Server::answering(refuses);
    let mut running = Running::start(&server);
    running.show(3, 1, "e4");
    let error = running.error().await;
    assert_eq!(
        error.reason.as_str(),
        "round-3/game-1.pgn: the server refuses it: a directory is there"
    );
    assert_eq!(error.cause, ExitCause::Server);
    assert_eq!(server.taken(), ["game-1.pgn", "game-2.pgn", "games.pgn"]);
    // Changes of the others go, and the refused one is not tried with each of them.
    running.show(3, 2, "d4");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(server.taken(), ["game-2.pgn", "games.pgn"]);
    assert!(running.report.borrow().error.is_some());
    server.now(|_| Ok(()));
    running.no_error().await;
    assert_eq!(server.taken(), ["game-1.pgn"]);
    assert!(running.report.borrow().at.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_refused_file_is_tried_again_for_ever_with_longer_waits() {
    let server = Server::answering(refuses);
    let mut running = Running::start(&server);
    running.show(3, 1, "e4");
    sleep(Duration::from_hours(2)).await;
    let taken = server.taken();
    let tries = taken.iter().filter(|name| *name == "game-1.pgn").count();
    assert!((12..40).contains(&tries), "{tries} times in two hours");
    assert_eq!(taken.len(), tries + 2, "the others were sent once");
}

#[tokio::test(start_paused = true)]
async fn what_concerns_all_files_stops_all_of_them() {
    for error in [
        UploadError::HostKey(Reason::new("x")),
        UploadError::Certificate(Reason::new("x")),
        UploadError::Login(Reason::new("x")),
        UploadError::Unreachable(Reason::new("x")),
        UploadError::Closed(Reason::new("x")),
    ] {
        let copy = error.clone();
        let server = Server::answering(move |_| Err(copy.clone()));
        let mut running = Running::start(&server);
        running.show(3, 1, "e4");
        let reported = running.error().await;
        let expected = format!("round-3/game-1.pgn: {error}");
        assert_eq!(reported, ExitError::new(error.cause(), &expected));
        assert_eq!(server.taken(), ["game-1.pgn"]);
        server.now(|_| Ok(()));
        running.no_error().await;
        assert_eq!(server.taken(), ["game-1.pgn", "game-2.pgn", "games.pgn"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_that_breaks_the_connection_goes_last() {
    let server = Server::answering(|name| match name {
        "game-1.pgn" => Err(UploadError::Timeout(60)),
        _ => Ok(()),
    });
    let mut running = Running::start(&server);
    running.show(3, 1, "e4");
    running.error().await;
    assert_eq!(server.taken(), ["game-1.pgn"]);
    sleep(Duration::from_secs(11)).await;
    assert_eq!(server.taken(), ["game-2.pgn", "games.pgn", "game-1.pgn"]);
}

#[tokio::test(start_paused = true)]
async fn a_round_that_has_gone_is_forgotten() {
    let server = Server::answering(refuses);
    let mut running = Running::start(&server);
    running.show(3, 1, "e4");
    running.error().await;
    server.now(|_| Ok(()));
    running.show(4, 1, "e4");
    running.no_error().await;
    assert_eq!(
        server.taken().split_off(3),
        ["game-1.pgn", "game-2.pgn", "games.pgn"]
    );
}

#[test]
fn a_reason_is_one_line_and_not_a_long_one() {
    let long = Reason::new(format_args!("a\r\nb\u{202e}{}", "x".repeat(10_000)));
    let text = long.to_string();
    assert!(text.starts_with("a bx") && text.len() < 200, "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_file_whose_answer_was_lost_is_sent_again_also_if_it_is_as_before() {
    let server = Server::answering(|_| Ok(()));
    let mut running = Running::start(&server);
    running.show(3, 1, "e4");
    running.no_error().await;
    sleep(Duration::from_secs(1)).await;
    server.taken();
    // The server has the new text, but its answer is lost.
    server.now(|_| Err(UploadError::Lost(Reason::new("the connection was reset"))));
    running.show(3, 1, "e4 e5");
    running.error().await;
    server.now(|_| Ok(()));
    running.show(3, 1, "e4");
    running.no_error().await;
    sleep(Duration::from_mins(30)).await;
    assert!(server.taken().contains(&"game-1.pgn".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_board_without_a_game_replaces_only_what_this_run_has_put_there() {
    let server = Server::answering(|_| Ok(()));
    let mut running = Running::start(&server);
    running.show(3, 1, "e4");
    sleep(Duration::from_secs(1)).await;
    assert_eq!(server.changed(), ["game-1.pgn", "?game-2.pgn", "games.pgn"]);
    // The number is corrected: the game is in another file, and the old one goes.
    let sheet = || Sheet::new(3).paired(3, "White, A", "Black, B").moves("e4");
    running.show_sheet(3, 1, sheet().tag("Board", "7"));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(server.changed(), ["game-7.pgn", "games.pgn", "-game-1.pgn"]);
    // It has the number of the other board now, which has no game and gets number 1.
    running.show_sheet(3, 1, sheet().tag("Board", "2"));
    sleep(Duration::from_secs(1)).await;
    let expected = ["game-2.pgn", "?game-1.pgn", "games.pgn", "-game-7.pgn"];
    assert_eq!(server.changed(), expected);
    running.show_sheet(3, 1, sheet().tag("Board", "1"));
    sleep(Duration::from_secs(1)).await;
    // The game was in the file of board 2: there it is replaced.
    assert_eq!(server.changed(), ["game-1.pgn", "game-2.pgn", "games.pgn"]);
}

#[tokio::test(start_paused = true)]
async fn a_round_without_games_replaces_no_games_on_the_server() {
    let server = Server::answering(|_| Ok(()));
    let mut running = Running::start(&server);
    running.show_sheet(3, 9, Sheet::new(3));
    running.no_error().await;
    sleep(Duration::from_secs(1)).await;
    let expected = ["?game-1.pgn", "?game-2.pgn", "?games.pgn"];
    assert_eq!(server.changed(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_file_that_the_server_has_not_taken_is_not_removed() {
    for error in [
        UploadError::Refused(Reason::new("it is another user's")),
        UploadError::Closed(Reason::new("x")),
    ] {
        let copy = error.clone();
        let server = Server::answering(move |name| match name {
            "game-7.pgn" => Err(copy.clone()),
            _ => Ok(()),
        });
        let mut running = Running::start(&server);
        let sheet = || Sheet::new(3).paired(3, "White, A", "Black, B").moves("e4");
        running.show_sheet(3, 1, sheet().tag("Board", "7"));
        running.error().await;
        assert!(server.changed().contains(&"game-7.pgn".to_owned()));
        server.now(|_| Ok(()));
        running.show_sheet(3, 1, sheet().tag("Board", "1"));
        running.no_error().await;
        let changed = server.changed();
        assert!(changed.contains(&"game-1.pgn".to_owned()), "{changed:?}");
        assert!(!changed.contains(&"-game-7.pgn".to_owned()), "{changed:?}");
    }
}
