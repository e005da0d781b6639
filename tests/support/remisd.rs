//! The built daemon as a child process, killed when dropped.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{ExitStatus, Output, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep, timeout},
};

use super::PATIENCE;

/// The built program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_remisd");

/// What a daemon needs on disk: its configuration, its journal, its boards' ports. It
/// outlives the daemon, so that another one can go on with it.
pub struct Home {
    folder: TempDir,
}

impl Home {
    /// A configuration for the broker at `url`, with `sections` before those of `boards`.
    pub fn new(url: &str, sections: &str, boards: &[&str], tuning: &str) -> Self {
        let home = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let journal = home.journal();
        let mut text = format!(
            "[mqtt]\nurl = \"{url}\"\n[journal]\ndir = \"{}\"\n{sections}\n",
            journal.display()
        );
        for board in boards {
            let port = home.port(board);
            writeln!(
                text,
                "[[board]]\nid = \"{board}\"\nkind = \"dgt\"\nport = \"{}\"\n{tuning}",
                port.display()
            )
            .unwrap();
        }
        fs::write(home.config(), text).unwrap();
        home
    }

    /// The configuration file.
    pub fn config(&self) -> PathBuf {
        self.folder.path().join("remisd.toml")
    }

    /// The journal's directory.
    pub fn journal(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    /// Where the daemon looks for a board.
    pub fn port(&self, board: &str) -> PathBuf {
        self.folder.path().join(format!("tty-{board}"))
    }

    /// Starts a daemon, which logs to a file of this folder.
    pub fn start(&self) -> Remisd {
        self.start_with(&[])
    }

    /// The same with more in its environment.
    pub fn start_with(&self, environment: &[(&str, &std::ffi::OsStr)]) -> Remisd {
        self.start_by(Command::new(PROGRAM), environment)
    }

    /// The same by another program, which has the daemon take its place.
    pub fn start_by(&self, program: Command, environment: &[(&str, &std::ffi::OsStr)]) -> Remisd {
        let log = self.folder.path().join("remisd.log");
        let file = fs::File::options()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        let child = as_remisd(program, &["run", "--config"])
            .arg(self.config())
            .envs(environment.iter().copied())
            .stderr(file)
            .spawn()
            .unwrap();
        Remisd { child, log }
    }

    /// The files of a board's journal, the oldest first.
    pub fn segments(&self, board: &str) -> Vec<PathBuf> {
        let Ok(files) = fs::read_dir(self.journal().join(board)) else {
            return Vec::new();
        };
        let mut segments: Vec<PathBuf> = files
            .map(|file| file.unwrap().path())
            .filter(|file| file.extension().is_some_and(|ending| ending == "jsonl"))
            .collect();
        segments.sort();
        segments
    }

    /// Waits until this text stands in a board's journal.
    pub async fn has_recorded(&self, board: &str, text: &str) {
        let recorded = || {
            let mut files = self.segments(board).into_iter();
            files.any(|file| fs::read_to_string(file).is_ok_and(|all| all.contains(text)))
        };
        let until = Instant::now() + PATIENCE;
        while !recorded() {
            assert!(Instant::now() < until, "{text} is not recorded");
            sleep(Duration::from_millis(10)).await;
        }
    }

    /// Every entry of a board's journal as it stands on the disk, the oldest first.
    pub fn entries(&self, board: &str) -> Vec<serde_json::Value> {
        let segments = self.segments(board);
        segments.iter().flat_map(|file| entries_of(file)).collect()
    }
}

/// The entries of one file of a journal.
pub fn entries_of(segment: &Path) -> Vec<serde_json::Value> {
    // A file that was never begun may be taken away meanwhile.
    let text = fs::read_to_string(segment).unwrap_or_default();
    // The last line may be on its way to the disk.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut entries = Vec::new();
    for line in whole.lines() {
        let (sum, record) = line.split_once(' ').unwrap();
        let intact = format!("{:08x}", crc32fast::hash(record.as_bytes()));
        assert_eq!(sum, intact, "{record}");
        let line: serde_json::Value = serde_json::from_str(record).unwrap();
        entries.extend(line.get("entry").cloned());
    }
    entries
}

/// A running daemon.
pub struct Remisd {
    child: Child,
    log: PathBuf,
}

impl Remisd {
    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it is still running")
    }

    /// `kill -9`.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Asks it to stop and waits until it has.
    pub async fn terminate(mut self) -> ExitStatus {
        let id = self.child.id().expect("it is still running");
        let mut kill = Command::new("kill");
        kill.args(["-TERM", &id.to_string()]);
        assert!(kill.status().await.unwrap().success());
        let stopped = timeout(PATIENCE, self.child.wait()).await;
        stopped.expect("the daemon does not stop").unwrap()
    }

    /// Whether it has not ended by itself.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// The program with these words after it and nothing of ours in its environment.
pub fn remisd(words: &[&str]) -> Command {
    as_remisd(Command::new(PROGRAM), words)
}

fn as_remisd(mut command: Command, words: &[&str]) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("REMISD_") {
            command.env_remove(name);
        }
    }
    command
        .args(words)
        .env_remove("STATE_DIRECTORY")
        .env_remove("CREDENTIALS_DIRECTORY")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .kill_on_drop(true);
    command
}

/// Runs the program to its end.
pub async fn output(words: &[&str]) -> Output {
    let mut command = remisd(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = timeout(PATIENCE, command.output()).await;
    done.expect("the program does not end").unwrap()
}

/// A path as a word of the command line.
pub fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}
