//! The output of `remisd setup` in use: a real broker, the daemon and its pages.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod guide;
mod web;

use std::{
    collections::BTreeMap,
    fs,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use remisd_testkit::{
    PATIENCE,
    browser::Browser,
    by_hand::ByHand,
    poll::{poll, poll_port},
    port::free_port,
    remisd::{output, remisd, word},
};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

/// A configuration for two boards, in a directory with a space in its name.
struct Club {
    folder: TempDir,
    mqtt: SocketAddr,
    http: SocketAddr,
    output: String,
}

fn free() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, free_port()).into()
}

impl Club {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            mqtt: free(),
            http: free(),
            output: String::new(),
        }
    }

    async fn set_up() -> Self {
        let mut club = Self::new();
        let done = club.setup().await;
        assert!(done.status.success(), "{done:?}");
        club.output = String::from_utf8(done.stdout).unwrap();
        club
    }

    async fn setup(&self) -> Output {
        let (mqtt, http) = (self.mqtt.to_string(), self.http.to_string());
        let (dir, port) = (self.dir(), self.board());
        let words = [
            "setup",
            "--boards",
            "2",
            "--dir",
            word(&dir),
            "--port",
            word(&port),
        ];
        output(&[&words[..], &["--mqtt", &mqtt, "--http", &http]].concat()).await
    }

    fn dir(&self) -> PathBuf {
        self.folder.path().join("my club")
    }

    /// The port of the first board.
    fn board(&self) -> PathBuf {
        self.folder.path().join("board")
    }

    fn file(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    /// The users created by setup, with their passwords.
    fn passwords(&self) -> BTreeMap<String, String> {
        let text = fs::read_to_string(self.file("passwords")).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let users = lines.map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words.len(), 2, "{line}");
            (words[0].to_owned(), words[1].to_owned())
        });
        users.collect()
    }

    /// The broker, started as the printed steps say.
    async fn broker(&self) -> Child {
        let log = fs::File::create(self.folder.path().join("broker.log")).unwrap();
        let broker = Command::new("/usr/sbin/mosquitto")
            .arg("-c")
            .arg(self.file("mosquitto.conf"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        self.listens(self.mqtt, "broker.log").await;
        broker
    }

    async fn daemon(&self) -> Child {
        let log = fs::File::create(self.folder.path().join("remisd.log")).unwrap();
        let daemon = remisd(&["run", "--config"])
            .arg(self.file("remisd.toml"))
            .stderr(log)
            .spawn()
            .unwrap();
        self.listens(self.http, "remisd.log").await;
        daemon
    }

    async fn listens(&self, at: SocketAddr, log: &str) {
        poll_port(PATIENCE, || self.log(log), at).await;
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    /// Waits for a message with this text that a user receives on a topic.
    async fn receives(&self, user: &str, topic: &str, text: &str) {
        let mut listener = Command::new("mosquitto_sub");
        listener.args(["-h", "127.0.0.1", "-p", &self.mqtt.port().to_string()]);
        listener.args(["-u", user, "-P", &self.passwords()[user], "-t", topic]);
        listener.stdout(Stdio::piped()).kill_on_drop(true);
        let mut listener = listener.spawn().unwrap();
        let out = listener.stdout.take().unwrap();
        let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(out));
        let received = async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.contains(text) {
                    return;
                }
            }
            panic!("{user} receives nothing more on {topic}");
        };
        let received = timeout(PATIENCE, received).await;
        assert!(
            received.is_ok(),
            "{user}: no {text} on {topic}: {}",
            self.log("remisd.log")
        );
    }

    async fn signs_in(&self, role: &str, board: Option<&str>, password: &str) -> u16 {
        let busy = || format!("the broker is still busy: {}", self.log("remisd.log"));
        poll(PATIENCE, busy, async || {
            let mut browser = Browser::of(self.http).await;
            let status = browser.sign_in(role, board, password).await.status;
            // A broker that has just started may be too busy to check credentials.
            (status != 503).then_some(status)
        })
        .await
    }
}

