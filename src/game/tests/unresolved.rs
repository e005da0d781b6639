//! What stays of a game when the next one begins.

use super::{
    table::{ARBITER, INCORRECT, WHITE, accepted, claim, new_game, postponed, restarted},
    *,
};
use remisd_laws as laws;
use remisd_vocabulary::seq::EntrySeq;

fn with_an_open_claim() -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
    table
}

fn with_a_postponed_decision() -> Table {
    postponed(&laws::FIDE_2001)
}

#[test]
fn what_the_start_array_leaves_undecided_alarms_until_it_is_acknowledged() {
    for (mut table, what, by, ply) in [
        (
            with_an_open_claim(),
            UnresolvedKind::Claim,
            Some(Side::White),
            8,
        ),
        (
            with_a_postponed_decision(),
            UnresolvedKind::Decision,
            Some(Side::White),
            2,
        ),
        (accepted(), UnresolvedKind::Agreement, None, 3),
    ] {
        let game = table.game.number();
        table.start_array();
        assert!(table.game.number() > game, "the next game is not refused");
        let left = Unresolved {
            game,
            what,
            by,
            ply,
            score: None,
            unsettled: None,
            versions: None,
        };
        assert_eq!(table.game.unresolved_matters(), std::slice::from_ref(&left));
        assert_eq!(
            table.count(|fact| *fact == Fact::LeftUndecided(left.clone())),
            1,
            "{what:?}"
        );
        table.moves("d2d4 d7d5");
        let drawn = Verb::Result {
            score: Score::Draw,
            game: None,
        };
        assert_eq!(table.ask(ARBITER, drawn), None);
        table.start_array();
        let alert = table.alert(AlertCode::LeftUndecided).unwrap();
        assert_eq!(alert.level, Level::Red);
        assert_eq!(alert.arguments["game"], game.get());
        assert_eq!(alert.arguments["what"], what.as_str());
        let ack = Verb::Ack { alert: alert.id };
        assert_eq!(table.ask(ARBITER, ack), None);
        assert_eq!(table.alert(AlertCode::LeftUndecided), None);
    }
}

#[test]
fn a_game_with_nothing_to_decide_leaves_nothing() {
    let mut table = with_an_open_claim();
    assert_eq!(table.ask(ARBITER, INCORRECT), None);
    let drawn = Verb::Result {
        score: Score::Draw,
        game: None,
    };
    assert_eq!(table.ask(ARBITER, drawn), None);
    table.start_array();
    assert!(table.game.unresolved_matters().is_empty());
}

#[test]
fn what_is_undecided_is_the_arbiters_to_leave_and_not_the_operators() {
    for open in [with_an_open_claim, with_a_postponed_decision, accepted] {
        let mut table = open();
        let game = table.game.number();
        let refused = Some(RefusalCode::WrongState);
        assert_eq!(table.ask(Role::Operator, new_game()), refused);
        assert_eq!(table.ask(Role::Operator, setup(ROOK)), refused);
        assert_eq!(table.game.number(), game);
        assert_eq!(table.game.undecided().len(), 1, "nothing has changed");
        assert_eq!(table.ask(ARBITER, new_game()), None);
        assert_eq!(table.game.unresolved_matters().len(), 1, "it stays in view");
    }
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert_eq!(table.ask(Role::Operator, new_game()), None);
}

#[test]
fn what_games_leave_undecided_is_bounded_and_carried() {
    let mut table = Table::new(Confirm::Arbiter);
    for _ in 0..20 {
        table.shuffle(2);
        assert_eq!(table.ask(WHITE, claim(Claimed::Threefold, None)), None);
        table.start_array();
    }
    let left = table.game.unresolved_matters();
    assert_eq!(left.len(), 16);
    let carried = table.game.carried();
    let again = restarted(&carried);
    assert_eq!(again.game.unresolved_matters(), left);
    assert!(again.alert(AlertCode::LeftUndecided).is_some());
    counts_what_is_left_out(&table, AlertCode::LeftUndecided, 4);
    counts_what_is_left_out(&again, AlertCode::LeftUndecided, 4);
}

/// Checks that the alert about the oldest matter, and no other one, counts what is left out.
fn counts_what_is_left_out(table: &Table, code: AlertCode, left_out: u64) {
    let open = table.game.alerts().open().iter();
    let mut alerts: Vec<_> = open.filter(|alert| alert.code == code).collect();
    alerts.sort_by_key(|alert| alert.arguments["game"].as_u64());
    let more: Vec<_> = alerts
        .iter()
        .map(|alert| alert.arguments.get("more"))
        .collect();
    assert_eq!(more[0], Some(&serde_json::json!(left_out)), "{code:?}");
    assert!(more[1..].iter().all(Option::is_none), "{code:?}: {more:?}");
}

