//! Boards whose games another program writes, as `LiveChess` does: with all of its faults, in
//! place, half a file at a time.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
};

use remisd_game::{Game, Input, Rules, SettledBy, Stamped};
use remisd_laws::{Edition, Rate, Regulations};
use remisd_vocabulary::{seq::EntrySeq, written::Written};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ALERTS, Stage, alert, games, moves};

const BOARDS: usize = 64;
/// Plies between two looks at all boards.
const STEP: usize = 9;
/// The alerts that depend on the moves alone.
const OF_MOVES: [&str; 9] = [
    "threefold_claimable",
    "fifty_move_claimable",
    "fivefold",
    "seventy_five_move",
    "fourth_occurrence",
    "seventy_moves",
    "repetition_disputed",
    "fivefold_uneven",
    "game_over",
];

/// A game of the Laws' cases.
pub(super) struct Case {
    pub start_fen: String,
    pub sans: Vec<String>,
    pub ucis: Vec<String>,
}

pub(super) fn cases() -> Vec<Case> {
    let cases = include_str!("../data/laws/cases.jsonl").lines();
    let cases = cases.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let playable = cases.filter(|case| {
        let plies = case["moves_uci"].as_array().map_or(0, Vec::len);
        case["kind"] == "play" && case["chess960"] == false && (2..300).contains(&plies)
    });
    let words = |case: &Value, name: &str| match &case[name] {
        Value::String(text) => text.split(' ').map(str::to_owned).collect(),
        Value::Array(all) => all
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect(),
        _ => Vec::new(),
    };
    playable
        .map(|case| Case {
            start_fen: case["start_fen"].as_str().unwrap().to_owned(),
            sans: words(&case, "moves_san"),
            ucis: words(&case, "moves_uci"),
        })
        .collect()
}

/// The text of a game as `LiveChess` 2.2 writes it, after `plies`.
pub(super) fn text(number: usize, case: &Case, plies: usize) -> String {
    let mut text = format!(
        "[ePGN \"0.1;DGT LiveChess/2.2.6\"]\n[Event \"Open\"]\n[Site \"Utrecht, NED\"]\n\
         [Date \"????.??.??\"]\n[Round \"1.{number}\"]\n[White \"White, {number}\"]\n\
         [Black \"Black, {number}\"]\n[Result \"*\"]\n[TimeControl \"90 min/game + 30 sec/move\"]\n\
         [SetUp \"1\"]\n[FEN \"{}\"]\n\n",
        case.start_fen
    );
    let black_begins = case.start_fen.contains(" b ");
    let mut column = 0;
    let mut word = |text: &mut String, word: &str| {
        // A line breaks at a blank, also inside a comment.
        if column + word.len() + 1 > 80 {
            text.push('\n');
            column = 0;
        }
        column += word.len() + 1;
        text.push_str(word);
        text.push(' ');
    };
    for (at, san) in case.sans.iter().take(plies).enumerate() {
        let half = at + usize::from(black_begins);
        if half % 2 == 0 {
            word(&mut text, &format!("{}.", half / 2 + 1));
        } else if at == 0 {
            word(&mut text, "1...");
        }
        let left = 5_400 - at;
        let time = format!(
            "{:02}:{:02}:{:02}]}}",
            left / 3600,
            left / 60 % 60,
            left % 60
        );
        word(&mut text, san);
        word(&mut text, "{[%clk");
        word(&mut text, &time);
        word(&mut text, "{[%emt");
        word(&mut text, "00:00:02]}");
    }
    text.push_str("*\n\n");
    text
}

/// Writes over a file in two parts, as a program does that does not rename.
pub(super) fn overwrite(path: &Path, text: &str) {
    let mut file = File::create(path).unwrap();
    let (first, rest) = text.split_at(text.len() * 2 / 3);
    file.write_all(first.as_bytes()).unwrap();
    file.flush().unwrap();
    file.write_all(rest.as_bytes()).unwrap();
}

/// A tournament folder with its boards.
struct Tournament {
    folder: TempDir,
    boards: usize,
}

