//! The orders in which people move the pieces of one ply.

use shakmaty::{
    Bitboard, CastlingSide, Chess, Color, Move, Piece, Position as _, Role, Square, attacks,
};

use super::{
    Gesture,
    dice::Dice,
    habits::{Habits, Range},
    motion::Motion,
};

/// How long a pawn stands on its last rank before it is swapped.
const SWAP: Range = (400, 2_000);
/// The same for a player who forgets to swap it at first.
const LATE_SWAP: Range = (2_000, 6_000);
/// How long a captured piece stands on a square where it does not belong.
const PARKED: Range = (400, 2_000);

/// The fastest time from lifting to placing.
const QUICK: Range = (130, 170);

/// What a hand does for one ply.
#[derive(Debug, Clone)]
pub(in crate::simulate) struct Movements {
    /// The gestures, piece by piece.
    pub(in crate::simulate) steps: Vec<Gesture>,
    /// The number of steps after which the ply is on the board. Later steps belong to no move.
    pub(in crate::simulate) made_after: usize,
    /// The number of steps after which the clock was pressed, if not after the last.
    pub(in crate::simulate) pressed_after: Option<usize>,
}

impl Movements {
    /// Returns a plain lift and place by a hand that has decided its reply in advance.
    pub(in crate::simulate) fn quick(
        dice: &mut Dice,
        piece: Piece,
        from: Square,
        to: Square,
    ) -> Self {
        let step = |after_us, square, piece| Gesture {
            after_us,
            square,
            piece,
        };
        Self {
            steps: vec![step(0, from, None), step(dice.ms(QUICK), to, Some(piece))],
            made_after: 2,
            pressed_after: None,
        }
    }

    /// Returns the time from the first movement to the one that completes the ply, in microseconds.
    pub(in crate::simulate) fn duration_us(&self) -> u64 {
        let until = self.made_after.max(1);
        self.steps[1..until].iter().map(|step| step.after_us).sum()
    }
}

/// Returns the movements of `played`.
pub(super) fn movements(
    dice: &mut Dice,
    habits: &Habits,
    before: &Chess,
    played: Move,
) -> Movements {
    let turn = before.turn();
    let adjusts = dice
        .chance(habits.adjust)
        .then(|| dice.weigh(&[65, 15, 20]));
    let mut motion = Motion {
        dice,
        habits,
        board: before.board().clone(),
        steps: Vec::new(),
        pressed_after: None,
    };
    match adjusts {
        Some(0) => motion.adjust(before.us()),
        Some(1) => motion.adjust(before.them()),
        _ => {}
    }
    match played {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => match promotion {
            None => normal(&mut motion, from, to, role.of(turn), capture.is_some()),
            Some(new) => promote(&mut motion, from, to, new.of(turn), capture.is_some()),
        },
        Move::EnPassant { from, to } => en_passant(&mut motion, from, to, turn),
        Move::Castle { king, rook } => castle(&mut motion, king, rook, turn),
        Move::Put { role, to } => motion.on(to, role.of(turn)),
    }
    let made_after = motion.steps.len();
    if adjusts == Some(2) && motion.pressed_after.is_none() {
        let own = motion.board.by_color(turn);
        let moved = played.to();
        let straightened = if motion.dice.chance(5_000) && own.contains(moved) {
            Bitboard::from_square(moved)
        } else {
            own
        };
        motion.adjust(straightened);
    }
    Movements {
        steps: motion.steps,
        made_after,
        pressed_after: motion.pressed_after,
    }
}

fn normal(motion: &mut Motion, from: Square, to: Square, piece: Piece, captures: bool) {
    if !captures {
        motion.carry(from, to, piece);
        return;
    }
    match motion.dice.weigh(&motion.habits.capture) {
        0 => {
            let parked = take(motion, from, to);
            motion.carry(from, to, piece);
            if let Some(parked) = parked {
                motion.put(PARKED, parked, None);
            }
        }
        1 => {
            motion.off(from);
            motion.off(to);
            motion.on(to, piece);
        }
        // The captured piece is pushed away, so the square is never empty.
        _ => motion.carry(from, to, piece),
    }
}

/// Takes the captured piece off the board, or only puts it aside and returns its square.
fn take(motion: &mut Motion, from: Square, to: Square) -> Option<Square> {
    let taken = motion.board.piece_at(to);
    motion.off(to);
    let way = attacks::between(from, to) | attacks::king_attacks(to) | Bitboard::from(to);
    let aside: Vec<Square> = (Bitboard::FULL & !way & !motion.board.occupied())
        .into_iter()
        .collect();
    if !motion.dice.chance(motion.habits.park) {
        return None;
    }
    let aside = motion.dice.pick(&aside)?;
    motion.on(aside, taken?);
    Some(aside)
}

fn promote(motion: &mut Motion, from: Square, to: Square, new: Piece, captures: bool) {
    if captures {
        motion.off(to);
    }
    let pawn = Role::Pawn.of(new.color);
    match motion.dice.weigh(&motion.habits.promotion) {
        0 => {
            motion.off(from);
            motion.on(to, new);
        }
        2 => {
            motion.on(to, new);
            motion.off(from);
        }
        order => {
            motion.off(from);
            motion.on(to, pawn);
            let late = order == 3;
            if late && motion.dice.chance(5_000) {
                motion.pressed_after = Some(motion.steps.len());
            }
            motion.put(if late { LATE_SWAP } else { SWAP }, to, None);
            motion.on(to, new);
        }
    }
}

fn en_passant(motion: &mut Motion, from: Square, to: Square, turn: Color) {
    let taken = Square::from_coords(to.file(), from.rank());
    let pawn = Role::Pawn.of(turn);
    match motion.dice.weigh(&motion.habits.en_passant) {
        0 => {
            motion.off(taken);
            motion.carry(from, to, pawn);
        }
        1 => {
            motion.carry(from, to, pawn);
            motion.off(taken);
        }
        _ => {
            motion.off(from);
            motion.off(taken);
            motion.on(to, pawn);
        }
    }
}

fn castle(motion: &mut Motion, king: Square, rook: Square, turn: Color) {
    let side = CastlingSide::from_queen_side(rook < king);
    let (king_to, rook_to) = (side.king_to(turn), side.rook_to(turn));
    let (king_piece, rook_piece) = (Role::King.of(turn), Role::Rook.of(turn));
    match motion.dice.weigh(&motion.habits.castling) {
        0 => {
            motion.carry(king, king_to, king_piece);
            motion.off(rook);
            motion.on(rook_to, rook_piece);
        }
        1 => {
            motion.off(rook);
            motion.on(rook_to, rook_piece);
            motion.off(king);
            motion.on(king_to, king_piece);
        }
        _ => {
            motion.off(king);
            motion.off(rook);
            motion.on(king_to, king_piece);
            motion.on(rook_to, rook_piece);
        }
    }
}
