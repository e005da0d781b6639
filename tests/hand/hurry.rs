//! Pieces that are moved again, or taken, before the board has looked at them twice.

use shakmaty::{Color, Role, Square};

use super::Table;
use remisd::board::event::{Seen, Sensed};

/// Tells what each square shows at its time, in milliseconds from the first.
fn tell(table: &mut Table, changes: &[(u64, Square, Seen)]) {
    let begin = table.now + 1_000;
    for &(at, square, seen) in changes {
        table.wait((begin + at).saturating_sub(table.now));
        table.tell(&Sensed::Square(square, seen));
    }
    table.wait(5_000);
}

fn white(role: Role) -> Seen {
    Seen::Piece(role.of(Color::White))
}

fn black(role: Role) -> Seen {
    Seen::Piece(role.of(Color::Black))
}

#[test]
fn a_promoted_piece_that_is_taken_at_once_is_what_was_seen() {
    let mut table = Table::of("6k1/2P5/B7/8/8/7b/8/6K1 w - - 0 1");
    tell(
        &mut table,
        &[
            (0, Square::C7, Seen::Empty),
            (120, Square::H3, Seen::Empty),
            (190, Square::C8, white(Role::Queen)),
            (610, Square::C8, black(Role::Bishop)),
            (870, Square::A6, Seen::Empty),
            (1_090, Square::C8, white(Role::Bishop)),
        ],
    );
    assert_eq!(table.uci(), ["c7c8q", "h3c8", "a6c8"]);
}

#[test]
fn of_two_rooks_that_meet_on_their_squares_the_one_that_left_before_came_first() {
    let mut table = Table::of("7k/8/8/4r3/8/2r5/1R6/3R3K w - - 0 1");
    tell(
        &mut table,
        &[
            (0, Square::C3, Seen::Empty),
            (24, Square::B2, Seen::Empty),
            (32, Square::D2, white(Role::Rook)),
            (286, Square::D1, Seen::Empty),
            (510, Square::A3, black(Role::Rook)),
            (735, Square::B1, white(Role::Rook)),
            (1_080, Square::E5, Seen::Empty),
            (1_300, Square::D5, black(Role::Rook)),
        ],
    );
    assert_eq!(table.uci(), ["b2d2", "c3a3", "d1b1", "e5d5"]);
}

#[test]
fn a_pawn_that_is_taken_where_it_was_seen_has_not_gone_on_to_be_taken_in_passing() {
    let mut table = Table::of("6k1/1bp5/8/3P4/3N4/8/8/6K1 b - - 0 1");
    tell(
        &mut table,
        &[
            (0, Square::C7, Seen::Empty),
            (440, Square::C6, black(Role::Pawn)),
            (680, Square::D5, Seen::Empty),
            (905, Square::C6, Seen::Empty),
            (1_050, Square::B7, Seen::Empty),
            (1_275, Square::C6, black(Role::Bishop)),
            (1_750, Square::D4, Seen::Empty),
            (1_915, Square::C6, white(Role::Knight)),
        ],
    );
    assert_eq!(table.uci(), ["c7c6", "d5c6", "b7c6", "d4c6"]);
}
