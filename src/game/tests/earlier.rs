//! The results of games that were left.

use super::{
    table::{ARBITER, ROOK, accepted, claim, correct, new_game, restarted, setup},
    *,
};
use remisd_vocabulary::{reading::MismatchReason, seq::EntrySeq};

fn entered(score: Score, game: EntrySeq) -> Verb {
    let game = Some(game);
    Verb::Result { score, game }
}

fn results(game: &Game) -> Vec<(EntrySeq, Score)> {
    let results = game.earlier_results();
    let results = results.map(|left| (left.game, left.result.as_ref().unwrap().score));
    results.collect()
}

#[test]
fn a_game_with_moves_that_is_left_is_named_in_amber_until_its_result_is_entered() {
    let begin: [fn(&mut Table); 2] = [
        |table| {
            table.start_array();
        },
        |table| assert_eq!(table.ask(ARBITER, new_game()), None),
    ];
    for begin in begin {
        let mut table = Table::new(Confirm::Arbiter);
        let game = table.game.number();
        begin(&mut table);
        assert_eq!(
            table.alert(AlertCode::LeftUndecided),
            None,
            "no ply, no alert"
        );
        let empty = game;
        let game = table.game.number();
        table.moves("e2e4 e7e5");
        begin(&mut table);
        let alert = table.alert(AlertCode::LeftUndecided).unwrap();
        assert_eq!(alert.level, Level::Amber);
        assert_eq!(alert.arguments["game"], game.get());
        assert_eq!(alert.arguments["what"], "game");
        assert_eq!(alert.arguments["ply"], 2);
        let again = restarted(&table.game.carried());
        assert_eq!(again.alert(AlertCode::LeftUndecided).unwrap().id, alert.id);
        let stale = Some(RefusalCode::Stale);
        assert_eq!(table.ask(ARBITER, entered(Score::Draw, empty)), stale);
        assert_eq!(table.ask(ARBITER, entered(Score::Draw, game)), None);
        assert_eq!(table.alert(AlertCode::LeftUndecided), None);
        assert_eq!(results(&table.game), [(game, Score::Draw)]);
        assert_eq!(table.game.result(), None, "the game on the board goes on");
    }
}

#[test]
fn what_is_open_in_a_game_is_red_and_there_is_no_second_alert() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    let threefold = claim(Claimed::Threefold, None);
    assert_eq!(table.ask(Role::White, threefold), None);
    table.start_array();
    let [left] = table.game.unresolved_matters() else {
        panic!("{:?}", table.game.unresolved_matters());
    };
    assert_eq!(left.what, UnresolvedKind::Claim);
    assert_eq!(
        table.alert(AlertCode::LeftUndecided).unwrap().level,
        Level::Red
    );
}

#[test]
fn what_a_set_up_position_has_left_open_asks_for_the_result_alone_until_it_is_acknowledged() {
    let mut table = accepted();
    assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
    table.moves("h1h2");
    let mut acknowledged = restarted(&table.game.carried());
    table.start_array();
    let [left] = table.game.unresolved_matters() else {
        panic!("{:?}", table.game.unresolved_matters());
    };
    assert_eq!(left.what, UnresolvedKind::Agreement);

    let alert = acknowledged.alert(AlertCode::LeftUndecided).unwrap().id;
    assert_eq!(acknowledged.ask(ARBITER, Verb::Ack { alert }), None);
    acknowledged.moves("e2e4");
    acknowledged.start_array();
    let [left] = acknowledged.game.unresolved_matters() else {
        panic!("{:?}", acknowledged.game.unresolved_matters());
    };
    assert_eq!(left.what, UnresolvedKind::Game);
}

#[test]
fn the_newest_earlier_game_takes_a_result_also_when_nothing_of_it_is_open() {
    let mut table = Table::new(Confirm::Arbiter);
    let first = table.game.number();
    table.moves("e2e4");
    let won = Verb::Result {
        score: Score::WhiteWins,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, won), None);
    table.start_array();
    assert_eq!(table.alert(AlertCode::LeftUndecided), None);
    assert!(results(&table.game).is_empty());
    assert_eq!(table.ask(ARBITER, entered(Score::BlackWins, first)), None);
    assert_eq!(results(&table.game), [(first, Score::BlackWins)]);
    let mut again = restarted(&table.game.carried());
    assert_eq!(results(&again.game), [(first, Score::BlackWins)]);
    assert_eq!(again.ask(ARBITER, entered(Score::Draw, first)), None);
    table.moves("d2d4");
    table.start_array();
    let stale = Some(RefusalCode::Stale);
    assert_eq!(table.ask(ARBITER, entered(Score::Draw, first)), stale);
    let bad = Some(RefusalCode::BadValue);
    let newest = table.game.earlier_games().last().unwrap().game;
    assert_eq!(table.ask(ARBITER, entered(Score::None, newest)), bad);
}

