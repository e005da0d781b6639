//! PGN files pushed to real servers: `OpenSSH` by SFTP, `ProFTPD` by SFTP and by FTP over TLS.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod daemon;
mod ftps;
mod sftp;

use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt as _, path::Path, sync::Arc};

use remisd_broadcast::{
    ExitReport, GameText, RoundText, Texts,
    folder::DialectChoice,
    http::Published,
    upload::{Upload, Uploader},
};
use remisd_testkit::PATIENCE;
use remisd_vocabulary::time::SystemClock;
use tokio::{sync::watch, task::JoinHandle, time::timeout};

/// An upload of round 3 that runs.
struct Pushed {
    texts: watch::Sender<Published>,
    report: watch::Receiver<ExitReport>,
    running: JoinHandle<()>,
}

impl Pushed {
    /// Starts an upload of the games with these texts, one for each board.
    fn start(uploader: impl Uploader, games: &[&str]) -> Self {
        let (texts, seen) = watch::channel(round(games));
        let (to_report, report) = watch::channel(ExitReport::default());
        let upload = Upload {
            dialect: DialectChoice::Feed,
        };
        let running = upload.run(uploader, seen, to_report, Arc::new(SystemClock::new()));
        Self {
            texts,
            report,
            running: tokio::spawn(running),
        }
    }

    fn show(&self, games: &[&str]) {
        self.texts.send_replace(round(games));
    }

    /// Waits for a report after which `holds`.
    async fn until(&mut self, what: &str, holds: impl Fn(&ExitReport) -> bool) -> ExitReport {
        let found = timeout(PATIENCE, self.report.wait_for(holds)).await;
        let report = found.map(|found| found.unwrap().clone());
        report.unwrap_or_else(|_| panic!("{what}: {:?}", self.report.borrow()))
    }

    /// Waits until the server has these games and nothing is missing.
    async fn has(&mut self, files: &Path, games: &[&str]) {
        let round = files.join("round-3");
        let all: String = games.concat();
        let is_there = |name: &str, text: &str| {
            fs::read_to_string(round.join(name)).is_ok_and(|there| there == text)
        };
        let what = format!("{games:?} in {}", files.display());
        self.until(&what, |report| {
            let mut single = games.iter().zip(1..);
            report.error.is_none()
                && is_there("games.pgn", &all)
                && single.all(|(text, number)| is_there(&format!("game-{number}.pgn"), text))
        })
        .await;
        let names = fs::read_dir(&round)
            .unwrap()
            .map(|file| file.unwrap().file_name());
        let drafts = names.filter(|name| name.to_string_lossy().contains("tmp"));
        assert_eq!(drafts.count(), 0);
    }

    /// Waits for an error, and returns it.
    async fn error(&mut self) -> String {
        let report = self
            .until("an error", |report| report.error.is_some())
            .await;
        report.error.unwrap().reason.into()
    }
}

impl Drop for Pushed {
    fn drop(&mut self) {
        self.running.abort();
    }
}

fn round(games: &[&str]) -> Published {
    let games = games.iter().zip(1..).map(|(text, number)| {
        let text: Arc<str> = Arc::from(*text);
        GameText {
            board: format!("b{number}").parse().unwrap(),
            number,
            count: usize::from(!text.is_empty()),
            finished: false,
            lines: Vec::new(),
            texts: Texts {
                archive: Arc::clone(&text),
                feed: Arc::clone(&text),
                lichess: text,
            },
        }
    });
    let round = RoundText {
        site: "open".parse().unwrap(),
        number: 3,
        begun: 0,
        games: games.collect(),
    };
    Arc::new(BTreeMap::from([(3, Arc::new(round))]))
}

/// Which file has the name now: another one after it was replaced.
fn inode(files: &Path, name: &str) -> u64 {
    let file = files.join("round-3").join(name);
    fs::metadata(file).unwrap().ino()
}

/// A round arrives whole in a folder that is not there yet, and then only what has changed.
async fn arrives_whole_and_then_the_change_alone(uploader: impl Uploader, files: &Path) {
    let long = "1. e4 e5 ".repeat(20_000);
    let mut pushed = Pushed::start(uploader, &["one\n", &long]);
    pushed.has(files, &["one\n", &long]).await;
    let [first, second, all] =
        ["game-1.pgn", "game-2.pgn", "games.pgn"].map(|name| inode(files, name));
    pushed.show(&["another\n", &long]);
    pushed.has(files, &["another\n", &long]).await;
    assert_eq!(inode(files, "game-2.pgn"), second, "it has not changed");
    assert_ne!(inode(files, "game-1.pgn"), first);
    assert_ne!(inode(files, "games.pgn"), all);
}

/// A file without a game replaces none that is there, and the file of a number that no board has any
/// more is removed.
async fn keeps_games_and_removes_left_over_files(uploader: impl Uploader, files: &Path) {
    let folder = files.join("round-3");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("game-1.pgn"), "from before\n").unwrap();
    let mut pushed = Pushed::start(uploader, &["", "two\n", "three\n"]);
    let there = |name: &str| fs::read_to_string(folder.join(name)).ok();
    pushed
        .until("the round", |_| {
            there("games.pgn").as_deref() == Some("two\nthree\n")
        })
        .await;
    assert_eq!(there("game-1.pgn").as_deref(), Some("from before\n"));
    pushed.show(&["", "two\n"]);
    pushed
        .until("the removal", |report| {
            report.error.is_none() && there("game-3.pgn").is_none()
        })
        .await;
    assert_eq!(there("game-1.pgn").as_deref(), Some("from before\n"));
}

/// A name that the server cannot replace holds back no other file, and is taken once it is free.
async fn goes_on_after_a_refused_file(uploader: impl Uploader, files: &Path) {
    let obstacle = files.join("round-3/game-1.pgn");
    fs::create_dir_all(obstacle.join("full")).unwrap();
    let mut pushed = Pushed::start(uploader, &["one\n", "two\n"]);
    let error = pushed.error().await;
    assert!(
        error.starts_with("round-3/game-1.pgn: the server refuses it: "),
        "{error}"
    );
    let there = |name: &str| fs::read_to_string(files.join("round-3").join(name)).ok();
    assert_eq!(there("game-2.pgn").as_deref(), Some("two\n"));
    assert_eq!(there("games.pgn").as_deref(), Some("one\ntwo\n"));
    // A change of another file does not wait for the refused one.
    pushed.show(&["one\n", "three\n"]);
    let is_there = |_: &ExitReport| there("games.pgn").as_deref() == Some("one\nthree\n");
    let report = pushed.until("the change", is_there).await;
    assert!(report.error.is_some(), "{report:?}");
    fs::remove_dir_all(&obstacle).unwrap();
    pushed.has(files, &["one\n", "three\n"]).await;
}
