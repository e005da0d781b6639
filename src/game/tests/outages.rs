//! A board that is out of sight when the game is decided or left.

use super::{
    table::{ARBITER, BLACK, correct},
    *,
};
use remisd_laws as laws;
use remisd_vocabulary::sensor::DownCode;

fn line(up: bool) -> Input {
    Input::Link {
        up,
        code: (!up).then_some(DownCode::Unplugged),
        reason: (!up).then(|| "unplugged".to_owned()),
    }
}

fn start() -> Input {
    Input::Start {
        version: "1".to_owned(),
        rules: None,
    }
}

const WON: Verb = Verb::Result {
    score: Score::WhiteWins,
    game: None,
};

/// A game of two plies whose board is out of sight by these inputs.
fn out_of_sight(by: &[Input]) -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    for input in by {
        table.input(input.clone());
    }
    assert_eq!(table.game.uncertain_since(), None, "while it is on");
    assert!(table.game.awaits_agreement());
    table
}

#[test]
fn a_game_that_is_decided_out_of_sight_is_uncertain_from_the_next_ply() {
    let ways: [&[Input]; 4] = [
        &[line(false)],
        &[line(false), line(true)],
        &[start()],
        &[start(), line(true)],
    ];
    for way in ways {
        let mut table = out_of_sight(way);
        assert_eq!(table.ask(ARBITER, WON), None);
        assert_eq!(table.game.uncertain_since(), Some(3), "{way:?}");
        // The board is put away.
        table.input(line(true));
        table.input(Input::Agreed);
        assert_eq!(table.game.uncertain_since(), Some(3), "{way:?}");
        // The arbiter has compared with the scoresheets: nothing is missing.
        assert_eq!(table.ask(ARBITER, correct(2, &[])), None);
        assert_eq!(table.game.uncertain_since(), None, "{way:?}");
    }
}

#[test]
fn a_resignation_out_of_sight_is_uncertain_too() {
    let mut table = out_of_sight(&[line(false)]);
    assert_eq!(table.ask(BLACK, Verb::Resign { player: None }), None);
    table.input(Input::Winnability {
        ply: 2,
        position: table.game.position_seq(),
        can_mate: CanMate {
            white: Some(true),
            black: Some(true),
        },
    });
    assert!(table.game.result().is_some());
    assert_eq!(table.game.uncertain_since(), Some(3));
}

#[test]
fn an_outage_that_is_over_when_the_game_is_decided_leaves_no_doubt() {
    let settle: [fn(&mut Table); 2] = [
        |table| {
            table.input(Input::Agreed);
        },
        |table| table.moves("g1f3"),
    ];
    for settle in settle {
        let mut table = out_of_sight(&[line(false), line(true)]);
        settle(&mut table);
        assert!(!table.game.awaits_agreement());
        assert_eq!(table.ask(ARBITER, WON), None);
        assert_eq!(table.game.uncertain_since(), None);
    }
}

#[test]
fn a_board_that_is_put_away_after_the_result_leaves_no_doubt() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(ARBITER, WON), None);
    table.input(line(false));
    let drawn = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, drawn), None, "the score was wrong");
    assert_eq!(table.game.uncertain_since(), None);
    table.input(start());
    assert_eq!(table.game.uncertain_since(), None);
}

#[test]
fn a_mate_that_was_seen_before_the_outage_leaves_no_doubt() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves(table::FOOLS_MATE);
    table.input(line(false));
    let alert = table.alert(AlertCode::GameOver).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    assert_eq!(table.game.uncertain_since(), None);
}

#[test]
fn a_game_that_is_left_out_of_sight_states_where_it_is_uncertain() {
    for way in [&[line(false)][..], &[line(false), line(true)]] {
        let mut table = out_of_sight(way);
        assert_eq!(table.game.doubted_if_left(), Some(3));
        let mut decided = table.game.clone();
        decided.decide_later(LaterResult::Recorded(Score::Draw));
        assert_eq!(decided.uncertain_since(), Some(3));
        table.start_array();
        let left = |fact: &Fact| {
            let uncertain_since = Some(3);
            matches!(fact, Fact::GameLeft { uncertain_since: since, .. } if *since == uncertain_since)
        };
        assert_eq!(table.count(left), 1);
        assert_eq!(table.game.doubted_if_left(), None, "the next game");
    }
}

