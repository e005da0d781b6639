//! The commands of the guide for a club evening, as they stand there.

use std::{fs, net::SocketAddr, path::Path, process::Stdio};

use remisd_testkit::{PATIENCE, poll::poll_port, remisd::word};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

use super::free;

/// The shell commands of a document, one entry per block.
fn commands_of(document: &str) -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let text = fs::read_to_string(file).unwrap();
    let blocks = text.split("```sh\n").skip(1);
    blocks
        .map(|block| block.split_once("```").unwrap().0.to_owned())
        .collect()
}

/// A shell in its own folder, set up so that the guides' commands work unchanged.
struct Shell {
    folder: TempDir,
    mqtt: SocketAddr,
    http: SocketAddr,
}

impl Shell {
    fn command(&self, block: &str) -> Command {
        let here = self.folder.path();
        let source = Path::new(env!("CARGO_MANIFEST_DIR"));
        let block = block
            .replace(
                "target/release/remisd",
                word(&remisd_testkit::remisd::PROGRAM),
            )
            .replace(
                "--mqtt 127.0.0.1:1884",
                &format!("--mqtt {} --http {}", self.mqtt, self.http),
            )
            .replace("-p 1884", &format!("-p {}", self.mqtt.port()))
            .replace("/tmp/board", word(&here.join("board")))
            .replace("examples/", &format!("{}/examples/", source.display()));
        let mut shell = Command::new("bash");
        shell.args(["-euc", &block]).current_dir(here);
        shell
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        shell
    }

    fn starts(&self, block: &str) -> Child {
        // `exec` replaces the shell, so that killing it stops the client.
        let block = block.replace("\nmosquitto_sub", "\nexec mosquitto_sub");
        self.command(block.trim()).spawn().unwrap()
    }

    async fn says(&self, block: &str) -> String {
        let done = timeout(PATIENCE, self.command(block).output()).await;
        let done = done.expect("a command of the guide does not end").unwrap();
        assert!(done.status.success(), "{block}: {done:?}");
        String::from_utf8(done.stdout).unwrap()
    }

    async fn listens(&self, at: SocketAddr) {
        poll_port(PATIENCE, || format!("nothing listens on {at}"), at).await;
    }
}

/// The first block with these words.
fn block<'a>(blocks: &'a [String], words: &str) -> &'a str {
    let found = blocks.iter().find(|block| block.contains(words));
    found.unwrap_or_else(|| panic!("{words} is not in the guide"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_club_evening_guide_work() {
    let blocks = commands_of("docs/club-evening.md");
    // The README starts broker and daemon in the same way.
    let readme = commands_of("README.md");
    for words in ["/usr/sbin/mosquitto", "remisd run"] {
        assert_eq!(block(&readme, words), block(&blocks, words));
    }
    let shell = Shell {
        folder: tempfile::tempdir().unwrap(),
        mqtt: free(),
        http: free(),
    };
    shell.says(block(&blocks, "--port /tmp/board")).await;
    let _broker = shell.starts(block(&blocks, "/usr/sbin/mosquitto"));
    shell.listens(shell.mqtt).await;
    let _daemon = shell.starts(block(&blocks, "remisd run"));
    shell.listens(shell.http).await;
    let _board = shell.starts(block(&blocks, "simulate dgt"));
    let mut listener = shell.starts(block(&blocks, "mosquitto_sub"));
    let out = listener.stdout.take().unwrap();
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(out));
    let played = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("/b1/draw ") && line.contains("\"ply\":9,") {
                return line;
            }
        }
        panic!("the listener has ended");
    };
    let state = timeout(PATIENCE, played)
        .await
        .expect("ply 9 does not come");
    assert!(
        state.contains("\"san\":\"Ng8\""),
        "no claim with Ng8: {state}"
    );
    let answers = shell.says(block(&blocks, "mosquitto_rr")).await;
    let answers: Vec<serde_json::Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), 2, "{answers:?}");
    for answer in &answers {
        assert_eq!(answer["ok"], true, "{answer}");
    }
    let drawn = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("/b1/result ") && line.contains("threefold_claim") {
                return line;
            }
        }
        panic!("the listener has ended");
    };
    let result = timeout(PATIENCE, drawn)
        .await
        .expect("the game is not drawn");
    assert!(result.contains("\"1/2-1/2\""), "{result}");
}
