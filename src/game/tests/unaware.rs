//! Players who do not know that their game is over: what they see, and what they decide.

use super::{
    agreements::CONSENT,
    table::{ACCEPT, ARBITER, BLACK, DECLINE, WHITE, claim, offer, restricted},
    *,
};

const RESIGN: Verb = Verb::Resign { player: None };
const PAUSE: Verb = Verb::Pause {};

/// The position occurs for the fifth time, and no one has stated it.
fn over(mut table: Table) -> Table {
    table.shuffle(4);
    assert!(table.game.ended().is_some());
    assert_eq!(table.ask(Role::Clock, offer()), Some(RefusalCode::BadValue));
    let alarm = table.alert(AlertCode::PlayAfterEnd);
    assert_eq!(alarm, None, "what is refused is no play after the end");
    table
}

/// The same players in a game that continues.
fn live(mut table: Table) -> Table {
    table.shuffle(3);
    assert!(table.game.ended().is_none());
    table
}

fn replies(
    table: &mut Table,
    asked: &[(Role, Verb)],
) -> Vec<(Option<RefusalCode>, Option<String>)> {
    let answers = (0..).zip(asked).map(|(n, (role, verb))| {
        let answer = table.command(&format!("asked-{n}"), *role, verb.clone());
        (answer.code, answer.message)
    });
    answers.collect()
}

#[test]
fn players_are_answered_as_in_a_running_game() {
    let adjust = || Verb::Adjust { player: None };
    let free: fn() -> Table = || Table::new(Confirm::Arbiter);
    let threefold = || claim(Claimed::Threefold, None);
    for (table, asked) in [
        (
            free,
            vec![
                (WHITE, PAUSE),
                (WHITE, PAUSE),
                (WHITE, offer()),
                (BLACK, DECLINE),
                (BLACK, offer()),
                (WHITE, adjust()),
                (WHITE, ACCEPT),
                (WHITE, ACCEPT),
                (BLACK, offer()),
                (WHITE, threefold()),
                (WHITE, adjust()),
                (BLACK, PAUSE),
                (BLACK, RESIGN),
            ],
        ),
        (
            free,
            vec![
                (WHITE, threefold()),
                (WHITE, claim(Claimed::FiftyMove, None)),
                (BLACK, RESIGN),
                (WHITE, RESIGN),
                (WHITE, offer()),
                (BLACK, DECLINE),
                (BLACK, PAUSE),
            ],
        ),
        (
            restricted as fn() -> Table,
            vec![
                (WHITE, offer()),
                (BLACK, ACCEPT),
                (BLACK, ACCEPT),
                (BLACK, DECLINE),
                (BLACK, offer()),
                (WHITE, PAUSE),
                (WHITE, RESIGN),
                (BLACK, ACCEPT),
            ],
        ),
        (
            restricted,
            vec![
                (WHITE, offer()),
                (
                    ARBITER,
                    Verb::Ack {
                        alert: "none".into(),
                    },
                ),
                (BLACK, ACCEPT),
                (BLACK, PAUSE),
            ],
        ),
    ] {
        let (mut unaware, mut aware) = (over(table()), live(table()));
        let end = unaware.game.result().cloned();
        assert_eq!(replies(&mut unaware, &asked), replies(&mut aware, &asked));
        assert_eq!(unaware.game.result().cloned(), end, "nothing changes it");
        // A resignation ends an offer as soon as it is known whether the opponent can mate.
        for table in [&mut unaware, &mut aware] {
            table.input(Input::Winnability {
                ply: table.game.ply(),
                position: table.game.position_seq(),
                can_mate: CanMate {
                    white: Some(true),
                    black: Some(true),
                },
            });
        }
        assert_eq!(unaware.game.result().cloned(), end, "nor does this");
        assert_eq!(
            unaware.game.offer_at_the_board().map(|offer| offer.by),
            aware.game.offer_at_the_board().map(|offer| offer.by),
            "players see their offers"
        );
        assert!(unaware.alert(AlertCode::PlayAfterEnd).is_some());
    }
}

#[test]
fn a_claim_in_a_game_that_is_over_is_checked_if_the_end_falls() {
    let mut table = over(Table::new(Confirm::Arbiter));
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert!(
        table.game.open_claim().is_none(),
        "there is nothing to rule on"
    );
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert!(table.game.open_claim().is_some(), "now there is");
}

