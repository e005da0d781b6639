//! Moves that a device enters by commands, at a board without sensors.

use super::*;
use remisd_laws::Ply;

const BOARD: Role = Role::Board;

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
fn plies_that_are_missing_or_not_last_are_refused() {
    let mut table = table_with(&["e4", "e5"]);
    let wrong = Some(RefusalCode::WrongState);
    for ply in [0, 4, Ply::MAX] {
        assert_eq!(table.ask(BOARD, enter(ply, "Nf3")), wrong, "{ply}");
    }
    for ply in [0, 1, 3, Ply::MAX] {
        assert_eq!(table.ask(BOARD, undo(ply)), wrong, "{ply}");
    }
    assert_eq!(moves(&table), ["e4", "e5"]);
    assert_eq!(table.codes(), []);
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
    let shuffle = ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"];
    let mut table = table_with(&shuffle);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(table.ask(BOARD, undo(8)), None);
    let alert = table.alert(AlertCode::SourceRewritten).expect("an alert");
    assert_eq!(alert.level, Level::Red);

    let mut table = table_with(&["f3", "e5", "g4", "Qh4#"]);
    assert_eq!(table.ask(BOARD, undo(4)), None, "entered by mistake");
    assert_eq!(table.game.result(), None);
    assert_eq!(table.ask(BOARD, enter(4, "Qh4")), None);
    let resigned = Verb::Result {
        score: Score::BlackWins,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, resigned), None);
    let wrong = Some(RefusalCode::WrongState);
    assert_eq!(table.ask(BOARD, undo(4)), wrong);
    assert_eq!(
        table.ask(BOARD, enter(5, "a3")),
        Some(RefusalCode::BadValue)
    );
}

/// A device that could tell a secret end from a game that continues would be a leak (12.6).
#[test]
fn a_device_does_not_learn_of_an_end_that_is_not_announced() {
    let mut table = Table::new(Confirm::Arbiter);
    let shuffle = ["Nf3", "Nf6", "Ng1", "Ng8"].iter().cycle();
    for (ply, text) in (1..=20).zip(shuffle) {
        assert_eq!(table.ask(BOARD, enter(ply, text)), None, "{ply}");
    }
    assert!(table.codes().contains(&AlertCode::Fivefold));
    assert_eq!(table.ask(BOARD, undo(20)), None);
    let another = Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    assert_eq!(table.ask(BOARD, another), Some(RefusalCode::WrongState));
}

#[test]
fn a_device_begins_the_next_game_only_when_this_one_is_over() {
    let another = || Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    let mut table = table_with(&[]);
    assert_eq!(table.ask(BOARD, another()), None, "nothing is played yet");
    assert_eq!(table.ask(BOARD, enter(1, "e4")), None);
    assert_eq!(
        table.ask(BOARD, another()),
        Some(RefusalCode::WrongState),
        "it is being played"
    );
    let resign = Verb::Resign {
        player: Some(Side::Black),
    };
    assert_eq!(table.ask(ARBITER, resign), None);
    assert_eq!(table.ask(BOARD, another()), None);
    assert_eq!(moves(&table), [] as [&str; 0]);
    assert_eq!(table.ask(BOARD, enter(1, "d4")), None);
}
