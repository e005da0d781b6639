//! The built daemon as a child process, killed when dropped.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{ExitStatus, Output, Stdio},
    sync::LazyLock,
};

use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

use super::{PATIENCE, poll::poll_until};

/// The built program: cargo puts it two folders above its tests.
pub static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
    let test = env::current_exe().unwrap();
    let program = test.parent().and_then(Path::parent).unwrap().join("remisd");
    assert!(program.is_file(), "{} is not built", program.display());
    program
});

/// The files of a daemon: its configuration, its journal, its boards' ports. They outlive the
/// daemon, so that another one can continue with them.
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

    /// The port on which the daemon expects a board.
    pub fn port(&self, board: &str) -> PathBuf {
        self.folder.path().join(format!("tty-{board}"))
    }

    /// Starts a daemon that logs to a file in this folder.
    pub fn start(&self) -> Remisd {
        self.start_with(&[])
    }

    /// The same with a larger environment.
    pub fn start_with(&self, environment: &[(&str, &std::ffi::OsStr)]) -> Remisd {
        self.start_by(Command::new(&*PROGRAM), environment)
    }

    /// The same through another program, which the daemon replaces.
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

    /// The files of a board's journal, oldest first.
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

    /// Waits until a board's journal contains this text.
    pub async fn has_recorded(&self, board: &str, text: &str) {
        let recorded = || {
            let mut files = self.segments(board).into_iter();
            files.any(|file| fs::read_to_string(file).is_ok_and(|all| all.contains(text)))
        };
        poll_until(PATIENCE, || format!("{text} is not recorded"), recorded).await;
    }

    /// All entries of a board's journal on the disk, oldest first.
    pub fn entries(&self, board: &str) -> Vec<serde_json::Value> {
        let segments = self.segments(board);
        segments.iter().flat_map(|file| entries_of(file)).collect()
    }
}

/// The entries of one journal file.
pub fn entries_of(segment: &Path) -> Vec<serde_json::Value> {
    // A file without entries may disappear at any time.
    let text = fs::read_to_string(segment).unwrap_or_default();
    // The last line may be incomplete.
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
    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id().expect("it is still running")
    }

    /// Kills it with `kill -9`.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Kills it, and starts another one in its place.
    pub async fn restart(&mut self, home: &Home) {
        self.child.kill().await.unwrap();
        *self = home.start();
    }

    /// Stops it with SIGTERM and waits for its exit.
    pub async fn terminate(mut self) -> ExitStatus {
        signal(self.id(), "-TERM").await;
        let stopped = timeout(PATIENCE, self.child.wait()).await;
        stopped.expect("the daemon does not stop").unwrap()
    }

    /// Whether it is still running.
    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// The log so far.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

/// Sends a signal, such as `-HUP`, to a process.
pub async fn signal(id: u32, signal: &str) {
    let mut kill = Command::new("kill");
    kill.args([signal, &id.to_string()]);
    assert!(kill.status().await.unwrap().success());
}

/// The program with these arguments and a clean environment.
pub fn remisd(words: &[&str]) -> Command {
    as_remisd(Command::new(&*PROGRAM), words)
}

fn as_remisd(mut command: Command, words: &[&str]) -> Command {
    for (name, _) in env::vars_os() {
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

/// Runs the program to completion.
pub async fn output(words: &[&str]) -> Output {
    let mut command = remisd(words);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = timeout(PATIENCE, command.output()).await;
    done.expect("the program does not end").unwrap()
}

/// A path as a command-line argument.
pub fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}
