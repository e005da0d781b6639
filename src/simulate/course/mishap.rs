//! Accidents: pieces fall, squares die, lines break.

use shakmaty::{Bitboard, CastlingSide, Color, Move, Piece, Position as _, Square, attacks};

use super::{Act, Course, FOUND_AGAIN_US, MS, Outage};

/// How long a square notices nothing.
const DEAD_US: u64 = 5_000 * MS;
/// How long the line is down.
const UNPLUGGED_US: u64 = 10_000 * MS;
/// The most plies played during an outage of the line.
const PLIES_UNPLUGGED: usize = 3;
/// The number of plies for which a knocked piece may stay away.
const PLIES_KNOCKED: usize = 10;

impl Course<'_> {
    /// Knocks over a piece beside the square on which a ply ended; it is put up again.
    pub(super) fn knock(&mut self, index: usize, made: u64) {
        if made < self.knocked_until || !self.hand.dice.chance(self.habits.knock) {
            return;
        }
        let mut used = Bitboard::EMPTY;
        let recent = index.saturating_sub(2)..index + PLIES_KNOCKED;
        for ply in self.score.plies.iter().take(recent.end).skip(recent.start) {
            used |= way(ply.played);
        }
        let beside = attacks::king_attacks(self.score.plies[index].played.to()) & !used;
        let board = self.position.board();
        let standing: Vec<Square> = (beside & board.occupied()).into_iter().collect();
        let dice = &mut self.hand.dice;
        let Some(square) = dice.pick(&standing) else {
            return;
        };
        let piece = board.piece_at(square);
        let free = attacks::king_attacks(square) & !board.occupied() & !used;
        let free: Vec<Square> = free.into_iter().collect();
        let aside = dice.pick(&free).filter(|_| dice.chance(4_000));
        let falls = made + dice.ms((0, 80));
        let restored = falls + dice.ms((500, 1_800));
        self.knocked_until = restored + 100 * MS;
        self.at(falls, Act::Put(square, None));
        if let Some(aside) = aside {
            self.at(falls + 30 * MS, Act::Put(aside, piece));
            self.at(restored - 100 * MS, Act::Put(aside, None));
        }
        self.at(restored, Act::Put(square, piece));
    }

    /// Plans the faults of the board and its line around a ply.
    pub(super) fn faults(&mut self, start: u64, played: Move) {
        let faults = self.habits.faults;
        if self.hand.dice.chance(faults.dead) {
            self.dead_square(start, played);
        }
        if self.hand.dice.chance(faults.misread) {
            self.misread(start);
        }
        let down = (self.outage).is_some_and(|outage| start < outage.until + FOUND_AGAIN_US);
        if !down && self.hand.dice.chance(faults.unplugged) {
            self.unplug(start);
        }
    }

    /// Deadens a square; half the time one that this ply needs.
    fn dead_square(&mut self, start: u64, played: Move) {
        let dice = &mut self.hand.dice;
        let square = if dice.chance(5_000) {
            dice.pick(&[played.from().unwrap_or(played.to()), played.to()])
        } else {
            dice.pick(&Square::ALL)
        };
        let from = start.saturating_sub(dice.ms((0, 500)));
        let act = Act::Deaden(square.unwrap_or(played.to()), DEAD_US);
        self.acts.push((from, act));
    }

    /// Misreads a square; mostly one with a piece, which shows another piece or none.
    fn misread(&mut self, start: u64) {
        let board = self.position.board();
        let dice = &mut self.hand.dice;
        let occupied: Vec<Square> = board.occupied().into_iter().collect();
        let square = if dice.chance(8_000) {
            dice.pick(&occupied)
        } else {
            dice.pick(&Square::ALL)
        };
        let pieces: Vec<Piece> = board.iter().map(|(_, piece)| piece).collect();
        let shown = dice.pick(&pieces).filter(|_| dice.chance(6_000));
        let at = start + dice.ms((0, 2_000));
        if let Some(square) = square {
            self.acts.push((at, Act::Misread(square, shown)));
        }
    }

    /// Unplugs the line, but not while the previous ply is still being played. The dice decide how
    /// many plies begin meanwhile, from none to the most, if there is time for them.
    fn unplug(&mut self, start: u64) {
        let before = self.hand.dice.ms((0, 1_000));
        let plies = self.hand.dice.weigh(&[1; PLIES_UNPLUGGED + 1]);
        let from = if plies == 0 {
            self.busy_until + before
        } else {
            start.saturating_sub(before).max(self.last.over)
        };
        let until = from + UNPLUGGED_US;
        self.acts.push((from, Act::Unplug));
        self.at(until, Act::PlugIn);
        self.outage = Some(Outage {
            until,
            plies_left: plies.saturating_sub(1),
        });
    }
}

/// Returns all squares that a move can touch.
fn way(played: Move) -> Bitboard {
    let mut squares = Bitboard::from_square(played.to());
    if let Some(from) = played.from() {
        squares |= Bitboard::from_square(from) | attacks::between(from, played.to());
    }
    match played {
        Move::EnPassant { from, to } => {
            squares |= Bitboard::from_square(Square::from_coords(to.file(), from.rank()));
        }
        Move::Castle { king, rook } => {
            let side = CastlingSide::from_queen_side(rook < king);
            for color in Color::ALL {
                if side.king_to(color).rank() == king.rank() {
                    squares |= Bitboard::from_square(side.king_to(color));
                    squares |= Bitboard::from_square(side.rook_to(color));
                }
            }
        }
        Move::Normal { .. } | Move::Put { .. } => {}
    }
    squares
}
