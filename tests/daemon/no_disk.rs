//! A daemon whose journal disk is missing or not writable at the start.

use std::{fs, io::Write as _, os::unix::fs::symlink, path::Path, process::Command};

use serde_json::{Value, json};

use super::{ALERTS, QUICK, Stage, events};
use remisd_testkit::{
    mosquitto::Mosquitto,
    remisd::{Home, output, word},
    witness::Witness,
};

/// A broker, and a daemon for one board whose journal is unavailable.
async fn without_disk(spoil: impl FnOnce(&Path)) -> Stage {
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), "", &["b1"], QUICK);
    spoil(&home.journal());
    let witness = Witness::watch(broker.address(), &["chess/v1/hall/#"]).await;
    let daemon = home.start();
    let stage = Stage {
        daemon,
        broker,
        home,
        witness,
    };
    stage.is_online().await;
    stage
}

impl Stage {
    async fn journal_is_down(&self, down: bool) {
        let is_so = |list: &Value| {
            let alerts = list["alerts"].as_array()?;
            let is_open = alerts.iter().any(|alert| alert["code"] == "journal_down");
            (is_open == down).then_some(())
        };
        self.witness.retained(ALERTS, is_so).await;
    }

    /// The arbiter enters moves, and the answer says that nothing was recorded.
    async fn plays_in_memory(&self) -> u64 {
        self.journal_is_down(true).await;
        let moves = json!({"id": "m", "to_ply": 0, "moves": ["e4", "e5"]});
        let answered = self.command("arbiter", "b1", "correct", &moves).await;
        assert_eq!(answered["ok"], true, "{answered}");
        assert_eq!(answered["recorded"], false, "{answered}");
        answered["seq"].as_u64().unwrap()
    }

