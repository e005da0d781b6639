//! Captures, castling and en passant.

use crate::Millis;
use shakmaty::{Piece, Square};

use super::Hands;
use crate::{
    person::Taking,
    script::Note,
    world::{Stood, neighbours},
};

impl Hands<'_> {
    /// Takes what is on `to`. Returns when the capturer is there.
    pub(super) fn take(&mut self, from: Square, to: Square, start: Millis, rests: bool) -> Millis {
        let Some(mover) = self.standing(from) else {
            return start;
        };
        let piece = mover.piece;
        let takes = self.person(piece.color).takes;
        self.script.note(start, Note::Capture);
        let captured = self.standing(to);
        let placed = match self.chance.weighted(&takes) {
            Taking::Swap => {
                self.lift(start, from);
                let arrives = self.way(piece, from, to, start, rests);
                // recording: a capture lasts 0.91 s from the first event to the last, so the hand
                // that does both takes its time at the target square.
                let arrives = arrives + self.chance.ms(560.0, 0.5);
                if self.chance.happens(0.6) {
                    let gap = self.chance.ms(45.0, 0.7).min(arrives - start - 1);
                    self.set(arrives - gap, to, None);
                }
                arrives
            }
            Taking::CapturedFirst => {
                self.set(start, to, None);
                let lifts = start + self.chance.ms(380.0, 0.5);
                self.lift(lifts, from);
                self.way(piece, from, to, lifts, rests)
            }
            Taking::CapturerFirst => {
                self.lift(start, from);
                let arrives = self.way(piece, from, to, start, rests);
                self.set(arrives, to, None);
                arrives + self.chance.ms(330.0, 0.5)
            }
        };
        self.place(piece, to, placed);
        if let Some(captured) = captured {
            self.drag(captured.piece, piece, to, placed);
        }
        placed
    }

    /// The captured piece is drawn over a neighbouring square on its way off the board.
    pub(super) fn drag(&mut self, taken: Piece, by: Piece, to: Square, placed: Millis) {
        let p = self.person(by.color).manner.drag;
        if !self.chance.happens(p) {
            return;
        }
        let free: Vec<Square> = neighbours(to)
            .filter(|&square| self.is_free(square))
            .collect();
        let Some(over) = self.chance.pick(&free) else {
            return;
        };
        // recording: always after the capturer is there; rest 0.2 s.
        let at = placed + self.chance.ms(140.0, 0.6);
        self.script.note(at, Note::Dragged);
        self.touch(taken, over, at);
    }

    /// Castles; `rook` is the rook's square.
    pub(super) fn castle(&mut self, king: Square, rook: Square, start: Millis) -> Millis {
        let (Some(stood), Some(tower)) = (self.standing(king), self.standing(rook)) else {
            return start;
        };
        let rank = king.rank();
        let short = rook.file() > king.file();
        let at = |file| Square::from_coords(file, rank);
        let (to_king, to_rook) = if short {
            (at(shakmaty::File::G), at(shakmaty::File::F))
        } else {
            (at(shakmaty::File::C), at(shakmaty::File::D))
        };
        let person = self.person(stood.piece.color).clone();
        if self.chance.happens(person.both_hands) {
            let second = start + self.chance.ms(120.0, 0.6);
            self.lift(start, king);
            self.lift(second, rook);
            let placed = second + person.carries(2, &mut self.chance);
            self.set(placed, to_king, Some(Stood::firm(stood.piece)));
            let last = placed + self.chance.ms(110.0, 0.6);
            self.set(last, to_rook, Some(Stood::firm(tower.piece)));
            return last;
        }
        let king_leg = (king, to_king, stood.piece);
        let rook_leg = (rook, to_rook, tower.piece);
        let legs = if self.chance.happens(person.king_first) {
            [king_leg, rook_leg]
        } else {
            [rook_leg, king_leg]
        };
        let mut at = start;
        for (index, (from, to, piece)) in legs.into_iter().enumerate() {
            if index == 1 {
                // recording: castling lasts 1.2 s (0.7 to 1.7) from the first event to the last.
                at += self.chance.ms(620.0, 0.6);
            }
            self.lift(at, from);
            let placed = at + person.carries(from.distance(to), &mut self.chance);
            self.place(piece, to, placed);
            at = placed;
        }
        at
    }

    /// Takes en passant. Returns when the move is complete.
    pub(super) fn en_passant(&mut self, from: Square, to: Square, start: Millis) -> Millis {
        let taken = Square::from_coords(to.file(), from.rank());
        // recording: the captured pawn goes last (one of one); judgement for the share.
        if self.chance.happens(0.8) {
            let placed = self.carry(from, to, start, false);
            let at = placed + self.chance.ms(350.0, 0.5);
            self.set(at, taken, None);
            at
        } else {
            self.set(start, taken, None);
            let at = start + self.chance.ms(380.0, 0.5);
            self.carry(from, to, at, false)
        }
    }
}
