//! How players and arbiter deal with each other at a board.

use super::{
    table::{ARBITER, BLACK, CORRECT, WHITE, offer},
    *,
};

#[test]
fn a_correction_rewrites_the_moves_or_changes_nothing() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    let correct = |to_ply, moves: &[&str]| Verb::Correct {
        to_ply,
        moves: moves.iter().map(|m| (*m).to_owned()).collect(),
    };
    assert_eq!(
        table.ask(ARBITER, correct(1, &["c5", "Qxh7"])),
        Some(RefusalCode::BadValue)
    );
    assert_eq!(table.game.ply(), 3);
    assert_eq!(table.ask(ARBITER, correct(1, &["c5", "b1c3"])), None);
    let san: Vec<&str> = table
        .game
        .moves()
        .iter()
        .map(|m| m.text.san.as_str())
        .collect();
    assert_eq!(san, ["e4", "c5", "Nc3"]);
}

#[test]
fn no_player_acts_for_the_other() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    let for_black = Verb::Offer {
        player: Some(Side::Black),
        condition: None,
    };
    assert_eq!(
        table.ask(WHITE, for_black.clone()),
        Some(RefusalCode::RoleMayNot)
    );
    assert_eq!(table.ask(Role::Clock, offer()), Some(RefusalCode::BadValue));
    assert_eq!(table.ask(Role::Clock, for_black), None);
    let rules_for_himself = table.command_at("x", WHITE, CORRECT, None);
    assert_eq!(rules_for_himself.code, Some(RefusalCode::WrongState));
}

#[test]
fn ids_belong_to_roles() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4");
    assert!(table.command("1", WHITE, offer()).ok);
    assert_eq!(table.game.answer(BLACK, "1"), None);
    assert!(
        table
            .game
            .answer(WHITE, "1")
            .is_some_and(|answer| answer.ok)
    );
}

#[test]
fn a_correction_is_not_a_move_of_the_players() {
    let mut table = Table::new(Confirm::Arbiter);
    table.moves("e2e4 e7e5 g1f3");
    assert_eq!(table.ask(ARBITER, Verb::Pause {}), None);
    table.ask(WHITE, offer());
    let correct = Verb::Correct {
        to_ply: 1,
        moves: vec!["c5".to_owned(), "Nf3".to_owned()],
    };
    assert_eq!(table.ask(ARBITER, correct), None);
    assert!(table.game.pause_state().is_some());
    assert!(table.game.standing_offer().is_some());
}
