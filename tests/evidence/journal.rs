//! The evidence sheet from a board's journal.

use std::{fs, process::Command};

use remisd_game::{Input, MismatchReason, Role, Ruling, SeenSquare, SettledBy, Side, Verb};
use sha2::{Digest as _, Sha256};

use super::{Hexed, is_well_formed, refused, says, sheet, text};
use remisd_testkit::recorded::Recorded;

const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1";

/// The sheet of the board, with further arguments.
fn sheet_of(board: &Recorded, more: &[&str]) -> String {
    let directory = board.folder.path().to_str().unwrap();
    sheet(&[&["--journal", directory, "--board", "b017"], more].concat())
}

#[tokio::test]
async fn a_journal_is_read_while_it_is_written() {
    let mut board = Recorded::new().await;
    board.moves(SHUFFLE, SettledBy::Clock).await;
    let id = board.claim(Role::Black, Some("Ng8")).await;
    let bodies = board.bodies.clone();
    let files = board.files();
    let html = sheet_of(&board, &[]);
    assert_eq!(board.files(), files, "nothing was written or locked");
    let mut hash = Sha256::new();
    for body in &bodies {
        hash.update(body);
        hash.update(b"\n");
    }
    says(
        &html,
        &[
            "According to the record, the claim is correct.",
            "No ruling yet",
            "Board b017",
            "Ann",
            "Claimant",
            "Black (Bob)",
            "No. 1 · starting position",
            "No. 3 · 4…Ng8",
            "White 0:09:53, Black 0:08:20",
            "Journal b017/000000000001.jsonl, entries 1 to 9 (9 entries).",
            &format!("{:x}", Hexed(&hash.finalize())),
            "2023-11-14 22:13:29 +00:00",
            "Nothing was recorded before this.",
        ],
    );
    assert!(!html.contains("Uncertain"), "{html}");
    assert!(is_well_formed(&html));

    // Later events change nothing about the claim except its ruling.
    let ruling = Ruling::Claim {
        correct: true,
        admissible: true,
    };
    board.command(Role::Arbiter, Verb::Ruling(ruling)).await;
    let ruled = sheet_of(&board, &[]);
    says(
        &ruled,
        &[
            "<p class=\"large\">Claim correct</p>",
            "The game is drawn (9.5.2).",
            "entries 1 to 9 (9 entries)",
        ],
    );
    board.begin().await;
    let fresh = sheet_of(&board, &[]);
    says(
        &fresh,
        &["No claim has been made", "No move has been made."],
    );
    assert_eq!(sheet_of(&board, &["--claim", &id.to_string()]), ruled);
}

#[tokio::test]
async fn the_digest_is_the_one_that_the_documentation_makes() {
    let mut board = Recorded::new().await;
    board.moves(SHUFFLE, SettledBy::Clock).await;
    board.claim(Role::Black, Some("Ng8")).await;
    board.moves("f6g8", SettledBy::Clock).await;
    let html = sheet_of(&board, &[]);
    let file = board.folder.path().join("b017/000000000001.jsonl");
    let command = format!(
        "sed -n 's/^.\\{{9\\}}{{\"seq\":[0-9]*,\"chain\":\"[0-9a-f]*\",\"entry\":\\(.*\\)}}$/\\1/p' {} | head -n 9 | sha256sum",
        file.display()
    );
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/protocol/evidence.md"));
    let documented = command.replace(&file.display().to_string(), "000000000001.jsonl");
    assert!(page.unwrap().contains(&documented), "{documented}");
    let output = Command::new("sh").args(["-c", &command]).output().unwrap();
    let digest = text(&output.stdout);
    let digest = digest.split(' ').next().unwrap();
    assert!(digest.len() == 64 && html.contains(digest), "{digest}");
}

