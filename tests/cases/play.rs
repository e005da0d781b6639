//! Cases of play, run through `remisd replay`.

use remisd_laws::Edition;
use serde_json::{Value, json};

use super::remisd;

/// The claims as the cases name them, with their kind and basis in the output.
const CLAIMS: [(&str, &str, &str); 4] = [
    ("claim_9_2a", "threefold", "intended"),
    ("claim_9_2b", "threefold", "appeared"),
    ("claim_9_3a", "fifty_move", "intended"),
    ("claim_9_3b", "fifty_move", "appeared"),
];

pub fn check(case: &Value, edition: &Edition, group: &str) {
    let lines = remisd(&["replay", "--laws", edition.id, "-"], &pgn(case));
    let moves = case["moves_uci"].as_array().unwrap();
    assert_eq!(lines.len(), moves.len() + 1, "{}", edition.id);
    for (line, uci) in lines[1..].iter().zip(moves) {
        assert_eq!(&line["move"]["uci"], uci, "{}", edition.id);
    }
    for wanted in case["checks"].as_array().unwrap() {
        let ply = usize::try_from(wanted["ply"].as_u64().unwrap()).unwrap();
        ply_is(&lines[ply], wanted, edition, group);
    }
    for (name, kind, basis) in CLAIMS {
        let mut having = lines.iter().filter(|l| !claims(l, kind, basis).is_empty());
        let ply = having.next().map_or(&Value::Null, |line| &line["ply"]);
        let at = format!("{}, first {name}", edition.id);
        assert_eq!(ply, &case["first"][name]["ply"], "{at}");
    }
    first_end(case, &lines, edition, group);
    disputed(case, &lines, edition);
}

/// Converts a case to a PGN game.
fn pgn(case: &Value) -> String {
    let text = |key: &str| case[key].as_str().unwrap();
    let variant = if case["chess960"] == true {
        "[Variant \"Chess960\"]\n"
    } else {
        ""
    };
    format!(
        "[Event \"{}\"]\n{variant}[SetUp \"1\"]\n[FEN \"{}\"]\n\n{} *\n",
        text("id"),
        text("start_fen"),
        text("moves_san")
    )
}

/// The claims of a line with one kind and basis.
fn claims<'a>(line: &'a Value, kind: &str, basis: &str) -> Vec<&'a Value> {
    let all = line["claims"].as_array().unwrap();
    let wanted = |claim: &&Value| claim["kind"] == kind && claim["basis"] == basis;
    all.iter().filter(wanted).collect()
}

/// Maps the cases' names of automatic ends. If two apply together, the first is reported.
fn end(name: &Value) -> Option<&str> {
    name.as_str().map(|name| match name {
        "fivefold+seventyfive" => "fivefold",
        "seventyfive" => "seventy_five_move",
        other => other,
    })
}

/// Whether these editions end the game here by count, even if it ended earlier.
fn over(line: &Value, group: &str) -> Option<&'static str> {
    let plies = line["repetition"]["plies"].as_array().unwrap();
    let plies: Vec<u64> = plies.iter().map(|ply| ply.as_u64().unwrap()).collect();
    let fivefold = match group {
        "1997-2009" => false,
        "2014" => {
            let back = |n: usize| plies.len().checked_sub(n + 1).map(|at| plies[at]);
            let present = plies.last().unwrap();
            (1_u8..=4).all(|n| back(usize::from(n)).map(|p| p + 4 * u64::from(n)) == Some(*present))
        }
        _ => plies.len() >= 5,
    };
    if fivefold {
        Some("fivefold")
    } else if group != "1997-2009" && line["halfmove_clock"].as_u64() >= Some(150) {
        Some("seventy_five_move")
    } else {
        None
    }
}

fn ply_is(line: &Value, check: &Value, edition: &Edition, group: &str) {
    let at = format!("{}, ply {}", edition.id, check["ply"]);
    assert_eq!(line["laws"], edition.id, "{at}");
    assert_eq!(line["ply"], check["ply"], "{at}");
    assert_eq!(line["fen"], check["fen"], "{at}");
    assert_eq!(line["halfmove_clock"], check["halfmoves"], "{at}");
    assert_eq!(line["repetition"]["count"], check["occurrence"], "{at}");
    for (name, kind, basis) in CLAIMS {
        let found = claims(line, kind, basis);
        match &check[name] {
            Value::Bool(claimable) => assert_eq!(found.len(), usize::from(*claimable), "{at}"),
            Value::Array(moves) => {
                let sans = found.iter().map(|c| c["move"]["san"].as_str().unwrap());
                let wanted = moves.iter().map(|san| san.as_str().unwrap());
                assert_eq!(sorted(sans), sorted(wanted), "{at}, {name}");
            }
            counted => assert_eq!(counted["count"], found.len(), "{at}, {name}"),
        }
    }
    let automatic = end(&check["auto"][group]);
    if line["after_end"] == true {
        assert!(line["automatic"].is_null(), "{at}");
        let natural = check["end"].as_str();
        assert_eq!(natural.or(over(line, group)), automatic, "{at}");
    } else {
        assert_eq!(line["automatic"]["kind"].as_str(), automatic, "{at}");
    }
    if !check["end"].is_null() {
        assert_eq!(line["claims"], json!([]), "{at}: nothing is left to claim");
    }
}

/// Checks the first automatic end, and that all later plies are marked as after it.
fn first_end(case: &Value, lines: &[Value], edition: &Edition, group: &str) {
    let at = format!("{}, first automatic end", edition.id);
    let first = lines.iter().position(|line| !line["automatic"].is_null());
    let wanted = &case["first_auto_end"][group];
    let found = first.map_or(Value::Null, |ply| json!(ply));
    assert_eq!(found, wanted["ply"], "{at}");
    let kind = first.and_then(|ply| lines[ply]["automatic"]["kind"].as_str());
    assert_eq!(kind, end(&wanted["reason"]), "{at}");
    for (ply, line) in lines.iter().enumerate() {
        let after = first.is_some_and(|first| ply > first);
        assert_eq!(line["after_end"] == true, after, "{at}, ply {ply}");
    }
}

/// Checks that exactly the expected claims are left to the arbiter.
fn disputed(case: &Value, lines: &[Value], edition: &Edition) {
    let mut wanted = Vec::new();
    for claim in case["disputed"].as_array().into_iter().flatten() {
        let basis = if claim["claim"] == "9_2a" {
            "intended"
        } else {
            "appeared"
        };
        let san = claim["move"].as_str().unwrap_or_default();
        wanted.push(format!("{} {basis} {san}", claim["ply"]));
    }
    let mut found = Vec::new();
    for line in lines {
        for claim in line["arbiter_decides"].as_array().into_iter().flatten() {
            assert_eq!(claim["kind"], "threefold");
            let basis = claim["basis"].as_str().unwrap();
            let san = claim["move"]["san"].as_str().unwrap_or_default();
            found.push(format!("{} {basis} {san}", line["ply"]));
        }
    }
    assert_eq!(
        sorted(found.iter()),
        sorted(wanted.iter()),
        "{}",
        edition.id
    );
}

fn sorted<T: Ord>(all: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    all.sort();
    all
}
