//! What the arbiter chooses, and what the record becomes.

use super::*;

#[test]
fn the_arbiter_takes_the_accounts_version_by_a_correction() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3 b8c6"));
    // A move more, before the arbiter chooses.
    compared.writes(account("e2e4 e7e5 b1c3 b8c6 f1b5"), true);
    assert_eq!(compared.choose(AccountVersion::Account), None);
    let taken = "e2e4 e7e5 b1c3 b8c6 f1b5 a7a6";
    assert_eq!(
        compared.record(),
        taken,
        "the later move of the record stays"
    );
    assert_eq!(compared.alert(), None);
    let corrected = |fact: &Fact| matches!(fact, Fact::Corrected { to_ply: 2, .. });
    let chosen = |fact: &Fact| {
        matches!(
            fact,
            Fact::VersionChosen {
                account: AccountKind::Pgn,
                ply: 3,
                version: AccountVersion::Account,
                ..
            }
        )
    };
    assert_eq!(compared.table.count(corrected), 1);
    assert_eq!(compared.table.count(chosen), 1);
}

#[test]
fn all_moves_of_the_account_are_taken_also_those_after_the_alert() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3"));
    let long = "e2e4 e7e5 b1c3 b8c6 f1b5 a7a6 b5a4 g8f6 d2d3 f8c5 c1g5 d7d6 a2a3 a6a5 h2h3 h7h6 \
                g5h4 g7g5 h4g3 c8e6 g1f3 d8e7 d1d2 e8c8";
    compared.writes(account(long), false);
    let refused = compared.choose(AccountVersion::Account);
    assert_eq!(refused, Some(RefusalCode::Stale), "it may be half written");
    compared.writes(account(long), true);
    assert_eq!(compared.choose(AccountVersion::Account), None);
    assert_eq!(compared.record(), long);
}

#[test]
fn a_kept_record_is_not_asked_about_again_until_the_account_says_something_else_there() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3 b8c6"));
    let id = compared.alert().unwrap().id;
    assert_eq!(compared.choose(AccountVersion::Record), None);
    assert_eq!(compared.alert(), None);
    assert_eq!(compared.record(), "e2e4 e7e5 g1f3 b8c6");
    assert_eq!(compared.table.game.doubted_since(), None);
    compared.has(account("e2e4 e7e5 b1c3 b8c6 f1b5"));
    assert_eq!(compared.alert(), None, "the account goes on from there");
    let again = Verb::Choose {
        alert: id,
        version: AccountVersion::Record,
        dropped: None,
    };
    assert_eq!(
        compared.table.ask(ARBITER, again),
        Some(RefusalCode::NotFound)
    );
    compared.has(account("e2e4 e7e5 f1c4 b8c6"));
    let alert = compared.alert().expect("another move there");
    assert_eq!(alert.id, "accounts_differ-pgn.3.f1c4");
}

#[test]
fn after_a_choice_another_difference_counts_once_both_were_alike_again() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6 a2a3 a7a6 h2h3");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3 b8c6 a2a3 a7a6"));
    assert_eq!(compared.choose(AccountVersion::Record), None);
    compared.has(account("e2e4 e7e5 b1c3 b8c6 a2a3 a7a6 h2h4"));
    let alert = compared.alert().expect("a second difference");
    assert_eq!(alert.id, "accounts_differ-pgn.7.h2h4");
    // A line that is a move behind is one difference.
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 h2h3 h7h6 g1f3 b8c6 f1b5 a7a6"));
    assert_eq!(compared.choose(AccountVersion::Record), None);
    assert_eq!(compared.alert(), None);
}

#[test]
fn a_correction_by_hand_closes_the_difference_too() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3"));
    assert!(compared.alert().is_some());
    assert_eq!(compared.table.ask(ARBITER, correct(2, &["Nc3"])), None);
    assert_eq!(compared.alert(), None);
    compared.check();
    compared.waits(5_000);
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
}

#[test]
fn a_move_that_is_not_legal_in_the_record_is_not_taken() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6 a2a3 a7a6");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3 b8c6 a2a3 a7a6"));
    assert_eq!(compared.choose(AccountVersion::Record), None);
    compared.table.moves("h2h3");
    compared.has(account("e2e4 e7e5 b1c3 b8c6 a2a3 a7a6 c3d5"));
    let refused = compared.choose(AccountVersion::Account);
    assert_eq!(refused, Some(RefusalCode::BadValue));
    assert!(compared.alert().is_some(), "it stays open");
    assert_eq!(compared.table.game.ply(), 7);
}

#[test]
fn what_the_account_does_not_say_any_more_is_not_taken() {
    let differing = || {
        let mut compared = Compared::new("e2e4 e7e5 g1f3");
        compared.has(account("e2e4 e7e5"));
        compared.has(account("e2e4 e7e5 b1c3 b8c6 f1b5"));
        assert!(compared.alert().is_some());
        compared
    };
    for (now, is_settled) in [
        // Rewritten behind the same first move, half written, shorter, elsewhere, agreeing.
        ("e2e4 e7e5 b1c3 d7d5 e4d5 g8f6", true),
        ("e2e4 e7e5 b1c3 b8c6 f1b5 g8f6", false),
        ("e2e4 e7e5 b1c3", true),
        ("e2e4 c7c5", true),
        ("e2e4 e7e5 g1f3 b8c6", true),
    ] {
        let mut compared = differing();
        compared.writes(account(now), is_settled);
        let refused = compared.choose(AccountVersion::Account);
        assert_eq!(refused, Some(RefusalCode::Stale), "{now}");
        assert_eq!(compared.record(), "e2e4 e7e5 g1f3");
    }
    // What it said last is all that a lost account has.
    let mut compared = differing();
    compared.watch.lose("it does not exist".to_owned());
    assert_eq!(compared.choose(AccountVersion::Account), None);
    assert_eq!(compared.record(), "e2e4 e7e5 b1c3 b8c6 f1b5");
}

#[test]
fn a_board_in_doubt_is_not_taken_over() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5 b1c3 b8c6"));
    compared.writes(
        Account {
            doubted_since: Some(4),
            ..account("e2e4 e7e5 b1c3 b8c6 f1b5")
        },
        true,
    );
    let refused = compared.choose(AccountVersion::Account);
    assert_eq!(refused, Some(RefusalCode::Stale));
}

#[test]
fn moves_of_the_record_are_lost_only_if_the_arbiter_says_how_many() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6 f3g5 h7h6");
    compared.has(account("e2e4 e7e5 b1c3 b8c6"));
    // The knight that moves later is still at home.
    let alert = compared.alert().expect("an alert");
    assert_eq!(alert.arguments["dropped"], 2);
    let refused = compared.choose(AccountVersion::Account);
    assert_eq!(refused, Some(RefusalCode::BadValue));
    let refused = compared.choose_dropping(AccountVersion::Account, Some(1));
    assert_eq!(refused, Some(RefusalCode::Stale));
    assert_eq!(compared.record(), "e2e4 e7e5 g1f3 b8c6 f3g5 h7h6");
    let code = compared.choose_dropping(AccountVersion::Account, Some(2));
    assert_eq!(code, None);
    assert_eq!(compared.record(), "e2e4 e7e5 b1c3 b8c6");
}

#[test]
fn later_moves_of_the_record_stay_if_all_of_them_are_legal() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
    compared.has(account("e2e4 e7e5 b1c3"));
    assert_eq!(compared.alert().unwrap().arguments["dropped"], 0);
    assert_eq!(compared.choose(AccountVersion::Account), None);
    assert_eq!(compared.record(), "e2e4 e7e5 b1c3 b8c6 f1b5 a7a6");
}
