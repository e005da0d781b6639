//! What an open difference holds back, and what closes it.

use super::*;
use remisd_vocabulary::seq::EntrySeq;

#[test]
fn while_it_is_open_claims_are_the_arbiters_also_where_they_are_ruled_on_automatically() {
    let claims = |differs: bool| {
        let mut compared = Compared::new("");
        compared.table = Table::new(Confirm::Automatic);
        compared.has(account(""));
        compared.table.shuffle(2);
        let other = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 b8c6";
        compared.has(account(if differs { other } else { "g1f3" }));
        let claimed = compared.table.ask(WHITE, THREEFOLD);
        assert_eq!(claimed, None);
        compared
    };
    let compared = claims(true);
    assert_eq!(compared.table.game.result(), None);
    let claim = compared
        .table
        .game
        .open_claim()
        .expect("it waits for the arbiter");
    assert_eq!(claim.finding, Some(Finding::ArbiterDecides));
    assert_eq!(
        compared.alert().unwrap().level,
        Level::Red,
        "a claim rests on it"
    );
    assert!(claims(false).table.game.result().is_some());
}

#[test]
fn while_the_record_is_in_doubt_itself_a_difference_there_waits() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(account("e2e4 e7e5"));
    compared.table.input(Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 1,
    });
    compared.has(account("e2e4 e7e5 b1c3"));
    assert_eq!(compared.standing(), &AccountStanding::Waits { since: 3 });
    assert_eq!(compared.alert(), None);
    compared.table.input(Input::Agreed);
    compared.check();
    compared.waits(5_000);
    assert!(compared.alert().is_some());
}

/// A record and an account that differ at ply 3, under these rules.
fn differing(confirm: Confirm) -> Compared {
    let mut compared = Compared::new("");
    compared.table = Table::new(confirm);
    compared.table.moves("e2e4 e7e5 g1f3 b8c6");
    compared.has(account("e2e4 e7e5"));
    compared.has(account("e2e4 e7e5 b1c3 b8c6"));
    assert!(compared.alert().is_some());
    compared
}

#[test]
fn nothing_but_the_same_move_there_closes_it() {
    let with = |account: Account, tags: &[(&str, &str)]| Account {
        tags: tagged("", tags).tags,
        ..account
    };
    let same = || account("e2e4 e7e5 b1c3 b8c6");
    for other in [
        // Cut back, emptied, another round, other players, another position.
        account("e2e4 e7e5"),
        account(""),
        with(same(), &[("Round", "9")]),
        with(same(), &[("White", "Bakker"), ("Black", "Visser")]),
        Account {
            start: Chess::default().swap_turn().unwrap(),
            ..account("")
        },
    ] {
        let mut compared = differing(Confirm::Arbiter);
        let headers = [("White", "Smit"), ("Black", "Jansen"), ("Round", "3")];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let headers = Verb::Headers {
            headers: headers.into(),
        };
        assert_eq!(compared.table.ask(ARBITER, headers), None);
        let tags = format!("{other:?}");
        compared.has(other);
        compared.waits(60_000);
        assert!(compared.alert().is_some(), "{tags}");
        assert_eq!(compared.table.game.account_differs_since(), Some(3));
        compared.has(account("e2e4 e7e5 g1f3"));
        assert_eq!(compared.alert(), None);
    }
}

#[test]
fn another_spelling_of_names_and_round_changes_nothing() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6");
    let of = |moves, tags: [&str; 3]| {
        let [white, black, round] = tags;
        tagged(
            moves,
            &[("White", white), ("Black", black), ("Round", round)],
        )
    };
    compared.has(of("e2e4 e7e5", ["Smit", "Jansen", "3"]));
    compared.has(of("e2e4 e7e5", ["Smit, A.", "Jansen, P.", "3.1"]));
    compared.has(of("e2e4 e7e5 b1c3", ["?", "?", "?"]));
    assert!(compared.alert().is_some());
    compared.has(of("e2e4 e7e5 b1c3", ["Smits, A.", "Janssen, P.", "3.1"]));
    assert!(compared.alert().is_some());
}

#[test]
fn a_board_that_is_contradicted_does_not_close_it() {
    let mut compared = differing(Confirm::Automatic);
    compared.has(Account {
        doubted_since: Some(1),
        ..account("e2e4 e7e5 g1f3 b8c6")
    });
    assert!(compared.alert().is_some());
    assert_eq!(compared.table.game.account_differs_since(), Some(3));
    compared.has(account("e2e4 e7e5 g1f3 b8c6"));
    assert_eq!(compared.alert(), None);
}

