//! What each profile does, and how often: one table. `protocol/hand.md` shows it to people.

use super::Profile;

/// From the least to the most, in milliseconds.
pub(super) type Range = (u64, u64);

/// How one kind of player handles the pieces. Chances are out of 10 000; the weights of
/// a list are relative to each other.
#[derive(Debug, Clone, Copy)]
pub(in crate::simulate) struct Habits {
    /// From one movement of a hand to its next.
    pub(super) step: Range,
    /// From the opponent's press to the first movement.
    pub(super) think: Range,
    /// Whether the clock times of the game say how long a player thinks.
    pub(in crate::simulate) by_the_clock: bool,
    /// From the last piece to the clock.
    pub(super) press: Range,
    /// Per move along a line: the piece slides, and rests on squares of its way.
    pub(super) slide: u16,
    /// How long a sliding piece rests on a square.
    pub(super) slide_rest: Range,
    /// Per ply: a piece is put right (j'adoube).
    pub(super) adjust: u16,
    /// Per ply: the piece stands on another square first.
    pub(super) hover: u16,
    /// Per ply: the piece is put back, and played again.
    pub(super) put_back: u16,
    /// Per capture: the captured piece is put down on another square for a while.
    pub(super) park: u16,
    /// The captured piece first, the capturer first, the one pushed off by the other.
    pub(super) capture: [u16; 3],
    /// King first, rook first, both up at once.
    pub(super) castling: [u16; 3],
    /// The captured pawn first, last, both up at once.
    pub(super) en_passant: [u16; 3],
    /// Pawn off and piece on; pawn placed and swapped; piece on and pawn off; pawn
    /// placed and swapped late.
    pub(super) promotion: [u16; 4],
    /// Per ply: the opponent lifts before this ply's piece is released.
    pub(in crate::simulate) overlap: u16,
    /// Per ply: the opponent's reply is on the board almost at the same time.
    pub(in crate::simulate) chase: u16,
    /// Per ply: the reply and the ply after it are.
    pub(in crate::simulate) chain: u16,
    /// Per ply: a piece beside the square is knocked over.
    pub(in crate::simulate) knock: u16,
    /// What the board and its line do wrong.
    pub(in crate::simulate) faults: Faults,
    /// Something is done with the pieces after the last ply.
    pub(in crate::simulate) after: bool,
}

/// What goes wrong with a board and its line. Chances are out of 10 000.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::simulate) struct Faults {
    /// Per update of a square: it is never sent.
    pub(in crate::simulate) lost: u16,
    /// Per byte to the host, out of 1 000 000: one bit of it is turned.
    pub(in crate::simulate) flipped_per_million: u32,
    /// Per ply: a square shows another piece for one scan.
    pub(in crate::simulate) misread: u16,
    /// Per ply: a square does not notice anything for five seconds.
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
    /// The row of this profile.
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
