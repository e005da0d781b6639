//! Promotions: the pawn, the new piece, a missing queen, a rook upside down.

use crate::Millis;
use shakmaty::{Piece, Role, Square};

use super::Hands;
use crate::{
    plan::Promoting,
    script::{ClockDeed, Note},
    world::Stood,
};

impl Hands<'_> {
    /// Promotes to `new`. Returns when the final piece is on its square.
    pub(super) fn promote(
        &mut self,
        from: Square,
        to: Square,
        captures: bool,
        new: Piece,
        start: Millis,
    ) -> Millis {
        let mut at = start;
        if captures {
            self.script.note(at, Note::Capture);
            self.set(at, to, None);
            at += self.chance.ms(400.0, 0.5);
        }
        let queen = new.role == Role::Queen;
        match self.plan.promoting {
            Promoting::Inverted if queen => self.inverted_rook(from, to, new, at, false),
            Promoting::InvertedExchanged if queen => self.inverted_rook(from, to, new, at, true),
            Promoting::Fetched => self.fetched(from, to, new, at),
            Promoting::WrongFirst => self.wrong_first(from, to, new, at),
            _ => self.ordinary(from, to, new, at),
        }
    }

    /// report (a list of the users' ways, without shares): the pawn goes first and is exchanged, or
    /// the new piece is put down directly. Or it is put down before the pawn is lifted. Shares and
    /// times are judgement.
    fn ordinary(&mut self, from: Square, to: Square, new: Piece, start: Millis) -> Millis {
        self.script.note(start, Note::Promoted);
        let way = self.chance.weighted(&[(0, 0.55), (1, 0.35), (2, 0.10)]);
        if way == 0 {
            let pawn_stands = self.pawn_to_last_rank(from, to, start);
            let lifts = pawn_stands + self.chance.ms(900.0, 0.7);
            self.set(lifts, to, None);
            let placed = lifts + self.chance.ms(600.0, 0.6);
            self.place(new, to, placed);
            return placed;
        }
        let gap = self.chance.ms(700.0, 0.6);
        if way == 1 {
            self.lift(start, from);
            self.place(new, to, start + gap);
        } else {
            self.place(new, to, start);
            self.lift(start + gap, from);
        }
        start + gap
    }

    fn pawn_to_last_rank(&mut self, from: Square, to: Square, start: Millis) -> Millis {
        let Some(pawn) = self.lift(start, from) else {
            return start;
        };
        let carry = self
            .person(pawn.piece.color)
            .clone()
            .carries(1, &mut self.chance);
        self.set(start + carry, to, Some(Stood::firm(pawn.piece)));
        start + carry
    }

    /// No queen is at hand: the pawn stands on the last rank, the clock is stopped (6.11.2).
    fn fetched(&mut self, from: Square, to: Square, new: Piece, start: Millis) -> Millis {
        let stands = self.pawn_to_last_rank(from, to, start);
        let stops = stands + self.chance.ms(2_000.0, 0.6);
        self.stop(stops);
        self.script.note(stops, Note::QueenFetched);
        // judgement: from the next table or the arbiter's box.
        let comes = stops + 4_000 + self.chance.ms(18_000.0, 0.7);
        self.set(comes, to, None);
        let placed = comes + self.chance.ms(800.0, 0.5);
        self.place(new, to, placed);
        let runs = placed + self.chance.ms(2_500.0, 0.5);
        self.clock_deed(runs, ClockDeed::Run);
        runs
    }

    /// A rook upside down. Its coil is in its foot and says "rook"; lying higher above the board
    /// it is felt less surely (judgement).
    fn inverted_rook(
        &mut self,
        from: Square,
        to: Square,
        new: Piece,
        start: Millis,
        exchanged: bool,
    ) -> Millis {
        let rook = Role::Rook.of(new.color);
        let pawn_stands = self.pawn_to_last_rank(from, to, start);
        let lifts = pawn_stands + self.chance.ms(700.0, 0.6);
        self.set(lifts, to, None);
        let placed = lifts + self.chance.ms(600.0, 0.6);
        let own = if self.chance.happens(0.7) {
            1_000
        } else {
            u16::try_from(self.chance.between(500, 1_000)).unwrap_or(800)
        };
        self.set(placed, to, Some(Stood::loose(rook, own)));
        if !exchanged {
            self.script.note(placed, Note::InvertedRook);
            self.inverted = true;
            return placed;
        }
        self.script.note(placed, Note::InvertedRookExchanged);
        // The opponent or the arbiter objects before the press: the clock is stopped.
        let stops = placed + self.chance.ms(2_500.0, 0.6);
        self.stop(stops);
        let comes = stops + 3_000 + self.chance.ms(15_000.0, 0.7);
        self.set(comes, to, None);
        let stands = comes + self.chance.ms(700.0, 0.5);
        self.place(new, to, stands);
        let runs = stands + self.chance.ms(2_500.0, 0.5);
        self.clock_deed(runs, ClockDeed::Run);
        runs
    }

    /// The wrong piece, of the other colour or of another kind, is put down and exchanged.
    fn wrong_first(&mut self, from: Square, to: Square, new: Piece, start: Millis) -> Millis {
        self.script.note(start, Note::WrongPromotion);
        let wrong = if self.chance.happens(0.6) {
            new.role.of(!new.color)
        } else if new.role == Role::Rook {
            Role::Queen.of(new.color)
        } else {
            Role::Rook.of(new.color)
        };
        self.lift(start, from);
        let placed = start + self.chance.ms(700.0, 0.5);
        self.set(placed, to, Some(Stood::firm(wrong)));
        // judgement: it is noticed while the hand is still near.
        let notices = placed + self.chance.ms(1_300.0, 0.6);
        self.set(notices, to, None);
        let stands = notices + self.chance.ms(900.0, 0.5);
        self.place(new, to, stands);
        stands
    }
}
