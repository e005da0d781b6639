//! `remisd watch` beside a real broker and a real daemon.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt as _,
    process::Stdio,
};

use remisd_testkit::{
    PATIENCE,
    mosquitto::Mosquitto,
    remisd::{Home, PROGRAM},
    witness::Witness,
};
use serde_json::json;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

/// A board without a cable.
const BOARD: &str = "[[board]]\nid = \"b1\"\nkind = \"commands\"\n";

/// A running `remisd watch` whose output is a pipe.
struct Watching {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    seen: Vec<String>,
}

impl Watching {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(&*PROGRAM)
            .arg("watch")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let out = child.stdout.take().unwrap();
        Self {
            child,
            lines: BufReader::new(out).lines(),
            seen: Vec::new(),
        }
    }

    /// Reads up to the line with this beginning.
    async fn until(&mut self, beginning: &str) {
        loop {
            let line = timeout(PATIENCE, self.lines.next_line()).await;
            let Ok(Ok(Some(line))) = line else {
                panic!("{beginning:?} does not come: {:#?}", self.seen);
            };
            let found = line.starts_with(beginning);
            self.seen.push(line);
            if found {
                return;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_and_every_outage_is_a_line() {
    let mut broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), BOARD, &[], "");
    let daemon = home.start();
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let mut watching = Watching::start(&["b1", "--broker", &broker.url()]);
    watching.until("broker  connected").await;
    watching.until("  board  online").await;
    for (ply, text) in [(1, "e4"), (2, "e5")] {
        let payload = json!({"id": text, "ply": ply, "move": text}).to_string();
        witness
            .publish("chess/v1/hall/cmd/board/b1/move", payload)
            .await;
        watching.until(&format!("ply   {ply}")).await;
    }
    assert!(watching.seen.last().unwrap().contains("1... e5"));
    daemon.kill().await;
    watching.until("daemon  remisd lost").await;
    let _daemon = home.start();
    watching.until("daemon  remisd online").await;
    broker.kill().await;
    watching.until("broker  lost: ").await;
    broker.restart().await;
    watching.until("broker  connected").await;
    let pid = rustix::process::Pid::from_raw(watching.child.id().unwrap().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = timeout(PATIENCE, watching.child.wait()).await.unwrap();
    assert!(status.unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_taken_from_the_file_and_a_refusal_is_named() {
    let users = ["remisd", "arbiter", "public"];
    let broker = Mosquitto::start_guarded(&users, "secret").await;
    let folder = tempfile::tempdir().unwrap();
    let passwords = folder.path().join("passwords");
    fs::write(
        &passwords,
        "# Users.\narbiter      secret\npublic       wrong\n",
    )
    .unwrap();
    // A secret that others can read is refused.
    fs::set_permissions(&passwords, Permissions::from_mode(0o600)).unwrap();
    let passwords = passwords.to_str().unwrap();
    let url = broker.url();
    let as_user = |user| {
        [
            "--broker",
            &url,
            "--user",
            user,
            "--password-file",
            passwords,
        ]
    };
    let mut arbiter = Watching::start(&as_user("arbiter"));
    arbiter.until("broker  connected").await;
    let refused = Watching::start(&as_user("public"));
    let output = timeout(PATIENCE, refused.child.wait_with_output()).await;
    let output = output.unwrap().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("the broker refuses public"), "{error}");
    let unknown = Watching::start(&as_user("operator"));
    let output = timeout(PATIENCE, unknown.child.wait_with_output()).await;
    let error = String::from_utf8(output.unwrap().unwrap().stderr).unwrap();
    assert!(error.contains("has no password of operator"), "{error}");
}
