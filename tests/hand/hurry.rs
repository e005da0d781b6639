//! Pieces that are moved again, or taken, before the board has scanned them twice.

use remisd_hand::MismatchReason;
use shakmaty::{CastlingMode, Move};

use super::table::{Table, read};

#[test]
fn a_promoted_piece_captured_immediately_is_the_one_seen() {
    let moves = read(
        "6k1/2P5/B7/8/8/7b/8/6K1 w - - 0 1",
        "0 -c7, 120 -h3, 190 Qc8, 610 bc8, 870 -a6, 1090 Bc8",
    );
    assert_eq!(moves, ["c7c8q", "h3c8", "a6c8"]);
}

#[test]
fn a_promoted_piece_that_was_seen_before_the_pawn_left_is_what_was_seen() {
    let moves = read(
        "6k1/2P5/B7/8/8/7b/8/6K1 w - - 0 1",
        "0 -h3, 68 Qc8, 299 -c8, 327 -c7, 552 bc8, 579 -a6, 804 Bc8",
    );
    assert_eq!(moves, ["c7c8q", "h3c8", "a6c8"]);
}

#[test]
fn of_two_rooks_that_meet_on_their_squares_the_one_that_left_before_came_first() {
    let moves = read(
        "7k/8/8/4r3/8/2r5/1R6/3R3K w - - 0 1",
        "0 -c3, 24 -b2, 32 Rd2, 286 -d1, 510 ra3, 735 Rb1, 1080 -e5, 1300 rd5",
    );
    assert_eq!(moves, ["b2d2", "c3a3", "d1b1", "e5d5"]);
}

#[test]
fn a_pawn_that_is_taken_where_it_was_seen_has_not_gone_on_to_be_taken_in_passing() {
    let moves = read(
        "6k1/1bp5/8/3P4/3N4/8/8/6K1 b - - 0 1",
        "0 -c7, 440 pc6, 680 -d5, 905 -c6, 1050 -b7, 1275 bc6, 1750 -d4, 1915 Nc6",
    );
    assert_eq!(moves, ["c7c6", "d5c6", "b7c6", "d4c6"]);
}

#[test]
// Known fault: the tracker announces two of four plies.
#[should_panic(expected = "assertion")]
fn a_piece_passing_over_a_square_has_not_left_it_for_the_move_before() {
    // The bishop goes from e4 to f3, and soon afterwards across e4 to b7.
    let moves = read(
        "6k1/8/4b3/8/4B2p/7P/8/6K1 w - - 0 1",
        "0 -e4, 250 -e6, 278 Bf3, 503 Be4, 521 -f3, 528 bh3, 755 -e4, 1015 -h3, 1068 bf1, 1114 Bb7",
    );
    assert_eq!(moves, ["e4f3", "e6h3", "f3b7", "h3f1"]);
}

#[test]
fn a_change_reported_a_scan_after_a_press_had_happened_before_it() {
    // The bishop pauses on d7. When Black's press is reported, f5 has not been scanned yet.
    let moves = read(
        "rnbqkbnr/ppp2ppp/3p4/4p3/4P3/3P4/PPP2PPP/RNBQKBNR b KQkq - 0 1",
        "0 -c8, 30 bd7, 174 -h2, 233 press, 240 -d7, 299 bf5, 331 Ph4, 560 press, 2000 -a7, 2200 pa6",
    );
    assert_eq!(moves, ["c8f5", "h2h4", "a7a6"]);
}

#[test]
// Known fault: the tracker announces nothing.
#[should_panic(expected = "range end index 2")]
fn pawns_that_take_each_other_within_a_scan_are_read_beside_a_fallen_piece() {
    let moves = read(
        "6k1/8/4p3/3p4/2P5/8/P7/3Q2K1 w - - 0 1",
        "0 -d1, 20 Qd2, 800 -e6, 850 -c4, 1150 -a2, 1380 Pa3, 1400 -d2, 1690 Qd1",
    );
    assert_eq!(moves[..2], ["c4d5", "e6d5"]);
}

#[test]
// Known fault: the tracker announces e8g8.
#[should_panic(expected = "[")]
fn a_piece_reported_late_on_its_old_square_is_not_taken_for_another() {
    // The sensor of g7 is dead: it does not notice that the rook goes to g8. White takes the other
    // rook, which has stood on e8 throughout.
    let position = "4r3/p5rk/8/8/8/8/P7/2R4K b - - 0 1";
    let seen = "0 rg8, 300 press, 1900 -c1, 1910 -e8, 2150 Re8, 2300 press, 4600 -g7";
    let mut table = Table::of(position);
    table.lever_is_there();
    table.replay(seen);
    let before = table.uci();
    assert!(
        before.is_empty() || before[0] == "g7g8",
        "it was not the rook of e8: {before:?}"
    );
}

