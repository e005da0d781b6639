//! Losses: by resignation and by illegal moves.

use shakmaty::Color;

use super::{
    table::{ARBITER, BLACK, WHITE, under},
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
