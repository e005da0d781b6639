//! An exact key of a position in 32 bytes: equal keys mean equal positions.
//!
//! A closure depends on having seen *every* position. A table keyed by a hash alone could mistake a
//! new position for a known one and miss its successors.
//!
//! The key consists of four bit planes, bit 0 = a1. The first three give a number for each square:
//!
//! | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |
//! |---|---|---|---|---|---|---|---|
//! | empty | pawn | knight | bishop | rook | queen | king | special |
//!
//! Special is a rook that may castle or, on the fourth and fifth rank, a pawn that can legally be
//! captured en passant: a rook has no castling right there. The fourth plane marks the white pieces
//! if White has the move. If Black has it, every bit of this plane is inverted, including those of
//! empty squares.

use shakmaty::{Bitboard, Color, Rank, Role, Square};

use super::state::State;

/// An exact key of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed([u64; 4]);

/// The ranks on which a pawn is after a double step.
const MIDDLE: Bitboard = Bitboard(0x0000_00ff_ff00_0000);

impl Packed {
    pub fn new(state: &State) -> Self {
        let special = state.rights() | victim(state);
        let of = |role| state.all(role) & !special;
        let low = of(Role::Pawn) | of(Role::Bishop) | of(Role::Queen) | special;
        let middle = of(Role::Knight) | of(Role::Bishop) | of(Role::King) | special;
        let high = of(Role::Rook) | of(Role::Queen) | of(Role::King) | special;
        let white = match state.turn() {
            Color::White => state.of(Color::White),
            Color::Black => !state.of(Color::White),
        };
        Self([low.0, middle.0, high.0, white.0])
    }

    pub fn unpack(self) -> State {
        let [low, middle, high, white] = self.0.map(Bitboard);
        let occupied = low | middle | high;
        let special = low & middle & high;
        // The empty squares encode the side to move; no legal position fills the board.
        let turn = Color::from_white((white & !occupied).is_empty());
        let white = turn.fold_wb(white, !white) & occupied;
        let victim = special & MIDDLE;
        let rights = special & !MIDDLE;
        let by_role = [
            (low & !middle & !high) | victim,
            !low & middle & !high,
            low & middle & !high,
            (!low & !middle & high) | rights,
            low & !middle & high,
            !low & middle & high,
        ];
        let by_color = [occupied & !white, white];
        State::from_parts(by_role, by_color, rights, passed(victim), turn)
    }

    /// A hash that spreads keys over a table and is summed up to the digest of a set. Equal hashes
    /// do not mean equal positions.
    pub const fn mix(self) -> u64 {
        let mut mixed = 0xcbf2_9ce4_8422_2325;
        let mut index = 0;
        while index < 4 {
            mixed = (mixed ^ self.0[index]).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^= mixed >> 32;
            index += 1;
        }
        mixed
    }
}

/// The pawn that can be captured en passant.
fn victim(state: &State) -> Bitboard {
    let behind = |passed: Square| match passed.rank() {
        Rank::Third => passed.offset(8),
        _ => passed.offset(-8),
    };
    let victim = state.en_passant().and_then(behind);
    victim.map_or(Bitboard::EMPTY, Bitboard::from)
}

/// The square that such a pawn has passed.
fn passed(victim: Bitboard) -> Option<Square> {
    let victim = victim.first()?;
    match victim.rank() {
        Rank::Fourth => victim.offset(-8),
        _ => victim.offset(8),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};

    use super::*;

    /// Every position of short lines is restored from its key, and no two share a key.
    fn walk(position: &Chess, depth: u32, seen: &mut HashMap<[u64; 4], Chess>) {
        let state = State::from(position);
        let packed = Packed::new(&state);
        assert_eq!(packed.unpack(), state);
        let before = seen.entry(packed.0).or_insert_with(|| position.clone());
        assert_eq!(before, position);
        if depth > 0 {
            for m in position.legal_moves() {
                let mut next = position.clone();
                next.play_unchecked(m);
                walk(&next, depth - 1, seen);
            }
        }
    }

    #[test]
    fn a_key_is_the_whole_position() {
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
            "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 b GBgb - 0 1",
        ] {
            let setup = fen.parse::<Fen>().unwrap();
            let mode = CastlingMode::detect(setup.as_setup());
            let position = setup.into_position(mode).unwrap();
            walk(&position, 3, &mut HashMap::new());
        }
    }
}
