//! Runs every collected case of the Laws as a separate trial. It covers each group of editions, and
//! each edition and rate named by the case.
//!
//! The cases are in `tests/data/laws`; a trial is called `<kind>::<id>::<group>`. Cases of play and
//! of positions run through the built binary. Cases of procedure run through the game as the daemon
//! drives it.
//! of people at the board through the game as the daemon drives it.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod expect;
mod penalty;
mod play;
mod position;
mod procedure;
mod story;
mod table;

use std::{
    collections::BTreeSet,
    io::Write as _,
    process::{Command, Stdio},
};

use libtest_mimic::{Arguments, Trial};
use remisd_laws::{self as laws, Edition};
use serde_json::Value;

/// The groups of editions with the same automatic ends, with the dates by which the cases name
/// their editions.
const GROUPS: [(&str, &[&str]); 3] = [
    ("1997-2009", &["1997-07", "2001-07", "2005-07", "2009-07"]),
    ("2014", &["2014-07"]),
    ("2017-2023", &["2017-07", "2018-01", "2023-01"]),
];

/// The number of cases of each kind, so that a lost case is noticed.
const CASES: [(&str, usize); 3] = [("play", 244), ("position", 103), ("procedure", 313)];

/// Cases outside the scope of this program, with the reason.
const ELSEWHERE: [(&str, &str); 2] = [
    (
        "Q38",
        "about a player who points at a screen: no command says so",
    ),
    (
        "Q60",
        "about what is published: tests/daemon/leaks.rs looks at every topic",
    ),
];

fn main() {
    let arguments = Arguments::from_args();
    // A runner that starts one process per trial need not read every case each time.
    let selected = arguments.filter.as_deref().filter(|_| arguments.exact);
    let id = selected.and_then(|name| name.split("::").nth(1));
    let cases = cases(id);
    let mut trials: Vec<Trial> = cases.iter().flat_map(trials).collect();
    trials.push(Trial::test("no_case_is_left_out", move || {
        complete(&cases);
        Ok(())
    }));
    libtest_mimic::run(&arguments, trials).exit();
}

/// The cases of both files, or only the one with this id.
fn cases(id: Option<&str>) -> Vec<Value> {
    let file = |name| {
        let path = format!("{}/tests/data/laws/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let texts = [file("cases.jsonl"), file("more.jsonl")];
    let wanted = id.map(|id| format!("\"id\": \"{id}\""));
    let lines = texts.iter().flat_map(|text| text.lines());
    let lines = lines.filter(|l| wanted.as_ref().is_none_or(|id| l.contains(id)));
    lines.map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The trials of one case.
fn trials(case: &Value) -> Vec<Trial> {
    let kind = case["kind"].as_str().unwrap();
    let id = case["id"].as_str().unwrap();
    if let Some((_, why)) = ELSEWHERE.iter().find(|(listed, _)| *listed == id) {
        let trial = Trial::test(format!("{kind}::{id}"), || Ok(()));
        return vec![trial.with_kind(*why).with_ignored_flag(true)];
    }
    let mut trials = Vec::new();
    for (group, _) in GROUPS {
        let editions = editions(case, group);
        if editions.is_empty() {
            continue;
        }
        let case = case.clone();
        let name = format!("{kind}::{id}::{group}");
        trials.push(Trial::test(name, move || {
            for edition in &editions {
                check(&case, edition, group);
            }
            Ok(())
        }));
    }
    trials
}

fn check(case: &Value, edition: &'static Edition, group: &str) {
    let id = case["id"].as_str().unwrap();
    match case["kind"].as_str().unwrap() {
        "play" => play::check(case, edition, group),
        "position" => position::check(case, edition),
        _ if id.starts_with("P-") || id.starts_with("NP-") => penalty::check(case, edition),
        _ => procedure::check(case, edition),
    }
}

/// The editions of a group that a case names.
fn editions(case: &Value, group: &str) -> Vec<&'static Edition> {
    let (_, members) = GROUPS.iter().find(|(name, _)| *name == group).unwrap();
    let named = case["editions"].as_array().unwrap().iter();
    named
        .map(|date| date.as_str().unwrap())
        .filter(|date| members.contains(date))
        .map(edition)
        .collect()
}

/// The edition that came into force at a date such as `2017-07`.
fn edition(date: &str) -> &'static Edition {
    let in_force = |edition: &&&Edition| edition.in_force_from.starts_with(date);
    laws::EDITIONS.iter().find(in_force).copied().unwrap()
}

/// Checks that every case has its trials, under all its editions.
fn complete(cases: &[Value]) {
    for (kind, count) in CASES {
        let found = cases.iter().filter(|case| case["kind"] == kind).count();
        assert_eq!(found, count, "{kind}");
    }
    let ids: BTreeSet<&str> = cases.iter().map(|c| c["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), cases.len(), "an id is used twice");
    let all: usize = CASES.iter().map(|(_, count)| count).sum();
    assert_eq!(cases.len(), all);
    for (id, _) in ELSEWHERE {
        assert!(ids.contains(id), "{id}");
    }
    for case in cases {
        let named = case["editions"].as_array().unwrap().len();
        let tried: usize = GROUPS.iter().map(|(g, _)| editions(case, g).len()).sum();
        assert!(named > 0 && tried == named, "{}", case["id"]);
    }
}

/// The JSON lines that the binary prints for `input`.
fn remisd(arguments: &[&str], input: &str) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_remisd"))
        .args(arguments)
        .env_remove("REMISD_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The input of a case fits into the pipe's buffer.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {input}");
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
