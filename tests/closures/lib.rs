//! Random positions, closed with `shakmaty` and compared with the dead-position solver.
//!
//! A closure is the set of all positions that can be reached. Working backwards from its mates, it
//! shows for each of them which sides can still mate.
#![forbid(unsafe_code)]
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    reason = "a test fails by a panic"
)]

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::atomic::AtomicBool,
};

use remisd_dead::{self as dead, Analysis, Budget, Certificate, Proof, Winnability};
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, FromSetup as _, Piece, Position as _, Role, Setup,
    Square, fen::Fen,
};

/// Larger closures are abandoned.
const MOST: usize = 2_000;
/// The most positions analysed per closure, evenly spread.
const SAMPLES: usize = 2_000;
/// Random games per certificate, and their length in plies.
const GAMES: usize = 20;
const PLIES: usize = 400;
/// Little search and hardly any closure: the mobility argument must decide.
const BUDGET: Budget = Budget {
    nodes: 20,
    positions: 4,
    sketches: 0,
};
/// Sketches, with hardly any search or closure, so that no other method finds a mate they miss. The
/// number is large enough to try each choice of loose men.
const SKETCHES: Budget = Budget {
    nodes: 1,
    positions: 1,
    sketches: 3_000,
};
/// One in this many positions is tried with sketches, and one in this many albums is verified: both
/// are slow.
const SKETCHED: usize = 4;
const CHECKED: u64 = 200;

/// Blockades to mutate.
const SEEDS: [&str; 24] = [
    "8/2b5/7p/5p1P/5p1K/5Pp1/6P1/5kb1 b - - 0 1",
    "8/8/k6p/5p1P/5p2/5PpK/1b4P1/8 w - - 0 1",
    "8/1p2B3/1Pp5/k1P5/p1P5/P7/5K2/8 w - - 0 1",
    "8/7p/8/8/ppp5/bkp4Q/qnp5/n1K5 b - - 0 1",
    "8/8/8/8/ppp5/bkp4Q/qnp3p1/n1K5 b - - 0 1",
    "8/6k1/1ppp4/2b3p1/1pKp1pP1/1P1P1P2/8/1BbB4 b - - 0 1",
    "B1B1B3/pBpBp3/P1P1P3/8/8/8/8/k1K3b1 w - - 0 1",
    "7k/4p1pP/4P1P1/1p6/1Pp5/2P5/1B6/K3b3 w - - 0 1",
    "k7/2K5/p7/Pp6/1P2p2p/4P1pP/6P1/b5B1 w - - 0 1",
    "1k6/1Pp1p3/2P1P3/3b4/8/p1p5/PpP4B/1K6 w - - 0 1",
    "8/8/1k6/p1p1p1p1/P1P1P1P1/8/1K6/8 w - - 0 1",
    "8/p2p4/Pk1P4/1P1p4/1KpP4/1pP5/1P6/1b6 w - - 0 1",
    "6k1/p5P1/6PB/6P1/6p1/6pp/P5p1/6K1 b - - 0 1",
    "8/1p2p1p1/1P2P1P1/Bp2pBp1/1P2P1P1/7k/1P2P3/7K b - - 0 1",
    "k7/1pK3p1/6Pb/1p4pB/bP4P1/Bp6/1P4P1/8 b - - 0 1",
    "3b4/4p1p1/1p1pP1P1/1P1PpBp1/1pBpP1P1/1P1P4/4K1P1/2k5 w - - 0 1",
    "2b1k3/8/8/1p1p1p1p/1P1P1P1P/8/8/2B1K3 w - - 0 1",
    "Bb1k1b2/bKp1p1p1/1pP1P1P1/pP6/6P1/P7/8/8 w - - 0 1",
    "1k1K4/1P5p/BP3p2/1P6/8/8/5P1P/8 w - - 0 1",
    "7k/p1p1p3/8/8/P1P5/4P1p1/6Pp/7K w - - 0 1",
    "5k2/8/3p1p2/2pP1Pp1/1pP3P1/1P3K2/8/8 b - - 0 1",
    "8/8/7p/5p1P/5p1K/4bPp1/5bPb/4bkb1 b - - 0 1",
    "8/1p4B1/1Pp5/k1P5/p1P5/P7/5K2/8 w - - 0 1",
    "1b1b1b1b/4k3/8/p1p1p1p1/P1P1P1P1/8/8/1B1BKB1B w - - 0 1",
];

