//! `remisd journal`: list, show, verify, export, with the real command.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    fs,
    process::{Command, Output},
    sync::Arc,
};

use remisd::pgn::Games;
use remisd_game::{Role, SettledBy, Verb};
use remisd_journal::{DaemonSession, RawLimits};
use remisd_laws::Score;
use remisd_testkit::recorded::Recorded;
use remisd_vocabulary::tap::{Speaker, Tap as _};
use remisd_vocabulary::time::SystemClock;

fn journal(board: &Recorded, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_remisd"))
        .arg("journal")
        .args(arguments)
        .arg("--journal")
        .arg(board.folder.path())
        .env_remove("REMISD_LOG")
        .output()
        .unwrap()
}

/// The output of the command on success.
fn says(board: &Recorded, arguments: &[&str]) -> String {
    let output = journal(board, arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A game of three plies that White has resigned, and an unfinished one of two plies.
async fn two_games() -> Recorded {
    let mut board = Recorded::new().await;
    board.moves("e2e4 e7e5 g1f3", SettledBy::Clock).await;
    let score = Score::BlackWins;
    let result = Verb::Result { score, game: None };
    board.command(Role::Arbiter, result).await;
    board.begin().await;
    board.moves("d2d4 d7d5", SettledBy::Clock).await;
    board
}

#[tokio::test]
async fn the_games_of_a_board_are_listed() {
    let board = two_games().await;
    let list = says(&board, &["list"]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 2, "{list}");
    for (line, facts) in [
        (lines[0], ["b017", " 1 ", "Ann - Bob", "3 plies", "0-1"]),
        (lines[1], ["b017", " 6 ", "Ann - Bob", "2 plies", "*"]),
    ] {
        assert!(facts.iter().all(|fact| line.contains(fact)), "{line}");
    }
}

#[tokio::test]
async fn entries_are_shown_in_words_and_as_they_are() {
    let board = two_games().await;
    let newest = says(&board, &["show", "--board", "b017"]);
    assert!(
        newest.contains("move") && newest.contains("uci=d2d4"),
        "{newest}"
    );
    assert!(!newest.contains("e2e4"), "the newest game alone: {newest}");
    let first = says(&board, &["show", "--game", "1"]);
    assert!(
        first.contains("uci=g1f3") && first.contains("result_set"),
        "{first}"
    );
    let json = says(&board, &["show", "--json"]);
    let bodies: Vec<&[u8]> = board.bodies.iter().map(Vec::as_slice).collect();
    assert_eq!(json.trim_end().as_bytes(), bodies.join(&b'\n'));

    let file = board.folder.path().join("kept.pgn");
    fs::write(&file, "kept").unwrap();
    let path = file.to_str().unwrap();
    let none = journal(&board, &["export", "--game", "99", "-o", path]);
    assert_eq!(none.status.code(), Some(1));
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    let none = journal(&board, &["show", "--game", "99"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(String::from_utf8(none.stderr).unwrap().contains("game 99"));
}

#[tokio::test]
async fn games_are_exported_as_pgn_that_reads_back() {
    let board = two_games().await;
    let pgn = says(&board, &["export"]);
    let games: Vec<_> = Games::new(pgn.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(games.len(), 2);
    let first = &games[0];
    assert_eq!(
        (first.tag("White"), first.tag("Board")),
        (Some("Ann"), Some("b017"))
    );
    assert_eq!(first.tag("Result"), Some("0-1"));
    let digits = |tag| first.tag(tag).is_some_and(|date| date.starts_with("20"));
    assert!(digits("Date") && digits("UTCDate"), "{pgn}");
    assert!(first.tag("UTCTime").is_some(), "{pgn}");
    let sans: Vec<_> = first.moves.iter().map(|m| m.text.clone()).collect();
    assert_eq!(sans, ["e4", "e5", "Nf3"]);
    assert!(first.moves.iter().all(|m| m.clock_ms.is_some()), "{pgn}");
    assert_eq!(games[1].outcome, Some("*"));

    let file = board.folder.path().join("games.pgn");
    let path = file.to_str().unwrap();
    assert_eq!(says(&board, &["export", "--game", "6", "-o", path]), "");
    let written = fs::read_to_string(&file).unwrap();
    assert_eq!(Games::new(written.as_bytes()).count(), 1);
    assert!(pgn.ends_with(&written), "one game is part of all");
}

#[tokio::test]
async fn results_without_a_board_are_written_only_on_request() {
    let mut board = two_games().await;
    let headers =
        [("Event", "Open"), ("Round", "3")].map(|(tag, value)| (tag.into(), value.into()));
    let headers = headers.into_iter().collect();
    board
        .command(Role::Arbiter, Verb::Headers { headers })
        .await;
    let journal = board.folder.path();
    // Nobody can read a directory as a file, whatever their rights are.
    fs::create_dir_all(journal.join("b018/000000000001.jsonl")).unwrap();
    let file = journal.join("results.csv");
    fs::write(&file, "kept").unwrap();
    let results = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_remisd"));
        command.args(["results", "--format", "csv", "--journal"]);
        command.arg(journal).arg("-o").arg(&file).args(more);
        command.env_remove("REMISD_LOG").output().unwrap()
    };
    let refused = results(&[]);
    assert_eq!(refused.status.code(), Some(1), "{refused:?}");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("whose games are missing: b018\n"), "{said}");
    assert_eq!(fs::read_to_string(&file).unwrap(), "kept");
    let asked = results(&["--incomplete"]);
    assert_eq!(asked.status.code(), Some(0), "{asked:?}");
    assert!(fs::read_to_string(&file).unwrap().contains("Open;3;"));
    let said = String::from_utf8(asked.stderr).unwrap();
    assert!(said.contains("whose games are missing: b018\n"), "{said}");
}

#[tokio::test]
async fn a_whole_journal_is_confirmed_and_the_first_broken_link_is_named() {
    let board = two_games().await;
    let whole = says(&board, &["verify"]);
    assert!(
        whole.contains("b017: whole, 8 entries in 2 files, up to 8, chain "),
        "{whole}"
    );

    // A forger gives White another move, with a correct checksum.
    let path = board.folder.path().join("b017/000000000001.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines = text.lines().map(|line| {
        let json = line[9..].replace("g1f3", "b1c3");
        format!("{:08x} {json}", crc32fast::hash(json.as_bytes()))
    });
    let forged = lines.collect::<Vec<_>>().join("\n") + "\n";
    assert_ne!(forged, text);
    fs::write(&path, forged).unwrap();
    let broken = journal(&board, &["verify"]);
    assert_eq!(broken.status.code(), Some(1));
    let output = String::from_utf8(broken.stdout).unwrap();
    let first = output.lines().next().unwrap();
    assert!(
        first.starts_with("b017: BROKEN: 000000000001.jsonl, line 5: ") && first.contains("sealed"),
        "{output}"
    );
    assert!(output.contains("NOT WHOLE"), "{output}");

    // And removes a line.
    let lines: Vec<&str> = text.lines().collect();
    let holed = [&lines[..3], &lines[4..]].concat().join("\n") + "\n";
    fs::write(&path, holed).unwrap();
    let export = journal(&board, &["export"]);
    assert_eq!(
        export.status.code(),
        Some(1),
        "a game with a hole is no game"
    );
    let errors = String::from_utf8(export.stderr).unwrap();
    assert!(errors.contains("entry 3: is missing"), "{errors}");
}

#[tokio::test]
async fn names_are_left_out_when_masked() {
    let board = two_games().await;
    for arguments in [
        &["list", "--mask-names"][..],
        &["show", "--json", "--mask-names"],
        &["show", "--mask-names"],
        &["export", "--mask-names"],
    ] {
        let output = says(&board, arguments);
        assert!(
            !output.contains("Ann") && !output.contains("Bob"),
            "{output}"
        );
    }
    let pgn = says(&board, &["export", "--mask-names"]);
    assert!(
        pgn.contains("[White \"?\"]") && pgn.contains("[Event \"Club\"]"),
        "{pgn}"
    );
    assert!(pgn.contains("1. e4"), "{pgn}");
}

#[tokio::test]
async fn what_went_over_the_line_is_shown_and_verified() {
    let board = two_games().await;
    let limits = RawLimits {
        game: 1 << 20,
        board: 1 << 20,
    };
    let (session, clock) = (
        DaemonSession::begin().unwrap(),
        Arc::new(SystemClock::new()),
    );
    let (raw, _) = board.journal.raw_log(limits, session, clock).unwrap();
    raw.recorder(&board.id)
        .heard(Speaker::Board, &[0x8e, 0, 5, 0x34, 0]);
    raw.flush();
    let shown = says(&board, &["show", "--raw"]);
    assert!(shown.contains(" board> 8e 00 05 34 00\n"), "{shown}");
    let shown = says(&board, &["show", "--raw", "--game", "1"]);
    assert_eq!(shown, "", "there was nothing in that game");
    let whole = says(&board, &["verify"]);
    assert!(whole.contains("b017: raw: 1 blocks in 1 files"), "{whole}");

    let file = board.folder.path().join("b017/000000000006-1.raw");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("remisd/raw/1", "remisd/raw/2")).unwrap();
    let broken = journal(&board, &["verify"]);
    assert_eq!(broken.status.code(), Some(1));
    let output = String::from_utf8(broken.stdout).unwrap();
    assert!(
        output.contains("raw: BROKEN: 000000000006-1.raw, line 1"),
        "{output}"
    );
}

#[tokio::test]
async fn a_board_that_is_not_there_is_named() {
    let board = Recorded::new().await;
    let output = journal(&board, &["list", "--board", "b2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("no board b2")
    );
}

#[test]
fn a_directory_without_a_journal_is_named_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let named = |name: &str| folder.path().join(name);
    fs::create_dir(named("empty")).unwrap();
    // Names that boards could have, and files that are none of a journal.
    fs::create_dir_all(named("other/docs")).unwrap();
    fs::write(named("other/docs/2026.jsonl"), "{}").unwrap();
    fs::write(named("other/outbox.json"), "{}").unwrap();
    // A daemon that no board has reached.
    fs::create_dir(named("begun")).unwrap();
    fs::write(named("begun/.lock"), "1").unwrap();
    fs::write(named("file"), "").unwrap();
    let cases = [
        ("empty", "there is no journal in "),
        ("other", "there is no journal in "),
        ("begun", "there is no journal in "),
        ("missing", "the journal "),
        ("file", "the journal "),
    ];
    for (name, says) in cases {
        let path = named(name);
        let path = path.to_str().unwrap();
        let commands: [&[&str]; 5] = [
            &["journal", "list"],
            &["journal", "show"],
            &["journal", "verify"],
            &["journal", "export"],
            &["evidence", "--board", "b017", "-o", "-"],
        ];
        for command in commands {
            let output = Command::new(env!("CARGO_BIN_EXE_remisd"))
                .args(command)
                .args(["--journal", path])
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(1), "{command:?}: {output:?}");
            assert!(output.stdout.is_empty(), "{command:?}: {output:?}");
            let text = String::from_utf8(output.stderr).unwrap();
            let expected = format!("remisd: {says}{path}");
            assert!(text.starts_with(&expected), "{command:?}: {text}");
        }
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_named() {
    let board = two_games().await;
    let path = board.folder.path().join("b017/000000000099.jsonl");
    fs::create_dir(&path).unwrap();
    for task in ["list", "show", "verify", "export"] {
        let output = journal(&board, &[task]);
        assert_eq!(output.status.code(), Some(1), "{task}: {output:?}");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(path.to_str().unwrap()), "{task}: {text}");
    }
}

#[tokio::test]
async fn a_journal_without_its_lock_is_a_journal() {
    let board = two_games().await;
    fs::remove_file(board.folder.path().join(".lock")).unwrap();
    says(&board, &["verify"]);
    // All that is left of the record is a file that was set aside.
    let directory = board.folder.path().join("b017");
    let name = "000000000001.jsonl";
    let (from, to) = (
        directory.join(name),
        directory.join(format!("{name}.damaged")),
    );
    fs::rename(from, to).unwrap();
    fs::remove_file(directory.join("000000000006.jsonl")).unwrap();
    let output = journal(&board, &["verify"]);
    assert!(output.stderr.is_empty(), "{output:?}");
}
