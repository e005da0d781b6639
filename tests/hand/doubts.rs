//! What is reported to the arbiter.

use remisd_hand::{MismatchReason, SettledBy};
use remisd_vocabulary::sensor::{Placement, Seen, Sensed};
use shakmaty::{Chess, Color, Position, Role, Square, uci::UciMove};

use super::table::Table;

#[test]
fn a_mismatch_is_reported_again_when_the_game_is_resumed() {
    let mut table = Table::new();
    table.lift(Square::E2);
    table.place(Square::E5, Role::Pawn, Color::White);
    table.wait(5_000);
    table.tracker.follow(Chess::default(), table.now);
    table.wait(5_000);
    assert_eq!(table.mismatches.len(), 2);
    assert_eq!(table.agreed, 1);
}

#[test]
fn an_illegal_move_is_a_mismatch_until_the_board_agrees_again() {
    let mut table = Table::new();
    table.lift(Square::E2);
    table.place(Square::E5, Role::Pawn, Color::White);
    table.wait(1_500);
    assert!(table.mismatches.is_empty(), "not reported too soon");
    table.wait(60_000);
    assert_eq!(table.mismatches, [MismatchReason::NoLegalMove]);
    assert!(table.moves.is_empty(), "never a guess");
    let squares: Vec<_> = table.tracker.mismatch().unwrap().squares.clone();
    assert!(squares.iter().any(|s| s.square == Square::E5));
    table.lift(Square::E5);
    table.place(Square::E4, Role::Pawn, Color::White);
    assert_eq!(table.agreed, 1);
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4"]);
}

#[test]
// Known fault: no rook is announced within 10 s, since it may be a queen.
#[should_panic(expected = "assertion")]
fn a_pawn_left_on_the_last_rank_is_named() {
    let fen: shakmaty::fen::Fen = "8/P6k/8/8/8/8/8/K7 w - - 0 1".parse().unwrap();
    let position = fen.into_position(shakmaty::CastlingMode::Standard).unwrap();
    let mut table = Table::at(position);
    table.lift(Square::A7);
    table.place(Square::A8, Role::Pawn, Color::White);
    table.wait(10_000);
    assert_eq!(table.mismatches, [MismatchReason::PawnNotPromoted]);
    table.lift(Square::A8);
    table.place(Square::A8, Role::Rook, Color::White);
    table.wait(10_000);
    assert_eq!(table.uci(), ["a7a8r"]);
}

#[test]
fn plies_missed_in_a_gap_are_found_when_only_one_line_explains_them() {
    let mut table = Table::new();
    let mut position = Chess::default();
    for uci in ["e2e4", "e7e5", "f1c4"] {
        let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(m);
    }
    table.out_of_sight();
    table.sense(&Sensed::Placement(Placement::from(position.board())));
    table.wait(10_000);
    // 1. e4 e5 2. Bc4 has only this order: the bishop needs e2 empty.
    assert_eq!(table.uci(), ["e2e4", "e7e5", "f1c4"]);
}

#[test]
fn several_lines_to_the_same_squares_are_for_the_arbiter() {
    let mut table = Table::new();
    let mut position = Chess::default();
    for uci in ["e2e4", "e7e5", "d2d4"] {
        let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        position.play_unchecked(m);
    }
    table.out_of_sight();
    table.sense(&Sensed::Placement(Placement::from(position.board())));
    table.wait(10_000);
    assert_eq!(table.mismatches, [MismatchReason::Ambiguous]);
    assert_eq!(table.tracker.mismatch().unwrap().candidates.len(), 2);
    assert!(table.moves.is_empty());
}