/// Cages around a man that can be captured but never moves. They have too much room for a closure.
const CAGES: [&str; 4] = [
    "B2b4/8/8/4k3/1p1p1p1p/1PpP1P1P/K1P4b/RB6 b - - 0 1",
    "B2b4/8/8/4k3/1p1p1p1p/1PpP1P1P/K1P5/RB4b1 b - - 0 1",
    "B2b4/8/8/4k3/1p6/1Pp1p1pB/K1P1P1Pb/RB6 b - - 0 1",
    "8/8/2k5/8/1p1p1p1p/1PpP1P1P/K1P3b1/RB2n3 b - - 0 1",
];

/// The statistics of a run.
#[derive(Debug, Default, Clone, Copy)]
pub struct Tally {
    /// Completed closures.
    pub closures: u64,
    /// Positions decided by a closure and passed to the solver.
    pub positions: u64,
    /// Sides decided by the solver.
    pub decided: u64,
    /// Sides that cannot mate, by closure.
    pub unwinnable: u64,
    /// Sides proved by the mobility argument.
    pub by_mobility: u64,
    /// Sides proved unable to mate by sketches.
    pub by_sketches: u64,
    /// Proofs based on anchored men, including those of cages.
    pub by_anchors: u64,
    /// Plies of random games in which every man stayed within its mobility.
    pub plies: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} positions of {} closures: {} of {} sides decided; {} cannot mate, {} of them by mobility, {} by sketches; {} proofs with anchors, {} plies in cages",
            self.positions,
            self.closures,
            self.decided,
            self.positions * 2,
            self.unwinnable,
            self.by_mobility,
            self.by_sketches,
            self.by_anchors,
            self.plies
        )
    }
}

/// A run of the fuzzer; the same seed gives the same positions.
pub struct Run {
    random: fastrand::Rng,
    /// What was found so far.
    pub tally: Tally,
}

impl Run {
    /// Creates a run without findings.
    pub fn new(seed: u64) -> Self {
        Self {
            random: fastrand::Rng::with_seed(seed),
            tally: Tally::default(),
        }
    }

    /// Generates a position, closes it, and compares the reachable positions.
    pub fn step(&mut self) {
        let Some(root) = self.position() else {
            return;
        };
        if self.promotes_soon(&root) {
            return;
        }
        let Some(truth) = close(&root) else {
            return;
        };
        self.tally.closures += 1;
        let stride = truth.len().div_ceil(SAMPLES);
        for (position, can_mate) in truth.iter().step_by(stride.max(1)) {
            self.analyse(position, *can_mate);
        }
    }

    /// Mutates a cage and plays random games where the mobility argument says that a side cannot
    /// mate. Returns how many certificates rely on anchored men.
    pub fn cage(&mut self) -> usize {
        let fen = CAGES[self.below(CAGES.len())];
        let Some(board) = self.mutated(fen) else {
            return 0;
        };
        let Some(position) = self.playable(board) else {
            return 0;
        };
        let never = AtomicBool::new(false);
        let Analysis { white, black } = dead::analyse_within(&position, true, BUDGET, &never);
        let mut anchored = 0;
        for (verdict, winner) in [(white, Color::White), (black, Color::Black)] {
            if let Some(Winnability::Unwinnable(Proof::Mobility(certificate))) = verdict {
                anchored += usize::from(certificate.anchored.any());
                self.tally.by_anchors += u64::from(certificate.anchored.any());
                for _ in 0..GAMES {
                    self.play(&position, winner, &certificate);
                }
            }
        }
        anchored
    }

