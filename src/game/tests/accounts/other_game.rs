//! Accounts of other games.

use super::*;

#[test]
fn the_game_before_is_not_compared_when_the_record_begins_another_one_first() {
    let old = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5";
    let mut compared = Compared::new(old);
    compared.has(account(old));
    compared.table.start_array();
    compared.check();
    assert_eq!(compared.is_other(), Some(OtherGame::Earlier));
    compared.table.moves("e2e4 c7c5");
    compared.check();
    compared.waits(60_000);
    assert_eq!(compared.alert(), None);
    assert_eq!(
        compared.is_other(),
        Some(OtherGame::Earlier),
        "it is visible"
    );
    compared.has(account(""));
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
    compared.has(account("e2e4 c7c6"));
    assert!(compared.alert().is_some(), "the same game again");
}

#[test]
fn the_game_before_is_not_compared_when_the_record_begins_two_games_in_a_row() {
    let old = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5";
    let mut compared = Compared::new(old);
    compared.has(account(old));
    // The pieces are set up, and then the arbiter begins the round.
    for _ in 0..2 {
        compared.table.start_array();
        compared.waits(5_000);
    }
    compared.table.moves("d2d4 d7d5");
    compared.waits(60_000);
    assert_eq!(compared.alert(), None);
    assert_eq!(compared.is_other(), Some(OtherGame::Earlier));
}

#[test]
fn the_next_game_is_not_compared_when_the_account_begins_it_first() {
    let old = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5";
    let mut compared = Compared::new(old);
    compared.has(account(old));
    compared.has_result(Score::Draw);
    compared.has(account("d2d4"));
    assert_eq!(compared.is_other(), Some(OtherGame::Next));
    assert_eq!(compared.alert(), None);
    compared.table.start_array();
    compared.table.moves("d2d4");
    compared.has(account("d2d4 d7d5"));
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
    compared.table.moves("g8f6");
    compared.check();
    compared.waits(5_000);
    assert!(compared.alert().is_some());
}

#[test]
fn other_players_another_round_or_start_are_another_game() {
    let mut compared = Compared::new("e2e4");
    let headers = [
        ("White", "Smit, A."),
        ("Black", "Jansen, P"),
        ("Round", "3"),
    ];
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let headers = Verb::Headers {
        headers: headers.into(),
    };
    assert_eq!(compared.table.ask(ARBITER, headers), None);
    compared.has(tagged("d2d4", &[("White", "Bakker"), ("Black", "Visser")]));
    assert_eq!(compared.is_other(), Some(OtherGame::Players));
    compared.has(tagged("d2d4", &[("White", "A. SMIT"), ("Round", "4.12")]));
    assert_eq!(compared.is_other(), Some(OtherGame::Round));
    let start = "4k3/8/8/8/8/8/8/4K2R w - - 3 40".parse::<shakmaty::fen::Fen>();
    let start = start.unwrap();
    let elsewhere = Account {
        start: start
            .into_position(shakmaty::CastlingMode::Standard)
            .unwrap(),
        ..account("")
    };
    compared.has(elsewhere);
    assert_eq!(compared.is_other(), Some(OtherGame::Start));
    assert_eq!(compared.alert(), None);
    compared.has(tagged(
        "d2d4",
        &[("White", "A. SMIT"), ("Black", "P. Jansen")],
    ));
    assert!(compared.alert().is_some(), "one spelling or the other");
}

#[test]
fn without_a_result_the_next_game_of_the_account_is_a_difference() {
    let old = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";
    let mut compared = Compared::new(old);
    compared.has(account(old));
    compared.has(account("d2d4"));
    assert!(
        compared.alert().is_some(),
        "nothing shows that it is another game"
    );
}

#[test]
fn the_next_game_of_the_account_does_not_close_a_difference() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
    compared.has(account("e2e4 e7e5 g1f3 b8c6 f1b5 a7a6"));
    compared.has(account("e2e4 e7e5 g1f3 b8c6 f1c4"));
    let id = compared.alert().expect("a difference").id;
    compared.has_result(Score::Draw);
    compared.has(account("d2d4"));
    compared.waits(60_000);
    assert_eq!(compared.alert().expect("it stays").id, id);
}

#[test]
fn a_game_that_the_arbiter_begins_anew_after_the_first_move_is_compared() {
    let mut compared = Compared::new("");
    compared.has(account("e2e4"));
    compared.table.start_array();
    compared.check();
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
    compared.table.moves("e2e4 e7e5");
    compared.has(account("e2e4 c7c5"));
    assert!(compared.alert().is_some());
}

#[test]
fn the_second_game_of_a_match_is_compared_whoever_begins_it() {
    let named = |moves| {
        tagged(
            moves,
            &[("White", "Smit"), ("Black", "Jansen"), ("Round", "1")],
        )
    };
    let old = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";
    // The record first, and the account goes from one game to the other in one step.
    let mut compared = Compared::new(old);
    compared.has(named(old));
    compared.has_result(Score::Draw);
    compared.table.start_array();
    compared.check();
    assert_eq!(compared.is_other(), Some(OtherGame::Earlier));
    compared.table.moves("d2d4 d7d5");
    compared.has(named("d2d4 g8f6"));
    assert!(compared.alert().is_some());
    // The account first.
    let mut compared = Compared::new(old);
    compared.has(named(old));
    compared.has_result(Score::Draw);
    compared.has(named(""));
    compared.has(named("d2d4"));
    assert_eq!(compared.alert(), None);
    compared.table.start_array();
    compared.table.moves("d2d4 d7d5");
    compared.has(named("d2d4 g8f6"));
    assert!(compared.alert().is_some());
}

#[test]
fn an_early_difference_is_found_at_the_start_of_the_daemon() {
    let mut compared = Compared::new("e2e4 c7c5 g1f3 d7d6 d2d4 c5d4 f3d4 g8f6 b1c3 a7a6 c1g5 e7e6");
    compared.has(account("e2e4 e7e5"));
    assert!(compared.alert().is_some());
}

#[test]
fn an_account_that_is_not_compared_is_a_matter_for_the_arbiter() {
    let old = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6";
    let mut compared = Compared::new(old);
    compared.has(account(old));
    compared.has_result(Score::Draw);
    compared.table.start_array();
    compared.check();
    compared.table.moves("d2d4 d7d5 c2c4");
    compared.check();
    assert_eq!(compared.not_compared(), None, "it may begin a little later");
    compared.table.moves("e7e6");
    compared.check();
    assert_eq!(compared.not_compared().unwrap(), "earlier");
    compared.has(account("d2d4 d7d5"));
    assert_eq!(compared.not_compared(), None);
}

#[test]
fn the_same_first_moves_as_in_the_game_before_are_no_other_game() {
    let mut compared = Compared::new("e2e4");
    compared.has(account("e2e4"));
    compared.table.start_array();
    compared.table.moves("e2e4 e7e5");
    compared.has(account("e2e4 c7c5"));
    assert!(compared.alert().is_some());
}
