//! Claims that are made when a flag is down. The clock reports the flag, and the arbiter decides
//! whether anyone had noticed it (6.8).

use super::{
    table::{ARBITER, WHITE, claim, short_of_time, under, unwritten},
    *,
};
use remisd_laws::{self as laws, Remark};

fn flag_of(player: Side) -> Verb {
    Verb::Ruling(Ruling::Flag { player })
}

/// What the arbiter should know, by its word.
fn remarks(claim: &ClaimRecord) -> Vec<String> {
    let words = claim.remarks.iter().map(serde_json::to_value);
    words
        .map(|word| word.unwrap().as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_claim_after_a_flag_has_fallen_is_for_the_arbiter() {
    for flag in [Side::White, Side::Black] {
        let mut table = Table::new(Confirm::Automatic);
        table.shuffle(2);
        table.flag(flag);
        assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
        assert_eq!(table.game.result(), None, "nobody draws it by himself");
        let made = table.game.open_claim().unwrap();
        assert_eq!(made.finding, Some(Finding::ArbiterDecides));
        assert_eq!(remarks(made), ["flag_fallen"]);
        assert_eq!(made.plies, [0, 4, 8]);
        let alert = table.alert(AlertCode::ClaimMade).unwrap();
        assert_eq!(alert.arguments["after_flag"], "yes");
        assert_eq!(table.ask(ARBITER, flag_of(flag)), None, "it came first");
    }
}

#[test]
fn a_claim_before_the_flag_has_no_such_remark_and_goes_before_it() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    table.flag(Side::White);
    let made = table.game.open_claim().unwrap();
    assert!(made.remarks.is_empty());
    assert_eq!(made.finding, Some(Finding::Correct));
    let refused = table.ask(ARBITER, flag_of(Side::White));
    assert_eq!(refused, Some(RefusalCode::WrongState));

    // A flag on which was ruled is not news.
    let mut table = under(&laws::FIDE_2009, Confirm::Arbiter);
    table.shuffle(2);
    table.flag(Side::White);
    let both = Verb::Ruling(Ruling::BothFlags { last_period: false });
    assert_eq!(table.ask(ARBITER, both), None);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    assert_eq!(
        table.game.open_claim().unwrap().finding,
        Some(Finding::Correct)
    );
}

#[test]
fn what_is_unwritten_stays_so_after_a_flag() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.flag(Side::White);
    assert_eq!(table.ask(WHITE, unwritten()), None);
    let made = &table.game.claims()[0];
    assert_eq!(made.finding, Some(Finding::DefectiveNotWritten));
    assert!(!made.remarks.contains(&Remark::RecordIncomplete));
}

#[test]
fn the_last_two_minutes_end_with_the_flag() {
    for (edition, kind) in [
        (&laws::FIDE_2001, Claimed::Quickplay),
        (&laws::FIDE_2014, Claimed::Quickplay),
        (&laws::FIDE_2014, Claimed::Increment),
        (&laws::FIDE_2023, Claimed::Increment),
    ] {
        let mut table = short_of_time(edition);
        table.flag(Side::White);
        let refused = table.command("late", WHITE, claim(kind, None));
        assert_eq!(refused.code, Some(RefusalCode::NotAdmissible));
        assert!(refused.message.unwrap().contains("flag"), "{kind:?}");

        // The opponent's flag is another matter: the arbiter knows which was noticed first.
        let mut table = short_of_time(edition);
        table.flag(Side::Black);
        assert_eq!(table.ask(WHITE, claim(kind, None)), None);
        let made = table.game.open_claim().unwrap();
        assert_eq!(remarks(made), ["flag_fallen"]);
        assert_eq!(table.ask(ARBITER, flag_of(Side::Black)), None);
    }
}