#[test]
fn a_difference_where_a_board_is_contradicted_waits_and_holds_claims() {
    let mut compared = Compared::new("");
    compared.table = Table::new(Confirm::Automatic);
    compared.table.shuffle(2);
    let other = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 b8c6";
    compared.has(Account {
        doubted_since: Some(7),
        ..account(other)
    });
    assert_eq!(compared.standing(), &AccountStanding::Waits { since: 7 });
    assert_eq!(compared.alert(), None);
    assert_eq!(compared.table.ask(WHITE, THREEFOLD), None);
    assert_eq!(compared.table.game.result(), None);
    let claim = compared.table.game.open_claim().expect("it waits");
    assert_eq!(claim.finding, Some(Finding::ArbiterDecides));
}

#[test]
fn ends_that_rest_on_it_wait_for_the_arbiter_too() {
    let mates = |differs: bool| {
        let mut compared = Compared::new("");
        compared.table = Table::new(Confirm::Automatic);
        compared.has(account(""));
        compared.table.moves("f2f3 e7e5");
        compared.has(account(if differs { "f2f3 e7e6" } else { "f2f3" }));
        compared.table.moves("g2g4 d8h4");
        let result = compared.table.game.result().expect("checkmate").clone();
        result.confirmed
    };
    assert!(mates(false));
    assert!(!mates(true));
}

#[test]
fn a_ruling_on_a_claim_does_not_confirm_them() {
    let mut compared = Compared::new("");
    compared.table = Table::new(Confirm::Automatic);
    compared.has(account(""));
    compared.table.moves("f2f3 e7e5");
    compared.has(account("f2f3 e7e6"));
    assert_eq!(compared.table.ask(WHITE, THREEFOLD), None);
    compared.table.moves("g2g4 d8h4");
    assert_eq!(compared.table.ask(ARBITER, INCORRECT), None);
    let result = compared.table.game.result().expect("checkmate");
    assert!(!result.confirmed);
}

#[test]
fn a_doubt_that_waits_for_the_arbiter_does_not_hide_it() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3 b8c6");
    compared.has(account("e2e4 e7e5"));
    let lost = LostEntries::new(EntrySeq::new(1), EntrySeq::new(2));
    compared.table.input(Input::EntriesLost {
        lost: vec![lost],
        since: Some(1),
        earlier: None,
    });
    assert_eq!(compared.table.game.uncertain_since(), Some(1));
    compared.has(account("e2e4 e7e5 b1c3"));
    assert!(compared.alert().is_some());
}

#[test]
fn a_word_that_is_no_legal_move_is_a_version() {
    let unreadable = |moves| Account {
        unreadable: Some("Nxe4".to_owned()),
        ..account(moves)
    };
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    compared.has(unreadable("e2e4 e7e5 g1f3"));
    assert_eq!(compared.standing(), &AccountStanding::Agrees);
    compared.table.moves("b8c6");
    compared.check();
    compared.waits(5_000);
    let alert = compared.alert().expect("an alert");
    assert_eq!(alert.arguments["differs"], "word");
    assert_eq!(alert.arguments["word"], "Nxe4");
    assert_eq!(compared.table.game.account_differs_since(), Some(4));
    let refused = compared.choose(AccountVersion::Account);
    assert_eq!(refused, Some(RefusalCode::BadValue));
    assert_eq!(compared.choose(AccountVersion::Record), None);
    assert_eq!(compared.alert(), None);
    compared.has(account("e2e4 e7e5 g1f3 d7d6"));
    assert!(compared.alert().is_some(), "another version there");
}

