//! Ends by the Laws alone: overruled, overlooked, not announced.

use super::{
    table::{ARBITER, BLACK, WHITE, correct, offer, setup},
    *,
};
use remisd_vocabulary::seq::AudienceSeq;

fn fivefold(confirm: Confirm) -> Table {
    let mut table = Table::new(confirm);
    table.shuffle(4);
    assert_eq!(ended(&table), Some((16, AutomaticKind::Fivefold)));
    table
}

fn set_up(fen: &str) -> Table {
    let mut table = Table::new(Confirm::Arbiter);
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    table
}

fn ended(table: &Table) -> Option<(u32, AutomaticKind)> {
    table.game.ended().map(|(ply, end)| (ply, end.kind))
}

fn first_end(table: &Table) -> Option<(u32, AutomaticKind)> {
    table.game.first_end().map(|(ply, end)| (ply, end.kind))
}

#[test]
fn an_overruled_repetition_is_that_of_its_position_alone() {
    let mut table = fivefold(Confirm::Arbiter);
    for (uci, ply) in [("g1f3", 17), ("g8f6", 18), ("f3g1", 19)] {
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        table.moves(uci);
        assert_eq!(ended(&table), Some((ply, AutomaticKind::Fivefold)));
    }
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    table.moves(&["f6g8", SHUFFLE].join(" "));
    assert_eq!(ended(&table), None, "all four were overruled");
    assert_eq!(table.game.overruled(), Some(AutomaticKind::Fivefold));
}

#[test]
fn seventy_five_moves_end_a_game_whose_repetition_was_overruled() {
    let mut table = set_up("4k2r/8/8/8/8/8/8/4K2R w - - 130 100");
    let rooks = "h1g1 h8g8 g1h1 g8h8";
    table.moves(&[rooks; 4].join(" "));
    for uci in rooks.split(' ') {
        assert_eq!(ended(&table).unwrap().1, AutomaticKind::Fivefold);
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        table.moves(uci);
    }
    assert_eq!(ended(&table), Some((20, AutomaticKind::SeventyFiveMove)));
}

#[test]
fn whoever_overrules_a_repetition_overrules_the_one_on_the_board() {
    let mut table = fivefold(Confirm::Arbiter);
    table.moves("g1f3");
    assert_eq!(ended(&table), Some((16, AutomaticKind::Fivefold)));
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!((ended(&table), table.game.result()), (None, None));
    assert_eq!(table.game.overruled(), Some(AutomaticKind::Fivefold));
    table.moves("g8f6");
    assert_eq!(ended(&table), Some((18, AutomaticKind::Fivefold)));
}

#[test]
fn seventy_five_moves_stand_again_when_the_move_after_a_dead_position_is_taken_back() {
    let mut table = set_up("4k3/8/8/8/8/8/8/4K2R w - - 150 100");
    table.found_dead();
    assert_eq!(ended(&table), Some((0, AutomaticKind::DeadPosition)));
    table.moves("h1h2");
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!(ended(&table), Some((1, AutomaticKind::SeventyFiveMove)));
    table.input(Input::Withdraw);
    assert_eq!(ended(&table), Some((0, AutomaticKind::SeventyFiveMove)));
}

#[test]
fn no_other_move_brings_back_what_the_arbiter_has_overruled() {
    // Both positions stand for the fifth time; he overrules them, and the last move was another
    // one.
    let last = || {
        let mut table = fivefold(Confirm::Arbiter);
        table.moves("g1f3 g8f6");
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        table
    };
    let mut table = last();
    let uci = "g8h6".into();
    table.input(Input::Revise { uci, clock: None });
    assert_eq!((ended(&table), table.game.result()), (None, None));
    let mut table = last();
    assert_eq!(table.ask(ARBITER, correct(17, &["Nh6"])), None);
    assert_eq!((ended(&table), table.game.result()), (None, None));
    // 75 moves are overruled for as long as they last, also if a move is taken back.
    let mut table = set_up("4k3/8/8/8/8/8/8/4K2R w - - 149 100");
    table.moves("h1h2");
    assert_eq!(ended(&table), Some((1, AutomaticKind::SeventyFiveMove)));
    table.moves("e8e7");
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    table.moves("h2h3");
    assert_eq!(table.ask(ARBITER, correct(2, &["Rh4"])), None);
    assert_eq!(table.ask(ARBITER, correct(1, &["Kd7"])), None);
    assert_eq!((ended(&table), table.game.result()), (None, None));
    // Before they were full, nothing was overruled.
    assert_eq!(table.ask(ARBITER, correct(0, &["Rh3"])), None);
    assert_eq!(ended(&table), Some((1, AutomaticKind::SeventyFiveMove)));
}

