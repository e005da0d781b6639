//! What `list`, `export` and `verify` read, and what they report about a damaged journal.

use std::{collections::BTreeMap, fs, sync::Arc};

use super::{
    list::{CONTRADICTS, MARK},
    *,
};
use remisd_game::{Cause, Fact, Game, Input, Rules, SettledBy, Stamped};
use remisd_journal::{Append, DaemonSession, Journal};
use remisd_laws::Rate;
use remisd_vocabulary::{seq::EntrySeq, time::ManualClock};

const MOVES: [&str; 6] = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"];

/// A journal of the given number of games, three moves each.
async fn journal_of(games: usize) -> tempfile::TempDir {
    journal_in(DaemonSession::begin().unwrap(), games).await
}

/// The same. The id of the record is that which the session makes.
async fn journal_in(session: DaemonSession, games: usize) -> tempfile::TempDir {
    journal_from(session, (0..games).flat_map(|_| inputs_of_game())).await
}

/// What begins a game, and three moves by each player.
fn inputs_of_game() -> Vec<Input> {
    let begin = Input::NewGame {
        start_fen: None,
        laws: "fide-2023".into(),
        rate: Rate::Standard,
        headers: BTreeMap::from([("White".to_owned(), "Ann".to_owned())]),
        cause: Cause::StartArray,
    };
    let moves = MOVES.map(|uci| Input::Move {
        uci: uci.into(),
        by: SettledBy::Reply,
        clock: None,
    });
    std::iter::once(begin).chain(moves).collect()
}

/// A journal of what follows from these inputs.
async fn journal_from(
    session: DaemonSession,
    inputs: impl IntoIterator<Item = Input>,
) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(ManualClock::default());
    let (journal, writer) = Journal::open(folder.path(), session, clock).unwrap();
    let board: BoardId = "b1".parse().unwrap();
    journal.recover(&board).await.unwrap();
    let mut game = Game::new(Rules::default());
    for input in inputs {
        let seq = game.seq() + 1;
        let time = jiff::Timestamp::UNIX_EPOCH;
        let facts = game.apply(&Stamped {
            seq,
            time,
            input: input.clone(),
        });
        let begins_segment = facts
            .iter()
            .any(|fact| matches!(fact, Fact::GameStarted { .. }));
        let carried = begins_segment.then(|| game.carried());
        let body = serde_json::json!({
            "time": time, "input": input, "carried": carried, "facts": facts,
        });
        let append = Append {
            board: board.clone(),
            seq,
            body: serde_json::to_vec(&body).unwrap().into(),
            begins_segment,
        };
        journal.append(append).await.unwrap();
    }
    drop(journal);
    writer.join().unwrap();
    folder
}

#[tokio::test]
async fn a_move_that_was_perhaps_on_the_board_is_named_in_the_game_that_was_left() {
    let mut inputs = inputs_of_game();
    inputs.push(Input::Unsettled { uci: "b5a4".into() });
    inputs.extend(inputs_of_game());
    let folder = journal_from(DaemonSession::begin().unwrap(), inputs).await;
    let (outcome, text) = output(&selection(&folder), COMMANDS[1].1);
    assert_eq!(outcome, Outcome::Fine);
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = text.join(" ");
    let named = "a6 {not certain from ply 7 on: perhaps Ba4 was on the board at the end} *";
    assert_eq!(text.matches(named).count(), 1, "{text}");
    assert_eq!(text.matches("not certain").count(), 1, "{text}");
}

fn selection(folder: &tempfile::TempDir) -> Selection {
    Selection {
        reader: Reader::new(folder.path()),
        cursors: cursors(folder.path()),
        boards: vec!["b1".parse().unwrap()],
        masks_names: false,
    }
}

type Command = fn(&Selection, &mut Vec<u8>) -> anyhow::Result<Outcome>;

const COMMANDS: [(&str, Command); 3] = [
    ("list", |selection, out| selection.list(out)),
    ("export", |selection, out| selection.export(None, None, out)),
    ("verify", |selection, out| selection.verify(out)),
];

/// How often each command lists the directory and reads files, for a journal of `games` games.
async fn work(games: usize) -> Vec<(&'static str, usize, usize)> {
    let folder = journal_of(games).await;
    let counted = COMMANDS.map(|(name, command)| {
        let selection = selection(&folder);
        let outcome = command(&selection, &mut Vec::new()).unwrap();
        assert_eq!(outcome, Outcome::Fine, "{name}");
        let work = selection.reader.work();
        (name, work.listed(), work.read())
    });
    counted.to_vec()
}

