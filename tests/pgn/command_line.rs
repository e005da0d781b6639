//! All commands that take PGN read the same games and report what they cannot read.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;

use super::{Expected, expected, folder};

fn remisd(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remisd"));
    command
        .args(arguments)
        .env("TZ", "UTC")
        .env_remove("REMISD_LOG")
        .output()
        .unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn replay_loses_nothing_in_silence() {
    for Expected { file, games } in expected("pgn") {
        let path = folder("pgn").join(&file);
        let output = remisd(&["replay", path.to_str().unwrap()]);
        let lines = lines(&output);
        let bad = games.iter().any(|game| game.error.is_some());
        assert_eq!(output.status.code(), Some(i32::from(bad)), "{file}");
        for (number, game) in games.iter().enumerate() {
            let own: Vec<&Value> = lines.iter().filter(|line| line["game"] == number).collect();
            let plies = game.moves.split_whitespace().count();
            let moves = own.iter().filter(|line| line["move"].is_object()).count();
            assert_eq!(moves, plies, "{file}, game {number}");
            let reported = own.iter().find_map(|line| line["error"].as_str());
            match (&game.error, reported) {
                (Some(part), Some(reported)) => {
                    assert!(reported.contains(part.as_str()), "{file}: {reported}");
                }
                (error, reported) => assert_eq!(error.as_deref(), reported, "{file}"),
            }
        }
    }
}

/// An evidence sheet on stdout.
fn sheet(file: &Path, claim: &str) -> String {
    let output = remisd(&[
        "evidence",
        "--pgn",
        file.to_str().unwrap(),
        "--claim",
        claim,
        "-o",
        "-",
    ]);
    assert!(
        output.status.success(),
        "{}: {}",
        file.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_claim_is_examined_whatever_the_file_looks_like() {
    for file in [
        "encoding-utf16-be.pgn",
        "encoding-windows-1252-quotes.pgn",
        "encoding-mixed-files.pgn",
        "lines-cr-two-games.pgn",
        "lines-end-of-file-mark.pgn",
        "lines-no-break-spaces.pgn",
        "lines-one-line.pgn",
    ] {
        let html = sheet(&folder("pgn").join(file), "threefold");
        assert!(
            html.contains("According to the record, the claim is correct")
                && html.contains("Groß, Änne"),
            "{file}: {html}"
        );
        assert!(html.contains("9.2.2"), "{file}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    fs::write(&file, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 *\n").unwrap();
    for claim in [
        "threefold:Ng8",
        "threefold:Nf6-g8",
        "threefold:Sg8",
        "threefold:f6-g8!",
        "threefold:♞g8",
    ] {
        assert!(
            sheet(&file, claim).contains("According to the record, the claim is correct"),
            "{claim}"
        );
    }
}

#[test]
fn a_closing_double_loss_is_no_castling() {
    let shuffle =
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. Ng1 Nb8 5. Nf3 Nc6 6. Ng1 Nb8 7. Nf3 Nc6 0-0\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    for tags in ["[Result \"0-0\"]\n\n", ""] {
        fs::write(&file, format!("{tags}{shuffle}")).unwrap();
        let output = remisd(&["replay", file.to_str().unwrap()]);
        assert_eq!(lines(&output).last().unwrap()["ply"], 14);
        assert!(
            sheet(&file, "threefold").contains("According to the record, the claim is correct")
        );
    }
}

#[test]
fn the_start_of_a_game_from_a_position_counts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    let text = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/4P3/8/4K3 w - - 0 1\"]\n\n1. Kd2 Kd7 2. Ke1 Ke8 3. Kf2 Kf7 4. Ke1 Ke8 *\n";
    fs::write(&file, text).unwrap();
    let output = remisd(&["replay", file.to_str().unwrap()]);
    let lines = lines(&output);
    assert_eq!(
        lines.last().unwrap()["repetition"],
        serde_json::json!({"count": 3, "plies": [0, 4, 8]})
    );
}

#[test]
fn a_file_without_any_game_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("empty.pgn");
    for text in ["", "\n\n", "% nothing\n"] {
        fs::write(&file, text).unwrap();
        let output = remisd(&["replay", file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{text}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(
            errors.contains("empty.pgn: there is no game in it"),
            "{errors}"
        );
    }
}

/// Files from practice, if they are available.
#[test]
fn the_files_from_the_field_give_what_they_must() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases/pgn");
    if !cases.is_dir() {
        return;
    }
    let plies = |file: &str| {
        let output = remisd(&["replay", cases.join(file).to_str().unwrap()]);
        let lines = lines(&output);
        let games = lines
            .iter()
            .filter_map(|line| line["game"].as_u64())
            .max()
            .unwrap_or(0);
        let last = |game: u64| lines.iter().rfind(|line| line["game"] == game).unwrap();
        let plies: Vec<i64> = (0..=games)
            .map(|game| match &last(game)["error"] {
                Value::Null => last(game)["ply"].as_i64().unwrap(),
                _ => -last(game)["ply"].as_i64().unwrap(),
            })
            .collect();
        (output.status.code().unwrap(), plies)
    };
    let table: [(&str, i32, &[i64]); 16] = [
        ("01-evidence.pgn", 0, &[14]),
        ("01-double-loss-played.pgn", 0, &[6]),
        ("02-cr-only.pgn", 0, &[8]),
        ("02-latin1.pgn", 0, &[8]),
        ("02-utf16.pgn", 0, &[8]),
        ("02-utf8.pgn", 0, &[8]),
        ("02-utf8-crlf.pgn", 0, &[8]),
        ("04-last-tag-and-moves.pgn", 0, &[8]),
        ("04-two-tags-a-line.pgn", 0, &[2]),
        // The knight on e8 attacks f6, so the third king has no such move.
        ("06-promotion.pgn", 1, &[2, 2, -2, 2, 2]),
        ("12-ep.pgn", 0, &[5, 5, 5, 5, 7]),
        ("14-clocks.pgn", 0, &[9]),
        ("22-fen-start-counts.pgn", 0, &[8]),
        ("50-unclosed-variation.pgn", 1, &[-3, 8, 2]),
        // The fourth move is ambiguous: both rooks can go there, and both give check.
        (
            "60-san-forms.pgn",
            1,
            &[5, 1, 1, -1, 13, 4, 4, 2, 4, 5, 3, 7, 7, 4, 2, 3],
        ),
        ("62-timecontrol.pgn", 0, &[3]),
    ];
    for (file, code, expected) in table {
        assert_eq!(plies(file), (code, expected.to_vec()), "{file}");
    }
    for file in [
        "02-cr-only.pgn",
        "02-latin1.pgn",
        "02-utf16.pgn",
        "02-utf8.pgn",
        "02-utf8-crlf.pgn",
    ] {
        let html = sheet(&cases.join(file), "threefold");
        for name in [
            "Müller, Jörg",
            "Sørensen, Næsby",
            "Köln",
            "According to the record, the claim is correct",
        ] {
            assert!(html.contains(name), "{file}: {name}");
        }
    }
    for file in ["01-evidence.pgn", "04-last-tag-and-moves.pgn"] {
        assert!(
            sheet(&cases.join(file), "threefold")
                .contains("According to the record, the claim is correct"),
            "{file}"
        );
    }
}
