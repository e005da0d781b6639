//! What the board does not show: during outages, on dead squares, in hands.

use remisd_hand::{MismatchReason, SettledBy};
use remisd_vocabulary::sensor::{Device, DownCode, LinkReport, Placement, Seen, Sensed};
use shakmaty::{Chess, Color, Position, Role, Square, uci::UciMove};

use super::table::{Table, read};

/// A table after an outage in which White's rook went from a1 to d1 and Black's king from g8 to h8.
fn found_again(clock: bool) -> Table {
    let position = "6k1/7p/8/8/8/8/7P/R5K1 w - - 0 1";
    let mut table = Table::of(position);
    if clock {
        table.lever_is_there();
        // Both players have pressed before, so the lever is known to be in use.
        table.replay("0 -h2, 300 Ph3, 600 press, 3000 -h7, 3300 ph6, 3600 press");
        table.wait(5_000);
        assert_eq!(table.uci(), ["h2h3", "h7h6"]);
    }
    let mut after = table.position.clone();
    let played = table.moves.clone();
    let unseen = ["a1d1", "g8h8"];
    for m in played {
        after.play_unchecked(m);
    }
    for uci in unseen {
        let m: UciMove = uci.parse().expect("it is UCI");
        let m = m.to_move(&after).expect("it is legal");
        after.play_unchecked(m);
    }
    table.out_of_sight();
    table.wait(2_000);
    let placement = Placement::from(after.board());
    if clock {
        table.lever_is_there();
    }
    for _ in 0..2 {
        table.wait(600);
        table.sense(&Sensed::Placement(placement.clone()));
    }
    table.wait(10_000);
    table
}

#[test]
fn without_a_clock_a_rook_may_have_moved_twice_out_of_sight_until_the_next_ply() {
    let mut table = found_again(false);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    assert_eq!(table.mismatches, [MismatchReason::Ambiguous]);
    // White moves. So it was White's turn, and the rook had moved only once.
    table.replay("0 -h2, 300 Ph3");
    table.wait(5_000);
    assert_eq!(table.uci(), ["a1d1", "g8h8", "h2h3"]);
}

#[test]
fn a_clock_knows_whose_move_it_is_after_what_was_done_out_of_sight() {
    let table = found_again(true);
    assert_eq!(table.uci(), ["h2h3", "h7h6", "a1d1", "g8h8"]);
}

#[test]
// Known fault: the tracker announces d7e5.
#[should_panic(expected = "[")]
fn a_knight_that_is_seen_nowhere_is_not_taken_where_it_could_have_stood() {
    // The sensor of f6 reports nothing for five seconds. Meanwhile White's queen goes to e5.
    let mut table = Table::of("6k1/3n4/8/8/8/8/8/4Q1K1 b - - 0 1");
    table.replay("0 -d7, 2000 -e1, 2300 Qe5, 4900 -e5");
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    let moves = read(
        "6k1/3n4/8/8/8/8/8/4Q1K1 b - - 0 1",
        "0 -d7, 2000 -e1, 2300 Qe5, 5000 nf6",
    );
    assert_eq!(moves, ["d7f6", "e1e5"]);
}

#[test]
fn a_player_who_presses_holds_no_piece() {
    // Black's rook stops on c8 and continues to d8, whose sensor does not respond when Black
    // presses. The rook's late appearance is not a reply to White's pawn move.
    let moves = read(
        "r5k1/8/8/8/8/8/7P/6K1 b - - 0 1",
        "0 -a8, 250 rc8, 600 -c8, 1000 press, 1300 -h2, 1500 Ph3, 1600 rd8, 1800 press",
    );
    assert_eq!(moves, ["a8d8", "h2h3"]);
}