/// All files below a directory: path, mode and content.
fn everything(dir: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let mut all: BTreeMap<_, _> = files
        .into_iter()
        .map(|path| {
            let mode = path.metadata().unwrap().mode() & 0o7777;
            let content = fs::read(&path).unwrap();
            (path, (mode, content))
        })
        .collect();
    for folder in folders {
        all.extend(everything(&folder));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn broker_daemon_and_pages_run_with_what_is_written() {
    runs(&Club::set_up().await).await;
}

/// Broker, daemon and pages run with what is written.
async fn runs(club: &Club) {
    let passwords = club.passwords();
    let users: Vec<&str> = passwords.keys().map(String::as_str).collect();
    assert_eq!(
        users,
        [
            "arbiter", "b1-black", "b1-clock", "b1-white", "b2-black", "b2-clock", "b2-white",
            "hall", "operator", "public"
        ]
    );
    let checked = output(&["check", "--config", word(&club.file("remisd.toml"))]).await;
    assert!(checked.status.success(), "{checked:?}");

    let _broker = club.broker().await;
    let mut board = ByHand::start(&club.board());
    let _daemon = club.daemon().await;
    club.receives("arbiter", "chess/v1/hall/node/remisd/state", "\"online\"")
        .await;
    club.receives(
        "operator",
        "chess/v1/hall/operator/b1/availability",
        "\"online\"",
    )
    .await;
    board.play("e2e4").await;
    club.receives("arbiter", "chess/v1/hall/arbiter/b1/game", "\"san\":\"e4\"")
        .await;
    club.receives("hall", "chess/v1/hall/hall/b1/game", "\"san\":\"e4\"")
        .await;
    club.receives("public", "chess/v1/hall/public/b1/game", "\"san\":\"e4\"")
        .await;

    for (role, board) in [
        ("arbiter", None),
        ("operator", None),
        ("hall", None),
        ("white", Some("b1")),
        ("black", Some("b2")),
        ("clock", Some("b2")),
    ] {
        let user = board.map_or_else(|| role.to_owned(), |board| format!("{board}-{role}"));
        let password = &passwords[&user];
        assert_eq!(club.signs_in(role, board, password).await, 200, "{user}");
    }
    // Each password belongs to one user, and a board's devices have no rights at another board.
    let white = &passwords["b1-white"];
    assert_eq!(club.signs_in("arbiter", None, white).await, 401);
    assert_eq!(club.signs_in("white", Some("b2"), white).await, 401);
    assert_eq!(club.signs_in("arbiter", None, "wrong").await, 401);
    let log = club.log("remisd.log");
    // The broker refuses the wrong passwords from the pages, but none of the daemon's own.
    let mut refused = log
        .lines()
        .filter(|line| line.contains("the broker refuses"));
    let of_pages = |line: &str| line.contains("pages have no connection");
    assert!(refused.all(of_pages), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_their_owners_and_stand_in_no_output() {
    let club = Club::set_up().await;
    let own = fs::metadata(club.folder.path()).unwrap().uid();
    let files = everything(&club.dir());
    let modes: Vec<(&str, u32)> = files
        .iter()
        .map(|(path, (mode, _))| (path.file_name().unwrap().to_str().unwrap(), *mode))
        .collect();
    assert_eq!(
        modes,
        [
            ("mosquitto.acl", 0o600),
            ("mosquitto.conf", 0o644),
            ("mosquitto.passwd", 0o600),
            ("mqtt-password", 0o600),
            ("passwords", 0o600),
            ("public-password", 0o600),
            ("remisd.toml", 0o640),
        ]
    );
    assert!(
        files
            .keys()
            .all(|path| path.metadata().unwrap().uid() == own)
    );
    let passwords = club.passwords();
    let mqtt = fs::read_to_string(club.file("mqtt-password")).unwrap();
    for password in passwords.values().map(String::as_str).chain([mqtt.trim()]) {
        assert!(!club.output.contains(password));
        for name in ["mosquitto.passwd", "mosquitto.conf", "remisd.toml"] {
            assert!(
                !fs::read_to_string(club.file(name))
                    .unwrap()
                    .contains(password)
            );
        }
    }
    for expected in [
        "mosquitto.conf'",
        "remisd run --config",
        "/arbiter",
        "No port is known yet for b2.",
    ] {
        assert!(
            club.output.contains(expected),
            "{expected} in\n{}",
            club.output
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_exists_is_touched() {
    let club = Club::set_up().await;
    let before = everything(&club.dir());
    let again = club.setup().await;
    assert_eq!(again.status.code(), Some(1));
    let words = String::from_utf8(again.stderr).unwrap();
    for path in before.keys() {
        assert!(words.contains(word(path)), "{words}");
    }
    assert!(again.stdout.is_empty());
    assert_eq!(everything(&club.dir()), before);
}

#[tokio::test]
async fn a_port_of_another_program_is_refused() {
    let club = Club::new();
    let _other = TcpListener::bind(club.http).unwrap();
    let refused = club.setup().await;
    assert_eq!(refused.status.code(), Some(1));
    let words = String::from_utf8(refused.stderr).unwrap();
    let expected = format!("--http: {} is in use by another program", club.http);
    assert!(words.contains(&expected), "{words}");
    assert!(!club.dir().exists());
}

#[tokio::test]
async fn every_answer_that_cannot_be_used_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("club");
    let names = ["--boards", "2", "--name", "Left", "--name", "Left"];
    let words = [
        &["setup", "--dir", word(&dir), "--open", "hall"],
        &names[..],
    ]
    .concat();
    let refused = output(&words).await;
    assert_eq!(refused.status.code(), Some(2));
    let words = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(
        words.matches("--name: \"Left\" is not a name").count(),
        2,
        "{words}"
    );
    assert!(words.contains("--open: only the profile"), "{words}");
    assert!(!dir.exists());
}

#[tokio::test]
async fn more_ports_than_boards_are_a_mistake() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join("club");
    let refused = output(&["setup", "--dir", word(&dir), "--port", "/a", "--port", "/b"]).await;
    assert_eq!(refused.status.code(), Some(2));
    assert!(!dir.exists());
    let refused = output(&["setup", "--dir", word(&dir), "--name", "a", "--name", "b"]).await;
    assert_eq!(refused.status.code(), Some(2));
    let refused = output(&["setup", "--dir", word(&dir), "--boards", "0"]).await;
    assert_eq!(refused.status.code(), Some(2));
}
