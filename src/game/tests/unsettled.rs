//! Commands that come while a move is on the board that is not settled yet.

use super::{
    table::{ARBITER, BLACK, CORRECT, WHITE, claim, correct, offer, under},
    *,
};
use remisd_laws::{self as laws, AgreementRule, Regulations, Remark};

const RESIGN: Verb = Verb::Resign { player: None };

#[test]
fn an_offer_after_the_own_move_is_regular_before_the_move_is_settled() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.clock(300_000, 300_000, Some(Side::White));
    assert_eq!(table.ask_over("g1f3", WHITE, offer()), None);
    let standing = table.game.standing_offer().unwrap();
    assert_eq!((standing.regular, standing.ply), (Some(true), 3));
    table.moves("g1f3");
    assert_eq!(table.game.offer_marks(), [(3, Side::White)]);
    assert!(table.game.standing_offer().is_some());

    // It is not the opponent's moment.
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.clock(300_000, 300_000, Some(Side::White));
    assert_eq!(table.ask_over("g1f3", BLACK, offer()), None);
    let standing = table.game.standing_offer().unwrap();
    assert_eq!((standing.regular, standing.ply), (Some(false), 2));
}

#[test]
fn the_move_that_stands_counts_for_the_rule_of_the_event() {
    let restricted = |moves: &str| {
        let mut table = Table::under(Rules {
            regulations: Regulations {
                agreement: AgreementRule::NotBefore(2),
                ..Regulations::default()
            },
            ..Rules::default()
        });
        table.moves("e2e4 e7e5 g1f3");
        assert_eq!(table.ask_over(moves, BLACK, offer()), None);
        table.game.standing_offer().unwrap().restricted
    };
    assert!(!restricted("b8c6"));
    assert!(restricted("b8b4"), "that is no move");
}

#[test]
fn a_player_who_has_moved_on_the_board_may_have_lost_the_right_to_claim() {
    for (edition, touched) in [(&laws::FIDE_2001, false), (&laws::FIDE_2023, true)] {
        let mut table = under(edition, Confirm::Automatic);
        table.shuffle(2);
        if touched {
            table.touch(Side::White, "e2");
        }
        let claimed = claim(Claimed::Threefold, None);
        assert_eq!(table.ask_over("e2e4", WHITE, claimed), None);
        assert_eq!(table.game.result(), None, "{}", edition.id);
        let made = table.game.open_claim().unwrap();
        assert_eq!(made.remarks.last(), Some(&Remark::MoveMadeBefore));
        let contested = made.contested.as_ref().unwrap();
        assert_eq!(contested.made.as_ref().unwrap().san, "e4");
        let alert = table.alert(AlertCode::ClaimContested).unwrap();
        assert_eq!(alert.arguments["move"], "e4");

        let player = Some(Side::White);
        assert_eq!(table.ask(ARBITER, Verb::Adjust { player }), None);
        let made = table.game.open_claim().unwrap();
        assert_eq!(made.contested, None);
        assert!(!made.remarks.contains(&Remark::MoveMadeBefore));
        assert_eq!(table.ask(ARBITER, CORRECT), None);
        assert_eq!(table.game.result().unwrap().score, Score::Draw);
    }
}

/// White stalemates with Qg6, and Black resigns before the move is settled.
fn resigned_over_stalemate(confirm: Confirm) -> Table {
    let mut table = under(&laws::FIDE_2018, confirm);
    let fen = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1";
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    assert_eq!(table.ask_over("g5g6", BLACK, RESIGN), None);
    assert_eq!(table.game.result(), None);
    assert!(!table.game.is_at_rest(), "the move is waited for");
    let alert = table.alert(AlertCode::DecisionNeeded).unwrap();
    assert_eq!(alert.arguments["waits_for"], "move");
    assert_eq!(alert.arguments["move"], "Qg6");
    assert_eq!(table.ask(WHITE, offer()), Some(RefusalCode::WrongState));
    table
}

#[test]
fn a_resignation_waits_for_a_move_that_ends_the_game() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = resigned_over_stalemate(confirm);
        table.moves("g5g6");
        assert_eq!(table.game.result().unwrap().reason, ResultReason::Stalemate);
        assert_eq!(table.alert(AlertCode::DecisionNeeded), None);
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        let result = table.game.result().unwrap();
        assert_eq!(
            result.reason,
            ResultReason::Resignation,
            "it was no stalemate"
        );

        let mut table = resigned_over_stalemate(confirm);
        table.moves("g5g1");
        let result = table.game.result().unwrap();
        assert_eq!(result.reason, ResultReason::Resignation);
        assert_eq!(result.score, Score::WhiteWins);

        let mut table = resigned_over_stalemate(confirm);
        let (score, game) = (Score::WhiteWins, None);
        assert_eq!(table.ask(ARBITER, Verb::Result { score, game }), None);
        assert_eq!(table.alert(AlertCode::DecisionNeeded), None);
        assert_eq!(table.game.held_resignation(), None);
    }
}

#[test]
fn a_corrected_move_is_not_the_one_that_a_resignation_waits_for() {
    let mut table = under(&laws::FIDE_2018, Confirm::Arbiter);
    let fen = "6k1/8/5K2/6Q1/8/8/8/8 b - - 0 1";
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    table.moves("g8h8");
    assert_eq!(table.ask_over("g5g6", BLACK, RESIGN), None);
    assert_eq!(table.ask(ARBITER, correct(0, &["Kh8"])), None);
    assert!(table.game.held_resignation().is_some());
    table.moves("g5g6");
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Stalemate);
}

#[test]
fn a_resignation_over_any_other_move_counts_immediately() {
    for unsettled in ["g5g1", "g5h6", "nonsense", "a1a2"] {
        let mut table = under(&laws::FIDE_2018, Confirm::Arbiter);
        let fen = "7k/8/5K2/6Q1/8/8/7p/8 w - - 0 1";
        assert_eq!(table.ask(ARBITER, setup(fen)), None);
        assert_eq!(table.ask_over(unsettled, BLACK, RESIGN), None);
        let result = table.game.result().unwrap();
        assert_eq!(result.reason, ResultReason::Resignation, "{unsettled}");
    }
}

#[test]
fn a_command_of_an_older_journal_has_no_move_beside_it() {
    let line = r#"{"type":"command","id":"1","role":"white","verb":"offer","arguments":{}}"#;
    let input: Input = serde_json::from_str(line).unwrap();
    assert_eq!(serde_json::to_string(&input).unwrap(), line);
}