#[test]
// Known fault: the tracker announces e2e4 after the first press.
#[should_panic(expected = "[")]
fn with_a_clock_a_reply_settles_when_both_presses_are_reported() {
    let read = |seen: &str| {
        let mut table = Table::new();
        table.lever_is_there();
        table.replay(seen);
        table.wait(300);
        table
    };
    // Black replies before White lets go of the pawn. Only the presses show that both have moved.
    let waiting = read("0 -e2, 230 -e7, 260 Pe4, 480 pe5, 500 press");
    assert!(waiting.moves.is_empty(), "{:?}", waiting.uci());
    let both = read("0 -e2, 230 -e7, 260 Pe4, 480 pe5, 500 press, 620 press");
    assert_eq!(both.uci().first().map(String::as_str), Some("e2e4"));
    assert_eq!(both.settled_by.first(), Some(&SettledBy::Reply));
    let mut late = waiting;
    late.wait(900);
    assert_eq!(late.uci().first().map(String::as_str), Some("e2e4"));
}

#[test]
// Known fault: the tracker reads three plies: e2e3, d7d5, e3e4.
#[should_panic(expected = "assertion")]
fn a_paused_move_is_revised_although_the_reply_is_settled() {
    // The pawn moves on from e3. It is seen on e4 late, after Black's reply.
    let mut table = Table::new();
    table.replay("0 -e2, 200 Pe3");
    table.wait(4_000);
    assert_eq!(table.uci(), ["e2e3"]);
    table.replay("0 -e3, 700 -d7, 900 pd5, 1000 Pe4");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "d7d5"]);
}

#[test]
fn a_king_that_goes_on_to_the_centre_shows_the_result_and_revises_nothing() {
    let mut table = Table::of("8/8/4k3/8/8/8/3K3P/8 w - - 0 1");
    table.replay("0 -d2, 300 Kd3");
    table.wait(3_000);
    assert_eq!(table.uci(), ["d2d3"]);
    table.replay("0 -d3, 300 Ke4");
    table.wait(1_000);
    assert_eq!(table.uci(), ["d2d3"], "he may be showing the result");
    table.replay("0 -e6, 300 kd5");
    table.wait(20_000);
    assert_eq!(table.uci(), ["d2d3"]);
    assert!(table.tracker.mismatch().is_none());
    assert!(table.moves.iter().all(|m| m.to() != Square::E4));
    assert_eq!(table.proposed, [Some(Color::White)]);
}

#[test]
fn a_king_that_stood_in_the_centre_before_the_result_was_shown_may_have_moved_there() {
    // To show the result, the king goes from d4 to e4. Kd4 was a move, or already part of the sign.
    let mut table = Table::of("7k/8/8/8/8/2K5/7p/8 w - - 0 1");
    table.replay("0 -c3, 250 Kd4, 4250 -d4, 4600 -h8, 5000 Ke4, 5400 kd5");
    table.wait(20_000);
    assert_eq!(table.proposed, [Some(Color::White)]);
    assert!(table.certain().is_empty(), "{:?}", table.uci());
    assert_eq!(table.mismatches, [MismatchReason::Ambiguous]);
    assert_eq!(table.agreed, 0);
}

#[test]
fn a_king_may_have_moved_in_the_centre_although_the_other_one_is_put_where_it_came_from() {
    let mut table = Table::of("8/8/8/8/4k3/2K5/5R2/8 b - - 0 1");
    table.replay("0 -e4, 380 ke5, 4070 -e5, 4730 -c3, 5530 kd4, 6150 Ke4");
    table.wait(20_000);
    assert_eq!(table.proposed, [None]);
    assert!(table.certain().is_empty(), "{:?}", table.uci());
    assert_eq!(table.mismatches, [MismatchReason::Ambiguous]);
}

#[test]
fn a_king_that_waited_long_in_the_centre_for_the_other_one_may_have_moved_there() {
    let mut table = Table::of("8/8/4k3/8/8/8/3K4/7R b - - 0 1");
    table.replay("0 -e6, 300 ke5, 4200 -d2, 4500 Kd5");
    table.wait(20_000);
    assert_eq!(table.proposed, [None]);
    assert!(table.certain().is_empty(), "{:?}", table.uci());
    assert_eq!(table.mismatches, [MismatchReason::Ambiguous]);
}

