//! Moves that a device enters by commands, at a board without sensors.

use super::*;
use remisd_laws::Ply;

const BOARD: Role = Role::Board;
/// The start position for the third time.
const SHUFFLED: [&str; 8] = ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"];

fn enter(ply: Ply, text: &str) -> Verb {
    Verb::Move {
        ply,
        text: text.to_owned(),
        clock: None,
    }
}

fn undo(ply: Ply) -> Verb {
    Verb::Undo { ply }
}

fn table_with(moves: &[&str]) -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    for (ply, text) in (1..).zip(moves) {
        assert_eq!(table.ask(BOARD, enter(ply, text)), None, "{text}");
    }
    table
}

fn moves(table: &Table) -> Vec<String> {
    let moves = table.game.moves().iter();
    moves.map(|played| played.text.san.clone()).collect()
}

#[test]
fn moves_are_entered_in_both_notations_and_count_as_the_source_has_them() {
    let mut table = table_with(&["e2e4", "e5"]);
    let clock = ClockState {
        white_ms: 61_000,
        black_ms: 59_000,
        running: Some(Side::Black),
        flag: None,
    };
    let verb = Verb::Move {
        ply: 3,
        text: "Nf3".to_owned(),
        clock: Some(clock),
    };
    assert_eq!(table.ask(BOARD, verb), None);
    assert_eq!(moves(&table), ["e4", "e5", "Nf3"]);
    let by_source = table.count(|fact| {
        matches!(
            fact,
            Fact::MoveMade {
                by: Some(SettledBy::Source),
                ..
            }
        )
    });
    assert_eq!(by_source, 3);
    assert_eq!(table.game.clock(), Some(clock));
    let source = table.game.source().map(|report| report.name.as_str());
    assert_eq!(source, Some("board"));
    assert_eq!(table.codes(), []);
}

#[test]
fn a_move_whose_answer_was_lost_may_be_entered_again() {
    let mut table = table_with(&["e4", "e5"]);
    let facts = table.facts.len();
    assert_eq!(table.ask(BOARD, enter(2, "e7e5")), None);
    assert_eq!(table.ask(BOARD, enter(1, "e4")), None);
    assert_eq!(moves(&table), ["e4", "e5"]);
    assert_eq!(table.facts.len(), facts + 2, "answers alone");
}

#[test]
fn a_move_that_is_entered_again_makes_no_other_command_stale() {
    let pause = || Verb::Pause {};
    for role in [Role::Arbiter, Role::Operator, Role::White, Role::Clock] {
        let mut table = table_with(&["e4", "e5"]);
        let seen = Some(table.game.seq_for(role));
        for text in ["e7e5", "e5"] {
            assert_eq!(table.ask(BOARD, enter(2, text)), None);
        }
        let answer = table.command_at("again", role, pause(), seen);
        assert_eq!(answer.code, None, "{role:?}: {answer:?}");
        // The next move does.
        let mut table = table_with(&["e4", "e5"]);
        let seen = Some(table.game.seq_for(role));
        assert_eq!(table.ask(BOARD, enter(3, "Nf3")), None);
        let answer = table.command_at("next", role, pause(), seen);
        assert_eq!(answer.code, Some(RefusalCode::Stale), "{role:?}");
    }
}

#[test]
fn plies_that_are_missing_or_not_last_are_refused() {
    let mut table = table_with(&["e4", "e5"]);
    let wrong = Some(RefusalCode::WrongState);
    for ply in [4, Ply::MAX] {
        assert_eq!(table.ask(BOARD, enter(ply, "Nf3")), wrong, "{ply}");
    }
    let zero = table.ask(BOARD, enter(0, "Nf3"));
    assert_eq!(zero, Some(RefusalCode::BadValue));
    for ply in [0, 1, 3, Ply::MAX] {
        assert_eq!(table.ask(BOARD, undo(ply)), wrong, "{ply}");
    }
    assert_eq!(moves(&table), ["e4", "e5"]);
}

