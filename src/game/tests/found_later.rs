//! An end by the Laws that is found after the players have decided something else.

use super::{
    table::{ACCEPT, ARBITER, BLACK, WHITE, correct, offer, under},
    *,
};
use remisd_laws as laws;

const RESIGN: Verb = Verb::Resign { player: None };

/// The fifth occurrence at ply 16 is misread; Black resigns.
fn resigned(confirm: Confirm) -> Table {
    let mut table = under(&laws::FIDE_2018, confirm);
    table.shuffle(3);
    table.moves("g1f3 g8f6 f3g1 f6d5");
    assert_eq!(table.ask(BLACK, RESIGN), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.score, Score::WhiteWins);
    table
}

fn put_right() -> Verb {
    correct(15, &["Ng8"])
}

#[test]
fn an_end_that_is_found_later_came_before_the_resignation() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = resigned(confirm);
        assert_eq!(table.ask(ARBITER, put_right()), None);
        assert_eq!(table.game.ended().unwrap().0, 16);
        let result = table.game.result().unwrap();
        assert_eq!(
            (result.score, result.reason, result.article.as_deref()),
            (Score::Draw, ResultReason::Fivefold, Some("9.6.1"))
        );
        assert!(table.game.is_at_rest(), "the players have gone");
        let alert = table.alert(AlertCode::PlayAfterEnd).unwrap();
        assert_eq!(alert.arguments["decided"], "resignation");
        // It is not forgotten: that end may fall, too.
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        let result = table.game.result().unwrap();
        assert_eq!(result.score, Score::WhiteWins);
    }
}

#[test]
fn who_acknowledges_that_the_game_is_drawn_publishes_a_draw() {
    let mut table = resigned(Confirm::Arbiter);
    assert_eq!(table.ask(ARBITER, put_right()), None);
    let alert = table.alert(AlertCode::Fivefold).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    let result = table.game.result().unwrap();
    assert_eq!((result.score, result.confirmed), (Score::Draw, true));
}

#[test]
fn a_verdict_that_comes_after_the_resignation_counts() {
    let mut table = under(&laws::FIDE_2018, Confirm::Arbiter);
    let fen = "8/8/4k3/8/8/3n4/3K4/8 w - - 0 1";
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    table.moves("d2d3");
    assert_eq!(table.ask(BLACK, RESIGN), None);
    assert_eq!(table.game.result().unwrap().score, Score::WhiteWins);
    table.found_dead();
    let result = table.game.result().unwrap();
    assert_eq!(result.reason, ResultReason::DeadPosition);
    assert_eq!(result.score, Score::Draw);
}

#[test]
fn a_mate_that_is_found_later_came_before_the_draw() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("f2f3 e7e5 g2g4 d8g5");
    assert_eq!(table.ask(BLACK, offer()), None);
    assert_eq!(table.ask(WHITE, ACCEPT), None);
    assert_eq!(table.ask(ARBITER, correct(3, &["Qh4"])), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.reason, ResultReason::Checkmate);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.reason, ResultReason::Agreement);
}

#[test]
fn what_the_arbiter_has_entered_or_confirmed_stands() {
    let entered = |table: &mut Table| {
        let (score, game) = (Score::WhiteWins, None);
        assert_eq!(table.ask(ARBITER, Verb::Result { score, game }), None);
    };
    let confirmed = |table: &mut Table| {
        let alert = table.alert(AlertCode::ResultToConfirm).unwrap().id;
        assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    };
    let ways: [&dyn Fn(&mut Table); 2] = [&entered, &confirmed];
    for decided in ways {
        let mut table = resigned(Confirm::Arbiter);
        decided(&mut table);
        let before = table.game.result().cloned();
        assert_eq!(table.ask(ARBITER, put_right()), None);
        assert_eq!(table.game.result().cloned(), before);
        assert!(
            table.alert(AlertCode::Fivefold).is_some(),
            "an alert is raised"
        );
    }
}