#[test]
fn unconfirmed_ends_are_bounded_and_those_left_out_are_counted() {
    let mut table = Table::new(Confirm::Arbiter);
    for _ in 0..19 {
        table.moves("e2e4 e7e5");
        assert_eq!(table.ask(WHITE, Verb::Resign { player: None }), None);
        table.start_array();
    }
    assert_eq!(table.game.unconfirmed().len(), 16);
    counts_what_is_left_out(&table, AlertCode::ResultUnconfirmed, 3);
    let mut again = restarted(&table.game.carried());
    assert_eq!(again.game.left_out(), table.game.left_out());
    counts_what_is_left_out(&again, AlertCode::ResultUnconfirmed, 3);

    // A game on a disk that came late is older than all of these.
    let left = table.game.what_it_leaves(Timestamp::UNIX_EPOCH);
    assert_eq!(left.left_out, table.game.left_out());
    let left = Box::new(left);
    again.input(Input::MergedWithDisk { left });
    assert_eq!(again.game.unconfirmed().len(), 16);
    assert_eq!(again.game.left_out().unconfirmed, 3 + 3 + 16);

    // The count stays until the last of them is decided.
    let games: Vec<EntrySeq> = table
        .game
        .unconfirmed()
        .iter()
        .map(|left| left.game)
        .collect();
    for (left, game) in (1..=16).rev().zip(games) {
        counts_what_is_left_out(&table, AlertCode::ResultUnconfirmed, 3);
        assert_eq!(table.game.unconfirmed().len(), left);
        let (score, game) = (Score::WhiteWins, Some(game));
        assert_eq!(table.ask(ARBITER, Verb::Result { score, game }), None);
    }
    assert!(table.game.left_out().is_none());
}

#[test]
fn a_flag_of_the_game_before_is_no_alarm_in_the_next_one() {
    let shows = |flag| Input::Clock {
        clock: Some(ClockState {
            white_ms: 0,
            black_ms: 61_000,
            running: None,
            flag,
        }),
    };
    let alarms = |table: &Table| table.alert(AlertCode::FlagFall).is_some();
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    table.input(shows(Some(Side::White)));
    assert!(alarms(&table));
    table.start_array();
    table.input(shows(Some(Side::White)));
    assert!(!alarms(&table), "nobody has set the clock yet");
    table.moves("e2e4");
    table.input(shows(Some(Side::White)));
    assert!(!alarms(&table));
    let mut again = restarted(&table.game.carried());
    again.input(shows(Some(Side::White)));
    assert!(!alarms(&again), "nor after a restart");
    table.input(shows(None));
    table.input(shows(Some(Side::White)));
    assert!(alarms(&table), "this one has fallen in this game");
}

#[test]
fn the_other_flag_of_a_new_game_alarms_immediately() {
    let shows = |flag| Input::Clock {
        clock: Some(ClockState {
            white_ms: 0,
            black_ms: 0,
            running: None,
            flag: Some(flag),
        }),
    };
    let mut table = Table::new(Confirm::Arbiter);
    table.input(shows(Side::White));
    table.start_array();
    table.input(shows(Side::Black));
    assert!(table.alert(AlertCode::FlagFall).is_some());
}

#[test]
fn a_reading_is_as_old_as_its_first_coming() {
    let shows = |white_ms| {
        Some(ClockState {
            white_ms,
            black_ms: 61_000,
            running: Some(Side::White),
            flag: None,
        })
    };
    let read = |clock| Input::Clock { clock };
    let mut table = Table::new(Confirm::Arbiter);
    assert_eq!(table.game.clock_at(), None, "no clock has reported");
    table.input(read(shows(60_000)));
    let first = table.game.clock_at();
    assert!(first.is_some());
    table.moves("e2e4");
    table.input(read(shows(60_000)));
    assert_eq!(table.game.clock_at(), first, "the same is no new reading");
    let again = restarted(&table.game.carried());
    assert_eq!(again.game.clock_at(), first, "nor is it after a restart");
    table.input(read(shows(59_000)));
    assert!(table.game.clock_at() > first);
    table.input(read(None));
    assert_eq!(table.game.clock_at(), None, "the clock is gone");
}