#[test]
fn the_public_counts_the_result_of_an_earlier_game_and_its_players_do_not() {
    let mut table = Table::new(Confirm::Arbiter);
    let game = table.game.number();
    table.moves("e2e4");
    table.start_array();
    let before = table.game.numbers().clone();
    assert_eq!(table.ask(ARBITER, entered(Score::Draw, game)), None);
    let now = table.game.numbers();
    assert_eq!(now.public, before.public.next());
    assert_eq!((now.hall, now.player), (before.hall, before.player));
}

#[test]
fn games_that_were_left_are_bounded_and_an_open_claim_stays_among_them() {
    let mut table = Table::new(Confirm::Arbiter);
    let claimed = table.game.number();
    table.shuffle(2);
    let threefold = claim(Claimed::Threefold, None);
    assert_eq!(table.ask(Role::White, threefold), None);
    for _ in 0..20 {
        table.start_array();
        table.moves("e2e4");
    }
    assert_eq!(table.game.unresolved_matters().len(), 16);
    assert_eq!(table.game.unresolved_matters()[0].game, claimed);
    assert_eq!(table.game.left_out().undecided, 4);
    assert_eq!(
        table.game.earlier_games().len(),
        20,
        "16 are open, 4 are not"
    );
    assert_eq!(table.ask(ARBITER, entered(Score::Draw, claimed)), None);
    assert_eq!(results(&table.game), [(claimed, Score::Draw)]);
}

fn contradicted(table: &mut Table) {
    table.input(Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 0,
    });
}

#[test]
fn a_game_that_was_decided_in_a_mismatch_stays_uncertain_until_its_moves_are_corrected() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    contradicted(&mut table);
    let won = Verb::Result {
        score: Score::WhiteWins,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, won), None);
    assert_eq!(table.alert(AlertCode::BoardMismatch), None);
    assert_eq!(table.game.uncertain_since(), Some(3));
    let withdrawn = Verb::Result {
        score: Score::None,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, withdrawn), None);
    assert_eq!(
        table.game.uncertain_since(),
        Some(3),
        "its moves still lack"
    );
    let lost = Verb::Result {
        score: Score::BlackWins,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, lost), None);
    table.input(Input::Agreed);
    assert_eq!(
        table.game.uncertain_since(),
        Some(3),
        "the pieces were put back"
    );
    assert_eq!(table.ask(ARBITER, correct(2, &["g1f3"])), None);
    assert_eq!(table.game.uncertain_since(), None);
}

fn start() -> Input {
    Input::Start {
        version: "1".to_owned(),
        rules: None,
    }
}

#[test]
fn a_mismatch_is_in_doubt_over_a_restart_until_the_board_agrees() {
    let settle: [fn(&mut Table); 3] = [
        |table| {
            table.input(Input::Agreed);
        },
        |table| table.moves("g1f3"),
        |table| assert_eq!(table.ask(ARBITER, correct(2, &["g1f3"])), None),
    ];
    for settle in settle {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        contradicted(&mut table);
        table.input(start());
        assert_eq!(table.game.uncertain_since(), Some(3));
        let mut decided = table.game.clone();
        decided.decide_later(LaterResult::Recorded(Score::Draw));
        assert_eq!(decided.uncertain_since(), Some(3));
        settle(&mut table);
        assert_eq!(table.game.uncertain_since(), None);
    }
}

#[test]
fn pieces_that_are_cleared_away_after_a_mate_leave_no_doubt() {
    let result: [fn(&mut Table); 2] = [
        |table| {
            let won = Verb::Result {
                score: Score::WhiteWins,
                game: None,
            };
            assert_eq!(table.ask(ARBITER, won), None);
        },
        |table| {
            let over = table.alert(AlertCode::GameOver);
            let alert = over.or(table.alert(AlertCode::ResultToConfirm)).unwrap().id;
            assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
        },
    ];
    for enter in result {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7");
        contradicted(&mut table);
        enter(&mut table);
        assert_eq!(table.game.uncertain_since(), None);
        table.input(start());
        assert_eq!(table.game.uncertain_since(), None);
    }
}

