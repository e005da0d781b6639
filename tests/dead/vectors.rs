//! The position sets of `tests/data/dead`.

use remisd_vocabulary::notation::parse_position;
use std::sync::atomic::AtomicBool;

use remisd_dead::{self as dead, Analysis, Budget, Verdict, Winnability};
use shakmaty::{Chess, Position as _};

/// A small budget; the benchmark covers harder positions.
const BUDGET: Budget = Budget {
    nodes: 100_000,
    positions: 100_000,
    sketches: 10_000,
};

/// A position with the known answers for White and Black: `+`, `-` or `?`.
type Known = (Chess, [char; 2]);

/// Every `step`th position of a set, without positions that no game can reach.
fn set(name: &str, step: usize) -> Vec<Known> {
    let path = format!("{}/tests/data/dead/{name}.tsv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let known = |line: &str| {
        let (fen, sides) = line.split_once('\t').unwrap();
        let mut sides = sides.chars();
        let sides = [sides.next().unwrap(), sides.next().unwrap()];
        Some((parse_position(fen).ok()?, sides))
    };
    text.lines().step_by(step).filter_map(known).collect()
}

fn analyse(position: &Chess) -> Analysis {
    dead::analyse_within(position, true, BUDGET, &AtomicBool::new(false))
}

fn mark(answer: Option<&Winnability>) -> char {
    match answer {
        Some(Winnability::Winnable { .. }) => '+',
        Some(Winnability::Unwinnable(_)) => '-',
        Some(Winnability::Unknown) | None => '?',
    }
}

/// Compares the decided sides. Returns the undecided share in thousandths.
fn undecided(name: &str, step: usize) -> usize {
    let (mut sides, mut open) = (0, 0);
    for (position, known) in set(name, step) {
        let analysis = analyse(&position);
        let found = [&analysis.white, &analysis.black].map(|side| mark(side.as_ref()));
        for (known, found) in known.into_iter().zip(found) {
            sides += usize::from(known != '?');
            open += usize::from(known != '?' && found == '?');
            assert!(
                known == '?' || found == '?' || known == found,
                "{name}: {found:?} for {}",
                remisd_vocabulary::notation::fen(&position)
            );
        }
    }
    assert!(sides > 0, "{name} is empty");
    open * 1000 / sides
}

#[test]
fn counterexamples_to_other_solvers_are_decided_exactly() {
    assert_eq!(undecided("soundness_counterexamples", 1), 0);
    assert_eq!(undecided("chasolver_wrong", 1), 0);
}

#[test]
fn a_right_alone_can_decide() {
    assert_eq!(undecided("castling_rights_pairs", 1), 0);
    assert_eq!(undecided("ep_rights_pairs", 1), 0);
}

#[test]
fn positions_of_real_games_are_all_decided() {
    assert_eq!(undecided("lichess_flagged", 8), 0);
    assert_eq!(undecided("lichess_unfair", 8), 0);
}

#[test]
fn positions_decided_by_exhaustive_closure_are_decided_so() {
    assert!(undecided("closure", 8) <= 2);
}

#[test]
fn constructed_positions_are_never_decided_wrongly() {
    assert!(undecided("constructed", 16) <= 18);
    // The positions that sketches were designed for.
    assert_eq!(undecided("uncertified", 1), 0);
    undecided("hard", 24);
    undecided("forum_issues_compositions", 4);
}

#[test]
fn problems_of_dead_reckoning() {
    assert!(undecided("problems_dead", 1) <= 20);
    let path = format!(
        "{}/tests/data/dead/problems_alive.tsv",
        env!("CARGO_MANIFEST_DIR")
    );
    for line in std::fs::read_to_string(path).unwrap().lines().step_by(4) {
        let (fen, _) = line.split_once('\t').unwrap();
        if let Ok(position) = parse_position(fen) {
            assert_ne!(analyse(&position).verdict(), Verdict::Dead, "{fen}");
        }
    }
}

#[test]
fn a_helpmate_is_legal_to_the_mate() {
    for (position, _) in set("lichess_flagged", 40) {
        let Analysis { white, black } = analyse(&position);
        for (answer, loser) in [
            (white, shakmaty::Color::Black),
            (black, shakmaty::Color::White),
        ] {
            let Some(Winnability::Winnable { helpmate }) = answer else {
                continue;
            };
            let mut after = position.clone();
            for m in helpmate {
                after = after.play(m).unwrap();
            }
            assert!(after.is_checkmate() && after.turn() == loser);
        }
    }
}

#[test]
fn every_verdict_passes_independent_verification() {
    for name in [
        "closure",
        "ep_rights_pairs",
        "lichess_unfair",
        "constructed",
        "uncertified",
    ] {
        for (position, _) in set(name, 40) {
            let analysis = analyse(&position);
            let checked = dead::verify(&position, &analysis);
            assert_eq!(
                checked,
                Ok(()),
                "{}",
                remisd_vocabulary::notation::fen(&position)
            );
        }
    }
}

#[test]
fn random_blockades_are_never_decided_wrongly() {
    let mut run = remisd_closures::Run::new(7);
    while run.tally.positions < 20_000 {
        run.step();
    }
    assert!(run.tally.by_mobility > 10_000, "{}", run.tally);
    assert!(run.tally.by_sketches > 1_000, "{}", run.tally);
}

#[test]
fn in_a_cage_every_man_stays_within_its_mobility() {
    let mut run = remisd_closures::Run::new(3);
    let anchored: usize = (0..1_000).map(|_| run.cage()).sum();
    assert!(anchored > 20, "{anchored} certificates with anchors");
    assert!(run.tally.plies > 100_000, "{} plies", run.tally.plies);
}

#[test]
fn the_same_question_has_the_same_answer() {
    for (position, _) in set("hard", 40) {
        assert_eq!(analyse(&position), analyse(&position));
    }
}