#[test]
// Known fault: the tracker announces e6e5, and says that it is in doubt.
#[should_panic(expected = "[")]
fn kings_that_go_to_the_centre_in_quick_succession_only_show_the_result() {
    let mut table = Table::of("8/8/4k3/8/8/8/3K4/7R b - - 0 1");
    table.replay("0 -e6, 300 ke5, 1300 -d2, 1700 Kd5");
    table.wait(20_000);
    assert_eq!(table.proposed, [None]);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    assert_eq!(table.mismatches, []);
}

#[test]
fn a_square_is_not_called_faulty_where_another_one_explains_as_much() {
    // The rook goes to e3 and the king out of check, and neither landing is seen. For the king, f2,
    // f4, g4, h4 and h2 are equally likely.
    let mut table = Table::of("3r2k1/4Rp1p/P5p1/8/4p3/6KP/4r1P1/8 b - - 0 30");
    table.lever_is_there();
    table
        .replay("0 -e2, 830 press, 2185 -g3, 2830 press, 4173 rb3, 4370 ra3, 4373 -b3, 4580 press");
    table.wait(2_241);
    table.replay("0 Kh2");
    table.wait(10_000);
    let king = table.uci().get(1).cloned();
    assert!(king.is_none_or(|m| m == "g3h2"), "{:?}", table.uci());
}

#[test]
fn what_stood_when_the_board_went_out_of_sight_was_played_first() {
    // Black's rook stands on a3, its final square, when the cable is pulled. During the outage
    // White plays the rook and Black the queen.
    let mut table = Table::of("6k1/8/2q5/8/r7/8/5PPP/2R3K1 b - - 0 1");
    table.lever_is_there();
    table.replay("0 -a4, 276 ra3, 516 press");
    table.wait(277);
    table.out_of_sight();
    table.wait(5_000);
    for _ in 0..2 {
        table.wait(600);
        table.look("q5k1/8/8/8/8/r7/5PPP/1R4K1");
    }
    // The pawn stops on h3.
    table.replay("0 Ph3, 31 -h2, 256 -h3, 481 Ph4, 550 press");
    table.wait(5_000);
    assert_eq!(table.uci(), ["a4a3", "c1b1", "c6a8", "h2h4"]);
}

#[test]
fn a_piece_that_is_up_when_the_board_is_found_makes_the_last_move() {
    // Black's two moves could have been made in either order, but the knight is still in the hand.
    let mut table = Table::new();
    table.lever_is_there();
    table.replay("0 -e2, 300 Pe4, 600 press");
    table.wait(3_000);
    table.out_of_sight();
    table.wait(5_000);
    table.look("r1bqkbnr/pppp1ppp/8/4p3/4P3/5P2/PPPP2PP/RNBQKBNR");
    table.place(Square::C6, Role::Knight, Color::Black);
    table.wait(220);
    table.look("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5P2/PPPP2PP/RNBQKBNR");
    table.press();
    table.replay("0 -f1, 300 Be2, 600 press");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "f2f3", "b8c6", "f1e2"]);
}

#[test]
fn one_look_at_a_square_revises_nothing() {
    let mut table = Table::without_kinds("6k1/8/8/8/5n2/8/8/R4RK1 w - - 0 1");
    table.replay("0 -f1, 270 -f4, 500 #f4");
    table.wait(3_000);
    assert_eq!(table.uci(), ["f1f4"]);
    let mut seen = Placement::empty();
    for square in [Square::G8, Square::F4, Square::A1, Square::G1] {
        seen.set(square, Seen::Occupied);
    }
    let stands = seen.clone();
    seen.set(Square::D1, Seen::Occupied);
    table.sense(&Sensed::Placement(seen));
    table.wait(600);
    assert_eq!(
        table.uci(),
        ["f1f4"],
        "the rook of f1 may not have gone to d1"
    );
    table.sense(&Sensed::Placement(stands));
    table.wait(5_000);
    assert_eq!(table.uci(), ["f1f4"]);
}

