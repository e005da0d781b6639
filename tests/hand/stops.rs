//! Pieces that do not go to their square in one step.

use remisd_hand::MismatchReason;
use remisd_vocabulary::{
    sensor::{Seen, Sensed},
    time::Span,
};
use shakmaty::{Chess, Color, Position, Role, Square, uci::UciMove};

use super::{steps, table::Table};

#[test]
// Known fault: the tracker announces e4c5 while the capturer is on its way.
#[should_panic(expected = "assertion")]
fn a_capturer_that_slides_past_does_not_move_its_victim() {
    // 20.Nc5 Bxc5, with the knight removed first and the bishop sliding across d6.
    let mut table = Table::of("4k3/4b3/8/8/4N3/8/8/4K3 w - - 0 1");
    table.lift(Square::E4);
    table.place(Square::C5, Role::Knight, Color::White);
    table.wait(272);
    table.lift(Square::C5);
    table.lift(Square::E7);
    table.place(Square::D6, Role::Bishop, Color::Black);
    assert_eq!(table.uci(), [] as [&str; 0], "nothing says Nd6");
    table.lift(Square::D6);
    table.place(Square::C5, Role::Bishop, Color::Black);
    table.wait(4_000);
    assert_eq!(table.uci(), ["e4c5", "e7c5"]);
}

#[test]
fn a_stop_on_the_way_is_not_the_move() {
    let mut table = Table::new();
    table.lift(Square::E2);
    table.place(Square::E3, Role::Pawn, Color::White);
    table.lift(Square::E3);
    table.place(Square::E4, Role::Pawn, Color::White);
    table.wait(200);
    table.lift(Square::E7);
    assert_eq!(table.uci(), ["e2e4"]);
    assert!(table.withdrawn.is_empty(), "e3 was never announced");
}

#[test]
fn a_lift_while_the_piece_is_hardly_down_settles_nothing() {
    let mut table = Table::new();
    for uci in ["e2e4", "e7e5"] {
        let position = (table.moves.iter()).fold(Chess::default(), |p, m| p.play(*m).unwrap());
        let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        for (square, seen) in steps(m, position.turn(), 0) {
            table.see(square, seen);
        }
        table.wait(5_000);
    }
    table.lift(Square::F1);
    table.place(Square::D3, Role::Bishop, Color::White);
    table.now += Span::from_millis(100);
    table.sense(&Sensed::Square(Square::D7, Seen::Empty)); // Black is in a hurry
    assert_eq!(table.moves.len(), 2);
    table.lift(Square::D3);
    table.place(Square::C4, Role::Bishop, Color::White);
    table.place(Square::D6, Role::Pawn, Color::Black);
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "f1c4", "d7d6"]);
}

#[test]
fn a_stop_that_was_taken_for_the_move_is_revised() {
    let mut table = Table::new();
    table.lift(Square::E2);
    table.place(Square::E3, Role::Pawn, Color::White);
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e3"]);
    table.lift(Square::E3);
    table.place(Square::E4, Role::Pawn, Color::White);
    table.wait(300);
    assert!(!table.uci().contains(&"e2e3".to_owned()));
    table.lift(Square::E7);
    table.place(Square::E5, Role::Pawn, Color::Black);
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5"]);
}

#[test]
// Known fault: the tracker withdraws e2e3, and announces e2e4 later.
#[should_panic(expected = "assertion")]
fn a_stop_that_was_taken_for_the_move_is_revised_within_a_scan() {
    let mut table = Table::new();
    table.replay("0 -e2, 200 Pe3");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e3"]);
    table.replay("0 -e3, 200 Pe4");
    table.wait(300);
    assert_eq!(table.uci(), ["e2e4"]);
}

#[test]
fn a_slow_slide_with_many_stops_ends_as_one_move() {
    let mut table = Table::new();
    for (square, role, color) in [
        (Square::E2, Role::Pawn, Color::White),
        (Square::E4, Role::Pawn, Color::White),
        (Square::E7, Role::Pawn, Color::Black),
        (Square::E5, Role::Pawn, Color::Black),
    ] {
        if square.rank() == shakmaty::Rank::Second || square.rank() == shakmaty::Rank::Seventh {
            table.lift(square);
        } else {
            table.place(square, role, color);
        }
    }
    table.wait(5_000);
    table.lift(Square::F1);
    for stop in [Square::E2, Square::D3, Square::C4] {
        table.place(stop, Role::Bishop, Color::White);
        table.wait(5_000);
        if stop != Square::C4 {
            table.lift(stop);
        }
    }
    assert_eq!(table.uci(), ["e2e4", "e7e5", "f1c4"]);
}

#[test]
fn slow_castling_with_the_rook_first_is_castling() {
    let mut table = Table::of("4k3/8/8/8/8/8/8/4K2R w K - 0 1");
    table.lift(Square::H1);
    table.place(Square::F1, Role::Rook, Color::White);
    table.wait(10_000);
    assert_eq!(table.uci(), ["h1f1"], "it has stood for very long");
    table.lift(Square::E1);
    table.place(Square::G1, Role::King, Color::White);
    table.wait(10_000);
    assert_eq!(table.uci(), ["e1g1"]);
}

#[test]
fn a_piece_lifted_and_put_back_is_no_move() {
    let mut table = Table::new();
    table.lift(Square::G1);
    table.wait(5_000);
    table.place(Square::G1, Role::Knight, Color::White);
    table.wait(60_000);
    assert!(table.moves.is_empty() && table.mismatches.is_empty());
}

