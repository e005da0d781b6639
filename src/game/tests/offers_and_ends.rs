//! Offers and agreements after an end of the game that is removed later.

use super::{
    agreements::CONSENT,
    table::{ACCEPT, ARBITER, BLACK, INCORRECT, WHITE, claim, offer, restricted, under},
    *,
};
use remisd_laws as laws;

fn result(score: Score) -> Verb {
    let game = None;
    Verb::Result { score, game }
}

fn adjust(player: Side) -> Verb {
    let player = Some(player);
    Verb::Adjust { player }
}

#[test]
fn an_offer_stands_again_when_the_result_was_entered_at_the_wrong_board() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(ARBITER, result(Score::WhiteWins)), None);
    assert_eq!(table.game.offer_at_the_board(), None);
    let facts = table.facts.len();
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    let restored = |fact: &Fact| matches!(fact, Fact::OfferRestored { by: Side::White });
    assert!(table.facts[facts..].iter().any(restored));
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn an_offer_stands_again_when_the_mate_was_none() {
    let mut table = Table::new(Confirm::Automatic);
    table.moves("f2f3 e7e5 g2g4");
    assert_eq!(table.ask(BLACK, offer()), None);
    table.moves("d8h4");
    assert!(table.game.result().is_some());
    let uci = "d8g5".into();
    table.input(Input::Revise { uci, clock: None });
    assert!(table.game.standing_offer().is_some());
    assert_eq!(table.ask(WHITE, ACCEPT), None);
}

#[test]
fn an_offer_that_was_answered_before_the_end_does_not_come_back() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(ARBITER, result(Score::WhiteWins)), None);
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    assert_eq!(table.ask(BLACK, Verb::Decline { player: None }), None);
    assert_eq!(table.ask(ARBITER, result(Score::WhiteWins)), None);
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    assert_eq!(table.game.standing_offer(), None);

    // Nor does one of another game.
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(ARBITER, result(Score::WhiteWins)), None);
    table.start_array();
    table.moves("e2e4");
    assert_eq!(table.ask(ARBITER, result(Score::WhiteWins)), None);
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    assert_eq!(table.game.standing_offer(), None);
}

#[test]
fn no_move_after_an_end_refuses_what_both_have_agreed_on_before_it() {
    let mut table = restricted();
    table.game.rules.confirm = Confirm::Automatic;
    table.shuffle(3);
    table.moves("g1f3 g8f6 f3g1");
    assert_eq!(table.ask(BLACK, offer()), None);
    assert_eq!(table.ask(WHITE, ACCEPT), None);
    assert!(table.game.pending_agreement().is_some());
    table.moves("f6g8");
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Fivefold);
    table.moves("g1f3");
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    assert!(table.game.pending_agreement().is_some());
    assert_eq!(table.ask(ARBITER, CONSENT), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn an_agreement_still_waits_for_consent_when_an_announced_end_falls() {
    let mut table = restricted();
    table.shuffle(4);
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    let alert = table.alert(AlertCode::Fivefold).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    assert_eq!(table.ask(ARBITER, result(Score::None)), None);
    assert!(table.game.pending_agreement().is_some());
    assert!(table.alert(AlertCode::AgreementRestricted).is_some());
    assert_eq!(table.ask(ARBITER, CONSENT), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn a_claim_does_not_wipe_out_what_an_accidental_touch_has_refused() {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.touch(Side::Black, "g8");
    assert_eq!(table.game.standing_offer(), None);
    assert_eq!(table.ask(BLACK, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(ARBITER, adjust(Side::Black)), None);
    let standing = table.game.standing_offer().unwrap();
    assert_eq!((standing.by, standing.by_claim), (Side::White, false));
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn the_ruling_on_a_claim_does_not_wipe_it_out_either() {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.touch(Side::Black, "g8");
    assert_eq!(table.ask(BLACK, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert_eq!(table.ask(ARBITER, adjust(Side::Black)), None);
    let standing = table.game.standing_offer().unwrap();
    assert_eq!((standing.by, standing.by_claim), (Side::White, false));
}

#[test]
fn play_after_an_end_refuses_what_was_offered_before_it() {
    for played_on in [false, true] {
        let mut table = Table::new(Confirm::Automatic);
        table.shuffle(3);
        table.moves("g1f3 g8f6 f3g1");
        // Black offers before he makes the move that ends the game.
        assert_eq!(table.ask(BLACK, offer()), None);
        table.moves("f6g8");
        assert_eq!(table.game.result().unwrap().reason, ResultReason::Fivefold);
        if played_on {
            table.moves("g1f3");
        }
        assert_eq!(table.ask(ARBITER, result(Score::None)), None);
        assert_eq!(table.game.standing_offer().is_some(), !played_on);
    }
}

#[test]
fn a_claim_does_not_wipe_out_what_a_move_has_refused_that_was_none() {
    let mut table = under(&laws::FIDE_2001, Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(WHITE, offer()), None);
    table.moves("b8c6");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    table.input(Input::Withdraw);
    let standing = table.game.standing_offer().unwrap();
    assert_eq!((standing.by, standing.by_claim), (Side::White, false));
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(table.game.standing_offer().is_some(), "it is his own");
}

#[test]
fn touches_that_meant_nothing_restore_only_what_they_had_refused() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.touch(Side::White, "g1");
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    table.moves("g1f3");
    table.touch(Side::Black, "b8");
    assert_eq!(table.game.standing_offer(), None, "Black has refused it");
    assert_eq!(table.ask(ARBITER, adjust(Side::White)), None);
    assert_eq!(table.game.open_claim().unwrap().contested, None);
    assert_eq!(table.game.standing_offer(), None);
    assert_eq!(table.ask(ARBITER, adjust(Side::Black)), None);
    assert!(table.game.standing_offer().is_some());
}
