use shakmaty::{
    Bitboard, CastlingMode, Chess, Color, Move, Position, Role, Square, fen::Fen, uci::UciMove,
};

use super::{Contested, Rival, may_have_moved};
use crate::{MismatchReason, Reading, Settings, Tracker};
use remisd_vocabulary::{
    sensor::{DownCode, LinkReport, Placement, Seen, Sensed},
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

/// The plies that the squares which look alike may speak against after these moves, of which the one with
/// the number `contested` was settled although other pieces may stand there.
fn against(
    fen: &str,
    line: &[&str],
    contested: usize,
    alike: &[(Square, char)],
) -> Vec<(Square, usize)> {
    let fen: Fen = fen.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut known = Contested::none();
    for (ply, uci) in line.iter().enumerate() {
        let (m, mover) = played(&mut position, uci);
        known.settle(m, mover, 1_000);
        if ply == contested {
            let piece = |piece| shakmaty::Piece::from_char(piece).unwrap();
            let alike = alike.iter().map(|&(square, name)| (square, piece(name)));
            let rival = Rival {
                common: ply,
                squares: Bitboard::EMPTY,
                alike: alike.collect(),
            };
            known.contest(1_000, &rival, Bitboard::EMPTY);
        }
    }
    marked(&known)
}

/// The squares of which it is not known which piece stands there, and the ply that they may speak against.
fn marked(known: &Contested) -> Vec<(Square, usize)> {
    let alike = |square: Square| {
        let mark = known.marks[square as usize]?;
        mark.other.map(|_| (square, mark.ply))
    };
    Square::ALL.into_iter().filter_map(alike).collect()
}

const KNIGHT: &str = "4k3/p4b2/8/8/3p4/1N6/8/3RK3 w - - 0 1";

#[test]
fn which_piece_stands_there_is_in_doubt_until_it_moves_as_the_other_one_could_not() {
    let alike = [(Square::D4, 'R'), (Square::H1, 'N')];
    let against = |line: &[&str]| against(KNIGHT, line, 0, &alike);
    let both = [(Square::H1, 0), (Square::D4, 0)];
    assert_eq!(against(&["b3d4"]), both);
    assert_eq!(against(&["b3d4", "a7a6", "e1e2"]), both, "it has not moved");
    let jumped = against(&["b3d4", "a7a6", "d4e6"]);
    assert_eq!(
        jumped,
        [],
        "a rook jumps no such way, and so no knight is on h1"
    );
    let other = against(&["b3d4", "f7b3", "e1e2", "b3a4"]);
    assert_eq!(other, both, "another piece");
}

#[test]
fn what_may_be_another_piece_takes_its_doubt_along() {
    const FEN: &str = "4k3/p7/8/8/3p4/8/1Q6/4K3 w - - 0 1";
    let against = |line: &[&str]| against(FEN, line, 0, &[(Square::D4, 'R')]);
    let doubt = against(&["b2d4", "a7a6", "d4d7"]);
    assert_eq!(doubt, [(Square::D7, 0)], "a rook could have gone there");
    let taken = against(&["b2d4", "a7a6", "d4d7", "e8d7"]);
    assert_eq!(taken, [], "it is off the board");
}

#[test]
fn nobody_has_taken_a_piece_of_his_own() {
    const FEN: &str = "4k3/8/8/2p5/8/8/1Q6/4K3 w - - 0 1";
    let line = ["e1e2", "c5c4", "b2b4", "c4c3", "b4c3"];
    let left = |piece| against(FEN, &line, 3, &[(Square::C3, piece), (Square::H8, 'r')]);
    assert_eq!(left('R'), [], "no rook was on c3, and so none is on h8");
    assert_eq!(left('n'), [(Square::H8, 3)], "Black's");
}

#[test]
fn a_move_that_was_none_leaves_everything_as_it_was() {
    let fen: Fen = KNIGHT.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut known = Contested::none();
    let (m, mover) = played(&mut position, "b3d4");
    known.settle(m, mover, 1_000);
    let rival = Rival {
        common: 0,
        squares: Bitboard::EMPTY,
        alike: vec![(Square::D4, Role::Rook.of(Color::White))],
    };
    known.contest(1_000, &rival, Bitboard::EMPTY);
    let (reply, replier) = played(&mut position, "a7a6");
    known.settle(reply, replier, 2_000);
    let (m, mover) = played(&mut position.clone(), "d4e6");
    known.settle(m, mover, 3_000);
    assert_eq!(marked(&known), []);
    let (m, mover) = played(&mut position.clone(), "e1e2");
    known.replace_last(m, mover, 3_000);
    assert_eq!(marked(&known), [(Square::D4, 0)], "it was another move");
    known.withdraw();
    assert_eq!((known.plies, marked(&known)), (2, vec![(Square::D4, 0)]));
    assert_eq!(known.marks[Square::E2 as usize], None);
}

#[test]
fn what_the_board_did_not_show_bears_nothing_out() {
    let mut watched = Watched::at(ITALIAN);
    watched.carry(Square::C4, Square::B5);
    watched.wait(1_500);
    let down = LinkReport::Down {
        code: DownCode::Silent,
        reason: String::new(),
    };
    watched.tracker.sense(&Sensed::Link(down), watched.now);
    watched.wait(6_000);
    // The bishop is back, and a knight stands where none can have gone.
    let fen: Fen = ITALIAN.parse().unwrap();
    let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let mut board = position.board().clone();
    board.set_piece_at(Square::H5, Role::Knight.of(Color::White));
    watched
        .tracker
        .sense(&Sensed::Placement(Placement::from(&board)), watched.now);
    assert_eq!(watched.doubted(), (1, MismatchReason::NoLegalMove));
}

#[test]
fn what_is_settled_while_several_lines_are_possible_is_no_doubt() {
    let mut known = Contested::none();
    known.doubt(0);
    assert_eq!(known.since, None);
    let fen: Fen = KNIGHT.parse().unwrap();
    let mut position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let (m, mover) = played(&mut position, "b3d4");
    known.settle(m, mover, 1_000);
    known.doubt(1);
    known.doubt(0);
    assert_eq!(known.since, Some(0), "what was doubted stays so");
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
