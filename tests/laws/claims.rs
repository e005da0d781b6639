//! The games of `tests/data/claims` by the Laws alone, at every ply and under every edition.

use std::collections::{BTreeMap, BTreeSet};

use remisd_laws::{AutomaticKind, Basis, ClaimKind, EDITIONS, Edition, History, Ply};
use remisd_testkit::claims::ClaimCase;
use shakmaty::Position as _;

/// What a game was found to have.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    /// The plies of each column.
    plies: BTreeMap<&'static str, BTreeSet<Ply>>,
    end: Option<(Ply, AutomaticKind)>,
}

/// The column of a claim.
const fn column(kind: ClaimKind, basis: &Basis) -> &'static str {
    match (kind, basis) {
        (ClaimKind::Threefold, Basis::Appeared) => "threefold_appeared",
        (ClaimKind::Threefold, Basis::Intended(_)) => "threefold_intended",
        (ClaimKind::FiftyMove, Basis::Appeared) => "fifty_appeared",
        (ClaimKind::FiftyMove, Basis::Intended(_)) => "fifty_intended",
    }
}

const COLUMNS: [&str; 5] = [
    "threefold_appeared",
    "threefold_intended",
    "fifty_appeared",
    "fifty_intended",
    "disputed",
];

/// Everything up to the end of the game.
fn find(case: &ClaimCase, edition: &Edition) -> Found {
    let mut history = History::new(case.start.clone());
    let mut found = Found::default();
    let mut moves = case.moves.iter();
    loop {
        let ply = history.ply();
        let state = history.draw_state(edition);
        found.end = state.automatic.map(|end| (ply, end.kind));
        if found.end.is_some() {
            return found;
        }
        let columns = state
            .claims
            .iter()
            .map(|claim| column(claim.kind, &claim.basis));
        let disputed = state.disputed.iter().map(|_| "disputed");
        for column in columns.chain(disputed) {
            found.plies.entry(column).or_default().insert(ply);
        }
        let Some(m) = moves.next() else { return found };
        history.play(*m).unwrap();
    }
}

#[test]
fn every_edition_gives_each_game_what_the_table_says() {
    for case in ClaimCase::all() {
        for edition in EDITIONS.iter().copied() {
            let expected = case.under(edition.id);
            let found = find(&case, edition);
            let at = format!("{}, {}", case.file, edition.id);
            for column in COLUMNS {
                let plies = found.plies.get(column).cloned().unwrap_or_default();
                assert_eq!(plies, expected.plies(column), "{at}: {column}");
            }
            let end = found.end.map(|(ply, kind)| (ply, kind.as_str()));
            assert_eq!(end, expected.end(), "{at}");
        }
    }
}

/// The table gives the output of the Chess Claim Tool. It looks at the position after each move, and
/// not at the start or at announced moves.
#[test]
fn what_the_chess_claim_tool_finds_is_found_at_the_same_ply_or_earlier() {
    let newest = remisd_laws::newest();
    let (mut claims, mut earlier) = (0, 0);
    for case in ClaimCase::all() {
        let found = find(&case, newest);
        for (theirs, ours) in [
            ("threefold", ["threefold_appeared", "threefold_intended"]),
            ("fifty", ["fifty_appeared", "fifty_intended"]),
        ] {
            let theirs = case.plies("claim_tool", theirs);
            let [appeared, intended] =
                ours.map(|column| found.plies.get(column).cloned().unwrap_or_default());
            assert!(theirs.is_subset(&appeared), "{}: {theirs:?}", case.file);
            let unseen = appeared.difference(&theirs).copied();
            assert!(
                unseen.eq(appeared.first().copied().filter(|ply| *ply == 0)),
                "{}",
                case.file
            );
            let first = appeared.union(&intended).next();
            claims += theirs.len();
            earlier += usize::from(first < theirs.first() && !theirs.is_empty());
        }
        for kind in [AutomaticKind::Fivefold, AutomaticKind::SeventyFiveMove] {
            let theirs = case.plies("claim_tool", kind.as_str());
            let ours = found.end.filter(|(_, ours)| *ours == kind);
            assert!(
                theirs.into_iter().eq(ours.map(|(ply, _)| ply)),
                "{}",
                case.file
            );
        }
    }
    assert!(claims > 50 && earlier > 15, "{claims}, {earlier}");
}

/// The plies with a placement that occurs for the third time or more often.
fn third_placements(case: &ClaimCase) -> BTreeSet<Ply> {
    let mut position = case.start.clone();
    let mut boards = vec![position.board().clone()];
    for m in &case.moves {
        position.play_unchecked(*m);
        boards.push(position.board().clone());
    }
    let count = |at: usize| boards[..=at].iter().filter(|b| **b == boards[at]).count();
    let third = (0..boards.len()).filter(|at| count(*at) >= 3);
    third.map(|at| Ply::try_from(at).unwrap()).collect()
}

#[test]
fn the_table_says_where_a_comparison_of_placements_is_wrong() {
    let oldest = EDITIONS[0];
    let mut wrong = 0;
    for case in ClaimCase::all() {
        let placements = third_placements(&case);
        assert_eq!(
            placements,
            case.plies("placement_only", "third"),
            "{}",
            case.file
        );
        // Under the oldest edition no count ends the game, so nothing is left out.
        let positions = case.under(oldest.id).plies("threefold_appeared");
        let is_right = case.line["placement_only"]["verdict"] == "right";
        assert_eq!(is_right, placements == positions, "{}", case.file);
        wrong += usize::from(!is_right);
    }
    assert!(wrong > 5);
}
