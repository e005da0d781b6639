//! What each profile does, and how often, in one table; `protocol/simulator.md` documents it.

use super::Profile;

/// The least and the greatest value, in milliseconds.
pub(super) type Range = (u64, u64);

/// How one kind of player handles the pieces. Chances are out of 10,000; the weights of a list are
/// relative to each other.
#[derive(Debug, Clone, Copy)]
pub(in crate::simulate) struct Habits {
    /// Time between two movements of a hand.
    pub(super) step: Range,
    /// Time from the opponent's press to the first movement.
    pub(super) think: Range,
    /// Whether the clock times of the game determine how long a player thinks.
    pub(in crate::simulate) by_the_clock: bool,
    /// Time from the last piece to the clock.
    pub(super) press: Range,
    /// Per move along a line: the piece slides and rests on squares of its way.
    pub(super) slide: u16,
    /// How long a sliding piece rests on a square.
    pub(super) slide_rest: Range,
    /// Per ply: a piece is adjusted (j'adoube).
    pub(super) adjust: u16,
    /// Per ply: the piece stands on another square first.
    pub(super) hover: u16,
    /// Per ply: the piece is put back and played again.
    pub(super) put_back: u16,
    /// Per capture: the captured piece is put down on another square for a while.
    pub(super) park: u16,
    /// The captured piece first; the capturer first; the captured piece pushed off by the capturer.
    pub(super) capture: [u16; 3],
    /// King first; rook first; both lifted together.
    pub(super) castling: [u16; 3],
    /// The captured pawn first; last; both lifted together.
    pub(super) en_passant: [u16; 3],
    /// Pawn off, then piece on; pawn placed and swapped; piece on, then pawn off; pawn placed and
    /// swapped late.
    pub(super) promotion: [u16; 4],
    /// Per ply: the player lifts before the opponent has released the previous ply's piece.
    pub(in crate::simulate) overlap: u16,
    /// Per ply: the opponent's reply is on the board almost at the same time.
    pub(in crate::simulate) chase: u16,
    /// Per ply: the reply and the ply after it are on the board almost at the same time.
    pub(in crate::simulate) chain: u16,
    /// Per ply: a piece beside the square is knocked over.
    pub(in crate::simulate) knock: u16,
    /// The faults of the board and its line.
    pub(in crate::simulate) faults: Faults,
    /// Whether the pieces are used for something after the last ply.
    pub(in crate::simulate) after: bool,
}

/// The faults of a board and its line. Chances are out of 10,000.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::simulate) struct Faults {
    /// Per update of a square: it is never sent.
    pub(in crate::simulate) lost: u16,
    /// Per byte to the host, out of 1,000,000: one bit of it is flipped.
    pub(in crate::simulate) flipped_per_million: u32,
    /// Per ply: a square shows another piece for one scan.
    pub(in crate::simulate) misread: u16,
    /// Per ply: a square notices nothing for five seconds.
    pub(in crate::simulate) dead: u16,
    /// Per ply: the line is down for ten seconds.
    pub(in crate::simulate) unplugged: u16,
}

const NO_FAULTS: Faults = Faults {
    lost: 0,
    flipped_per_million: 0,
    misread: 0,
    dead: 0,
    unplugged: 0,
};

const PLAIN: Habits = Habits {
    step: (120, 450),
    think: (800, 2_000),
    by_the_clock: true,
    press: (150, 500),
    slide: 0,
    slide_rest: (70, 260),
    adjust: 0,
    hover: 0,
    put_back: 0,
    park: 0,
    capture: [1, 0, 0],
    castling: [1, 0, 0],
    en_passant: [1, 0, 0],
    promotion: [1, 0, 0, 0],
    overlap: 0,
    chase: 0,
    chain: 0,
    knock: 0,
    faults: NO_FAULTS,
    after: false,
};

const TOURNAMENT: Habits = Habits {
    think: (800, 12_000),
    slide: 3_000,
    adjust: 200,
    hover: 200,
    put_back: 100,
    park: 100,
    capture: [45, 35, 20],
    castling: [90, 5, 5],
    en_passant: [40, 40, 20],
    promotion: [35, 30, 15, 20],
    ..PLAIN
};

const SCRAMBLE: Habits = Habits {
    step: (130, 250),
    think: (200, 1_000),
    by_the_clock: false,
    press: (50, 200),
    slide: 1_000,
    slide_rest: (70, 120),
    capture: [25, 15, 60],
    castling: [80, 10, 10],
    en_passant: [30, 50, 20],
    promotion: [40, 20, 30, 10],
    overlap: 3_000,
    chase: 400,
    chain: 30,
    knock: 150,
    ..PLAIN
};

const FAULTY: Habits = Habits {
    faults: Faults {
        lost: 100,
        flipped_per_million: 200,
        misread: 100,
        // One in three games of 80 plies each.
        dead: 42,
        unplugged: 42,
    },
    ..TOURNAMENT
};

const ENDINGS: Habits = Habits {
    after: true,
    ..TOURNAMENT
};

impl Profile {
    /// Returns the row of this profile.
    pub(in crate::simulate) const fn habits(self) -> &'static Habits {
        match self {
            Self::Plain => &PLAIN,
            Self::Tournament => &TOURNAMENT,
            Self::Scramble => &SCRAMBLE,
            Self::Faulty => &FAULTY,
            Self::Endings => &ENDINGS,
        }
    }
}
