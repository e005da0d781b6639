use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, Move, Position, Role, Square, fen::Fen, uci::UciMove,
};

use super::{Contested, Rival, may_have_moved};
use crate::{
    board::event::{Placement, Seen, Sensed},
    hand::{MismatchReason, Reading, Settings, Tracker},
    time::Millis,
};

/// A board of which the kinds are known, and what is read from it.
struct Watched {
    tracker: Tracker,
    now: Millis,
    settled: usize,
}

impl Watched {
    fn at(fen: &str) -> Self {
        let fen: Fen = fen.parse().unwrap();
        let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        let placement = Placement::from(position.board());
        let mut watched = Self {
            tracker: Tracker::new(Settings::default(), position),
            now: 0,
            settled: 0,
        };
        watched.tracker.sense(&Sensed::Placement(placement), 0);
        watched.wait(5_000);
        watched
    }

    fn wait(&mut self, ms: Millis) {
        for _ in 0..ms / 100 {
            self.now += 100;
            self.tracker.tick(self.now);
        }
        let made = |reading: &Reading| matches!(reading, Reading::Settled(_));
        let readings = self.tracker.readings();
        self.settled += readings.iter().filter(|reading| made(reading)).count();
    }

    /// A piece is carried from one square to another in half a second.
    fn carry(&mut self, from: Square, to: Square) {
        let seen = self.tracker.sight.as_ref().unwrap().get(from);
        self.tracker
            .sense(&Sensed::Square(from, Seen::Empty), self.now);
        self.wait(300);
        self.tracker.sense(&Sensed::Square(to, seen), self.now);
        self.wait(200);
    }

    /// How many settled plies are in doubt after a while, and why.
    fn doubted(&mut self) -> (usize, MismatchReason) {
        self.wait(10_000);
        let mismatch = self.tracker.mismatch().expect("something is amiss");
        (mismatch.doubted, mismatch.reason)
    }
}

const ITALIAN: &str = "rnbqkbnr/pppp1ppp/8/4p3/2B1P3/8/PPPP1PPP/RNBQK1NR w KQkq - 0 1";

#[test]
fn a_piece_that_is_put_back_where_it_was_knocked_over_speaks_against_its_move() {
    let mut watched = Watched::at(ITALIAN);
    // It falls over to b5, and while it lies there both move.
    watched.carry(Square::C4, Square::B5);
    watched.wait(500);
    watched.carry(Square::B8, Square::C6);
    watched.wait(300);
    watched.carry(Square::G1, Square::F3);
    watched.wait(300);
    watched.carry(Square::B5, Square::C4);
    let (doubted, reason) = watched.doubted();
    assert_eq!(reason, MismatchReason::NoLegalMove);
    assert_eq!(watched.settled, 2);
    assert_eq!(doubted, 2, "the bishop's move and the reply");
}

#[test]
fn a_piece_that_has_stood_for_long_and_is_moved_illegally_speaks_against_no_ply() {
    let mut watched = Watched::at(ITALIAN);
    watched.carry(Square::C4, Square::B5);
    watched.wait(4_000);
    watched.carry(Square::B8, Square::C6);
    watched.wait(4_000);
    // A bishop moves no such way.
    watched.carry(Square::B5, Square::C5);
    assert_eq!(watched.settled, 2);
    assert_eq!(watched.doubted(), (0, MismatchReason::NoLegalMove));
}

#[test]
fn nothing_is_in_doubt_when_the_board_agrees_again_or_the_arbiter_says_what_stands() {
    let amiss = || {
        let mut watched = Watched::at(ITALIAN);
        watched.carry(Square::C4, Square::B5);
        watched.wait(1_500);
        watched.carry(Square::B5, Square::C5);
        assert_eq!(watched.doubted(), (1, MismatchReason::NoLegalMove));
        watched
    };
    let mut agreed = amiss();
    agreed.carry(Square::C5, Square::B5);
    agreed.wait(5_000);
    assert_eq!(agreed.tracker.mismatch(), None);
    agreed.carry(Square::B5, Square::D6);
    assert_eq!(agreed.doubted(), (0, MismatchReason::NoLegalMove));

    let mut corrected = amiss();
    let position = corrected.tracker.root().clone();
    corrected.tracker.follow(position, corrected.now);
    assert_eq!(corrected.doubted(), (0, MismatchReason::NoLegalMove));
}