#[test]
fn a_resignation_after_two_ends_is_reported_after_the_second_one() {
    let mut table = set_up("4k2r/8/8/8/8/8/8/4K2R w - - 134 100");
    table.moves(&["h1g1 h8g8 g1h1 g8h8"; 4].join(" "));
    assert_eq!(ended(&table), Some((16, AutomaticKind::Fivefold)));
    assert_eq!(table.ask(BLACK, Verb::Resign { player: None }), None);
    assert!(table.alert(AlertCode::PlayAfterEnd).is_some());
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!(ended(&table), Some((16, AutomaticKind::SeventyFiveMove)));
    assert!(table.alert(AlertCode::PlayAfterEnd).is_some());
}

#[test]
fn a_mate_stands_when_the_repetition_before_it_is_overruled() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = fivefold(confirm);
        table.moves("f2f3 e7e5 g2g4 d8h4");
        assert_eq!(ended(&table), Some((16, AutomaticKind::Fivefold)));
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        assert_eq!(ended(&table), Some((20, AutomaticKind::Checkmate)));
        assert_eq!(table.game.result().unwrap().reason, ResultReason::Checkmate);
        assert!(table.alert(AlertCode::GameOver).is_some());
        // He has seen the mate now: it is his to overrule, too.
        assert_eq!(table.ask(ARBITER, PLAY_ON), None);
        assert_eq!((ended(&table), table.game.result()), (None, None));
        assert_eq!(table.game.overruled(), Some(AutomaticKind::Checkmate));
    }
}

#[test]
fn the_ply_of_the_first_end_is_kept_when_the_game_is_reopened() {
    let mut table = fivefold(Confirm::Automatic);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    assert_eq!((table.game.ended(), table.game.result()), (None, None));
    table.moves("f2f3 e7e5 g2g4 d8h4");
    assert_eq!(ended(&table), Some((20, AutomaticKind::Checkmate)));
    assert_eq!(table.game.result().unwrap().reason, ResultReason::Checkmate);
    let first = Some((16, AutomaticKind::Fivefold));
    assert_eq!(first_end(&table), first);
    let back = |to_ply| Verb::Correct {
        to_ply,
        moves: Vec::new(),
    };
    assert_eq!(table.ask(ARBITER, back(16)), None);
    assert_eq!(first_end(&table), first);
    assert_eq!(table.ask(ARBITER, back(15)), None);
    assert_eq!(first_end(&table), None, "it was never played");
}

#[test]
fn play_after_an_end_alarms_whoever_confirms_it() {
    for confirm in [Confirm::Arbiter, Confirm::Automatic] {
        let mut table = fivefold(confirm);
        assert_eq!(table.alert(AlertCode::PlayAfterEnd), None);
        table.moves("e2e4");
        let alert = table.alert(AlertCode::PlayAfterEnd).unwrap();
        assert_eq!(
            (alert.level, alert.article.as_deref()),
            (Level::Red, Some("9.6.1"))
        );
        assert_eq!(alert.arguments["now_ply"], 17);
        let draw = Verb::Result {
            score: Score::Draw,
            game: None,
        };
        assert_eq!(table.ask(ARBITER, draw), None);
        assert_eq!(table.alert(AlertCode::PlayAfterEnd), None, "{confirm:?}");
    }
}

#[test]
fn an_announced_end_is_shown_to_players() {
    let mut table = fivefold(Confirm::Arbiter);
    let alert = table.alert(AlertCode::Fivefold).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    for mut table in [table, fivefold(Confirm::Automatic)] {
        let answer = table.command("1", WHITE, offer());
        assert_eq!(answer.code, Some(RefusalCode::WrongState));
        assert_eq!(answer.message.unwrap(), "the game is over: 1/2-1/2");
    }
}

