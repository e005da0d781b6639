//! The Python package `livechess`, in an environment of its own.

use std::{fs::File, path::PathBuf, process::Stdio};

use remisd_testkit::PATIENCE;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
    task::spawn_blocking,
    time::{Instant, sleep, timeout},
};

/// The program. It asks for a newer Python than it needs.
const PROGRAM: [&str; 3] = ["--ignore-requires-python", "--no-deps", "livechess==0.1.0"];
/// What it imports; its command line, which is not used here, needs an older click.
const LIBRARIES: [&str; 5] = [
    "chess<2",
    "more-itertools<11",
    "requests",
    "rich",
    "typer<0.13",
];
/// Requests of one program do not follow one another faster than this.
const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

/// The interpreter in which the program is installed.
pub struct Watcher(PathBuf);

impl Watcher {
    /// Installs the program, once for all tests of this build. Each test may be a process of its
    /// own: the others wait at a lock.
    pub async fn prepare() -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("livechess-0.1.0");
        let lock = File::create(folder.with_extension("lock")).unwrap();
        let locked = spawn_blocking(move || lock.lock().map(|()| lock));
        let _one = locked.await.unwrap().unwrap();
        let python = folder.join("bin/python");
        let ready = folder.join("ready");
        if !ready.exists() {
            run(Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(&folder))
            .await;
            for what in [&PROGRAM[..], &LIBRARIES[..]] {
                let pip = [
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                ];
                run(Command::new(&python).args(pip).args(what)).await;
            }
            std::fs::write(&ready, "").unwrap();
        }
        Self(python)
    }

    /// Watches the API on a port of this computer.
    pub fn watch(&self, port: u16) -> Watching {
        let mut command = Command::new(&self.0);
        command.arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/livechess/watch.py"
        ));
        command.args(["127.0.0.1", &port.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().unwrap();
        Watching {
            ask: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()).lines(),
            _child: child,
        }
    }
}

async fn run(command: &mut Command) {
    let output = timeout(PATIENCE, command.output()).await.unwrap().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
}

/// The running program.
pub struct Watching {
    ask: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl Watching {
    /// The events now.
    pub async fn events(&mut self) -> Vec<String> {
        sleep(PAUSE).await;
        self.ask.write_all(b"\n").await.unwrap();
        let line = timeout(PATIENCE, self.output.next_line()).await.unwrap();
        let line = line.unwrap().expect("it has failed; see its output");
        serde_json::from_str(&line).unwrap()
    }

    /// Waits for events.
    pub async fn until(&mut self, what: &str, wanted: impl Fn(&[String]) -> bool) {
        let until = Instant::now() + PATIENCE;
        loop {
            let events = self.events().await;
            if wanted(&events) {
                return;
            }
            assert!(Instant::now() < until, "waits for {what}: {events:?}");
        }
    }
}
