//! The collected cases of the Laws, edition 2023, through the built binary.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::Value;
use shakmaty::{CastlingMode, Chess, Color, Position, fen::Fen, uci::UciMove};

use super::{data, lines, run};

/// The cases of one kind that are about the edition of 2023.
fn cases(kind: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(data("laws/cases.jsonl")).unwrap();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|case| case["kind"] == kind)
        .filter(|case| {
            case["editions"]
                .as_array()
                .unwrap()
                .contains(&"2023-01".into())
        })
        .collect()
}

/// A case as a PGN game.
fn pgn(case: &Value) -> String {
    let text = |key: &str| case[key].as_str().unwrap();
    let mut pgn = format!("[Event \"{}\"]\n", text("id"));
    if case["chess960"] == true {
        pgn.push_str("[Variant \"Chess960\"]\n");
    }
    writeln!(pgn, "[SetUp \"1\"]\n[FEN \"{}\"]\n", text("start_fen")).unwrap();
    writeln!(pgn, "{} *\n", text("moves_san")).unwrap();
    pgn
}

/// The claims of a line that are of one kind and basis.
fn claims<'a>(line: &'a Value, kind: &str, basis: &str) -> Vec<&'a Value> {
    let all = line["claims"].as_array().unwrap();
    let wanted = |claim: &&Value| claim["kind"] == kind && claim["basis"] == basis;
    all.iter().filter(wanted).collect()
}

/// The claims as the cases name them, and how they stand in a line.
const CLAIMS: [(&str, &str, &str); 4] = [
    ("claim_9_2a", "threefold", "intended"),
    ("claim_9_2b", "threefold", "appeared"),
    ("claim_9_3a", "fifty_move", "intended"),
    ("claim_9_3b", "fifty_move", "appeared"),
];

/// The ends as the cases name them; where two come true at once, the first is reported.
fn end(name: &Value) -> Option<&str> {
    name.as_str().map(|name| match name {
        "fivefold+seventyfive" => "fivefold",
        "seventyfive" => "seventy_five_move",
        other => other,
    })
}

/// Whether the game is over at this ply, whether or not it was over before.
fn over(line: &Value) -> Option<&'static str> {
    if line["repetition"]["count"].as_u64() >= Some(5) {
        Some("fivefold")
    } else if line["halfmove_clock"].as_u64() >= Some(150) {
        Some("seventy_five_move")
    } else {
        None
    }
}

fn check(id: &str, line: &Value, check: &Value) {
    let at = format!("{id}, ply {}", check["ply"]);
    assert_eq!(line["ply"], check["ply"], "{at}");
    assert_eq!(line["fen"], check["fen"], "{at}");
    assert_eq!(line["halfmove_clock"], check["halfmoves"], "{at}");
    assert_eq!(line["repetition"]["count"], check["occurrence"], "{at}");
    for (name, kind, basis) in CLAIMS {
        let found = claims(line, kind, basis);
        match &check[name] {
            Value::Bool(claimable) => assert_eq!(found.len(), usize::from(*claimable), "{at}"),
            Value::Array(moves) => {
                let mut sans: Vec<&Value> = found.iter().map(|c| &c["move"]["san"]).collect();
                let mut expected: Vec<&Value> = moves.iter().collect();
                sans.sort_by_key(|san| san.as_str());
                expected.sort_by_key(|san| san.as_str());
                assert_eq!(sans, expected, "{at}, {name}");
            }
            counted => assert_eq!(counted["count"], found.len(), "{at}, {name}"),
        }
    }
    let automatic = end(&check["auto"]["2017-2023"]);
    if line["after_end"] == true {
        assert!(line["automatic"].is_null(), "{at}");
        assert_eq!(check["end"].as_str().or(over(line)), automatic, "{at}");
    } else {
        assert_eq!(line["automatic"]["kind"].as_str(), automatic, "{at}");
    }
    if !check["end"].is_null() {
        assert_eq!(
            line["claims"],
            Value::Array(vec![]),
            "{at}: nothing is left to claim"
        );
    }
}