#[test]
fn an_illegal_move_is_refused_and_the_arbiter_alerted_until_a_legal_one_comes() {
    let mut table = table_with(&["e4", "e5"]);
    for text in ["Ke3", "castles", "", "♔♔♔♔"] {
        let refused = table.ask(BOARD, enter(3, text));
        assert_eq!(refused, Some(RefusalCode::BadValue), "{text}");
        let alert = table.alert(AlertCode::SourceUncertain).expect("an alert");
        assert_eq!(alert.arguments["doubt"], "unreadable");
        assert_eq!(alert.arguments["word"], text);
    }
    assert_eq!(table.ask(BOARD, enter(3, "Ke2")), None);
    assert_eq!(table.codes(), []);
}

#[test]
fn another_move_for_a_recorded_ply_is_a_doubt_until_it_is_resolved() {
    let differs = |table: &Table| {
        let alert = table.alert(AlertCode::SourceUncertain);
        alert.is_some_and(|alert| alert.arguments["doubt"] == "differs")
    };
    let entered = || {
        let mut table = table_with(&["e4", "e5", "Nf3"]);
        let refused = table.ask(BOARD, enter(2, "c5"));
        assert_eq!(refused, Some(RefusalCode::WrongState));
        assert!(differs(&table));
        // The game goes on, and the doubt stays.
        assert_eq!(table.ask(BOARD, enter(4, "Nc6")), None);
        assert!(differs(&table));
        assert_eq!(table.game.uncertain_since(), Some(2));
        table
    };
    let mut agreed = entered();
    assert_eq!(agreed.ask(BOARD, enter(2, "e5")), None);
    assert!(!differs(&agreed));

    let mut corrected = entered();
    let verb = Verb::Correct {
        to_ply: 1,
        moves: vec!["c5".to_owned()],
    };
    assert_eq!(corrected.ask(ARBITER, verb), None);
    assert!(!differs(&corrected));
    assert_eq!(moves(&corrected), ["e4", "c5"]);
    assert_eq!(corrected.ask(BOARD, enter(3, "Nf3")), None);

    let mut undone = entered();
    for ply in [4, 3, 2] {
        assert!(differs(&undone), "{ply}");
        assert_eq!(undone.ask(BOARD, undo(ply)), None);
    }
    assert!(!differs(&undone));
}

#[test]
fn the_last_move_can_be_undone_and_the_arbiter_sees_both_lines() {
    let mut table = table_with(&["e4", "e5", "Nf3"]);
    assert_eq!(table.ask(BOARD, undo(3)), None);
    assert_eq!(moves(&table), ["e4", "e5"]);
    let alert = table.alert(AlertCode::SourceRewritten).expect("an alert");
    assert_eq!(alert.arguments["source"], "board");
    assert_eq!(alert.arguments["was"], "2.Nf3");
    assert_eq!(alert.level, Level::Amber);
    assert_eq!(table.ask(BOARD, enter(3, "Nc3")), None);
}

#[test]
fn an_undo_after_a_claim_is_red_and_after_a_decided_game_refused() {
    let mut table = table_with(&SHUFFLED);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(table.ask(BOARD, undo(8)), None);
    let alert = table.alert(AlertCode::SourceRewritten).expect("an alert");
    assert_eq!(alert.level, Level::Red);

    let mut table = table_with(&["f3", "e5", "g4", "Qh4#"]);
    let wrong = Some(RefusalCode::WrongState);
    assert_eq!(table.ask(BOARD, undo(4)), wrong, "the arbiter corrects");
    // What is entered after the end is no doubt about the game.
    assert_eq!(table.ask(BOARD, enter(5, "a3")), wrong);
    assert!(!table.codes().contains(&AlertCode::SourceUncertain));
}