#[test]
fn lines_that_were_too_many_for_a_moment_are_no_rivals_for_ever() {
    // The king on d3 is misread as a queen while White's rook slides to e1. For one scan almost any
    // line explains that, more than the beam can hold. The moves that follow cost the played line
    // less than they would cost those lines.
    let mut table = Table::of("4R3/8/8/8/7P/3k2KP/4p3/1r6 b - - 0 1");
    table.replay(
        "0 -e2, 900 qe1, 2800 -e1, 3009 qd3, 3083 Re7, 3194 kd3, 3283 -e8, 3309 -e7, 3334 Re6, \
         3565 -e6, 3641 Re3, 3882 -e3, 3915 Re1, 5932 rd1, 6165 -b1, 6399 -d1, 6403 re1, 7982 -g3, \
         8649 Kf4, 10256 -e1, 10911 rf1, 13930 -f4, 14805 Kg5",
    );
    table.wait(5_000);
    let played = ["e2e1q", "e8e1", "b1e1", "g3f4", "e1f1", "f4g5"];
    assert_eq!(table.uci(), played);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn what_was_in_doubt_before_a_settled_move_makes_no_castling_a_mismatch() {
    // A sliding piece is in doubt just after it comes to rest. Then the king stands on g8 before
    // its rook is lifted, for less time than it takes to report a mismatch.
    let mut table = Table::of("2b1k2r/p6p/8/8/8/8/P6P/1B2K3 w k - 0 1");
    table.replay(
        "0 -b1, 200 Bd3, 4000 -c8, 4200 bd7, 8000 -d3, 8200 Be4, 12000 -e8, 12700 kg8, 13400 -h8, \
         13900 rf8",
    );
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
    table.wait(5_000);
    assert_eq!(table.uci(), ["b1d3", "c8d7", "d3e4", "e8g8"]);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn a_move_that_is_seen_after_a_gap_is_none_of_those_that_were_played_in_it() {
    let mut table = Table::of("4k3/p6p/8/8/8/8/P6P/2K5 w - - 0 1");
    table.out_of_sight();
    let reply = "3k4/p6p/8/8/8/8/P2K3P/8";
    table.wait(5_000);
    table.look(reply);
    table.wait(700);
    table.look(reply);
    table.replay("0 -d2, 200 Ke2");
    table.wait(1_000);
    assert_eq!(table.uci(), ["c1d2", "e8d8", "d2e2"]);
    let out_of_sight = SettledBy::Reconstructed;
    assert_eq!(
        table.settled_by,
        [out_of_sight, out_of_sight, SettledBy::StoodStill]
    );
    // It was only a stop, and is revised like any other.
    table.replay("0 -e2, 200 Ke1");
    table.wait(5_000);
    assert_eq!(table.uci(), ["c1d2", "e8d8", "d2e1"]);
}

#[test]
fn a_revised_move_makes_no_castling_a_mismatch_either() {
    let mut table = Table::of("4k2r/7p/8/8/8/8/6BP/4K3 w k - 0 1");
    table.replay("0 -g2, 200 Be4, 2000 -e4, 2200 Bd5");
    table.replay("12000 -e8, 12700 kg8");
    table.wait(1_000);
    assert_eq!(table.uci(), ["g2d5"]);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn what_moves_on_after_a_gap_does_not_make_what_was_played_in_it_seen() {
    let mut table = Table::new();
    table.out_of_sight();
    table.wait(5_000);
    let board = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R";
    table.look(board);
    // Black replies before the board is scanned again, and White's knight goes back.
    table.replay("0 -g8, 200 nf6, 400 -f3, 600 Ng1");
    table.wait(5_000);
    assert_eq!(table.uci(), ["g1f3", "g8f6", "f3g1"]);
    assert_eq!(table.settled_by[0], SettledBy::Reconstructed);
    assert_ne!(table.settled_by[1], SettledBy::Reconstructed);
}

#[test]
fn a_move_of_a_gap_is_reconstructed_also_where_the_opponent_takes_up_a_piece() {
    let mut table = Table::new();
    table.lever_is_there();
    table.out_of_sight();
    table.wait(5_000);
    let board = "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R";
    table.look(board);
    table.press();
    table.wait(700);
    table.look(board);
    table.wait(100);
    table.sense(&Sensed::Square(Square::G8, Seen::Empty));
    table.wait(3_000);
    assert_eq!(table.uci(), ["g1f3"]);
    assert_eq!(table.settled_by, [SettledBy::Reconstructed]);
}

#[test]
fn a_move_that_went_on_out_of_sight_is_reconstructed_and_not_revised() {
    let mut table = Table::of("6k1/7p/8/8/8/8/7P/R5K1 w - - 0 1");
    table.replay("0 -a1, 300 Ra4");
    table.wait(5_000);
    assert_eq!(table.uci(), ["a1a4"]);
    table.out_of_sight_until("R5k1/7p/8/8/8/8/7P/6K1");
    assert_eq!(table.uci(), ["a1a8"]);
    assert_eq!(table.settled_by.last(), Some(&SettledBy::Reconstructed));
}

#[test]
fn what_one_outage_hid_is_not_seen_in_the_next() {
    let mut table = Table::new();
    table.replay("0 -g1, 300 Nf3");
    table.wait(5_000);
    assert_eq!(table.uci(), ["g1f3"]);
    // It hides 1... e5 2. e4 d5, or 1... d5 2. e4 e5. Then the cable is loose again.
    for _ in 0..2 {
        table.out_of_sight_until("rnbqkbnr/ppp2ppp/8/3pp3/4P3/5N2/PPPP1PPP/RNBQKB1R");
        assert_eq!(table.uci(), ["g1f3"]);
    }
    table.replay("0 -f3, 100 -e5, 400 Ne5, 6000 -f8, 6300 bd6, 12000 -e5, 12300 Nf3");
    assert_eq!(table.uci()[4..], ["f3e5", "f8d6"], "{:?}", table.uci());
    assert_eq!(table.settled_by[1..4], [SettledBy::Reconstructed; 3]);
    assert!(table.settled_by[4..].iter().all(|by| by.is_seen()));
}

#[test]
fn a_stalemate_shown_immediately_is_announced() {
    let mut table = Table::of("7k/8/5K2/6Q1/8/8/8/8 w - - 0 1");
    table.wait(10_000);
    table.look("7k/8/5KQ1/8/8/8/8/8");
    table.wait(10_000);
    assert_eq!(table.uci(), ["g5g6"]);
}

/// The king goes to g8, and leans on g7: both squares report it, one after the other.
const LEANS: &str = "0 -h8, 400 kg8, 2000 -g8, 3500 kg7, 4000 -g7, 4500 kg8, 5000 kg7, 5500 -g7";

#[test]
fn a_piece_between_two_possible_squares_is_in_doubt_until_it_is_adjusted() {
    let mut table = Table::of("7k/8/8/8/8/8/5K2/8 b - - 0 1");
    table.replay(LEANS);
    table.wait(5_000);
    assert_eq!(table.uci(), ["h8g8"]);
    assert!(table.certain().is_empty(), "g7 is as possible");
    table.replay("0 -f2, 400 Ke2, 5000 kg7, 5600 -g7");
    table.wait(5_000);
    assert_eq!(table.uci(), ["h8g8", "f2e2"]);
    assert!(
        table.certain().is_empty(),
        "the doubt reaches back to that ply"
    );
    table.replay("0 -g8, 300 kg8");
    table.wait(10_000);
    assert_eq!(table.certain().len(), 2);
    assert!(table.tracker.mismatch().is_none());
}

#[test]
fn a_piece_that_leans_where_it_could_not_go_is_in_no_doubt() {
    let mut table = Table::of("3r3k/8/8/8/8/8/5K2/8 b - - 0 1");
    table.replay("0 -d8, 400 rd4, 2000 re3, 2600 -e3, 3500 re3, 4000 -e3, 5000 re3, 5500 -e3");
    table.wait(5_000);
    assert_eq!(table.uci(), ["d8d4"]);
    assert_eq!(table.certain().len(), 1);
}

#[test]
fn a_move_that_one_of_two_squares_allows_decides_between_them() {
    let mut table = Table::of("r6k/8/8/8/8/8/5K2/8 b - - 0 1");
    table.replay("0 -a8, 400 rd8, 2000 -d8, 3500 rc8, 4000 -c8, 4500 rd8, 5000 rc8, 5500 -c8");
    table.wait(5_000);
    assert!(table.certain().is_empty());
    table.replay("0 -f2, 400 Ke2, 5000 rc8, 5600 -c8, 9000 -d8, 9400 rd5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["a8d8", "f2e2", "d8d5"]);
    assert_eq!(table.certain().len(), 3, "from c8 it could not go there");
}

#[test]
fn a_move_that_both_squares_allow_leaves_the_doubt() {
    let mut table = Table::of("7k/8/8/8/8/8/5K2/8 b - - 0 1");
    table.replay(LEANS);
    table.wait(2_000);
    table.replay("0 kg7, 500 -g7, 1000 -f2, 1400 Ke2, 5000 kg7, 5600 -g7, 9000 -g8, 9400 kf7");
    table.wait(5_000);
    assert_eq!(table.uci(), ["h8g8", "f2e2", "g8f7"]);
    assert!(table.certain().is_empty());
}

#[test]
fn the_beginning_of_the_next_slide_is_no_leaning_piece() {
    let mut table = Table::of("6k1/p7/8/8/4Q3/8/8/4K3 w - - 0 1");
    table.replay(
        "0 -e4, 300 Qe3, 3000 -a7, 3300 pa6, 6000 Qd3, 6040 -e3, 6080 -d3, 6150 Qb3, 9000 -g8, \
         9400 kg7",
    );
    table.wait(10_000);
    assert_eq!(table.uci(), ["e4e3", "a7a6", "e3b3", "g8g7"]);
    assert_eq!(table.certain().len(), 4);
    assert!(table.mismatches.is_empty());
}
