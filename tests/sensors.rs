//! Limits of sensors: dead squares, and pieces of unknown kind.
#![allow(clippy::unwrap_used, missing_docs)]

use remisd_hand::{MismatchReason, Promotion, Reading, Settings, SettledBy, Tracker};
use remisd_vocabulary::{
    sensor::{Placement, Seen, Sensed},
    time::{Moment, Span},
};
use shakmaty::{Bitboard, CastlingMode, Chess, Color, Piece, Position, Role, Square, fen::Fen};

/// A board with its tracker, in virtual time.
struct Bench {
    tracker: Tracker,
    now: Moment,
    moves: Vec<String>,
    mismatches: Vec<MismatchReason>,
    settled_by: Vec<SettledBy>,
    faulty: Vec<Bitboard>,
    /// Whether only the occupancy of squares is seen, not the pieces.
    blind: bool,
}

impl Bench {
    fn new(settings: Settings, position: Chess, blind: bool) -> Self {
        let mut placement = Placement::empty();
        for (square, piece) in position.board().clone() {
            let seen = if blind {
                Seen::Occupied
            } else {
                Seen::Piece(piece)
            };
            placement.set(square, seen);
        }
        let mut bench = Self {
            tracker: Tracker::new(settings, position),
            now: Moment::START,
            moves: vec![],
            mismatches: vec![],
            settled_by: vec![],
            faulty: vec![],
            blind,
        };
        bench.sense(&Sensed::Placement(placement));
        bench
    }

    fn sense(&mut self, sensed: &Sensed) {
        self.tracker.sense(sensed, self.now);
        self.collect();
    }

    fn wait(&mut self, ms: u64) {
        let until = self.now + Span::from_millis(ms);
        while let Some(due) = self.tracker.deadline().filter(|due| *due <= until) {
            self.now = self.now.max(due);
            self.tracker.tick(self.now);
            self.collect();
        }
        self.now = until;
    }

    fn lift(&mut self, square: Square) {
        self.wait(300);
        self.sense(&Sensed::Square(square, Seen::Empty));
    }

    fn place(&mut self, square: Square, piece: Piece) {
        self.wait(300);
        let seen = if self.blind {
            Seen::Occupied
        } else {
            Seen::Piece(piece)
        };
        self.sense(&Sensed::Square(square, seen));
    }

    fn carry(&mut self, from: Square, to: Square, piece: Piece) {
        self.lift(from);
        self.place(to, piece);
        self.wait(2_000);
    }

    fn collect(&mut self) {
        for reading in self.tracker.readings() {
            match reading {
                Reading::Settled(settled) => {
                    let uci = settled.m.to_uci(CastlingMode::Standard);
                    self.moves.push(uci.to_string());
                    self.settled_by.push(settled.by);
                }
                Reading::Mismatch(mismatch) => self.mismatches.push(mismatch.reason),
                Reading::Faulty(squares) => self.faulty.push(squares),
                Reading::Revised { .. } | Reading::Withdrawn => panic!("{:?}", self.moves),
                _ => {}
            }
        }
    }
}

const fn white(role: Role) -> Piece {
    role.of(Color::White)
}

const fn black(role: Role) -> Piece {
    role.of(Color::Black)
}

/// 1. e4 e5 2. Nf3, and Black's knight goes to c6, a square whose sensor is dead.
fn with_a_dead_square() -> Bench {
    let mut bench = Bench::new(Settings::default(), Chess::default(), false);
    bench.carry(Square::E2, Square::E4, white(Role::Pawn));
    bench.carry(Square::E7, Square::E5, black(Role::Pawn));
    bench.carry(Square::G1, Square::F3, white(Role::Knight));
    assert_eq!(bench.moves, ["e2e4", "e7e5", "g1f3"]);
    bench.lift(Square::B8);
    bench.wait(3_000);
    bench
}

#[test]
fn of_two_squares_that_may_be_dead_none_is_outvoted() {
    let mut bench = with_a_dead_square();
    bench.carry(Square::F1, Square::B5, white(Role::Bishop));
    bench.carry(Square::G8, Square::F6, black(Role::Knight));
    bench.wait(60_000);
    assert!(bench.faulty.is_empty(), "a6 or c6");
    assert_eq!(bench.moves.len(), 3, "{:?}", bench.moves);
    assert!(!bench.mismatches.is_empty());
}