#[test]
fn every_case_of_play_is_judged_as_collected() {
    let cases = cases("play");
    assert_eq!(cases.len(), 89);
    let input: String = cases.iter().map(pgn).collect();
    let output = run(&["replay", "--laws", "fide-2023", "-"], input.as_bytes());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut games: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for line in lines(&output) {
        games
            .entry(line["game"].as_u64().unwrap())
            .or_default()
            .push(line);
    }
    assert_eq!(games.len(), cases.len());

    let mut checks = 0;
    for (case, lines) in cases.iter().zip(games.values()) {
        let id = case["id"].as_str().unwrap();
        let moves = case["moves_uci"].as_array().unwrap();
        assert_eq!(lines.len(), moves.len() + 1, "{id}");
        for wanted in case["checks"].as_array().unwrap() {
            let ply = usize::try_from(wanted["ply"].as_u64().unwrap()).unwrap();
            check(id, &lines[ply], wanted);
            checks += 1;
        }
        for (name, kind, basis) in CLAIMS {
            let first = lines
                .iter()
                .find(|line| !claims(line, kind, basis).is_empty());
            let ply = first.map_or(&Value::Null, |line| &line["ply"]);
            assert_eq!(ply, &case["first"][name]["ply"], "{id}, first {name}");
        }
        let first = lines.iter().find(|line| !line["automatic"].is_null());
        let expected = &case["first_auto_end"]["2017-2023"];
        let found = first.map_or(&Value::Null, |line| &line["ply"]);
        assert_eq!(found, &expected["ply"], "{id}, first automatic end");
        let kind = first.and_then(|line| line["automatic"]["kind"].as_str());
        assert_eq!(kind, end(&expected["reason"]), "{id}, first automatic end");
    }
    assert_eq!(checks, 383);
}

#[test]
fn the_mating_move_is_a_valid_announcement_and_marked_as_an_end() {
    let cases = cases("play");
    let f04 = cases.iter().find(|case| case["id"] == "F04").unwrap();
    let lines = lines(&run(&["replay"], pgn(f04).as_bytes()));
    let claim = &lines[0]["claims"][0];
    assert_eq!(claim["move"]["san"], "Nf7#");
    assert_eq!(
        (&claim["article"], &claim["ends_game"]),
        (&"9.3.1".into(), &true.into())
    );
}

#[test]
fn every_case_of_a_position_is_decided_and_every_helpmate_mates() {
    let cases = cases("position");
    assert_eq!(cases.len(), 38);
    let fens: Vec<&str> = cases
        .iter()
        .map(|case| case["fen"].as_str().unwrap())
        .collect();
    let output = run(&["dead", "--both", "--witness"], fens.join("\n").as_bytes());
    assert!(output.status.success());
    let answers = lines(&output);
    assert_eq!(answers.len(), cases.len());
    for (case, answer) in cases.iter().zip(&answers) {
        let id = case["id"].as_str().unwrap();
        assert_eq!(answer["fen"], case["fen"], "{id}");
        assert_eq!(answer["white"], case["winnable"]["white"], "{id}");
        assert_eq!(answer["black"], case["winnable"]["black"], "{id}");
        let dead = case["dead_position"] == true;
        assert_eq!(
            answer["verdict"],
            if dead { "dead" } else { "alive" },
            "{id}"
        );
        assert!(answer["proof"].is_string(), "{id}");
        for (side, winner) in [("white", Color::White), ("black", Color::Black)] {
            let line = &answer["helpmate"][side];
            assert_eq!(line.is_array(), answer[side] == "winnable", "{id}, {side}");
            if let Some(moves) = line.as_array() {
                mates(id, case["fen"].as_str().unwrap(), moves, winner);
            }
        }
    }
}

/// Plays a helpmate to its end.
fn mates(id: &str, fen: &str, moves: &[Value], winner: Color) {
    let fen: Fen = fen.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    for uci in moves {
        let uci: UciMove = uci.as_str().unwrap().parse().unwrap();
        position = position
            .clone()
            .play(uci.to_move(&position).unwrap())
            .unwrap();
    }
    assert!(position.is_checkmate(), "{id}");
    assert_eq!(position.turn(), winner.other(), "{id}");
}