impl Tournament {
    fn new(boards: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("round-1")).unwrap();
        Self { folder, boards }
    }

    fn game(&self, number: usize) -> PathBuf {
        let name = format!("round-1/game-{number}.pgn");
        self.folder.path().join(name)
    }

    fn sections(&self) -> String {
        let mut text = "[laws]\nedition = \"fide-2023\"\n".to_owned();
        for number in 1..=self.boards {
            let source = self.folder.path().display();
            writeln!(
                text,
                "[[board]]\nid = \"b{number}\"\nkind = \"pgn\"\nsource = \"{source}\"\npoll_ms = 100"
            )
            .unwrap();
        }
        text
    }

    async fn stage(&self) -> Stage {
        Stage::set(&self.sections(), &[]).await
    }
}

/// The codes of the open alerts that depend on the moves alone.
fn codes(alerts: &Value) -> BTreeSet<String> {
    let open = alerts["alerts"].as_array().into_iter().flatten();
    let codes = open.map(|alert| alert["code"].as_str().unwrap().to_owned());
    codes
        .filter(|code| OF_MOVES.contains(&code.as_str()))
        .collect()
}

/// The alerts of a record whose moves were read by sensors.
fn codes_from_sensors(case: &Case) -> BTreeSet<String> {
    let edition: &'static Edition = "fide-2023".parse().unwrap();
    let mut game = Game::new(Rules {
        regulations: Regulations::new(edition, Rate::Standard),
        ..Rules::default()
    });
    let begin = json!({
        "type": "command", "id": "1", "role": "arbiter", "verb": "new_game",
        "arguments": {"start_fen": case.start_fen},
    });
    let begin = serde_json::from_value(begin).unwrap();
    let played = case.ucis.iter().map(|uci| Input::Move {
        uci: Written::from(uci.as_str()),
        by: SettledBy::Clock,
        clock: None,
    });
    for (input, seq) in std::iter::once(begin).chain(played).zip(1..) {
        let seq = EntrySeq::new(seq);
        let time = jiff::Timestamp::UNIX_EPOCH;
        game.apply(&Stamped { seq, time, input });
    }
    let open = game.alerts().open().iter();
    let codes = open.map(|alert| alert.code.as_str().to_owned());
    codes
        .filter(|code| OF_MOVES.contains(&code.as_str()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_games_written_move_by_move_give_the_alerts_of_sensors() {
    let cases: Vec<Case> = cases().into_iter().take(BOARDS).collect();
    assert_eq!(cases.len(), BOARDS);
    let tournament = Tournament::new(BOARDS);
    let stage = tournament.stage().await;
    let longest = cases.iter().map(|case| case.sans.len()).max().unwrap();
    for plies in (0..longest + STEP).step_by(STEP) {
        for (case, number) in cases.iter().zip(1..) {
            overwrite(&tournament.game(number), &text(number, case, plies));
        }
        for (case, number) in cases.iter().zip(1..) {
            let board = format!("b{number}");
            let written = plies.min(case.sans.len());
            let game = stage.has_moves(&board, written).await;
            assert_eq!(moves(&game), case.ucis[..written], "{board}");
        }
    }
    let mut dead = 0;
    for (case, number) in cases.iter().zip(1..) {
        let topic = format!("chess/v1/hall/arbiter/b{number}/alerts");
        let alerts = stage
            .witness
            .retained(&topic, |alerts| Some(alerts.clone()))
            .await;
        if alert(&alerts, "dead_position").is_some() {
            // The solver's verdict may come before or after another end.
            dead += 1;
            continue;
        }
        assert_eq!(codes(&alerts), codes_from_sensors(case), "b{number}");
        assert!(alert(&alerts, "source_uncertain").is_none(), "{alerts}");
        assert!(alert(&alerts, "source_rewritten").is_none(), "{alerts}");
        // Each ply was entered once.
        let played = games(&stage.events(&format!("b{number}")).await);
        assert_eq!(played.last_key_value().unwrap().1, &case.ucis);
    }
    assert!(dead < BOARDS / 8, "{dead} boards were not compared");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_that_was_killed_goes_on_from_its_record() {
    let tournament = Tournament::new(1);
    let case = cases()
        .into_iter()
        .find(|case| case.sans.len() > 30)
        .unwrap();
    let mut stage = tournament.stage().await;
    overwrite(&tournament.game(1), &text(1, &case, 10));
    stage.has_moves("b1", 10).await;
    stage.daemon.kill().await;
    overwrite(&tournament.game(1), &text(1, &case, 20));
    stage.daemon = stage.home.start();
    let game = stage.has_moves("b1", 20).await;
    assert_eq!(moves(&game), case.ucis[..20]);
    overwrite(&tournament.game(1), &text(1, &case, 30));
    stage.has_moves("b1", 30).await;
    let played = stage.home.entries("b1");
    let made = |entry: &&Value| entry["input"]["type"] == "move";
    let ucis: Vec<&str> = played
        .iter()
        .filter(made)
        .map(|entry| entry["input"]["uci"].as_str().unwrap())
        .collect();
    assert_eq!(ucis, case.ucis[..30]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewritten_game_and_a_lost_file_are_reported() {
    let tournament = Tournament::new(1);
    let case = cases()
        .into_iter()
        .find(|case| case.sans.len() > 12)
        .unwrap();
    let stage = tournament.stage().await;
    // Before the program has written anything, no game is there.
    stage.misses("b1").await;
    let lost = stage.alerted("board_lost", |_| true).await;
    assert_eq!(lost["arguments"]["code"], "source");
    overwrite(&tournament.game(1), &text(1, &case, 12));
    stage.sees("b1").await;
    stage.has_moves("b1", 12).await;
    overwrite(&tournament.game(1), &text(1, &case, 9));
    let doubt = stage.alerted("source_uncertain", |_| true).await;
    assert_eq!(doubt["arguments"]["plies"], json!([10]));
    let changed = stage.alerted("source_rewritten", |_| true).await;
    assert_eq!(changed["arguments"]["source"], "DGT LiveChess 2.2.6");
    assert_eq!(changed["arguments"]["now"], "");
    stage.has_moves("b1", 9).await;
    let agreed = |alerts: &Value| alert(alerts, "source_uncertain").is_none().then_some(());
    stage.witness.retained(ALERTS, agreed).await;
    fs::rename(tournament.game(1), tournament.game(2)).unwrap();
    stage.misses("b1").await;
    fs::rename(tournament.game(2), tournament.game(1)).unwrap();
    stage.sees("b1").await;
    assert_eq!(
        stage.has_moves("b1", 9).await["moves"]
            .as_array()
            .unwrap()
            .len(),
        9
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_evidence_names_the_program_that_wrote_the_moves() {
    let tournament = Tournament::new(1);
    let cases = cases();
    let claimable = |case: &&Case| {
        case.start_fen.contains(" w ") && codes_from_sensors(case).contains("threefold_claimable")
    };
    let case = cases.iter().find(claimable);
    let case = case.unwrap();
    let stage = tournament.stage().await;
    overwrite(&tournament.game(1), &text(1, case, case.sans.len()));
    stage.has_moves("b1", case.sans.len()).await;
    let player = if case.sans.len() % 2 == 0 {
        "white"
    } else {
        "black"
    };
    let payload = json!({"id": "claim", "player": player, "kind": "threefold"});
    let answer = stage.command("arbiter", "b1", "claim", &payload).await;
    assert_eq!(answer["ok"], true, "{answer}");
    let answer = stage
        .command("arbiter", "b1", "evidence", &json!({"id": "sheet"}))
        .await;
    let written_by = json!({"doubt": "written_by", "about": "DGT LiveChess 2.2.6"});
    let doubts = answer["evidence"]["doubts"].as_array().unwrap();
    assert!(doubts.contains(&written_by), "{answer}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_whose_source_is_not_followed_is_not_certain() {
    let tournament = Tournament::new(1);
    let cases = cases();
    let stage = tournament.stage().await;
    let is = async |confidence: &str| {
        let shown = |link: &Value| (link["confidence"] == confidence).then_some(());
        let topic = "chess/v1/hall/arbiter/b1/link";
        stage.witness.retained(topic, shown).await;
    };
    overwrite(&tournament.game(1), &text(1, &cases[0], 2));
    stage.has_moves("b1", 2).await;
    is("certain").await;
    let begin = json!({"id": "begin"});
    let answer = stage.command("operator", "b1", "new_game", &begin).await;
    assert_eq!(answer["ok"], true, "{answer}");
    stage.has_moves("b1", 0).await;
    is("uncertain").await;
    let next = text(1, &cases[1], 1).replace("[Round \"1.1\"]", "[Round \"2.1\"]");
    overwrite(&tournament.game(1), &next);
    stage.has_moves("b1", 1).await;
    is("certain").await;
}