#[test]
fn a_ply_that_is_missing_is_a_doubt_until_it_comes() {
    let mut table = table_with(&["e4"]);
    assert_eq!(
        table.ask(BOARD, enter(3, "Nf3")),
        Some(RefusalCode::WrongState)
    );
    let alert = table.alert(AlertCode::SourceUncertain).expect("an alert");
    assert_eq!(alert.arguments["doubt"], "missing");
    assert_eq!(table.game.uncertain_since(), Some(2));
    assert_eq!(table.ask(BOARD, enter(2, "e5")), None);
    assert_eq!(table.codes(), []);
}

#[test]
fn each_doubt_stays_until_it_is_resolved_itself() {
    let mut table = table_with(&["e4", "e5", "Nf3", "Nc6"]);
    for (ply, text) in [(4, "d6"), (2, "c5"), (5, "Ke3")] {
        assert!(table.ask(BOARD, enter(ply, text)).is_some());
    }
    let since = |table: &Table| table.game.uncertain_since();
    assert_eq!(since(&table), Some(2));
    for (ply, text, left) in [
        (1, "e4", Some(2)),
        (2, "e5", Some(4)),
        (4, "Nc6", Some(5)),
        (3, "Nf3", Some(5)),
        (5, "Bb5", None),
    ] {
        assert_eq!(table.ask(BOARD, enter(ply, text)), None);
        assert_eq!(since(&table), left, "{ply}");
    }
}

#[test]
fn no_claim_is_ruled_on_automatically_while_the_device_is_in_doubt() {
    let finding = |entered: Option<Verb>| {
        let mut table = Table::new(Confirm::Automatic);
        for (ply, text) in (1..).zip(SHUFFLED) {
            assert_eq!(table.ask(BOARD, enter(ply, text)), None);
        }
        if let Some(verb) = entered {
            assert!(table.ask(BOARD, verb).is_some());
        }
        assert_eq!(table.ask(WHITE, THREEFOLD), None);
        table.game.claims().last().and_then(|claim| claim.finding)
    };
    assert_eq!(finding(None), Some(Finding::Correct));
    assert_eq!(
        finding(Some(enter(9, "garbled"))),
        Some(Finding::ArbiterDecides)
    );
}

/// A device that could tell a secret end from a game that continues would be a leak (12.6).
#[test]
fn a_device_gets_the_same_answers_whether_or_not_the_game_is_secretly_over() {
    let answers = |moves: &[&str], acts: &[(Role, Verb)]| {
        let mut table = table_with(moves);
        let ply = table.game.ply();
        for (number, (role, verb)) in acts.iter().enumerate() {
            table.command(&format!("act-{number}"), *role, verb.clone());
        }
        let verbs = [
            enter(ply, moves[moves.len() - 1]),
            enter(ply + 1, "e4"),
            enter(ply + 1, "Ke4"),
            undo(ply + 1),
            undo(ply),
        ];
        let answers = verbs.into_iter().enumerate().map(|(number, verb)| {
            let answer = table.command(&format!("device-{number}"), BOARD, verb);
            let message = answer.message.map(|text| {
                let text = text.replace(&(ply + 1).to_string(), "next");
                text.replace(&ply.to_string(), "last")
            });
            (answer.ok, answer.code, message)
        });
        answers.collect::<Vec<_>>()
    };
    // The same position with the same player to move, once before the fifth occurrence.
    let line: Vec<&str> = SHUFFLED.into_iter().cycle().take(16).collect();
    let (fivefold, fourfold) = (&line[..], &line[..12]);
    let resign = Verb::Resign {
        player: Some(Side::Black),
    };
    for acts in [
        vec![],
        vec![(
            BLACK,
            Verb::Offer {
                player: None,
                condition: None,
            },
        )],
        vec![(WHITE, THREEFOLD)],
        vec![(WHITE, THREEFOLD), (BLACK, resign)],
    ] {
        assert_eq!(
            answers(fivefold, &acts),
            answers(fourfold, &acts),
            "{acts:?}"
        );
    }
}
