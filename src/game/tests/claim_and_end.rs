//! A claim that was made before the game ended on the board goes before that end, and comes
//! back when the ruling on it falls.

use super::{
    table::{
        ARBITER, CORRECT, FOOLS_MATE, INCORRECT, THREEFOLD, WHITE, claim, decide, new_game,
        postponed, setup,
    },
    *,
};
use remisd_laws as laws;

/// White claims after ply 8, no one rules, and Black mates at ply 12.
fn mated_behind_a_claim(confirm: Confirm) -> Table {
    let mut table = Table::new(confirm);
    table.shuffle(2);
    // Only the arbiter rules on what was touched.
    table.touch(Side::White, "f2");
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    table.moves(FOOLS_MATE);
    assert_eq!(table.game.ended().map(|(ply, _)| ply), Some(12));
    table
}

#[test]
fn a_claim_stays_in_view_when_a_mate_is_played_behind_it() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = mated_behind_a_claim(confirm);
        assert_eq!(table.game.open_claim().map(|claim| claim.ply), Some(8));
        assert!(table.alert(AlertCode::ClaimMade).is_some());
        assert!(table.alert(AlertCode::GameOver).is_some());
        let left = table.game.undecided();
        assert_eq!(left.len(), 1);
        assert_eq!((left[0].what, left[0].ply), (UnresolvedKind::Claim, 8));
        assert!(!table.game.result().unwrap().confirmed, "{confirm:?}");
        let refused = table.ask(Role::Operator, new_game());
        assert_eq!(refused, Some(RefusalCode::WrongState));

        let before = table.game.number();
        table.start_array();
        assert_eq!(
            table.game.unresolved_matters()[0].what,
            UnresolvedKind::Claim
        );
        assert_eq!(table.game.unconfirmed()[0].game, before);
    }
}

#[test]
fn a_correct_claim_goes_before_the_mate_that_was_played_behind_it() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = mated_behind_a_claim(confirm);
        assert_eq!(table.ask(ARBITER, CORRECT), None);
        let result = table.game.result().unwrap();
        assert_eq!(
            (result.score, result.reason, result.ply, result.confirmed),
            (Score::Draw, ResultReason::ThreefoldClaim, 8, true)
        );
        assert_eq!(table.game.ended(), None);
        assert_eq!(table.alert(AlertCode::GameOver), None);
        assert_eq!(table.alert(AlertCode::ClaimMade), None);
        assert_eq!(table.game.first_end().map(|(ply, _)| ply), Some(12));
    }
}

#[test]
fn behind_an_incorrect_claim_the_mate_stands() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = mated_behind_a_claim(confirm);
        let mate = table.alert(AlertCode::GameOver).unwrap().id;
        let ack = || Verb::Ack {
            alert: mate.clone(),
        };
        let refused = table.command("early", ARBITER, ack());
        assert_eq!(refused.code, Some(RefusalCode::WrongState));
        assert!(refused.message.unwrap().contains("claim of ply 8"));
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
        let result = table.game.result().unwrap();
        assert_eq!(
            (result.score, result.reason, result.ply),
            (Score::BlackWins, ResultReason::Checkmate, 12)
        );
        assert_eq!(result.confirmed, confirm == Confirm::Automatic);
        assert!(table.game.pause_state().is_some(), "no clock runs again");
        assert_eq!(table.alert(AlertCode::ClaimMade), None);
        assert_eq!(table.ask(ARBITER, ack()), None);
        assert!(table.game.result().unwrap().confirmed);
    }
}

#[test]
fn a_claim_goes_before_a_fifth_occurrence_that_comes_after_it() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    table.shuffle(2);
    assert_eq!(table.game.ended().map(|(ply, _)| ply), Some(16));
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    let result = table.game.result().unwrap();
    assert_eq!(
        (result.reason, result.ply),
        (ResultReason::ThreefoldClaim, 8)
    );

    // Whoever claims after it claims in a game that is over.
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(table.game.open_claim(), None);
    assert_eq!(table.ask(ARBITER, CORRECT), Some(RefusalCode::WrongState));
}

#[test]
fn a_mate_that_stood_on_the_board_goes_before_the_claim() {
    let mut table = Table::new(Confirm::Arbiter);
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    assert_eq!(table.ask_over("a1a8", WHITE, THREEFOLD), None);
    table.moves("a1a8");
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Checkmate);
    assert_eq!(table.game.open_claim(), None);
    assert_eq!(table.alert(AlertCode::ClaimMade), None);
}

#[test]
fn the_draw_is_that_of_the_claim_when_its_announced_move_was_played() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(
        table.ask(WHITE, claim(Claimed::Threefold, Some("Nf3"))),
        None
    );
    table.moves("g1f3");
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.ply, 8);
    assert_eq!(result.announced.as_ref().unwrap().uci(), Some("g1f3"));
}

#[test]
fn a_claim_that_was_granted_by_mistake_is_ruled_on_anew() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(WHITE, THREEFOLD), None);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!(table.game.result(), None);
    assert_eq!(table.game.open_claim().map(|claim| claim.ply), Some(2));
    assert!(table.alert(AlertCode::ClaimMade).is_some());
    assert!(table.game.pause_state().is_some());
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert_eq!(table.game.adjustments().len(), 1);
    assert_eq!(table.game.pause_state(), None);

    // The mate that was played after it is there again, too.
    let mut table = mated_behind_a_claim(Confirm::Arbiter);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert!(table.game.open_claim().is_some());
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Checkmate);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert_eq!(table.game.result().unwrap().score, Score::BlackWins);
}

#[test]
fn a_claim_in_the_last_two_minutes_that_was_granted_by_mistake_is_decided_anew() {
    let mut table = postponed(&laws::FIDE_2001);
    let draw = || decide(laws::QuickplayDecision::Draw);
    assert_eq!(table.ask(ARBITER, draw()), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Quickplay);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert!(table.alert(AlertCode::DecisionPostponed).is_some());
    assert_eq!(table.ask(ARBITER, draw()), None);
}
