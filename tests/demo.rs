//! The demo of the built binary, as a script sees it.
#![cfg(feature = "embedded-broker")]
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{net::TcpStream, process::Stdio, time::Duration};

use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
    time::timeout,
};

/// The deadline for each step of a test.
const DEADLINE: Duration = Duration::from_mins(1);
/// How long the demo may take to stop after a signal.
const FAREWELL: Duration = Duration::from_secs(10);

/// A running demo with its own folder for temporary files.
struct Demo {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    temporary: TempDir,
    seen: Vec<String>,
}

impl Demo {
    fn start(arguments: &[&str]) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_remisd"))
            .args(["demo", "--mqtt", "127.0.0.1:0", "--http", "127.0.0.1:0"])
            .args(arguments)
            .env("TMPDIR", temporary.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let out = child.stdout.take().unwrap();
        Self {
            child,
            lines: BufReader::new(out).lines(),
            temporary,
            seen: Vec::new(),
        }
    }

    /// The next line; `None` at the end of the output.
    async fn line(&mut self) -> Option<String> {
        let line = timeout(DEADLINE, self.lines.next_line()).await;
        let line = line.expect("the demo says nothing any more").unwrap();
        self.seen.extend(line.clone());
        line
    }

    /// Reads up to the line with this beginning.
    async fn until(&mut self, beginning: &str) -> String {
        while let Some(line) = self.line().await {
            if line.starts_with(beginning) {
                return line;
            }
        }
        panic!(
            "no line begins with {beginning:?}:\n{}",
            self.seen.join("\n")
        );
    }

    fn place(&self, part: &str) -> usize {
        let place = self.seen.iter().position(|line| line.contains(part));
        place.unwrap_or_else(|| panic!("{part:?} is nowhere:\n{}", self.seen.join("\n")))
    }

    /// Reads the remaining output. Then the process must have exited successfully, the broker's
    /// port must be closed, and no files may be left behind.
    async fn end(&mut self, within: Duration) {
        let rest = async { while self.line().await.is_some() {} };
        timeout(within, rest).await.expect("the demo does not end");
        let status = timeout(within, self.child.wait()).await;
        assert!(status.expect("the process does not end").unwrap().success());
        let left: Vec<_> = self.temporary.path().read_dir().unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        let broker = &self.seen[self.place("broker   mqtt://")];
        let address = broker.split("mqtt://").nth(1).unwrap();
        let address = address.split(' ').next().unwrap();
        assert!(TcpStream::connect(address).is_err(), "{address} is open");
    }
}

#[tokio::test]
async fn the_demo_prints_its_game_up_to_the_fivefold_repetition() {
    let mut demo = Demo::start(&["--speed", "10", "--wait", "0"]);
    demo.end(DEADLINE).await;
    let order = [
        "mosquitto_sub -h 127.0.0.1",
        "'chess/v1/demo/hall/b1/#'",
        "  pages    http://127.0.0.1:",
        "daemon  online",
        "on the board: Robson, Ray – Moranda, Wojciech",
        "ply   1  1. e4",
        "can claim a draw: threefold repetition with Kf8 (9.2.1)",
        "White can claim a draw: threefold repetition on the board (9.2.2)",
        "ply  84  42... Kf8",
        "repetition 5 (plies 68 72 76 80 84)",
        "daemon  offline",
    ];
    let places: Vec<usize> = order.iter().map(|part| demo.place(part)).collect();
    assert!(places.is_sorted(), "{places:?}\n{}", demo.seen.join("\n"));
    demo.place("alert  amber: A draw by threefold repetition can be claimed");
    demo.place("alert  red: The same position for the fifth time");
    demo.place("result  ½-½  fivefold repetition, article 9.6.1, at ply 84");
    assert_eq!(
        demo.seen.iter().filter(|l| l.starts_with("game ")).count(),
        1
    );
}

