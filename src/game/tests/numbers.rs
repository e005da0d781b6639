//! How audiences count what they may know.

use super::{
    table::{ARBITER, BLACK, WHITE, offer},
    *,
};
use remisd_vocabulary::seq::{AudienceSeq, EntrySeq};

/// The numbers of operators, public, hall and players.
fn counted(game: &Game) -> [u64; 4] {
    let numbers = game.numbers();
    [
        numbers.operator.get(),
        numbers.public.get(),
        numbers.hall.get(),
        numbers.player.get(),
    ]
}

#[test]
fn everybody_counts_what_he_may_know() {
    let mut table = Table::new(Confirm::Arbiter);
    let mut before = counted(&table.game);
    let mut steps = |table: &Table| {
        let now = counted(&table.game);
        let steps = [0, 1, 2, 3].map(|at| now[at] - before[at]);
        before = now;
        steps
    };
    table.moves("e2e4");
    assert_eq!(steps(&table), [1, 1, 1, 1], "a move");
    table.ask(BLACK, offer());
    assert_eq!(steps(&table), [1, 1, 0, 1], "screens show no offers");
    table.ask(WHITE, Verb::Decline { player: None });
    assert_eq!(steps(&table), [1, 1, 0, 1]);
    table.ask(WHITE, Verb::Decline { player: None });
    assert_eq!(
        steps(&table),
        [1, 0, 0, 0],
        "what is refused changes nothing"
    );
    table.ask(ARBITER, Verb::Pause {});
    assert_eq!(steps(&table), [1, 0, 0, 1], "the players' clock");
    table.ask(ARBITER, Verb::Resume { running: None });
    assert_eq!(steps(&table), [1, 0, 0, 1]);
    let (by, square) = (Side::Black, shakmaty::Square::E7);
    table.input(Input::Touched {
        by,
        square,
        sure: true,
    });
    assert_eq!(
        steps(&table),
        [1, 0, 0, 0],
        "the arbiter's and the operator's"
    );
    let silent = vec![SilentPhone {
        name: "notify.0".to_owned(),
        reason: "no route".to_owned(),
    }];
    table.input(Input::Phones { silent });
    assert!(table.alert(AlertCode::PhoneSilent).is_some());
    assert_eq!(steps(&table), [0, 0, 0, 0], "the arbiter's alone");
    table.input(Input::Start {
        version: "1".to_owned(),
        rules: None,
    });
    assert_eq!(table.alert(AlertCode::PhoneSilent), None);
}

#[test]
fn no_audience_counts_a_hidden_end_or_what_the_arbiter_does_about_it() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(4);
    assert!(table.game.ended().is_some());
    let before = counted(&table.game);
    table.input(Input::Overdue);
    let after = counted(&table.game);
    assert_eq!(after[1..], before[1..]);
    assert_eq!(after[0], before[0] + 1, "operators see the alert");
    let alert = table.alert(AlertCode::Fivefold).unwrap().id.clone();
    table.ask(ARBITER, Verb::Ack { alert });
    let confirmed = counted(&table.game);
    assert_eq!(
        confirmed,
        after.map(|number| number + 1),
        "now it is confirmed"
    );
}

#[test]
fn operators_do_not_count_what_the_arbiter_has_seen_of_claims() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(2);
    let alert = table
        .alert(AlertCode::ThreefoldClaimable)
        .unwrap()
        .id
        .clone();
    let before = counted(&table.game);
    table.ask(ARBITER, Verb::Ack { alert });
    assert_eq!(counted(&table.game), before);
    let (seq, numbers) = (table.game.seq(), table.game.numbers().clone());
    assert_eq!(numbers.unknown_to_operator, [seq]);
    // What came before has the number that it had.
    assert_eq!(numbers.to_operator(seq, seq - 1), numbers.operator);
    assert_eq!(numbers.to_operator(seq, EntrySeq::new(3)).get(), 3);
    let id = format!("board_lost-{}", seq - 1);
    let expected = format!("board_lost-{}", numbers.operator);
    assert_eq!(numbers.alert_to_operator(seq, &id), expected);
    table.game.show_operators_all(true);
    table.ask(
        ARBITER,
        Verb::Ack {
            alert: "fourth_occurrence-1".into(),
        },
    );
    assert_eq!(counted(&table.game)[0], before[0] + 1, "it is open to them");
}

#[test]
fn a_journal_of_a_version_that_did_not_count_continues_from_its_numbers() {
    let entry = |input: &str| -> Remembered {
        let text = format!(r#"{{"time":"2026-01-01T00:00:00.000Z","input":{input},"facts":[]}}"#);
        serde_json::from_str(&text).unwrap()
    };
    let mut game = Game::new(Rules::default());
    game.replay(
        EntrySeq::new(41),
        &entry(r#"{"type":"move","uci":"e2e4","by":"reply"}"#),
    );
    game.replay(EntrySeq::new(42), &entry(r#"{"type":"agreed"}"#));
    assert_eq!(counted(&game), [42; 4], "these were published");
    let time = Timestamp::UNIX_EPOCH;
    let input = Input::Agreed;
    game.apply(&Stamped {
        seq: EntrySeq::new(43),
        time,
        input,
    });
    assert_eq!(counted(&game), [43, 42, 42, 42]);
    game.skip_to(EntrySeq::new(50));
    assert_eq!(counted(&game), [50; 4], "none is given twice");
}

#[test]
fn a_player_names_the_number_that_he_sees() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    for _ in 0..5 {
        table.input(Input::Agreed);
    }
    let seen = table.game.seq_for(WHITE);
    assert!(seen < AudienceSeq::of_entry(table.game.seq()));
    let mut ask = |if_seq: AudienceSeq| {
        let id = format!("{if_seq}-{}", table.game.seq());
        table.input(Input::Command(Command {
            id: id.clone(),
            role: WHITE,
            by: None,
            if_seq: Some(if_seq),
            unsettled: None,
            verb: Verb::Adjust { player: None },
        }));
        let answer = table.game.answer(WHITE, &id).unwrap().clone();
        (
            answer.code,
            table.game.answer_seq(WHITE, &id),
            answer.message,
        )
    };
    let (code, seq, _) = ask(seen);
    assert_ne!(code, Some(RefusalCode::Stale));
    assert_eq!(seq, Some(seen), "nothing that he sees has changed");
    for wrong in [seen - 1, seen + 1] {
        let (code, seq, message) = ask(wrong);
        assert_eq!((code, seq), (Some(RefusalCode::Stale), Some(seen)));
        assert_eq!(message, Some(format!("the board is at seq {seen}")));
    }
}