#[test]
fn pieces_of_both_players_that_go_out_and_back_have_moved() {
    let mut table = Table::of("8/8/8/6R1/8/r7/5K1p/7k b - - 0 1");
    table.replay("0 -a3, 250 ra2, 690 -a2, 710 -f2, 905 Kg3, 1105 ra3, 1126 -g3, 1326 -a3, 1371 Kf2, 1575 ra2");
    table.replay("0 -f2, 190 Ke3, 204 -a2, 618 ra3, 1074 -e3, 1098 Kd2, 1944 -a3, 1962 rf3");
    table.wait(5_000);
    let moves = [
        "a3a2", "f2g3", "a2a3", "g3f2", "a3a2", "f2e3", "a2a3", "e3d2", "a3f3",
    ];
    assert_eq!(table.uci(), moves);
}

#[test]
fn presses_that_the_clock_never_reported_are_not_waited_for() {
    // A clock that is polled once a second misses two presses in between.
    let mut table = Table::of("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1");
    table.lever_is_there();
    for _ in 0..10 {
        table.replay("0 -e1, 200 Ke2, 400 -e8, 600 ke7, 800 -e2, 1000 Ke1, 1200 -e7, 1400 ke8");
    }
    table.replay("0 -a2, 200 Pa3, 500 press");
    table.wait(2_000);
    assert_eq!(table.moves.len(), 41);
    assert_eq!(table.uci()[40], "a2a3");
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn a_piece_that_is_put_up_again_has_not_come_late() {
    // On its way to e8 Black's rook knocks over Black's bishop, which is put upright again after
    // White's reply.
    let moves = read(
        "5k1r/2b1q3/2Q5/3Rp3/8/2B5/8/6K1 b - - 0 1",
        "0 -c7, 225 -e7, 454 bd8, 461 press, 679 -c6, 802 Qc8, 1089 press, 1640 -f8, 1711 -d5, \
         1941 qe7, 1941 kf7, 2060 -h8, 2073 Rd7, 2109 press, 2113 press, 2301 -d8, 2304 re8, \
         2409 press, 3208 -c3, 3433 Be5, 3465 press, 4116 bd8",
    );
    assert_eq!(moves, ["c7d8", "c6c8", "f8f7", "d5d7", "h8e8", "c3e5"]);
}

#[test]
fn a_pawn_that_was_knocked_over_has_not_moved_where_its_player_moves_another_piece() {
    let mut table = Table::of("3qk3/3n4/8/8/3p4/2P5/1P1B4/6K1 b - - 0 1");
    // Black captures, and a sleeve pushes the pawn from b2 to b3. Both players move on before it is
    // put back.
    table.replay(
        "0 -d4, 245 Pb3, 245 pc3, 245 -b2, 945 -d2, 1035 -d7, 1150 Bc3, 1375 ne5, 1625 -b3, \
         1655 Pb2",
    );
    table.wait(5_000);
    let played = ["d4c3", "d2c3", "d7e5"];
    assert_eq!(table.uci(), played, "the pawn did not move");
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn a_queen_that_was_knocked_over_and_is_put_up_unseen_has_not_moved_there() {
    // White's bishop knocks the queen over onto e1. Within one scan the queen is put upright and
    // played to e2.
    let mut table =
        Table::of("r1bqkb1r/pp2n2p/2n2pp1/2p1p3/P1BpP3/3P1NN1/1PP2PPP/R1BQ1RK1 b kq - 0 1");
    table.replay(
        "0 -f8, 249 -c1, 280 bg7, 406 Bd2, 432 -d1, 444 Qe1, 1628 -b7, 1880 pb6, 2236 -e1, \
         2634 Qe2, 2895 -e8, 3133 kf8, 3984 -h2, 4255 Ph3",
    );
    table.wait(5_000);
    // While the queen may have moved, nothing may be settled. The candidates then include the moves
    // that were played.
    let played = ["f8g7", "c1d2", "b7b6", "d1e2", "e8f8", "h2h3"];
    let candidates =
        (table.tracker.mismatch()).map_or(vec![], |mismatch| mismatch.candidates.clone());
    let uci = |m: &Move| m.to_uci(CastlingMode::Standard).to_string();
    let is_candidate = |line: &Vec<Move>| {
        table
            .uci()
            .into_iter()
            .chain(line.iter().map(uci))
            .eq(played)
    };
    assert!(
        table.uci() == played || candidates.iter().any(is_candidate),
        "{candidates:?}"
    );
    assert!(played.map(str::to_owned).starts_with(&table.uci()));
}

#[test]
fn a_pawn_that_is_knocked_over_in_the_next_scan_had_come_to_stand() {
    // After White's queen has come to h8, Black knocks the pawn on b3 onto c3 and moves the king. A
    // second later the pawn is put upright again.
    let mut table = Table::of("8/7P/8/p7/1p3pp1/k7/5K2/8 b - - 0 1");
    table.replay(
        "0 -h7, 79 -b4, 106 pb3, 740 -a3, 820 Qh8, 951 -b3, 956 pc3, 977 ka2, 1663 -h8, 1795 -c3, \
         1875 Qg8, 2008 pb3, 2667 -a2, 2905 ka1, 3354 -g8, 3459 Qc4",
    );
    table.wait(5_000);
    let played = ["b4b3", "h7h8q", "a3a2", "h8g8", "a2a1", "g8c4"];
    assert_eq!(table.uci(), played);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn a_pawn_that_is_knocked_back_while_its_player_lifts_another_has_stood_where_it_was_seen() {
    // It stands on e4 for half a second. It falls onto e3 during the scan in which the pawn on d4
    // goes to d5.
    let moves = read(
        "r1bqkb1r/ppp1pppp/2n2n2/8/2pP4/2N2N2/PP2PPPP/R1BQKB1R w KQkq - 0 1",
        "0 Pe3, 30 -e2, 93 -c8, 217 Pe4, 248 -e3, 716 -d4, 721 -e4, 726 bg4, 748 Pe3, 983 Pd5, 1493 -e3, \
         1730 Pe4, 1993 -f3, 2228 -g4, 2241 bf3, 2272 -g2, 2700 Pf3",
    );
    assert_eq!(moves, ["e2e4", "c8g4", "d4d5", "g4f3", "g2f3"]);
}

#[test]
// Known fault: the tracker announces f1b5.
#[should_panic(expected = "assertion")]
fn a_bishop_that_fell_where_it_could_have_gone_is_waited_for_while_it_is_put_up() {
    // It stands on c4 and falls onto b5 when the pawn on d4 goes to d5. Black plays g6 before the
    // bishop is put upright again.
    let moves = read(
        "7k/6pp/8/8/3P4/8/8/4KB2 w - - 0 1",
        "0 -f1, 150 -h7, 220 Bc4, 700 -d4, 705 -c4, 726 ph6, 748 Bb5, 983 Pd5, 1150 -g7, 1350 pg6, 1493 -b5, \
         1900 Bc4",
    );
    assert_ne!(moves.first().map(String::as_str), Some("f1b5"));
}

#[test]
fn a_pawn_that_fell_where_another_pawn_could_have_gone_is_waited_for() {
    // The pawn on f2 goes to f4 and knocks the pawn on g3 over onto f3. That pawn is put upright
    // after Black has taken on e5, while White's f-pawn takes there.
    let mut table = Table::of("r1bq1rk1/pp2ppbp/2n3p1/3pN3/3P4/2P3P1/P3PPBP/R1BQ1RK1 w - - 1 11");
    table.replay(
        "0 -f2, 230 -g3, 236 Pf3, 241 Pf4, 246 -c6, 490 -e5, 740 -f4, 745 ne5, 908 Pg3, 913 -f3, 1165 Pe5, \
         1399 -c8, 1643 bg4, 2272 -c1, 2510 Bg5",
    );
    table.wait(5_000);
    assert_eq!(table.uci(), ["f2f4", "c6e5", "f4e5", "c8g4", "c1g5"]);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
// Known fault: the tracker announces g7g6 and withdraws it.
#[should_panic(expected = "assertion")]
fn a_pawn_that_falls_one_square_on_when_its_player_has_moved_beside_it_has_not_moved() {
    // The pawn on h7 goes to h6 and knocks the pawn on g7 onto g6. White has already replied.
    let mut table = Table::of("2rr2k1/pb2qppp/1ppbpn2/8/2PP3Q/1P1B1N2/PB3PPP/3R1RK1 b - - 4 16");
    table.replay(
        "0 -h7, 78 -f1, 83 Re1, 221 ph6, 226 pg6, 255 -g7, 1470 -g6, 1475 -f6, 1499 pg7, 1658 -h4, 1749 nh7, \
         2012 Qe7, 2992 -d6, 3018 be7, 3866 -b2, 4148 Bc3",
    );
    table.wait(5_000);
    let played = ["h7h6", "f1e1", "f6h7", "h4e7", "d6e7", "b2c3"];
    assert_eq!(table.uci(), played);
    assert_eq!(table.withdrawn, []);
    assert!(table.mismatches.is_empty(), "{:?}", table.mismatches);
}

#[test]
fn a_queen_does_not_take_a_pawn_that_fell_off_unless_she_was_seen() {
    // The queen goes to b8 and back. The pawn on a6 falls off the board, and is put back two plies
    // later.
    let mut table = Table::of("r2qkbnr/3b3p/p7/2p1p3/2PpPp2/PQ1P1P2/7P/1RB1KBNR b Kkq - 1 18");
    table.replay(
        "0 -g8, 4 -f1, 247 ne7, 486 Bh3, 847 -d7, 852 -h3, 1095 bh3, 1100 -g1, 1486 -d8, 1490 Nh3, 1902 -a6, \
         1907 pb6, 1912 qa5, 2322 -e1, 2569 -h7, 2574 Kf2, 2738 -b6, 2743 ph5, 2985 pa6, 3156 -b3, 3392 Qb7, \
         3787 -a8, 4017 rd8, 4833 -h3, 5065 Ng5, 5297 -f4, 5302 pg3, 5669 -d8, 5675 rd7, 6083 -g3, 6313 pf4, \
         6708 -b7, 6714 -d7, 6944 Qb8, 7184 -b8, 7189 rd8, 7195 Qb7, 7200 -a6, 7339 -d8, 7575 -b7, 7581 rd7, \
         7821 Qa8, 8390 -d7, 8635 rd8, 8641 -b1, 8814 Rb8, 8818 pa6, 9439 -a8, 9444 rb8, 9448 -d8, 9869 Qb8, \
         10505 -e8, 10740 kd7",
    );
    table.wait(5_000);
    let played = [
        "g8e7", "f1h3", "d7h3", "g1h3", "d8a5", "e1f2", "h7h5", "b3b7", "a8d8", "h3g5", "d8d7",
        "b7b8", "d7d8", "b8b7", "d8d7", "b7a8", "d7d8", "b1b8", "d8b8", "a8b8", "e8d7",
    ];
    assert_eq!(table.uci(), played);
    assert_eq!(table.withdrawn, []);
}

#[test]
fn an_unseen_pawn_captured_en_passant_leaves_two_lines() {
    // White pushes to f4, and Black captures immediately. After f3 and exf3 the board would look the same.
    let mut table = Table::of("4k3/8/8/8/4p3/8/5P2/4K3 w - - 0 1");
    table.replay("0 -f2, 330 -e4, 600 pf3");
    table.wait(10_000);
    let mismatch = table.tracker.mismatch().expect("it is in doubt");
    assert_eq!(mismatch.reason, MismatchReason::Ambiguous);
    let pushes: Vec<String> = (mismatch.candidates.iter())
        .filter_map(|line| line.first())
        .map(|m| m.to_uci(CastlingMode::Standard).to_string())
        .collect();
    assert!(pushes.contains(&"f2f4".to_owned()), "{pushes:?}");
    assert!(pushes.contains(&"f2f3".to_owned()), "{pushes:?}");
}

#[test]
fn play_after_two_lines_to_the_same_position_is_announced_in_doubt() {
    let mut table = Table::of("4k3/8/8/8/4p3/8/5P2/4K3 w - - 0 1");
    table.replay("0 -f2, 330 -e4, 600 pf3, 9000 -e1, 9400 Kf2, 15000 -e8, 15400 ke7");
    table.wait(10_000);
    // The last one waits for its reply.
    assert_eq!(table.moves.len(), 3, "{:?}", table.uci());
    assert_eq!(table.uci()[2], "e1f2");
    assert!(table.certain().is_empty());
}

#[test]
fn a_knight_that_takes_on_the_passed_square_takes_nothing_en_passant() {
    let mut table = Table::of("4k3/8/8/8/3n4/8/5P2/4K3 w - - 0 1");
    table.replay("0 -f2, 330 -d4, 600 nf3");
    table.wait(10_000);
    assert_eq!(table.uci(), ["f2f3", "d4f3"]);
}