#[test]
fn a_game_that_may_have_had_moves_is_named_and_takes_its_result() {
    let begin: [fn(&mut Table); 2] = [
        |table| {
            table.moves("e2e4 e7e5");
            assert_eq!(table.ask(ARBITER, setup(ROOK)), None);
        },
        |table| {
            table.input(Input::EntriesLost {
                lost: Vec::new(),
                since: Some(1),
                earlier: None,
            });
        },
    ];
    for begin in begin {
        let mut table = Table::new(Confirm::Arbiter);
        table.start_array();
        let game = table.game.number();
        begin(&mut table);
        assert_eq!(table.game.ply(), 0);
        let facts = table.start_array();
        assert!(
            facts
                .iter()
                .any(|fact| matches!(fact, Fact::GameLeft { .. }))
        );
        assert_eq!(
            table.alert(AlertCode::LeftUndecided).unwrap().arguments["what"],
            "game"
        );
        let alert = table.alert(AlertCode::LeftUndecided).unwrap().id;
        assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
        let mut table = restarted(&table.game.carried());
        assert_eq!(table.ask(ARBITER, entered(Score::Draw, game)), None);
        assert_eq!(results(&table.game), [(game, Score::Draw)]);
    }
}

#[test]
fn a_paired_game_on_a_dead_board_takes_its_result_and_raises_no_alert() {
    let mut table = Table::new(Confirm::Arbiter);
    let game = table.game.number();
    let names = [("White", "Smith, John"), ("Black", "Jansen, Piet")];
    let names = names.map(|(tag, name)| (tag.to_owned(), name.to_owned()));
    let headers = Verb::Headers {
        headers: names.into(),
    };
    assert_eq!(table.ask(ARBITER, headers), None);
    table.start_array();
    assert_eq!(table.alert(AlertCode::LeftUndecided), None);
    assert_eq!(table.ask(ARBITER, entered(Score::Draw, game)), None);
    assert_eq!(results(&table.game), [(game, Score::Draw)]);
}

#[test]
fn an_empty_game_in_between_does_not_lock_the_result_of_the_newest_that_has_begun() {
    let mut table = Table::new(Confirm::Arbiter);
    let older = table.game.number();
    table.moves("d2d4");
    table.start_array();
    let game = table.game.number();
    table.moves("e2e4");
    table.start_array();
    let mut empty = table.game.number();
    for _ in 0..20 {
        table.start_array();
        let alert = table.alert(AlertCode::LeftUndecided).map(|alert| alert.id);
        if let Some(alert) = alert {
            assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
        }
        let stale = Some(RefusalCode::Stale);
        assert_eq!(table.ask(ARBITER, entered(Score::Draw, empty)), stale);
        empty = table.game.number();
    }
    assert!(table.game.unresolved_matters().is_empty());
    assert_eq!(table.ask(ARBITER, entered(Score::Draw, game)), None);
    assert_eq!(results(&table.game), [(game, Score::Draw)]);
    let stale = Some(RefusalCode::Stale);
    assert_eq!(table.ask(ARBITER, entered(Score::Draw, older)), stale);
}

#[test]
fn a_game_on_a_disk_that_comes_late_takes_its_result_for_every_reader() {
    let mut on_disk = Table::new(Confirm::Arbiter);
    on_disk.start_array();
    let decided = on_disk.game.number();
    on_disk.moves("d2d4");
    on_disk.start_array();
    assert_eq!(on_disk.ask(ARBITER, entered(Score::Draw, decided)), None);
    let left = on_disk.game.number();
    let public = on_disk.game.numbers_at_start().public;
    on_disk.moves("e2e4 e7e5");
    let handover = on_disk.game.what_it_leaves(Timestamp::UNIX_EPOCH);
    let mut table = Table::new(Confirm::Arbiter);
    table.game.skip_to(EntrySeq::new(1000));
    for _ in 0..20 {
        table.start_array();
    }
    table.input(Input::MergedWithDisk {
        left: Box::new(handover),
    });
    assert_eq!(table.ask(ARBITER, entered(Score::WhiteWins, left)), None);
    let expected = [(decided, Score::Draw), (left, Score::WhiteWins)];
    assert_eq!(results(&table.game), expected);
    let known = table.game.earlier_results().last().unwrap();
    assert_eq!((known.public, known.ply), (Some(public), 2));
}