#[tokio::test]
async fn ten_times_the_games_are_ten_times_the_work() {
    let (few, many) = (work(4).await, work(40).await);
    for ((name, listed, read), (_, listed_of_many, read_of_many)) in few.into_iter().zip(many) {
        assert_eq!(listed_of_many, listed, "{name}: as often for many games");
        assert!(
            read_of_many <= 10 * read,
            "{name}: {read} and {read_of_many} files"
        );
        assert!(read >= 4, "{name} reads each game");
    }
}

/// Changes the first digit of a move in its entry.
fn damage(folder: &tempfile::TempDir, uci: &str) {
    let path = folder.path().join("b1/000000000001.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    let mark = format!("\"uci\":\"{uci}");
    let at = bytes
        .windows(mark.len())
        .position(|window| window == mark.as_bytes());
    bytes[at.unwrap() + mark.len()] ^= 1;
    fs::write(&path, bytes).unwrap();
}

fn output(selection: &Selection, command: Command) -> (Outcome, String) {
    let mut out = Vec::new();
    let outcome = command(selection, &mut out).unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn a_damaged_game_is_exported_with_its_moves_and_a_comment() {
    let folder = journal_of(2).await;
    damage(&folder, "g1f3");
    let selection = selection(&folder);
    let (outcome, pgn) = output(&selection, COMMANDS[1].1);
    assert_eq!(outcome, Outcome::Failed);
    let pgn = pgn.replace('\n', " ");
    assert!(pgn.contains("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 {entries of the journal are lost: moves may be missing or wrong from ply 3 on}"), "{pgn}");
    let (outcome, list) = output(&selection, COMMANDS[0].1);
    assert_eq!(outcome, Outcome::Failed);
    assert_eq!(list.matches("Ann - ?  6 plies").count(), 2, "{list}");
    assert_eq!(output(&selection, COMMANDS[2].1).0, Outcome::Failed);
}

#[tokio::test]
async fn a_record_that_was_cut_off_fails_in_every_command() {
    let folder = journal_of(2).await;
    fs::write(
        folder.path().join(CURSORS),
        r#"{"schema":"remisd/cursors/1","boards":{"b1":74}}"#,
    )
    .unwrap();
    let cut = selection(&folder);
    for (name, command) in COMMANDS {
        assert_eq!(output(&cut, command).0, Outcome::Failed, "{name}");
    }
    let (_, verified) = output(&cut, COMMANDS[2].1);
    assert!(
        verified.contains("cut off after entry 14") && verified.contains("NOT WHOLE"),
        "{verified}"
    );

    // A whole file is gone.
    let folder = journal_of(3).await;
    fs::remove_file(folder.path().join("b1/000000000008.jsonl")).unwrap();
    let holed = selection(&folder);
    for (name, command) in COMMANDS {
        assert_eq!(output(&holed, command).0, Outcome::Failed, "{name}");
    }
}

#[tokio::test]
async fn a_game_whose_file_was_emptied_is_missing_in_every_command() {
    for (first, lines) in [(1, 0), (1, 1), (8, 0), (8, 1)] {
        let folder = journal_of(3).await;
        let path = folder.path().join(format!("b1/{first:012}.jsonl"));
        let text = fs::read_to_string(&path).unwrap();
        let rest: String = text.split_inclusive('\n').take(lines).collect();
        fs::write(&path, rest).unwrap();
        let emptied = selection(&folder);
        for (name, command) in COMMANDS {
            assert_eq!(output(&emptied, command).0, Outcome::Failed, "{name}");
        }
        let (_, list) = output(&emptied, COMMANDS[0].1);
        let nothing = format!("{first}  nothing is left of this game{MARK}\n");
        assert!(list.contains(&nothing), "{list}");
        assert_eq!(list.lines().count(), 3, "{list}");
        let (_, pgn) = output(&emptied, COMMANDS[1].1);
        let pgn = pgn.replace('\n', " ");
        assert_eq!(pgn.matches("[Result ").count(), 3, "{pgn}");
        let comment = "{entries of the journal are lost: moves may be missing or wrong from ply 1";
        assert!(pgn.contains(comment), "{pgn}");
    }
    // The newest file may have just been created.
    let folder = journal_of(2).await;
    fs::write(folder.path().join("b1/000000000015.jsonl"), "").unwrap();
    for (name, command) in &COMMANDS[..2] {
        let (outcome, out) = output(&selection(&folder), *command);
        assert_eq!(outcome, Outcome::Fine, "{name}");
        assert!(!out.contains("lost") && !out.contains(MARK), "{out}");
    }
}

fn confirmed_up_to(folder: &tempfile::TempDir, seq: u64) {
    let note = format!(r#"{{"schema":"remisd/cursors/1","boards":{{"b1":{seq}}}}}"#);
    fs::write(folder.path().join(CURSORS), note).unwrap();
}

#[tokio::test]
async fn a_game_whose_end_is_cut_off_is_exported_with_a_comment_from_the_first_missing_ply() {
    let folder = journal_of(2).await;
    confirmed_up_to(&folder, 74);
    let (outcome, pgn) = output(&selection(&folder), COMMANDS[1].1);
    assert_eq!(outcome, Outcome::Failed);
    let pgn = pgn.replace('\n', " ");
    let comment = "{entries of the journal are lost: moves may be missing or wrong from ply 7 on}";
    assert_eq!(pgn.matches(comment).count(), 1, "{pgn}");
    assert!(pgn.contains(&format!("3. Bb5 a6 {comment}")), "{pgn}");
    confirmed_up_to(&folder, 14);
    let (outcome, pgn) = output(&selection(&folder), COMMANDS[1].1);
    assert_eq!((outcome, pgn.contains("lost")), (Outcome::Fine, false));
}

#[tokio::test]
async fn verify_fails_if_it_is_unknown_whether_the_end_is_missing() {
    for note in [
        "",
        "?",
        r#"{"schema":"remisd/cursors/1","boards":{},"crc32":"00000000"}"#,
    ] {
        let folder = journal_of(1).await;
        fs::write(folder.path().join(CURSORS), note).unwrap();
        let (outcome, verified) = output(&selection(&folder), COMMANDS[2].1);
        assert_eq!(outcome, Outcome::Failed, "{note}");
        assert!(verified.contains("outbox.json: BROKEN"), "{verified}");
    }
}

#[tokio::test]
async fn a_damaged_game_is_marked_in_the_list_and_showing_it_fails() {
    let folder = journal_of(2).await;
    damage(&folder, "g1f3");
    let selection = selection(&folder);
    let (_, list) = output(&selection, COMMANDS[0].1);
    let marked: Vec<bool> = list.lines().map(|line| line.ends_with(MARK)).collect();
    assert_eq!(marked, [true, false], "{list}");
    for (game, expected) in [
        (Some(1), Outcome::Failed),
        (Some(8), Outcome::Fine),
        (None, Outcome::Fine),
    ] {
        let mut out = Vec::new();
        let outcome = selection
            .show(game.map(EntrySeq::new), Form::Json, &mut out)
            .unwrap();
        assert_eq!(outcome, expected, "{game:?}");
        assert!(!out.is_empty());
    }
}

#[tokio::test]
async fn entries_that_a_repair_has_taken_out_fail_in_every_command() {
    let repaired = async |folder: &tempfile::TempDir| {
        let session = DaemonSession::begin().unwrap();
        let clock = Arc::new(ManualClock::default());
        let (journal, writer) = Journal::open(folder.path(), session, clock).unwrap();
        journal.recover(&"b1".parse().unwrap()).await.unwrap();
        drop(journal);
        writer.join().unwrap();
    };
    // One in the middle, and the last one, which has no entry after it.
    for uci in ["g1f3", "a7a6"] {
        let folder = journal_of(1).await;
        damage(&folder, uci);
        repaired(&folder).await;
        let selection = selection(&folder);
        for (name, command) in COMMANDS {
            let (outcome, out) = output(&selection, command);
            assert_eq!(outcome, Outcome::Failed, "{name} {uci}: {out}");
        }
        let (_, verified) = output(&selection, COMMANDS[2].1);
        assert!(verified.contains("b1: LOST: "), "{verified}");
        assert!(verified.contains("b1: NOT WHOLE"), "{verified}");
    }
    // An unfinished line was never published.
    let folder = journal_of(1).await;
    let path = folder.path().join("b1/000000000001.jsonl");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 5]).unwrap();
    repaired(&folder).await;
    for (name, command) in COMMANDS {
        assert_eq!(
            output(&selection(&folder), command).0,
            Outcome::Fine,
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_board_that_cannot_be_read_fails_after_the_others_were_done() {
    let folder = journal_of(2).await;
    // Also for a user who may read everything: a file in the place of the directory.
    fs::write(folder.path().join("b0"), "").unwrap();
    let reader = Reader::new(folder.path());
    let mut boards = reader.boards().unwrap();
    assert_eq!(boards, ["b1".parse().unwrap()], "a file is no board");
    let configured = ["b0", "b1", "b9"].map(|board| board.parse().unwrap());
    add_configured(&mut boards, folder.path(), configured.into());
    assert_eq!(boards, ["b0", "b1"].map(|board| board.parse().unwrap()));
    assert!(reader.is_journal().unwrap());
    let selection = Selection {
        reader,
        boards,
        cursors: cursors(folder.path()),
        masks_names: false,
    };
    let good = self::selection(&folder);
    let show: Command = |selection, out| selection.show(None, Form::Words, out);
    for (name, command) in COMMANDS.into_iter().chain([("show", show)]) {
        let (outcome, text) = output(&selection, command);
        assert_eq!(outcome, Outcome::Failed, "{name}");
        let (_, others) = output(&good, command);
        assert!(
            !others.is_empty() && text.ends_with(&others),
            "{name}: {text}"
        );
    }
    let pgn = folder.path().join("games.pgn");
    fs::write(&pgn, "old").unwrap();
    let outcome = selection.export(None, Some(&pgn), &mut Vec::new()).unwrap();
    assert_eq!(outcome, Outcome::Failed);
    assert_eq!(fs::read(&pgn).unwrap(), b"old", "it is left as it is");
    let found = selection.recorded(|_, _| true).unwrap();
    assert_eq!(
        (found.unread, found.outcome),
        (vec!["b0".parse().unwrap()], Outcome::Fine)
    );
    assert_eq!(found.games.len(), 2);
    let error = selection
        .segments(&selection.boards[0])
        .unwrap_err()
        .to_string();
    assert!(error.contains("/b0: "), "the path is named: {error}");
}

#[tokio::test]
async fn a_file_that_contradicts_another_is_marked_in_the_list_and_by_verify() {
    let session = DaemonSession::begin().unwrap();
    let other = DaemonSession {
        boot_id: "another".to_owned(),
        ..session.clone()
    };
    let (folder, other) = (journal_in(session, 2).await, journal_in(other, 3).await);
    let name = "b1/000000000015.jsonl";
    fs::copy(other.path().join(name), folder.path().join(name)).unwrap();
    let selection = selection(&folder);
    let (outcome, list) = output(&selection, COMMANDS[0].1);
    assert_eq!(outcome, Outcome::Failed);
    let marked: Vec<bool> = list
        .lines()
        .map(|line| line.contains(CONTRADICTS))
        .collect();
    assert_eq!(marked, [false, false, true], "{list}");
    let (outcome, verified) = output(&selection, COMMANDS[2].1);
    assert_eq!(outcome, Outcome::Failed);
    let named = "BROKEN: 000000000015.jsonl, line 1: the file contradicts 000000000008.jsonl";
    assert!(verified.contains(named), "{verified}");
}

#[tokio::test]
async fn a_file_of_another_record_is_named_and_its_game_is_left_out() {
    let (folder, other) = (journal_of(2).await, journal_of(3).await);
    let name = "b1/000000000015.jsonl";
    for suffix in ["", ".other"] {
        let file = folder.path().join(format!("{name}{suffix}"));
        fs::copy(other.path().join(name), &file).unwrap();
        let selection = selection(&folder);
        let (outcome, list) = output(&selection, COMMANDS[0].1);
        assert_eq!(outcome, Outcome::Failed);
        let marked = format!("b1        15  000000000015.jsonl{suffix}  OF ANOTHER RECORD");
        assert_eq!(list.lines().count(), 3, "{list}");
        assert_eq!(list.lines().last(), Some(&marked[..]));
        let (outcome, export) = output(&selection, COMMANDS[1].1);
        assert_eq!(outcome, Outcome::Fine);
        assert_eq!(export.matches("[White ").count(), 2, "{export}");
        let (outcome, verified) = output(&selection, COMMANDS[2].1);
        assert_eq!(outcome, Outcome::Failed);
        let named = format!("BROKEN: 000000000015.jsonl{suffix}, line 1: the file is of another");
        assert!(verified.contains(&named), "{verified}");
        fs::remove_file(file).unwrap();
    }
    assert_eq!(output(&selection(&folder), COMMANDS[2].1).0, Outcome::Fine);
}

#[test]
fn a_directory_of_something_else_is_no_journal() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("ssl")).unwrap();
    fs::write(folder.path().join("hosts"), "").unwrap();
    let error = open(folder.path()).unwrap_err().to_string();
    let expected = format!("there is no journal in {}", folder.path().display());
    assert_eq!(error, expected);
}

#[tokio::test]
async fn what_was_found_is_output_although_not_all_files_can_be_compared() {
    let folder = journal_of(2).await;
    let selection = selection(&folder);
    let link = folder.path().join("b1/000000000003.jsonl.renaming");
    // Not even root can open a link to itself.
    std::os::unix::fs::symlink(&link, &link).unwrap();
    assert_eq!(selection.contradictions(&"b1".parse().unwrap()), None);
    let (outcome, text) = output(&selection, COMMANDS[0].1);
    assert_eq!(outcome, Outcome::Failed);
    assert!(text.starts_with("b1         1  "), "{text}");
}