#[test]
fn two_finished_games_of_different_length_differ() {
    let over = |moves| Account {
        result: Some(Score::WhiteWins),
        ..account(moves)
    };
    let mut compared = Compared::new("e2e4 e7e5");
    compared.has_result(Score::WhiteWins);
    compared.has(over("e2e4 e7e5 g1f3 b8c6"));
    let alert = compared.alert().expect("the account has more");
    assert_eq!(
        (&alert.arguments["ply"], &alert.arguments["record"]),
        (&3.into(), &().into())
    );
    assert_eq!(alert.arguments["other"], "2.Nf3 Nc6");
    compared.has(over("e2e4 e7e5"));
    assert_eq!(compared.alert(), None);
    compared.has(over("e2e4"));
    let alert = compared.alert().expect("the record has more");
    assert_eq!(
        (&alert.arguments["ply"], &alert.arguments["other"]),
        (&2.into(), &().into())
    );
    assert_eq!(alert.arguments["dropped"], 1);
    let code = compared.choose_dropping(AccountVersion::Account, Some(1));
    assert_eq!(code, None);
    assert_eq!(compared.record(), "e2e4");
}

#[test]
fn it_stays_in_view_when_the_game_is_left() {
    let leave = |compared: &mut Compared| {
        let game = compared.table.game.number();
        compared.table.start_array();
        assert_eq!(compared.alert(), None);
        let left = compared.table.game.unresolved_matters()[0].clone();
        assert_eq!(
            (left.game, left.what, left.ply),
            (game, UnresolvedKind::Accounts, 3)
        );
        let versions = left.versions.unwrap();
        assert_eq!(versions.record.unwrap(), "2.Nf3 Nc6");
        assert_eq!(versions.other.unwrap(), "2.Nc3 Nc6");
        assert!(compared.table.alert(AlertCode::LeftUndecided).is_some());
        let again = restarted(&compared.table.game.carried());
        assert_eq!(
            again.game.unresolved_matters(),
            compared.table.game.unresolved_matters()
        );
    };
    leave(&mut differing(Confirm::Arbiter));
    let mut ended = differing(Confirm::Arbiter);
    ended.has_result(Score::Draw);
    leave(&mut ended);
    // A position that is set up leaves it too, and nobody but the arbiter may do so.
    let mut compared = differing(Confirm::Arbiter);
    let setup = || Verb::Setup {
        fen: "4k3/8/8/8/8/8/8/4K2R w - - 3 40".to_owned(),
    };
    let new_game = || Verb::NewGame {
        start_fen: None,
        laws: None,
        rate: None,
        headers: BTreeMap::new(),
    };
    let operator = Role::Operator;
    assert!(compared.table.ask(operator, setup()).is_some());
    assert!(compared.table.ask(operator, new_game()).is_some());
    assert_eq!(compared.table.ask(ARBITER, setup()), None);
    let left = &compared.table.game.unresolved_matters()[0];
    assert_eq!((left.what, left.ply), (UnresolvedKind::Accounts, 3));
}

#[test]
fn a_difference_that_does_not_count_yet_is_kept_when_the_game_is_left() {
    let mut compared = Compared::new("e2e4 e7e5 g1f3");
    let pending = |compared: &Compared| {
        compared
            .watch
            .pending_difference(&compared.table.game, compared.now)
    };
    compared.has(account("e2e4 e7e5"));
    assert_eq!(pending(&compared), None);
    compared.writes(account("e2e4 e7e5 b1c3"), true);
    compared.waits(1_999);
    assert_eq!(pending(&compared), None);
    compared.waits(1);
    assert_eq!(compared.alert(), None);
    let input = pending(&compared);
    compared.table.input(input.expect("both differ"));
    compared.table.start_array();
    let left = &compared.table.game.unresolved_matters()[0];
    assert_eq!((left.what, left.ply), (UnresolvedKind::Accounts, 3));
}

/// The same game to a last king move to the centre; after the result it may only be its sign.
fn with_last_king_move(is_sign: bool) -> Account {
    let mut account = account("e2e4 a7a5 e1e2 a5a4 e2d3 a4a3 d3d4");
    account.result = Some(Score::WhiteWins);
    if is_sign {
        account.signs = account.moves.split_off(6);
    }
    account
}

#[test]
fn a_last_king_move_that_the_record_has_is_no_sign_of_the_result() {
    let line = "e2e4 a7a5 e1e2 a5a4 e2d3 a4a3";
    for record in [format!("{line} d3d4"), line.to_owned()] {
        for is_sign in [true, false] {
            let mut compared = Compared::new(&record);
            compared.has_result(Score::WhiteWins);
            compared.has(with_last_king_move(is_sign));
            let agrees = is_sign || record.ends_with("d3d4");
            assert_eq!(compared.alert().is_none(), agrees, "{record} {is_sign}");
        }
    }
}