#[test]
fn a_move_that_was_none_restores_an_offer_in_a_game_that_is_over() {
    let mut table = over(Table::new(Confirm::Arbiter));
    table.moves("g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.moves("g8f6");
    assert_eq!(table.game.offer_at_the_board(), None);
    table.input(Input::Withdraw);
    assert!(table.game.offer_at_the_board().is_some());
}

#[test]
fn what_was_decided_comes_into_force_when_the_end_falls() {
    let resigned = |table: &mut Table| assert_eq!(table.ask(BLACK, RESIGN), None);
    let agreed = |table: &mut Table| {
        assert_eq!(table.ask(WHITE, offer()), None);
        assert_eq!(table.ask(BLACK, ACCEPT), None);
    };
    let correct = |to_ply| Verb::Correct {
        to_ply,
        moves: Vec::new(),
    };
    let overrule = |table: &mut Table| assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    let correct = |table: &mut Table| assert_eq!(table.ask(ARBITER, correct(15)), None);
    let revise = |table: &mut Table| {
        let (uci, clock) = ("f6d5".into(), None);
        table.input(Input::Revise { uci, clock });
    };
    let withdraw = |table: &mut Table| drop(table.input(Input::Withdraw));
    let ways: [&dyn Fn(&mut Table); 4] = [&overrule, &correct, &revise, &withdraw];
    for falls in ways {
        let mut table = over(Table::new(Confirm::Arbiter));
        resigned(&mut table);
        assert!(table.game.is_at_rest(), "the players have gone");
        let alert = table.alert(AlertCode::PlayAfterEnd).unwrap();
        assert_eq!(alert.arguments["decided"], "resignation");
        assert_eq!(alert.arguments["by"], "black");
        falls(&mut table);
        let loss = table.game.pending_loss().expect("he has resigned");
        assert_eq!((loss.what, loss.loser), (LossBy::Resignation, Side::Black));

        let mut table = over(Table::new(Confirm::Arbiter));
        agreed(&mut table);
        falls(&mut table);
        let result = table.game.result().expect("they have agreed");
        assert_eq!(result.reason, ResultReason::Agreement);
        assert!(!result.confirmed, "the arbiter has to confirm it");
        assert!(table.alert(AlertCode::ResultToConfirm).is_some());
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        assert_eq!(table.game.result(), None, "he may let them play on");
    }
}

#[test]
fn an_announced_end_that_falls_later_still_leaves_what_was_decided() {
    let mut table = over(Table::new(Confirm::Arbiter));
    assert_eq!(table.ask(BLACK, RESIGN), None);
    let alert = table.alert(AlertCode::Fivefold).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert!(table.game.pending_loss().is_some());
}

#[test]
fn an_end_that_only_moves_leaves_a_resignation_behind_it() {
    let mut table = over(Table::new(Confirm::Arbiter));
    assert_eq!(table.ask(BLACK, RESIGN), None);
    let moves = vec!["Ng8".to_owned()];
    let same = Verb::Correct { to_ply: 15, moves };
    assert_eq!(table.ask(ARBITER, same), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Fivefold);
    assert!(table.game.decided_after_end().is_some());
}

#[test]
fn consent_does_not_undo_an_unannounced_end() {
    let mut table = over(restricted());
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    assert_eq!(table.ask(ARBITER, CONSENT), Some(RefusalCode::WrongState));
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Fivefold);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!(table.ask(ARBITER, CONSENT), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn no_claim_is_ruled_on_by_itself_in_a_game_that_is_over() {
    let mut table = over(Table::new(Confirm::Arbiter));
    let rules = Some(Box::new(Rules {
        confirm: Confirm::Automatic,
        ..Rules::default()
    }));
    let version = "2".to_owned();
    table.input(Input::Start { version, rules });
    let answer = table.command("1", WHITE, claim(Claimed::Threefold, None));
    assert_eq!((answer.ok, answer.message), (true, None));
    let [claim] = table.game.claims() else {
        panic!("{:?}", table.game.claims());
    };
    assert_eq!(claim.ruling, None);
    assert!(table.game.pause_state().is_some());
}