/// White is about to promote on a8, on a board with or without piece recognition.
fn before_a_promotion(promotion: Promotion, blind: bool) -> Bench {
    let fen: Fen = "8/P6k/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    let position: Chess = fen.into_position(CastlingMode::Standard).unwrap();
    let settings = Settings {
        promotion,
        ..Settings::default()
    };
    Bench::new(settings, position, blind)
}

/// The lines considered possible, in UCI.
fn candidates(bench: &Bench) -> Vec<String> {
    let mismatch = bench.tracker.mismatch().unwrap();
    let line = |line: &Vec<shakmaty::Move>| {
        let line = line
            .iter()
            .map(|m| m.to_uci(CastlingMode::Standard).to_string());
        line.collect::<Vec<_>>().join(" ")
    };
    let mut lines: Vec<String> = mismatch.candidates.iter().map(line).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn an_unseen_promotion_is_a_queen_marked_as_assumed() {
    let mut bench = before_a_promotion(Promotion::Queen, true);
    bench.carry(Square::A7, Square::A8, white(Role::Queen));
    bench.carry(Square::H7, Square::G7, black(Role::King));
    bench.wait(5_000);
    assert_eq!(bench.moves, ["a7a8q", "h7g7"]);
    assert_eq!(bench.settled_by[0], SettledBy::Assumed);
    assert_ne!(bench.settled_by[1], SettledBy::Assumed);
    assert!(bench.mismatches.is_empty());
}

#[test]
fn a_promotion_that_is_seen_is_neither_assumed_nor_queried() {
    for promotion in [Promotion::Queen, Promotion::Ask] {
        let mut bench = before_a_promotion(promotion, false);
        bench.carry(Square::A7, Square::A8, white(Role::Knight));
        bench.carry(Square::H7, Square::G7, black(Role::King));
        bench.wait(5_000);
        assert_eq!(bench.moves, ["a7a8n", "h7g7"]);
        assert!(!bench.settled_by.contains(&SettledBy::Assumed));
        assert!(bench.mismatches.is_empty());
    }
}

#[test]
fn an_unknown_promotion_waits_for_the_arbiter() {
    let mut bench = before_a_promotion(Promotion::Ask, true);
    bench.carry(Square::A7, Square::A8, white(Role::Rook));
    bench.wait(10_000);
    assert_eq!(bench.mismatches, [MismatchReason::Ambiguous]);
    assert_eq!(candidates(&bench), ["a7a8b", "a7a8n", "a7a8q", "a7a8r"]);
    bench.carry(Square::H7, Square::G7, black(Role::King));
    bench.wait(10_000);
    assert!(bench.moves.is_empty(), "{:?}", bench.moves);
    let lines = ["a7a8b h7g7", "a7a8n h7g7", "a7a8q h7g7", "a7a8r h7g7"];
    assert_eq!(candidates(&bench), lines);

    // The arbiter says that it is a rook; the reply is already on the board.
    let fen: Fen = "R7/7k/8/8/8/8/8/4K3 b - - 0 1".parse().unwrap();
    let position = fen.into_position(CastlingMode::Standard).unwrap();
    bench.tracker.follow(position, bench.now);
    bench.wait(5_000);
    bench.carry(Square::A8, Square::A7, white(Role::Rook));
    bench.carry(Square::G7, Square::G6, black(Role::King));
    bench.wait(5_000);
    assert_eq!(bench.moves, ["h7g7", "a8a7", "g7g6"]);
    assert_eq!(bench.tracker.mismatch(), None);
}

#[test]
fn an_unknown_promotion_is_settled_when_only_one_piece_can_have_moved_on() {
    let mut bench = before_a_promotion(Promotion::Ask, true);
    bench.carry(Square::A7, Square::A8, white(Role::Knight));
    bench.carry(Square::H7, Square::G7, black(Role::King));
    bench.wait(10_000);
    assert!(bench.moves.is_empty());
    bench.carry(Square::A8, Square::B6, white(Role::Knight));
    bench.carry(Square::G7, Square::F6, black(Role::King));
    bench.wait(5_000);
    assert_eq!(bench.moves, ["a7a8n", "h7g7", "a8b6", "g7f6"]);
    assert!(!bench.settled_by.contains(&SettledBy::Assumed));
    assert_eq!(bench.tracker.mismatch(), None);
}
