//! Losses: by resignation and by illegal moves.

use shakmaty::Color;

use super::{
    table::{ARBITER, BLACK, WHITE, correct, setup, under},
    *,
};
use remisd_laws::{self as laws, TimeChange};

#[test]
fn a_loss_waits_until_it_is_known_whether_the_opponent_can_mate() {
    let mut table = Table::new(Confirm::Automatic);
    let fen = "1n2k3/8/8/8/8/8/8/Q3K3 w - - 0 1".to_owned();
    table.ask(ARBITER, Verb::Setup { fen });
    assert_eq!(table.ask(WHITE, Verb::Resign { player: None }), None);
    assert!(table.game.wants_winnability());
    let can_mate = CanMate {
        white: Some(true),
        black: Some(false),
    };
    let known = Input::Winnability {
        ply: table.game.ply(),
        position: table.game.position_seq(),
        can_mate,
    };
    table.input(known);
    let result = table.game.result().unwrap();
    assert_eq!(
        (result.score, result.reason),
        (Score::Draw, ResultReason::Resignation)
    );
    assert_eq!(can_mate.of(Color::Black), Some(false));

    let mut older = under(&laws::FIDE_2018, Confirm::Automatic);
    older.moves("e2e4");
    older.ask(BLACK, Verb::Resign { player: None });
    assert_eq!(older.game.result().unwrap().score, Score::WhiteWins);
}

#[test]
fn the_second_illegal_move_loses_and_the_first_costs_time() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let illegal = || {
        Verb::Ruling(Ruling::IllegalMove {
            player: Side::Black,
            claimed: false,
            withdrawn: false,
        })
    };
    assert_eq!(table.ask(ARBITER, illegal()), None);
    assert_eq!(
        table.game.adjustments()[0].white,
        TimeChange::AddMs(120_000)
    );
    assert_eq!(table.ask(ARBITER, illegal()), None);
    assert!(table.game.pending_loss().is_some());
    let known = Input::Winnability {
        ply: 1,
        position: table.game.position_seq(),
        can_mate: CanMate {
            white: Some(true),
            black: Some(true),
        },
    };
    table.input(known);
    assert_eq!(table.game.result().unwrap().score, Score::WhiteWins);
}

#[test]
fn who_resigned_first_has_resigned() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let resign = || Verb::Resign { player: None };
    assert_eq!(table.ask(BLACK, resign()), None);
    assert_eq!(table.ask(WHITE, resign()), Some(RefusalCode::WrongState));
    let uci = "e7e5".into();
    let by = SettledBy::Reply;
    let facts = table.input(Input::Move {
        uci,
        by,
        clock: None,
    });
    assert!(matches!(facts[0], Fact::Refused { .. }), "{facts:?}");
    // The pieces are set up again before anybody knows whether White can mate.
    table.start_array();
    let left = &table.game.unconfirmed()[0].result;
    assert_eq!(
        (left.score, left.reason, left.confirmed),
        (Score::WhiteWins, ResultReason::Resignation, false)
    );
}

/// White captures the rook with his last move, which is not in the record.
const ROOK_EN_PRISE: &str = "8/8/8/3k4/7P/8/Kr6/8 w - - 0 1";

fn can_mate(table: &mut Table, white: Option<bool>, black: Option<bool>) {
    assert!(table.game.wants_winnability());
    table.input(Input::Winnability {
        ply: table.game.ply(),
        position: table.game.position_seq(),
        can_mate: CanMate { white, black },
    });
}

/// White's flag falls there, and the arbiter rules so.
fn flag_fallen() -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    assert_eq!(table.ask(ARBITER, setup(ROOK_EN_PRISE)), None);
    let player = Side::White;
    assert_eq!(
        table.ask(ARBITER, Verb::Ruling(Ruling::Flag { player })),
        None
    );
    can_mate(&mut table, Some(true), Some(true));
    table
}

fn score(table: &Table) -> Option<(Score, u32, bool)> {
    let result = table.game.result()?;
    Some((result.score, result.ply, result.confirmed))
}

#[test]
fn a_loss_that_rests_on_who_can_mate_is_decided_again_when_the_position_is_corrected() {
    let mut table = flag_fallen();
    assert_eq!(score(&table), Some((Score::BlackWins, 0, true)));
    assert_eq!(table.ask(ARBITER, correct(0, &["Kxb2"])), None);
    assert_eq!(score(&table), None, "a bare king may not win");
    assert!(!table.game.status().is_in_progress());
    can_mate(&mut table, Some(true), Some(false));
    assert_eq!(score(&table), Some((Score::Draw, 1, true)));
    assert!(!table.game.wants_winnability());
    // And the other way round.
    assert_eq!(table.ask(ARBITER, correct(0, &["Ka3"])), None);
    can_mate(&mut table, Some(true), Some(true));
    assert_eq!(score(&table), Some((Score::BlackWins, 1, true)));
    // Where the solver cannot tell, the arbiter decides.
    assert_eq!(table.ask(ARBITER, correct(0, &["Kxb2"])), None);
    can_mate(&mut table, None, None);
    assert_eq!(score(&table), None);
    assert!(table.alert(AlertCode::DecisionNeeded).is_some());
}

#[test]
fn a_resignation_that_is_decided_again_is_as_confirmed_as_before() {
    for (confirm, confirmed) in [(Confirm::Automatic, true), (Confirm::Arbiter, false)] {
        let mut table = Table::new(confirm);
        assert_eq!(table.ask(ARBITER, setup(ROOK_EN_PRISE)), None);
        assert_eq!(table.ask(WHITE, Verb::Resign { player: None }), None);
        can_mate(&mut table, Some(true), Some(true));
        assert_eq!(score(&table), Some((Score::BlackWins, 0, confirmed)));
        assert_eq!(table.ask(ARBITER, correct(0, &["Kxb2"])), None);
        can_mate(&mut table, Some(true), Some(false));
        assert_eq!(score(&table), Some((Score::Draw, 1, confirmed)));
    }
}

#[test]
fn a_loss_is_not_decided_again_without_need() {
    // The position on the board is the same.
    let mut table = flag_fallen();
    assert_eq!(table.ask(ARBITER, correct(0, &[])), None);
    assert_eq!(score(&table), Some((Score::BlackWins, 0, true)));
    // What the arbiter has entered stands.
    let won = Verb::Result {
        score: Score::WhiteWins,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, won), None);
    assert_eq!(table.ask(ARBITER, correct(0, &["Kxb2"])), None);
    assert_eq!(score(&table), Some((Score::WhiteWins, 1, true)));
    // So does a resignation under Laws that do not ask who can mate.
    let mut table = under(&laws::FIDE_2018, Confirm::Automatic);
    assert_eq!(table.ask(ARBITER, setup(ROOK_EN_PRISE)), None);
    assert_eq!(table.ask(WHITE, Verb::Resign { player: None }), None);
    assert_eq!(table.ask(ARBITER, correct(0, &["Kxb2"])), None);
    assert_eq!(score(&table), Some((Score::BlackWins, 1, true)));
}
