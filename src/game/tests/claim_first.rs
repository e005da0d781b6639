//! A claim goes before what comes after it, and the game continues when it is answered.

use super::{
    table::{ARBITER, BLACK, CORRECT, INCORRECT, WHITE, claim, correct, decide, under},
    *,
};
use remisd_laws::{self as laws, QuickplayDecision, TimeChange};

const RESIGN: Verb = Verb::Resign { player: None };
const NOT_ADMISSIBLE: Verb = Verb::Ruling(Ruling::Claim {
    correct: false,
    admissible: false,
});

/// Whether the clock runs again, and the journal says for whom.
fn resumed(table: &Table) -> bool {
    let resumed = table.count(|fact| matches!(fact, Fact::Resumed { .. })) == 1;
    assert_eq!(resumed, table.game.pause_state().is_none());
    resumed
}

#[test]
fn a_claim_that_fails_lets_the_clock_run_again() {
    for ruling in [INCORRECT, NOT_ADMISSIBLE] {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
        assert!(!resumed(&table));
        assert_eq!(table.ask(ARBITER, ruling), None);
        assert!(resumed(&table));
        let white = |fact: &Fact| {
            matches!(
                fact,
                Fact::Resumed {
                    running: Side::White
                }
            )
        };
        assert_eq!(table.count(white), 1);
    }
    let mut table = Table::new(Confirm::Automatic);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert!(resumed(&table), "nobody else would");

    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert!(table.game.pause_state().is_some(), "the game is over");
}

#[test]
fn a_decision_in_the_last_two_minutes_lets_the_clock_run_again() {
    for (edition, kind, decision) in [
        (
            &laws::FIDE_2001,
            Claimed::Quickplay,
            QuickplayDecision::Reject,
        ),
        (
            &laws::FIDE_2001,
            Claimed::Quickplay,
            QuickplayDecision::Postpone,
        ),
        (
            &laws::FIDE_2023,
            Claimed::Increment,
            QuickplayDecision::Increment,
        ),
        (
            &laws::FIDE_2023,
            Claimed::Increment,
            QuickplayDecision::Reject,
        ),
    ] {
        let mut table = Table::under(Rules {
            regulations: laws::Regulations {
                quickplay_announced: true,
                ..laws::Regulations::new(edition, Rate::Standard)
            },
            ..Rules::default()
        });
        table.moves("e2e4 e7e5");
        table.clock(100_000, 100_000, Some(Side::White));
        assert_eq!(table.ask(WHITE, claim(kind, None)), None);
        assert_eq!(table.ask(ARBITER, decide(decision)), None);
        assert!(resumed(&table), "{decision:?}");
    }
}

#[test]
fn a_resignation_waits_for_the_claim_that_came_before_it() {
    for by in [WHITE, BLACK] {
        let claimed = || {
            let mut table = under(&laws::FIDE_2018, Confirm::Arbiter);
            table.shuffle(2);
            assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
            assert_eq!(table.ask(by, RESIGN), None);
            assert_eq!(table.game.result(), None, "the claim came first");
            assert_eq!(table.ask(by, RESIGN), Some(RefusalCode::WrongState));
            let alert = table.alert(AlertCode::DecisionNeeded).unwrap();
            assert_eq!(alert.arguments["what"], "resignation");
            assert_eq!(alert.arguments["waits_for"], "claim");
            table
        };
        let mut table = claimed();
        assert_eq!(table.ask(ARBITER, CORRECT), None);
        let result = table.game.result().unwrap();
        assert_eq!(result.reason, ResultReason::ThreefoldClaim);

        for ruling in [INCORRECT, NOT_ADMISSIBLE] {
            let mut table = claimed();
            assert_eq!(table.ask(ARBITER, ruling), None);
            let result = table.game.result().unwrap();
            assert_eq!(result.reason, ResultReason::Resignation);
            let winner = if by == WHITE {
                Score::BlackWins
            } else {
                Score::WhiteWins
            };
            assert_eq!(result.score, winner);
        }

        let mut table = claimed();
        let left = table.game.undecided();
        let what: Vec<UnresolvedKind> = left.iter().map(|left| left.what).collect();
        assert_eq!(what, [UnresolvedKind::Claim, UnresolvedKind::Resignation]);
        table.start_array();
        assert_eq!(table.game.unresolved_matters().len(), 2);
        assert_eq!(table.alert(AlertCode::DecisionNeeded), None);
    }
}

#[test]
fn a_resignation_that_waits_is_not_forgotten_over_an_end_that_came_before_it() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(3);
    table.moves("g1f3 g8f6 f3g1 f6d5");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(BLACK, RESIGN), None);
    assert_eq!(table.ask(ARBITER, correct(15, &["Ng8"])), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Fivefold);
    assert_eq!(table.game.held_resignation(), None);
    let decided = table.game.decided_after_end().unwrap();
    assert_eq!(
        (decided.what, decided.by),
        (Decided::Resignation, Some(Side::Black))
    );
}

#[test]
fn a_resignation_waits_for_the_claim_when_the_end_that_went_before_both_falls() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(BLACK, RESIGN), None);
    let play_on = Verb::Result {
        score: Score::None,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, play_on), None);
    assert_eq!(table.game.result(), None);
    let held = table.game.held_resignation().unwrap();
    assert_eq!(held.waits_for, WaitsFor::Claim);
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.reason, ResultReason::ThreefoldClaim);
}

