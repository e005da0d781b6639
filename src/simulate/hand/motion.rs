//! The movements of one ply, in order.

use shakmaty::{Bitboard, Board, Piece, Role, Square, attacks};

use super::{
    Gesture,
    dice::Dice,
    habits::{Habits, Range},
};

/// Time between two squares that a sliding piece touches.
const GLIDE: Range = (30, 60);
/// How long a piece stands on a square that was not intended.
const HOVER: Range = (300, 1_500);
/// How long a piece is held that is only adjusted.
const ADJUST: Range = (250, 900);

/// A ply whose movements are being planned.
pub(super) struct Motion<'a> {
    pub(super) dice: &'a mut Dice,
    pub(super) habits: &'a Habits,
    /// The pieces on the board during the motion.
    pub(super) board: Board,
    pub(super) steps: Vec<Gesture>,
    /// The number of steps after which the clock was pressed, if before the last.
    pub(super) pressed_after: Option<usize>,
}

impl Motion<'_> {
    /// Puts `piece` (or nothing) on `square` after a time within `wait`.
    pub(super) fn put(&mut self, wait: Range, square: Square, piece: Option<Piece>) {
        let after_us = if self.steps.is_empty() {
            0
        } else {
            self.dice.ms(wait)
        };
        match piece {
            Some(piece) => self.board.set_piece_at(square, piece),
            None => self.board.discard_piece_at(square),
        }
        self.steps.push(Gesture {
            after_us,
            square,
            piece,
        });
    }

    /// Takes any piece on `square` off the board.
    pub(super) fn off(&mut self, square: Square) {
        self.put(self.habits.step, square, None);
    }

    /// Puts `piece` on `square`, even if another piece is there.
    pub(super) fn on(&mut self, square: Square, piece: Piece) {
        self.put(self.habits.step, square, Some(piece));
    }

    /// Moves a piece from one square to another as the habits prescribe.
    pub(super) fn carry(&mut self, from: Square, to: Square, piece: Piece) {
        if self.dice.chance(self.habits.put_back) {
            self.off(from);
            self.put(HOVER, from, Some(piece));
            self.put(HOVER, from, None);
        } else if self.dice.chance(self.habits.hover)
            && let Some(stop) = self.stop(from, to, piece)
        {
            self.off(from);
            self.on(stop, piece);
            self.put(HOVER, stop, None);
        } else if self.dice.chance(self.habits.slide) {
            self.slide(from, to, piece);
            return;
        } else {
            self.off(from);
        }
        self.on(to, piece);
    }

    /// Slides a piece over some of the free squares between, without lifting it off the board.
    fn slide(&mut self, from: Square, to: Square, piece: Piece) {
        let mut at = from;
        let mut wait = self.habits.step;
        for square in self.way(from, to) {
            if self.dice.chance(6_000) {
                self.put(wait, at, None);
                self.put(GLIDE, square, Some(piece));
                at = square;
                wait = self.habits.slide_rest;
            }
        }
        self.put(wait, at, None);
        let last = if at == from { self.habits.step } else { GLIDE };
        self.put(last, to, Some(piece));
    }

    /// Returns the free squares between two, in order of the way.
    fn way(&self, from: Square, to: Square) -> Vec<Square> {
        let mut way: Vec<Square> = (attacks::between(from, to) & !self.board.occupied())
            .into_iter()
            .collect();
        if to < from {
            way.reverse();
        }
        way
    }

    /// Returns a free square near the way on which the piece may be put by mistake.
    fn stop(&mut self, from: Square, to: Square, piece: Piece) -> Option<Square> {
        let mut near = attacks::between(from, to) | attacks::king_attacks(to);
        near &= !self.board.occupied() & !Bitboard::from_square(from);
        if piece.role == Role::Pawn {
            near &= !Bitboard::BACKRANKS;
        }
        let near: Vec<Square> = near.into_iter().collect();
        self.dice.pick(&near)
    }

    /// Lifts one of the pieces on the squares `among` and puts it back.
    pub(super) fn adjust(&mut self, among: Bitboard) {
        let among: Vec<Square> = among.into_iter().collect();
        let chosen = self.dice.pick(&among);
        if let Some((square, piece)) = chosen.and_then(|at| Some((at, self.board.piece_at(at)?))) {
            self.off(square);
            self.put(ADJUST, square, Some(piece));
        }
    }
}
