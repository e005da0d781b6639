//! Boards that only detect whether a square is occupied.

use remisd_hand::MismatchReason;
use shakmaty::Color;

use super::table::Table;

/// A table with such a board after the events of `seen`: see [`Table::replay`].
fn read(fen: &str, seen: &str) -> Table {
    let mut table = Table::without_kinds(fen);
    if seen.contains("press") {
        table.lever_is_there();
    }
    table.replay(seen);
    table.wait(8_000);
    table
}

#[test]
fn a_piece_that_is_put_down_while_another_one_is_up_has_been_taken_by_it() {
    // The queen could also have been put on f3 or e4, without any square changing.
    let table = read(
        "7k/8/8/8/4P3/1P1q1P2/8/6K1 b - - 0 1",
        "0 -d3, 220 -b3, 450 #b3",
    );
    assert_eq!(table.uci(), ["d3b3"]);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn a_piece_reported_after_the_one_it_captured_has_captured_it() {
    // Within one scan the board reports e6 before e5, although e5 became empty first.
    let table = read(
        "7k/8/4P3/4q3/4P3/8/1P6/6K1 b - - 0 1",
        "0 -e6, 430 #e6, 460 -e5",
    );
    assert_eq!(table.uci(), ["e5e6"]);
}

#[test]
fn of_two_pieces_that_could_have_been_taken_unseen_none_is_guessed() {
    let mut table = read("7k/8/8/8/4P3/3q1P2/8/6K1 b - - 0 1", "0 -d3");
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    // White's pawn moves on from e4, so it was not taken.
    table.replay("0 -e4, 300 #e5, 3000 -h8, 3300 #g8");
    table.wait(8_000);
    assert_eq!(table.uci(), ["d3f3", "e4e5", "h8g8"]);
}

#[test]
// Known fault: the tracker announces both pieces, and doubts them.
#[should_panic(expected = "[")]
fn one_landing_is_not_that_of_two_pieces() {
    // White's queen is pushed onto f4. It did not go to c2 to be taken there by Black's queen: only
    // one landing on c2 is seen, and more than two seconds later.
    let table = read(
        "6k1/8/8/8/5n2/1q6/3Q1K2/8 w - - 0 1",
        "0 -d2, 2450 -b3, 2490 #c2, 5140 -f2, 5460 #g3",
    );
    assert!(table.moves.is_empty(), "{:?}", table.uci());
}

#[test]
fn a_player_who_plays_on_does_not_hold_the_missing_pieces() {
    // A pawn takes a pawn and is taken by another, and the board reports neither landing. Then both
    // players play on.
    let table = read(
        "6k1/8/8/p7/1P6/2P5/7r/6K1 b - - 0 1",
        "0 -a5, 2500 -c3, 6000 -h2, 6200 #h1, 8500 -g1, 8700 #g2",
    );
    assert_eq!(table.uci(), ["a5b4", "c3b4", "h2h1", "g1g2"]);
}

#[test]
fn a_press_means_that_the_rook_has_not_stayed_where_it_paused() {
    let table = read(
        "6k1/8/4p3/8/8/8/8/4R1K1 w - - 0 1",
        "0 -e1, 20 #e2, 250 -e2, 1000 press, 3500 -g8, 3800 #h8, 4000 press",
    );
    assert_eq!(table.uci(), ["e1e6", "g8h8"]);
}

#[test]
fn kings_for_which_room_is_made_in_the_centre_show_the_result() {
    let table = read(
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1",
        "0 -e1, 400 -e4, 900 -e8, 1300 #d5, 1700 #e4",
    );
    assert_eq!(table.proposed, [Some(Color::White)]);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
}

#[test]
// Known fault: the tracker announces no capture.
#[should_panic(expected = "assertion")]
fn a_piece_that_stays_away_has_taken_the_only_one_it_could() {
    let mut table = Table::without_kinds("7k/8/6p1/7P/8/8/8/6K1 w - - 0 1");
    table.replay("0 -h5");
    table.wait(5_000);
    assert!(table.moves.is_empty(), "it may be in the hand");
    table.wait(5_000);
    assert_eq!(table.uci(), ["h5g6"]);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn two_pieces_that_stay_away_have_taken_each_other() {
    let table = read(
        "3r3k/3p4/8/8/8/2N5/8/3R2K1 w - - 0 1",
        "0 -d1, 1500 -d8, 7000 -c3, 7250 #d5, 9000 -h8, 9300 #g8",
    );
    assert_eq!(table.uci(), ["d1d7", "d8d7", "c3d5", "h8g8"]);
}

#[test]
// Known fault: the tracker announces the stop.
#[should_panic(expected = "[")]
fn a_stop_before_a_piece_is_pushed_off_is_no_move() {
    // The pawn stands on c4 for a second and a half. Then it may continue to capture on d4, where
    // its landing would not be seen.
    let mut table = Table::without_kinds("6k1/8/8/2p5/3P4/8/8/4K3 b - - 0 1");
    table.replay("0 -c5, 250 #c4, 1750 -c4");
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    // It was only adjusted.
    table.replay("0 #c4");
    table.wait(3_000);
    assert_eq!(table.uci(), ["c5c4"]);
}

#[test]
fn what_a_piece_slides_over_to_one_that_it_pushes_off_is_no_stop() {
    let table = read(
        "r5k1/8/4p3/8/8/8/8/4R1K1 w - - 0 1",
        "0 #e2, 30 -e1, 250 -e2, 260 #e4, 480 -e4, 490 #e5, 700 -e5, 3500 -a8, 3800 #c8, 6000 -g1, 6300 #f2",
    );
    assert_eq!(table.uci(), ["e1e6", "a8c8", "g1f2"]);
}

#[test]
// Known fault: the tracker announces no promotion.
#[should_panic(expected = "assertion")]
fn a_piece_still_on_its_square_has_not_gone_to_another() {
    // The rook takes on d4. The pawn that reaches b8 afterwards is not that rook.
    let mut table = Table::without_kinds("3r2k1/1P6/8/8/3P4/8/8/4K3 b - - 0 1");
    table.replay("0 -d8, 60 -d4, 530 #d4, 1700 #b8, 2150 -b7");
    table.wait(4_000);
    assert_eq!(table.uci(), ["d8d4", "b7b8q"]);
}

#[test]
fn a_pawn_is_taken_to_be_a_queen_and_nothing_else() {
    // Apart from the queen, this is far from certain: the board does not show that the pawn takes a
    // rook.
    let table = read(
        "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1",
        "0 -e7, 9000 -h8, 9300 #h7, 12000 -e1, 12300 #e2",
    );
    assert_eq!(table.uci(), ["e7d8q", "h8h7", "e1e2"]);
}

#[test]
fn an_unseen_last_capture_is_not_lost_when_the_result_is_shown() {
    let table = read(
        "8/4k3/6p1/7P/8/8/4K3/8 w - - 0 1",
        "0 -h5, 3000 -e2, 3400 #e4, 3800 -e7, 4200 #d5",
    );
    assert_eq!(table.uci(), ["h5g6"]);
    assert_eq!(table.proposed, [Some(Color::White)]);
}

#[test]
fn a_king_still_on_its_square_does_not_show_the_result() {
    // The rook on c1 takes on c2, and the board does not show the capture. White's king does not
    // take it there: c2 is still occupied when both kings are in the centre.
    let table = read(
        "8/6k1/8/8/8/1K6/2R5/2r5 b - - 0 1",
        "0 -c1, 8000 -b3, 8700 -g7, 9400 #e5, 10200 #d4",
    );
    assert_eq!(table.uci(), ["c1c2"]);
    assert_eq!(table.proposed, [Some(Color::Black)]);
}

#[test]
fn a_king_that_goes_on_within_the_centre_shows_the_result() {
    let table = read(
        "8/6k1/2R5/4K3/8/8/8/8 b - - 0 1",
        "0 -e5, 800 -g7, 1100 #e4, 1900 #d5",
    );
    assert_eq!(table.proposed, [Some(Color::White)]);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
}

#[test]
fn a_pawn_and_a_king_that_were_played_to_the_centre_show_no_result() {
    // The rook has taken on a5 or on h8: it is unknown which. White's king goes to d3, which the
    // pawn has left. The sensors would show the same if the king had gone to d4 itself.
    let table = read(
        "r6N/8/8/P1k5/8/3P4/3K4/8 b - - 0 1",
        "0 -a8, 3000 -d3, 3220 #d4, 6000 -c5, 6230 #d5, 9000 -d2, 9230 #d3",
    );
    assert_eq!(table.proposed, []);
    assert_eq!(table.mismatches.last(), Some(&MismatchReason::Ambiguous));
}

#[test]
// Known fault: the tracker announces no capture.
#[should_panic(expected = "assertion")]
fn a_rook_that_left_the_centre_to_take_unseen_made_no_room_for_a_king() {
    let table = read(
        "8/8/8/8/4r2P/5k1K/8/8 b - - 0 1",
        "0 -e4, 6200 -h3, 7000 -f3, 7800 #e5, 8700 #d4",
    );
    assert_eq!(table.uci(), ["e4h4"]);
    assert_eq!(table.proposed, [Some(Color::Black)]);
}

#[test]
// Known fault: the tracker announces the capture, and doubts it.
#[should_panic(expected = "[")]
fn a_king_used_as_a_substitute_is_not_taken_for_a_returned_piece() {
    // The queen on e5 takes on g5 unseen, or is removed to make room for a king that shows the
    // result.
    let table = read(
        "8/8/8/2k1q1QK/8/8/8/8 b - - 0 1",
        "0 -e5, 6600 -h5, 7500 #e5, 7900 -c5, 8500 #d4",
    );
    assert_eq!(table.proposed, [Some(Color::Black)]);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    assert_eq!(table.mismatches, [MismatchReason::Ambiguous]);
}

#[test]
fn a_piece_that_comes_when_the_next_ones_are_up_is_not_that_of_an_earlier_capture() {
    // The pawn on f4 takes on e5 or g5, and the pawn on f6 takes it there, unseen. The bishop that
    // lands on g5 afterwards does not decide between the two.
    let table = read(
        "4k3/8/2q2p2/4p1p1/5P2/8/8/2B1K3 w - - 0 1",
        "0 -f4, 3700 -f6, 6150 -g5, 6690 -c1, 7030 #g5, 8310 -c6, 8540 #d6",
    );
    assert!(table.certain().is_empty(), "{:?}", table.uci());
    assert_eq!(table.mismatches.last(), Some(&MismatchReason::Ambiguous));
}

#[test]
// Known fault: the tracker announces no move.
#[should_panic(expected = "assertion")]
fn a_piece_that_was_held_for_long_may_still_be_put_elsewhere() {
    for (square, then) in [("h6", "h5h6"), ("h5", "")] {
        let mut table = Table::without_kinds("7k/8/6p1/7P/8/8/8/6K1 w - - 0 1");
        table.replay("0 -h5");
        table.wait(9_000);
        table.replay(&format!("0 #{square}"));
        table.wait(5_000);
        assert_eq!(table.uci().join(" "), then);
        assert!(table.tracker.mismatch().is_none());
    }
}

#[test]
fn an_unseen_capture_is_settled_by_what_is_played_after_it_however_fast() {
    // The pawn on e4 has taken the one on d5, whose square never changes. Afterwards each player
    // lifts a king before the other player's king has landed.
    let mut table = Table::without_kinds("k7/8/8/3p4/4P3/8/8/7K w - - 0 1");
    table.replay(
        "0 -e4, 300 -a8, 900 -h1, 1000 #b8, 1600 -b8, 1700 #g1, 2300 -g1, 2400 #c8, 3000 -c8, \
         3100 #f1, 3700 -f1, 3800 #d8, 4400 -d8, 4500 #e1, \
         5100 -e1, 5200 #c8, 5800 -c8, 5900 #f1, 6200 #d8",
    );
    assert_eq!(table.uci().first().map(String::as_str), Some("e4d5"));
}

#[test]
fn a_press_does_not_say_that_a_piece_that_was_taken_up_has_taken_another_one() {
    // Black's queen has taken on b5 or h3. Later White's pawn goes from g2 to g3, and White presses
    // before the board reports g3. On h3 the pawn would have taken the queen.
    let mut table = Table::without_kinds("6k1/3q4/8/1P6/8/7P/6P1/6K1 b - - 0 1");
    table.lever_is_there();
    table.replay(
        "0 -d7, 500 press, 2000 -g1, 2300 #f2, 2500 press, 4000 -g8, 4300 #f8, 4500 press, \
         6000 -f2, 6300 #g1, 6500 press, 8000 -f8, 8300 #e8, 8500 press, 10000 -g2, 10150 press",
    );
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    table.replay("0 #g3");
    table.wait(8_000);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
}

#[test]
fn a_queen_that_is_exchanged_for_a_rook_before_the_press_is_a_rook() {
    let mut table = Table::of("7k/8/8/8/8/8/4K1p1/8 b - - 0 1");
    table.lever_is_there();
    table.replay("0 -g2, 500 qg1, 1250 -g1, 1800 rg1, 2600 press");
    table.wait(20_000);
    assert_eq!(table.uci(), ["g2g1r"]);
}

#[test]
fn a_promotion_to_a_rook_that_mates_is_announced_after_a_rest() {
    let mut table = Table::of("8/8/8/8/8/6k1/2p5/6K1 b - - 0 1");
    table.lever_is_there();
    table.replay("0 -c2, 500 rc1, 1300 press");
    table.wait(5_000);
    assert_eq!(table.uci(), ["c2c1r"]);
}