#[test]
fn a_capture_by_a_piece_that_hovers_is_not_settled_at_its_stop() {
    let mut table = Table::of("4k3/8/p7/8/8/8/8/4KB2 w - - 0 1");
    table.lift(Square::F1);
    table.place(Square::D3, Role::Bishop, Color::White);
    table.lift(Square::A6); // White removes the pawn with the other hand
    assert!(table.moves.is_empty());
    table.lift(Square::D3);
    table.place(Square::A6, Role::Bishop, Color::White);
    table.wait(10_000);
    assert_eq!(table.uci(), ["f1a6"]);
}

#[test]
fn a_piece_that_was_knocked_over_is_put_back_while_the_others_play_on() {
    let fen = "r1bqkb1r/ppp2ppp/4pn2/8/3PB3/5N2/PPP2PPP/R1BQK2R w KQkq - 0 1";
    let seen = "0 -c1, 81 Bg5, 1390 -c7, 1660 pc5, 1663 Pd5, 1664 -d4, 2622 -g5, 2740 Bf6, \
                3206 -d5, 3524 Pd4, 3605 -g7, 3640 pf6";
    let read = super::table::read(fen, seen);
    assert_eq!(read, ["c1g5", "c7c5", "g5f6", "g7f6"]);
}

#[test]
fn a_captor_that_stops_on_its_way_has_not_taken_its_victim_there() {
    // Black's rook has stood on e3 for a while. White removes it and slides a rook across e2.
    let fen = "4rr1k/p4q2/1p1p3p/2p2bpP/2Pp4/3P1BP1/PPQ3P1/R3R1K1 b - - 0 1";
    let seen = "0 -e8, 590 re3, 1898 -e3, 2595 Re2, 2626 -e1, 3042 Re3, 3068 -e2";
    let mut table = Table::of(fen);
    table.replay(seen);
    table.wait(5_000);
    assert_eq!(table.uci(), ["e8e3", "e1e3"]);
    // The reading is the same if the rook is put down on e2 twice.
    let twice = seen.replace(
        "3042 Re3, 3068 -e2",
        "2800 -e2, 2900 Re2, 3342 Re3, 3368 -e2",
    );
    assert_eq!(super::table::read(fen, &twice), ["e8e3", "e1e3"]);
    // On a board without piece identification, nothing shows a black rook on e2 either.
    let mut table = Table::without_kinds(fen);
    table.replay(&seen.replace(['r', 'R'], "#"));
    table.wait(5_000);
    assert_eq!(table.uci(), ["e8e3", "e1e3"]);
}

#[test]
fn a_piece_that_was_long_on_its_way_is_no_mismatch_where_it_has_come_to_stand() {
    // White puts the bishop down on e4, thinks, and moves it to f3, which is not beyond e4.
    let mut table = Table::of("4k3/8/8/8/8/8/6B1/4K3 w - - 0 1");
    table.lever_is_there();
    table.replay("0 -g2, 404 Be4, 1584 -e4, 1611 Bf3, 2116 press");
    table.wait(4_000);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
    assert_eq!(table.uci(), ["g2f3"]);
}

#[test]
fn a_piece_that_was_pushed_off_for_some_seconds_and_is_put_back_has_not_moved_there() {
    let mut table = Table::of("4k3/8/8/8/8/8/6B1/4K3 w - - 0 1");
    table.replay("0 -g2, 200 Be4, 900 -e4, 920 Bf3");
    table.wait(6_000);
    table.replay("0 -f3, 200 Be4");
    table.wait(6_000);
    assert_eq!(table.uci(), ["g2e4"]);
}

#[test]
fn a_pawn_that_stood_two_squares_on_was_not_on_its_way_when_it_came_to_stand_one_square_on() {
    // The pawn moves from b4 back to b3, where it is taken. This is not a capture en passant.
    let mut table = Table::of("4k3/8/8/8/p7/8/1P6/4K3 w - - 0 1");
    table.replay("0 -b2, 225 Pb4, 627 -b4, 883 Pb3, 2023 -b3, 2447 -a4, 2707 pb3");
    table.wait(10_000);
    let reported = table.mismatches == [MismatchReason::Ambiguous] && table.moves.is_empty();
    assert!(
        reported || table.uci() == ["b2b3", "a4b3"],
        "{:?}",
        table.uci()
    );
}

#[test]
fn a_piece_that_has_stood_and_can_be_taken_is_not_moved_on_but_put_aside() {
    // The queen is removed from e2 as a captured piece and put on e7 in between.
    let fen = "6k1/8/8/8/4q3/8/3Q4/6K1 b - - 0 1";
    let aside = "0 -e4, 260 qe2, 3181 -e2, 3468 qe7, 4013 -d2, 4238 Qe2, 5555 -e7";
    let mut table = Table::of(fen);
    table.replay(aside);
    table.wait(10_000);
    assert_eq!(table.uci(), ["e4e2", "d2e2"]);
    // A player who lifts the queen again soon has found a better move.
    let mut table = Table::of(fen);
    table.replay("0 -e4, 260 qe2, 1461 -e2, 1748 qe7, 4013 -d2, 4238 Qe2");
    table.wait(10_000);
    assert_eq!(table.uci(), ["e4e7", "d2e2"]);
}

#[test]
fn a_queen_that_rests_where_she_would_mate_and_moves_on_ends_no_game() {
    let mut table = Table::of("6k1/5ppp/8/8/8/8/8/Q5K1 w - - 0 1");
    table.replay("0 -a1, 300 Qa7, 800 -a7");
    table.replay("0 Qa8, 700 -a8, 1100 Qa5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["a1a5"]);
    assert!(!table.withdrawn.iter().any(|m| m.to() == Square::A8));
}