#[test]
fn a_resignation_that_waited_loses_the_game_if_the_claim_turns_out_to_be_wrong() {
    let mut table = resigned_behind_claim();
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.game.result().unwrap().score, Score::Draw);
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    let held = table.game.held_resignation().unwrap();
    assert_eq!(held.waits_for, WaitsFor::Claim, "it is open again");
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    let result = table.game.result().unwrap();
    assert_eq!(
        (result.score, result.reason),
        (Score::WhiteWins, ResultReason::Resignation)
    );
}

#[test]
fn a_resignation_waits_again_when_a_result_was_entered_at_the_wrong_board() {
    let mut table = resigned_behind_claim();
    let before = table.game.held_resignation().cloned();
    assert_eq!(table.ask(ARBITER, result(Score::WhiteWins)), None);
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    assert_eq!(table.game.result(), None);
    assert!(table.game.open_claim().is_some());
    assert_eq!(table.game.held_resignation().cloned(), before);
}

#[test]
fn what_was_decided_after_an_end_outlives_a_result_at_the_wrong_board() {
    let mut table = under(&laws::FIDE_2018, Confirm::Arbiter);
    table.shuffle(4);
    assert_eq!(table.ask(BLACK, RESIGN), None);
    assert_eq!(table.ask(ARBITER, result(Score::BlackWins)), None);
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    assert_eq!(
        table.game.result().map(|result| result.reason),
        Some(ResultReason::Resignation)
    );
}

#[test]
fn a_position_that_is_set_up_leaves_a_resignation_that_waits_in_view() {
    let mut table = resigned_behind_claim();
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".to_owned();
    assert_eq!(table.ask(ARBITER, Verb::Setup { fen }), None);
    assert_eq!(table.game.held_resignation(), None);
    let left = table.game.unresolved_matters();
    let left: Vec<_> = left.iter().map(|left| (left.what, left.by)).collect();
    assert_eq!(left, [(UnresolvedKind::Resignation, Some(Side::Black))]);
    assert!(table.game.open_claim().is_some(), "it is checked on");
}

/// A claim of White's, and a resignation of Black's that came after it.
fn resigned_behind_claim() -> Table {
    let mut table = under(&laws::FIDE_2018, Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(BLACK, RESIGN), None);
    assert!(table.game.held_resignation().is_some());
    table
}

const fn result(score: Score) -> Verb {
    Verb::Result { score, game: None }
}

#[test]
fn no_offer_stands_again_while_a_resignation_waits() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert!(table.game.standing_offer().is_some(), "the claim is one");
    assert_eq!(table.ask(BLACK, RESIGN), None);
    assert_eq!(table.ask(ARBITER, correct(7, &["Ng8"])), None);
    assert_eq!(table.game.standing_offer(), None);
    assert!(table.game.held_resignation().is_some());
}

#[test]
fn a_clock_that_the_arbiter_has_stopped_is_not_started_by_a_claim() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves("e2e4 e7e5");
    assert_eq!(table.ask(ARBITER, Verb::Pause {}), None);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.game.open_claim(), None, "ruled at once");
    assert!(table.game.pause_state().is_some());
}

#[test]
fn a_claim_goes_before_an_illegal_move_that_loses() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    let illegal = || {
        Verb::Ruling(Ruling::IllegalMove {
            player: Side::Black,
            claimed: false,
            withdrawn: false,
        })
    };
    assert_eq!(table.ask(ARBITER, illegal()), None);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    let refused = table.command("x", ARBITER, illegal());
    assert_eq!(refused.code, Some(RefusalCode::WrongState));
    assert!(refused.message.unwrap().contains("claim of ply 8"));
    assert_eq!(
        table.game.illegal_moves(),
        shakmaty::ByColor { white: 0, black: 1 },
        "nothing was counted"
    );
    assert_eq!(table.ask(ARBITER, CORRECT), None);
    assert_eq!(table.game.result().unwrap().score, Score::Draw);
}

#[test]
fn a_claim_behind_a_secret_end_does_not_outlive_the_ply_that_it_rests_on() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    table.moves("g1f3 g8f6");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.game.claims()[0].finding, Some(Finding::Correct));
    table.input(Input::Withdraw);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    let open = table.game.open_claim().unwrap();
    assert_eq!(open.finding, Some(Finding::ArbiterDecides));
}

#[test]
fn a_second_penalty_rests_on_what_the_clock_shows_after_the_first() {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.clock(150_000, 600_000, Some(Side::White));
    let wrong = |table: &mut Table| {
        assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
        assert_eq!(table.ask(ARBITER, INCORRECT), None);
        table.game.adjustments().last().unwrap().clone()
    };
    let first = wrong(&mut table);
    assert_eq!(first.white, TimeChange::AddMs(-75_000));
    let second = wrong(&mut table);
    assert_eq!(second.white, TimeChange::Unknown, "who has set the clock?");
    assert_eq!(second.black, TimeChange::AddMs(180_000));
    for adjustment in [first, second] {
        let alert = format!("clock_adjustment-{}", adjustment.number());
        assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    }
    table.clock(75_000, 960_000, Some(Side::White));
    assert_eq!(wrong(&mut table).white, TimeChange::SetMs(60_000));
}
