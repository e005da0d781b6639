//! How long `remisd journal list`, `export` and `verify` take for a board with very many games.
//!
//! `cargo bench --bench journal` writes 10,000 games of the test data, each cut after 80 plies,
//! into a temporary directory, and runs each command on them. In the same run, one thread reads and
//! hashes the same bytes: no command that must read them can be much faster.
//! `-- --games N --plies M` changes the numbers.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark measures real time and fails by a panic"
)]

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Instant,
};

use remisd::{pgn::Games, publish::payload::Event};
use remisd_game::{Cause, ClockState, Fact, Game, Input, Judgement, Rules, SettledBy, Stamped};
use remisd_journal::{Append, DaemonSession, Journal};
use remisd_laws::Rate;
use remisd_vocabulary::time::{SystemClock, rfc3339};
use sha2::{Digest as _, Sha256};
use shakmaty::{CastlingMode, Position as _};

/// Returns the number after a flag.
fn flag(name: &str, otherwise: usize) -> usize {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    let value = arguments.nth(1).and_then(|value| value.parse().ok());
    value.unwrap_or(otherwise)
}

/// Returns the moves, in UCI notation, of the games in the test data that are long enough.
fn scores(plies: usize) -> Vec<Vec<String>> {
    let text = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/games/otb-2025.pgn"
    ));
    let text = text.unwrap();
    let games = Games::new(&text[..]).filter_map(Result::ok);
    let long = games.filter(|game| game.moves.len() >= plies);
    let scores = long.map(|game| {
        let mut position = game.start().unwrap();
        let moves = game.moves.iter().take(plies).map(|written| {
            let m = written.to_move(&position).unwrap();
            position.play_unchecked(m);
            m.to_uci(CastlingMode::Standard).to_string()
        });
        moves.collect()
    });
    scores.collect()
}

/// Writes the games as the daemon does.
async fn write(directory: &Path, games: usize, plies: usize) {
    let scores = scores(plies);
    let session = DaemonSession::begin().unwrap();
    let clock = Arc::new(SystemClock::new());
    let (journal, writer) = Journal::open(directory, session, clock).unwrap();
    let board: remisd_vocabulary::name::BoardId = "b1".parse().unwrap();
    journal.recover(&board).await.unwrap();
    let mut game = Game::new(Rules::default());
    for score in scores.iter().cycle().take(games) {
        let headers = [
            ("White", "Smit, Anna"),
            ("Black", "Jansen, Piet"),
            ("Event", "Open"),
        ];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let begin = Input::NewGame {
            start_fen: None,
            laws: "fide-2023".into(),
            rate: Rate::Standard,
            headers: BTreeMap::from(headers),
            cause: Cause::StartArray,
        };
        let moves = score.iter().map(|uci| Input::Move {
            uci: uci.as_str().into(),
            by: SettledBy::Clock,
            clock: Some(ClockState {
                white_ms: 3_600_000,
                black_ms: 3_600_000,
                running: None,
                flag: None,
            }),
        });
        let mut kept = Vec::new();
        for input in std::iter::once(begin).chain(moves) {
            let seq = game.seq() + 1;
            let time = jiff::Timestamp::from_second(1_780_000_000).unwrap();
            let stamped = Stamped { seq, time, input };
            let facts = game.apply(&stamped);
            let begins_segment = facts.iter().any(|f| matches!(f, Fact::GameStarted { .. }));
            let carried = begins_segment.then(|| game.carried());
            let event = Event {
                schema: Event::SCHEMA.into(),
                site: "hall".to_owned(),
                board: board.to_string(),
                session: "0123456789abcdef".to_owned(),
                seq,
                time: rfc3339(time),
                monotonic_ms: seq.get(),
                input: stamped.input,
                carried: carried.map(Box::new),
                numbers: Some(game.numbers().clone()),
                judgement: Judgement::CURRENT,
                facts,
                raw: None,
            };
            let append = Append {
                board: board.clone(),
                seq,
                body: serde_json::to_vec(&event).unwrap().into(),
                begins_segment,
            };
            kept.push(append);
        }
        journal.append_all(kept).await.unwrap();
    }
    drop(journal);
    writer.join().unwrap();
}

/// Reads and hashes every file.
fn bare(directory: &Path) -> usize {
    let files = fs::read_dir(directory.join("b1")).unwrap();
    let mut bytes = 0;
    for file in files {
        let text = fs::read(file.unwrap().path()).unwrap();
        bytes += text.len();
        std::hint::black_box(Sha256::digest(&text));
    }
    bytes
}

fn main() {
    let (games, plies) = (flag("--games", 10_000), flag("--plies", 80));
    let folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(write(folder.path(), games, plies));
    let begun = Instant::now();
    let bytes = bare(folder.path());
    let floor = begun.elapsed().as_secs_f64();
    println!("{games} games of {plies} plies, {} MB", bytes / 1_000_000);
    println!("read and hashed  {floor:6.2} s");
    for task in ["list", "export", "verify"] {
        let begun = Instant::now();
        let status = Command::new(env!("CARGO_BIN_EXE_remisd"))
            .args(["journal", task, "--journal"])
            .arg(folder.path())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        let took = begun.elapsed().as_secs_f64();
        assert!(status.success(), "{task}: {status}");
        println!("{task:<15}  {took:6.2} s  {:5.1} times that", took / floor);
    }
}