#[tokio::test]
async fn games_that_begin_from_a_position_are_played_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let from_a_position = "[White \"A\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/4P3/8/4K3 w - - 0 1\"]\n\n\
        1. Kd2 Kd7 2. Ke1 Ke8 3. Kf2 Kf7 4. Ke1 Ke8 *\n\n";
    let from_the_array = "[White \"B\"]\n\n1. e4 e5 *\n\n";
    let text = [
        from_a_position,
        from_the_array,
        from_a_position,
        from_a_position,
    ]
    .concat();
    std::fs::write(&file, text).unwrap();
    let mut demo = Demo::start(&["--speed", "10", "--pgn", file.to_str().unwrap()]);
    demo.end(DEADLINE).await;
    let repeated = demo
        .seen
        .iter()
        .filter(|line| line.contains("repetition 3 (plies 0 4 8)"));
    assert_eq!(repeated.count(), 3, "{}", demo.seen.join("\n"));
    let is_made = |line: &&String| line.starts_with("ply ") && !line.contains("starting position");
    // A busy computer shows several plies on one line.
    let plies = demo.seen.iter().filter(is_made).map(|line| {
        let several = line.split_once(" (and on:");
        several.map_or(1, |(plies, _)| plies.split_whitespace().skip(2).count())
    });
    let plies: usize = plies.sum();
    assert_eq!(plies, 3 * 8 + 2, "{}", demo.seen.join("\n"));
}

#[tokio::test]
async fn ctrl_c_in_the_middle_of_a_game_ends_all_of_it() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let mut demo = Demo::start(&["--speed", "10"]);
        demo.until("ply   5").await;
        let id = demo.child.id().unwrap().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().await;
        assert!(sent.unwrap().success());
        demo.end(FAREWELL).await;
        assert_eq!(demo.seen.last().unwrap(), "daemon  offline");
    }
}

#[tokio::test]
async fn game_after_game_is_played_and_what_cannot_be_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let mate = "[White \"A\x1b[2J\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";
    let broken = "[White \"B\"]\n\n1. e4 e5 2. Ke3 *\n\n";
    let open = "[White \"C\"]\n\n1. d4 d5 2. c4 *\n";
    std::fs::write(&file, [mate, broken, open].concat()).unwrap();
    let mut demo = Demo::start(&["--speed", "5", "--pgn", file.to_str().unwrap()]);
    demo.end(DEADLINE).await;
    demo.place("result  0-1  checkmate");
    demo.place("game 2 of the file is left out: ply 3");
    let second = demo.place("game 2");
    let last = demo.seen.iter().position(|line| line.contains("2. c4"));
    assert!(second < last.unwrap());
    assert!(!demo.seen.iter().any(|line| line.contains('\x1b')));
}

#[tokio::test]
async fn several_boards_play_and_one_game_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let mate = "[White \"A\"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n\n";
    let open = "[White \"C\"]\n\n1. d4 d5 2. c4 *\n";
    std::fs::write(&file, [mate, open].concat()).unwrap();
    let file = file.to_str().unwrap();
    let mut demo = Demo::start(&["--speed", "10", "--pgn", file, "--boards", "2"]);
    demo.end(DEADLINE).await;
    demo.place("b1  result  0-1  checkmate");
    demo.place("b2  ply   3  2. c4");
    assert!(!demo.seen.iter().any(|line| line.contains("b3 ")));
    let mut demo = Demo::start(&["--speed", "10", "--pgn", file, "--game", "2"]);
    demo.end(DEADLINE).await;
    demo.place("2. c4");
    assert!(!demo.seen.iter().any(|line| line.contains("checkmate")));
    let program = env!("CARGO_BIN_EXE_remisd");
    let refused = Command::new(program)
        .args(["demo", "--pgn", file, "--game", "3"])
        .output();
    let refused = refused.await.unwrap();
    assert_eq!(refused.status.code(), Some(1));
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("--game 3: there are 2 games"), "{words}");
}

#[tokio::test]
async fn a_demo_that_loops_begins_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    std::fs::write(&file, "1. f3 e5 2. g4 Qh4# 0-1\n").unwrap();
    let mut demo = Demo::start(&["--speed", "20", "--pgn", file.to_str().unwrap(), "--loop"]);
    for game in ["game 1", "game 2", "game 3"] {
        demo.until(game).await;
    }
}

#[tokio::test]
async fn a_player_who_can_claim_waits_so_that_it_can_be_tried() {
    let mut demo = Demo::start(&["--speed", "20", "--wait", "3600"]);
    demo.until("  claim  White can claim a draw: threefold repetition on the board")
        .await;
    // The next ply of this game would come within a tenth of a second, unless White waits.
    let more = timeout(Duration::from_secs(3), demo.until("ply  77")).await;
    assert!(more.is_err(), "White has moved on");
}

#[tokio::test]
async fn addresses_that_others_could_reach_are_refused() {
    let program = env!("CARGO_BIN_EXE_remisd");
    let refused = Command::new(program)
        .args(["demo", "--mqtt", "0.0.0.0:1883"])
        .output();
    let refused = refused.await.unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("of this computer alone"));
}
