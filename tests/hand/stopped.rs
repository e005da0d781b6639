//! Changes on the board while the clock is stopped, and after the game.

use remisd_hand::MismatchReason;
use remisd_vocabulary::sensor::{Device, LinkReport, Sensed};
use shakmaty::{Chess, Position as _};

use super::table::Table;

const BEGUN: &str = "0 -e2, 400 Pe4, 600 press, 1500 -e7, 1900 pe5, 2100 press, 3000 -g1, 3400 Nf3";

/// A game of three plies, without a press after the last one.
fn begun() -> Table {
    let mut table = Table::new();
    table.lever_is_there();
    table.replay(BEGUN);
    table
}

#[test]
fn the_position_when_the_clock_is_stopped_was_played() {
    let mut table = begun();
    table.replay("0 stop");
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
    // The board is cleared immediately.
    table.replay("0 -a7, 300 -g2, 600 -f3, 900 -e5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn what_was_pressed_for_was_played_although_its_piece_is_up_when_the_clock_stops() {
    let mut table = begun();
    table.replay("0 press, 120 -f3, 500 stop, 800 -a7, 1100 -c2");
    table.wait(1_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn moves_tried_while_the_clock_is_stopped_are_reported_and_not_settled() {
    let mut table = begun();
    table.replay("0 stop, 2000 -b8, 2400 nc6, 5000 -f1, 5400 Bb5");
    table.wait(10_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
    assert_eq!(table.mismatches, [MismatchReason::Ambiguous]);
    let mismatch = table.tracker.mismatch().expect("a mismatch is reported");
    let lines: Vec<usize> = mismatch.candidates.iter().map(Vec::len).collect();
    assert!(lines.contains(&0), "nothing may have been played");
    assert!(lines.contains(&2), "or both moves");
}

#[test]
fn they_count_when_the_clock_runs_again() {
    let mut table = begun();
    table.replay("0 stop, 2000 -b8, 2400 nc6, 9000 start");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3", "b8c6"]);
    assert!(table.tracker.mismatch().is_none());
}

#[test]
fn nothing_is_taken_back_while_the_clock_is_stopped() {
    let mut table = begun();
    table.replay("0 stop, 1000 -f3, 1400 Ng1, 3000 -e5, 3400 pe7");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
    assert!(table.withdrawn.is_empty());
    assert_eq!(
        table.mismatches.last(),
        Some(&MismatchReason::EarlierPosition)
    );
}

#[test]
fn the_last_ply_is_kept_when_its_piece_returns_in_an_analysis_without_the_clock() {
    let mut table = begun();
    table.replay("2000 stop, 10000 -b8, 10400 nc6, 12000 -f3, 12400 Ng1");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
    assert!(table.withdrawn.is_empty());
    table.replay("0 -c6, 300 nb8, 2000 -g1, 2400 Nf3");
    table.wait(60_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
    assert!(table.tracker.mismatch().is_none());
}

#[test]
fn a_forced_move_on_a_stopped_clock_is_no_ply() {
    let mut table = Table::of("8/8/8/8/8/5k1p/8/7K b - - 0 1");
    table.lever_is_there();
    table.replay("0 -h3, 300 ph2, 800 press, 2000 stop, 11000 -h2, 11300 Kh2, 11340 -h1");
    table.wait(60_000);
    assert_eq!(table.uci(), ["h3h2"]);
}

#[test]
fn a_ply_whose_reports_come_just_after_the_stop_was_played() {
    let mut table = begun();
    table.replay("0 press, 3000 stop, 3100 -b8, 3200 nc6");
    table.wait(8_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3", "b8c6"]);
}

#[test]
fn a_clock_that_never_ran_stops_no_game() {
    let mut table = Table::new();
    table.run(false);
    table.replay("0 -e2, 400 Pe4, 3000 -e7, 3400 pe5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5"]);
}

#[test]
// Known fault: the tracker revises g1g5 to g1b1, and doubts it.
#[should_panic(expected = "assertion")]
fn going_back_in_the_game_moves_no_piece_elsewhere() {
    // 1…Qg5+ is taken back after four seconds, then 1.Kf4, then the move before that.
    let mut table = Table::of("4k3/8/8/8/5K2/8/8/6q1 b - - 0 1");
    table.replay("0 -g1, 400 qg5, 4600 -g5, 5200 qg1, 6300 -f4, 6800 Kg3, 8400 qb1, 8410 -g1");
    table.wait(5_000);
    assert_eq!(table.uci(), ["g1g5"]);
    assert!(table.tracker.mismatch().is_some());
}

#[test]
// Known fault: the tracker announces both plies, and doubts them.
#[should_panic(expected = "[")]
fn no_reply_is_settled_before_the_move_it_follows_has_begun() {
    // White has the move. Black's queen moves first, and White lifts the bishop 1.7 s later.
    let mut table = Table::of("4k3/8/8/8/8/8/5B1q/4K3 w - - 0 1");
    table.replay("0 -h2, 300 qh3, 2000 -f2, 2300 Be3");
    table.wait(5_000);
    assert!(table.moves.is_empty(), "{:?}", table.uci());
    assert!(table.tracker.mismatch().is_some());
}

#[test]
// Known fault: the tracker announces b1c2, and doubts it.
#[should_panic(expected = "assertion")]
fn what_follows_a_retracted_move_is_reported_and_not_settled() {
    // 1.Be2 is taken back. Then Black's bishop goes back to c2, as if to take back the move before,
    // and 1.Be2 is played again. This looks as if Black had moved in the settled position.
    let mut table = Table::of("6k1/8/8/1B6/8/8/8/1b4K1 w - - 0 1");
    table.replay("0 -b5, 400 Be2, 6000 -e2, 6500 Bb5, 8000 -b1, 8400 bc2, 10000 -b5, 10400 Be2");
    table.wait(5_000);
    assert_eq!(table.uci(), ["b5e2"]);
    assert_eq!(table.mismatches.last(), Some(&MismatchReason::Ambiguous));
}

#[test]
fn play_continues_when_the_settled_position_is_restored() {
    let mut table = Table::of("6k1/8/8/1B6/8/8/8/1b4K1 w - - 0 1");
    table.replay("0 -b5, 400 Be2, 6000 -e2, 6500 Bb5, 10000 -b5, 10400 Be2, 13000 -b1, 13400 bc2");
    table.wait(5_000);
    assert_eq!(table.uci(), ["b5e2", "b1c2"]);
    assert!(table.tracker.mismatch().is_none());
}

#[test]
fn a_game_goes_on_without_the_clock_that_was_unplugged_while_it_stood() {
    let mut table = begun();
    table.replay("0 stop");
    table.unplug();
    table.replay("2000 -b8, 2400 nc6, 5000 -f1, 5400 Bb5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5"]);
}

#[test]
fn a_clock_that_is_set_before_the_game_and_not_started_stops_none() {
    let mut table = Table::new();
    table.lever_is_there();
    table.replay("0 stop, 3000 -e2, 3400 Pe4, 6000 -e7, 6400 pe5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5"]);
}

#[test]
fn half_of_castling_is_not_settled_because_the_clock_is_stopped() {
    let mut table = Table::of("4k3/8/8/8/8/8/8/4K2R b K - 0 1");
    table.lever_is_there();
    table.replay("0 -e8, 300 ke7, 500 press, 2000 -h1, 2300 Rf1, 2700 stop, 2900 -e1, 3300 Kg1");
    table.wait(5_000);
    assert_eq!(table.uci().first().map(String::as_str), Some("e8e7"));
    assert!(
        !table.uci().contains(&"h1f1".to_owned()),
        "{:?}",
        table.uci()
    );
}

#[test]
fn a_piece_that_is_put_back_and_then_elsewhere_was_not_let_go_of() {
    let mut table = Table::of("4k3/8/8/8/8/8/8/4KB2 w - - 0 1");
    table.replay("0 -f1, 300 Bc4, 1500 -c4, 1800 Bf1, 2800 -f1, 3100 Bb5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["f1b5"]);
}

#[test]
fn a_clock_that_was_stopped_in_the_last_game_does_not_stop_the_next_one() {
    let mut table = begun();
    table.replay("0 stop");
    table.wait(5_000);
    table.look("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    table.wait(5_000);
    assert!(table.uci().is_empty(), "the next game has begun");
    // The clock is set and not started.
    table.replay("0 -d2, 400 Pd4, 3000 -d7, 3400 pd5");
    table.wait(5_000);
    assert_eq!(table.uci(), ["d2d4", "d7d5"]);
}

#[test]
fn analysis_during_an_outage_is_not_play() {
    let mut table = begun();
    table.replay("0 stop");
    table.wait(5_000);
    table.replay("0 -b8, 400 nc6");
    table.wait(5_000);
    table.out_of_sight();
    table.wait(2_000);
    table.sense(&Sensed::Link(LinkReport::Up(Device::default())));
    table.look("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R");
    table.wait(10_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn analysis_is_no_play_after_a_result_was_declined() {
    let mut table = begun();
    table.replay("0 stop");
    table.wait(5_000);
    table.tracker.close();
    let mut position = Chess::default();
    for m in table.moves.clone() {
        position.play_unchecked(m);
    }
    table.tracker.follow(position, table.now);
    table.replay("0 -b8, 400 nc6");
    table.wait(10_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn a_mate_by_an_underpromotion_is_complete_when_the_clock_is_stopped() {
    let mut table = Table::of("8/8/8/8/8/3k2p1/6p1/5K2 w - - 0 1");
    table.replay("0 -f1, 400 Ke1, 600 press, 2000 -g2, 2200 rg1, 2400 press, 3200 stop");
    table.wait(4_000);
    assert_eq!(table.uci(), ["f1e1", "g2g1r"]);
    assert!(table.mismatches.is_empty(), "it was never in doubt");
}
