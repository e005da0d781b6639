//! How long a difference must last, and what a restart remembers.

use super::*;

#[test]
fn a_difference_counts_after_five_seconds_of_the_same_text_or_three_texts() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    compared.writes(account("e2e4 e7e5 b1c3"), false);
    compared.waits(20_000);
    assert_eq!(compared.alert(), None, "the text may be half written");
    compared.writes(account("e2e4 e7e5 g1f3"), false);
    compared.waits(5_000);
    compared.writes(account("e2e4 e7e5 b1c3"), true);
    compared.waits(4_999);
    assert_eq!(compared.alert(), None);
    compared.waits(1);
    assert!(compared.alert().is_some());

    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    for growing in [
        "e2e4 e7e5 b1c3",
        "e2e4 e7e5 b1c3 b8c6",
        "e2e4 e7e5 b1c3 b8c6 a2a3",
    ] {
        assert_eq!(compared.alert(), None);
        compared.writes(account(growing), false);
        compared.waits(2_500);
    }
    compared.waits(2_500);
    assert!(compared.alert().is_some(), "it never stands still");
}

#[test]
fn a_lost_account_keeps_the_difference_and_says_why() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3"));
    compared.watch.lose("it does not exist".to_owned());
    compared.check();
    compared.waits(5_000);
    assert!(compared.alert().is_some());
    assert_eq!(compared.lost(), Some("it does not exist"));
    compared.has(account("e2e4 e7e5 b1c3"));
    assert_eq!(compared.lost(), None);
}

#[test]
fn a_restart_continues_with_the_difference_and_with_the_choice() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6");
    compared.has(account("e2e4 e7e5"));
    let other = || account("e2e4 e7e5 b1c3 b8c6");
    compared.has(other());
    let entries = compared.inputs.len();
    compared.restarts();
    compared.check();
    assert!(compared.alert().is_some(), "nothing was read yet");
    compared.has(other());
    assert!(compared.alert().is_some());
    assert_eq!(compared.choose(AccountVersion::Record), None);
    compared.restarts();
    compared.has(other());
    assert_eq!(compared.alert(), None);
    assert_eq!(compared.inputs.len(), entries + 1, "agreed, by choice");
}

#[test]
fn an_account_that_flaps_is_reported() {
    let one = "e2e4 e7e5 g1f3 b8c6";
    let two = "e2e4 e7e5 b1c3 b8c6";
    // Each stands still for a while, or none ever does.
    for is_settled in [true, false] {
        let mut compared = Compared::new("e2e4 e7e5 g1f3");
        compared.has(account("e2e4 e7e5"));
        for _ in 0..8 {
            for text in [one, two] {
                compared.writes(account(text), is_settled);
                compared.waits(3_000);
            }
        }
        assert!(compared.alert().is_some(), "settled: {is_settled}");
    }
}

#[test]
fn a_file_that_is_missing_now_and_then_is_compared_all_the_same() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    for _ in 0..3 {
        compared.writes(account("e2e4 e7e5 b1c3"), true);
        compared.waits(2_000);
        compared.watch.lose("it does not exist".to_owned());
        compared.waits(1_000);
    }
    assert!(compared.alert().is_some());
    let report = compared.table.game.account(AccountKind::Pgn).unwrap();
    assert_eq!(report.lost, None, "never for five seconds");
}

#[test]
fn a_text_that_is_never_there_for_long_is_compared_in_the_end() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    for _ in 0..8 {
        compared.writes(account("e2e4 e7e5 b1c3"), false);
        compared.waits(2_000);
        compared.watch.lose("it does not exist".to_owned());
        compared.waits(1_000);
    }
    compared.waits(5_000);
    assert!(compared.alert().is_some());
}

#[test]
fn a_half_written_text_does_not_count_because_it_is_lost() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    compared.writes(account("e2e4 e7e5 b1c3"), false);
    compared.watch.lose("it does not exist".to_owned());
    compared.check();
    compared.waits(60_000);
    assert_eq!(compared.alert(), None);
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
}

#[test]
fn a_lost_account_is_a_matter_for_the_arbiter_while_the_game_is_played() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6");
    compared.has(account("e2e4 e7e5"));
    compared.watch.lose("it does not exist".to_owned());
    compared.check();
    compared.waits(5_000);
    assert_eq!(compared.not_compared().unwrap(), "lost");
    compared.has_result(Score::Draw);
    assert_eq!(compared.not_compared(), None);
}

#[test]
fn an_account_is_visible_before_it_was_read() {
    let mut compared = Compared::new("e2e4");
    compared.check();
    assert_eq!(compared.standing(), &AccountStanding::Unread);
    // After a restart what was known stays.
    compared.has(account("e2e4"));
    compared.restarts();
    compared.check();
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
}

#[test]
fn a_text_that_grows_slowly_is_compared_without_its_newest_words() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6");
    compared.has(account("e2e4"));
    for growing in ["e2e4 e7e5", "e2e4 e7e5 g1f3", "e2e4 e7e5 g1f3 b8a6"] {
        compared.writes(account(growing), false);
        compared.waits(60_000);
    }
    assert_eq!(compared.alert(), None, "the last move may be half written");
    compared.writes(account("e2e4 e7e5 g1f3 b8c6"), true);
    compared.waits(60_000);
    assert_eq!(compared.alert(), None);
}

/// Forty-two plies without a capture or a repetition that counts.
fn long_game() -> Vec<String> {
    let steps = [('2', '3', '7', '6'), ('3', '4', '6', '5')];
    let mut plies = Vec::new();
    for (from, to, black_from, black_to) in steps {
        for file in 'a'..='h' {
            plies.push(format!("{file}{from}{file}{to}"));
            plies.push(format!("{file}{black_from}{file}{black_to}"));
        }
    }
    let rooks = "a1a2 a8a7 h1h2 h8h7 a2a1 a7a8 h2h1 h7h8 b1c3 b8c6";
    plies.extend(rooks.split(' ').map(str::to_owned));
    plies
}

#[test]
fn an_account_that_is_far_behind_is_lost_until_it_goes_on() {
    let game = long_game();
    for (kind, plies, lasting) in [
        (AccountKind::Board, 8, 5_000),
        (AccountKind::LiveChess, 16, 30_000),
        (AccountKind::Pgn, 40, 5_000),
    ] {
        let mut compared = Compared::with(kind, &game[..=plies].join(" "));
        compared.has(account(&game[..2].join(" ")));
        compared.waits(60_000);
        assert_eq!(compared.lost(), None, "{kind:?}");
        compared.table.moves(&game[plies + 1]);
        compared.check();
        compared.waits(lasting - 1);
        assert_eq!(compared.lost(), None, "{kind:?}");
        compared.waits(1);
        let lost = format!("{plies} or more plies behind");
        assert_eq!(compared.lost(), Some(&*lost));
        assert_eq!(compared.not_compared().unwrap(), "lost");
        compared.has(account(&game[..3].join(" ")));
        compared.waits(lasting);
        assert_eq!(compared.lost(), None, "{kind:?}: it goes on");
    }
}
