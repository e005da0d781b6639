//! Draws that wait for the arbiter's consent.

use super::{
    table::{ACCEPT, ARBITER, BLACK, DECLINE, WHITE, accepted, offer, restricted, under},
    *,
};
use remisd_laws as laws;

pub(super) const CONSENT: Verb = Verb::Ruling(Ruling::Agreement { consent: true });
const NO_CONSENT: Verb = Verb::Ruling(Ruling::Agreement { consent: false });

#[test]
fn an_accepted_offer_is_not_refused_any_more() {
    let mut table = accepted();
    assert_eq!(table.ask(BLACK, DECLINE), Some(RefusalCode::NotAdmissible));
    table.touch(Side::Black, "b8");
    table.moves("b8c6 f1b5");
    assert!(table.game.pending_agreement().is_some());
    assert_eq!(table.game.undecided()[0].what, UnresolvedKind::Agreement);
    assert!(table.alert(AlertCode::AgreementRestricted).is_some());
    table.start_array();
    let alert = table.alert(AlertCode::LeftUndecided).unwrap();
    assert_eq!(alert.arguments["what"], "agreement");

    let mut table = accepted();
    table.moves("b8c6");
    assert_eq!(table.ask(ARBITER, CONSENT), None);
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn without_consent_play_since_then_has_refused_the_offer() {
    let mut table = accepted();
    assert_eq!(table.ask(ARBITER, NO_CONSENT), None);
    assert!(
        table.game.standing_offer().is_some(),
        "nobody has played on"
    );
    for touches in [false, true] {
        let mut table = accepted();
        table.touch(Side::Black, "b8");
        if !touches {
            table.moves("b8c6");
        }
        assert!(table.game.standing_offer().is_some());
        assert_eq!(table.ask(ARBITER, NO_CONSENT), None);
        assert_eq!(table.game.standing_offer(), None);
        assert_eq!(table.ask(BLACK, ACCEPT), Some(RefusalCode::WrongState));
    }
}

#[test]
fn an_end_by_the_laws_goes_before_a_consent_that_comes_later() {
    let mut table = restricted();
    table.moves("f2f3 e7e5 g2g4");
    assert_eq!(table.ask(WHITE, offer()), None);
    assert_eq!(table.ask(BLACK, ACCEPT), None);
    table.moves("d8h4");
    let mate = table.game.result().cloned();
    for ruling in [CONSENT, NO_CONSENT] {
        let answer = table.command(&format!("{ruling:?}"), ARBITER, ruling);
        assert_eq!(answer.code, Some(RefusalCode::WrongState));
        assert!(answer.message.unwrap().contains("0-1, after ply 4"));
        assert_eq!(table.game.result().cloned(), mate);
    }
    table.input(Input::Withdraw);
    assert_eq!(table.game.result(), None);
    assert_eq!(table.ask(ARBITER, CONSENT), None, "it was no mate");
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Agreement);
}

#[test]
fn a_draw_that_is_agreed_without_play_raises_an_alert_where_the_edition_allows_it() {
    for (edition, article) in [
        (&laws::FIDE_1997, Some("12.1")),
        (&laws::FIDE_2009, Some("12.1")),
        (&laws::FIDE_2014, Some("11.1")),
    ] {
        let mut table = under(edition, Confirm::Arbiter);
        table.moves("e2e4");
        assert_eq!(table.ask(WHITE, offer()), None);
        assert_eq!(table.ask(BLACK, ACCEPT), None);
        assert_eq!(table.game.result().unwrap().score, Score::Draw);
        let agreed_alert = |table: &Table| {
            let mut open = table.game.alerts().open().iter();
            open.find(|alert| alert.code.as_str() == "agreed_without_play")
                .cloned()
        };
        let alert = agreed_alert(&table).expect(edition.id);
        assert_eq!(alert.article.as_deref(), article);
        assert_eq!(alert.level, Level::Amber);
        table.start_array();
        assert_eq!(agreed_alert(&table), None);

        let mut table = under(edition, Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        assert_eq!(table.ask(BLACK, offer()), None);
        assert_eq!(table.ask(WHITE, ACCEPT), None);
        assert_eq!(agreed_alert(&table), None, "they have played");
    }
}