#[test]
fn a_record_that_is_corrected_out_of_sight_may_lack_what_follows() {
    let mut table = out_of_sight(&[line(false)]);
    assert_eq!(table.ask(ARBITER, correct(2, &["Nf3", "Nc6"])), None);
    assert_eq!(table.ask(ARBITER, WON), None);
    assert_eq!(table.game.uncertain_since(), Some(5));
    let mut table = out_of_sight(&[line(false)]);
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    assert_eq!(table.ask(ARBITER, WON), None);
    assert_eq!(table.game.uncertain_since(), Some(1));
}

#[test]
fn a_result_that_is_withdrawn_out_of_sight_leaves_what_follows_in_doubt() {
    let mut table = out_of_sight(&[line(false)]);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None, "there was none");
    assert_eq!(table.game.uncertain_since(), None);
    assert_eq!(table.ask(ARBITER, WON), None);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!(table.game.uncertain_since(), Some(3));
    table.input(line(true));
    table.input(Input::Agreed);
    assert_eq!(table.game.uncertain_since(), None);
}

/// A game that a program writes.
fn followed(confirm: Confirm) -> Table {
    let mut table = Table::new(confirm);
    table.input(Input::Source {
        report: Box::default(),
        new_tags: Vec::new(),
    });
    table
}

#[test]
fn a_source_that_is_read_again_has_all_of_its_game() {
    let mut table = followed(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.input(line(false));
    let mut lost = table.game.clone();
    table.input(line(true));
    assert_eq!(table.ask(ARBITER, WON), None);
    assert_eq!(table.game.uncertain_since(), None);
    lost.decide_later(LaterResult::Recorded(Score::Draw));
    assert_eq!(lost.uncertain_since(), Some(3));
}

#[test]
fn a_count_that_rests_on_a_guessed_ply_waits_for_the_arbiter() {
    for (guessed, confirmed) in [(vec![], true), (vec![6], false)] {
        let mut table = Table::new(Confirm::Automatic);
        table.shuffle(3);
        let report = SourceReport {
            guessed,
            ..SourceReport::default()
        };
        table.input(Input::Source {
            report: Box::new(report),
            new_tags: Vec::new(),
        });
        table.shuffle(1);
        let result = table.game.result().unwrap();
        assert_eq!(result.reason, ResultReason::Fivefold);
        assert_eq!(result.confirmed, confirmed);
        assert!(table.alert(AlertCode::Fivefold).is_some());
    }
}

/// The claim of White after ply 8, as it is made after these inputs.
fn claimed_after(inputs: &[Input]) -> Table {
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(2);
    for input in inputs {
        table.input(input.clone());
    }
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    table
}

#[test]
fn a_claim_on_a_record_that_the_board_has_not_agreed_with_is_for_the_arbiter() {
    let contradicted = Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 2,
    };
    let ways: [&[Input]; 6] = [
        &[line(false)],
        // The cable is back. The board has not shown yet whether moves are missing.
        &[line(false), line(true)],
        &[start()],
        &[start(), line(true)],
        &[contradicted.clone(), start()],
        &[contradicted, start(), line(true)],
    ];
    for way in ways {
        let mut table = claimed_after(way);
        let is_arbiters = |table: &Table| {
            let claim = table.game.open_claim().unwrap();
            assert_eq!(table.game.result(), None, "{way:?}");
            assert_eq!(claim.finding, Some(Finding::ArbiterDecides), "{way:?}");
            assert_eq!(claim.remarks, [laws::Remark::RecordIncomplete], "{way:?}");
        };
        is_arbiters(&table);
        table.input(line(true));
        table.input(Input::Agreed);
        is_arbiters(&table);
    }
    for way in [line(false), start()] {
        let table = claimed_after(&[way, line(true), Input::Agreed]);
        assert!(table.game.result().is_some(), "it came after the agreement");
        assert_eq!(table.game.uncertain_since(), None);
    }
}

#[test]
fn a_claim_by_what_a_program_writes_needs_no_agreement_of_a_board() {
    let mut table = followed(Confirm::Automatic);
    table.shuffle(2);
    table.input(line(false));
    table.input(line(true));
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert!(table.game.result().is_some());
}