fn played(position: &mut Chess, uci: &str) -> (Move, Color) {
    let mover = position.turn();
    let m = uci.parse::<UciMove>().unwrap().to_move(position).unwrap();
    position.play_unchecked(m);
    (m, mover)
}

/// The plies that the squares which look alike may speak against after these moves, of which the first was
/// settled although a rook may stand on d4, where the game has a knight.
fn against(fen: &str, line: &[&str]) -> Vec<(Square, usize)> {
    let fen: Fen = fen.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut contested = Contested::none();
    for (ply, uci) in line.iter().enumerate() {
        let (m, mover) = played(&mut position, uci);
        contested.settle(m, mover, 1_000);
        if ply == 0 {
            let rival = Rival {
                common: 0,
                squares: Bitboard::from(Square::D4),
                alike: vec![(Square::D4, Role::Rook.of(Color::White))],
            };
            contested.contest(0, 1_000, &rival);
        }
    }
    let alike = |square: Square| {
        let mark = contested.marks[square as usize]?;
        mark.other.map(|_| (square, mark.ply))
    };
    Square::ALL.into_iter().filter_map(alike).collect()
}

#[test]
fn which_piece_stands_there_is_in_doubt_until_it_moves_as_the_other_one_could_not() {
    const FEN: &str = "4k3/p4b2/8/8/3p4/1N6/8/3RK3 w - - 0 1";
    assert_eq!(against(FEN, &["b3d4"]), [(Square::D4, 0)]);
    assert_eq!(
        against(FEN, &["b3d4", "a7a6", "e1e2"]),
        [(Square::D4, 0)],
        "it has not moved"
    );
    assert_eq!(
        against(FEN, &["b3d4", "a7a6", "d4e6"]),
        [],
        "a rook jumps no such way"
    );
    assert_eq!(
        against(FEN, &["b3d4", "f7b3", "e1e2", "b3a4"]),
        [(Square::D4, 0)],
        "another piece"
    );
}

#[test]
fn what_may_be_another_piece_takes_its_doubt_along() {
    const FEN: &str = "4k3/p7/8/8/3p4/8/1Q6/4K3 w - - 0 1";
    let doubt = against(FEN, &["b2d4", "a7a6", "d4d7"]);
    assert_eq!(doubt, [(Square::D7, 0)], "a rook could have gone there");
    let taken = against(FEN, &["b2d4", "a7a6", "d4d7", "e8d7"]);
    assert_eq!(taken, [], "it is off the board");
}

#[test]
fn nobody_has_taken_a_piece_of_his_own() {
    const FEN: &str = "4k3/8/8/2p5/8/8/1Q6/4K3 w - - 0 1";
    // A white rook on d4 that White takes is none.
    let fen: Fen = FEN.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut contested = Contested::none();
    for (ply, uci) in ["e1e2", "c5c4", "b2b4", "c4c3", "b4c3"].iter().enumerate() {
        let (m, mover) = played(&mut position, uci);
        contested.settle(m, mover, 1_000);
        if ply == 3 {
            let rival = Rival {
                common: 0,
                squares: Bitboard::EMPTY,
                alike: vec![(Square::C3, Role::Rook.of(Color::White))],
            };
            contested.contest(3, 1_000, &rival);
            assert!(contested.marks[Square::C3 as usize].is_some_and(|mark| mark.other.is_some()));
        }
    }
    assert!(
        contested
            .marks
            .iter()
            .flatten()
            .all(|mark| mark.other.is_none())
    );
}

#[test]
fn a_pawn_moves_forward_by_one_or_two_and_takes_sideways() {
    let goes = |piece: char, from: Square, to: Square| {
        let piece = shakmaty::Piece::from_char(piece).unwrap();
        may_have_moved(piece, Color::White, from, to)
    };
    assert!(goes('P', Square::E2, Square::E4));
    assert!(goes('P', Square::E2, Square::F3));
    assert!(!goes('P', Square::E4, Square::E3));
    assert!(!goes('p', Square::E4, Square::E3), "Black's");
    assert!(goes('B', Square::C1, Square::H6));
    assert!(!goes('B', Square::C1, Square::C6));
}