#[test]
fn a_piece_lifted_before_it_could_capture_has_not_captured() {
    // White removes the pawn on d6 and puts the queen there; the board does not report the queen.
    // This is not Qxe5 dxe5.
    let mut table = Table::of("7k/8/3p4/3Qp3/8/8/8/6K1 w - - 0 1");
    table.lever_is_there();
    table.replay("0 -d6, 280 -d5, 900 press");
    table.wait(4_000);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    table.look("7k/8/3Q4/4p3/8/8/8/6K1");
    table.wait(3_000);
    assert_eq!(table.uci(), ["d5d6"]);
}

#[test]
fn a_queen_was_not_seen_where_only_the_replying_pawn_arrived() {
    // The queen goes from c4 to b4 across h4, b5 or another square, and the sensors do not show
    // which. If the pawn is adjusted on b5, they do not show it either.
    for pawn in [
        "378 -b7, 409 Qb4, 839 pb5",
        "200 -b7, 300 pb5, 340 -b5, 380 pb5, 409 Qb4",
    ] {
        let mut table = Table::of("r5k1/qp4pp/p3br2/8/2Q5/3B4/PP3PPP/2R2RK1 w - - 0 1");
        let seen =
            format!("0 -c4, 135 -f6, 143 rh6, {pawn}, 1614 -a2, 1852 Pa3, 1902 -a8, 1907 rf8");
        table.replay(&seen);
        table.wait(8_000);
        assert!(table.certain().is_empty(), "{pawn}");
        let last = table.mismatches.last();
        assert_eq!(last, Some(&MismatchReason::Ambiguous), "{pawn}");
    }
}

#[test]
fn a_ply_during_an_outage_is_found_although_pieces_had_gone_astray_before() {
    use Square::{A1, A4, A5, A8, H1, H4, H5, H8};
    let mut table = Table::new();
    table.replay("0 -e2, 300 Pe4, 1500 -e7, 1800 pe5");
    table.wait(5_000);
    let astray = [
        (A1, A4, Color::White),
        (H1, H4, Color::White),
        (A8, A5, Color::Black),
        (H8, H5, Color::Black),
    ];
    for (from, to, color) in astray {
        table.lift(from);
        table.place(to, Role::Rook, color);
    }
    table.wait(30_000);
    assert!(table.tracker.mismatch().is_some());
    for (from, to, color) in astray {
        table.lift(to);
        table.place(from, Role::Rook, color);
    }
    table.wait(30_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5"]);
    assert!(
        table.tracker.mismatch().is_none(),
        "{:?}",
        table.tracker.mismatch()
    );
    let reason = String::new();
    let code = DownCode::Silent;
    table.sense(&Sensed::Link(LinkReport::Down { code, reason }));
    table.wait(5_000);
    table.sense(&Sensed::Link(LinkReport::Up(Device::default())));
    let mut after = Chess::default();
    for uci in ["e2e4", "e7e5", "g1f3"] {
        let m = uci.parse::<UciMove>().unwrap().to_move(&after).unwrap();
        after.play_unchecked(m);
    }
    table.sense(&Sensed::Placement(Placement::from(after.board())));
    table.wait(30_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn two_castlings_out_of_sight_are_found() {
    let mut table = Table::of("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1");
    table.out_of_sight();
    table.wait(9_000);
    table.look("r4rk1/pppppppp/8/8/8/8/PPPPPPPP/R4RK1");
    table.wait(30_000);
    assert_eq!(table.uci(), ["e1g1", "e8g8"]);
}