    /// Plays a random game. Every man must stay within its mobility, no anchored man may move, no
    /// uncapturable man may be captured, and no mate may occur.
    fn play(&mut self, start: &Chess, winner: Color, certificate: &Certificate) {
        let men = &certificate.men;
        let mut on: HashMap<Square, usize> =
            (0..).zip(men).map(|(at, man)| (man.home, at)).collect();
        let mut position = start.clone();
        for _ in 0..PLIES {
            let legal = position.legal_moves();
            let captures: Vec<_> = legal.iter().copied().filter(|m| m.is_capture()).collect();
            let choice = if captures.is_empty() || self.below(2) == 0 {
                &legal[..]
            } else {
                &captures[..]
            };
            if choice.is_empty() {
                let is_won = position.is_checkmate() && position.turn() != winner;
                assert!(!is_won, "{winner} mates from {}", fen_of(start));
                return;
            }
            let m = choice[self.below(choice.len())];
            let (Some(from), to) = (m.from(), m.to()) else {
                return;
            };
            if m.is_castle() {
                return;
            }
            let taken = if m.is_en_passant() {
                Square::from_coords(to.file(), from.rank())
            } else {
                to
            };
            let context = || format!("{m} in {} from {}", fen_of(&position), fen_of(start));
            let mover = on.remove(&from).unwrap();
            if let Some(victim) = on.remove(&taken) {
                assert!(men[victim].capturable, "{}", context());
            }
            let is_free = !certificate.anchored.contains(men[mover].home);
            assert!(
                is_free && men[mover].mobility().contains(to),
                "{}",
                context()
            );
            on.insert(to, mover);
            position.play_unchecked(m);
            self.tally.plies += 1;
        }
    }

    /// Whether a pawn promotes in a random game: then a closure would be too large.
    fn promotes_soon(&mut self, root: &Chess) -> bool {
        (0..12).any(|_| {
            let mut position = root.clone();
            (0..60).any(|_| {
                let legal = position.legal_moves();
                if legal.is_empty() {
                    return false;
                }
                let m = legal[self.below(legal.len())];
                position.play_unchecked(m);
                m.is_promotion()
            })
        })
    }

    fn analyse(&mut self, position: &Chess, can_mate: [bool; 2]) {
        self.tally.positions += 1;
        self.tally.unwinnable += can_mate.iter().map(|can| u64::from(!can)).sum::<u64>();
        self.tally.decided += self.compare(position, can_mate, BUDGET);
        if self.below(SKETCHED) == 0 {
            self.compare(position, can_mate, SKETCHES);
        }
    }

    /// Asks the solver with a budget. Returns how many sides were decided.
    fn compare(&mut self, position: &Chess, can_mate: [bool; 2], budget: Budget) -> u64 {
        let never = AtomicBool::new(false);
        let analysis = dead::analyse_within(position, true, budget, &never);
        let mut decided = 0;
        let sides = [&analysis.white, &analysis.black];
        for (verdict, truth) in sides.into_iter().zip(can_mate) {
            let found = match verdict {
                Some(Winnability::Winnable { .. }) => true,
                Some(Winnability::Unwinnable(proof)) => {
                    self.count(proof, budget);
                    false
                }
                Some(Winnability::Unknown) | None => continue,
            };
            decided += 1;
            assert_eq!(found, truth, "{verdict:?} for {}", fen_of(position));
            let is_album = matches!(verdict, Some(Winnability::Unwinnable(Proof::Sketches(_))));
            if is_album && self.tally.by_sketches.is_multiple_of(CHECKED) {
                let checked = dead::verify(position, &analysis);
                assert_eq!(checked, Ok(()), "{}", fen_of(position));
            }
        }
        decided
    }

