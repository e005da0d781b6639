//! Carrying one piece: straight, sliding, over a neighbouring square, or with a rest.

use crate::Millis;
use shakmaty::{Piece, Role, Square, attacks};

use super::Hands;
use crate::{
    script::Note,
    world::{FIRM, Stood, neighbours},
};

impl Hands<'_> {
    /// Carries a piece to an empty square. Returns when it is there.
    pub(super) fn carry(&mut self, from: Square, to: Square, start: Millis, rests: bool) -> Millis {
        let Some(stood) = self.lift(start, from) else {
            return start;
        };
        let arrives = self.way(stood.piece, from, to, start, rests);
        self.place(stood.piece, to, arrives);
        arrives
    }

    /// The piece's way through the air, from its lift to its arrival.
    pub(super) fn way(
        &mut self,
        piece: Piece,
        from: Square,
        to: Square,
        start: Millis,
        rests: bool,
    ) -> Millis {
        let person = self.person(piece.color).clone();
        let carry = person.carries(from.distance(to), &mut self.chance);
        let mut between: Vec<Square> = attacks::between(from, to)
            .into_iter()
            .filter(|&square| self.is_free(square))
            .collect();
        between.sort_by_key(|square| square.distance(from));
        if rests && let Some(rested) = self.rest(piece, from, to, &between, start) {
            return rested + person.carries(1, &mut self.chance);
        }
        if !between.is_empty() && self.chance.happens(person.manner.slide) {
            return self.slide(piece, &between, start, carry);
        }
        // recording: 2 of 199 moves came over a square beside their way (Ne6-f4 over f5).
        if self.chance.happens(0.01)
            && let Some(beside) =
                neighbours(to).find(|&square| self.is_free(square) && square != from)
        {
            let at = start + carry;
            return self.touch(piece, beside, at) + 70;
        }
        start + carry
    }

    /// Puts a piece down, perhaps off the centre of its square.
    pub(super) fn place(&mut self, piece: Piece, to: Square, at: Millis) {
        let lean = self.person(piece.color).manner.lean;
        if !self.chance.happens(lean) {
            self.set(at, to, Some(Stood::firm(piece)));
            return;
        }
        let stood = self.off_centre(piece, to);
        self.set(at, to, Some(stood));
        self.script.note(at, Note::Leaned);
    }

    /// A piece that stands badly.
    ///
    /// recording: no square changed without a hand in 27 square-hours, so even pieces that are put
    /// down in a hurry are nearly always felt well. The shares are judgement: most crooked pieces
    /// blink now and then, few are felt on two squares, very few on the wrong one only.
    pub(super) fn off_centre(&mut self, piece: Piece, to: Square) -> Stood {
        let free: Vec<Square> = neighbours(to)
            .filter(|&square| self.is_free(square))
            .collect();
        let over = self.chance.pick(&free);
        let mut often = |low, high| u16::try_from(self.chance.between(low, high)).unwrap_or(FIRM);
        let (blinks, half) = (often(930, 1_000), often(400, 900));
        let (brushed, shared, mostly) = (often(20, 150), often(100, 500), often(850, 1_000));
        let way = self
            .chance
            .weighted(&[(0, 0.72), (1, 0.17), (2, 0.09), (3, 0.02)]);
        match (way, over) {
            (1, Some(over)) => Stood::leaning(piece, blinks, over, brushed),
            (2, Some(over)) => Stood::leaning(piece, half, over, shared),
            (3, Some(over)) => Stood::leaning(piece, 1_000 - mostly, over, mostly),
            _ => Stood::loose(piece, blinks),
        }
    }

    /// Slides over squares between start and target square.
    fn slide(&mut self, piece: Piece, between: &[Square], start: Millis, carry: Millis) -> Millis {
        let mut touched: Vec<Square> = Vec::new();
        for &square in between {
            if self.chance.happens(0.45) {
                touched.push(square);
            }
        }
        // recording: 9 of 117 free squares were touched in 8 of 70 line moves, about one a slide.
        if touched.is_empty()
            && let Some(square) = self.chance.pick(between)
        {
            touched.push(square);
        }
        self.script.note(start, Note::Slid);
        let leg = carry / (touched.len() as u64 + 1);
        let mut at = start + leg.max(40);
        for square in touched {
            self.set(at, square, Some(Stood::firm(piece)));
            // recording: such a rest is 0.27 s on average; what no scan sees is shorter.
            let stay = if self.chance.happens(0.6) {
                self.chance.ms(210.0, 0.6)
            } else {
                self.chance.ms(60.0, 0.4)
            };
            at += stay;
            self.set(at, square, None);
            at += leg.max(40);
        }
        at
    }

    /// The piece touches a square for a moment. Returns when it leaves it.
    pub(super) fn touch(&mut self, piece: Piece, square: Square, at: Millis) -> Millis {
        self.set(at, square, Some(Stood::firm(piece)));
        // recording: 0.2 to 0.27 s.
        let until = at + self.chance.ms(200.0, 0.5);
        self.set(until, square, None);
        until
    }

    /// A finger rests on the piece on an intermediate square. Returns when it is lifted again.
    fn rest(
        &mut self,
        piece: Piece,
        from: Square,
        to: Square,
        between: &[Square],
        start: Millis,
    ) -> Option<Millis> {
        // A piece that jumps, or goes one square, rests beside its target square; a pawn does not.
        let beside: Vec<Square> = neighbours(to)
            .filter(|&square| square != from && self.is_free(square) && piece.role != Role::Pawn)
            .collect();
        let on = match self.chance.pick(between) {
            Some(square) => square,
            None => self.chance.pick(&beside)?,
        };
        let at = start
            + self
                .person(piece.color)
                .clone()
                .carries(1, &mut self.chance);
        self.set(at, on, Some(Stood::firm(piece)));
        // report: rests on transit squares were taken for moves by every program; recording: one
        // of 199 through a tick. Two to six seconds, a few of more than ten (judgement).
        let until = at + 900 + self.chance.ms(2_600.0, 0.75);
        self.set(until, on, None);
        self.script.note(at, Note::LongRest);
        Some(until)
    }
}
