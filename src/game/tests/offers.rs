//! Draw offers, and what answers them.

use super::{
    table::{ACCEPT, ARBITER, BLACK, DECLINE, INCORRECT, WHITE, claim, offer, under},
    *,
};
use remisd_laws::{self as laws, Regulations};

#[test]
fn an_offer_stands_until_it_is_answered() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    table.clock(300_000, 300_000, Some(Side::White));
    assert_eq!(table.ask(WHITE, offer()), None);
    let standing = table.game.standing_offer().unwrap();
    assert_eq!((standing.by, standing.regular), (Side::White, Some(true)));
    assert_eq!(table.ask(WHITE, DECLINE), Some(RefusalCode::NotAdmissible));
    assert_eq!(table.ask(WHITE, ACCEPT), Some(RefusalCode::WrongState));
    assert_eq!(table.ask(BLACK, DECLINE), None);
    assert_eq!(table.game.standing_offer(), None);
    table.moves("e7e5");
    assert_eq!(table.ask(BLACK, offer()), None);
    assert_eq!(table.ask(WHITE, ACCEPT), None);
    let result = table.game.result().unwrap();
    assert_eq!(result.reason, ResultReason::Agreement);
    assert!(!result.confirmed, "the arbiter has not seen it yet");
    assert!(
        table.game.status().is_closed(),
        "5.2.3: it ends the game at once"
    );
    assert_eq!(
        table.game.offer_marks(),
        [(1, Side::White), (2, Side::Black)]
    );
}

#[test]
fn touching_a_piece_refuses_an_offer_from_2001_and_adjusting_does_not() {
    for (edition, refused) in [(&laws::FIDE_1997, false), (&laws::FIDE_2001, true)] {
        let mut table = under(edition, Confirm::Arbiter);
        table.moves("e2e4");
        table.ask(WHITE, offer());
        assert_eq!(table.ask(BLACK, Verb::Adjust { player: None }), None);
        table.touch(Side::Black, "g8");
        assert!(table.game.standing_offer().is_some(), "{}", edition.id);
        table.moves("e7e5 g1f3");
        table.ask(WHITE, offer());
        table.touch(Side::Black, "b8");
        assert_eq!(
            table.game.standing_offer().is_none(),
            refused,
            "{}",
            edition.id
        );
        let restored = Verb::Adjust {
            player: Some(Side::Black),
        };
        assert_eq!(table.ask(ARBITER, restored), None);
        assert!(table.game.standing_offer().is_some(), "{}", edition.id);
        table.moves("b8c6");
        assert!(table.game.standing_offer().is_none(), "a move refuses");
    }
}

#[test]
fn agreement_needs_a_move_each_and_the_arbiters_consent_where_the_event_says_so() {
    let mut regulations = Regulations::new(&laws::FIDE_2023, Rate::Standard);
    regulations.agreement = laws::AgreementRule::NotBefore(2);
    let mut table = Table::under(Rules {
        regulations,
        ..Rules::default()
    });
    table.moves("e2e4");
    table.ask(WHITE, offer());
    assert!(table.game.standing_offer().unwrap().restricted);
    assert_eq!(table.ask(BLACK, ACCEPT), Some(RefusalCode::NotAdmissible));
    table.moves("e7e5 g1f3");
    table.ask(WHITE, offer());
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    assert_eq!(table.game.result(), None, "it must not stand");
    assert!(table.game.pending_agreement().is_some());
    let no = Verb::Ruling(Ruling::Agreement { consent: false });
    assert_eq!(table.ask(ARBITER, no), None);
    assert!(table.game.pending_agreement().is_none());
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    let yes = Verb::Ruling(Ruling::Agreement { consent: true });
    assert_eq!(table.ask(ARBITER, yes), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn checking_a_claim_leaves_the_opponents_own_offer() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    table.ask(WHITE, offer());
    assert_eq!(table.ask(BLACK, claim(Claimed::Threefold, None)), None);
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    assert!(
        table
            .game
            .standing_offer()
            .is_some_and(|offer| !offer.by_claim)
    );
    assert_eq!(table.ask(BLACK, ACCEPT), None);
}

#[test]
fn an_offer_that_is_repeated_while_it_stands_is_counted() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask(WHITE, offer()), None);
    let first = table.game.standing_offer().unwrap().clone();
    assert_eq!(table.alert(AlertCode::OfferRepeated), None);
    for times in 2..5 {
        assert_eq!(table.ask(WHITE, offer()), Some(RefusalCode::WrongState));
        let alert = table.alert(AlertCode::OfferRepeated).unwrap();
        assert_eq!(alert.arguments["count"], times);
        let standing = table.game.standing_offer().unwrap().clone();
        let first = first.clone();
        assert_eq!(standing, StandingOffer { times, ..first }, "as it was");
    }
    assert_eq!(table.ask(BLACK, offer()), Some(RefusalCode::WrongState));
    assert_eq!(table.game.standing_offer().unwrap().times, 4, "his are his");
    assert_eq!(table.game.offer_marks(), [(1, Side::White)]);
    assert_eq!(table.ask(BLACK, DECLINE), None);
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.game.standing_offer().unwrap().times, 5);
}

#[test]
fn claims_without_ground_are_counted_where_the_edition_calls_them_a_distraction() {
    for (edition, article) in [
        (&laws::FIDE_1997, None),
        (&laws::FIDE_2001, Some("12.5")),
        (&laws::FIDE_2005, Some("12.6")),
        (&laws::FIDE_2023, Some("11.5")),
    ] {
        let mut table = under(edition, Confirm::Automatic);
        table.moves("e2e4 e7e5");
        let repeated = |table: &Table| {
            let mut open = table.game.alerts().open().iter();
            open.find(|alert| alert.code.as_str() == "claims_repeated")
                .cloned()
        };
        assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
        assert_eq!(repeated(&table), None, "once is no again");
        assert_eq!(table.ask(WHITE, claim(Claimed::FiftyMove, None)), None);
        let alert = repeated(&table);
        assert_eq!(alert.as_ref().and_then(|a| a.article.as_deref()), article);
        let Some(alert) = alert else { continue };
        assert_eq!(alert.arguments["by"], "white");
        assert_eq!(alert.arguments["count"], 2);
        assert_eq!(table.ask(ARBITER, Verb::Ack { alert: alert.id }), None);
        assert_eq!(repeated(&table), None, "he has seen it");
        assert_eq!(table.ask(WHITE, claim(Claimed::FiftyMove, None)), None);
        assert_eq!(repeated(&table).unwrap().arguments["count"], 3);
    }
}
