//! Dead positions: since when, before what else, and why.

use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::{
    table::{ARBITER, BLACK, PLAY_ON, setup},
    *,
};
use remisd_dead::{self as dead, Budget};

/// White's king can capture the last rook.
const ROOK_EN_PRISE: &str = "8/8/8/3k4/8/8/6K1/7r w - - 0 1";

fn dead_since(table: &mut Table, since: u32) -> Vec<Fact> {
    let position = table.game.positions_from(since).swap_remove(0);
    let never = AtomicBool::new(false);
    let analysis = dead::analyse_within(&position, true, Budget::FIRST_LOOK, &never);
    assert_eq!(analysis.verdict(), Verdict::Dead);
    table.input(Input::Dead {
        ply: table.game.ply(),
        position: table.game.position_seq(),
        verdict: Verdict::Dead,
        since: Some(since),
        proofs: analysis.proofs().map(Box::new),
    })
}

fn ended(table: &Table) -> Option<(u32, AutomaticKind)> {
    table.game.ended().map(|(ply, end)| (ply, end.kind))
}

fn set_up(confirm: Confirm, fen: &str) -> Table {
    let mut table = Table::new(confirm);
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    table
}

#[test]
fn a_game_is_over_since_the_first_of_several_plies_that_were_settled_together() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = set_up(confirm, ROOK_EN_PRISE);
        table.moves("g2h1 d5d6 h1h2");
        dead_since(&mut table, 1);
        assert_eq!(ended(&table), Some((1, AutomaticKind::DeadPosition)));
        assert_eq!(table.game.first_end().unwrap().0, 1);
        let result = table.game.result().unwrap();
        assert_eq!((result.ply, result.score), (1, Score::Draw));
        let alert = table.alert(AlertCode::PlayAfterEnd).unwrap();
        assert_eq!(
            (&alert.arguments["ply"], &alert.arguments["now_ply"]),
            (&json(1), &json(3))
        );
        // Taking the later moves back does not bring the game to life.
        let back = |to_ply| Verb::Correct {
            to_ply,
            moves: Vec::new(),
        };
        assert_eq!(table.ask(ARBITER, back(1)), None);
        assert_eq!(ended(&table), Some((1, AutomaticKind::DeadPosition)));
        assert_eq!(table.ask(ARBITER, back(0)), None);
        assert_eq!(ended(&table), None);
    }
}

#[test]
fn a_dead_position_found_while_the_board_contradicts_its_moves_stays_uncertain() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = set_up(confirm, ROOK_EN_PRISE);
        table.moves("g2h1 d5d6");
        table.input(Input::Mismatch {
            reason: MismatchReason::NoLegalMove,
            squares: Vec::new(),
            candidates: Vec::new(),
            doubted: 2,
        });
        assert_eq!(table.game.uncertain_since(), Some(1));
        dead_since(&mut table, 1);
        assert_eq!(ended(&table), Some((1, AutomaticKind::DeadPosition)));
        assert_eq!(table.game.uncertain_since(), Some(1));
        let mut agreed = table.game.clone();
        agreed.apply(&Stamped {
            seq: agreed.seq().next(),
            time: Timestamp::UNIX_EPOCH,
            input: Input::Agreed,
        });
        assert_eq!(agreed.uncertain_since(), None);
        let over = table.alert(AlertCode::DeadPosition).unwrap();
        assert_eq!(table.ask(ARBITER, Verb::Ack { alert: over.id }), None);
        assert_eq!(table.game.uncertain_since(), Some(1), "{confirm:?}");
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        assert_eq!(ended(&table), None);
        assert_eq!(table.game.uncertain_since(), Some(1), "{confirm:?}");
    }
}

#[test]
fn what_is_on_the_board_after_a_dead_position_is_no_doubt_once_the_end_is_announced() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = set_up(confirm, ROOK_EN_PRISE);
        table.moves("g2h1");
        dead_since(&mut table, 1);
        table.input(Input::Mismatch {
            reason: MismatchReason::NoLegalMove,
            squares: Vec::new(),
            candidates: Vec::new(),
            doubted: 0,
        });
        // A doubt that vanished would show the end.
        let hidden = (confirm == Confirm::Arbiter).then_some(2);
        assert_eq!(table.game.uncertain_since(), hidden);
        let over = table.alert(AlertCode::DeadPosition).unwrap();
        assert_eq!(table.ask(ARBITER, Verb::Ack { alert: over.id }), None);
        assert_eq!(table.game.uncertain_since(), None);
        // The arbiter overrules the end: the moves after it count.
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        assert_eq!(table.game.uncertain_since(), Some(2), "{confirm:?}");
    }
}