    /// Everything is on the disk, intact, and published.
    async fn ends_recorded(self, seq: u64) -> Home {
        self.journal_is_down(false).await;
        self.home
            .has_recorded("b1", &format!("\"seq\":{seq},"))
            .await;
        let published = |all: &[_]| {
            events(all, "b1")
                .iter()
                .any(|event| event["seq"] == seq)
                .then_some(())
        };
        self.witness.until("event", published).await;
        assert!(self.daemon.terminate().await.success());
        let entries = self.home.entries("b1");
        let numbers: Vec<u64> = entries
            .iter()
            .map(|entry| entry["seq"].as_u64().unwrap())
            .collect();
        assert!(
            numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]),
            "{numbers:?}"
        );
        let journal = self.home.journal();
        let verified = output(&["journal", "--journal", word(&journal), "verify"]).await;
        let text = String::from_utf8(verified.stdout).unwrap();
        assert!(verified.status.success(), "{text}");
        let exported = output(&["journal", "--journal", word(&journal), "export"]).await;
        let pgn = String::from_utf8(exported.stdout).unwrap();
        assert!(pgn.contains("1. e4 e5"), "{pgn}");
        self.home
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_plugged_in_during_the_game_gets_all_of_it() {
    let stage =
        without_disk(|journal| symlink(journal.with_extension("disk"), journal).unwrap()).await;
    let seq = stage.plays_in_memory().await;
    fs::create_dir(stage.home.journal().with_extension("disk")).unwrap();
    stage.ends_recorded(seq).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_is_taken_up_when_the_disk_comes_lacks_nothing() {
    let mut stage = without_disk(|journal| {
        let disk = journal.with_extension("disk");
        fs::create_dir(&disk).unwrap();
        symlink(disk, journal).unwrap();
    })
    .await;
    let moves = json!({"id": "before", "to_ply": 0, "moves": ["e4", "e5"]});
    let answered = stage.command("arbiter", "b1", "correct", &moves).await;
    assert_eq!(answered["recorded"], Value::Null, "{answered}");
    assert!(stage.daemon.terminate().await.success());

    let [disk, away] = ["disk", "away"].map(|name| stage.home.journal().with_extension(name));
    fs::rename(&disk, &away).unwrap();
    stage.daemon = stage.home.start();
    stage.journal_is_down(true).await;
    fs::rename(&away, &disk).unwrap();
    stage.has_moves("b1", 2).await;
    stage.journal_is_down(false).await;
    let moves = json!({"id": "behind", "to_ply": 2, "moves": ["Nf3"]});
    let answered = stage.command("arbiter", "b1", "correct", &moves).await;
    assert_eq!(answered["ok"], true, "{answered}");
    let Stage { daemon, home, .. } = stage;
    assert!(daemon.terminate().await.success());

    let journal = home.journal();
    let run = async |task: &[&str]| {
        let done = output(&[&["journal", "--journal", word(&journal)], task].concat()).await;
        let errors = String::from_utf8(done.stderr).unwrap();
        assert!(done.status.success(), "{task:?}: {errors}");
        assert_eq!(errors, "", "{task:?}");
        String::from_utf8(done.stdout).unwrap()
    };
    let verified = run(&["verify"]).await;
    assert!(verified.contains("were passed over"), "{verified}");
    assert!(run(&["list"]).await.contains("3 plies"));
    let pgn = run(&["export"]).await;
    assert!(pgn.contains("1. e4 e5 2. Nf3"), "{pgn}");
    let sheet = ["evidence", "--journal", word(&journal), "--board", "b1"];
    let sheet = output(&[&sheet[..], &["-o", "-"]].concat()).await;
    let html = String::from_utf8(sheet.stdout).unwrap();
    assert!(html.contains("Nf3"), "{html}");
    assert!(!html.contains("Missing from the journal"), "{html}");
}

/// Mounts a file system in memory at `at`, or changes the existing mount; requires root.
fn mount(options: &str, at: &Path) -> bool {
    let mut mount = Command::new("mount");
    let done = mount
        .args(["-t", "tmpfs", "-o", options, "tmpfs"])
        .arg(at)
        .output();
    done.is_ok_and(|done| done.status.success())
}

fn unmount(at: &Path) {
    Command::new("umount").arg("-l").arg(at).status().unwrap();
}

/// Whether mounting works here.
fn can_mount() -> bool {
    let probe = tempfile::tempdir().unwrap();
    let can = mount("ro", probe.path());
    if can {
        unmount(probe.path());
    } else {
        println!("no disk can be mounted here");
    }
    can
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_read_only_at_the_start_gets_the_game_when_it_can_be_written() {
    if !can_mount() {
        return;
    }
    let stage = without_disk(|journal| {
        fs::create_dir(journal).unwrap();
        assert!(mount("ro", journal));
    })
    .await;
    let seq = stage.plays_in_memory().await;
    assert!(mount("remount,rw", &stage.home.journal()));
    let home = stage.ends_recorded(seq).await;
    unmount(&home.journal());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_full_at_the_start_gets_the_game_when_there_is_room() {
    if !can_mount() {
        return;
    }
    let stage = without_disk(|journal| {
        fs::create_dir(journal).unwrap();
        assert!(mount("size=1m", journal));
        let mut ballast = fs::File::create(journal.join("ballast")).unwrap();
        for size in [1 << 12, 1] {
            while ballast.write_all(&vec![0; size]).is_ok() {}
        }
    })
    .await;
    let seq = stage.plays_in_memory().await;
    fs::remove_file(stage.home.journal().join("ballast")).unwrap();
    let home = stage.ends_recorded(seq).await;
    unmount(&home.journal());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_path_is_reported_at_the_start() {
    let home = Home::new("mqtt://127.0.0.1:1", "", &["b1"], QUICK);
    fs::write(home.journal(), "").unwrap();
    let ended = output(&["run", "--config", word(&home.config())]).await;
    assert!(!ended.status.success());
    let errors = String::from_utf8(ended.stderr).unwrap();
    assert!(errors.contains(word(&home.journal())), "{errors}");
    assert!(errors.contains("File exists"), "{errors}");
}
