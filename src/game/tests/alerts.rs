//! Alerts: one for a condition, acknowledged, escalated, never lost.

use super::*;

#[test]
fn an_alert_precedes_an_automatic_end() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(3);
    assert!(table.codes().contains(&AlertCode::FourthOccurrence));
    let fen = "4k3/8/8/8/8/8/8/4K2R w - - 139 120".to_owned();
    assert!(table.command("1", Role::Arbiter, Verb::Setup { fen }).ok);
    assert!(!table.codes().contains(&AlertCode::SeventyMoves));
    table.moves("h1h2");
    let alert = table.game.alerts().open().iter();
    let alert = alert
        .clone()
        .find(|a| a.code == AlertCode::SeventyMoves)
        .unwrap();
    assert_eq!(alert.arguments["moves_left"], 5);
}

#[test]
fn an_unanswered_red_alert_is_escalated_once() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    let after_ms = table.game.rules().escalate_ms;
    let due = table.game.alerts().overdue_at(after_ms).unwrap();
    let overdue = |table: &mut Table, time| {
        let seq = table.game.seq() + 1;
        let input = Input::Overdue;
        table.game.apply(&Stamped { seq, time, input })
    };
    let early = due - jiff::SignedDuration::from_millis(1);
    assert!(overdue(&mut table, early).is_empty());
    let facts = overdue(&mut table, due);
    assert!(
        matches!(facts[..], [Fact::AlertEscalated { .. }]),
        "{facts:?}"
    );
    assert!(table.game.alerts().open()[0].escalated);
    assert_eq!(table.game.alerts().overdue_at(after_ms), None);
    let alert = table.game.alerts().open()[0].id.clone();
    assert!(table.command("1", Role::Arbiter, Verb::Ack { alert }).ok);
    let seen = &table.game.alerts().open()[0];
    assert!(!seen.escalated && seen.acknowledged_at.is_some());
}

#[test]
fn an_unconfirmed_end_stays_in_view_when_the_next_game_begins() {
    let mut table = Table::new(Confirm::Arbiter);
    let first = table.game.number();
    table.shuffle(4);
    table.start_array();
    let left = table.game.alerts().open()[0].clone();
    assert_eq!(left.code, AlertCode::ResultUnconfirmed);
    assert_eq!(left.arguments["game"], first.get());
    assert_eq!(table.game.carried().unconfirmed.len(), 1);
    assert!(
        table
            .command("1", Role::Arbiter, Verb::Ack { alert: left.id })
            .ok
    );
    assert!(table.codes().is_empty());
    assert_eq!(
        table.count(
            |f| matches!(f, Fact::ResultConfirmed { game: Some(game), .. } if *game == first)
        ),
        1
    );
}

#[test]
fn the_fifth_occurrence_at_uneven_spacing_does_not_end_a_game_of_2014() {
    let regulations = remisd_laws::Regulations::new(&remisd_laws::FIDE_2014, Rate::Standard);
    let mut table = Table::under(Rules {
        regulations,
        ..Rules::default()
    });
    let longer = "b1c3 b8c6 g1f3 g8f6 f3g1 f6g8 c3b1 c6b8";
    table.moves(&[SHUFFLE, longer, SHUFFLE, SHUFFLE].join(" "));
    assert_eq!(table.game.ended(), None);
    assert!(table.codes().contains(&AlertCode::FivefoldUneven));
    table.shuffle(2);
    assert_eq!(
        table.game.ended().unwrap().0,
        28,
        "five in a row, four plies apart"
    );
}

#[test]
fn a_restarted_count_raises_an_alert() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert!(table.command("1", Role::Arbiter, setup(ROOK)).ok);
    assert_eq!(table.codes(), [AlertCode::CountsRestarted]);
    let alert = table.game.alerts().open()[0].id.clone();
    assert!(table.command("2", Role::Arbiter, Verb::Ack { alert }).ok);
    assert!(table.codes().is_empty());
}

#[test]
fn play_after_an_end_that_the_arbiter_has_seen_alarms_no_more() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = Table::new(confirm);
        table.shuffle(4);
        table.moves("e2e4");
        let alert = table.alert(AlertCode::PlayAfterEnd).unwrap();
        assert_eq!(alert.level, Level::Red);
        let ack = Verb::Ack { alert: alert.id };
        assert!(table.command("1", Role::Arbiter, ack).ok);
        // It is taken back and made again: still no news.
        table.input(Input::Withdraw);
        assert_eq!(table.alert(AlertCode::PlayAfterEnd), None);
        table.moves("d2d4 d7d5");
        let alert = table.alert(AlertCode::PlayAfterEnd).unwrap();
        assert_eq!((alert.level, alert.escalated), (Level::Amber, false));
        let late = Timestamp::from_second(1_000_000).unwrap();
        let seq = table.game.seq() + 1;
        let input = Input::Overdue;
        let time = late;
        table.game.apply(&Stamped { seq, time, input });
        assert!(!table.alert(AlertCode::PlayAfterEnd).unwrap().escalated);
        table.start_array();
        table.shuffle(4);
        table.moves("e2e4");
        let alert = table.alert(AlertCode::PlayAfterEnd).unwrap();
        assert_eq!(alert.level, Level::Red, "another game");
    }
}