    /// Every budget finds a mobility proof, so it counts only once.
    fn count(&mut self, proof: &Proof, budget: Budget) {
        match proof {
            Proof::Mobility(certificate) if budget.sketches == 0 => {
                self.tally.by_mobility += 1;
                self.tally.by_anchors += u64::from(certificate.anchored.any());
            }
            Proof::Sketches(_) => self.tally.by_sketches += 1,
            _ => {}
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random.usize(..bound)
    }

    fn square(&mut self) -> Square {
        Square::new(u32::try_from(self.below(64)).unwrap())
    }

    /// A mutated blockade, a wall of pawns, or a few pieces.
    fn position(&mut self) -> Option<Chess> {
        let board = match self.below(20) {
            0..10 => {
                let seed = SEEDS[self.below(SEEDS.len())];
                self.mutated(seed)?
            }
            10..19 => self.wall(),
            _ => self.few(),
        };
        self.playable(board)
    }

    /// The position with a random side to move, if the game can continue there.
    fn playable(&mut self, board: Board) -> Option<Chess> {
        let mut setup = Setup::empty();
        setup.board = board;
        setup.turn = Color::from_white(self.below(2) == 0);
        let position = Chess::from_setup(setup.clone(), CastlingMode::Standard);
        let position = position.or_else(shakmaty::PositionError::ignore_too_much_material);
        position.ok().filter(|position| !position.is_game_over())
    }

    fn mutated(&mut self, seed: &str) -> Option<Board> {
        let fen: Fen = seed.parse().unwrap();
        let mut board = fen.into_setup().board;
        for _ in 0..=self.below(3) {
            let square = self.square();
            match self.below(4) {
                0 => {
                    // Move a man to another square.
                    let from = board
                        .occupied()
                        .into_iter()
                        .nth(self.below(board.occupied().count()));
                    let piece = board.remove_piece_at(from?)?;
                    put(&mut board, square, piece);
                }
                1 => {
                    let men = board.occupied() & !board.kings();
                    let gone = men.into_iter().nth(self.below(men.count().max(1)));
                    gone.map(|gone| board.remove_piece_at(gone));
                }
                _ => {
                    let piece = self.piece();
                    put(&mut board, square, piece);
                }
            }
        }
        Some(board)
    }

    fn piece(&mut self) -> Piece {
        let role = [
            Role::Pawn,
            Role::Pawn,
            Role::Bishop,
            Role::Bishop,
            Role::Knight,
            Role::Rook,
        ];
        let role = role[self.below(role.len())];
        Piece {
            color: Color::from_white(self.below(2) == 0),
            role,
        }
    }

    /// A wall: opposing pawns on most files, and a few pieces.
    fn wall(&mut self) -> Board {
        let mut board = Board::empty();
        for file in shakmaty::File::ALL {
            if self.below(9) == 0 {
                continue;
            }
            let rank = 1 + self.below(5);
            let gap = usize::from(self.below(20) == 0);
            for (rank, color) in [(rank, Color::White), (rank + 1 + gap, Color::Black)] {
                if rank < 7 {
                    let rank = shakmaty::Rank::new(u32::try_from(rank).unwrap());
                    board.set_piece_at(Square::from_coords(file, rank), Role::Pawn.of(color));
                }
            }
        }
        for color in Color::ALL {
            let square = self.square();
            put(&mut board, square, Role::King.of(color));
        }
        for _ in 0..self.below(3) {
            let square = self.square();
            let piece = self.piece();
            put(&mut board, square, piece);
        }
        board
    }

    fn few(&mut self) -> Board {
        let mut board = Board::empty();
        for color in Color::ALL {
            let square = self.square();
            put(&mut board, square, Role::King.of(color));
        }
        let square = self.square();
        let piece = self.piece();
        put(&mut board, square, piece);
        board
    }
}

fn fen_of(position: &Chess) -> Fen {
    Fen::from_position(position, shakmaty::EnPassantMode::Legal)
}

/// Puts a man on a free square where it is allowed.
fn put(board: &mut Board, square: Square, piece: Piece) {
    let is_back = Bitboard::BACKRANKS.contains(square) && piece.role == Role::Pawn;
    if !board.occupied().contains(square) && !is_back {
        board.set_piece_at(square, piece);
    }
}

/// All reachable positions, with whether White and Black can still mate; `None` if there are too
/// many.
fn close(root: &Chess) -> Option<Vec<(Chess, [bool; 2])>> {
    let mut numbers = HashMap::from([(root.clone(), 0)]);
    let mut positions = vec![root.clone()];
    let mut parents: Vec<Vec<usize>> = vec![Vec::new()];
    let mut at = 0;
    while at < positions.len() {
        for m in positions[at].legal_moves() {
            let mut next = positions[at].clone();
            next.play_unchecked(m);
            let number = *numbers.entry(next.clone()).or_insert_with(|| {
                positions.push(next);
                parents.push(Vec::new());
                positions.len() - 1
            });
            parents[number].push(at);
        }
        if positions.len() > MOST {
            return None;
        }
        at += 1;
    }
    let mut can_mate = vec![[false; 2]; positions.len()];
    for (side, winner) in [Color::White, Color::Black].into_iter().enumerate() {
        let is_mate = |position: &Chess| position.is_checkmate() && position.turn() != winner;
        let mut waiting: VecDeque<usize> = (0..positions.len())
            .filter(|at| is_mate(&positions[*at]))
            .collect();
        while let Some(at) = waiting.pop_front() {
            if !can_mate[at][side] {
                can_mate[at][side] = true;
                waiting.extend(&parents[at]);
            }
        }
    }
    Some(positions.into_iter().zip(can_mate).collect())
}