#[test]
fn an_offer_stands_to_the_players_until_the_end_is_announced() {
    let mut table = Table::new(Confirm::Arbiter);
    table.shuffle(3);
    table.moves("g1f3 g8f6 f3g1");
    assert_eq!(table.ask(BLACK, offer()), None);
    table.moves("f6g8");
    assert!(table.game.result().is_some());
    assert_eq!(table.game.standing_offer(), None, "the game is over");
    assert!(table.game.offer_at_the_board().is_some());
    let alert = table.alert(AlertCode::Fivefold).unwrap().id;
    assert_eq!(table.ask(ARBITER, Verb::Ack { alert }), None);
    assert_eq!(table.game.offer_at_the_board(), None);
}

#[test]
fn a_secret_end_does_not_make_a_players_command_stale() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let seen = AudienceSeq::of_entry(table.game.seq());
    table.found_dead();
    assert_eq!(ended(&table), Some((1, AutomaticKind::DeadPosition)));
    let players = table.command_at("1", WHITE, offer(), Some(seen));
    assert_eq!(players.code, None);
    let pause = Verb::Pause {};
    let arbiters = table.command_at("2", ARBITER, pause, Some(seen));
    assert_eq!(arbiters.code, Some(RefusalCode::Stale));
}

#[test]
fn a_correction_does_not_bring_back_what_the_arbiter_has_overruled() {
    let mut table = Table::new(Confirm::Automatic);
    table.shuffle(4);
    assert_eq!(table.ask(ARBITER, PLAY_ON), None);
    table.moves("e2e4 e7e5 d2d4");
    let moves = |last: &'static str| {
        let shuffled = ["Nf3", "Nf6", "Ng1", "Ng8"].repeat(4);
        let moves = shuffled.into_iter().skip(10);
        moves.chain(["e4", "e5", last]).collect::<Vec<_>>()
    };
    assert_eq!(table.ask(ARBITER, correct(10, &moves("d3"))), None);
    assert_eq!(table.game.ended(), None);
    assert_eq!(table.game.result(), None);
    // In another game at that ply it would be another end.
    let mut other = moves("d3");
    other[..6].copy_from_slice(&["Nc3", "Nc6", "Nb1", "Nb8", "Nc3", "Nc6"]);
    assert_eq!(table.ask(ARBITER, correct(10, &other[..6])), None);
    assert_eq!(table.ask(ARBITER, correct(10, &moves("d3"))), None);
    assert_eq!(table.game.ended().map(|(ply, _)| ply), Some(16));
}

#[test]
fn a_count_over_moves_that_were_not_seen_waits_for_the_arbiter() {
    let contradicted = Input::Mismatch {
        reason: MismatchReason::NoLegalMove,
        squares: Vec::new(),
        candidates: Vec::new(),
        doubted: 2,
    };
    let counted = |by, contradicted: Option<&Input>| {
        let mut table = Table::new(Confirm::Automatic);
        table.shuffle(3);
        table.moves("g1f3 g8f6 f3g1");
        if let Some(input) = contradicted {
            table.input(input.clone());
        }
        table.input(Input::Move {
            uci: "f6g8".into(),
            by,
            clock: None,
        });
        assert_eq!(ended(&table), Some((16, AutomaticKind::Fivefold)));
        table.game.result().unwrap().confirmed
    };
    assert!(counted(SettledBy::Reply, None));
    assert!(!counted(SettledBy::Reconstructed, None));
    assert!(!counted(SettledBy::Reply, Some(&contradicted)));

    let mut table = Table::new(Confirm::Automatic);
    let fen = "4k2r/8/8/8/8/8/8/4K2R w - - 148 100";
    assert_eq!(table.ask(ARBITER, setup(fen)), None);
    table.input(Input::Move {
        uci: "h1h2".into(),
        by: SettledBy::Reconstructed,
        clock: None,
    });
    table.moves("e8d8");
    assert_eq!(ended(&table), Some((2, AutomaticKind::SeventyFiveMove)));
    assert!(!table.game.result().unwrap().confirmed);

    // What is on the board needs no count.
    let mut table = Table::new(Confirm::Automatic);
    table.moves("f2f3 e7e5 g2g4");
    table.input(Input::Move {
        uci: "d8h4".into(),
        by: SettledBy::Reconstructed,
        clock: None,
    });
    assert!(table.game.result().unwrap().confirmed);
}
