//! Results that the players have shown on the board, and results of earlier games.

use super::{
    table::{ARBITER, offer, restarted},
    *,
};
use remisd_vocabulary::seq::EntrySeq;

const RESIGN: Verb = Verb::Resign { player: None };

/// The kings show that White has won, and the array of the next game is set up.
fn shown_and_left() -> (Table, EntrySeq) {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let game = table.game.number();
    let winner = Some(Side::White);
    table.input(Input::ResultProposed {
        winner,
        sign: Sign::Kings,
    });
    table.start_array();
    (table, game)
}

fn result_of(game: EntrySeq, score: Score) -> Verb {
    let game = Some(game);
    Verb::Result { score, game }
}

/// The facts about results of earlier games, by their fields.
fn recorded(table: &Table) -> Vec<(EntrySeq, String)> {
    let facts = table.facts.iter().map(|f| serde_json::to_value(f).unwrap());
    let recorded = facts.filter(|fact| fact["type"] == "result_recorded");
    recorded
        .map(|fact| {
            let score = fact["score"].as_str().unwrap().to_owned();
            (EntrySeq::new(fact["game"].as_u64().unwrap()), score)
        })
        .collect()
}

#[test]
fn a_result_that_was_shown_stays_in_view_when_the_next_game_begins() {
    let (mut table, game) = shown_and_left();
    assert_eq!(table.game.proposed_result(), None);
    for _ in 0..2 {
        let [left] = table.game.unresolved_matters() else {
            panic!("{:?}", table.game.unresolved_matters());
        };
        assert_eq!(
            (left.game, left.what.as_str(), left.ply),
            (game, "result", 2)
        );
        let alert = table.alert(AlertCode::LeftUndecided).unwrap();
        assert_eq!(alert.arguments["what"], "result");
        assert_eq!(alert.arguments["score"], "1-0");
        table = restarted(&table.game.carried());
    }
}

#[test]
fn the_result_of_a_game_that_was_left_is_entered_for_that_game() {
    let (mut table, game) = shown_and_left();
    table.moves("d2d4");
    let number = table.game.number();
    let refused = table.ask(ARBITER, result_of(game, Score::None));
    assert_eq!(refused, Some(RefusalCode::BadValue));
    assert_eq!(table.ask(ARBITER, result_of(game, Score::WhiteWins)), None);
    assert_eq!(recorded(&table), [(game, "1-0".to_owned())]);
    assert_eq!(table.alert(AlertCode::LeftUndecided), None);
    assert_eq!(table.game.result(), None, "game {number} goes on");
    assert_eq!(table.game.ply(), 1);
    // While it is the newest before this one, a wrong result can be corrected.
    assert_eq!(table.ask(ARBITER, result_of(game, Score::Draw)), None);
    let entered = ["1-0", "1/2-1/2"].map(|score| (game, score.to_owned()));
    assert_eq!(recorded(&table), entered);
    table.start_array();
    let again = table.ask(ARBITER, result_of(game, Score::WhiteWins));
    assert_eq!(again, Some(RefusalCode::Stale), "there is nothing open");
}

#[test]
fn the_result_of_a_game_whose_end_was_never_confirmed_is_entered_for_that_game() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5");
    let game = table.game.number();
    assert_eq!(table.ask(Role::White, RESIGN), None);
    table.start_array();
    assert!(table.alert(AlertCode::ResultUnconfirmed).is_some());
    assert_eq!(table.ask(ARBITER, result_of(game, Score::Draw)), None);
    assert_eq!(recorded(&table), [(game, "1/2-1/2".to_owned())]);
    assert_eq!(table.alert(AlertCode::ResultUnconfirmed), None);
}

#[test]
fn an_entered_result_for_an_earlier_game_makes_no_player_late() {
    let (mut table, game) = shown_and_left();
    let seen = table.game.seq_for(Role::White);
    assert_eq!(table.ask(ARBITER, result_of(game, Score::WhiteWins)), None);
    let answer = table.command_at("1", Role::White, offer(), Some(seen));
    assert!(answer.ok, "{answer:?}");
}
