//! The pairings of a round from every file of the corpus.

use std::fs;

use remisd::pairings::{self, Finding};
use serde::Deserialize;

use super::{expected, folder};

/// The expected result of a file.
#[derive(Deserialize)]
struct Expected {
    file: String,
    boards: usize,
    /// Board, White, Black.
    seats: Vec<[String; 3]>,
    /// Line and code.
    problems: Vec<(u64, String)>,
    warnings: Vec<(u64, String)>,
}

fn codes(findings: &[Finding]) -> Vec<(u64, String)> {
    let code = |finding: &Finding| {
        serde_json::to_value(finding).unwrap()["trouble"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    findings
        .iter()
        .map(|finding| (finding.line, code(finding)))
        .collect()
}

#[test]
fn every_round_is_seated_or_its_lines_are_named() {
    for expected in expected::<Expected>("rounds") {
        let bytes = fs::read(folder("rounds").join(&expected.file)).unwrap();
        let boards: Vec<String> = (1..=expected.boards)
            .map(|board| format!("b{board}"))
            .collect();
        let round = pairings::read(&bytes, &boards);
        let seats: Vec<[String; 3]> = (round.seats.iter())
            .map(|seat| {
                [
                    seat.board.clone(),
                    seat.headers["White"].clone(),
                    seat.headers["Black"].clone(),
                ]
            })
            .collect();
        assert_eq!(seats, expected.seats, "{}", expected.file);
        assert_eq!(
            codes(&round.problems),
            expected.problems,
            "{}",
            expected.file
        );
        assert_eq!(
            codes(&round.warnings),
            expected.warnings,
            "{}",
            expected.file
        );
    }
}
