//! Small things beside the moves: hesitating, putting right, sleeves.

use crate::Millis;
use shakmaty::{Color, Move, Position as _, Square};

use super::{BREATH, Hands};
use crate::{
    script::Note,
    world::{Stood, neighbours},
};

impl Hands<'_> {
    /// What the player does before the move's lift. Returns when the move begins.
    pub(super) fn before_move(&mut self, m: Move, start: Millis) -> Millis {
        let by = self.position.turn();
        let manner = self.person(by).manner;
        let mut at = start;
        if self.chance.happens(manner.hesitate) {
            // A touched piece has to move (4.3), so it is most often the same one.
            at = self.hesitate(by, m.from(), at);
        }
        if self.chance.happens(manner.adjust) {
            let own: Vec<Square> = self.position.us().into_iter().collect();
            if let Some(square) = self.chance.pick(&own) {
                at = self.adjust(square, at) + self.chance.ms(1_500.0, 0.8);
            }
        }
        if self.chance.happens(manner.habit) {
            at = self.press_from_habit(by, at) + self.chance.ms(1_500.0, 0.6);
        }
        at.max(self.busy + BREATH)
    }

    /// What happens beside and after the move, until the opponent thinks.
    pub(super) fn after_move(&mut self, m: Move, pressed: Millis) {
        let by = !self.position.turn();
        let manner = self.person(by).manner;
        let at = self.busy.max(pressed);
        if self.chance.happens(manner.bump) {
            self.bump(m.to(), at);
        }
        let crooked: Vec<Square> = self
            .position
            .board()
            .occupied()
            .into_iter()
            .filter(|&square| self.world.get(square).is_some_and(|stood| !stood.is_firm()))
            .collect();
        // judgement: one of the players adjusts a piece over a line, soon or some moves later. One
        // that is only off its centre is mostly left alone.
        for square in crooked {
            let over = self
                .world
                .get(square)
                .is_some_and(|stood| stood.over.is_some());
            if self.chance.happens(if over { 0.4 } else { 0.12 }) {
                let at = self.busy + self.chance.ms(1_200.0, 0.8);
                self.adjust(square, at);
            }
        }
        if self.chance.happens(manner.adjust * 0.5) {
            let at = self.busy + self.chance.ms(700.0, 0.6);
            self.adjust(m.to(), at);
        }
    }

    /// Lifts a piece and puts it back where it stood.
    fn hesitate(&mut self, by: Color, from: Option<Square>, at: Millis) -> Millis {
        let Some(square) = from else { return at };
        let own: Vec<Square> = self.position.board().by_color(by).into_iter().collect();
        let square = if self.chance.happens(0.8) {
            square
        } else {
            self.chance.pick(&own).unwrap_or(square)
        };
        let Some(stood) = self.lift(at, square) else {
            return at;
        };
        self.script.note(at, Note::Hesitated);
        let back = at + self.chance.ms(900.0, 0.8);
        self.set(back, square, Some(stood));
        back + self.chance.ms(1_800.0, 0.8)
    }

    /// Puts a piece right: pushed to the middle, or lifted and put down (4.2).
    pub(super) fn adjust(&mut self, square: Square, at: Millis) -> Millis {
        let Some(stood) = self.world.get(square) else {
            return at;
        };
        self.script.note(at, Note::Adjusted);
        let firm = Stood::firm(stood.piece);
        if self.chance.happens(0.5) {
            self.set(at, square, Some(firm));
            return at;
        }
        self.set(at, square, None);
        let down = at + self.chance.ms(280.0, 0.6);
        self.set(down, square, Some(firm));
        down
    }

    /// A sleeve pushes a piece beside the hand off its centre; rarely onto the next square.
    fn bump(&mut self, near: Square, at: Millis) {
        let beside: Vec<Square> = neighbours(near)
            .filter(|&square| square != near && !self.is_free(square))
            .collect();
        let Some(square) = self.chance.pick(&beside) else {
            return;
        };
        let Some(stood) = self.world.get(square) else {
            return;
        };
        self.script.note(at, Note::Bumped);
        let free: Vec<Square> = neighbours(square)
            .filter(|&other| self.is_free(other))
            .collect();
        if let Some(next) = self
            .chance
            .pick(&free)
            .filter(|_| self.chance.happens(0.25))
        {
            self.set(at, square, None);
            self.set(at + 30, next, Some(Stood::firm(stood.piece)));
            // A piece on another square is put back soon: a person saw it happen (judgement).
            let sees = at + 500 + self.chance.ms(2_000.0, 0.8);
            self.set(sees, next, None);
            let back = sees + self.chance.ms(350.0, 0.5);
            self.set(back, square, Some(Stood::firm(stood.piece)));
            return;
        }
        let crooked = self.off_centre(stood.piece, square);
        self.set(at, square, Some(crooked));
    }
}