fn json(number: u32) -> serde_json::Value {
    serde_json::json!(number)
}

#[test]
fn a_dead_position_goes_before_what_is_counted_after_the_same_ply() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = set_up(confirm, "8/8/8/3k4/8/8/6K1/7B w - - 149 120");
        table.moves("g2g3");
        assert_eq!(ended(&table), Some((1, AutomaticKind::SeventyFiveMove)));
        assert!(table.game.may_have_died());
        let facts = dead_since(&mut table, 1);
        assert!(facts.contains(&Fact::EndRetracted { ply: 1 }));
        assert_eq!(ended(&table), Some((1, AutomaticKind::DeadPosition)));
        let (ply, first) = table.game.first_end().unwrap();
        assert_eq!((ply, first.article), (1, "5.2.2"));
        assert_eq!(
            table.game.result().unwrap().reason,
            ResultReason::DeadPosition
        );
        assert_eq!(table.alert(AlertCode::SeventyFiveMove), None);
        assert!(table.alert(AlertCode::DeadPosition).is_some());
        assert!(
            !table.game.may_have_died(),
            "nothing goes before it any more"
        );
    }
}

#[test]
fn what_was_counted_after_an_earlier_ply_stands() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    table.moves("e2e4");
    assert!(!table.game.may_have_died());
    table.input(Input::Dead {
        ply: 17,
        position: table.game.position_seq(),
        verdict: Verdict::Dead,
        since: None,
        proofs: None,
    });
    assert_eq!(ended(&table), Some((16, AutomaticKind::Fivefold)));
}

#[test]
fn an_end_that_the_arbiter_has_confirmed_is_not_replaced() {
    let mut table = set_up(Confirm::Arbiter, "8/8/8/3k4/8/8/6K1/7B w - - 149 120");
    table.moves("g2g3");
    let alert = table.alert(AlertCode::SeventyFiveMove).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    dead_since(&mut table, 1);
    assert_eq!(
        table.game.result().unwrap().reason,
        ResultReason::SeventyFiveMove
    );
    assert_eq!(
        table.game.first_end().unwrap().1.kind,
        AutomaticKind::DeadPosition
    );
}

#[test]
fn a_stalemate_comes_too_late_in_a_game_that_was_dead() {
    let mut table = set_up(Confirm::Arbiter, "k7/8/2K5/8/8/6r1/7B/8 w - - 0 1");
    table.moves("h2g3 a8a7 c6c7 a7a8 c7b6");
    assert_eq!(ended(&table), Some((5, AutomaticKind::Stalemate)));
    assert!(table.game.may_have_died());
    dead_since(&mut table, 1);
    assert_eq!(ended(&table), Some((1, AutomaticKind::DeadPosition)));
    assert_eq!(
        table.game.result().unwrap().reason,
        ResultReason::DeadPosition
    );
}

#[test]
fn the_alert_says_why() {
    let mut table = set_up(Confirm::Arbiter, ROOK_EN_PRISE);
    table.moves("g2h1");
    dead_since(&mut table, 1);
    let alert = table.alert(AlertCode::DeadPosition).unwrap();
    assert_eq!(alert.article.as_deref(), Some("5.2.2"));
    assert_eq!(alert.arguments["after"], "1.Kxh1");
    let bare_king = |color: &str, home: &str| {
        let men = json!([{ "color": color, "home": home, "role": "king" }]);
        json!({ "kind": "material", "lack": "bare_king", "men": men })
    };
    assert_eq!(alert.arguments["white"], bare_king("white", "h1"));
    assert_eq!(alert.arguments["black"], bare_king("black", "d5"));
}

#[test]
fn unknown_may_be_found_out_later() {
    let mut table = set_up(Confirm::Arbiter, ROOK_EN_PRISE);
    assert_eq!(table.ask(BLACK, Verb::Resign { player: None }), None);
    assert!(table.game.wants_winnability());
    let mut found = |white, black| {
        let can_mate = CanMate { white, black };
        let news = table.game.learns_from(can_mate);
        table.input(Input::Winnability {
            ply: 0,
            position: table.game.position_seq(),
            can_mate,
        });
        (news, table.game.wants_winnability())
    };
    assert_eq!(found(None, None), (true, false));
    assert_eq!(found(None, None), (false, false));
    assert_eq!(found(Some(false), Some(true)), (true, false));
    assert_eq!(table.game.result().unwrap().score, Score::Draw);
    assert!(!table.game.learns_from(CanMate {
        white: None,
        black: None
    }));
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
}