#[test]
fn a_game_of_which_an_earlier_version_kept_only_what_is_open_takes_its_result() {
    let mut table = Table::new(Confirm::Arbiter);
    table.start_array();
    let game = table.game.number();
    table.moves("e2e4 e7e5");
    table.start_array();
    let mut carried = table.game.carried();
    carried.earlier.clear();
    let mut table = restarted(&carried);
    assert_eq!(table.ask(ARBITER, entered(Score::Draw, game)), None);
    assert_eq!(results(&table.game), [(game, Score::Draw)]);
    let known = table.game.earlier_results().last().unwrap();
    assert_eq!((known.public, known.ply), (None, 2));
}

#[test]
fn a_game_that_was_left_in_a_mismatch_stays_uncertain_when_it_gets_its_result() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    contradicted(&mut table);
    let mut left = table.game.clone();
    left.decide_later(LaterResult::Recorded(Score::Draw));
    assert_eq!(left.result().unwrap().score, Score::Draw);
    assert_eq!(left.uncertain_since(), Some(3));
}

#[test]
fn a_move_that_was_perhaps_on_the_board_is_named_by_the_game_that_is_left() {
    let unsettled = |uci: &str| Input::Unsettled { uci: uci.into() };
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let game = table.game.number();
    assert_eq!(table.input(unsettled("g1g3")), [], "it cannot be made");
    assert_eq!(table.game.uncertain_since(), None);
    table.input(unsettled("g1f3"));
    assert_eq!(table.game.unsettled_move().unwrap().san, "Nf3");
    assert_eq!(table.game.uncertain_since(), Some(3));
    let facts = table.start_array();
    let left = Fact::GameLeft {
        game,
        ply: 2,
        uncertain_since: Some(3),
    };
    assert!(facts.contains(&left), "{facts:?}");
    let alert = table.alert(AlertCode::LeftUndecided).unwrap();
    assert_eq!(alert.arguments["move"], "Nf3");
    let again = restarted(&table.game.carried());
    let alert = again.alert(AlertCode::LeftUndecided).unwrap();
    assert_eq!(alert.arguments["move"], "Nf3");
    assert_eq!(table.game.unsettled_move(), None, "that was another game");
    assert_eq!(table.game.uncertain_since(), None);
}

#[test]
fn a_move_that_was_perhaps_on_the_board_is_forgotten_when_the_record_goes_on() {
    let go_on: [fn(&mut Table); 4] = [
        |table| table.moves("g1f3"),
        |table| assert_eq!(table.ask(ARBITER, correct(2, &["g1f3"])), None),
        |table| assert_eq!(table.ask(ARBITER, correct(1, &["c7c5"])), None),
        |table| {
            table.moves("b1c3");
            table.input(Input::Withdraw);
        },
    ];
    for go_on in go_on {
        let mut table = Table::new(Confirm::Arbiter);
        table.moves("e2e4 e7e5");
        table.input(Input::Unsettled { uci: "g1f3".into() });
        assert_eq!(table.game.uncertain_since(), Some(3));
        go_on(&mut table);
        assert_eq!(table.game.unsettled_move(), None);
        assert_eq!(table.game.uncertain_since(), None);
    }
}

#[test]
fn a_pending_loss_that_is_confirmed_later_is_the_result_of_the_game_that_was_left() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask(Role::Black, Verb::Resign { player: None }), None);
    assert!(table.game.pending_loss().is_some());
    let mut left = table.game.clone();
    left.decide_later(LaterResult::Confirmed);
    let result = left.result().unwrap();
    assert_eq!((result.score, result.confirmed), (Score::WhiteWins, true));
}

#[test]
fn a_doubt_after_an_end_that_was_overlooked_stays() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    assert!(table.game.ended().is_some());
    table.moves("e2e4 e7e5");
    contradicted(&mut table);
    let number = table.game.number();
    for score in [Score::WhiteWins, Score::None] {
        assert_eq!(table.ask(ARBITER, entered(score, number)), None);
        assert_eq!(table.game.uncertain_since(), Some(19), "{score:?}");
    }
}

#[test]
fn an_earlier_game_of_an_older_journal_has_begun() {
    let left = r#"{"game":7,"operator":7,"ply":31}"#;
    let left: LeftGame = serde_json::from_str(left).unwrap();
    assert!(left.has_begun);
}

#[test]
fn what_is_on_the_board_after_an_end_by_the_laws_makes_nothing_uncertain() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("f2f3 e7e5 g2g4 d8h4");
    assert!(table.game.ended().is_some());
    table.input(Input::Unsettled { uci: "a2a3".into() });
    contradicted(&mut table);
    assert_eq!(
        table.ask(ARBITER, entered(Score::BlackWins, table.game.number())),
        None
    );
    assert_eq!(table.game.unsettled_move(), None);
    assert_eq!(table.game.uncertain_since(), None);
}
