//! The end of a game and the start of the next.

use remisd_hand::{MismatchReason, Settings, Tracker};
use remisd_vocabulary::sensor::{Placement, Sensed};
use shakmaty::{Board, Chess, Color, Move, Position, Role, Square, uci::UciMove};

use super::{
    steps,
    table::{Table, uci},
};

#[test]
// Known fault: the tracker revises e1e8 to e1a1.
#[should_panic(expected = "assertion")]
fn a_move_that_has_stood_for_long_is_not_revised_by_clearing_the_board() {
    let mut table = Table::of("6k1/8/8/8/8/8/8/4R1K1 w - - 0 1");
    table.lift(Square::E1);
    table.place(Square::E8, Role::Rook, Color::White);
    table.wait(8_000);
    assert_eq!(table.uci(), ["e1e8"]);
    table.lift(Square::E8);
    table.place(Square::A1, Role::Rook, Color::White);
    table.wait(300);
    table.lift(Square::G8);
    table.place(Square::E5, Role::King, Color::Black);
    table.wait(3_000);
    assert_eq!(table.uci(), ["e1e8"], "the board is being cleared");
    assert_eq!(table.mismatches, [MismatchReason::NoLegalMove]);
}

#[test]
fn two_pieces_that_are_cleared_away_are_no_exchange() {
    // White has played g3-g4 and resigns. Without the pawns on h3 and h5, the board looks as it
    // does after hxg4 hxg4.
    let fen: shakmaty::fen::Fen = "8/8/6p1/3k1n1p/5PP1/r4N1P/4RK2/8 b - - 0 68"
        .parse()
        .unwrap();
    let mut table = Table::at(fen.into_position(shakmaty::CastlingMode::Standard).unwrap());
    for square in [Square::H5, Square::H3, Square::G4, Square::F5, Square::F3] {
        table.lift(square);
    }
    table.wait(60_000);
    assert!(table.moves.is_empty());
}

#[test]
fn a_first_move_from_an_array_that_stood_when_the_game_was_closed_begins_the_next() {
    let mut table = Table::new();
    table.tracker.close();
    table.wait(60_000);
    assert_eq!(table.new_games, 0, "no piece was touched");
    table.lift(Square::D2);
    table.place(Square::D4, Role::Pawn, Color::White);
    table.wait(5_000);
    assert_eq!((table.new_games, table.uci()), (1, vec!["d2d4".to_owned()]));
}

