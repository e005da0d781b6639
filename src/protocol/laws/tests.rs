//! Everything that `protocol/laws.md` names must exist: fields, functions, tests and cases. No
//! other file of the program may compare editions by name.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{edition_fields, keys};
use remisd_laws::{ClaimantLoses, EDITIONS, FlagCall, Overrides, Rate};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The texts that the page covers, by their headings, each with its number of sentences.
const TEXTS: [(&str, usize); 4] = [
    ("Swiss German text of 2001", 25),
    ("German text of 1997", 22),
    ("Dutch text of 2014", 31),
    ("Dutch text of 1997", 28),
];

/// The rows of the tables that cover a text sentence by sentence: place, locator, rule, carried by,
/// shown by.
///
fn sentences(page: &str, heading: &str) -> Vec<[String; 5]> {
    let start = format!("### {heading}\n");
    let (_, section) = page.split_once(&start).expect(heading);
    let section = section.split("\n### ").next().unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| "));
    let cells = rows.map(|line| {
        let cells = line.trim_matches('|').split(" | ");
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        <[String; 5]>::try_from(cells).unwrap_or_else(|_| panic!("five cells: {line}"))
    });
    cells.skip(1).collect()
}

/// The texts between backquotes.
fn named(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn ids() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in ["cases.jsonl", "more.jsonl"] {
        let text = fs::read_to_string(root().join("tests/data/laws").join(file)).unwrap();
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            ids.insert(case["id"].as_str().unwrap().to_owned());
        }
    }
    ids
}

/// Whether `src/laws/claim.rs::examine` or `tests/laws/games.rs` exists.
fn exists(name: &str) -> bool {
    let (path, item) = name.split_once("::").unwrap_or((name, ""));
    let text = fs::read_to_string(root().join(path)).unwrap_or_default();
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    !text.is_empty() && (item.is_empty() || words.any(|word| word == item))
}

#[test]
fn every_sentence_has_a_carrier_and_something_that_shows_it() {
    let page = fs::read_to_string(root().join("protocol/laws.md")).unwrap();
    let fields: BTreeSet<String> = edition_fields().into_iter().collect();
    let below: BTreeSet<&str> = fields.iter().filter_map(|f| f.split('.').next()).collect();
    let ids = ids();
    for (heading, count) in TEXTS {
        let rows = sentences(&page, heading);
        assert_eq!(rows.len(), count, "{heading}: sentences");
        for [place, locator, rule, carriers, shown] in rows {
            let at = format!("{heading}, {place}");
            let quoted = locator.split_whitespace().count();
            assert!((2..=4).contains(&quoted), "{at}: {locator}");
            assert!(!rule.is_empty(), "{at}");
            assert!(!named(&carriers).is_empty(), "{at}: who carries it?");
            for name in named(&carriers) {
                let known = fields.contains(name) || below.contains(name) || exists(name);
                assert!(known, "{at}: {name} is neither field nor item");
            }
            assert!(!named(&shown).is_empty(), "{at}: what shows it?");
            for name in named(&shown) {
                let known = ids.contains(name) || exists(name);
                assert!(known, "{at}: {name} is neither case nor test");
            }
        }
    }
}

#[test]
fn a_provisional_value_is_called_as_the_configuration_calls_it() {
    let all = Overrides {
        incorrect_claim_bonus_s: Some(1),
        incorrect_claim_claimant: Some(ClaimantLoses::Half),
        illegal_move_bonus_s: Some(1),
        illegal_moves_lose_at: Some(1),
        flag_call: Some(FlagCall::Call),
        quickplay_needs_the_move: Some(true),
        quickplay_may_reject: Some(true),
        illegal_position_draws: Some(true),
        flag_claim_needs_time: Some(true),
        both_flags_drawn_in_last_period: Some(true),
    };
    for rate in [Rate::Standard, Rate::Rapid, Rate::Blitz] {
        for (name, parameter) in all.set(rate) {
            assert!(keys(parameter).contains(&name), "{name}");
        }
    }
}

#[test]
fn whatever_path_the_page_names_is_there() {
    let page = fs::read_to_string(root().join("protocol/laws.md")).unwrap();
    let paths = named(&page).into_iter();
    for name in paths.filter(|n| n.starts_with("src/") || n.starts_with("tests/")) {
        let there = exists(name) || root().join(name).is_dir();
        assert!(there, "{name}");
    }
}

/// The files that may name an edition: the tables, the default of the configuration, and the
/// program's own example.
const MAY_NAME_EDITIONS: [&str; 3] = [
    "src/laws/editions.rs",
    "src/config/raw.rs",
    "src/cli/demo/account.rs",
];

/// An edition differs by what its table says, never by its name or its year.
#[test]
fn no_edition_is_named_outside_its_table() {
    let mut files = Vec::new();
    collect(&root().join("src"), &mut files);
    assert!(files.len() > 50);
    for path in files {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        if MAY_NAME_EDITIONS.contains(&name) || name.contains("tests") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for (at, line) in code.lines().enumerate() {
            // Ignore comments; re-exports are not comparisons.
            let line = line.split("//").next().unwrap();
            for edition in EDITIONS {
                let year = &edition.in_force_from[..4];
                for written in [edition.id.to_owned(), format!("FIDE_{year}")] {
                    let place = format!("{name}:{}", at + 1);
                    assert!(!line.contains(&written), "{place}: {written}");
                }
            }
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
}