#[tokio::test]
async fn what_is_uncertain_is_marked() {
    let mut board = Recorded::new().await;
    board.moves("e2e4 e7e5", SettledBy::Clock).await;
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    board.command(Role::Arbiter, Verb::Setup { fen }).await;
    board.moves("g1f3 g8f6 f3g1 f6g8", SettledBy::Clock).await;
    board
        .moves("g1f3 g8f6 f3g1", SettledBy::Reconstructed)
        .await;
    let player = Side::Black;
    board
        .command(
            Role::Arbiter,
            Verb::Ruling(Ruling::IllegalMove {
                player,
                claimed: false,
                withdrawn: false,
            }),
        )
        .await;
    board
        .input(Input::Mismatch {
            reason: MismatchReason::NoLegalMove,
            squares: vec![SeenSquare {
                square: shakmaty::Square::E4,
                expected: None,
                seen: Some('P'),
            }],
            candidates: Vec::new(),
            doubted: 0,
        })
        .await;
    let square = "f6".into();
    board
        .command(Role::Arbiter, Verb::Touch { player, square })
        .await;
    let id = board.claim(Role::Black, Some("Ng8")).await;
    board.moves("f6g8", SettledBy::Clock).await;
    let html = sheet_of(&board, &[]);
    says(
        &html,
        &[
            "The position occurred 3 times (3 needed)",
            "decide whether the right to claim is lost (9.4)",
            "If the right is lost, the claim is inadmissible: no penalty",
            "If the claim is not upheld: The game continues",
            "piece on f6",
            "seen by the arbiter",
            "Uncertain: compare with both scoresheets.",
            "The position was set up during the game.",
            "positions in between are unknown: 3.Nf3, 3…Nf6, 4.Ng1.",
            "differs from the record after 4.Ng1 (no legal move leads to it): e4: nothing expected, pawn (White) seen.",
            "illegal move by Black, no. 1",
            "White +2:00 (illegal move)",
            "Illegal moves so far: White 0, Black 1.",
        ],
    );
    let other = sheet_of(&board, &["--claim", &id.to_string(), "--laws", "fide-1997"]);
    says(
        &other,
        &[
            "According to the record, the claim is correct",
            "than those of the game (fide-2023, standard)",
        ],
    );
    let directory = board.folder.path().to_str().unwrap();
    let wrong = ["--journal", directory, "--board", "b017", "--claim"];
    let (code, message) = refused(&[&wrong[..], &["3"]].concat());
    assert_eq!(code, 2);
    assert!(
        message.contains("no claim 3") && message.contains(&id.to_string()),
        "{message}"
    );
    let (code, _) = refused(&[&wrong[..], &["threefold"]].concat());
    assert_eq!(code, 2);
}

#[tokio::test]
async fn missing_or_damaged_entries_are_reported() {
    let mut board = Recorded::new().await;
    board.moves(SHUFFLE, SettledBy::Clock).await;
    board.input(Input::Clock { clock: None }).await;
    board.claim(Role::Black, Some("Ng8")).await;
    let file = board.folder.path().join("b017/000000000001.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    // Line 10 is entry 9, after the header.
    let damaged: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(at, line)| line.replace("clock", if at == 9 { "clack" } else { "clock" }))
        .collect();
    fs::write(&file, damaged.join("\n") + "\n").unwrap();
    let html = sheet_of(&board, &[]);
    says(
        &html,
        &["Uncertain", "Missing from the journal: entries 9 to 9."],
    );
}

#[tokio::test]
async fn a_record_whose_end_is_cut_off_is_marked_on_the_sheet() {
    let mut board = Recorded::new().await;
    board.moves("e2e4 e7e5", SettledBy::Clock).await;
    let note = |seq: u64| format!(r#"{{"schema":"remisd/cursors/1","boards":{{"b017":{seq}}}}}"#);
    let cursors = board.folder.path().join("outbox.json");
    fs::write(&cursors, note(3)).unwrap();
    let html = sheet_of(&board, &[]);
    assert!(!html.contains("Missing from the journal"), "{html}");
    fs::write(&cursors, note(20)).unwrap();
    let html = sheet_of(&board, &[]);
    says(
        &html,
        &["Uncertain", "Missing from the journal: entries 4 to 20."],
    );
    // The file of a game that was started since is empty.
    fs::write(board.folder.path().join("b017/000000000004.jsonl"), "").unwrap();
    says(
        &sheet_of(&board, &[]),
        &["Missing from the journal: entries 4 to 20."],
    );
}

#[tokio::test]
async fn an_older_game_of_a_journal_is_chosen_by_its_number() {
    let mut board = Recorded::new().await;
    board.moves("e2e4 e7e5", SettledBy::Clock).await;
    board.begin().await;
    board.moves("d2d4", SettledBy::Clock).await;
    let first = sheet_of(&board, &["--game", "1"]);
    says(
        &first,
        &["Journal b017/000000000001.jsonl, entries 1 to 3 "],
    );
    let newest = sheet_of(&board, &[]);
    assert_eq!(sheet_of(&board, &["--game", "4"]), newest);
    let directory = board.folder.path().to_str().unwrap();
    let arguments = ["--journal", directory, "--board", "b017", "--game"];
    for more in [&["3"][..], &["1", "--claim", "3"], &["0"]] {
        let (code, _) = refused(&[&arguments[..], more].concat());
        assert_eq!(code, 2, "{more:?}");
    }
}