#[test]
fn a_first_move_soon_after_the_set_up_begins_a_game_also_where_all_squares_come_together() {
    for is_closed in [true, false] {
        let mut table = Table::new();
        table.look("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
        table.wait(5_000);
        table.look("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
        table.wait(5_000);
        assert_eq!(table.uci(), ["e2e4", "e7e5"]);
        if is_closed {
            table.tracker.close();
        }
        table.look("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        table.wait(1_000);
        assert_eq!(table.new_games, 0);
        table.look("rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR");
        table.wait(5_000);
        let begun = (table.new_games, table.uci());
        assert_eq!(begun, (1, vec!["d2d4".to_owned()]), "{is_closed}");
    }
}

#[test]
fn knights_that_go_back_together_begin_no_game() {
    let mut table = Table::new();
    table.look("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R");
    table.wait(5_000);
    table.look("rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R");
    table.wait(5_000);
    // Both moves come together.
    table.look("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    table.wait(1_000);
    table.look("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R");
    table.wait(60_000);
    assert_eq!(table.new_games, 0);
    assert_eq!(table.uci(), ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3"]);
}

#[test]
fn the_start_array_means_nothing_where_games_begin_by_command() {
    let mut table = Table::new();
    table.tracker = Tracker::new(
        Settings {
            new_games: false,
            ..Settings::default()
        },
        Chess::default(),
    );
    table.sense(&Sensed::Placement(Placement::start()));
    table.lift(Square::E2);
    table.place(Square::E4, Role::Pawn, Color::White);
    table.wait(5_000);
    table.sense(&Sensed::Placement(Placement::start()));
    table.wait(60_000);
    assert_eq!(table.new_games, 0);
    assert_eq!(table.mismatches, [MismatchReason::EarlierPosition]);
}

#[test]
fn the_doubt_about_a_game_is_not_taken_back_by_the_next_array() {
    let mut table = Table::new();
    table.lift(Square::E2);
    table.place(Square::E4, Role::Pawn, Color::White);
    table.wait(5_000);
    table.lift(Square::D7);
    table.place(Square::D4, Role::Pawn, Color::Black);
    table.wait(60_000);
    assert_eq!(table.mismatches, [MismatchReason::NoLegalMove]);
    table.lift(Square::E4);
    table.place(Square::E2, Role::Pawn, Color::White);
    table.lift(Square::D4);
    table.place(Square::D7, Role::Pawn, Color::Black);
    table.wait(60_000);
    assert_eq!((table.new_games, table.agreed), (1, 0));
    assert!(
        table.tracker.mismatch().is_none(),
        "the new game is certain"
    );
}

#[test]
fn a_new_start_array_is_a_new_game_but_a_way_back_to_it_is_not() {
    let mut table = Table::new();
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let mut position = Chess::default();
    for uci in knights {
        let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        for (square, seen) in steps(m, position.turn(), 0) {
            table.see(square, seen);
        }
        position.play_unchecked(m);
    }
    table.wait(60_000);
    assert_eq!(table.uci(), knights);
    assert_eq!(table.new_games, 0);

    table.lift(Square::E2);
    table.place(Square::E4, Role::Pawn, Color::White);
    table.wait(5_000);
    // Instead of a reply by Black, the starting position is set up again.
    table.lift(Square::E4);
    table.place(Square::E2, Role::Pawn, Color::White);
    table.wait(60_000);
    assert_eq!(table.new_games, 1);
}

#[test]
fn a_move_before_what_is_uncertain_is_not_withdrawn_when_the_next_game_is_set_up() {
    let mut table = Table::new();
    table.lift(Square::G1);
    table.place(Square::F3, Role::Knight, Color::White);
    table.wait(400);
    // Black's lift settles it. Then an outage hides 1... e5 2. e4 d5 or 1... d5 2. e4 e5.
    table.lift(Square::E7);
    table.wait(400);
    assert_eq!(table.uci(), ["g1f3"]);
    table.out_of_sight_until("rnbqkbnr/ppp2ppp/8/3pp3/4P3/5N2/PPPP1PPP/RNBQKB1R");
    assert_eq!(table.mismatches.last(), Some(&MismatchReason::Ambiguous));
    table.sense(&Sensed::Placement(Placement::start()));
    table.wait(10_000);
    assert_eq!(table.new_games, 1);
    assert_eq!(table.withdrawn, []);
}

#[test]
// Known fault: the game ends with d6d8.
#[should_panic(expected = "assertion")]
fn the_first_step_of_clearing_the_board_is_no_move() {
    let mut table = Table::new();
    for (from, to, role, color) in [
        (Square::D2, Square::D4, Role::Pawn, Color::White),
        (Square::D7, Square::D5, Role::Pawn, Color::Black),
        (Square::D1, Square::D3, Role::Queen, Color::White),
        (Square::D8, Square::D6, Role::Queen, Color::Black),
        (Square::C1, Square::F4, Role::Bishop, Color::White),
    ] {
        table.lift(from);
        table.place(to, role, color);
        table.wait(5_000);
    }
    // The game is over. Black's queen goes back to its square first, then White's pieces do.
    table.lift(Square::D6);
    table.place(Square::D8, Role::Queen, Color::Black);
    table.wait(200);
    table.lift(Square::D3);
    table.lift(Square::F4);
    table.place(Square::D1, Role::Queen, Color::White);
    table.sense(&Sensed::Placement(Placement::start()));
    table.wait(10_000);
    assert_eq!(table.new_games, 1);
    let ended = ["d2d4", "d7d5", "d1d3", "d8d6", "c1f4"];
    assert_eq!(uci(&table.ended), ended, "the queen did not go back");
}

/// How the next array is set up.
#[derive(Debug, Clone, Copy)]
enum SetUp {
    /// A dump shows it.
    Seen,
    /// The pieces that are not at home are lifted one by one, then placed.
    InTurn,
    /// The same, and the piece that has moved last is lifted first.
    LastFirst,
    /// From the last square to the first.
    Backwards,
}

/// Sets the array up, where a board is `shown` on which a piece has moved to `last`.
fn set_up(table: &mut Table, shown: &Board, last: Square, how: SetUp) {
    let home = Board::new();
    let mut squares = Square::ALL.to_vec();
    match how {
        SetUp::Seen => return table.sense(&Sensed::Placement(Placement::start())),
        SetUp::InTurn => {}
        SetUp::LastFirst => squares.sort_by_key(|square| *square != last),
        SetUp::Backwards => squares.reverse(),
    }
    for square in squares {
        if shown.piece_at(square).is_some() && shown.piece_at(square) != home.piece_at(square) {
            table.lift(square);
        }
    }
    for (square, piece) in home {
        if shown.piece_at(square) != Some(piece) {
            table.place(square, piece.role, piece.color);
        }
    }
}

#[test]
fn the_last_move_before_the_next_array_is_settled_or_named() {
    let games = [
        "e2e4 b8c6 g1f3 d7d6 d2d4 g8f6",
        "e2e4 b8c6 g1f3 d7d6 d2d4 c6b8",
        "e2e4 b8c6 g1f3 d7d6 f3g1 a7a6",
        "e2e4 e7e5 g1f3 g8f6 f3e5 f6e4",
    ];
    let ways = [
        SetUp::Seen,
        SetUp::InTurn,
        SetUp::LastFirst,
        SetUp::Backwards,
    ];
    let mut named = 0;
    for game in games {
        for how in ways {
            for wait in [0, 100, 300, 1_000] {
                let mut table = Table::new();
                let mut position = Chess::default();
                let mut played: Vec<Move> = Vec::new();
                for uci in game.split(' ') {
                    table.wait(5_000);
                    let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
                    for (square, seen) in steps(m, position.turn(), 0) {
                        table.see(square, seen);
                    }
                    position.play_unchecked(m);
                    played.push(m);
                }
                table.wait(wait);
                let (last, before) = played.split_last().unwrap();
                set_up(&mut table, position.board(), last.to(), how);
                table.wait(10_000);
                assert_eq!(table.new_games, 1);
                let is_settled = table.ended == played && table.unsettled.is_empty();
                let is_named = table.ended == before && table.unsettled == [*last];
                assert!(
                    is_settled || is_named,
                    "{game}, {how:?} after {wait} ms: {:?}, {:?}",
                    uci(&table.ended),
                    uci(&table.unsettled)
                );
                named += usize::from(is_named);
            }
        }
    }
    assert!(
        named > 0,
        "a piece that goes home soon may not have moved before"
    );
}

#[test]
fn a_first_move_made_before_the_new_array_was_recognised_counts() {
    let mut table = Table::new();
    for uci in ["d2d4", "d7d5", "c2c4"] {
        let position = (table.moves.iter()).fold(Chess::default(), |p, m| p.play(*m).unwrap());
        let m = uci.parse::<UciMove>().unwrap().to_move(&position).unwrap();
        for (square, seen) in steps(m, position.turn(), 0) {
            table.see(square, seen);
        }
        table.wait(5_000);
    }
    table.sense(&Sensed::Placement(Placement::start()));
    table.wait(500);
    table.lift(Square::E2);
    table.place(Square::E4, Role::Pawn, Color::White);
    table.wait(5_000);
    assert_eq!((table.new_games, table.uci()), (1, vec!["e2e4".to_owned()]));
}

#[test]
fn a_last_step_of_the_king_to_the_centre_is_not_lost_when_the_next_array_is_set_up() {
    let mut table = Table::of("8/8/8/3k4/8/8/8/K7 b - - 0 1");
    table.lift(Square::D5);
    table.place(Square::E5, Role::King, Color::Black);
    table.wait(4_000);
    table.lift(Square::E5);
    table.lift(Square::A1);
    table.look("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
    table.wait(6_000);
    assert_eq!(table.new_games, 1);
    assert_eq!(table.ended.len(), 1, "it is reported before the new game");
}

/// Bishop and knight of White's queenside are exchanged.
const EXCHANGED: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR";

/// A game of two plies that is over.
fn closed() -> Table {
    let mut table = Table::new();
    table.look("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    table.wait(5_000);
    table.look("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR");
    table.wait(5_000);
    assert_eq!(table.uci(), ["e2e4", "e7e5"]);
    table.tracker.close();
    table
}

#[test]
fn a_wrong_starting_position_after_a_game_is_named_until_it_is_put_right() {
    let wrong = [
        (EXCHANGED, "b1 c1"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR", "h2"),
        ("rnbqkbnr/1ppppppp/p7/8/8/8/PPPPPPPP/RNBQKBNR", "a6 a7"),
        (
            "qrkrnbbn/pppppppp/8/8/8/8/PPPPPPPP/QRKRNBBN",
            "a1 b1 c1 d1 e1 g1 h1 a8 b8 c8 d8 e8 g8 h8",
        ),
    ];
    for (board, squares) in wrong {
        let mut table = closed();
        table.look(board);
        table.wait(59_000);
        assert!(table.mismatches.is_empty(), "{board}: they may set it up");
        table.wait(2_000);
        assert_eq!(table.mismatches, [MismatchReason::StartArray], "{board}");
        let named: Vec<String> = table.named.iter().map(Square::to_string).collect();
        assert_eq!(named.join(" "), squares);
        table.wait(3_600_000);
        assert_eq!(table.mismatches.len(), 1);
        table.sense(&Sensed::Placement(Placement::start()));
        table.wait(5_000);
        assert_eq!((table.new_games, table.agreed), (1, 0), "{board}");
    }
}

#[test]
fn a_game_played_from_a_wrong_starting_position_names_the_squares_that_were_wrong() {
    let mut table = closed();
    table.look(EXCHANGED);
    table.wait(4_000);
    table.replay("0 -e2, 200 Pe4, 10000 -e7, 10200 pe5, 20000 -g1, 20200 Nf3");
    table.replay("10000 -b8, 10200 nc6, 20000 -f1, 20200 Bb5, 30000 -a7, 30200 pa6");
    table.wait(10_000);
    assert_eq!(table.mismatches, [MismatchReason::StartArray]);
    assert_eq!(table.named, [Square::B1, Square::C1]);
    assert_eq!(table.uci(), ["e2e4", "e7e5"], "the game before is over");
}

#[test]
fn a_wrong_starting_position_ends_with_an_empty_board_and_where_the_game_is_continued() {
    let mut table = closed();
    table.look(EXCHANGED);
    table.wait(70_000);
    assert_eq!(table.mismatches.len(), 1);
    table.look("8/8/8/8/8/8/8/8");
    assert_eq!(table.agreed, 1);

    let mut table = closed();
    table.look(EXCHANGED);
    table.wait(70_000);
    let position = table.position.clone();
    table.tracker.follow(position, table.now);
    table.wait(10_000);
    assert_eq!(table.agreed, 1);
}

#[test]
fn what_people_do_with_the_pieces_after_a_game_is_no_wrong_starting_position() {
    let boards = [
        (
            "the last position",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        ),
        (
            "a king is taken off",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQ1BNR",
        ),
        (
            "a pawn's first move",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR",
        ),
        (
            "a knight's first move",
            "rnbqkbnr/pppppppp/8/8/8/2N5/PPPPPPPP/R1BQKBNR",
        ),
        (
            "analysis",
            "rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR",
        ),
        (
            "set up, the kings in the centre",
            "rnbq1bnr/pppppppp/8/3k4/4K3/8/PPPPPPPP/RNBQ1BNR",
        ),
        ("half set up", "rnbqkbnr/ppp5/8/8/8/8/PPPPPPPP/RNBQKBNR"),
        ("one side set up", "8/8/8/8/8/8/PPPPPPPP/RNBQKBNR"),
        ("a puzzle", "6k1/8/8/8/8/8/8/4R1K1"),
        ("empty", "8/8/8/8/8/8/8/8"),
    ];
    for (what, board) in boards {
        let mut table = closed();
        table.look(board);
        table.wait(3_600_000);
        assert!(table.mismatches.is_empty(), "{what}: {:?}", table.named);
    }
    // A pause while the pieces are set up, and one while they are taken away.
    let mut table = closed();
    table.look("rnbqkbnr/pppppppp/8/8/8/8/PPPPPP2/RNBQKBNR");
    table.wait(40_000);
    table.look("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR");
    table.wait(10_000);
    table.sense(&Sensed::Placement(Placement::start()));
    table.wait(10_000);
    assert_eq!((table.new_games, table.mismatches.len()), (1, 0));
    table.tracker.close();
    table.look("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPP1/RNBQKBNR");
    table.wait(600_000);
    assert_eq!(table.mismatches, [], "a piece was taken away");
}

#[test]
fn a_game_that_may_have_begun_out_of_sight_is_no_opening_that_players_look_at() {
    let mut table = closed();
    table.out_of_sight();
    table.wait(300_000);
    table.look("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR");
    table.wait(70_000);
    assert_eq!(table.mismatches, [MismatchReason::StartArray]);
    assert_eq!(table.named, [Square::E2, Square::E4]);
}

#[test]
fn kings_that_go_to_the_centre_one_by_one_leave_no_wrong_starting_position() {
    let mut table = closed();
    table.look("rnbqkbnr/pppppppp/8/8/4K3/8/PPPPPPPP/RNBQ1BNR");
    table.wait(5_000);
    table.lift(Square::E8);
    table.place(Square::E5, Role::King, Color::Black);
    table.wait(600_000);
    for square in Square::ALL.into_iter().take(16) {
        table.lift(square);
    }
    table.wait(600_000);
    assert_eq!(table.mismatches, []);
}
